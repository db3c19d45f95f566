//! The queue of the clerk's commands: recorded before anything else happens, kept until answered,
//! and afterwards as long as the server might lose what it acknowledged (B59).

use chrono::{DateTime, NaiveDate, Utc};
use protocol::code::{Code, Problem};
use protocol::command::Command;
use protocol::id::{CommandId, GuestId, ReservationId, StaffId};
use protocol::request::{StayAnswer, StayNow};
use rusqlite::{Connection, Row, params};

use super::Result;
use super::columns::json;

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// To be sent, or to be sent again with the same key.
    Waiting,
    /// On its way.
    Sent,
    /// Done by the server.
    Answered,
    /// Refused for good.
    Refused,
}

impl CommandState {
    /// Whether its fate is still open.
    pub fn is_unsent(self) -> bool {
        matches!(self, Self::Waiting | Self::Sent)
    }
}

/// One command with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRow {
    /// Its place in the queue.
    pub no: i64,
    /// Its id, which is its key at the server.
    pub id: CommandId,
    /// What.
    pub command: Command,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// On which open day of the desk.
    pub business_date: NaiveDate,
    /// By whom.
    pub made_by: StaffId,
    /// Withdrawn when the server cannot be reached.
    pub needs_server: bool,
    /// Where it stands.
    pub state: CommandState,
    /// How often it was sent.
    pub attempts: i32,
    /// Number of the event that wrote it.
    pub seq: Option<i64>,
    /// The server's answer.
    pub answer: Option<serde_json::Value>,
    /// Why it was refused.
    pub problem: Option<Problem>,
}

impl CommandRow {
    /// The stays as the server has answered that they stand, where it answers them whole.
    pub fn stays(&self) -> Vec<StayNow> {
        if self.state != CommandState::Answered {
            return Vec::new();
        }
        let answer = self.answer.clone().unwrap_or_default();
        serde_json::from_value::<StayAnswer>(answer)
            .map(|answer| answer.reservations)
            .unwrap_or_default()
    }
}

/// A command to be recorded.
#[derive(Clone, Debug)]
pub struct NewCommand<'a> {
    /// Made by the screen, so that a second click is the same command (B16).
    pub id: CommandId,
    /// What.
    pub command: &'a Command,
    /// Now.
    pub made_at: DateTime<Utc>,
    /// The desk's open day.
    pub business_date: NaiveDate,
    /// Who is signed in.
    pub made_by: StaffId,
    /// Whether it is withdrawn when the server cannot be reached.
    pub needs_server: bool,
    /// What it touches.
    pub touches: &'a [String],
}

const COLUMNS: &str =
    "no, id, body, made_at, business_date, made_by, needs_server, state, attempts,
    seq, answer, problem";

/// Records a command; `false` where one with this id is there already.
pub fn record(db: &Connection, new: &NewCommand<'_>) -> Result<bool> {
    let added = db
        .prepare_cached(
            "INSERT INTO command (id, body, made_at, business_date, made_by, needs_server, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'waiting') ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            new.id.0,
            serde_json::to_string(new.command)?,
            new.made_at,
            new.business_date,
            new.made_by.0,
            new.needs_server
        ])?;
    if added == 0 {
        return Ok(false);
    }
    let no = db.last_insert_rowid();
    let mut touch = db.prepare_cached(
        "INSERT OR IGNORE INTO command_touch (command_no, subject) VALUES (?1, ?2)",
    )?;
    for subject in new.touches {
        touch.execute(params![no, subject])?;
    }
    Ok(true)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Option<CommandRow>> {
    let body: String = row.get("body")?;
    let Ok(command) = serde_json::from_str(&body) else {
        // Written by another build. It stays in the queue, and an update will know it (B67).
        tracing::warn!(name = "command.unreadable", no = row.get::<_, i64>("no")?);
        return Ok(None);
    };
    let state: String = row.get("state")?;
    let answer: Option<String> = row.get("answer")?;
    let problem: Option<String> = row.get("problem")?;
    Ok(Some(CommandRow {
        no: row.get("no")?,
        id: CommandId(row.get("id")?),
        command,
        made_at: row.get("made_at")?,
        business_date: row.get("business_date")?,
        made_by: StaffId(row.get("made_by")?),
        needs_server: row.get("needs_server")?,
        state: match state.as_str() {
            "waiting" => CommandState::Waiting,
            "sent" => CommandState::Sent,
            "answered" => CommandState::Answered,
            _ => CommandState::Refused,
        },
        attempts: row.get("attempts")?,
        seq: row.get("seq")?,
        answer: answer.as_deref().map(json).transpose()?,
        problem: problem.as_deref().map(json).transpose()?,
    }))
}

fn many(db: &Connection, filter: &str, values: impl rusqlite::Params) -> Result<Vec<CommandRow>> {
    let rows: Vec<Option<CommandRow>> = db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM command WHERE {filter} ORDER BY no"
        ))?
        .query_map(values, read)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// One command.
pub fn get(db: &Connection, id: CommandId) -> Result<Option<CommandRow>> {
    Ok(many(db, "id = ?1", [id.0])?.pop())
}

/// What is not answered yet, oldest first.
pub fn unsent(db: &Connection) -> Result<Vec<CommandRow>> {
    many(db, "state IN ('waiting', 'sent')", [])
}

/// What the screens show on top of the copy: what is not answered yet, and what was answered in an
/// event that the copy has not reached (N10). A command that only the server can decide shows nothing
/// before its answer.
pub fn overlay(db: &Connection, cursor: i64) -> Result<Vec<CommandRow>> {
    let mut rows = many(db, "state IN ('waiting', 'sent') AND needs_server = 0", [])?;
    rows.extend(many(db, "seq > ?1", [cursor])?);
    rows.sort_by_key(|row| row.no);
    Ok(rows)
}

/// Refusals that no person has seen yet, oldest first.
pub fn tasks(db: &Connection) -> Result<Vec<CommandRow>> {
    many(db, "state = 'refused' AND done = 0", [])
}

/// How many are not answered yet, and how many refusals wait for a person.
pub fn counts(db: &Connection) -> Result<(i64, i64)> {
    Ok(db
        .prepare_cached(
            "SELECT (SELECT count(*) FROM command WHERE state IN ('waiting', 'sent')),
                    (SELECT count(*) FROM command WHERE state = 'refused' AND done = 0)",
        )?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// What a command touches.
pub fn touches(db: &Connection, no: i64) -> Result<Vec<String>> {
    Ok(db
        .prepare_cached("SELECT subject FROM command_touch WHERE command_no = ?1 ORDER BY subject")?
        .query_map([no], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?)
}

/// Reservations with a command that is not answered yet.
pub fn unsent_reservations(db: &Connection) -> Result<Vec<ReservationId>> {
    let subjects: Vec<String> = db
        .prepare_cached(
            "SELECT DISTINCT t.subject FROM command c JOIN command_touch t ON t.command_no = c.no
             WHERE c.state IN ('waiting', 'sent')",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(subjects
        .iter()
        .filter_map(|subject| subject.strip_prefix("reservation:")?.parse().ok())
        .collect())
}

/// The command leaves for the server; written down first, so that a stop in between is seen as sent.
pub fn mark_sent(db: &Connection, id: CommandId) -> Result<()> {
    db.prepare_cached(
        "UPDATE command SET state = 'sent', attempts = attempts + 1
         WHERE id = ?1 AND state IN ('waiting', 'sent')",
    )?
    .execute([id.0])?;
    Ok(())
}

/// Nothing is known of its fate: to be sent again with the same key.
pub fn mark_waiting(db: &Connection, id: CommandId) -> Result<()> {
    db.prepare_cached("UPDATE command SET state = 'waiting' WHERE id = ?1 AND state = 'sent'")?
        .execute([id.0])?;
    Ok(())
}

/// The server did it. `false` where it was withdrawn meanwhile.
pub fn mark_answered(
    db: &Connection,
    id: CommandId,
    seq: i64,
    answer: &serde_json::Value,
    at: DateTime<Utc>,
) -> Result<bool> {
    let changed = db
        .prepare_cached(
            "UPDATE command SET state = 'answered', seq = ?2, answer = ?3, answered_at = ?4
             WHERE id = ?1 AND state IN ('waiting', 'sent')",
        )?
        .execute(params![id.0, seq, answer.to_string(), at])?;
    Ok(changed == 1)
}

/// It was refused, and a person must see it. `parked_by` names the refused command that it needed.
pub fn mark_refused(
    db: &Connection,
    id: CommandId,
    problem: &Problem,
    at: DateTime<Utc>,
    parked_by: Option<CommandId>,
) -> Result<bool> {
    let changed = db
        .prepare_cached(
            "UPDATE command SET state = 'refused', problem = ?2, answered_at = ?3, parked_by = ?4
             WHERE id = ?1 AND state IN ('waiting', 'sent')",
        )?
        .execute(params![
            id.0,
            serde_json::to_string(problem)?,
            at,
            parked_by.map(|id| id.0)
        ])?;
    Ok(changed == 1)
}

/// A person has seen the refusal.
pub fn mark_done(db: &Connection, id: CommandId) -> Result<()> {
    db.prepare_cached("UPDATE command SET done = 1 WHERE id = ?1 AND state = 'refused'")?
        .execute([id.0])?;
    Ok(())
}

/// A command that only the server can decide, and that it was not reached for: refused as `offline`,
/// which the clerk who asked is told, so that it is no task.
pub fn withdraw(db: &Connection, id: CommandId, at: DateTime<Utc>) -> Result<bool> {
    let problem = Problem::new(Code::Offline);
    let changed = mark_refused(db, id, &problem, at, None)?;
    mark_done(db, id)?;
    Ok(changed)
}

/// After a start: what was on its way is sent again, and nobody waits any more for what only the
/// server could decide.
pub fn restart(db: &Connection, at: DateTime<Utc>) -> Result<()> {
    db.execute(
        "UPDATE command SET state = 'waiting' WHERE state = 'sent'",
        [],
    )?;
    for row in unsent(db)?.into_iter().filter(|row| row.needs_server) {
        withdraw(db, row.id, at)?;
    }
    Ok(())
}

/// The server's past has changed: what it acknowledged since `since` is offered again, in its order,
/// with the same keys; the rest belongs to no event that can still come.
pub fn offer_again(db: &Connection, since: DateTime<Utc>) -> Result<usize> {
    let offered = db.execute(
        "UPDATE command SET state = 'waiting', seq = NULL, needs_server = 0
         WHERE state = 'answered' AND made_at >= ?1
           AND json_extract(body, '$.verb') NOT IN ('renew', 'roll')",
        [since],
    )?;
    db.execute("UPDATE command SET seq = 0 WHERE state = 'answered'", [])?;
    Ok(offered)
}

/// A guest was forgotten: what answered commands say of them goes too (N13). Of a profile written
/// down nothing is kept; of other commands the free text goes.
pub fn forget_guest(db: &Connection, id: GuestId) -> Result<()> {
    db.prepare_cached(
        "DELETE FROM command WHERE state IN ('answered', 'refused')
           AND json_extract(body, '$.verb') = 'put_guest'
           AND json_extract(body, '$.guest_id') = ?1",
    )?
    .execute([id.to_string()])?;
    db.prepare_cached(
        "UPDATE command SET body = json_remove(body, '$.body.notes', '$.body.rooms[0].notes',
             '$.body.rooms[1].notes', '$.body.rooms[2].notes', '$.body.rooms[3].notes')
         WHERE state IN ('answered', 'refused')
           AND json_extract(body, '$.verb') IN ('details', 'confirm')
           AND no IN (SELECT command_no FROM command_touch WHERE subject = ?1)",
    )?
    .execute([format!("guest:{id}")])?;
    Ok(())
}

/// Forgets what was answered or seen before `before`: longer than any server may be set back.
pub fn prune(db: &Connection, before: DateTime<Utc>) -> Result<()> {
    db.execute(
        "DELETE FROM command
         WHERE answered_at < ?1 AND (state = 'answered' OR (state = 'refused' AND done = 1))",
        [before],
    )?;
    Ok(())
}
