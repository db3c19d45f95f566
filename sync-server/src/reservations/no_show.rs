//! `POST /reservations/{id}/no-show` and `POST /night-audit/no-shows`: the guest did not come.
//!
//! The night of arrival is kept counted where asked, and never counts as occupied. Later nights follow
//! the hotel's setting; those of guests who are prepaid, of an agency or a group, or expected the day
//! after, wait for a person, who gives them back by `POST /reservations/{id}/release-nights`, or puts the
//! guest right again.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::money::MINOR_MAX;
use protocol::request::{
    COMMAND_NIGHTS_MAX, CommandAnswer, NoShowRequest, NoShowsRequest, NothingMore, Sharers,
    StayAnswer,
};
use protocol::role::Role;
use protocol::row::ReservationRow;
use protocol::state::{Guarantee, Lateness, NoShowNights, ReservationState, Segment};

use super::{answer, share, stays_written, written};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::{self, CountedNight};
use crate::db::{images, releases, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The most guests that one command of the audit says it of.
const AT_ONCE_MAX: i64 = 200;

/// The guest did not come. The night of arrival is kept counted where asked, and never counts as
/// occupied; every other night is given back, and the room with them.
#[derive(Debug)]
pub(crate) struct NoShow {
    /// Who.
    pub(crate) reservation: ReservationId,
    /// What to keep.
    pub(crate) body: NoShowRequest,
}

impl Decision for NoShow {
    const VERB: &'static str = "no_show";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let today = work.business_date;
        check_fee(self.body.fee)?;
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::Confirmed])?;
        if row.check_in > today {
            return Err(not_due(&row).into());
        }
        // Before the day is closed the guest may still come: to give the room away is a manager's.
        if row.check_in == today && !matches!(work.caller.role, Role::Manager | Role::Admin) {
            return Err(Problem::new(Code::Forbidden)
                .detail("before the day is closed this is a manager's right")
                .into());
        }
        let mut ids = vec![row.id];
        let mut sharers = share::After::default();
        match self.body.sharers {
            Some(Sharers::Leave) => ids.extend(share::expected(work, &row).await?),
            _ => sharers = share::hand_over(work, &row, row.check_in).await?,
        }
        let setting = releases::no_show_nights(work).await?;
        let hotel = work.hotel();
        let counted = inventory::counted_nights(work.conn(), hotel, &ids, None).await?;
        let later = self
            .body
            .later_nights
            .unwrap_or(later_nights(&row, setting));
        let back: Vec<CountedNight> = counted
            .into_iter()
            .filter(|night| given_back(&row, night, self.body.keep_first_night, later))
            .collect();
        releases::give_back(work, &back).await?;
        images::remove_room_uses(work, &ids).await?;
        for id in &ids {
            let fee = self.body.fee.filter(|_| *id == row.id);
            reservations::change_state(work, *id, reservations::Move::NoShow { fee }).await?;
        }
        sharers.written(work).await?;
        images::reservations_changed(work, &ids[1..]).await?;
        written(work, row.id).await
    }
}

/// Everybody who should have come by the open day and did not.
#[derive(Debug)]
pub(crate) struct NoShows {
    body: NoShowsRequest,
}

impl Decision for NoShows {
    const VERB: &'static str = "no_show";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        check_fee(self.body.fee)?;
        if self.body.business_date != today {
            return Err(Problem::new(Code::WrongBusinessDate)
                .facts(serde_json::json!({ "business_date": today }))
                .into());
        }
        let setting = releases::no_show_nights(work).await?;
        // Those who share come first, so that a room is handed over only to somebody who is awaited or
        // here.
        let all = releases::did_not_come(work, AT_ONCE_MAX).await?;
        let mut rows = Vec::new();
        let mut nights = 0;
        for id in all {
            let row = reservations::need(work, id).await?;
            nights += row.nights.len();
            if nights > COMMAND_NIGHTS_MAX && !rows.is_empty() {
                break;
            }
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(Problem::new(Code::NotDue)
                .detail("nobody is awaited any more, but for guests flagged late")
                .facts(serde_json::json!({ "business_date": today }))
                .into());
        }
        let mut sharers = Vec::new();
        for row in rows.iter().filter(|row| row.share_of.is_some()) {
            let step = reservations::Move::NoShow { fee: None };
            reservations::change_state(work, row.id, step).await?;
        }
        for row in rows.iter().filter(|row| row.share_of.is_none()) {
            sharers.push(share::hand_over(work, row, row.check_in).await?);
        }
        let ids: Vec<ReservationId> = rows.iter().map(|row| row.id).collect();
        let counted = inventory::counted_nights(work.conn(), hotel, &ids, None).await?;
        let back: Vec<CountedNight> = counted
            .into_iter()
            .filter(|night| {
                rows.iter().any(|row| {
                    row.id == night.reservation
                        && given_back(
                            row,
                            night,
                            self.body.keep_first_night,
                            later_nights(row, setting),
                        )
                })
            })
            .collect();
        releases::give_back(work, &back).await?;
        images::remove_room_uses(work, &ids).await?;
        for row in rows.iter().filter(|row| row.share_of.is_none()) {
            let fee = self.body.fee;
            reservations::change_state(work, row.id, reservations::Move::NoShow { fee }).await?;
        }
        // Who looks for the guest sees by what he became one (B23).
        work.because(Some("audit"));
        for after in sharers {
            after.written(work).await?;
        }
        let rows = images::reservations_changed(work, &ids).await?;
        Ok(answer(work, &rows))
    }
}

/// The later nights of a guest who did not come are given back: a person has decided.
#[derive(Debug)]
pub(crate) struct ReleaseNights {
    reservation: ReservationId,
}

impl Decision for ReleaseNights {
    const VERB: &'static str = "release_nights";
    type Answer = StayAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<StayAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::NoShow])?;
        let back: Vec<CountedNight> =
            inventory::counted_nights(work.conn(), hotel, &[row.id], Some(today))
                .await?
                .into_iter()
                .filter(|night| night.night > row.check_in)
                .collect();
        if back.is_empty() {
            return Err(not_due(&row).into());
        }
        releases::give_back(work, &back).await?;
        reservations::raise_version(work, row.id).await?;
        stays_written(work, &[row.id]).await
    }
}

fn check_fee(fee: Option<i64>) -> Result<(), ApiError> {
    match fee {
        Some(fee) if !(0..=MINOR_MAX).contains(&fee) => Err(Problem::new(Code::Invalid)
            .field("/fee", format!("must be 0 to {MINOR_MAX} minor units"))
            .into()),
        _ => Ok(()),
    }
}

fn not_due(row: &ReservationRow) -> Problem {
    Problem::new(Code::NotDue).facts(serde_json::json!({
        "reservation_id": row.id,
        "check_in": row.check_in,
    }))
}

/// What becomes of the later nights where nobody has said: guests who have paid, who come with others or
/// by an agency, or who are expected the day after are not decided by a rule.
fn later_nights(row: &ReservationRow, setting: NoShowNights) -> NoShowNights {
    let waits = matches!(row.guarantee, Guarantee::Prepaid | Guarantee::Agent)
        || row.segment == Segment::Group
        || row.lateness == Lateness::NextDay;
    if waits { NoShowNights::Keep } else { setting }
}

fn given_back(
    row: &ReservationRow,
    night: &CountedNight,
    keep_first_night: bool,
    later: NoShowNights,
) -> bool {
    if night.night == row.check_in {
        !keep_first_night
    } else {
        later == NoShowNights::Release
    }
}

/// The guest did not come. The night of arrival is given back where it is not kept, the later ones by the
/// hotel's setting or as asked.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/no-show",
    tag = "reservations",
    operation_id = "no_show",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = NoShowRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 403, description = "forbidden: before the day is closed this is a manager's", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, not_due", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<NoShowRequest>,
) -> Result<Answer, ApiError> {
    let decision = NoShow {
        reservation,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

/// Whoever should have come by the open day and did not, but for guests flagged late; at most 200 at a
/// time, and `not_due` when nobody is left.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/night-audit/no-shows",
    tag = "audit",
    operation_id = "no_shows",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = NoShowsRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_business_date with the open one, not_due", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn audit_handler(
    State(app): State<AppState>,
    request: CommandRequest<NoShowsRequest>,
) -> Result<Answer, ApiError> {
    let decision = NoShows { body: request.body };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

/// Gives back the later nights of a no-show that were kept for a person to decide.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/release-nights",
    tag = "reservations",
    operation_id = "release_nights",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = NothingMore,
    responses(
        (status = 200, body = StayAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, not_due where no later night is kept", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn nights_handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<NothingMore>,
) -> Result<Answer, ApiError> {
    let decision = ReleaseNights { reservation };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reservations::testbed::{Bed, facts};

    #[tokio::test]
    async fn n2_the_night_of_arrival_is_kept_or_not_as_asked() {
        let bed = Bed::new().await;
        let kept = bed.confirmed("STD", 1, 4).await;
        let given = bed.confirmed("STD", 1, 4).await;
        let _: CommandAnswer = bed.assign(kept, "101").await.ok();
        let done: CommandAnswer = bed
            .act(kept, "no-show", json!({"keep_first_night": true}))
            .await
            .ok();
        assert_eq!(done.reservations[0].state, ReservationState::NoShow);
        assert_eq!(bed.reserved("STD", 1..4).await, [2, 1, 1]);
        let _: CommandAnswer = bed.act(given, "no-show", json!({})).await.ok();
        assert_eq!(bed.reserved("STD", 1..4).await, [1, 0, 0]);
        assert_eq!(bed.reserved("HOUSE", 1..4).await, [1, 0, 0]);
        assert!(bed.rooms(kept).await.is_empty(), "the room is free");
        bed.clean().await;
    }

    #[tokio::test]
    async fn only_who_should_have_come_did_not_come() {
        let bed = Bed::new().await;
        let later = bed.confirmed("STD", 2, 4).await;
        let here = bed.confirmed("STD", 1, 4).await;
        bed.check_in(here).await;
        let facts = facts(&bed.act(later, "no-show", json!({})).await, Code::NotDue);
        assert_eq!(facts["check_in"], "2027-06-02");
        bed.act(here, "no-show", json!({}))
            .await
            .refused(Code::WrongState);
        bed.invalid(
            "POST",
            &format!("/reservations/{later}/no-show"),
            &[(json!({"keep_first_night": "no"}), "/keep_first_night")],
        )
        .await;
    }

    #[tokio::test]
    async fn n6_a_check_in_and_a_no_show_at_once_and_one_does() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        for _ in 0..5 {
            let stay = bed.over("STD", 1, 3).await;
            let there = bed.boss.at(&other);
            let path = format!("/reservations/{stay}/no-show");
            let (came, not) = tokio::join!(
                bed.act(stay, "check-in", json!({})),
                there.send("POST", &path, json!({})),
            );
            assert_ne!(came.status == 200, not.status == 200);
            let lost = if came.status == 200 { &not } else { &came };
            lost.refused(Code::WrongState);
        }
        bed.clean().await;
    }
}
