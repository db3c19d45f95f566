//! Numbered rooms.

use protocol::id::{RoomId, RoomTypeId};
use protocol::row::RoomRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;
use super::columns::word;

const COLUMNS: &str = "id, room_type_id, number, floor, status, features, active, version";

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &RoomRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO room (id, gen, room_type_id, number, floor, status, features, active, version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, room_type_id = excluded.room_type_id,
             number = excluded.number, floor = excluded.floor, status = excluded.status,
             features = excluded.features, active = excluded.active, version = excluded.version",
    )?
    .execute(params![
        row.id.0,
        generation,
        row.room_type_id.0,
        row.number,
        row.floor,
        row.status.as_str(),
        serde_json::to_string(&row.features)?,
        row.active,
        row.version
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<RoomRow> {
    let features: String = row.get("features")?;
    Ok(RoomRow {
        id: RoomId(row.get("id")?),
        room_type_id: RoomTypeId(row.get("room_type_id")?),
        number: row.get("number")?,
        floor: row.get("floor")?,
        status: word(row, "status")?,
        features: super::columns::json(&features)?,
        active: row.get("active")?,
        version: row.get("version")?,
    })
}

/// One room.
pub fn get(db: &Connection, id: RoomId) -> Result<Option<RoomRow>> {
    Ok(db
        .prepare_cached(&format!("SELECT {COLUMNS} FROM room WHERE id = ?1"))?
        .query_row([id.0], read)
        .optional()?)
}

/// Every room, by the order of its type, its floor and its number as people count.
pub fn all(db: &Connection) -> Result<Vec<RoomRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM room ORDER BY
                 (SELECT t.sort FROM room_type t WHERE t.id = room.room_type_id), room_type_id,
                 CAST(floor AS INTEGER), floor, CAST(number AS INTEGER), number"
        ))?
        .query_map([], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Removes the row.
pub fn remove(db: &Connection, id: RoomId) -> Result<()> {
    db.prepare_cached("DELETE FROM room WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}
