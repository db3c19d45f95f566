//! The hotel as it is sold: types, rooms, rates.

pub mod create;
pub mod spec;

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
}
