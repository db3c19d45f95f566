//! The tape chart's data: rooms down, nights across.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use protocol::id::{ReservationId, RoomId};
use protocol::row::RoomUseRow;
use rusqlite::{Connection, params};

use super::lines::Lines;
use super::position::{cells, end};
use super::schema::{Chart, ChartBar, ChartRequest, StayLine};
use super::{RpcResult, hotel_of, reading};
use crate::desk::Desk;
use crate::store::{room, room_type, room_use};

/// Stays up to so many nights are found by their arrival; the few longer ones by an index of their own.
const LONG: u64 = 31;

/// `chart.get`.
pub(super) async fn get(desk: &Desk, request: ChartRequest) -> RpcResult<Chart> {
    let until = end(request.from, request.nights)?;
    reading(desk, move |db| chart(db, request.from, until)).await
}

fn chart(db: &Connection, from: NaiveDate, until: NaiveDate) -> RpcResult<Chart> {
    let hotel = hotel_of(db)?;
    let lines = Lines::new(db, hotel.business_date)?;
    let uses = room_use::between(db, from, until)?;
    let mut rooms_of: HashMap<ReservationId, Vec<RoomUseRow>> = HashMap::new();
    for place in &uses {
        if let Some(id) = place.reservation_id {
            rooms_of.entry(id).or_default().push(place.clone());
        }
    }
    let with_rooms = lines.select_bare(
        "WHERE r.id IN (SELECT u.reservation_id FROM room_use u
             WHERE u.until_date > ?1 AND u.until_date <= ?3 AND u.from_date < ?2
               AND u.reservation_id IS NOT NULL
             UNION ALL
             SELECT u.reservation_id FROM room_use u
             WHERE u.nights > 31 AND u.until_date > ?3 AND u.from_date < ?2
               AND u.reservation_id IS NOT NULL)",
        params![
            from,
            until,
            until.checked_add_days(Days::new(LONG)).unwrap_or(until)
        ],
    )?;
    let mut stays: HashMap<ReservationId, StayLine> = HashMap::with_capacity(with_rooms.len());
    for mut line in with_rooms {
        if let Some(uses) = rooms_of.get_mut(&line.id) {
            uses.sort_by_key(|place| place.from);
            lines.set_room(&mut line, uses);
        }
        stays.insert(line.id, line);
    }
    let bars = uses
        .into_iter()
        .map(|place| {
            let stay = place.reservation_id.and_then(|id| stays.get(&id).cloned());
            bar(place, stay)
        })
        .collect();
    Ok(Chart {
        business_date: hotel.business_date,
        types: room_type::sold(db)?,
        rooms: room::all(db)?,
        bars,
        unassigned: unassigned(&lines, from, until)?,
        cells: cells(db, from, until)?,
    })
}

/// A use of a room as a bar.
pub(super) fn bar(place: RoomUseRow, stay: Option<StayLine>) -> ChartBar {
    ChartBar {
        id: place.id,
        room_id: place.room_id,
        from: place.from,
        until: place.until,
        kind: place.kind,
        reason: place.reason,
        stay,
    }
}

/// Stays that touch the window and have no room at all.
fn unassigned(lines: &Lines<'_>, from: NaiveDate, until: NaiveDate) -> RpcResult<Vec<StayLine>> {
    let earliest = from.checked_sub_days(Days::new(LONG)).unwrap_or(from);
    const BARE: &str = "r.share_of IS NULL AND NOT EXISTS (SELECT 1 FROM room_use u WHERE u.reservation_id = r.id)";
    // A stay of no night shows on its day.
    let mut found = lines.select_bare(
        &format!(
            "WHERE r.live = 1 AND r.check_in >= ?1 AND r.check_in < ?3
               AND (r.check_out > ?2 OR r.check_in >= ?2) AND {BARE}"
        ),
        params![earliest, from, until],
    )?;
    let long = lines.select_bare(
        &format!(
            "WHERE r.live = 1 AND r.nights > 31 AND r.check_out > ?2 AND r.check_in < ?1 AND {BARE}"
        ),
        params![earliest, from],
    )?;
    found.extend(long);
    found.sort_by_cached_key(|line| (line.check_in, line.guest_name.to_lowercase(), line.id));
    Ok(found)
}

/// Every room, for callers that look for a free one.
pub(super) fn by_room(uses: Vec<RoomUseRow>) -> HashMap<RoomId, Vec<RoomUseRow>> {
    let mut by_room: HashMap<RoomId, Vec<RoomUseRow>> = HashMap::new();
    for place in uses {
        by_room.entry(place.room_id).or_default().push(place);
    }
    by_room
}
