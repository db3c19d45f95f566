//! `POST /bookings/{id}/renew`: keeps a hold while its form is open.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::BookingId;
use protocol::request::{CommandAnswer, RenewRequest};

use super::hold_form::check_minutes;
use super::moves::{answer_with, live_holds};
use crate::app::AppState;
use crate::db::bookings;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::expect_rows;
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

#[derive(Debug)]
struct Renew {
    booking: BookingId,
    minutes: Option<i32>,
}

impl Decision for Renew {
    const VERB: &'static str = "renew";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, now) = (work.hotel(), work.now);
        let held = live_holds(work, self.booking).await?;
        let moved = bookings::renew(work.conn(), hotel, &held, self.minutes, now).await?;
        expect_rows(moved, held.len())?;
        answer_with(work, &held).await
    }
}

/// Keeps the holds of a booking a while longer, up to the hotel's longest time since they were made.
///
/// Only while they are held and have not run out, by the database's clock. The answer says when they
/// run out now; at the hotel's longest time that is no later than before.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/bookings/{id}/renew",
    tag = "reservations",
    operation_id = "renew_booking",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = RenewRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "hold_expired, wrong_state", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid, key_reused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(booking): Id<BookingId>,
    request: CommandRequest<RenewRequest>,
) -> Result<Answer, ApiError> {
    let minutes = request.body.minutes;
    let problem = check_minutes(Problem::new(Code::Invalid), minutes);
    if !problem.fields.is_empty() {
        return Err(problem.into());
    }
    let decision = Renew { booking, minutes };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
