//! Over an empty schema PostgreSQL would rather read tables from end to end, and remember that. The
//! booking pool's settings keep it from doing so (design section 4).

use serde_json::json;

use super::hold_group::{Layout, ReadyHold};
use super::test_support::{let_holds_run_out, one_room, until};
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

#[tokio::test]
async fn no_statement_of_a_hold_reads_a_table_from_end_to_end() {
    let app = TestApp::start().await;
    // Only now does PostgreSQL know that the tables are empty, and believes that they stay so.
    sqlx::query("VACUUM ANALYZE")
        .execute(&app.db.reads)
        .await
        .unwrap();
    let hotel = app.small_hotel().await;
    let sup = hotel.types["SUP"];
    // Connections report what they did when they end: those that made the hotel must not report later.
    let db = app.second_server().0.db;
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
    sqlx::query("SELECT pg_stat_force_next_flush(), pg_stat_reset()")
        .execute(&mut *conn)
        .await
        .unwrap();
    let group = |nth: usize| {
        let ready: Vec<ReadyHold> = (0..3)
            .map(|place| {
                let mut body = one_room(sup, "2027-06-10", "2027-06-12");
                body["external_id"] = json!(format!("{nth}-{place}"));
                let key = Key::new(format!("{nth}-{place}"), "POST", "/holds", b"");
                let body = serde_json::from_value(body).unwrap();
                ReadyHold::new(Caller::system(hotel.id), Some(key), body).unwrap()
            })
            .collect();
        Layout::new(&ready).unwrap()
    };
    // Often enough that plans are remembered; with winners, losers, repeated keys, and releases of
    // what has run out.
    for round in 0..8 {
        if round % 3 == 2 {
            let_holds_run_out(&db, hotel.id).await;
        }
        let answers = crate::db::holds::decide(&mut conn, hotel.id, &group(round / 2))
            .await
            .unwrap();
        assert_eq!(answers.len(), 3);
    }
    let_holds_run_out(&db, hotel.id).await;
    assert!(
        crate::db::holds::expire(&mut conn, hotel.id, 500)
            .await
            .unwrap()
    );
    let read: Vec<_> = read_whole(&mut conn).await;
    assert!(read.is_empty(), "{read:?}");
}
