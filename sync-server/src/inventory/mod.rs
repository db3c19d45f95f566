//! Nights: what is sold of them, how many may be, and what is for sale.

mod availability;
mod for_sale;
pub(crate) mod overbooking;
mod quote;
#[cfg(test)]
mod tests;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(availability::handler))
        .routes(routes!(quote::handler))
        .routes(routes!(overbooking::handler))
}
