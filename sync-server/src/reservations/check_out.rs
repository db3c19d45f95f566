//! `POST /reservations/{id}/check-out`: the guest leaves.
//!
//! Nights not slept are given back at once and are no longer charged; those that were slept never are
//! given back (B41). Whoever leaves on the day of arrival has stayed for day use: all nights are given
//! back, the stay has no night, and the flag says so. The room is dirty and free from this moment
//! (B121, B40).

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::money::MINOR_MAX;
use protocol::request::{CheckOutRequest, CommandAnswer, Sharers};
use protocol::row::ReservationRow;
use protocol::state::{ReservationState, RoomStatus};

use super::{share, written};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{inventory, reservations, rooms};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The guest leaves.
#[derive(Debug)]
pub(crate) struct CheckOut {
    /// Who.
    pub(crate) reservation: ReservationId,
    /// Whether it is known that this is early.
    pub(crate) body: CheckOutRequest,
}

impl Decision for CheckOut {
    const VERB: &'static str = "check_out";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::CheckedIn])?;
        if today < row.check_out && !self.body.early {
            return Err(Problem::new(Code::NotDue)
                .facts(serde_json::json!({
                    "reservation_id": row.id,
                    "check_out": row.check_out,
                }))
                .into());
        }
        self.fee(&row, today)?;
        let sharers = match self.body.sharers {
            Some(Sharers::Leave) => share::leave(work, &row).await?,
            _ => share::hand_over(work, &row, today).await?,
        };
        inventory::release(work, &[row.id], Some(today)).await?;
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        // The room that the guest leaves. One left earlier may have been cleaned since.
        let left = uses.iter().rev().find(|used| {
            used.from <= today
                && (used.until > today || used.until == today && row.check_out == today)
        });
        for used in &uses {
            rooms::end_use(work, used, today).await?;
        }
        let mut left_room = None;
        if let Some(left) = left {
            let before = rooms::room(work.conn(), hotel, left.room_id).await?;
            left_room = before.map(|room| (room.id, room.status));
            // Whoever shares it is still in it.
            if !sharers.in_house {
                rooms::set_status(work, left.room_id, RoomStatus::Dirty).await?;
            }
        }
        let step = reservations::Move::CheckOut {
            check_out: row.check_out.min(today),
            left_room,
            early_departure_fee: self.body.early_departure_fee,
        };
        reservations::change_state(work, row.id, step).await?;
        sharers.written(work).await?;
        written(work, row.id).await
    }
}

impl CheckOut {
    fn fee(&self, row: &ReservationRow, today: NaiveDate) -> Result<(), ApiError> {
        let wrong = match self.body.early_departure_fee {
            None => return Ok(()),
            Some(_) if today >= row.check_out => "only when a guest leaves earlier".to_owned(),
            Some(fee) if !(0..=MINOR_MAX).contains(&fee) => {
                format!("must be 0 to {MINOR_MAX} minor units")
            }
            Some(_) => return Ok(()),
        };
        Err(Problem::new(Code::Invalid)
            .field("/early_departure_fee", wrong)
            .into())
    }
}

/// The guest leaves. Before the day of departure `early` is needed: the nights from tonight on are given back and
/// not charged. Leaving on the day of arrival makes the stay day use.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/check-out",
    tag = "reservations",
    operation_id = "check_out",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = CheckOutRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, not_due with the agreed `check_out`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<CheckOutRequest>,
) -> Result<Answer, ApiError> {
    let decision = CheckOut {
        reservation,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reservations::testbed::{Bed, facts, june};

    #[tokio::test]
    async fn b41_leaving_early_gives_the_nights_back_at_once_and_charges_the_booked_ones() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 5).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        bed.check_in(stay).await;
        bed.open(3).await;
        let facts = facts(&bed.act(stay, "check-out", json!({})).await, Code::NotDue);
        assert_eq!(facts["check_out"], "2027-06-05");
        let done: CommandAnswer = bed
            .act(stay, "check-out", json!({"early": true}))
            .await
            .ok();
        assert_eq!(done.reservations[0].state, ReservationState::CheckedOut);
        assert_eq!(bed.reserved("STD", 1..5).await, [1, 1, 0, 0]);
        assert_eq!(bed.reserved("HOUSE", 1..5).await, [1, 1, 0, 0]);
        let row = bed.row(stay).await;
        assert_eq!((row.check_in, row.check_out), (june(1), june(3)));
        let charged: i64 = row
            .nights
            .iter()
            .filter(|night| night.counted)
            .map(|night| night.price)
            .sum();
        assert_eq!(charged, 20_000, "two nights at the price of the booking");
        // Tonight is for sale again, in the same room.
        bed.room_status("101", "clean").await;
        let next = bed.confirmed("STD", 3, 5).await;
        let _: CommandAnswer = bed.assign(next, "101").await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn b121_the_room_is_free_and_dirty_after_any_check_out() {
        let bed = Bed::new().await;
        let due = bed.confirmed("STD", 1, 2).await;
        let early = bed.confirmed("STD", 1, 9).await;
        let _: CommandAnswer = bed.assign(due, "101").await.ok();
        let _: CommandAnswer = bed.assign(early, "102").await.ok();
        bed.check_in(due).await;
        bed.check_in(early).await;
        bed.open(2).await;
        let _: CommandAnswer = bed.act(due, "check-out", json!({})).await.ok();
        let _: CommandAnswer = bed
            .act(early, "check-out", json!({"early": true}))
            .await
            .ok();
        for number in ["101", "102"] {
            assert_eq!(bed.status(number).await, "dirty");
            let next = bed.confirmed("STD", 2, 4).await;
            let _: CommandAnswer = bed.assign(next, number).await.ok();
        }
        assert_eq!(bed.rooms(early).await, ["102 06-01 06-02"]);
        bed.clean().await;
    }

    #[tokio::test]
    async fn b40_a_room_that_was_used_or_is_in_use_is_sold_for_later() {
        let bed = Bed::new().await;
        let here = bed.confirmed("STD", 1, 3).await;
        let _: CommandAnswer = bed.assign(here, "101").await.ok();
        bed.check_in(here).await;
        let later = bed.confirmed("STD", 3, 6).await;
        let _: CommandAnswer = bed.assign(later, "101").await.ok();
        bed.open(3).await;
        let _: CommandAnswer = bed.act(here, "check-out", json!({})).await.ok();
        let much_later = bed.confirmed("STD", 6, 8).await;
        let _: CommandAnswer = bed.assign(much_later, "101").await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn leaving_on_the_day_of_arrival_is_day_use() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        bed.check_in(stay).await;
        bed.act(stay, "check-out", json!({}))
            .await
            .refused(Code::NotDue);
        let _: CommandAnswer = bed
            .act(stay, "check-out", json!({"early": true}))
            .await
            .ok();
        let row = bed.row(stay).await;
        assert!(row.day_use && row.check_in == row.check_out);
        assert!(row.nights.iter().all(|night| !night.counted));
        assert_eq!(bed.reserved("HOUSE", 1..3).await, [0, 0]);
        assert_eq!(bed.status("101").await, "dirty");
        assert!(bed.rooms(stay).await.is_empty());
        bed.clean().await;
    }

    #[tokio::test]
    async fn b08_every_end_state_gives_its_nights_back() {
        let bed = Bed::new().await;
        for round in 0..3 {
            // The last two rooms; without the release the second round would find no room.
            let gone = bed.confirmed("SUP", 1, 4).await;
            let never_came = bed.confirmed("SUP", 1, 4).await;
            bed.check_in(gone).await;
            let body = json!({"early": true});
            let _: CommandAnswer = bed.act(gone, "check-out", body).await.ok();
            let _: CommandAnswer = bed.act(never_came, "no-show", json!({})).await.ok();
            assert_eq!(bed.reserved("SUP", 1..4).await, [0, 0, 0], "round {round}");
            assert_eq!(
                bed.reserved("HOUSE", 1..4).await,
                [0, 0, 0],
                "round {round}"
            );
        }
        bed.clean().await;
    }

    #[tokio::test]
    async fn n6_two_servers_check_out_at_once_and_one_does() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        for _ in 0..5 {
            let stay = bed.over("STD", 1, 3).await;
            bed.check_in(stay).await;
            let path = format!("/reservations/{stay}/check-out");
            let there = bed.boss.at(&other);
            let (here, there) = tokio::join!(
                bed.boss.send("POST", &path, json!({"early": true})),
                there.send("POST", &path, json!({"early": true})),
            );
            let lost = if here.status == 200 { &there } else { &here };
            assert!(here.status == 200 || there.status == 200);
            assert_eq!(facts(lost, Code::WrongState)["state"], "checked_out");
        }
        assert_eq!(bed.reserved("STD", 1..3).await, [0, 0], "given back once");
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        bed.act(stay, "check-out", json!({"early": true}))
            .await
            .refused(Code::WrongState);
        bed.check_in(stay).await;
        bed.invalid(
            "POST",
            &format!("/reservations/{stay}/check-out"),
            &[(json!({"early": 1}), "/early")],
        )
        .await;
    }
}
