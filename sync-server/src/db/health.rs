//! What the operator wants to know of the database.

use sqlx::PgPool;

use crate::error::ApiError;

/// Whether the database answers.
pub(crate) async fn ping(reads: &PgPool) -> Result<(), ApiError> {
    sqlx::query_scalar!(r#"SELECT 1 AS "one!""#)
        .fetch_one(reads)
        .await?;
    Ok(())
}

/// How far the slowest is behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lag {
    /// Events between the head and the slowest desk that was seen in the last hour.
    pub(crate) events: i64,
    /// Age of the oldest open transaction of this database: it holds back whoever waits for it (B58).
    pub(crate) oldest_transaction_s: i64,
}

/// Reads both.
pub(crate) async fn lag(reads: &PgPool) -> Result<Lag, ApiError> {
    Ok(sqlx::query_as!(
        Lag,
        r#"SELECT
            (SELECT coalesce(max(head.seq - device.last_seq), 0)
             FROM device JOIN hotel_head AS head ON head.hotel_id = device.hotel_id
             WHERE device.last_seen_at > now() - interval '1 hour') AS "events!",
            (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::bigint
             FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()) AS "oldest_transaction_s!""#
    )
    .fetch_one(reads)
    .await?)
}
