//! Uses of rooms: stays and periods.

use chrono::{Days, NaiveDate};
use protocol::id::{ReservationId, RoomId, RoomUseId};
use protocol::row::RoomUseRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;
use super::columns::word;

const COLUMNS: &str = "id, room_id, from_date, until_date, kind, reservation_id, reason";

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &RoomUseRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO room_use (id, gen, room_id, from_date, until_date, kind, reservation_id, reason,
             nights)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, room_id = excluded.room_id,
             from_date = excluded.from_date, until_date = excluded.until_date,
             kind = excluded.kind, reservation_id = excluded.reservation_id,
             reason = excluded.reason, nights = excluded.nights",
    )?
    .execute(params![
        row.id.0,
        generation,
        row.room_id.0,
        row.from,
        row.until,
        row.kind.as_str(),
        row.reservation_id.map(|id| id.0),
        row.reason,
        (row.until - row.from).num_days()
    ])?;
    Ok(())
}

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<RoomUseRow> {
    Ok(RoomUseRow {
        id: RoomUseId(row.get("id")?),
        room_id: RoomId(row.get("room_id")?),
        from: row.get("from_date")?,
        until: row.get("until_date")?,
        kind: word(row, "kind")?,
        reservation_id: row
            .get::<_, Option<_>>("reservation_id")?
            .map(ReservationId),
        reason: row.get("reason")?,
    })
}

/// One use.
pub fn get(db: &Connection, id: RoomUseId) -> Result<Option<RoomUseRow>> {
    Ok(db
        .prepare_cached(&format!("SELECT {COLUMNS} FROM room_use WHERE id = ?1"))?
        .query_row([id.0], read)
        .optional()?)
}

/// The rooms of a stay, in order.
pub fn of_reservation(db: &Connection, id: ReservationId) -> Result<Vec<RoomUseRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM room_use WHERE reservation_id = ?1 ORDER BY from_date"
        ))?
        .query_map([id.0], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Uses up to so many nights are found by their end; the few longer ones by an index of their own.
const LONG: u64 = 31;

/// Every use that touches the nights of `[from, until)`, and none that only ends where they begin; by
/// room and night.
pub fn between(db: &Connection, from: NaiveDate, until: NaiveDate) -> Result<Vec<RoomUseRow>> {
    let latest = until.checked_add_days(Days::new(LONG)).unwrap_or(until);
    let mut rows: Vec<RoomUseRow> = db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM room_use INDEXED BY room_use_by_date
             WHERE until_date > ?1 AND until_date <= ?3 AND from_date < ?2
             UNION ALL
             SELECT {COLUMNS} FROM room_use
             WHERE nights > 31 AND until_date > ?3 AND from_date < ?2"
        ))?
        .query_map(params![from, until, latest], read)?
        .collect::<rusqlite::Result<_>>()?;
    rows.sort_by_key(|row| (row.room_id, row.from, row.id));
    Ok(rows)
}

/// The uses of one room that touch `[from, until)`.
pub fn of_room(
    db: &Connection,
    id: RoomId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<RoomUseRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM room_use
             WHERE room_id = ?1 AND until_date > ?2 AND from_date < ?3 ORDER BY from_date"
        ))?
        .query_map(params![id.0, from, until], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Removes the row.
pub fn remove(db: &Connection, id: RoomUseId) -> Result<()> {
    db.prepare_cached("DELETE FROM room_use WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}
