//! Tonight's and other nights' positions, per type and for the house.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use protocol::id::RoomTypeId;
use protocol::row::NightRow;
use rusqlite::Connection;

use super::schema::{PositionAnswer, PositionCell, PositionRequest};
use super::{RpcResult, invalid, reading};
use crate::desk::Desk;
use crate::store::{night, reservation, room_type};

/// The most nights asked for at once.
pub(super) const NIGHTS_MAX: i32 = 400;

/// `position.get`.
pub(super) async fn get(desk: &Desk, request: PositionRequest) -> RpcResult<PositionAnswer> {
    let until = end(request.from, request.nights)?;
    reading(desk, move |db| {
        Ok(PositionAnswer {
            cells: cells(db, request.from, until)?,
        })
    })
    .await
}

/// The end of a window of nights.
pub(super) fn end(from: NaiveDate, nights: i32) -> RpcResult<NaiveDate> {
    let count = u64::try_from(nights)
        .ok()
        .filter(|_| (1..=NIGHTS_MAX).contains(&nights));
    count
        .and_then(|count| from.checked_add_days(Days::new(count)))
        .ok_or_else(|| invalid("/nights", "must be 1 to 400"))
}

/// Night by night, types in the hotel's order and the house last.
pub(super) fn cells(
    db: &Connection,
    from: NaiveDate,
    until: NaiveDate,
) -> RpcResult<Vec<PositionCell>> {
    let types = room_type::sold(db)?;
    let order: HashMap<RoomTypeId, (usize, &str)> = types
        .iter()
        .enumerate()
        .map(|(place, row)| (row.id, (place, row.code.as_str())))
        .chain([(RoomTypeId::HOUSE, (types.len(), "House"))])
        .collect();
    let mut held: HashMap<(RoomTypeId, NaiveDate), i32> = HashMap::new();
    for (id, date, rooms) in reservation::on_hold(db, from, until)? {
        *held.entry((id, date)).or_default() += rooms;
        *held.entry((RoomTypeId::HOUSE, date)).or_default() += rooms;
    }
    let mut nights: Vec<NightRow> = night::between(db, from, until)?;
    nights.retain(|row| order.contains_key(&row.room_type_id));
    nights.sort_by_key(|row| (row.stay_date, order[&row.room_type_id].0));
    let mut cells = Vec::with_capacity(nights.len());
    for of_night in nights.chunk_by(|a, b| a.stay_date == b.stay_date) {
        let house = of_night.iter().find(|row| row.room_type_id.is_house());
        let house_left = house.map_or(i64::MAX, NightRow::left);
        let types_left: i64 = of_night
            .iter()
            .filter(|row| !row.room_type_id.is_house())
            .map(|row| row.left().max(0))
            .sum();
        for row in of_night {
            let on_hold = held
                .get(&(row.room_type_id, row.stay_date))
                .copied()
                .unwrap_or(0);
            let left = row.left();
            cells.push(PositionCell {
                room_type_id: row.room_type_id,
                code: order[&row.room_type_id].1.to_owned(),
                stay_date: row.stay_date,
                total: row.total,
                out_of_order: row.out_of_order,
                sold: (row.reserved - on_hold).max(0),
                on_hold,
                // No rooms are lent to desks yet: all that is reserved is sold or on hold.
                lent: 0,
                limit: row.limit(),
                left,
                binds: if row.room_type_id.is_house() {
                    left < types_left
                } else {
                    left <= house_left
                },
            });
        }
    }
    Ok(cells)
}
