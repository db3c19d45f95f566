//! `GET /guests/{id}`.

use axum::Json;
use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::GuestId;
use protocol::row::GuestRow;

use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;
use crate::web::Id;

/// A guest's profile as it stands.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/guests/{id}",
    tag = "guests",
    operation_id = "get_guest",
    params(("hotel" = String, Path, format = Uuid), ("id" = String, Path, format = Uuid)),
    responses(
        (status = 200, body = GuestRow),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
    Id(guest): Id<GuestId>,
) -> Result<Json<GuestRow>, ApiError> {
    let rows = db::guests::rows(&app.db.reads, caller.hotel, &[guest.0]).await?;
    rows.into_iter()
        .next()
        .map(Json)
        .ok_or_else(|| ApiError::refused(Code::NotFound))
}
