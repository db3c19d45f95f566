//! `PATCH /reservations/{id}`: what may change without touching a night.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{GuestId, ReservationId};
use protocol::request::{ADULTS_MAX, CHILDREN_MAX, CommandAnswer, DetailsRequest};
use protocol::state::ReservationState;
use protocol::text;

use super::written;
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::reservations;
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The most further guests in one room: as many people as fit.
const FURTHER_GUESTS_MAX: usize = ADULTS_MAX as usize + CHILDREN_MAX;

/// Changes what touches no night, and so is open in every state.
#[derive(Debug)]
pub(crate) struct Details {
    /// Whose.
    pub(crate) reservation: ReservationId,
    /// What.
    pub(crate) body: DetailsRequest,
}

impl Decision for Details {
    const VERB: &'static str = "details";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let mut row = reservations::need(work, self.reservation).await?;
        let body = &self.body;
        if row.version != body.version {
            return Err(Problem::new(Code::StaleVersion)
                .facts(serde_json::json!({
                    "reservation_id": row.id,
                    "version": row.version,
                }))
                .into());
        }
        let mut wrong = Problem::new(Code::Invalid);
        if let Some(adults) = body.adults {
            if !(1..=ADULTS_MAX).contains(&adults) {
                wrong = wrong.field("/adults", format!("must be 1 to {ADULTS_MAX}"));
            }
            row.adults = adults;
        }
        if let Some(children) = &body.children {
            if children.len() > CHILDREN_MAX {
                wrong = wrong.field("/children", format!("must be at most {CHILDREN_MAX}"));
            }
            for (place, age) in children.iter().enumerate() {
                if !(0..=17).contains(age) {
                    wrong = wrong.field(format!("/children/{place}"), "must be 0 to 17");
                }
            }
            row.children.clone_from(children);
        }
        if let Some(notes) = &body.notes {
            match text::clean(notes, text::NOTE_CHARS_MAX) {
                Ok(kept) => row.notes = kept,
                Err(fault) => wrong = wrong.field("/notes", fault.to_string()),
            }
        }
        let further = body.further_guest_ids.as_deref().unwrap_or_default();
        if further.len() > FURTHER_GUESTS_MAX {
            wrong = wrong.field(
                "/further_guest_ids",
                format!("must be at most {FURTHER_GUESTS_MAX}"),
            );
        }
        let named: Vec<GuestId> = body
            .guest_id
            .into_iter()
            .chain(further.iter().copied())
            .collect();
        let known = reservations::known_guests(work, &named).await?;
        if let Some(guest) = body.guest_id {
            if !known.contains(&guest) {
                wrong = wrong.field("/guest_id", "there is no such guest");
            }
            row.guest_id = Some(guest);
        }
        if body.further_guest_ids.is_some() {
            for (place, guest) in further.iter().enumerate() {
                if !known.contains(guest) {
                    wrong = wrong.field(
                        format!("/further_guest_ids/{place}"),
                        "there is no such guest",
                    );
                }
            }
            row.further_guest_ids = further.to_vec();
        }
        if body.expected_time_unknown && body.expected_time.is_some() {
            wrong = wrong.field(
                "/expected_time_unknown",
                "not together with an expected time",
            );
        }
        if !wrong.fields.is_empty() {
            return Err(wrong.into());
        }
        if let Some(lateness) = body.lateness {
            reservations::expect_state(&row, &[ReservationState::Confirmed])?;
            row.lateness = lateness;
        }
        row.guarantee = body.guarantee.unwrap_or(row.guarantee);
        row.expected_time = match body.expected_time_unknown {
            true => None,
            false => body.expected_time.or(row.expected_time),
        };
        row.do_not_move = body.do_not_move.unwrap_or(row.do_not_move);
        reservations::set_details(work, &row).await?;
        written(work, row.id).await
    }
}

/// Changes what touches no night: people, guests, guarantee, notes.
///
/// The version that was read must still be the present one.
#[utoipa::path(
    patch,
    path = "/v1/hotels/{hotel}/reservations/{id}",
    tag = "reservations",
    operation_id = "change_details",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = DetailsRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "stale_version, with the present `version`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<DetailsRequest>,
) -> Result<Answer, ApiError> {
    let decision = Details {
        reservation,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use protocol::state::Guarantee;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::{Bed, facts};

    async fn guest(bed: &Bed) -> Uuid {
        let id = Uuid::now_v7();
        let _: CommandAnswer = bed
            .boss
            .send("PUT", &format!("/guests/{id}"), json!({"name": "Zoë"}))
            .await
            .ok();
        id
    }

    #[tokio::test]
    async fn what_is_said_changes_and_the_rest_stays() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let path = format!("/reservations/{stay}");
        let (main, other) = (guest(&bed).await, guest(&bed).await);
        let done: CommandAnswer = bed
            .boss
            .send(
                "PATCH",
                &path,
                json!({
                    "version": 1, "adults": 1, "children": [3, 17], "guest_id": main,
                    "further_guest_ids": [other], "guarantee": "card", "notes": " quiet room ",
                    "expected_time": "21:30:00"
                }),
            )
            .await
            .ok();
        assert_eq!(done.reservations[0].version, 2);
        let _: CommandAnswer = bed
            .boss
            .send("PATCH", &path, json!({"version": 2, "adults": 3}))
            .await
            .ok();
        let row = bed.row(stay).await;
        assert_eq!(
            (row.adults, row.children.as_slice()),
            (3, [3, 17].as_slice())
        );
        assert_eq!(row.guest_id, Some(GuestId(main)));
        assert_eq!(row.further_guest_ids, [GuestId(other)]);
        assert_eq!((row.guarantee, row.release_at), (Guarantee::Card, None));
        assert_eq!(row.notes, "quiet room");
        assert_eq!(row.expected_time.unwrap().to_string(), "21:30:00");
        let _: CommandAnswer = bed
            .boss
            .send(
                "PATCH",
                &path,
                json!({"version": 3, "expected_time_unknown": true}),
            )
            .await
            .ok();
        assert_eq!(bed.row(stay).await.expected_time, None);
        bed.clean().await;
    }

    #[tokio::test]
    async fn without_a_guarantee_it_is_listed_for_release_at_the_hotel_s_hour() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 4, 6).await;
        let path = format!("/reservations/{stay}");
        for (version, guarantee) in [(1, "card"), (2, "none")] {
            let body = json!({"version": version, "guarantee": guarantee});
            let _: CommandAnswer = bed.boss.send("PATCH", &path, body).await.ok();
        }
        let at_that_hour: bool = sqlx::query_scalar(
            "SELECT r.release_at AT TIME ZONE h.time_zone = r.check_in + h.release_time
             FROM reservation r JOIN hotel h USING (hotel_id) WHERE r.reservation_id = $1",
        )
        .bind(stay.0)
        .fetch_one(&bed.app.db.reads)
        .await
        .unwrap();
        assert!(at_that_hour);
        bed.clean().await;
    }

    #[tokio::test]
    async fn b65_somebody_else_s_change_in_between_is_not_overwritten() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let path = format!("/reservations/{stay}");
        let (_, other) = bed.app.second_server();
        let there = bed.boss.at(&other);
        let (here, there) = tokio::join!(
            bed.boss
                .send("PATCH", &path, json!({"version": 1, "notes": "one"})),
            there.send("PATCH", &path, json!({"version": 1, "notes": "two"})),
        );
        let (won, lost) = if here.status == 200 {
            ("one", there)
        } else {
            ("two", here)
        };
        assert_eq!(facts(&lost, Code::StaleVersion)["version"], 2);
        assert_eq!(bed.row(stay).await.notes, won);
        bed.clean().await;
    }

    #[tokio::test]
    async fn n13_notes_stand_in_no_event_and_no_stored_answer() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let body = json!({"version": 1, "notes": "a secret wish"});
        let _: CommandAnswer = bed
            .boss
            .send("PATCH", &format!("/reservations/{stay}"), body)
            .await
            .ok();
        let found: i64 = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM event WHERE changes LIKE '%secret%')
                  + (SELECT count(*) FROM idempotency_key WHERE answer LIKE '%secret%')",
        )
        .fetch_one(&bed.app.db.reads)
        .await
        .unwrap();
        assert_eq!(found, 0);
        bed.clean().await;
    }

    #[tokio::test]
    async fn b94_bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        bed.invalid(
            "PATCH",
            &format!("/reservations/{stay}"),
            &[
                (json!({}), "/version"),
                (json!({"version": 1, "adults": 0}), "/adults"),
                (json!({"version": 1, "adults": 21}), "/adults"),
                (json!({"version": 1, "children": [1, 18]}), "/children/1"),
                (
                    json!({"version": 1, "children": [0,1,2,3,4,5,6,7,8,9,10]}),
                    "/children",
                ),
                (
                    json!({"version": 1, "guest_id": Uuid::now_v7()}),
                    "/guest_id",
                ),
                (
                    json!({"version": 1, "further_guest_ids": [Uuid::now_v7()]}),
                    "/further_guest_ids/0",
                ),
                (json!({"version": 1, "guarantee": "promise"}), "/guarantee"),
                (json!({"version": 1, "notes": "a".repeat(4_001)}), "/notes"),
                (json!({"version": 1, "notes": "a\u{0}b"}), "/notes"),
                (
                    json!({"version": 1, "notes": "4242 4242 4242 4242"}),
                    "/notes",
                ),
                (
                    json!({"version": 1, "expected_time": "25:00"}),
                    "/expected_time",
                ),
                (
                    json!({"version": 1, "expected_time": "21:30", "expected_time_unknown": true}),
                    "/expected_time_unknown",
                ),
                // Past what PostgreSQL calls a time, and a second that is none.
                (
                    json!({"version": 1, "expected_time": "23:59:60.999999"}),
                    "/expected_time",
                ),
                (
                    json!({"version": 1, "expected_time": "12:30:60"}),
                    "/expected_time",
                ),
            ],
        )
        .await;
        let nobody = format!("/reservations/{}", Uuid::now_v7());
        bed.boss
            .send("PATCH", &nobody, json!({"version": 1}))
            .await
            .refused(Code::NotFound);
    }
}
