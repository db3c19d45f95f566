//! Guests' profiles: the only place where a person's name stands.

mod get;
pub(crate) mod put;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get::handler, put::handler))
}

#[cfg(test)]
mod tests;
