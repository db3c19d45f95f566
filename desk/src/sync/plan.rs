//! What to do next. Nothing here reads, writes or waits: from where the copy stands and how the last
//! attempt ended follows the next step, case by case.

use std::collections::HashSet;
use std::time::Duration;

use protocol::code::Code;
use protocol::command::Command;
use protocol::id::{CommandId, EventId, GuestId};

use crate::store::meta::CopyState;

/// The shortest pause after a fault.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// The longest pause: a desk is back within a minute of its server (B62).
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// How the last attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should, or nothing was tried yet.
    Fine,
    /// No answer, or one that decides nothing.
    Unreachable,
    /// The server said no.
    Refused(Code),
    /// The server sent what this build does not know.
    Unknown,
    /// The log has a gap, or belongs to another past than the server says.
    WrongPast,
    /// The copy lacks a row that the server takes for known.
    BrokenKeys,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Begin to load a snapshot; with `offer_again`, what the server acknowledged is sent again.
    BeginLoad {
        /// Whether the server's past has changed.
        offer_again: bool,
    },
    /// Load a page.
    Load {
        /// Where it begins; absent for the first.
        page: Option<String>,
    },
    /// Read on in the log.
    Pull {
        /// The last event known.
        after: i64,
        /// Its id.
        last_id: Option<EventId>,
        /// Whether to wait for something to happen.
        wait: bool,
    },
    /// The new rows are all there: remove the old ones, check the keys, open.
    FinishLoad,
    /// Stop following the log and say that an update is needed. Nothing is removed (B67).
    UpdateNeeded,
    /// Stop until somebody signs in.
    SignIn,
    /// Nothing for so long, then the same question anew.
    Pause(Duration),
}

/// The next step. `times` counts attempts in a row that did not end well; `build` names this program.
pub fn next(copy: &CopyState, outcome: Outcome, times: u32, build: &str) -> Step {
    match outcome {
        Outcome::Fine => going_on(copy, build),
        Outcome::Unreachable => Step::Pause(pause(times)),
        Outcome::Unknown | Outcome::Refused(Code::UpdateNeeded) => Step::UpdateNeeded,
        Outcome::Refused(Code::EpochChanged) | Outcome::WrongPast => begin(true, times),
        Outcome::Refused(Code::Resync) | Outcome::BrokenKeys => begin(false, times),
        // The hotel or the role is no longer this token's: a person must sign in.
        Outcome::Refused(
            Code::Unauthenticated | Code::BadCredentials | Code::Forbidden | Code::NotFound,
        ) => Step::SignIn,
        // A page's address from another time or server: from the beginning.
        Outcome::Refused(_) if copy.loading.as_ref().is_some_and(|load| load.begun) => {
            begin(false, times)
        }
        Outcome::Refused(_) => Step::Pause(pause(times)),
    }
}

fn going_on(copy: &CopyState, build: &str) -> Step {
    match &copy.update_needed {
        Some(met_by) if met_by == build => return Step::UpdateNeeded,
        Some(_) => return Step::BeginLoad { offer_again: false },
        None => {}
    }
    match &copy.loading {
        Some(load) => match load.until {
            None => Step::Load {
                page: load.page.clone(),
            },
            Some(until) if copy.cursor < until => pull(copy, false),
            Some(_) => Step::FinishLoad,
        },
        None if copy.usable => pull(copy, true),
        None => Step::BeginLoad { offer_again: false },
    }
}

fn pull(copy: &CopyState, wait: bool) -> Step {
    Step::Pull {
        after: copy.cursor,
        last_id: copy.last_id,
        wait,
    }
}

/// The first time at once; again and again only with pauses, which double the number of attempts.
fn begin(offer_again: bool, times: u32) -> Step {
    if times <= 1 || times.is_multiple_of(2) {
        Step::BeginLoad { offer_again }
    } else {
        Step::Pause(pause(times))
    }
}

/// 1, 2, 4, 8, 15, 15 ... seconds.
pub fn pause(times: u32) -> Duration {
    PAUSE_MIN
        .saturating_mul(1 << times.saturating_sub(1).min(10))
        .min(PAUSE_MAX)
}

/// A command that waits, as far as its turn is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Which.
    pub id: CommandId,
    /// What it touches.
    pub touches: Vec<String>,
    /// Whether it is on its way, or pausing after an answer that decided nothing.
    pub busy: bool,
}

/// Which commands may be sent now, oldest first, at most `places`: one that touches what an earlier
/// one touches waits until that one is answered; all others go on (B74).
pub fn sendable(queue: &[Queued], places: usize) -> Vec<CommandId> {
    let mut taken: HashSet<&str> = HashSet::new();
    let mut chosen = Vec::new();
    for command in queue {
        let free = command
            .touches
            .iter()
            .all(|subject| !taken.contains(subject.as_str()));
        if free && !command.busy && chosen.len() < places {
            chosen.push(command.id);
        }
        taken.extend(command.touches.iter().map(String::as_str));
    }
    chosen
}

/// Whether a command makes no sense when an earlier one was refused: then it is parked with it.
pub fn depends_on(later: &Command, earlier: &Command) -> bool {
    match earlier {
        Command::PutGuest { guest_id, .. } => names_guest(later, *guest_id),
        Command::Hold { body } => {
            let party = body.booking_id;
            let mut rooms = body.rooms.iter().filter_map(|room| room.reservation_id);
            booking_of(later).is_some_and(|booking| Some(booking) == party)
                || reservation_of(later).is_some_and(|stay| rooms.any(|room| room == stay))
        }
        Command::Confirm { booking_id, body } => {
            let mut rooms = body.rooms.iter().map(|room| room.reservation_id);
            booking_of(later) == Some(*booking_id)
                || reservation_of(later).is_some_and(|stay| rooms.any(|room| room == stay))
        }
        // Edits of one thing follow each other by version.
        Command::Details { reservation_id, .. } => {
            matches!(later, Command::Details { reservation_id: stay, .. } if stay == reservation_id)
        }
        // A check-in that names its own room stands by itself.
        Command::Assign { reservation_id, .. } => matches!(
            later,
            Command::CheckIn { reservation_id: stay, body }
                if stay == reservation_id && body.room_id.is_none()
        ),
        Command::CheckIn { reservation_id, .. } => {
            matches!(later, Command::CheckOut { reservation_id: stay, .. } if stay == reservation_id)
        }
        Command::Block { body, .. } => matches!(
            later,
            Command::Unblock { room_use_id } if Some(*room_use_id) == body.room_use_id
        ),
        Command::Renew { .. }
        | Command::CancelBooking { .. }
        | Command::Cancel { .. }
        | Command::CheckOut { .. }
        | Command::NoShow { .. }
        | Command::Upgrade { .. }
        | Command::ChangeStay { .. }
        | Command::PutRight { .. }
        | Command::Share { .. }
        | Command::Release { .. }
        | Command::ReleaseNights { .. }
        | Command::NoShows { .. }
        | Command::Policies { .. }
        | Command::AssignParty { .. }
        | Command::CheckInParty { .. }
        | Command::CheckOutParty { .. }
        | Command::ChangeBooking { .. }
        | Command::RoomStatus { .. }
        | Command::Unblock { .. }
        | Command::Overbooking { .. }
        | Command::Roll { .. } => false,
    }
}

fn names_guest(command: &Command, guest: GuestId) -> bool {
    match command {
        Command::PutGuest { guest_id, .. } => *guest_id == guest,
        Command::Confirm { body, .. } => body
            .rooms
            .iter()
            .any(|room| room.guest_id == Some(guest) || room.further_guest_ids.contains(&guest)),
        Command::Details { body, .. } => {
            body.guest_id == Some(guest)
                || body
                    .further_guest_ids
                    .iter()
                    .flatten()
                    .any(|other| *other == guest)
        }
        Command::Hold { body } => body.rooms.iter().any(|room| room.guest_id == Some(guest)),
        Command::Share { body, .. } => body.guest_id == Some(guest),
        _ => false,
    }
}

pub(crate) fn booking_of(command: &Command) -> Option<protocol::id::BookingId> {
    match command {
        Command::Hold { body } => body.booking_id,
        Command::Renew { booking_id, .. }
        | Command::Confirm { booking_id, .. }
        | Command::CancelBooking { booking_id, .. }
        | Command::AssignParty { booking_id, .. }
        | Command::CheckInParty { booking_id, .. }
        | Command::CheckOutParty { booking_id, .. }
        | Command::ChangeBooking { booking_id, .. } => Some(*booking_id),
        _ => None,
    }
}

pub(crate) fn reservation_of(command: &Command) -> Option<protocol::id::ReservationId> {
    match command {
        Command::Cancel { reservation_id, .. }
        | Command::Details { reservation_id, .. }
        | Command::Assign { reservation_id, .. }
        | Command::CheckIn { reservation_id, .. }
        | Command::CheckOut { reservation_id, .. }
        | Command::NoShow { reservation_id, .. }
        | Command::Upgrade { reservation_id, .. }
        | Command::ChangeStay { reservation_id, .. }
        | Command::Share { reservation_id, .. }
        | Command::Release { reservation_id }
        | Command::ReleaseNights { reservation_id }
        | Command::PutRight { reservation_id, .. } => Some(*reservation_id),
        _ => None,
    }
}

/// Whether a command is decided by the server alone: recorded only to be sent now, and withdrawn when
/// the server cannot be reached.
pub fn needs_server(command: &Command) -> bool {
    matches!(
        command,
        Command::Hold { .. }
            | Command::Renew { .. }
            | Command::Upgrade { .. }
            | Command::ChangeStay { .. }
            | Command::PutRight { .. }
            | Command::Share { .. }
            | Command::ReleaseNights { .. }
            | Command::NoShows { .. }
            | Command::Policies { .. }
            | Command::ChangeBooking { .. }
            | Command::Overbooking { .. }
            | Command::Roll { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::Loading;
    use protocol::id::{ReservationId, RoomId};
    use protocol::request::{AssignRequest, CheckInRequest, CheckOutRequest, GuestRequest};
    use uuid::Uuid;

    const BUILD: &str = "1";

    fn copy(usable: bool, loading: Option<Loading>, update_needed: Option<&str>) -> CopyState {
        CopyState {
            cursor: 50,
            usable,
            loading,
            update_needed: update_needed.map(str::to_owned),
            ..CopyState::default()
        }
    }

    fn load(page: Option<&str>, until: Option<i64>) -> Option<Loading> {
        Some(Loading {
            page: page.map(str::to_owned),
            begun: page.is_some() || until.is_some(),
            until,
            ..Loading::default()
        })
    }

    #[test]
    fn every_state_of_the_copy_goes_on_where_it_stands() {
        let pull = |wait| Step::Pull {
            after: 50,
            last_id: None,
            wait,
        };
        let first = Step::Load { page: None };
        let second = Step::Load {
            page: Some("p2".to_owned()),
        };
        let begin = Step::BeginLoad { offer_again: false };
        for usable in [false, true] {
            let cases = [
                (load(None, None), first.clone()),
                (load(Some("p2"), None), second.clone()),
                (load(None, Some(60)), pull(false)),
                (load(None, Some(50)), Step::FinishLoad),
                (load(None, Some(0)), Step::FinishLoad),
                (None, if usable { pull(true) } else { begin.clone() }),
            ];
            for (loading, wanted) in cases {
                let state = copy(usable, loading.clone(), None);
                assert_eq!(next(&state, Outcome::Fine, 0, BUILD), wanted, "{state:?}");
                // B67: the build that met the unknown does nothing more; a newer one loads anew.
                let state = copy(usable, loading.clone(), Some(BUILD));
                assert_eq!(next(&state, Outcome::Fine, 0, BUILD), Step::UpdateNeeded);
                let state = copy(usable, loading, Some("0"));
                assert_eq!(next(&state, Outcome::Fine, 0, BUILD), begin);
            }
        }
    }

    #[test]
    fn every_outcome_has_its_step_whatever_the_copy() {
        let states = [
            copy(false, None, None),
            copy(true, None, None),
            copy(false, load(None, None), None),
            copy(true, load(Some("p2"), None), None),
            copy(true, load(None, Some(60)), None),
        ];
        for state in &states {
            let step = |outcome| next(state, outcome, 1, BUILD);
            assert_eq!(step(Outcome::Unreachable), Step::Pause(PAUSE_MIN));
            assert_eq!(step(Outcome::Unknown), Step::UpdateNeeded);
            assert_eq!(
                step(Outcome::WrongPast),
                Step::BeginLoad { offer_again: true }
            );
            assert_eq!(
                step(Outcome::BrokenKeys),
                Step::BeginLoad { offer_again: false }
            );
            for code in Code::ALL {
                let wanted = match code {
                    Code::UpdateNeeded => Step::UpdateNeeded,
                    Code::EpochChanged => Step::BeginLoad { offer_again: true },
                    Code::Resync => Step::BeginLoad { offer_again: false },
                    Code::Unauthenticated
                    | Code::BadCredentials
                    | Code::Forbidden
                    | Code::NotFound => Step::SignIn,
                    _ if state.loading.as_ref().is_some_and(|load| load.begun) => {
                        Step::BeginLoad { offer_again: false }
                    }
                    _ => Step::Pause(PAUSE_MIN),
                };
                assert_eq!(step(Outcome::Refused(*code)), wanted, "{code} {state:?}");
            }
        }
    }

    #[test]
    fn b62_pauses_grow_and_never_reach_a_minute() {
        let pauses: Vec<u64> = (1..8).map(|times| pause(times).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(pause(u32::MAX), PAUSE_MAX);
        // Loading anew again and again is slowed down too.
        let state = copy(true, None, None);
        let steps: Vec<Step> = (1..6)
            .map(|times| next(&state, Outcome::BrokenKeys, times, BUILD))
            .collect();
        assert_eq!(
            steps
                .iter()
                .filter(|step| matches!(step, Step::Pause(_)))
                .count(),
            2
        );
    }

    fn id(n: u128) -> CommandId {
        CommandId(Uuid::from_u128(n))
    }

    fn queued(n: u128, touches: &[&str], busy: bool) -> Queued {
        Queued {
            id: id(n),
            touches: touches.iter().map(|&text| text.to_owned()).collect(),
            busy,
        }
    }

    #[test]
    fn b74_one_that_waits_holds_up_only_what_touches_the_same() {
        let queue = [
            queued(1, &["reservation:a", "room:1"], true),
            queued(2, &["reservation:a"], false),
            queued(3, &["reservation:b", "room:2"], false),
            queued(4, &["room:2"], false),
            queued(5, &["reservation:c"], false),
            queued(6, &[], false),
        ];
        assert_eq!(sendable(&queue, 9), [id(3), id(5), id(6)]);
        assert_eq!(sendable(&queue, 1), [id(3)]);
        // Transitive: 2 waits for 1, and who touches what 2 touches waits for 2.
        let chain = [
            queued(1, &["x"], true),
            queued(2, &["x", "y"], false),
            queued(3, &["y"], false),
        ];
        assert!(sendable(&chain, 9).is_empty());
    }

    #[test]
    fn only_what_needs_a_refused_command_is_parked_with_it() {
        let stay = ReservationId(Uuid::from_u128(1));
        let room = RoomId(Uuid::from_u128(2));
        let guest_id = GuestId(Uuid::from_u128(3));
        let check_in = |room_id| Command::CheckIn {
            reservation_id: stay,
            body: CheckInRequest {
                room_id,
                room_not_ready_accepted: false,
            },
        };
        let check_out = Command::CheckOut {
            reservation_id: stay,
            body: CheckOutRequest::default(),
        };
        let assign = Command::Assign {
            reservation_id: stay,
            body: AssignRequest {
                room_id: Some(room),
            },
        };
        let guest = Command::PutGuest {
            guest_id,
            body: GuestRequest {
                version: None,
                name: "A".to_owned(),
                email: None,
                phone: None,
                company: None,
                language: None,
                country: None,
                notes: String::new(),
                vip: false,
            },
        };
        assert!(depends_on(&check_in(None), &assign));
        assert!(!depends_on(&check_in(Some(room)), &assign));
        assert!(depends_on(&check_out, &check_in(None)));
        assert!(!depends_on(&check_in(None), &check_out));
        assert!(depends_on(&guest, &guest));
        assert!(!depends_on(&check_in(None), &guest));
    }
}
