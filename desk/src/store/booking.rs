//! Parties.

use protocol::id::{BookingId, ReservationId};
use protocol::row::BookingRow;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;
use super::columns::word;

/// Writes the row. A new party has one room until it is counted: nearly every one keeps it, so that
/// counting all of them after a load has little to write.
pub fn put(db: &Connection, generation: i64, row: &BookingRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO booking (id, gen, number, channel, external_id, created_at, rooms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)
         ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, number = excluded.number,
             channel = excluded.channel, external_id = excluded.external_id,
             created_at = excluded.created_at",
    )?
    .execute(params![
        row.id.0,
        generation,
        row.number,
        row.channel.as_str(),
        row.external_id,
        row.created_at
    ])?;
    Ok(())
}

/// Counts the rooms of a party anew, after its reservations were written.
pub fn count_rooms(db: &Connection, id: BookingId) -> Result<()> {
    db.prepare_cached(
        "UPDATE booking SET rooms = (SELECT count(*) FROM reservation WHERE booking_id = ?1)
         WHERE id = ?1",
    )?
    .execute([id.0])?;
    Ok(())
}

/// Counts the rooms of every party anew, after a load.
pub fn count_all_rooms(db: &Connection) -> Result<()> {
    db.execute(
        "UPDATE booking SET rooms =
             (SELECT count(*) FROM reservation WHERE booking_id = booking.id)
         WHERE rooms <> (SELECT count(*) FROM reservation WHERE booking_id = booking.id)",
        [],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<BookingRow> {
    Ok(BookingRow {
        id: BookingId(row.get("id")?),
        number: row.get("number")?,
        channel: word(row, "channel")?,
        external_id: row.get("external_id")?,
        created_at: row.get("created_at")?,
    })
}

/// One party.
pub fn get(db: &Connection, id: BookingId) -> Result<Option<BookingRow>> {
    Ok(db
        .prepare_cached(
            "SELECT id, number, channel, external_id, created_at FROM booking WHERE id = ?1",
        )?
        .query_row([id.0], read)
        .optional()?)
}

/// The reservations of a party, in the order in which they were made.
pub fn reservations(db: &Connection, id: BookingId) -> Result<Vec<ReservationId>> {
    Ok(db
        .prepare_cached("SELECT id FROM reservation WHERE booking_id = ?1 ORDER BY created_at, id")?
        .query_map([id.0], |row| Ok(ReservationId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// Parties whose number, or whose number at a channel, holds `part` (capital letters). The beginning
/// of either half of a number, or of a channel's, is found by an index; only where that finds nothing
/// is every number looked at.
pub fn with_number(db: &Connection, part: &str, limit: usize) -> Result<Vec<BookingId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let bare = part.replace('-', "");
    // A number typed without its hyphen.
    let halves = match bare.split_at_checked(5) {
        Some((first, second)) if !second.is_empty() => format!("{first}-{second}"),
        _ => part.to_owned(),
    };
    let end = |begin: &str| format!("{begin}\u{10ffff}");
    let mut found = ids(
        db,
        "SELECT id FROM booking WHERE number >= ?1 AND number < ?2
         UNION ALL
         SELECT id FROM booking WHERE substr(number, 7) >= ?3 AND substr(number, 7) < ?4
         UNION ALL
         SELECT id FROM booking
         WHERE external_id IS NOT NULL AND external_id >= ?3 AND external_id < ?4
         LIMIT ?5",
        params![halves, end(&halves), part, end(part), limit],
    )?;
    // Letters alone are more often a name, for which every number need not be looked at.
    if found.is_empty() && part.chars().any(|c| c.is_ascii_digit()) {
        found = ids(
            db,
            "SELECT id FROM booking WHERE instr(number, ?1) > 0
             UNION ALL
             SELECT id FROM booking
             WHERE external_id IS NOT NULL AND instr(upper(external_id), ?1) > 0
             LIMIT ?2",
            params![part, limit],
        )?;
    }
    Ok(found)
}

fn ids(db: &Connection, query: &str, values: impl rusqlite::Params) -> Result<Vec<BookingId>> {
    Ok(db
        .prepare_cached(query)?
        .query_map(values, |row| Ok(BookingId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// Removes the row.
pub fn remove(db: &Connection, id: BookingId) -> Result<()> {
    db.prepare_cached("DELETE FROM booking WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fresh;
    use crate::tests::house;

    #[test]
    fn parties_of_no_one_and_two_rooms_are_counted_after_a_load() {
        let (_dir, store) = fresh();
        let june = |day| chrono::NaiveDate::from_ymd_opt(2027, 6, day).unwrap();
        let counts: Vec<i64> = store
            .write_unchecked(|tx| {
                let mut changes = house::party(1, "Ana", june(1), june(3));
                changes.extend(house::party(2, "Jon", june(1), june(3)));
                let mut second = house::stay(3, june(1), june(3));
                second.booking_id = house::stay(2, june(1), june(3)).booking_id;
                changes.push(house::reservation(second));
                // Its party alone, as where the reservations have left the server's window.
                changes.extend(house::party(4, "Eva", june(1), june(3)).into_iter().take(1));
                crate::store::copy::load_all(tx, 1, &changes)?;
                count_all_rooms(tx)?;
                let mut rooms = tx.prepare("SELECT rooms FROM booking ORDER BY rooms")?;
                let counts = rooms.query_map([], |row| row.get(0))?;
                Ok::<_, crate::store::StoreFault>(counts.collect::<rusqlite::Result<_>>()?)
            })
            .unwrap();
        assert_eq!(counts, [0, 1, 2]);
    }
}
