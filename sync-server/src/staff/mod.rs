//! Colleagues: who may come in, and what they may do.

pub(crate) mod access;
pub mod add;
mod let_in;
mod me;
pub mod password;
pub(crate) mod session;
mod sign_in;
mod sign_out;
pub(crate) mod throttle;
pub(crate) mod token;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(sign_in::handler))
        .routes(routes!(sign_out::handler))
        .routes(routes!(me::handler))
        .routes(routes!(let_in::handler))
}
