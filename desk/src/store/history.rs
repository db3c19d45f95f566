//! What this desk has seen happen to each reservation.

use chrono::{DateTime, Utc};
use protocol::event::{Change, Event};
use protocol::id::{ReservationId, StaffId};
use rusqlite::{Connection, params};

use super::Result;

/// One thing that happened.
pub struct Seen {
    /// Number in the log.
    pub seq: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub verb: String,
    /// Who.
    pub actor: StaffId,
    /// Why, a word.
    pub reason: Option<String>,
}

/// Writes an event down for each reservation that it changed.
pub fn add(db: &Connection, event: &Event) -> Result<()> {
    for change in &event.changes {
        let Change::Reservation { row } = change else {
            continue;
        };
        db.prepare_cached(
            "INSERT OR REPLACE INTO history (reservation_id, seq, at, verb, actor, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            row.id.0,
            event.seq,
            event.at,
            event.verb,
            event.actor.0,
            event.reason
        ])?;
    }
    Ok(())
}

/// What happened to a reservation, newest last.
pub fn of_reservation(db: &Connection, id: ReservationId) -> Result<Vec<Seen>> {
    Ok(db
        .prepare_cached(
            "SELECT seq, at, verb, actor, reason FROM history WHERE reservation_id = ?1
             ORDER BY seq",
        )?
        .query_map([id.0], |row| {
            Ok(Seen {
                seq: row.get(0)?,
                at: row.get(1)?,
                verb: row.get(2)?,
                actor: StaffId(row.get(3)?),
                reason: row.get(4)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?)
}

/// Forgets everything: it belonged to a past that is no more.
pub fn clear(db: &Connection) -> Result<()> {
    db.execute("DELETE FROM history", [])?;
    Ok(())
}
