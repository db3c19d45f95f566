//! `PUT /policies`: what a hotel does by itself.

use axum::extract::State;
use protocol::code::Problem;
use protocol::request::{CommandAnswer, PoliciesRequest};

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{audit, releases};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::CommandRequest;

/// What the hotel does by itself from now on.
#[derive(Debug)]
pub(crate) struct Policies {
    body: PoliciesRequest,
}

impl Decision for Policies {
    const VERB: &'static str = "policies";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let body = &self.body;
        releases::set_policies(
            work,
            body.auto_release,
            body.no_show_nights,
            body.release_time,
        )
        .await?;
        audit::hotel_changed(work).await?;
        Ok(answer(work, &[]))
    }
}

/// Sets what the hotel does by itself: release at its hour, and the later nights of a no-show.
#[utoipa::path(
    put,
    path = "/v1/hotels/{hotel}/policies",
    tag = "catalogue",
    operation_id = "put_policies",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = PoliciesRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    request: CommandRequest<PoliciesRequest>,
) -> Result<Answer, ApiError> {
    let decision = Policies { body: request.body };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
