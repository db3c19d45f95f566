//! Whether the server lives, whether it can work, and its numbers.

use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::db;
use crate::error::ApiError;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
}

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "operation", operation_id = "healthz", security(()), responses((status = 200, body = String)))]
async fn healthz() -> &'static str {
    "ok"
}

/// The database answers: send work here.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operation",
    operation_id = "readyz",
    security(()),
    responses(
        (status = 200, body = String),
        (status = 503, body = protocol::code::Problem, content_type = "application/problem+json"),
    ),
)]
async fn readyz(State(app): State<AppState>) -> Result<&'static str, ApiError> {
    let asked = tokio::time::timeout(Duration::from_secs(2), db::health::ping(&app.db.reads));
    match asked.await {
        Ok(Ok(())) => Ok("ready"),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(ApiError::Busy),
    }
}

/// Counters and times in the text form that Prometheus reads. No names, no ids of people.
#[utoipa::path(get, path = "/metrics", tag = "operation", operation_id = "metrics", security(()), responses((status = 200, body = String)))]
async fn metrics(State(app): State<AppState>) -> Response {
    for (name, pool) in [("booking", &app.db.booking), ("reads", &app.db.reads)] {
        metrics::gauge!("nightdesk_pool_connections", "pool" => name).set(pool.size());
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        metrics::gauge!("nightdesk_pool_idle", "pool" => name).set(idle);
    }
    // A database that does not answer must not take the other numbers away.
    let asked = tokio::time::timeout(Duration::from_secs(1), db::health::lag(&app.db.reads));
    if let Ok(Ok(lag)) = asked.await {
        // Counts this small are exact in a float.
        metrics::gauge!("nightdesk_log_lag_events").set(lag.events as f64);
        metrics::gauge!("nightdesk_transaction_age_seconds").set(lag.oldest_transaction_s as f64);
    }
    (
        StatusCode::OK,
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        app.metrics.render(),
    )
        .into_response()
}
