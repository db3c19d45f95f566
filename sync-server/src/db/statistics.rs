//! What the planner believes of the tables.
//!
//! Over tables that it believes empty every index that begins with the hotel looks equally good to the
//! planner, and it takes one that reads the whole hotel: a foreign key's check then costs more with
//! every reservation (measured: 222 µs instead of 5 with 20,000 of them). PostgreSQL's own autovacuum
//! looks once a minute; a hotel that opens, a bench or a load of old bookings is past that in seconds.

use sqlx::{PgConnection, PgPool};

/// Tells the planner what the tables hold by now. What somebody else looks at is left to them.
pub(crate) async fn analyze(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!(
        "ANALYZE (SKIP_LOCKED) booking, guest, rate, reservation, reservation_night, room_night,
            room_use, idempotency_key"
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Does so where a table has more than doubled since anybody looked. Answers whether it did.
pub(crate) async fn analyze_grown(reads: &PgPool) -> sqlx::Result<bool> {
    let mut conn = reads.acquire().await?;
    let grown = sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM pg_stat_user_tables AS seen
               JOIN pg_class AS known ON known.oid = seen.relid
               WHERE seen.schemaname = current_schema()
                 AND seen.relname IN ('booking', 'guest', 'rate', 'reservation', 'reservation_night',
                     'room_night', 'room_use', 'idempotency_key')
                 AND seen.n_mod_since_analyze > 200
                 AND seen.n_mod_since_analyze > known.reltuples
           ) AS "grown!""#
    )
    .fetch_one(&mut *conn)
    .await?;
    if grown {
        analyze(&mut conn).await?;
    }
    Ok(grown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestApp;

    #[tokio::test]
    async fn tables_that_grew_are_looked_at_once() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let fill = "INSERT INTO guest (hotel_id, guest_id, version, name, created_at)
                    SELECT $1, gen_random_uuid(), 1, 'x', now() FROM generate_series(1, 1000)";
        let mut conn = app.db.reads.acquire().await.unwrap();
        sqlx::query(fill)
            .bind(hotel.id.0)
            .execute(&mut *conn)
            .await
            .unwrap();
        // Counters of what was changed reach the others when a session is idle, or is asked to.
        sqlx::query("SELECT pg_stat_force_next_flush()")
            .execute(&mut *conn)
            .await
            .unwrap();
        drop(conn);
        let pages = "SELECT reltuples FROM pg_class WHERE relname = 'guest'";
        assert!(analyze_grown(&app.db.reads).await.unwrap());
        let tuples: f32 = sqlx::query_scalar(pages)
            .fetch_one(&app.db.reads)
            .await
            .unwrap();
        assert_eq!(tuples as i64, 1_000);
    }
}
