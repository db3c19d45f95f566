//! `POST /reservations/{id}/upgrade`: the nights ahead move from one type's count to another's,
//! guarded; the charged type stays, and so does the house.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, UpgradeRequest};
use protocol::state::ReservationState;

use super::{room, share, written};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::{self, CountedNight, Full};
use crate::db::{reservations, rooms};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// Why a guest is given another type.
const REASONS: [&str; 5] = ["courtesy", "oversold", "room_failed", "vip", "replay"];

/// Another type for the price of the one that was booked.
#[derive(Debug)]
pub(crate) struct Upgrade {
    /// Who.
    pub(crate) reservation: ReservationId,
    /// To what.
    pub(crate) body: UpgradeRequest,
}

impl Decision for Upgrade {
    const VERB: &'static str = "upgrade";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let to = self.body.room_type_id;
        if let Some(reason) = &self.body.reason
            && !REASONS.contains(&reason.as_str())
        {
            return Err(invalid(
                "/reason",
                &format!("one of {}", REASONS.join(", ")),
            ));
        }
        if to.is_house() || !rooms::type_is_sold(work.conn(), hotel, to).await? {
            return Err(invalid("/room_type_id", "there is no such room type"));
        }
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(
            &row,
            &[ReservationState::Confirmed, ReservationState::CheckedIn],
        )?;
        share::own_room(&row)?;
        let ahead: Vec<CountedNight> =
            inventory::counted_nights(work.conn(), hotel, &[row.id], Some(today))
                .await?
                .into_iter()
                .filter(|night| night.room_type != to)
                .collect();
        if ahead.is_empty() {
            return Err(invalid(
                "/room_type_id",
                "no night ahead is counted in another type",
            ));
        }
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        room::may_move(&row, &uses)?;
        inventory::move_to_type(work, &ahead, to, Full::Refuse).await?;
        reservations::raise_version(work, row.id).await?;
        room::take_away(work, &row, &uses).await?;
        work.because(self.body.reason.as_deref());
        written(work, row.id).await
    }
}

fn invalid(pointer: &str, detail: &str) -> ApiError {
    Problem::new(Code::Invalid).field(pointer, detail).into()
}

/// Moves the nights ahead to another type's count, guarded by that type's limit; the charged type stays.
/// A room of the old type is taken away.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/upgrade",
    tag = "reservations",
    operation_id = "upgrade",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = UpgradeRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, sold_out and not_open with the nights", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<UpgradeRequest>,
) -> Result<Answer, ApiError> {
    let decision = Upgrade {
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
    use crate::reservations::testbed::Bed;

    #[tokio::test]
    async fn n1_the_nights_move_under_the_new_type_s_limit_and_the_house_stays() {
        let bed = Bed::new().await;
        let body = json!({"room_type_id": bed.kind("SUP"), "reason": "oversold"});
        let stay = bed.confirmed("STD", 1, 4).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let _: CommandAnswer = bed.act(stay, "upgrade", body.clone()).await.ok();
        assert_eq!(bed.reserved("STD", 1..4).await, [0, 0, 0]);
        assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
        assert_eq!(bed.reserved("HOUSE", 1..4).await, [1, 1, 1]);
        let row = bed.row(stay).await;
        assert!(row.nights.iter().all(|night| {
            night.room_type_id == bed.kind("SUP") && night.charged_type_id == bed.kind("STD")
        }));
        assert!(bed.rooms(stay).await.is_empty(), "101 is no SUP");
        let _: CommandAnswer = bed.assign(stay, "201").await.ok();
        // One SUP is left on the first two nights, none on the third.
        bed.confirmed("SUP", 3, 4).await;
        let second = bed.confirmed("STD", 1, 4).await;
        let problem = bed
            .act(second, "upgrade", body)
            .await
            .refused(Code::SoldOut);
        assert_eq!(problem.nights.len(), 1);
        assert_eq!(problem.nights[0].room_type_id, bed.kind("SUP"));
        assert_eq!(problem.nights[0].stay_date.to_string(), "2027-06-03");
        assert_eq!(bed.reserved("STD", 1..4).await, [1, 1, 1], "all or none");
        bed.clean().await;
    }

    #[tokio::test]
    async fn n1_an_upgrade_out_of_a_type_above_its_limit_brings_it_down() {
        let bed = Bed::new().await;
        for _ in 0..3 {
            bed.confirmed("STD", 1, 2).await;
        }
        let fourth = bed.over("STD", 1, 2).await;
        let before = bed.night("STD", 1).await;
        assert_eq!((before.reserved, before.over_limit), (4, 1));
        let body = json!({"room_type_id": bed.kind("SUP")});
        let _: CommandAnswer = bed.act(fourth, "upgrade", body).await.ok();
        let after = bed.night("STD", 1).await;
        assert_eq!((after.reserved, after.over_limit), (3, 0));
        bed.clean().await;
    }

    #[tokio::test]
    async fn a_guest_in_house_moves_with_the_nights_ahead_only() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 4).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        bed.check_in(stay).await;
        bed.open(2).await;
        let body = json!({"room_type_id": bed.kind("SUP"), "reason": "room_failed"});
        let _: CommandAnswer = bed.act(stay, "upgrade", body).await.ok();
        assert_eq!(bed.reserved("STD", 1..4).await, [1, 0, 0]);
        assert_eq!(bed.reserved("SUP", 1..4).await, [0, 1, 1]);
        assert_eq!(bed.rooms(stay).await, ["101 06-01 06-02"]);
        assert_eq!(bed.status("101").await, "dirty");
        let _: CommandAnswer = bed.assign(stay, "202").await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn n6_two_upgrades_at_once_move_the_nights_once() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        let stay = bed.confirmed("STD", 1, 4).await;
        let path = format!("/reservations/{stay}/upgrade");
        let body = json!({"room_type_id": bed.kind("SUP")});
        let there = bed.boss.at(&other);
        let (here, there) = tokio::join!(
            bed.boss.send("POST", &path, body.clone()),
            there.send("POST", &path, body.clone()),
        );
        assert_ne!(here.status == 200, there.status == 200);
        assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        bed.invalid(
            "POST",
            &format!("/reservations/{stay}/upgrade"),
            &[
                (json!({}), "/room_type_id"),
                (json!({"room_type_id": Uuid::now_v7()}), "/room_type_id"),
                (json!({"room_type_id": Uuid::nil()}), "/room_type_id"),
                (json!({"room_type_id": bed.kind("STD")}), "/room_type_id"),
                (
                    json!({"room_type_id": bed.kind("SUP"), "reason": "for Mr Smith"}),
                    "/reason",
                ),
            ],
        )
        .await;
    }
}
