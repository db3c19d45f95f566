//! The application: what handlers share, and how they are put together.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router};
use protocol::code::Code;
use protocol::request::BODY_BYTES_MAX;
use utoipa_axum::router::OpenApiRouter;

use crate::db::Db;
use crate::error::ApiError;
use crate::reservations::hold_queue::HoldQueue;
use crate::staff::session::{Sessions, authorise};
use crate::{audit, catalog, events, guests, inventory, reservations, rooms, staff};

/// What every handler can reach. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    pub(crate) db: Db,
    pub(crate) sessions: Sessions,
    pub(crate) holds: HoldQueue,
}

impl AppState {
    /// The state over one database.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            sessions: Sessions::default(),
            holds: HoldQueue::default(),
        }
    }
}

/// Every route with its documentation. Each noun brings its own by a function `routes`.
fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(staff::routes())
        .merge(catalog::routes())
        .merge(guests::routes())
        .merge(events::routes())
        .merge(inventory::routes())
        .merge(reservations::routes())
        .merge(rooms::routes())
        .merge(audit::routes())
}

/// The document of the API.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

/// The whole application.
pub fn router(app: AppState) -> Router {
    let (router, document) = routes().split_for_parts();
    let document = Arc::new(document);
    router
        .route_layer(from_fn_with_state(app.clone(), authorise))
        .route(
            "/openapi.json",
            axum::routing::get(move || async move { Json((*document).clone()) }),
        )
        .method_not_allowed_fallback(|| async { ApiError::refused(Code::MethodNotAllowed) })
        .fallback(|| async { ApiError::refused(Code::NotFound) })
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(app)
}
