//! Keeping the tables in order.

use crate::app::AppState;
use crate::db;
use crate::error::ApiError;

/// The log's partitions, months ahead.
pub(super) async fn partitions(app: AppState) -> Result<(), ApiError> {
    let mut conn = app.db.reads.acquire().await?;
    db::migrate::partitions(&mut conn).await?;
    Ok(())
}

/// Keys older than any desk may be offline (N5: at least 35 days).
pub(super) async fn old_keys(app: AppState) -> Result<(), ApiError> {
    let gone = db::command::forget_old_keys(&app.db.reads).await?;
    if gone > 0 {
        tracing::info!(gone, "idempotency_key.forgotten");
    }
    Ok(())
}

/// How far each desk has read: noted in memory by every poll, written down together.
pub(super) async fn devices_seen(app: AppState) -> Result<(), ApiError> {
    let seen = app.seen.take();
    if seen.is_empty() {
        return Ok(());
    }
    db::sessions::devices_seen(&app.db.reads, &seen).await
}

/// What the planner believes of tables that have grown much since anybody looked.
pub(super) async fn statistics(app: AppState) -> Result<(), ApiError> {
    if db::statistics::analyze_grown(&app.db.reads).await? {
        tracing::info!("statistics.refreshed");
    }
    Ok(())
}
