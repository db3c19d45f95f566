//! The hotel as it is sold: types, rooms, rates, and how far ahead.

pub mod create;
mod policies;
mod put_rates;
mod put_room;
mod put_room_type;
mod read;
pub mod spec;
pub(crate) mod window;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(read::hotel))
        .routes(routes!(policies::handler))
        .routes(routes!(read::room_types))
        .routes(routes!(put_room_type::handler))
        .routes(routes!(read::rooms))
        .routes(routes!(put_room::handler))
        .routes(routes!(read::rates, put_rates::handler))
}

#[cfg(test)]
mod tests;
