//! The rules of the schema (design section 4), read from the catalogue: with them the same tables can
//! be distributed by hotel, unchanged.

use sqlx::{Connection, Executor};

use super::migrate;
use crate::testing::{TestApp, TestDatabase};

/// Tables that belong to no hotel.
const NOT_OF_A_HOTEL: [&str; 1] = ["_sqlx_migrations"];

async fn names(app: &TestApp, sql: &'static str) -> Vec<String> {
    let names: Vec<String> = sqlx::query_scalar(sql)
        .fetch_all(&app.db.reads)
        .await
        .unwrap();
    names
        .into_iter()
        .filter(|name| !NOT_OF_A_HOTEL.iter().any(|table| name.starts_with(table)))
        .collect()
}

#[tokio::test]
async fn every_table_is_led_by_its_hotel() {
    let app = TestApp::start().await;
    let nothing: Vec<String> = Vec::new();
    let tables = names(
        &app,
        "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
    )
    .await;
    assert!(tables.len() >= 20);
    let without = names(
        &app,
        "SELECT relname::text FROM pg_class AS c
         WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT EXISTS (
             SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'hotel_id' AND attnotnull
               AND atttypid = 'uuid'::regtype AND attgenerated = '' AND attidentity = '')",
    )
    .await;
    assert_eq!(without, nothing, "hotel_id uuid NOT NULL");
    let without = names(
        &app,
        "SELECT relname::text FROM pg_class AS c
         WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
           AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p')",
    )
    .await;
    assert_eq!(without, nothing, "a primary key");
    let otherwise = names(
        &app,
        "SELECT i.indrelid::regclass::text || ' ' || i.indexrelid::regclass::text
         FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
         JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
         WHERE c.relnamespace = 'public'::regnamespace
           AND (i.indisunique OR i.indisprimary OR i.indisexclusion) AND a.attname <> 'hotel_id'",
    )
    .await;
    assert_eq!(
        otherwise, nothing,
        "hotel_id leads every primary, unique and exclusion index"
    );
    let otherwise = names(
        &app,
        "SELECT k.conrelid::regclass::text || ' ' || conname FROM pg_constraint AS k
         WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
             SELECT FROM unnest(conkey, confkey) AS pair (here, there)
             JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = pair.here
             JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = pair.there
             WHERE a.attname = 'hotel_id' AND b.attname = 'hotel_id')",
    )
    .await;
    assert_eq!(
        otherwise, nothing,
        "hotel_id opposite hotel_id in every foreign key"
    );
    let otherwise = names(
        &app,
        "SELECT conrelid::regclass::text || ' ' || conname FROM pg_constraint
         WHERE contype = 'f' AND connamespace = 'public'::regnamespace
           AND (confupdtype NOT IN ('a', 'r') OR confdeltype NOT IN ('a', 'r', 'c'))",
    )
    .await;
    assert_eq!(
        otherwise, nothing,
        "foreign keys act by RESTRICT or DELETE CASCADE only"
    );
}

#[tokio::test]
async fn nothing_works_behind_the_back_of_a_statement() {
    let app = TestApp::start().await;
    let nothing: Vec<String> = Vec::new();
    for (what, sql) in [
        ("triggers", "SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal"),
        (
            "rules",
            "SELECT rulename::text FROM pg_rules WHERE schemaname = 'public'",
        ),
        (
            "sequences",
            "SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace",
        ),
        (
            "inheritance other than partitions",
            "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
             WHERE NOT relispartition AND relkind = 'r'",
        ),
        (
            "identity or generated columns",
            "SELECT attrelid::regclass::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
             WHERE relnamespace = 'public'::regnamespace AND (attidentity <> '' OR attgenerated <> '')",
        ),
        (
            "columns that default to something volatile",
            "SELECT attrelid::regclass::text || ' ' || attname FROM pg_attrdef
             JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
             JOIN pg_class ON pg_class.oid = adrelid
             WHERE relnamespace = 'public'::regnamespace
               AND pg_get_expr(adbin, adrelid) ~ '(now|clock_timestamp|random|nextval|gen_random)'",
        ),
        (
            "functions that take a lock of a node or set a session",
            "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
               AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')
               AND prosrc ~* '(pg_advisory|pg_notify|\\mnotify\\M|set_config|\\mset local\\M)'",
        ),
    ] {
        assert_eq!(names(&app, sql).await, nothing, "{what}");
    }
}

#[tokio::test]
async fn servers_that_start_together_migrate_once() {
    let database = TestDatabase::empty().await;
    futures::future::try_join_all((0..5).map(|_| migrate::migrate(&database.options)))
        .await
        .unwrap();
    let mut conn = sqlx::PgConnection::connect_with(&database.options)
        .await
        .unwrap();
    let applied: Vec<i64> =
        sqlx::query_scalar("SELECT version FROM _sqlx_migrations WHERE success ORDER BY version")
            .fetch_all(&mut conn)
            .await
            .unwrap();
    let known: Vec<i64> = migrate::migrator()
        .iter()
        .map(|migration| migration.version)
        .collect();
    assert_eq!(applied, known);
    let months: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass")
            .fetch_one(&mut conn)
            .await
            .unwrap();
    assert_eq!(months, 5, "last month to three ahead");

    // A newer server was here: this one works beside it.
    conn.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99990101, 'of a newer server', true, '\\x00', 0)",
    )
    .await
    .unwrap();
    migrate::migrate(&database.options).await.unwrap();
}
