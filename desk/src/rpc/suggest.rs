//! Which rooms for a stay, and why.

use chrono::{Days, NaiveDate};
use protocol::code::{Code, Problem};
use protocol::id::{ReservationId, RoomId, RoomTypeId};
use protocol::row::{RoomRow, RoomTypeRow, RoomUseRow};
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};
use rusqlite::Connection;

use super::chart::by_room;
use super::lines::room_order;
use super::schema::{SuggestAnswer, SuggestReason, SuggestRequest, Suggestion};
use super::{RpcResult, hotel_of, invalid, reading};
use crate::desk::Desk;
use crate::store::{Result, booking, reservation, room, room_type, room_use};

/// How far before and after a stay its neighbours in a room are looked at.
const AROUND: u64 = 2;

/// `room.suggest`.
pub(super) async fn suggest(desk: &Desk, request: SuggestRequest) -> RpcResult<SuggestAnswer> {
    if !(1..=50).contains(&request.limit) {
        return Err(invalid("/limit", "must be 1 to 50"));
    }
    reading(desk, move |db| {
        let wanted = wanted(db, request.reservation_id)?;
        let mut rooms = rank(&wanted, &gather(db, &wanted)?);
        rooms.truncate(usize::try_from(request.limit).unwrap_or(1));
        Ok(SuggestAnswer { rooms })
    })
    .await
}

/// What a room is looked for.
struct Wanted {
    id: ReservationId,
    /// The nights ahead.
    from: NaiveDate,
    until: NaiveDate,
    /// The type in whose count the stay stands.
    type_id: RoomTypeId,
    /// The guest is at the desk or already in house: only a clean room will do (B124).
    now: bool,
    /// The room that was given was promised.
    promised: bool,
    types: Vec<RoomTypeRow>,
    /// Floors on which others of the party have rooms.
    floors: Vec<String>,
}

fn wanted(db: &Connection, id: ReservationId) -> RpcResult<Wanted> {
    let today = hotel_of(db)?.business_date;
    let row = reservation::get(db, id)?.ok_or_else(|| Problem::new(Code::NotFound))?;
    let in_house = row.state == ReservationState::CheckedIn;
    let from = if in_house {
        row.check_in.max(today)
    } else {
        row.check_in
    };
    let ahead = row
        .nights
        .iter()
        .find(|night| night.stay_date >= from.max(today));
    let mut floors = Vec::new();
    for other in booking::reservations(db, row.booking_id)? {
        if other != id {
            for place in room_use::of_reservation(db, other)? {
                floors.extend(room::get(db, place.room_id)?.map(|room| room.floor));
            }
        }
    }
    Ok(Wanted {
        id,
        from,
        // A stay without a night needs the room on its day.
        until: row.check_out.max(from + Days::new(1)),
        type_id: ahead.map_or(row.room_type_id, |night| night.room_type_id),
        now: in_house || row.check_in <= today,
        promised: row.do_not_move,
        types: room_type::sold(db)?,
        floors,
    })
}

/// A room with what stands around the stay in it.
struct Candidate {
    room: RoomRow,
    uses: Vec<RoomUseRow>,
    /// Somebody is still in it whose departure has passed (B32).
    occupied: bool,
}

fn gather(db: &Connection, wanted: &Wanted) -> Result<Vec<Candidate>> {
    let from = wanted.from - Days::new(AROUND);
    let until = wanted.until + Days::new(AROUND);
    let mut uses = by_room(room_use::between(db, from, until)?);
    let overdue = overdue_rooms(db, wanted)?;
    Ok(room::all(db)?
        .into_iter()
        .filter(|room| room.active)
        .map(|room| Candidate {
            uses: uses.remove(&room.id).unwrap_or_default(),
            occupied: wanted.now && overdue.contains(&room.id),
            room,
        })
        .collect())
}

/// Rooms of guests in house whose room was theirs only until today or before.
fn overdue_rooms(db: &Connection, wanted: &Wanted) -> Result<Vec<RoomId>> {
    Ok(db
        .prepare_cached(
            "SELECT u.room_id FROM reservation r CROSS JOIN room_use u ON u.reservation_id = r.id
             WHERE r.state = 'checked_in' AND r.check_out <= ?1 AND u.until_date = r.check_out
               AND r.id <> ?2",
        )?
        .query_map(rusqlite::params![wanted.from, wanted.id.0], |row| {
            Ok(RoomId(row.get(0)?))
        })?
        .collect::<rusqlite::Result<_>>()?)
}

/// Best first: the room that was already given, unless it is dirty, the guest is here and it was not
/// promised; the exact type; ready this minute for a guest who is here; in service; no lone night left
/// before or after; the party's floor; then the number.
fn rank(wanted: &Wanted, candidates: &[Candidate]) -> Vec<Suggestion> {
    let whole: Vec<(Rank, Suggestion)> = candidates
        .iter()
        .filter_map(|candidate| judge(wanted, candidate, true))
        .collect();
    // Where no room of the type is free for all nights, those that are free at first are shown with
    // the day on which the guest must move (B34).
    let none = !whole.iter().any(|(rank, _)| !rank.other_type);
    let partly = candidates.iter().filter(|_| none);
    let mut ranked: Vec<(Rank, Suggestion)> = partly
        .filter_map(|candidate| judge(wanted, candidate, false))
        .chain(whole)
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    ranked
        .into_iter()
        .map(|(_, suggestion)| suggestion)
        .collect()
}

/// Compared field by field, `false` and small first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    not_assigned: bool,
    other_type: bool,
    type_distance: i32,
    not_all_nights: bool,
    nights_short: i64,
    occupied: bool,
    out_of_service: bool,
    not_ready: u8,
    lone_nights: u8,
    other_floor: bool,
    number: (u64, String),
}

fn judge(wanted: &Wanted, candidate: &Candidate, all_nights: bool) -> Option<(Rank, Suggestion)> {
    let room = &candidate.room;
    let others = || {
        let mine = |place: &&RoomUseRow| place.reservation_id != Some(wanted.id);
        candidate.uses.iter().filter(mine)
    };
    let blocks = |place: &&RoomUseRow| place.kind != RoomUseKind::OutOfService;
    let blocked_from = others()
        .filter(blocks)
        .filter(|place| place.from < wanted.until && place.until > wanted.from)
        .map(|place| place.from)
        .min();
    if all_nights == blocked_from.is_some() || blocked_from.is_some_and(|day| day <= wanted.from) {
        return None;
    }
    let type_of = |id: RoomTypeId| wanted.types.iter().find(|row| row.id == id);
    let (own, given) = (type_of(wanted.type_id)?, type_of(room.room_type_id)?);
    let other_type = room.room_type_id != wanted.type_id;
    // A lesser type is no offer; a better one is an upgrade. And a move within the stay is only
    // thought of in the type that was booked.
    if other_type && (given.sort < own.sort || !all_nights) {
        return None;
    }
    let assigned = candidate
        .uses
        .iter()
        .any(|place| place.reservation_id == Some(wanted.id));
    let out_of_service = others().any(|place| {
        place.kind == RoomUseKind::OutOfService
            && place.from < wanted.until
            && place.until > wanted.from
    });
    let before = others().filter(blocks).map(|place| place.until);
    let gap_before = before
        .filter(|day| *day <= wanted.from)
        .max()
        .map(|day| (wanted.from - day).num_days());
    let after = others().filter(blocks).map(|place| place.from);
    let gap_after = after
        .filter(|day| *day >= wanted.until)
        .min()
        .map(|day| (day - wanted.until).num_days());
    let lone = [gap_before, gap_after]
        .iter()
        .filter(|gap| **gap == Some(1))
        .count();
    let clean = room.status != RoomStatus::Dirty;
    let same_floor = wanted.floors.contains(&room.floor);

    let mut reasons = Vec::new();
    let mut reason = |word: &str, good: bool, value: Option<String>| {
        reasons.push(SuggestReason {
            word: word.to_owned(),
            good,
            value,
        });
    };
    if assigned {
        reason("assigned", true, None);
    }
    if candidate.occupied {
        reason("occupied", false, None);
    }
    if let Some(day) = blocked_from {
        reason("needs_move", false, Some(day.to_string()));
    }
    if wanted.now {
        reason(room.status.as_str(), clean, None);
    }
    if other_type {
        reason("upgrade", false, Some(given.code.clone()));
    } else {
        reason("same_type", true, Some(given.code.clone()));
    }
    if out_of_service {
        reason("out_of_service", false, None);
    }
    if lone > 0 {
        reason("leaves_gap", false, Some("1".to_owned()));
    } else {
        reason("no_gap", true, None);
    }
    if same_floor {
        reason("floor", true, Some(room.floor.clone()));
    }
    let rank = Rank {
        not_assigned: !(assigned && (clean || !wanted.now || wanted.promised)),
        other_type,
        type_distance: if other_type { given.sort - own.sort } else { 0 },
        not_all_nights: !all_nights,
        nights_short: blocked_from.map_or(0, |day| (wanted.until - day).num_days()),
        occupied: candidate.occupied,
        out_of_service,
        not_ready: match room.status {
            _ if !wanted.now => 0,
            RoomStatus::Inspected => 0,
            RoomStatus::Clean => 1,
            RoomStatus::Dirty => 2,
        },
        lone_nights: u8::try_from(lone).unwrap_or(2),
        other_floor: !same_floor && !wanted.floors.is_empty(),
        number: room_order(&room.number),
    };
    let suggestion = Suggestion {
        ready: all_nights && clean && !other_type && !candidate.occupied,
        type_code: given.code.clone(),
        room: room.clone(),
        reasons,
    };
    Some((rank, suggestion))
}
