//! The classes that are sold.

use protocol::id::RoomTypeId;
use protocol::row::RoomTypeRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &RoomTypeRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO room_type (id, gen, code, name, max_occupancy, sort, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, code = excluded.code,
             name = excluded.name, max_occupancy = excluded.max_occupancy, sort = excluded.sort,
             active = excluded.active",
    )?
    .execute(params![
        row.id.0,
        generation,
        row.code,
        row.name,
        row.max_occupancy,
        row.sort,
        row.active
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<RoomTypeRow> {
    Ok(RoomTypeRow {
        id: RoomTypeId(row.get("id")?),
        code: row.get("code")?,
        name: row.get("name")?,
        max_occupancy: row.get("max_occupancy")?,
        sort: row.get("sort")?,
        active: row.get("active")?,
    })
}

/// One type.
pub fn get(db: &Connection, id: RoomTypeId) -> Result<Option<RoomTypeRow>> {
    Ok(db
        .prepare_cached(
            "SELECT id, code, name, max_occupancy, sort, active FROM room_type WHERE id = ?1",
        )?
        .query_row([id.0], read)
        .optional()?)
}

/// Every type in the hotel's order, the house among them where the server sends it as a type.
pub fn all(db: &Connection) -> Result<Vec<RoomTypeRow>> {
    Ok(db
        .prepare_cached(
            "SELECT id, code, name, max_occupancy, sort, active FROM room_type
             ORDER BY sort, code, id",
        )?
        .query_map([], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Every type that can be sold, in the hotel's order.
pub fn sold(db: &Connection) -> Result<Vec<RoomTypeRow>> {
    let mut types = all(db)?;
    types.retain(|row| !row.id.is_house());
    Ok(types)
}

/// Removes the row.
pub fn remove(db: &Connection, id: RoomTypeId) -> Result<()> {
    db.prepare_cached("DELETE FROM room_type WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}
