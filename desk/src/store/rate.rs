//! Prices by night, with the rules of sale.

use chrono::NaiveDate;
use protocol::id::{RatePlanId, RoomTypeId};
use protocol::row::RateRow;
use rusqlite::{Connection, Row, params};

use super::Result;

const COLUMNS: &str = "stay_date, room_type_id, rate_plan_id, price, min_stay, max_stay,
    closed_to_arrival, closed_to_departure, stop_sell";

/// Writes the row.
pub fn put(db: &Connection, generation: i64, row: &RateRow) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO rate (stay_date, room_type_id, rate_plan_id, gen, price, min_stay, max_stay,
             closed_to_arrival, closed_to_departure, stop_sell)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (stay_date, room_type_id, rate_plan_id) DO UPDATE SET gen = excluded.gen,
             price = excluded.price, min_stay = excluded.min_stay, max_stay = excluded.max_stay,
             closed_to_arrival = excluded.closed_to_arrival,
             closed_to_departure = excluded.closed_to_departure, stop_sell = excluded.stop_sell",
    )?
    .execute(params![
        row.stay_date,
        row.room_type_id.0,
        row.rate_plan_id.0,
        generation,
        row.price,
        row.min_stay,
        row.max_stay,
        row.closed_to_arrival,
        row.closed_to_departure,
        row.stop_sell
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<RateRow> {
    Ok(RateRow {
        rate_plan_id: RatePlanId(row.get("rate_plan_id")?),
        room_type_id: RoomTypeId(row.get("room_type_id")?),
        stay_date: row.get("stay_date")?,
        price: row.get("price")?,
        min_stay: row.get("min_stay")?,
        max_stay: row.get("max_stay")?,
        closed_to_arrival: row.get("closed_to_arrival")?,
        closed_to_departure: row.get("closed_to_departure")?,
        stop_sell: row.get("stop_sell")?,
    })
}

/// The rates of the nights in `[from, until]`, the end included because the day of departure may be
/// closed to departures. One plan where there are several: the lowest id, the same on every desk.
pub fn of_stay(db: &Connection, from: NaiveDate, until: NaiveDate) -> Result<Vec<RateRow>> {
    let rows: Vec<RateRow> = db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM rate WHERE stay_date BETWEEN ?1 AND ?2
             ORDER BY rate_plan_id, room_type_id, stay_date"
        ))?
        .query_map(params![from, until], read)?
        .collect::<rusqlite::Result<_>>()?;
    let first = rows.first().map(|row| row.rate_plan_id);
    Ok(rows
        .into_iter()
        .filter(|row| Some(row.rate_plan_id) == first)
        .collect())
}

/// Every row of a type and night.
pub fn of_night(db: &Connection, id: RoomTypeId, night: NaiveDate) -> Result<Vec<RateRow>> {
    Ok(db
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM rate WHERE stay_date = ?1 AND room_type_id = ?2
             ORDER BY rate_plan_id"
        ))?
        .query_map(params![night, id.0], read)?
        .collect::<rusqlite::Result<_>>()?)
}
