//! `POST /reservations/{id}/assign`: a room for the whole stay, from tonight on when the guest is in
//! house; or none.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{AssignRequest, CommandAnswer};
use protocol::state::ReservationState;

use super::{answer, room, share};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{reservations, rooms};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// Gives a room, or takes it away.
#[derive(Debug)]
pub(crate) struct Assign {
    /// Whose.
    pub(crate) reservation: ReservationId,
    /// Which.
    pub(crate) body: AssignRequest,
}

impl Decision for Assign {
    const VERB: &'static str = "assign";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(
            &row,
            &[ReservationState::Confirmed, ReservationState::CheckedIn],
        )?;
        share::own_room(&row)?;
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        let Some(ahead) = room::ahead(&row, today) else {
            // The last night is over: there is nothing left to give a room for.
            return Err(Problem::new(Code::WrongState)
                .facts(serde_json::json!({
                    "state": row.state,
                    "reservation_id": row.id,
                    "check_out": row.check_out,
                }))
                .into());
        };
        match self.body.room_id {
            None => {
                room::may_move(&row, &uses)?;
                room::take_away(work, &row, &uses).await?;
            }
            Some(id) => {
                let wanted = room::named(work, id).await?;
                // The same room once more is granted and changes nothing.
                if room::on(&uses, ahead.0).is_none_or(|used| used.room_id != id) {
                    room::give(work, &row, &uses, &wanted, ahead).await?;
                }
            }
        }
        Ok(answer(work, &[row]))
    }
}

/// Gives a room for the whole stay, from tonight on when the guest is in house; without `room_id` takes it away.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/assign",
    tag = "reservations",
    operation_id = "assign_room",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = AssignRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state (also a promised room, `do_not_move`), wrong_type, room_taken with its `blocker`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<AssignRequest>,
) -> Result<Answer, ApiError> {
    let decision = Assign {
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
    async fn b19_a_stay_that_ends_where_another_begins_takes_the_same_room() {
        let bed = Bed::new().await;
        let first = bed.confirmed("STD", 1, 5).await;
        let between = bed.confirmed("STD", 5, 6).await;
        let last = bed.confirmed("STD", 6, 10).await;
        for stay in [first, between, last] {
            let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        }
        assert_eq!(bed.rooms(between).await, ["101 06-05 06-06"]);
        let blocked = bed.confirmed("STD", 4, 6).await;
        let facts = facts(&bed.assign(blocked, "101").await, Code::RoomTaken);
        assert_eq!(facts["blocker"]["reservation_id"], json!(first));
        bed.clean().await;
    }

    #[tokio::test]
    async fn b37_a_period_out_of_order_blocks_its_nights_and_no_others() {
        let bed = Bed::new().await;
        let room = bed.room("101");
        let _: CommandAnswer = bed
            .boss
            .send(
                "POST",
                &format!("/rooms/{room}/block"),
                json!({"kind": "out_of_order", "from": "2027-06-03", "until": "2027-06-05", "reason": "paint"}),
            )
            .await
            .ok();
        let before = bed.confirmed("STD", 1, 3).await;
        let after = bed.confirmed("STD", 5, 9).await;
        let across = bed.confirmed("STD", 3, 5).await;
        let _: CommandAnswer = bed.assign(before, "101").await.ok();
        let _: CommandAnswer = bed.assign(after, "101").await.ok();
        let facts = facts(&bed.assign(across, "101").await, Code::RoomTaken);
        assert_eq!(facts["blocker"]["kind"], "out_of_order");
        assert!(facts["blocker"]["room_use_id"].is_string());
        bed.clean().await;
    }

    #[tokio::test]
    async fn b34_a_long_stay_that_no_single_room_can_host_is_told_room_by_room() {
        let bed = Bed::new().await;
        // Two rooms are free every night, but never the same two.
        for (number, from, until) in [("101", 1, 4), ("102", 4, 7), ("103", 7, 10)] {
            let stay = bed.confirmed("STD", from, until).await;
            let _: CommandAnswer = bed.assign(stay, number).await.ok();
        }
        let long = bed.confirmed("STD", 1, 10).await;
        for number in ["101", "102", "103"] {
            let facts = facts(&bed.assign(long, number).await, Code::RoomTaken);
            assert!(facts["blocker"]["from"].is_string(), "{facts}");
        }
        assert!(bed.rooms(long).await.is_empty());
        // The guest is welcome all the same, and is given rooms one after another.
        bed.check_in(long).await;
        bed.clean().await;
    }

    #[tokio::test]
    async fn a_guest_in_house_moves_from_tonight_on() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 5).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        bed.check_in(stay).await;
        bed.open(3).await;
        let _: CommandAnswer = bed.assign(stay, "102").await.ok();
        assert_eq!(
            bed.rooms(stay).await,
            ["101 06-01 06-03", "102 06-03 06-05"]
        );
        assert_eq!(bed.status("101").await, "dirty");
        assert_eq!(bed.status("102").await, "clean");
        // The room that was left is free from tonight on.
        let other = bed.confirmed("STD", 3, 5).await;
        let _: CommandAnswer = bed.assign(other, "101").await.ok();
        let _: CommandAnswer = bed.act(stay, "assign", json!({})).await.ok();
        assert_eq!(bed.rooms(stay).await, ["101 06-01 06-03"]);
        bed.clean().await;
        bed.open(5).await;
        bed.assign(stay, "103").await.refused(Code::WrongState);
    }

    #[tokio::test]
    async fn an_assigned_room_is_changed_and_taken_away() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 2, 4).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let _: CommandAnswer = bed.assign(stay, "102").await.ok();
        assert_eq!(bed.rooms(stay).await, ["102 06-02 06-04"]);
        assert_eq!(bed.status("101").await, "clean", "nobody was in it");
        let _: CommandAnswer = bed.act(stay, "assign", json!({"room_id": null})).await.ok();
        assert!(bed.rooms(stay).await.is_empty());
        bed.clean().await;
    }

    #[tokio::test]
    async fn a_promised_room_stays_until_the_lock_is_taken_away() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 2, 4).await;
        let patch = format!("/reservations/{stay}");
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let _: CommandAnswer = bed
            .boss
            .send("PATCH", &patch, json!({"version": 1, "do_not_move": true}))
            .await
            .ok();
        let refused = facts(&bed.assign(stay, "102").await, Code::WrongState);
        assert_eq!(refused["do_not_move"], true);
        bed.act(stay, "assign", json!({}))
            .await
            .refused(Code::WrongState);
        let up = json!({ "room_type_id": bed.kind("SUP") });
        bed.act(stay, "upgrade", up).await.refused(Code::WrongState);
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let _: CommandAnswer = bed
            .boss
            .send("PATCH", &patch, json!({"version": 2, "do_not_move": false}))
            .await
            .ok();
        let _: CommandAnswer = bed.assign(stay, "102").await.ok();
        bed.clean().await;
    }

    #[tokio::test]
    async fn n11_twenty_clerks_give_one_room_and_one_does() {
        let bed = Bed::new().await;
        let mut stays = Vec::new();
        for _ in 0..20 {
            stays.push(bed.over("STD", 2, 5).await);
        }
        let (_, other) = bed.app.second_server();
        let body = json!({ "room_id": bed.room("101") });
        let answers = futures::future::join_all(stays.iter().enumerate().map(|(place, stay)| {
            let clerk = match place % 2 {
                0 => bed.boss.clone(),
                _ => bed.boss.at(&other),
            };
            let (path, body) = (format!("/reservations/{stay}/assign"), body.clone());
            async move { clerk.send("POST", &path, body).await }
        }))
        .await;
        let won: Vec<_> = answers
            .iter()
            .filter(|answer| answer.status == 200)
            .collect();
        assert_eq!(won.len(), 1);
        for lost in answers.iter().filter(|answer| answer.status != 200) {
            let facts = facts(lost, Code::RoomTaken);
            assert!(facts["blocker"]["reservation_id"].is_string());
        }
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        bed.invalid(
            "POST",
            &format!("/reservations/{stay}/assign"),
            &[
                (json!({"room_id": Uuid::now_v7()}), "/room_id"),
                (json!({"room_id": "101"}), "/room_id"),
                (json!({"room": bed.room("101")}), "/room"),
            ],
        )
        .await;
        bed.assign(ReservationId(Uuid::now_v7()), "101")
            .await
            .refused(Code::NotFound);
        let wrong = facts(&bed.assign(stay, "201").await, Code::WrongType);
        assert_eq!(wrong["counted_type_id"], json!(bed.kind("STD")));
    }
}
