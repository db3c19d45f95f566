//! What is seen of a request from outside: its id, one log line, the metrics; and the limits that
//! every request is under.
//!
//! Neither log nor metrics hold a body, a query, a token or a name: the route's pattern, ids, numbers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use protocol::code::Code;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::app::AppState;
use crate::db::command::Caller;
use crate::error::ApiError;

/// The header in which a request's id comes and goes.
const REQUEST_ID: &str = "x-request-id";
/// Requests that are worked on at a time; more are told to come back.
const AT_A_TIME_MAX: usize = 1_024;
/// Sign-ins at a time: strangers have places of their own, so that those who fill them slowly take none
/// from those who work.
const STRANGERS_MAX: usize = 256;
/// Long polls open at a time: they wait and cost next to nothing.
const POLLS_MAX: usize = 10_000;
/// How long any request may take, long polls apart.
const WITHIN: Duration = Duration::from_secs(40);
/// How long a sign-in may take, its body's arrival among it.
const SIGN_IN_WITHIN: Duration = Duration::from_secs(15);

/// How many requests there are.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    work: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    polls: Arc<Semaphore>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            work: Arc::new(Semaphore::new(AT_A_TIME_MAX)),
            strangers: Arc::new(Semaphore::new(STRANGERS_MAX)),
            polls: Arc::new(Semaphore::new(POLLS_MAX)),
        }
    }
}

/// The metrics of this process.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Option<PrometheusHandle>);

impl Metrics {
    /// Begins to count. Once per process; tests go without.
    pub fn install() -> anyhow::Result<Self> {
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(
                Matcher::Suffix("_seconds".to_owned()),
                &[
                    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 30.0,
                ],
            )?
            .install_recorder()?;
        metrics::describe_counter!("nightdesk_requests_total", "Requests by route and status");
        metrics::describe_histogram!("nightdesk_request_seconds", "Time to answer by route");
        metrics::describe_counter!(
            "nightdesk_refusals_total",
            "Refusals by code, sold_out among them"
        );
        metrics::describe_histogram!(
            "nightdesk_hold_group_size",
            "Holds that were decided together"
        );
        metrics::describe_gauge!("nightdesk_pool_connections", "Open connections by pool");
        metrics::describe_gauge!("nightdesk_pool_idle", "Idle connections by pool");
        metrics::describe_gauge!(
            "nightdesk_log_lag_events",
            "Events that the slowest desk seen in the last hour is behind"
        );
        metrics::describe_gauge!(
            "nightdesk_transaction_age_seconds",
            "Age of the oldest open transaction in the database"
        );
        Ok(Self(Some(handle)))
    }

    /// In the text form that Prometheus reads.
    pub(crate) fn render(&self) -> String {
        self.0
            .as_ref()
            .map(PrometheusHandle::render)
            .unwrap_or_default()
    }
}

/// Outermost: gives the request an id, and writes down what became of it.
pub(crate) async fn observe(mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| {
            (8..=64).contains(&id.len())
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
        .map_or_else(|| Uuid::now_v7().to_string(), ToOwned::to_owned);
    let method = known(request.method());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!("request", id = %id);
    if let Ok(value) = HeaderValue::from_str(&id) {
        request.headers_mut().insert(REQUEST_ID, value);
    }
    let mut response = tracing::Instrument::instrument(next.run(request), span.clone()).await;
    let elapsed = began.elapsed();
    let status = response.status().as_u16();
    let caller = response.extensions_mut().remove::<Caller>();
    span.in_scope(|| {
        tracing::info!(
            method,
            route,
            status,
            elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
            hotel = caller
                .as_ref()
                .map(|caller| tracing::field::display(caller.hotel)),
            staff = caller
                .as_ref()
                .map(|caller| tracing::field::display(caller.staff)),
            "request.done"
        );
    });
    if let Some(code) = response.extensions_mut().remove::<Code>() {
        metrics::counter!(
            "nightdesk_refusals_total",
            &[("route", route.clone()), ("code", code.to_string())]
        )
        .increment(1);
    }
    let labels = [("method", method.to_owned()), ("route", route)];
    metrics::histogram!("nightdesk_request_seconds", &labels).record(elapsed);
    let [method, route] = labels;
    metrics::counter!(
        "nightdesk_requests_total",
        &[method, route, ("status", status.to_string())]
    )
    .increment(1);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// A label has few values, whatever strangers send.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// So many at a time, so long at most: the rest is told to come back (N4).
pub(crate) async fn limit(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("", MatchedPath::as_str);
    let (gate, within) = if route.ends_with("/events") {
        (&app.limits.polls, WITHIN)
    } else if route == "/v1/sign-in" {
        (&app.limits.strangers, SIGN_IN_WITHIN)
    } else {
        (&app.limits.work, WITHIN)
    };
    let Ok(_place) = gate.clone().try_acquire_owned() else {
        return ApiError::Busy.into_response();
    };
    match tokio::time::timeout(within, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::warn!("request.timed_out");
            ApiError::Busy.into_response()
        }
    }
}

/// What a caller gets when a handler panics: our bug. The panic itself is in the log.
pub(crate) fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    tracing::error!("request.panicked");
    ApiError::refused(Code::Internal).into_response()
}

#[cfg(test)]
mod tests {
    use std::io;

    use axum::body::{Body, Bytes};
    use futures::stream;
    use protocol::role::Role;

    use super::*;
    use crate::testing::TestApp;

    #[tokio::test]
    async fn slow_strangers_take_no_place_from_those_who_work() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
        let stranger = app.stranger(hotel.id);
        let mut crowd = tokio::task::JoinSet::new();
        for _ in 0..AT_A_TIME_MAX + STRANGERS_MAX {
            let stranger = stranger.clone();
            let never = stream::pending::<io::Result<Bytes>>();
            let never = Body::from_stream(never);
            crowd.spawn(async move { stranger.raw("POST", "/v1/sign-in", &[], never).await });
        }
        // As many as have no place anywhere are told so; the others wait for their own bodies.
        for _ in 0..STRANGERS_MAX {
            let answer = crowd.join_next().await.unwrap().unwrap();
            answer.refused(Code::Busy);
        }
        assert_eq!(ana.get("/rooms").await.status, 200);
        crowd.abort_all();
    }
}
