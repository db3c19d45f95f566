//! `POST /holds`: counts the nights of a booking while its form is open.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::request::{HoldAnswer, HoldRequest};
use protocol::role::Role;

use super::hold_form::{self, check};
use super::hold_group::ReadyHold;
use crate::app::AppState;
use crate::db::bookings;
use crate::db::command::{Answer, Caller, Key};
use crate::error::ApiError;
use crate::web::CommandRequest;

/// Decides a hold, together with others of the same hotel that wait at this moment.
pub(crate) async fn hold(
    app: &AppState,
    caller: Caller,
    key: Option<Key>,
    request: HoldRequest,
) -> Result<Answer, ApiError> {
    let request = check(request)?;
    let manager = matches!(caller.role, Role::Manager | Role::Admin);
    if !manager && request.rooms.iter().any(hold_form::free) {
        return Err(Problem::new(Code::Forbidden)
            .detail("to give a room for nothing is a manager's right")
            .into());
    }
    only_own_guests(app, &caller, &request).await?;
    let ready = ReadyHold::new(caller, key, request).map_err(anyhow::Error::from)?;
    app.holds.decide(&app.db, ready).await
}

/// A channel names no guest of others; the hotel's own people cost this nothing.
async fn only_own_guests(
    app: &AppState,
    caller: &Caller,
    request: &HoldRequest,
) -> Result<(), ApiError> {
    let named: Vec<_> = request
        .rooms
        .iter()
        .filter_map(|room| room.guest_id)
        .collect();
    if caller.only_of().is_none() || named.is_empty() {
        return Ok(());
    }
    let mut conn = app.db.reads.acquire().await?;
    let unknown = bookings::unknown_guests(&mut conn, caller, &named).await?;
    let mut problem = Problem::new(Code::Invalid);
    for (place, room) in request.rooms.iter().enumerate() {
        if room.guest_id.is_some_and(|guest| unknown.contains(&guest)) {
            problem = problem.field(
                format!("/rooms/{place}/guest_id"),
                "is not known in this hotel",
            );
        }
    }
    if problem.fields.is_empty() {
        Ok(())
    } else {
        Err(problem.into())
    }
}

/// Holds a booking of 1 to 50 rooms, all nights of all rooms or none.
///
/// The nights are counted until `expires_at`; confirm the booking before, or renew the hold. Losing
/// the last room to somebody else is an answer, `sold_out` with the nights, and final for this key.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/holds",
    tag = "reservations",
    operation_id = "hold",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = HoldRequest,
    responses(
        (status = 201, body = HoldAnswer),
        (status = 409, description = "sold_out, not_open (nights name them; `facts.sold_out` those that are full besides), no_rate, restricted (`facts.rules`), already_exists", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid, key_reused", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "busy: not decided, nothing happened, try again", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    request: CommandRequest<HoldRequest>,
) -> Result<Answer, ApiError> {
    hold(&app, request.caller, Some(request.key), request.body).await
}
