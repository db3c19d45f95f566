//! Colleagues: who may come in, and what they may do.

pub(crate) mod access;
pub mod password;
pub(crate) mod session;
pub(crate) mod token;

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
}
