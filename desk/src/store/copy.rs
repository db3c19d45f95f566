//! The copy as a whole: any row by its subject, and laying a new snapshot over the old rows.

use std::collections::BTreeSet;

use protocol::event::{Change, Subject};
use protocol::id::BookingId;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    Result, booking, command, guest, hotel, night, rate, reservation, room, room_type, room_use,
    staff,
};

/// Writes the new state of each thing, and counts the rooms of the parties touched.
pub fn put_all<'a>(
    db: &Connection,
    generation: i64,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Result<()> {
    let mut parties = BTreeSet::new();
    for change in changes {
        put(db, generation, change)?;
        parties.extend(party_of(change));
    }
    for party in parties {
        booking::count_rooms(db, party)?;
    }
    Ok(())
}

/// As [`put_all`] for a page of a snapshot, where parties are counted once at the end.
pub fn load_all(db: &Connection, generation: i64, changes: &[Change]) -> Result<()> {
    changes
        .iter()
        .try_for_each(|change| put(db, generation, change))
}

fn party_of(change: &Change) -> Option<BookingId> {
    match change {
        Change::Booking { row } => Some(row.id),
        Change::Reservation { row } => Some(row.booking_id),
        _ => None,
    }
}

fn put(db: &Connection, generation: i64, change: &Change) -> Result<()> {
    match change {
        Change::Hotel { row } => hotel::put(db, generation, row),
        Change::RoomType { row } => room_type::put(db, generation, row),
        Change::Room { row } => room::put(db, generation, row),
        Change::Rate { row } => rate::put(db, generation, row),
        Change::Night { row } => night::put(db, generation, row),
        Change::Booking { row } => booking::put(db, generation, row),
        Change::Reservation { row } => reservation::put(db, generation, row),
        Change::RoomUse { row } => room_use::put(db, generation, row),
        Change::RoomUseRemoved { id } => room_use::remove(db, *id),
        // The pull joins the present row; a reference that reached a desk says nothing by itself.
        Change::GuestRef { .. } => Ok(()),
        Change::Guest { row } => {
            if row.erased {
                command::forget_guest(db, row.id)?;
            }
            guest::put(db, generation, row)
        }
        Change::Staff { row } => staff::put(db, generation, row),
    }
}

/// The present row of a thing that commands may overlay. Prices, types and staff never are.
pub fn image(db: &Connection, subject: Subject) -> Result<Option<Change>> {
    Ok(match subject {
        Subject::Hotel => hotel::get(db)?.map(|row| Change::Hotel { row }),
        Subject::Room(id) => room::get(db, id)?.map(|row| Change::Room { row }),
        Subject::Night(id, date) => night::get(db, id, date)?.map(|row| Change::Night { row }),
        Subject::Booking(id) => booking::get(db, id)?.map(|row| Change::Booking { row }),
        Subject::Reservation(id) => {
            reservation::get(db, id)?.map(|row| Change::Reservation { row: Box::new(row) })
        }
        Subject::RoomUse(id) => room_use::get(db, id)?.map(|row| Change::RoomUse { row }),
        Subject::Guest(id) => guest::get(db, id)?.map(|row| Change::Guest { row }),
        Subject::RoomType(_) | Subject::Rate(..) | Subject::Staff(_) => None,
    })
}

/// The snapshot by which the present row of a thing came.
pub fn generation(db: &Connection, subject: Subject) -> Result<Option<i64>> {
    let (table, id) = match subject {
        Subject::Hotel => {
            return Ok(db
                .prepare_cached("SELECT gen FROM hotel LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?);
        }
        Subject::Night(id, date) => {
            return Ok(db
                .prepare_cached("SELECT gen FROM night WHERE stay_date = ?1 AND room_type_id = ?2")?
                .query_row(params![date, id.0], |row| row.get(0))
                .optional()?);
        }
        Subject::Room(id) => ("room", id.0),
        Subject::Booking(id) => ("booking", id.0),
        Subject::Reservation(id) => ("reservation", id.0),
        Subject::RoomUse(id) => ("room_use", id.0),
        Subject::Guest(id) => ("guest", id.0),
        Subject::RoomType(_) | Subject::Rate(..) | Subject::Staff(_) => return Ok(None),
    };
    Ok(db
        .prepare_cached(&format!("SELECT gen FROM {table} WHERE id = ?1"))?
        .query_row([id], |row| row.get(0))
        .optional()?)
}

/// Removes a thing that only a command had made.
pub fn remove(db: &Connection, subject: Subject) -> Result<()> {
    match subject {
        Subject::Hotel => hotel::remove(db),
        Subject::Room(id) => room::remove(db, id),
        Subject::Night(id, date) => night::remove(db, id, date),
        Subject::Booking(id) => booking::remove(db, id),
        Subject::Reservation(id) => reservation::remove(db, id),
        Subject::RoomUse(id) => room_use::remove(db, id),
        Subject::Guest(id) => guest::remove(db, id),
        Subject::RoomType(id) => room_type::remove(db, id),
        Subject::Rate(..) => Ok(()),
        Subject::Staff(id) => staff::remove(db, id),
    }
}

/// The tables that a snapshot brings, children before parents.
const LOADED: [&str; 10] = [
    "room_use",
    "reservation",
    "booking",
    "guest",
    "night",
    "rate",
    "room",
    "room_type",
    "staff",
    "hotel",
];

/// Ends a load: removes what the new snapshot did not bring, and counts the parties.
pub fn finish_load(db: &Connection, generation: i64) -> Result<()> {
    let mut guests_gone = 0;
    for table in LOADED {
        if table == "reservation" {
            // Keys are off while loading, so nothing cascades.
            for child in ["reservation_night", "further_guest"] {
                db.execute(
                    &format!(
                        "DELETE FROM {child} WHERE reservation_no IN
                             (SELECT no FROM reservation WHERE gen <> ?1)"
                    ),
                    [generation],
                )?;
            }
        }
        let gone = db.execute(
            &format!("DELETE FROM {table} WHERE gen <> ?1"),
            [generation],
        )?;
        if table == "guest" {
            guests_gone = gone;
        }
    }
    if guests_gone > 0 {
        guest::rebuild_index(db)?;
    }
    booking::count_all_rooms(db)
}

/// Keys between tables that do not hold: table and how many rows. Empty for a whole copy.
pub fn broken_keys(db: &Connection) -> Result<Vec<(String, usize)>> {
    let tables: Vec<String> = db
        .prepare("PRAGMA foreign_key_check")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut counted: Vec<(String, usize)> = Vec::new();
    for table in tables {
        match counted.iter_mut().find(|(name, _)| *name == table) {
            Some((_, count)) => *count += 1,
            None => counted.push((table, 1)),
        }
    }
    Ok(counted)
}
