//! `GET /v1/me`.

use axum::Json;
use axum::extract::State;
use protocol::request::Me;

use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;

/// Whose token this is, and which hotel it opens.
#[utoipa::path(
    get,
    path = "/v1/me",
    tag = "staff",
    operation_id = "me",
    responses((status = 200, body = Me)),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<Me>, ApiError> {
    Ok(Json(db::sessions::me(&app.db.reads, &caller).await?))
}
