//! `POST /reservations/{id}/check-in`: the guest is here.

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::{ReservationId, RoomId};
use protocol::request::{CheckInRequest, CommandAnswer};
use protocol::row::{ReservationRow, RoomUseRow};
use protocol::state::{ReservationState, RoomStatus};

use super::{room, share, written};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{reservations, rooms};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The guest is here, and takes the named room, or the assigned one, or none yet.
#[derive(Debug)]
pub(crate) struct CheckIn {
    /// Who.
    pub(crate) reservation: ReservationId,
    /// Where.
    pub(crate) body: CheckInRequest,
}

impl Decision for CheckIn {
    const VERB: &'static str = "check_in";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::Confirmed])?;
        // Late is welcome as long as a night is left (B22); day use is for its day only.
        let ahead = room::ahead(&row, today)
            .filter(|_| row.check_in <= today)
            .ok_or_else(|| not_due(&row))?;
        if self.body.room_id.is_some() {
            share::own_room(&row)?;
        }
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        let assigned = room::on(&uses, today).map(|used| used.room_id);
        if let Some(id) = self.body.room_id.or(assigned) {
            let accepted = self.body.room_not_ready_accepted;
            take_room(work, &row, &uses, id, ahead, accepted).await?;
        }
        reservations::change_state(work, row.id, reservations::Move::CheckIn).await?;
        written(work, row.id).await
    }
}

/// Gives the guest who stands at the desk this room for the nights ahead: free, left, and clean unless
/// the clerk has seen it.
pub(super) async fn take_room(
    work: &mut Work<'_>,
    row: &ReservationRow,
    uses: &[RoomUseRow],
    id: RoomId,
    ahead: (NaiveDate, NaiveDate),
    room_not_ready_accepted: bool,
) -> Result<(), ApiError> {
    let taken = room::named(work, id).await?;
    if room::on(uses, ahead.0).is_some_and(|used| used.room_id == id) {
        room::fits(row, &taken, ahead.0)?;
    } else {
        room::give(work, row, uses, &taken, ahead).await?;
    }
    if let Some(guest) = rooms::not_yet_gone(work, id, row.id).await? {
        return Err(rooms::taken(&guest).into());
    }
    if taken.status == RoomStatus::Dirty && !room_not_ready_accepted {
        return Err(Problem::new(Code::RoomNotReady)
            .facts(serde_json::json!({ "room_id": id, "status": taken.status }))
            .into());
    }
    Ok(())
}

pub(super) fn not_due(row: &ReservationRow) -> Problem {
    Problem::new(Code::NotDue).facts(serde_json::json!({
        "reservation_id": row.id,
        "check_in": row.check_in,
        "check_out": row.check_out,
    }))
}

/// The guest is here. Takes the named room, or the assigned one; without any room it is legal too.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/check-in",
    tag = "reservations",
    operation_id = "check_in",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = CheckInRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, not_due, wrong_type, room_taken with its `blocker`, room_not_ready", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<CheckInRequest>,
) -> Result<Answer, ApiError> {
    let decision = CheckIn {
        reservation,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::{Bed, facts};

    #[tokio::test]
    async fn the_assigned_room_is_taken_and_a_named_one_instead_of_it() {
        let bed = Bed::new().await;
        let one = bed.confirmed("STD", 1, 3).await;
        let two = bed.confirmed("STD", 1, 3).await;
        let _: CommandAnswer = bed.assign(one, "101").await.ok();
        let _: CommandAnswer = bed.assign(two, "102").await.ok();
        let done = bed.check_in(one).await;
        assert_eq!(done.reservations[0].state, ReservationState::CheckedIn);
        let _: CommandAnswer = bed
            .act(two, "check-in", json!({"room_id": bed.room("103")}))
            .await
            .ok();
        assert_eq!(bed.rooms(one).await, ["101 06-01 06-03"]);
        assert_eq!(bed.rooms(two).await, ["103 06-01 06-03"]);
        assert!(bed.row(one).await.checked_in_at.is_some());
        assert_eq!(
            bed.reserved("STD", 1..4).await,
            [2, 2, 0],
            "n2: nothing moved"
        );
        bed.act(one, "check-in", json!({}))
            .await
            .refused(Code::WrongState);
        bed.clean().await;
    }

    #[tokio::test]
    async fn b22_a_late_guest_checks_in_while_a_night_is_left() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 4).await;
        let short = bed.confirmed("STD", 1, 2).await;
        let early = bed.confirmed("STD", 4, 6).await;
        bed.open(3).await;
        let _: CommandAnswer = bed
            .act(stay, "check-in", json!({"room_id": bed.room("101")}))
            .await
            .ok();
        assert_eq!(bed.rooms(stay).await, ["101 06-03 06-04"]);
        bed.act(short, "check-in", json!({}))
            .await
            .refused(Code::NotDue);
        let facts = facts(&bed.act(early, "check-in", json!({})).await, Code::NotDue);
        assert_eq!(facts["check_in"], "2027-06-04");
        bed.clean().await;
    }

    #[tokio::test]
    async fn b32_a_room_whose_guest_has_not_left_is_not_given() {
        let bed = Bed::new().await;
        let leaving = bed.confirmed("STD", 1, 2).await;
        let coming = bed.confirmed("STD", 2, 4).await;
        let _: CommandAnswer = bed.assign(leaving, "101").await.ok();
        // For the future the room is free: the guest will have left by then.
        let _: CommandAnswer = bed.assign(coming, "101").await.ok();
        bed.check_in(leaving).await;
        bed.open(2).await;
        let facts = facts(
            &bed.act(coming, "check-in", json!({})).await,
            Code::RoomTaken,
        );
        assert_eq!(facts["blocker"]["reservation_id"], json!(leaving));
        let _: CommandAnswer = bed.act(leaving, "check-out", json!({})).await.ok();
        bed.act(coming, "check-in", json!({}))
            .await
            .refused(Code::RoomNotReady);
        bed.room_status("101", "clean").await;
        bed.check_in(coming).await;
        bed.clean().await;
    }

    #[tokio::test]
    async fn b124_today_only_a_clean_room_and_for_the_future_any() {
        let bed = Bed::new().await;
        let now = bed.confirmed("STD", 1, 3).await;
        let later = bed.confirmed("STD", 5, 8).await;
        bed.room_status("101", "dirty").await;
        let _: CommandAnswer = bed.assign(later, "101").await.ok();
        let body = json!({"room_id": bed.room("101")});
        let facts = facts(&bed.act(now, "check-in", body).await, Code::RoomNotReady);
        assert_eq!(facts["status"], "dirty");
        assert!(
            bed.rooms(now).await.is_empty(),
            "a refusal leaves nothing behind"
        );
        let body = json!({"room_id": bed.room("101"), "room_not_ready_accepted": true});
        let _: CommandAnswer = bed.act(now, "check-in", body).await.ok();
        let other = bed.confirmed("STD", 1, 3).await;
        bed.room_status("102", "inspected").await;
        let body = json!({"room_id": bed.room("102")});
        let _: CommandAnswer = bed.act(other, "check-in", body).await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn day_use_has_the_room_to_itself_until_it_leaves() {
        let bed = Bed::new().await;
        let day = bed.confirmed("STD", 1, 1).await;
        let night = bed.confirmed("STD", 1, 3).await;
        let body = json!({"room_id": bed.room("101")});
        let _: CommandAnswer = bed.act(day, "check-in", body.clone()).await.ok();
        assert_eq!(
            bed.reserved("STD", 1..2).await,
            [1],
            "day use takes no night"
        );
        bed.act(night, "check-in", body.clone())
            .await
            .refused(Code::RoomTaken);
        bed.clean().await;
        let _: CommandAnswer = bed.act(day, "check-out", json!({})).await.ok();
        assert!(bed.rooms(day).await.is_empty());
        bed.room_status("101", "clean").await;
        let _: CommandAnswer = bed.act(night, "check-in", body).await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn n6_two_servers_check_in_at_once_and_one_does() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        for _ in 0..5 {
            let stay = bed.over("STD", 1, 3).await;
            let path = format!("/reservations/{stay}/check-in");
            let there = bed.boss.at(&other);
            let (here, there) = tokio::join!(
                bed.boss.send("POST", &path, json!({})),
                there.send("POST", &path, json!({})),
            );
            let lost = if here.status == 200 { &there } else { &here };
            assert!(here.status == 200 || there.status == 200);
            assert_eq!(facts(lost, Code::WrongState)["state"], "checked_in");
        }
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        bed.invalid(
            "POST",
            &format!("/reservations/{stay}/check-in"),
            &[
                (json!({"room_id": Uuid::now_v7()}), "/room_id"),
                (
                    json!({"room_not_ready_accepted": "yes"}),
                    "/room_not_ready_accepted",
                ),
            ],
        )
        .await;
        let body = json!({"room_id": bed.room("201")});
        bed.act(stay, "check-in", body)
            .await
            .refused(Code::WrongType);
        bed.act(ReservationId(Uuid::now_v7()), "check-in", json!({}))
            .await
            .refused(Code::NotFound);
    }
}
