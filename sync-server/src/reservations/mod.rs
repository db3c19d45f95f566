//! Reservations: one room for one stay, and the moves between their states.

pub(crate) mod hold;
mod hold_form;
pub(crate) mod hold_group;
pub(crate) mod hold_queue;
#[cfg(test)]
mod hold_tests;
#[cfg(test)]
pub(crate) mod test_support;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(hold::handler))
}
