//! `POST /reservations/{id}/no-show`: the guest did not come.

use axum::extract::State;
use chrono::Days;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, NoShowRequest};
use protocol::state::ReservationState;

use super::written;
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{images, inventory, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

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
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::Confirmed])?;
        if row.check_in > today {
            return Err(Problem::new(Code::NotDue)
                .facts(serde_json::json!({
                    "reservation_id": row.id,
                    "check_in": row.check_in,
                }))
                .into());
        }
        // A night of arrival that is kept is the only one that stays counted.
        let from = match self.body.keep_first_night {
            true => row.check_in.checked_add_days(Days::new(1)),
            false => None,
        };
        inventory::release(work, &[row.id], from).await?;
        images::remove_room_uses(work, &[row.id]).await?;
        reservations::change_state(work, row.id, reservations::Move::NoShow).await?;
        written(work, row.id).await
    }
}

/// The guest did not come. The nights are given back, the night of arrival only where it is not kept.
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
