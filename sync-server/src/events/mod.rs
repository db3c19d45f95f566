//! The log and what is read from it: pull, snapshot, and who is woken when it grows.

pub(crate) mod notify;
mod pull;
pub(crate) mod seen;
mod snapshot;
pub(crate) mod waiting;
pub mod wake;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(pull::handler))
        .routes(routes!(snapshot::handler))
}

#[cfg(test)]
mod tests;
