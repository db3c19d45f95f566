//! `PATCH /reservations/{id}`: what may change without touching a night.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{GuestId, ReservationId};
use protocol::request::{ADULTS_MAX, CHILDREN_MAX, CommandAnswer, DetailsRequest};
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
        if !wrong.fields.is_empty() {
            return Err(wrong.into());
        }
        row.guarantee = body.guarantee.unwrap_or(row.guarantee);
        row.expected_time = body.expected_time.or(row.expected_time);
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
