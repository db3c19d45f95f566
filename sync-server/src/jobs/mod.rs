//! What runs on a timer. Every server runs every job: each is guarded in the database, so that two
//! servers doing the same do it once.

mod housekeeping;

use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::app::AppState;
use crate::error::ApiError;
use crate::{catalog, events, reservations};

/// Starts all of them. They end when the set is dropped.
pub(crate) fn start(app: &AppState) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    jobs.spawn(events::notify::tell_others(app.clone()));
    jobs.spawn(events::notify::listen(app.clone()));
    every(
        &mut jobs,
        app,
        "expire.holds",
        reservations::expire::SWEEP_EVERY,
        reservations::expire::job,
    );
    every(
        &mut jobs,
        app,
        "release.due",
        reservations::release::EVERY,
        reservations::release::job,
    );
    every(
        &mut jobs,
        app,
        "event.partitions",
        Duration::from_secs(6 * 3_600),
        housekeeping::partitions,
    );
    every(
        &mut jobs,
        app,
        "idempotency_key.cleanup",
        Duration::from_secs(3_600),
        housekeeping::old_keys,
    );
    every(
        &mut jobs,
        app,
        "device.seen",
        Duration::from_secs(10),
        housekeeping::devices_seen,
    );
    every(
        &mut jobs,
        app,
        "statistics.refresh",
        Duration::from_secs(5),
        housekeeping::statistics,
    );
    every(
        &mut jobs,
        app,
        "window.extend",
        Duration::from_secs(3_600),
        catalog::window::extend_all,
    );
    jobs
}

/// Runs a job now and then every so often. What it fails with is logged, and it runs again.
pub(crate) fn every<F, Fut>(
    jobs: &mut JoinSet<()>,
    app: &AppState,
    name: &'static str,
    period: Duration,
    job: F,
) where
    F: Fn(AppState) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), ApiError>> + Send + 'static,
{
    let app = app.clone();
    jobs.spawn(async move {
        let mut ticks = tokio::time::interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // A task of its own: a panic ends one run, not the job.
            match tokio::spawn(job(app.clone())).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(job = name, ?error, "job.failed"),
                Err(error) => tracing::error!(job = name, %error, "job.panicked"),
            }
        }
    });
}
