//! The sweeper: gives back the nights of holds that have run out.
//!
//! A convenience, not a safeguard: a hold that has run out blocks no sale and cannot be confirmed,
//! whether or not it was swept (N7). It makes the screens tell the truth soon.

use std::time::Duration;

use crate::app::AppState;
use crate::db::{Db, holds};
use crate::error::ApiError;

/// How often a server looks. Two servers look twice as often; each hotel's head lets one through.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(30);
/// The most reservations given back in one transaction.
const BATCH: i32 = 500;

/// Releases what is due in every hotel, a transaction per hotel and batch. A hotel that fails does
/// not keep the others waiting. Answers how many batches were written.
pub(crate) async fn sweep(db: &Db) -> Result<usize, ApiError> {
    let mut batches = 0;
    for hotel in holds::hotels_with_due_holds(&db.reads).await? {
        loop {
            let mut conn = db.booking.acquire().await?;
            match holds::expire(&mut conn, hotel, BATCH).await {
                Ok(true) => {
                    drop(conn);
                    db.committed(hotel);
                    batches += 1;
                }
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%hotel, ?error, "expire.hotel_failed");
                    break;
                }
            }
        }
    }
    Ok(batches)
}

/// The sweep as a job.
pub(crate) async fn job(app: AppState) -> Result<(), ApiError> {
    let batches = sweep(&app.db).await?;
    if batches > 0 {
        tracing::info!(batches, "expire.swept");
    }
    Ok(())
}
