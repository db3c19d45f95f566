//! The log and what is read from it: pull, snapshot, and who is woken when it grows.

pub mod wake;

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
}
