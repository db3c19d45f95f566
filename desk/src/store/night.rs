//! The counters: each type and night, and the house.

use std::collections::HashSet;

use chrono::NaiveDate;
use protocol::id::RoomTypeId;
use protocol::row::NightRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;

const COLUMNS: &str = "room_type_id, stay_date, total, out_of_order, reserved, over_limit,
    overbook_pct, overbook_rooms";

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &NightRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO night (stay_date, room_type_id, gen, total, out_of_order, reserved, over_limit,
             overbook_pct, overbook_rooms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (stay_date, room_type_id) DO UPDATE SET gen = excluded.gen,
             total = excluded.total, out_of_order = excluded.out_of_order,
             reserved = excluded.reserved, over_limit = excluded.over_limit,
             overbook_pct = excluded.overbook_pct, overbook_rooms = excluded.overbook_rooms",
    )?
    .execute(params![
        row.stay_date,
        row.room_type_id.0,
        generation,
        row.total,
        row.out_of_order,
        row.reserved,
        row.over_limit,
        row.overbook_pct,
        row.overbook_rooms
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<NightRow> {
    Ok(NightRow {
        room_type_id: RoomTypeId(row.get("room_type_id")?),
        stay_date: row.get("stay_date")?,
        total: row.get("total")?,
        out_of_order: row.get("out_of_order")?,
        reserved: row.get("reserved")?,
        over_limit: row.get("over_limit")?,
        overbook_pct: row.get("overbook_pct")?,
        overbook_rooms: row.get("overbook_rooms")?,
    })
}

/// One counter.
pub fn get(db: &Connection, id: RoomTypeId, night: NaiveDate) -> Result<Option<NightRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM night WHERE stay_date = ?1 AND room_type_id = ?2"
        ))?
        .query_row(params![night, id.0], read)
        .optional()?)
}

/// The counters of the nights in `[from, until)`, by night.
pub fn between(db: &Connection, from: NaiveDate, until: NaiveDate) -> Result<Vec<NightRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM night WHERE stay_date >= ?1 AND stay_date < ?2
             ORDER BY stay_date, room_type_id"
        ))?
        .query_map(params![from, until], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// The reservations that stand above a limit from a night on, by their number in the copy.
///
/// A night with three above its limit names the three counted stays that were made last: what was
/// taken before them would have fitted.
pub fn over_limit(db: &Connection, from: NaiveDate) -> Result<HashSet<i64>> {
    let nights: Vec<(RoomTypeId, NaiveDate, i32)> = db
        .prepare_cached(
            "SELECT room_type_id, stay_date, over_limit FROM night
             WHERE over_limit > 0 AND stay_date >= ?1",
        )?
        .query_map([from], |row| {
            Ok((RoomTypeId(row.get(0)?), row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut found = HashSet::new();
    for (room_type, night, above) in nights {
        let mut last_made = db.prepare_cached(
            "SELECT r.no FROM reservation r
             JOIN reservation_night n ON n.reservation_no = r.no AND n.stay_date = ?1
             WHERE r.live = 1 AND r.check_in <= ?1 AND r.check_out > ?1 AND n.counted = 1
                 AND (?2 OR n.room_type_id = ?3)
             ORDER BY r.created_at DESC, r.id DESC LIMIT ?4",
        )?;
        let rows = last_made.query_map(
            params![night, room_type.is_house(), room_type.0, above],
            |row| row.get(0),
        )?;
        for no in rows {
            found.insert(no?);
        }
    }
    Ok(found)
}

/// Removes the row.
pub fn remove(db: &Connection, id: RoomTypeId, night: NaiveDate) -> Result<()> {
    db.prepare_cached("DELETE FROM night WHERE stay_date = ?1 AND room_type_id = ?2")?
        .execute(params![night, id.0])?;
    Ok(())
}
