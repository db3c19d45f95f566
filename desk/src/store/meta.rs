//! Small facts about the copy, as JSON by name: where it stands in the log, and how a load goes on.

use protocol::id::EventId;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Result;

/// Where the copy stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyState {
    /// Number of the last event applied.
    pub cursor: i64,
    /// Its id.
    pub last_id: Option<EventId>,
    /// The server's past that the copy follows.
    pub epoch: Option<Uuid>,
    /// Whether there is a whole copy to read from, perhaps an old one.
    pub usable: bool,
    /// The snapshot by which rows come.
    pub generation: i64,
    /// A snapshot that is being loaded.
    pub loading: Option<Loading>,
    /// The server's past changed: what it acknowledged must be offered again (B59).
    #[serde(default)]
    pub offer_again: bool,
    /// How many loads in a row ended with keys that do not hold.
    #[serde(default)]
    pub broken_loads: u32,
    /// The build that met what it cannot read; a newer one loads the copy anew (B67).
    #[serde(default)]
    pub update_needed: Option<String>,
}

/// A load that goes on where it stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loading {
    /// Where the next page begins; absent before the first and after the last.
    pub page: Option<String>,
    /// Pull from here, known from the first page.
    pub from: i64,
    /// Its id.
    pub from_id: Option<EventId>,
    /// Pull up to here; known from the last page.
    pub until: Option<i64>,
    /// Rows stored.
    pub done: i64,
    /// Rows in all.
    pub total: Option<i64>,
    /// Whether the first page was stored.
    pub begun: bool,
}

/// The name under which [`CopyState`] stands.
const COPY: &str = "copy";

/// Where the copy stands; a new copy stands nowhere.
pub fn copy_state(db: &Connection) -> Result<CopyState> {
    Ok(get(db, COPY)?.unwrap_or_default())
}

/// Writes down where the copy stands, in the transaction of the rows.
pub fn set_copy_state(db: &Connection, state: &CopyState) -> Result<()> {
    set(db, COPY, state)
}

/// A fact, or none.
pub fn get<T: DeserializeOwned>(db: &Connection, key: &str) -> Result<Option<T>> {
    let text: Option<String> = db
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Keeps a fact.
pub fn set<T: Serialize>(db: &Connection, key: &str, value: &T) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO meta (key, value) VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute(params![key, serde_json::to_string(value)?])?;
    Ok(())
}
