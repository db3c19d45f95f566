//! The limits of nights: rooms out of order, percent and rooms above the rooms (N1).
//!
//! Every statement writes `over_limit` anew as what stands above the limit, so that it grows when a
//! limit sinks and shrinks when it rises. What is sold is moved in [`super::inventory`].

use chrono::NaiveDate;
use protocol::code::{Code, NightProblem, Problem};
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::row::NightRow;
use uuid::Uuid;

use crate::db::command::Work;
use crate::error::ApiError;

struct Counter {
    room_type_id: Uuid,
    stay_date: NaiveDate,
    total: i32,
    out_of_order: i32,
    reserved: i32,
    over_limit: i32,
    overbook_pct: i32,
    overbook_rooms: i32,
}

impl From<Counter> for NightRow {
    fn from(row: Counter) -> Self {
        Self {
            room_type_id: RoomTypeId(row.room_type_id),
            stay_date: row.stay_date,
            total: row.total,
            out_of_order: row.out_of_order,
            reserved: row.reserved,
            over_limit: row.over_limit,
            overbook_pct: row.overbook_pct,
            overbook_rooms: row.overbook_rooms,
        }
    }
}

/// Puts counters into the event, ordered by type and night.
fn changed(work: &mut Work<'_>, rows: Vec<Counter>) {
    let mut rows: Vec<NightRow> = rows.into_iter().map(NightRow::from).collect();
    rows.sort_by_key(|row| (row.room_type_id, row.stay_date));
    for row in rows {
        work.changed(Change::Night { row });
    }
}

/// Counts one room of a type out of order (`rooms` 1) or back in order (-1) on these nights. What then
/// stands above the limit is washed down. A house that is capped below its rooms counts no more out of
/// order than it has.
pub(crate) async fn out_of_order(
    work: &mut Work<'_>,
    room_type: RoomTypeId,
    nights: &[NaiveDate],
    rooms: i32,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let of_type = sqlx::query_as!(
        Counter,
        "UPDATE room_night AS n
         SET out_of_order = n.out_of_order + $4,
             over_limit = greatest(0, n.reserved - sell_limit_v1(
                 n.total, n.out_of_order + $4, n.overbook_pct, n.overbook_rooms))
         WHERE n.hotel_id = $1 AND n.room_type_id = $2 AND n.stay_date = ANY($3)
         RETURNING n.room_type_id, n.stay_date, n.total, n.out_of_order, n.reserved, n.over_limit,
                   n.overbook_pct, n.overbook_rooms",
        hotel,
        room_type.0,
        nights,
        rooms,
    )
    .fetch_all(work.conn())
    .await?;
    if of_type.len() != nights.len() {
        let closed = nights
            .iter()
            .filter(|night| !of_type.iter().any(|row| row.stay_date == **night))
            .map(|night| NightProblem {
                room_type_id: room_type,
                stay_date: *night,
            })
            .collect();
        return Err(Problem::new(Code::NotOpen).nights(closed).into());
    }
    let of_house = sqlx::query_as!(
        Counter,
        "UPDATE room_night AS n
         SET out_of_order = least(n.total, d.rooms),
             over_limit = greatest(0, n.reserved - sell_limit_v1(
                 n.total, least(n.total, d.rooms), n.overbook_pct, n.overbook_rooms))
         FROM (SELECT t.stay_date, sum(t.out_of_order)::integer AS rooms
               FROM room_night AS t
               WHERE t.hotel_id = $1 AND t.stay_date = ANY($3) AND t.room_type_id <> $2
               GROUP BY t.stay_date) AS d
         WHERE n.hotel_id = $1 AND n.room_type_id = $2 AND n.stay_date = d.stay_date
         RETURNING n.room_type_id, n.stay_date, n.total, n.out_of_order, n.reserved, n.over_limit,
                   n.overbook_pct, n.overbook_rooms",
        hotel,
        RoomTypeId::HOUSE.0,
        nights,
    )
    .fetch_all(work.conn())
    .await?;
    changed(work, of_house);
    changed(work, of_type);
    Ok(())
}

/// The counters of a type (or the house) on these nights, in order; nights that are not open are left
/// out.
pub(crate) async fn counters(
    work: &mut Work<'_>,
    room_type: RoomTypeId,
    nights: &[NaiveDate],
) -> Result<Vec<NightRow>, ApiError> {
    let hotel = work.hotel().0;
    let rows = sqlx::query_as!(
        Counter,
        "SELECT n.room_type_id, n.stay_date, n.total, n.out_of_order, n.reserved, n.over_limit,
                n.overbook_pct, n.overbook_rooms
         FROM room_night AS n
         WHERE n.hotel_id = $1 AND n.room_type_id = $2 AND n.stay_date = ANY($3)
         ORDER BY n.stay_date",
        hotel,
        room_type.0,
        nights,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(rows.into_iter().map(NightRow::from).collect())
}

/// Sets percent and rooms above the rooms for these nights of a type or the house; what then stands
/// above the limit is washed down. Nights whose limit does not change are left alone.
pub(crate) async fn set_overbooking(
    work: &mut Work<'_>,
    room_type: RoomTypeId,
    nights: &[NaiveDate],
    overbook_pct: i32,
    overbook_rooms: i32,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let rows = sqlx::query_as!(
        Counter,
        "UPDATE room_night AS n
         SET overbook_pct = $4, overbook_rooms = $5,
             over_limit = greatest(0, n.reserved - sell_limit_v1(
                 n.total, n.out_of_order, $4, $5))
         WHERE n.hotel_id = $1 AND n.room_type_id = $2 AND n.stay_date = ANY($3)
           AND (n.overbook_pct, n.overbook_rooms) IS DISTINCT FROM ($4, $5)
         RETURNING n.room_type_id, n.stay_date, n.total, n.out_of_order, n.reserved, n.over_limit,
                   n.overbook_pct, n.overbook_rooms",
        hotel,
        room_type.0,
        nights,
        overbook_pct,
        overbook_rooms,
    )
    .fetch_all(work.conn())
    .await?;
    changed(work, rows);
    Ok(())
}
