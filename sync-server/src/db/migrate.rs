//! Bringing a database to this build's schema, and the log's partitions.

use std::time::Duration;

use chrono::{Datelike, Months, NaiveDate};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

/// How many months ahead the log has its partitions.
const MONTHS_AHEAD: u32 = 3;

/// Names the advisory lock under which migrations run, so that servers may start together. Differs
/// from sqlx's own, which is taken inside.
const MIGRATION_LOCK: i64 = 0x6e69_6768_7464;

/// The schema, oldest change first. A database that a newer server has already changed is left as it
/// is: old and new servers run side by side during an upgrade.
pub(crate) fn migrator() -> Migrator {
    let mut migrator = sqlx::migrate!("../migrations/server");
    migrator.set_ignore_missing(true);
    migrator
}

/// Brings the schema and the log's partitions up to date. Servers that start together wait for one
/// another.
pub async fn migrate(options: &PgConnectOptions) -> anyhow::Result<()> {
    let mut conn = options
        .clone()
        .application_name("nightdesk migrate")
        .connect()
        .await?;
    // Polled rather than waited for: a session that waits inside a statement keeps a snapshot open,
    // and building an index concurrently would wait for it in turn.
    loop {
        let had = sqlx::query_scalar!(
            r#"SELECT pg_try_advisory_lock($1) AS "had!""#,
            MIGRATION_LOCK
        )
        .fetch_one(&mut conn)
        .await?;
        if had {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    migrator().run(&mut conn).await?;
    let made = partitions(&mut conn).await?;
    if made > 0 {
        tracing::info!(made, "event.partitions_created");
    }
    // Ends the session and with it the lock.
    conn.close().await?;
    Ok(())
}

/// Creates what is missing of the log's monthly partitions, from last month on (a clock that is set
/// back must not stop the hotel) to three months ahead. Returns how many were made.
pub(crate) async fn partitions(conn: &mut PgConnection) -> anyhow::Result<u32> {
    let today: NaiveDate =
        sqlx::query_scalar!(r#"SELECT (now() AT TIME ZONE 'UTC')::date AS "today!""#)
            .fetch_one(&mut *conn)
            .await?;
    let this_month = today.with_day(1).unwrap_or(today);
    let mut made = 0;
    for step in 0..=MONTHS_AHEAD + 1 {
        let from = this_month - Months::new(1) + Months::new(step);
        let until = from + Months::new(1);
        let name = format!("event_{:04}_{:02}", from.year(), from.month());
        let exists =
            sqlx::query_scalar!(r#"SELECT to_regclass($1) IS NOT NULL AS "exists!""#, name)
                .fetch_one(&mut *conn)
                .await?;
        if exists {
            continue;
        }
        // Names and dates are made here, from numbers only.
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {name} PARTITION OF event FOR VALUES FROM ('{from} 00:00:00+00') TO ('{until} 00:00:00+00')"
        );
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *conn).await?;
        made += 1;
    }
    Ok(made)
}
