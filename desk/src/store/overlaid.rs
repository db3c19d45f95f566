//! Taking the copy back to the server's own state, and laying the clerk's commands on it again.
//!
//! The screens read the same tables in which the server's rows stand. Before a command's effect is
//! written over a row, the server's row is put aside here; before anything from the server is
//! applied, all of them are put back. Both happen in the transaction of whatever changes, so no
//! reader ever sees one without the other (N10).

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use protocol::event::{Change, Subject};
use rusqlite::{Connection, params};

use super::{Result, StoreFault, command, copy, meta};
use crate::sync::{overlay, picture};

/// The subjects whose rows a change of the overlay touched, for telling the screens.
pub type Touched = BTreeSet<String>;

/// A thing's name in tables: `reservation:<id>`, `night:<type>:<date>`.
pub fn subject_key(subject: Subject) -> String {
    match subject {
        Subject::Hotel => "hotel".to_owned(),
        Subject::RoomType(id) => format!("room_type:{id}"),
        Subject::Room(id) => format!("room:{id}"),
        Subject::Rate(plan, id, date) => format!("rate:{plan}:{id}:{date}"),
        Subject::Night(id, date) => format!("night:{id}:{date}"),
        Subject::Booking(id) => format!("booking:{id}"),
        Subject::Reservation(id) => format!("reservation:{id}"),
        Subject::RoomUse(id) => format!("room_use:{id}"),
        Subject::Guest(id) => format!("guest:{id}"),
        Subject::Staff(id) => format!("staff:{id}"),
    }
}

fn parse(key: &str) -> Option<Subject> {
    if key == "hotel" {
        return Some(Subject::Hotel);
    }
    let (kind, rest) = key.split_once(':')?;
    let dated = || -> Option<_> {
        let (id, date) = rest.split_once(':')?;
        Some((id.parse().ok()?, date.parse::<NaiveDate>().ok()?))
    };
    Some(match kind {
        "room_type" => Subject::RoomType(rest.parse().ok()?),
        "room" => Subject::Room(rest.parse().ok()?),
        "rate" => {
            let (plan, rest) = rest.split_once(':')?;
            let (id, date) = rest.split_once(':')?;
            Subject::Rate(plan.parse().ok()?, id.parse().ok()?, date.parse().ok()?)
        }
        "night" => dated().map(|(id, date)| Subject::Night(id, date))?,
        "booking" => Subject::Booking(rest.parse().ok()?),
        "reservation" => Subject::Reservation(rest.parse().ok()?),
        "room_use" => Subject::RoomUse(rest.parse().ok()?),
        "guest" => Subject::Guest(rest.parse().ok()?),
        "staff" => Subject::Staff(rest.parse().ok()?),
        _ => return None,
    })
}

/// Puts the server's own rows back, each with the number of the snapshot by which it came.
pub fn rewind(db: &Connection) -> Result<Touched> {
    let aside: Vec<(String, i64, Option<String>)> = db
        .prepare_cached("SELECT subject, gen, image FROM overlaid")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if aside.is_empty() {
        return Ok(Touched::new());
    }
    let mut images: BTreeMap<i64, Vec<Change>> = BTreeMap::new();
    for (key, generation, image) in &aside {
        match image {
            Some(text) => images
                .entry(*generation)
                .or_default()
                .push(serde_json::from_str(text)?),
            None => {
                let subject = parse(key)
                    .ok_or_else(|| StoreFault::Content(format!("overlaid subject {key}")))?;
                copy::remove(db, subject)?;
            }
        }
    }
    for (generation, images) in &images {
        copy::put_all(db, *generation, images)?;
    }
    db.execute("DELETE FROM overlaid", [])?;
    Ok(aside.into_iter().map(|(key, ..)| key).collect())
}

/// Lays the clerk's commands on the server's rows, in their order.
pub fn replay(db: &Connection, generation: i64, cursor: i64) -> Result<Touched> {
    let mut touched = Touched::new();
    for row in command::overlay(db, cursor)? {
        let picture = picture::gather(db, &row)?;
        let changes = overlay::apply(&row, &picture);
        for change in &changes {
            let key = subject_key(change.subject());
            if touched.insert(key.clone()) {
                let image = copy::image(db, change.subject())?
                    .map(|image| serde_json::to_string(&image))
                    .transpose()?;
                let came_by = copy::generation(db, change.subject())?.unwrap_or(generation);
                db.prepare_cached(
                    "INSERT INTO overlaid (subject, gen, image) VALUES (?1, ?2, ?3)
                     ON CONFLICT (subject) DO NOTHING",
                )?
                .execute(params![key, came_by, image])?;
            }
        }
        copy::put_all(db, generation, &changes)?;
    }
    Ok(touched)
}

/// The queue changed and nothing else: back to the server's rows, and the commands on top again.
pub fn refresh(db: &Connection) -> Result<Touched> {
    let state = meta::copy_state(db)?;
    let mut touched = rewind(db)?;
    touched.extend(replay(db, state.generation, state.cursor)?);
    Ok(touched)
}
