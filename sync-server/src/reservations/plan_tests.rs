//! Over an empty schema PostgreSQL would rather read tables from end to end, and remember that. The
//! booking pool's settings keep it from doing so (design section 4).

use protocol::id::{HotelId, RoomTypeId};
use serde_json::json;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};

use super::hold_group::{Layout, ReadyHold};
use super::test_support::{one_room, until};
use crate::db::Db;
use crate::db::command::{Caller, Key};
use crate::testing::TestApp;

/// Tables that were read from end to end since the statistics began.
async fn read_whole(conn: &mut sqlx::PgConnection) -> Vec<(String, i64)> {
    sqlx::query("SELECT pg_stat_force_next_flush()")
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query_as(
        "SELECT relname::text, seq_scan FROM pg_stat_user_tables WHERE seq_scan > 0 ORDER BY relname",
    )
    .fetch_all(conn)
    .await
    .unwrap()
}

/// Entries read from each index since the statistics began, and how often it was searched.
async fn read_by_index(conn: &mut sqlx::PgConnection) -> Vec<(String, i64, i64)> {
    sqlx::query("SELECT pg_stat_force_next_flush()")
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query_as(
        "SELECT indexrelname::text, idx_tup_read, idx_scan FROM pg_stat_user_indexes
         WHERE idx_scan > 0 ORDER BY idx_tup_read DESC",
    )
    .fetch_all(conn)
    .await
    .unwrap()
}

/// A hotel with 1,000 rooms over a schema that PostgreSQL knows to be empty, and one connection, the
/// only one there is: others would report late what they did.
struct Bed {
    _app: TestApp,
    db: Db,
    hotel: HotelId,
    sup: RoomTypeId,
}

impl Bed {
    async fn new() -> (Self, PoolConnection<Postgres>) {
        let app = TestApp::start().await;
        sqlx::query("VACUUM ANALYZE")
            .execute(&app.db.reads)
            .await
            .unwrap();
        let mut spec = crate::testing::small_hotel("large");
        spec.types[1].count = 998;
        spec.window_days = 500;
        let hotel = app.hotel(&spec).await;
        let db = app.second_server().0.db.clone();
        app.db.close().await;
        let mut conn = db.booking.acquire().await.unwrap();
        let others = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        until("the others are gone", async || {
            sqlx::query_scalar::<_, i64>(others)
                .fetch_one(&mut *conn)
                .await
                .unwrap()
                == 0
        })
        .await;
        let bed = Self {
            _app: app,
            db,
            hotel: hotel.id,
            sup: hotel.types["SUP"],
        };
        (bed, conn)
    }

    /// So many holds of two nights in one group; their keys and ids follow from their number, so that
    /// the same again is a repetition.
    async fn holds(&self, conn: &mut PgConnection, numbers: std::ops::Range<usize>) -> Vec<u16> {
        let ready: Vec<ReadyHold> = numbers
            .map(|number| {
                let mut body = one_room(self.sup, "2027-06-10", "2027-06-12");
                body["external_id"] = json!(number.to_string());
                let key = Key::new(number.to_string(), "POST", "/holds", b"");
                let body = serde_json::from_value(body).unwrap();
                ReadyHold::new(Caller::system(self.hotel), Some(key), body).unwrap()
            })
            .collect();
        let group = Layout::new(&ready);
        let answers = crate::db::holds::decide(conn, self.hotel, &group).await;
        answers
            .unwrap()
            .iter()
            .map(|answer| answer.status)
            .collect()
    }
}

impl Bed {
    async fn let_run_out(&self, conn: &mut PgConnection) {
        sqlx::query(
            "UPDATE reservation SET hold_expires_at = clock_timestamp() - interval '1 second'
             WHERE hotel_id = $1 AND state = 'held'",
        )
        .bind(self.hotel.0)
        .execute(conn)
        .await
        .unwrap();
    }
}

async fn forget_statistics(conn: &mut PgConnection) {
    // What is still to be reported is reported at the end of the first.
    for statement in [
        "SELECT pg_stat_force_next_flush()",
        "SELECT pg_stat_reset()",
    ] {
        sqlx::query(statement).execute(&mut *conn).await.unwrap();
    }
}

#[tokio::test]
async fn no_statement_of_a_hold_reads_a_table_from_end_to_end() {
    let (bed, mut conn) = Bed::new().await;
    forget_statistics(&mut conn).await;
    // Often enough that plans are remembered; with winners, losers, repeated keys, and releases of
    // what has run out.
    for round in 0..20 {
        if round % 5 == 4 {
            bed.let_run_out(&mut conn).await;
        }
        let first = 64 * (round - round / 4);
        bed.holds(&mut conn, first..first + 64).await;
    }
    bed.let_run_out(&mut conn).await;
    assert!(
        crate::db::holds::expire(&mut conn, bed.hotel, 500)
            .await
            .unwrap()
    );
    let read = read_whole(&mut conn).await;
    assert!(read.is_empty(), "{read:?}");
}

#[tokio::test]
async fn a_hold_costs_the_same_however_much_the_hotel_has_sold() {
    let (bed, mut conn) = Bed::new().await;
    // Plans are made now, over tables that are believed to be empty, and kept.
    for number in 0..15 {
        let made = bed.holds(&mut conn, 64 * number..64 * number + 64).await;
        assert!(made.iter().all(|status| *status == 201));
    }
    // What the job does, once the counters of what was changed have reached it.
    sqlx::query("SELECT pg_stat_force_next_flush()")
        .execute(&mut *conn)
        .await
        .unwrap();
    assert!(
        crate::db::statistics::analyze_grown(&bed.db.reads)
            .await
            .unwrap()
    );
    bed.holds(&mut conn, 960..961).await;
    forget_statistics(&mut conn).await;
    for number in 961..971 {
        assert_eq!(bed.holds(&mut conn, number..number + 1).await, [201]);
    }
    let read = read_by_index(&mut conn).await;
    // Ten holds of two nights; foreign keys read rows again. A search by less than the whole key would
    // read a thousand entries each time.
    for (index, entries, _) in &read {
        assert!(
            *entries <= 200,
            "{index} was read {entries} times: {read:?}"
        );
    }
}
