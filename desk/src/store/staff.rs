//! Colleagues, for showing who did what.

use protocol::id::StaffId;
use protocol::row::StaffRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;
use super::columns::word;

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &StaffRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO staff (id, gen, display_name, role, active) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, display_name = excluded.display_name,
             role = excluded.role, active = excluded.active",
    )?
    .execute(params![
        row.id.0,
        generation,
        row.display_name,
        row.role.as_str(),
        row.active
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<StaffRow> {
    Ok(StaffRow {
        id: StaffId(row.get("id")?),
        display_name: row.get("display_name")?,
        role: word(row, "role")?,
        active: row.get("active")?,
    })
}

/// One colleague.
pub fn get(db: &Connection, id: StaffId) -> Result<Option<StaffRow>> {
    Ok(db
        .prepare_cached("SELECT id, display_name, role, active FROM staff WHERE id = ?1")?
        .query_row([id.0], read)
        .optional()?)
}

/// Everybody, by name.
pub fn all(db: &Connection) -> Result<Vec<StaffRow>> {
    Ok(db
        .prepare_cached(
            "SELECT id, display_name, role, active FROM staff ORDER BY display_name, id",
        )?
        .query_map([], read)?
        .collect::<rusqlite::Result<_>>()?)
}

/// The name to show for who did something; the server itself has a name of its own.
pub fn name_of(db: &Connection, id: StaffId) -> Result<String> {
    if id == StaffId::SYSTEM {
        return Ok("Nightdesk".to_owned());
    }
    Ok(get(db, id)?.map(|row| row.display_name).unwrap_or_default())
}

/// Removes the row.
pub fn remove(db: &Connection, id: StaffId) -> Result<()> {
    db.prepare_cached("DELETE FROM staff WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}
