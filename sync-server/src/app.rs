//! The application: what handlers share, and how they are put together.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Html;
use axum::routing::get;
use protocol::code::Code;
use protocol::request::BODY_BYTES_MAX;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use uuid::Uuid;

use crate::db::Db;
use crate::document;
use crate::error::ApiError;
use crate::events::seen::SeenDevices;
use crate::events::waiting::Waiting;
use crate::observe::{Limits, Metrics, limit, observe, panicked};
use crate::reservations::hold_queue::HoldQueue;
use crate::staff::session::{Sessions, authorise};
use crate::staff::throttle::Throttle;
use crate::stop::Stop;
use crate::{audit, catalog, events, guests, health, inventory, reservations, rooms, staff};

/// How many passwords are hashed at a time: each takes 19 MiB and a core.
const HASHING_MAX: usize = 2;
/// Argon2id with the same parameters as real ones, of a password that nobody knows.
const NO_PASSWORD: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGtub3dzIHRoaXM$2yI0sLKYqAnBYH5pSSqbNzwsGCCgAAHPAMCQ3MHAJFM";

/// What every handler can reach. Every request clones it several times, so that it is one pointer.
#[derive(Clone, Debug)]
pub struct AppState(Arc<Shared>);

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// What all handlers of a process share.
#[derive(Debug)]
pub struct Shared {
    pub(crate) db: Db,
    pub(crate) sessions: Sessions,
    pub(crate) holds: HoldQueue,
    pub(crate) throttle: Throttle,
    /// How many passwords are hashed at a time.
    pub(crate) hashing: Arc<Semaphore>,
    /// A hash that no password matches, for names that nobody has.
    pub(crate) no_password: &'static str,
    pub(crate) seen: SeenDevices,
    /// Who has long polls open.
    pub(crate) waiting: Waiting,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) stop: Stop,
    /// This process, among the servers of one database.
    pub(crate) server: Uuid,
}

impl AppState {
    /// The state over one database, without metrics.
    pub fn new(db: Db) -> Self {
        Self::with_metrics(db, Metrics::default())
    }

    /// The state over one database.
    pub fn with_metrics(db: Db, metrics: Metrics) -> Self {
        Self(Arc::new(Shared {
            db,
            sessions: Sessions::default(),
            holds: HoldQueue::default(),
            throttle: Throttle::default(),
            hashing: Arc::new(Semaphore::new(HASHING_MAX)),
            no_password: NO_PASSWORD,
            seen: SeenDevices::default(),
            waiting: Waiting::default(),
            limits: Limits::default(),
            metrics,
            stop: Stop::default(),
            server: Uuid::new_v4(),
        }))
    }
}

/// Every route with its documentation. Each noun brings its own by a function `routes`.
fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(document::start())
        .merge(staff::routes())
        .merge(catalog::routes())
        .merge(guests::routes())
        .merge(events::routes())
        .merge(inventory::routes())
        .merge(reservations::routes())
        .merge(rooms::routes())
        .merge(audit::routes())
        .merge(health::routes())
}

/// The document of the API.
pub fn openapi() -> utoipa::openapi::OpenApi {
    document::finish(routes().into_openapi())
}

/// The whole application.
pub fn router(app: AppState) -> Router {
    let (router, document) = routes().split_for_parts();
    let document: Bytes = serde_json::to_vec(&document::finish(document))
        .unwrap_or_default()
        .into();
    let json = [(header::CONTENT_TYPE, "application/json")];
    router
        .route_layer(from_fn_with_state(app.clone(), authorise))
        .route(
            "/openapi.json",
            get(move || async move { (json, document) }),
        )
        .route("/docs", get(|| async { Html(document::PAGE) }))
        .method_not_allowed_fallback(|| async { ApiError::refused(Code::MethodNotAllowed) })
        .fallback(|| async { ApiError::refused(Code::NotFound) })
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), limit))
        .layer(from_fn(observe))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_has_costs_as_much_as_any_other() {
        // Version, memory, passes: what the time depends on.
        let cost = |hash: &str| {
            hash.split('$')
                .take(4)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let real = crate::staff::password::hash("correct horse").unwrap();
        assert_eq!(cost(NO_PASSWORD), cost(&real));
        assert!(argon2::password_hash::phc::PasswordHash::new(NO_PASSWORD).is_ok());
        assert!(!crate::staff::password::matches("", NO_PASSWORD));
    }
}
