//! `POST /v1/sign-out`.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use super::session::bearer;
use crate::app::AppState;
use crate::db;
use crate::error::ApiError;

/// Ends the session of this token, at once.
#[utoipa::path(
    post,
    path = "/v1/sign-out",
    tag = "staff",
    operation_id = "sign_out",
    responses((status = 204, description = "Signed out")),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    if let Some(token) = bearer(&headers) {
        db::sessions::revoke(&app.db.reads, token.hotel, &token.hash()).await?;
        app.sessions.forget_all();
    }
    Ok(StatusCode::NO_CONTENT)
}
