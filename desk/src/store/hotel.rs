//! The hotel's settings and open day: one row.

use protocol::row::HotelRow;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::Result;

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &HotelRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO hotel (id, gen, row) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, row = excluded.row",
    )?
    .execute(params![row.id.0, generation, serde_json::to_string(row)?])?;
    Ok(())
}

/// The hotel, once it is known.
pub fn get(db: &Connection) -> Result<Option<HotelRow>> {
    let text: Option<String> = db
        .prepare_cached("SELECT row FROM hotel LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Removes the row.
pub fn remove(db: &Connection) -> Result<()> {
    db.execute("DELETE FROM hotel", [])?;
    Ok(())
}
