//! Reservations with their nights.

use chrono::NaiveDate;
use protocol::id::{BookingId, GuestId, RatePlanId, ReservationId, RoomTypeId};
use protocol::row::{ReservationNight, ReservationRow};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;
use super::columns::{json, word};

const COLUMNS: &str = "no, id, booking_id, state, check_in, check_out, room_type_id, adults,
    children, guest_id, further_guest_ids, guarantee, release_at, hold_expires_at, rate_plan_id,
    segment, expected_time, do_not_move, day_use, share_of, checked_in_at, checked_out_at, notes,
    version, created_at, lateness, early_departure_fee, no_show_fee";

/// Writes the row and its nights.
pub fn put(db: &Connection, generation: i64, row: &ReservationRow) -> Result<()> {
    // What was given back when the guest left early is not paid for (B41).
    let total: i64 = row
        .nights
        .iter()
        .filter(|night| (row.check_in..row.check_out).contains(&night.stay_date))
        .map(|night| night.price)
        .sum();
    let first = row.nights.first().map(|night| night.room_type_id);
    let one_type = first.filter(|id| row.nights.iter().all(|night| night.room_type_id == *id));
    let known: Option<i64> = db
        .prepare_cached("SELECT no FROM reservation WHERE id = ?1")?
        .query_row([row.id.0], |found| found.get(0))
        .optional()?;
    // An empty list is by far the commonest: not worth a serializer's round.
    let children = if row.children.is_empty() {
        "[]".to_owned()
    } else {
        serde_json::to_string(&row.children)?
    };
    let further = if row.further_guest_ids.is_empty() {
        "[]".to_owned()
    } else {
        serde_json::to_string(&row.further_guest_ids)?
    };
    let values = params![
        known,
        row.id.0,
        generation,
        row.booking_id.0,
        row.state.as_str(),
        row.check_in,
        row.check_out,
        row.room_type_id.0,
        row.adults,
        children,
        row.guest_id.map(|id| id.0),
        further,
        row.guarantee.as_str(),
        row.release_at,
        row.hold_expires_at,
        row.rate_plan_id.map(|id| id.0),
        row.segment.as_str(),
        row.expected_time,
        row.do_not_move,
        row.day_use,
        row.share_of.map(|id| id.0),
        row.checked_in_at,
        row.checked_out_at,
        row.notes,
        row.version,
        row.created_at,
        row.state.holds_nights(),
        (row.check_out - row.check_in).num_days(),
        total,
        one_type.map(|id| id.0),
        row.lateness.as_str(),
        row.early_departure_fee,
        row.no_show_fee
    ];
    let no = match known {
        None => {
            db.prepare_cached(
                "INSERT INTO reservation (no, id, gen, booking_id, state, check_in, check_out,
                     room_type_id, adults, children, guest_id, further_guest_ids, guarantee,
                     release_at, hold_expires_at, rate_plan_id, segment, expected_time, do_not_move,
                     day_use, share_of, checked_in_at, checked_out_at, notes, version, created_at,
                     live, nights, total, night_type_id, lateness, early_departure_fee,
                     no_show_fee)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                     ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33)",
            )?
            .execute(values)?;
            db.last_insert_rowid()
        }
        Some(no) => {
            db.prepare_cached(
                "UPDATE reservation SET id = ?2, gen = ?3, booking_id = ?4, state = ?5,
                     check_in = ?6, check_out = ?7, room_type_id = ?8, adults = ?9, children = ?10,
                     guest_id = ?11, further_guest_ids = ?12, guarantee = ?13, release_at = ?14,
                     hold_expires_at = ?15, rate_plan_id = ?16, segment = ?17, expected_time = ?18,
                     do_not_move = ?19, day_use = ?20, share_of = ?21, checked_in_at = ?22,
                     checked_out_at = ?23, notes = ?24, version = ?25, created_at = ?26, live = ?27,
                     nights = ?28, total = ?29, night_type_id = ?30, lateness = ?31,
                     early_departure_fee = ?32, no_show_fee = ?33
                 WHERE no = ?1",
            )?
            .execute(values)?;
            db.prepare_cached("DELETE FROM reservation_night WHERE reservation_no = ?1")?
                .execute([no])?;
            db.prepare_cached("DELETE FROM further_guest WHERE reservation_no = ?1")?
                .execute([no])?;
            no
        }
    };
    if !row.nights.is_empty() {
        let mut insert = db.prepare_cached(
            "INSERT INTO reservation_night (reservation_no, stay_date, room_type_id,
                 charged_type_id, price, counted, shared) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for night in &row.nights {
            insert.execute(params![
                no,
                night.stay_date,
                night.room_type_id.0,
                night.charged_type_id.0,
                night.price,
                night.counted,
                night.shared
            ])?;
        }
    }
    for guest in &row.further_guest_ids {
        db.prepare_cached(
            "INSERT OR IGNORE INTO further_guest (guest_id, reservation_no) VALUES (?1, ?2)",
        )?
        .execute(params![guest.0, no])?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, ReservationRow)> {
    let children: String = row.get("children")?;
    let further: String = row.get("further_guest_ids")?;
    Ok((
        row.get("no")?,
        ReservationRow {
            id: ReservationId(row.get("id")?),
            booking_id: BookingId(row.get("booking_id")?),
            state: word(row, "state")?,
            check_in: row.get("check_in")?,
            check_out: row.get("check_out")?,
            room_type_id: RoomTypeId(row.get("room_type_id")?),
            adults: row.get("adults")?,
            children: json(&children)?,
            guest_id: row.get::<_, Option<_>>("guest_id")?.map(GuestId),
            further_guest_ids: json(&further)?,
            guarantee: word(row, "guarantee")?,
            release_at: row.get("release_at")?,
            hold_expires_at: row.get("hold_expires_at")?,
            rate_plan_id: row.get::<_, Option<_>>("rate_plan_id")?.map(RatePlanId),
            segment: word(row, "segment")?,
            expected_time: row.get("expected_time")?,
            do_not_move: row.get("do_not_move")?,
            day_use: row.get("day_use")?,
            share_of: row.get::<_, Option<_>>("share_of")?.map(ReservationId),
            checked_in_at: row.get("checked_in_at")?,
            checked_out_at: row.get("checked_out_at")?,
            notes: row.get("notes")?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            lateness: word(row, "lateness")?,
            early_departure_fee: row.get("early_departure_fee")?,
            no_show_fee: row.get("no_show_fee")?,
            nights: Vec::new(),
        },
    ))
}

/// One reservation with its nights.
pub fn get(db: &Connection, id: ReservationId) -> Result<Option<ReservationRow>> {
    let found = db
        .prepare_cached(&format!("SELECT {COLUMNS} FROM reservation WHERE id = ?1"))?
        .query_row([id.0], read)
        .optional()?;
    let Some((no, mut row)) = found else {
        return Ok(None);
    };
    row.nights = nights(db, no)?;
    Ok(Some(row))
}

fn nights(db: &Connection, no: i64) -> Result<Vec<ReservationNight>> {
    Ok(db
        .prepare_cached(
            "SELECT stay_date, room_type_id, charged_type_id, price, counted, shared
             FROM reservation_night WHERE reservation_no = ?1 ORDER BY stay_date",
        )?
        .query_map([no], |row| {
            Ok(ReservationNight {
                stay_date: row.get(0)?,
                room_type_id: RoomTypeId(row.get(1)?),
                charged_type_id: RoomTypeId(row.get(2)?),
                price: row.get(3)?,
                counted: row.get(4)?,
                shared: row.get(5)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?)
}

/// The type in whose count a stay of several types stands on the first night from `from` on.
pub fn type_on(db: &Connection, no: i64, from: NaiveDate) -> Result<Option<RoomTypeId>> {
    Ok(db
        .prepare_cached(
            "SELECT room_type_id FROM reservation_night
             WHERE reservation_no = ?1 AND stay_date >= ?2 ORDER BY stay_date LIMIT 1",
        )?
        .query_row(params![no, from], |row| Ok(RoomTypeId(row.get(0)?)))
        .optional()?)
}

/// How many rooms are on hold, by type and night, in `[from, until)`.
pub fn on_hold(
    db: &Connection,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<(RoomTypeId, NaiveDate, i32)>> {
    Ok(db
        .prepare_cached(
            "SELECT n.room_type_id, n.stay_date, count(*)
             FROM reservation r JOIN reservation_night n ON n.reservation_no = r.no
             WHERE r.state = 'held' AND n.counted = 1 AND n.stay_date >= ?1 AND n.stay_date < ?2
             GROUP BY n.stay_date, n.room_type_id",
        )?
        .query_map(params![from, until], |row| {
            Ok((RoomTypeId(row.get(0)?), row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?)
}

/// Removes the row and its nights.
pub fn remove(db: &Connection, id: ReservationId) -> Result<()> {
    db.prepare_cached(
        "DELETE FROM reservation_night
         WHERE reservation_no = (SELECT no FROM reservation WHERE id = ?1)",
    )?
    .execute([id.0])?;
    db.prepare_cached(
        "DELETE FROM further_guest
         WHERE reservation_no = (SELECT no FROM reservation WHERE id = ?1)",
    )?
    .execute([id.0])?;
    db.prepare_cached("DELETE FROM reservation WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}
