//! `sync-server verify`: recounts from the tables what must always be true, and says every difference.
//!
//! It reads one snapshot, so that it may run beside a working hotel.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use chrono::NaiveDate;
use protocol::code::Problem;
use protocol::event::{Change, Subject};
use protocol::id::{HotelId, ReservationId, RoomTypeId};
use protocol::row::ReservationRow;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::{Db, verify as sql};
use crate::error::ApiError;

#[cfg(test)]
mod random_walk;
#[cfg(test)]
mod tests;

/// How many rows are read at a time.
const PAGE: i64 = 1_000;

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The hotel's short name.
    pub hotel: String,
    /// The invariant of the design that it breaks: `N2`.
    pub invariant: &'static str,
    /// What is wrong, with ids, nights and numbers, never a guest's name.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.hotel, self.invariant, self.what)
    }
}

/// Recounts every hotel. Nothing found means that nothing is wrong with what is looked at: counters
/// and limits (N1, N2), nights and states (N3, N6), keys (N5), the log and its images (N9, N13) and
/// rooms (N11).
///
/// # Errors
/// When the database cannot be read.
pub async fn verify(db: &Db) -> Result<Vec<Difference>, ApiError> {
    let mut tx = sql::snapshot(db).await?;
    let mut found = Vec::new();
    for (hotel, slug) in sql::hotels(&mut tx).await? {
        let mut note = |invariant: &'static str, what: Vec<String>| {
            found.extend(what.into_iter().map(|what| Difference {
                hotel: slug.clone(),
                invariant,
                what,
            }));
        };
        note("N1", sql::ceiling(&mut tx, hotel).await?);
        note("N2", sql::reserved(&mut tx, hotel).await?);
        note("N2", sql::house(&mut tx, hotel).await?);
        note("N2", sql::rooms(&mut tx, hotel).await?);
        note("N3", sql::nights(&mut tx, hotel).await?);
        note("N2", sql::shares(&mut tx, hotel).await?);
        note("N11", sql::room_uses(&mut tx, hotel).await?);
        note("N9", sql::log(&mut tx, hotel).await?);
        let log = Log::read(&mut tx, hotel).await?;
        note("N2", log.uncounted.clone());
        note("N13", log.personal.clone());
        note("N9", log.compare(&mut tx, hotel).await?);
        note("N5", keys(&mut tx, hotel, &log).await?);
    }
    Ok(found)
}

/// The log read to its end: the newest image of everything in it.
struct Log {
    newest: HashMap<Subject, Change>,
    actors: HashMap<i64, Uuid>,
    oldest_seq: i64,
    newest_seq: i64,
    unread: Vec<String>,
    uncounted: Vec<String>,
    personal: Vec<String>,
}

/// A counter: a type, or the house, and a night.
type Key = (RoomTypeId, NaiveDate);

impl Log {
    async fn read(conn: &mut PgConnection, hotel: HotelId) -> Result<Self, ApiError> {
        let mut log = Self {
            newest: HashMap::new(),
            actors: HashMap::new(),
            oldest_seq: 0,
            newest_seq: 0,
            unread: Vec::new(),
            uncounted: Vec::new(),
            personal: Vec::new(),
        };
        loop {
            let page = sql::stored_events(conn, hotel, log.newest_seq, PAGE).await?;
            if page.is_empty() {
                return Ok(log);
            }
            for event in page {
                log.take(event);
            }
        }
    }

    fn take(&mut self, event: sql::StoredEvent) {
        if self.newest_seq == 0 {
            self.oldest_seq = event.seq;
        }
        self.newest_seq = event.seq;
        self.actors.insert(event.seq, event.actor);
        let changes: Vec<Change> = match serde_json::from_str(&event.changes) {
            Ok(changes) => changes,
            Err(error) => {
                self.unread
                    .push(format!("event {} cannot be read: {error}", event.seq));
                return;
            }
        };
        let mut moved: BTreeMap<Key, i64> = BTreeMap::new();
        let mut before: BTreeMap<Key, i32> = BTreeMap::new();
        for change in changes {
            let personal = match &change {
                Change::Guest { .. } => true,
                Change::Reservation { row } => !row.notes.is_empty(),
                _ => false,
            };
            if personal {
                self.personal.push(format!(
                    "event {} holds a guest or a note: {:?}",
                    event.seq,
                    change.subject()
                ));
            }
            if let Change::Reservation { row } = &change {
                count(row, 1, &mut moved);
            }
            match self.newest.insert(change.subject(), change) {
                Some(Change::Reservation { row }) => count(&row, -1, &mut moved),
                Some(Change::Night { row }) => {
                    before.insert((row.room_type_id, row.stay_date), row.reserved);
                }
                _ => {}
            }
        }
        // The first image of a reservation says what it counts, not what it counted before: only a
        // log that is whole can be added up event by event.
        if self.oldest_seq == 1 {
            self.add_up(event.seq, &moved, &before);
        }
    }

    /// N2 after every event, and not only at the end: what its reservations count more or less is
    /// what its counters say more or less.
    fn add_up(&mut self, seq: i64, moved: &BTreeMap<Key, i64>, before: &BTreeMap<Key, i32>) {
        for (key, moved) in moved.iter().filter(|(_, moved)| **moved != 0) {
            match (
                self.newest.get(&Subject::Night(key.0, key.1)),
                before.get(key),
            ) {
                (None, _) => self.uncounted.push(format!(
                    "event {seq} moves {moved} of {} on {} and no counter",
                    key.0, key.1
                )),
                (Some(Change::Night { row }), Some(before))
                    if i64::from(row.reserved) - i64::from(*before) != *moved =>
                {
                    self.uncounted.push(format!(
                        "event {seq} moves {moved} of {} on {} and its counter from {before} to {}",
                        key.0, key.1, row.reserved
                    ));
                }
                _ => {}
            }
        }
    }

    /// Whether what the log said last of each thing is what the tables say: a reader who upserts the
    /// log ends with the tables.
    async fn compare(
        &self,
        conn: &mut PgConnection,
        hotel: HotelId,
    ) -> Result<Vec<String>, ApiError> {
        let mut differ = self.unread.clone();
        let mut present: HashSet<Subject> = HashSet::new();
        let mut look = |change: Change| {
            let subject = change.subject();
            if let Some(logged) = self.newest.get(&subject)
                && *logged != change
            {
                differ.push(format!("the log says {logged:?}, the tables {change:?}"));
            }
            present.insert(subject);
        };
        for row in sql::counters(conn, hotel).await? {
            look(Change::Night { row });
        }
        for row in sql::uses(conn, hotel).await? {
            look(Change::RoomUse { row });
        }
        let mut after = ReservationId(Uuid::nil());
        loop {
            let page = sql::reservations(conn, hotel, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for row in page {
                look(sql::image(row));
            }
        }
        for (subject, logged) in &self.newest {
            let kept = matches!(
                logged,
                Change::Night { .. } | Change::RoomUse { .. } | Change::Reservation { .. }
            );
            if kept && !present.contains(subject) {
                differ.push(format!("the log says {logged:?}, the tables nothing"));
            }
        }
        if let Some(Change::Hotel { row }) = self.newest.get(&Subject::Hotel) {
            let open = sql::business_date(conn, hotel).await?;
            if open != Some(row.business_date) {
                differ.push(format!(
                    "the log says that {} is open, the tables {open:?}",
                    row.business_date
                ));
            }
        }
        Ok(differ)
    }
}

/// Adds (or takes) what a reservation counts, of its types and of the house.
fn count(row: &ReservationRow, rooms: i64, counted: &mut BTreeMap<Key, i64>) {
    for night in row.nights.iter().filter(|night| night.counted) {
        for of in [night.room_type_id, RoomTypeId::HOUSE] {
            *counted.entry((of, night.stay_date)).or_default() += rooms;
        }
    }
}

/// N5: only final answers are stored, each is the answer to one event or a refusal.
async fn keys(conn: &mut PgConnection, hotel: HotelId, log: &Log) -> Result<Vec<String>, ApiError> {
    #[derive(serde::Deserialize)]
    struct Done {
        seq: i64,
    }
    let mut wrong = Vec::new();
    let mut seen: HashMap<i64, String> = HashMap::new();
    let mut after = (Uuid::nil(), String::new());
    loop {
        let page = sql::stored_answers(conn, hotel, &after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(wrong);
        };
        after = (last.actor, last.key.clone());
        for stored in page {
            let mut say = |what: String| wrong.push(format!("key {}: {what}", stored.key));
            if stored.request_hash.len() != 32 {
                say(format!("a hash of {} bytes", stored.request_hash.len()));
            }
            match stored.status {
                200..=299 => match serde_json::from_str::<Done>(&stored.answer) {
                    Err(error) => say(format!("an answer without a number: {error}")),
                    Ok(done) => {
                        if done.seq > log.newest_seq {
                            say(format!(
                                "answered with event {}, which is not there",
                                done.seq
                            ));
                        } else if done.seq >= log.oldest_seq
                            && log.actors.get(&done.seq) != Some(&stored.actor)
                        {
                            say(format!("answered with event {} of somebody else", done.seq));
                        }
                        if let Some(other) = seen.insert(done.seq, stored.key.clone()) {
                            say(format!("answered with event {}, as was {other}", done.seq));
                        }
                    }
                },
                429 | 500.. => say(format!("status {} is no final answer", stored.status)),
                status => match serde_json::from_str::<Problem>(&stored.answer) {
                    Ok(problem) if i32::from(problem.status) == status => {}
                    Ok(problem) => say(format!(
                        "status {status} and a problem with {}",
                        problem.status
                    )),
                    Err(error) => say(format!("a refusal that cannot be read: {error}")),
                },
            }
        }
    }
}
