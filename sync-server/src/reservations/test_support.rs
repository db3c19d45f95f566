//! What the tests of reservations share.

use protocol::event::Event;
use protocol::id::{BookingId, EventId, HotelId, RoomTypeId, StaffId};
use serde_json::{Value, json};
use sqlx::Row;

use crate::db::Db;

/// The body of a hold of one room for two adults.
pub(crate) fn one_room(room_type: RoomTypeId, check_in: &str, check_out: &str) -> Value {
    json!({"rooms": [{
        "room_type_id": room_type, "check_in": check_in, "check_out": check_out, "adults": 2,
    }]})
}

/// The body of a hold of several rooms alike.
pub(crate) fn rooms(room_type: RoomTypeId, check_in: &str, check_out: &str, count: usize) -> Value {
    let mut body = one_room(room_type, check_in, check_out);
    let room = body["rooms"][0].clone();
    body["rooms"] = Value::Array(vec![room; count]);
    body
}

/// The whole log of a hotel, read as a desk would read it.
pub(crate) async fn log(db: &Db, hotel: HotelId) -> Vec<Event> {
    let rows = sqlx::query(
        "SELECT seq, event_id, at, business_date, actor, verb, reason, changes FROM event
         WHERE hotel_id = $1 ORDER BY seq",
    )
    .bind(hotel.0)
    .fetch_all(&db.reads)
    .await
    .unwrap();
    rows.into_iter()
        .map(|row| {
            let changes: String = row.get("changes");
            Event {
                seq: row.get("seq"),
                id: EventId(row.get("event_id")),
                at: row.get("at"),
                business_date: row.get("business_date"),
                actor: StaffId(row.get("actor")),
                device: None,
                verb: row.get("verb"),
                reason: row.get("reason"),
                changes: serde_json::from_str(&changes)
                    .unwrap_or_else(|error| panic!("{error}: {changes}")),
            }
        })
        .collect()
}

/// Holds a hotel's head, as a transaction in progress does, until it is rolled back.
pub(crate) async fn hold_head(db: &Db, hotel: HotelId) -> sqlx::PgTransaction<'static> {
    let mut tx = db.reads.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM hotel_head WHERE hotel_id = $1 FOR NO KEY UPDATE")
        .bind(hotel.0)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx
}

/// Waits until a condition holds; far longer than it should take means that it never will.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    for _ in 0..2_000 {
        if condition().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("waited in vain until {what}");
}

/// The states of a booking's reservations, in the order of their ids.
pub(crate) async fn states(db: &Db, hotel: HotelId, booking: BookingId) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT state FROM reservation WHERE hotel_id = $1 AND booking_id = $2 ORDER BY reservation_id",
    )
    .bind(hotel.0)
    .bind(booking.0)
    .fetch_all(&db.reads)
    .await
    .unwrap()
}

/// Makes every hold of the hotel run out, as if its time had passed.
pub(crate) async fn let_holds_run_out(db: &Db, hotel: HotelId) {
    sqlx::query(
        "UPDATE reservation SET hold_expires_at = clock_timestamp() - interval '1 second'
         WHERE hotel_id = $1 AND state = 'held'",
    )
    .bind(hotel.0)
    .execute(&db.reads)
    .await
    .unwrap();
}

/// Recounts N1, N2 and N9 from the tables: every counter against the ledger, the house against its
/// types, the ceiling, the states that may hold nights, and the log from 1 without a gap, whose last
/// word on every night and reservation is what the tables say.
pub(crate) async fn recount(db: &Db, hotel: HotelId) {
    let wrong: Vec<(uuid::Uuid, chrono::NaiveDate, i32, i64)> = sqlx::query_as(
        "SELECT n.room_type_id, n.stay_date, n.reserved, c.counted
         FROM room_night n
         CROSS JOIN LATERAL (
            SELECT count(*) AS counted FROM reservation_night r
            WHERE r.hotel_id = n.hotel_id AND r.stay_date = n.stay_date AND r.counted
              AND (r.room_type_id = n.room_type_id
                   OR n.room_type_id = '00000000-0000-0000-0000-000000000000')) c
         WHERE n.hotel_id = $1 AND n.reserved <> c.counted",
    )
    .bind(hotel.0)
    .fetch_all(&db.reads)
    .await
    .unwrap();
    assert!(
        wrong.is_empty(),
        "N2: counters differ from the ledger: {wrong:?}"
    );
    let above: Vec<(uuid::Uuid, chrono::NaiveDate, i32)> = sqlx::query_as(
        "SELECT room_type_id, stay_date, reserved FROM room_night
         WHERE hotel_id = $1 AND over_limit
             <> greatest(0, reserved - sell_limit_v1(total, out_of_order, overbook_pct, overbook_rooms))",
    )
    .bind(hotel.0)
    .fetch_all(&db.reads)
    .await
    .unwrap();
    assert!(
        above.is_empty(),
        "N1: above the limit unknowingly: {above:?}"
    );
    let astray: Vec<(uuid::Uuid, String)> = sqlx::query_as(
        "SELECT r.reservation_id, r.state FROM reservation r
         JOIN reservation_night n ON n.hotel_id = r.hotel_id AND n.reservation_id = r.reservation_id
         WHERE r.hotel_id = $1 AND n.counted <> (r.state IN ('held', 'confirmed', 'checked_in'))
           AND NOT n.shared AND r.state NOT IN ('checked_out', 'no_show')",
    )
    .bind(hotel.0)
    .fetch_all(&db.reads)
    .await
    .unwrap();
    assert!(
        astray.is_empty(),
        "N2: nights counted in a state that holds none: {astray:?}"
    );

    let log = log(db, hotel).await;
    let (seq, last): (i64, Option<uuid::Uuid>) =
        sqlx::query_as("SELECT seq, last_event_id FROM hotel_head WHERE hotel_id = $1")
            .bind(hotel.0)
            .fetch_one(&db.reads)
            .await
            .unwrap();
    assert!(log.iter().map(|event| event.seq).eq(1..=seq), "N9: a gap");
    assert_eq!(
        log.last().map(|event| event.id.0),
        last,
        "N9: the newest event's id"
    );
    replay(db, hotel, &log).await;
    let found = crate::verify::verify(db).await.unwrap();
    assert!(found.is_empty(), "{found:?}");
}

/// Any prefix of the log is a state that was true (N9): the counters of each night are what its
/// reservations say, after every event. And the whole of it is what the tables say.
async fn replay(db: &Db, hotel: HotelId, log: &[Event]) {
    use protocol::event::Change;
    use std::collections::BTreeMap;
    let mut nights = BTreeMap::new();
    let mut reservations = BTreeMap::new();
    for event in log {
        for change in &event.changes {
            match change {
                Change::Night { row } => {
                    assert!(
                        i64::from(row.reserved - row.over_limit) <= row.limit(),
                        "N1 in event {}: {row:?}",
                        event.seq
                    );
                    nights.insert((row.room_type_id, row.stay_date), row.clone());
                }
                Change::Reservation { row } => {
                    assert_eq!(row.notes, "", "N13: free text in the log");
                    reservations.insert(row.id, (**row).clone());
                }
                _ => {}
            }
        }
        let mut counted: BTreeMap<(RoomTypeId, chrono::NaiveDate), i32> = BTreeMap::new();
        for row in reservations.values() {
            for night in row.nights.iter().filter(|night| night.counted) {
                *counted
                    .entry((night.room_type_id, night.stay_date))
                    .or_default() += 1;
                *counted
                    .entry((RoomTypeId::HOUSE, night.stay_date))
                    .or_default() += 1;
            }
        }
        for (key, row) in &nights {
            assert_eq!(
                row.reserved,
                counted.get(key).copied().unwrap_or_default(),
                "N2 after event {} ({}): {key:?}",
                event.seq,
                event.verb
            );
        }
        assert!(counted.keys().all(|key| nights.contains_key(key)));
    }
    let mut conn = db.reads.acquire().await.unwrap();
    let ids: Vec<_> = reservations.keys().copied().collect();
    for mut row in crate::db::images::reservations(&mut conn, hotel, &ids)
        .await
        .unwrap()
    {
        row.notes.clear();
        assert_eq!(Some(&row), reservations.get(&row.id), "the log's last word");
    }
}
