//! `DELETE /room-uses/{id}`: ends a period out of order or out of service.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::RoomUseId;
use protocol::nights::dates;
use protocol::request::CommandAnswer;
use protocol::state::RoomUseKind;

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{nights, rooms};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::{CommandRequest, Id};

/// A body that has nothing to say.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Empty {}

/// The room can be used again from tonight on; nights of the period that have passed stay on record.
#[derive(Debug)]
pub(crate) struct Unblock {
    /// Which period.
    pub(crate) room_use: RoomUseId,
}

impl Decision for Unblock {
    const VERB: &'static str = "unblock";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let period = rooms::room_use(work.conn(), hotel, self.room_use)
            .await?
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        // A stay ends by check-out or assignment; a period that is over has nothing left to end.
        if period.kind == RoomUseKind::Stay || period.until <= today {
            return Err(Problem::new(Code::WrongState)
                .facts(serde_json::json!({
                    "room_use_id": period.id,
                    "kind": period.kind,
                    "until": period.until,
                }))
                .into());
        }
        if period.kind == RoomUseKind::OutOfOrder {
            let room = rooms::room(work.conn(), hotel, period.room_id)
                .await?
                .ok_or_else(|| anyhow::anyhow!("a period without its room"))?;
            let back: Vec<_> = dates(period.from.max(today), period.until).collect();
            nights::out_of_order(work, room.room_type_id, &back, -1).await?;
        }
        rooms::end_use(work, &period, today).await?;
        Ok(answer(work, &[]))
    }
}

/// Ends a period out of order or out of service: the room counts again from tonight on.
#[utoipa::path(
    delete,
    path = "/v1/hotels/{hotel}/room-uses/{id}",
    tag = "rooms",
    operation_id = "end_room_block",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state: a stay, or a period that is over", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(room_use): Id<RoomUseId>,
    request: CommandRequest<Empty>,
) -> Result<Answer, ApiError> {
    let Empty {} = request.body;
    let decision = Unblock { room_use };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use protocol::request::BlockRequest;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::{Bed, facts, june};

    async fn block(bed: &Bed, number: &str, kind: RoomUseKind, from: u32, until: u32) -> RoomUseId {
        let id = RoomUseId(Uuid::now_v7());
        let body = BlockRequest {
            room_use_id: Some(id),
            kind,
            from: june(from),
            until: june(until),
            reason: "water".to_owned(),
        };
        let path = format!("/rooms/{}/block", bed.room(number));
        let _: CommandAnswer = bed.boss.send("POST", &path, json!(body)).await.ok();
        id
    }

    async fn end(bed: &Bed, id: RoomUseId) -> crate::testing::TestAnswer {
        bed.boss
            .send("DELETE", &format!("/room-uses/{id}"), json!({}))
            .await
    }

    #[tokio::test]
    async fn n2_out_of_order_leaves_the_count_and_comes_back() {
        let bed = Bed::new().await;
        let id = block(&bed, "201", RoomUseKind::OutOfOrder, 2, 5).await;
        for (kind, day, broken) in [("SUP", 1, 0), ("SUP", 2, 1), ("HOUSE", 4, 1), ("SUP", 5, 0)] {
            assert_eq!(
                bed.night(kind, day).await.out_of_order,
                broken,
                "{kind} {day}"
            );
        }
        bed.clean().await;
        // Two nights of it have passed: they stay on record, the rest is given back.
        bed.open(4).await;
        let _: CommandAnswer = end(&bed, id).await.ok();
        assert_eq!(bed.night("SUP", 3).await.out_of_order, 1);
        assert_eq!(bed.night("SUP", 4).await.out_of_order, 0);
        assert_eq!(bed.night("HOUSE", 4).await.out_of_order, 0);
        bed.clean().await;
        assert_eq!(
            facts(&end(&bed, id).await, Code::WrongState)["until"],
            "2027-06-04"
        );
    }

    #[tokio::test]
    async fn n1_what_is_sold_above_the_rest_is_washed_down() {
        let bed = Bed::new().await;
        let one = bed.confirmed("SUP", 2, 3).await;
        bed.confirmed("SUP", 2, 3).await;
        let id = block(&bed, "201", RoomUseKind::OutOfOrder, 1, 5).await;
        let night = bed.night("SUP", 2).await;
        assert_eq!((night.limit(), night.reserved, night.over_limit), (1, 2, 1));
        bed.clean().await;
        bed.open(2).await;
        let _: CommandAnswer = bed.act(one, "no-show", json!({})).await.ok();
        let night = bed.night("SUP", 2).await;
        assert_eq!(
            (night.reserved, night.over_limit),
            (1, 0),
            "each release shrinks it"
        );
        let _: CommandAnswer = end(&bed, id).await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn out_of_service_is_no_obstacle_and_no_count() {
        let bed = Bed::new().await;
        let id = block(&bed, "101", RoomUseKind::OutOfService, 1, 9).await;
        assert_eq!(bed.night("STD", 2).await.out_of_order, 0);
        let stay = bed.confirmed("STD", 1, 4).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let _: CommandAnswer = end(&bed, id).await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn n11_a_stay_stands_in_the_way_of_a_period_and_is_none() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 2, 4).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let path = format!("/rooms/{}/block", bed.room("101"));
        let body = json!({"kind": "out_of_order", "from": "2027-06-01", "until": "2027-06-03", "reason": "paint"});
        let blocked = facts(&bed.boss.send("POST", &path, body).await, Code::RoomTaken);
        assert_eq!(blocked["blocker"]["reservation_id"], json!(stay));
        let its_room = bed.view(stay).await.room_uses[0].id;
        assert_eq!(
            facts(&end(&bed, its_room).await, Code::WrongState)["kind"],
            "stay"
        );
        end(&bed, RoomUseId(Uuid::now_v7()))
            .await
            .refused(Code::NotFound);
        bed.clean().await;
    }

    #[tokio::test]
    async fn n6_two_end_one_period_and_one_does() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        let id = block(&bed, "101", RoomUseKind::OutOfOrder, 1, 5).await;
        let there = bed.boss.at(&other);
        let path = format!("/room-uses/{id}");
        let (here, there) = tokio::join!(end(&bed, id), there.send("DELETE", &path, json!({})));
        assert_ne!(here.status == 200, there.status == 200);
        assert_eq!(bed.night("STD", 1).await.out_of_order, 0);
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let good = json!({"kind": "out_of_order", "from": "2027-06-01", "until": "2027-06-03", "reason": "paint"});
        let with = |field: &str, value: serde_json::Value| {
            let mut body = good.clone();
            body[field] = value;
            body
        };
        let path = format!("/rooms/{}/block", bed.room("101"));
        bed.invalid(
            "POST",
            &path,
            &[
                (with("kind", json!("stay")), "/kind"),
                (with("from", json!("2027-05-31")), "/from"),
                (with("from", json!("2027-02-30")), "/from"),
                (with("until", json!("2027-06-01")), "/until"),
                (with("until", json!("9999-06-01")), "/until"),
                (with("from", json!("-262143-01-01")), "/from"),
                (with("until", json!("+262142-12-31")), "/until"),
                (with("reason", json!("")), "/reason"),
                (
                    with("reason", json!("The tap of Mr Smith drips")),
                    "/reason",
                ),
            ],
        )
        .await;
        let beyond = bed
            .boss
            .send("POST", &path, with("until", json!("2027-08-02")))
            .await
            .refused(Code::NotOpen);
        assert_eq!(beyond.nights.len(), 2, "the window ends on 2027-07-30");
        let id = block(&bed, "102", RoomUseKind::OutOfOrder, 1, 2).await;
        bed.boss
            .send("POST", &path, with("room_use_id", json!(id)))
            .await
            .refused(Code::AlreadyExists);
        bed.clean().await;
    }
}
