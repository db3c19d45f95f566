//! Opening nights ahead.

use chrono::NaiveDate;
use protocol::id::{HotelId, RatePlanId, RoomTypeId};
use protocol::row::{NightRow, RateRow};
use sqlx::{PgConnection, PgPool};

use crate::error::ApiError;

/// Where a hotel's window ends and where it should.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The first night that has no counter yet.
    pub(crate) next: NaiveDate,
    /// The first night that needs none: business date and window.
    pub(crate) until: NaiveDate,
    /// Counters per night: types and the house.
    pub(crate) counters: i64,
}

/// The window as it stands with this open day.
pub(crate) async fn window(
    conn: &mut PgConnection,
    hotel: HotelId,
    business_date: NaiveDate,
) -> Result<Window, ApiError> {
    Ok(sqlx::query_as!(
        Window,
        r#"SELECT
            coalesce((SELECT max(stay_date) + 1 FROM room_night
                      WHERE hotel_id = $1 AND room_type_id = $3), $2) AS "next!",
            ($2 + window_days) AS "until!",
            (SELECT count(*) FROM room_type WHERE hotel_id = $1) AS "counters!"
           FROM hotel WHERE hotel_id = $1"#,
        hotel.0,
        business_date,
        RoomTypeId::HOUSE.0,
    )
    .fetch_one(conn)
    .await?)
}

/// The hotels whose window is short by at least a night.
pub(crate) async fn short_windows(pool: &PgPool) -> Result<Vec<HotelId>, ApiError> {
    let ids = sqlx::query_scalar!(
        "SELECT hotel.hotel_id FROM hotel
         JOIN hotel_head AS head ON head.hotel_id = hotel.hotel_id
         WHERE NOT EXISTS (SELECT FROM room_night
                           WHERE room_night.hotel_id = hotel.hotel_id AND room_type_id = $1
                             AND stay_date = head.business_date + window_days - 1)
         ORDER BY hotel.hotel_id",
        RoomTypeId::HOUSE.0,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(HotelId).collect())
}

/// Makes the counters of every type and the house for `[from, until)`: the rooms that exist, less
/// those out of order, with the limits that the types begin with.
pub(crate) async fn open_nights(
    conn: &mut PgConnection,
    hotel: HotelId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<NightRow>, ApiError> {
    let rows = sqlx::query!(
        r#"WITH night AS (
               SELECT day::date AS stay_date
               FROM generate_series($2::date, $3::date - 1, interval '1 day') AS day
           ), out AS (
               SELECT room.room_type_id, night.stay_date, count(DISTINCT room.room_id) AS rooms
               FROM night
               JOIN room_use ON room_use.hotel_id = $1 AND kind = 'out_of_order' AND during @> night.stay_date
               JOIN room ON room.hotel_id = room_use.hotel_id AND room.room_id = room_use.room_id AND room.active
               GROUP BY room.room_type_id, night.stay_date
           ), counter AS (
               SELECT t.room_type_id, night.stay_date, t.overbook_pct, t.overbook_rooms,
                      (SELECT count(*) FROM room
                       WHERE room.hotel_id = $1 AND room.room_type_id = t.room_type_id AND room.active) AS total,
                      coalesce(out.rooms, 0) AS out_of_order
               FROM room_type AS t CROSS JOIN night
               LEFT JOIN out ON out.room_type_id = t.room_type_id AND out.stay_date = night.stay_date
               WHERE t.hotel_id = $1 AND NOT t.house
           ), house AS (
               SELECT t.room_type_id, counter.stay_date, t.overbook_pct, t.overbook_rooms,
                      least(sum(counter.total), t.total_cap) AS total,
                      least(sum(counter.out_of_order), sum(counter.total), t.total_cap) AS out_of_order
               FROM room_type AS t CROSS JOIN counter
               WHERE t.hotel_id = $1 AND t.house
               GROUP BY t.room_type_id, counter.stay_date, t.overbook_pct, t.overbook_rooms, t.total_cap
           )
           INSERT INTO room_night (hotel_id, room_type_id, stay_date, total, out_of_order, overbook_pct, overbook_rooms)
           SELECT $1, room_type_id, stay_date, total, out_of_order, overbook_pct, overbook_rooms FROM counter
           UNION ALL
           SELECT $1, room_type_id, stay_date, total, out_of_order, overbook_pct, overbook_rooms FROM house
           RETURNING room_type_id, stay_date, total, out_of_order, reserved, over_limit, overbook_pct, overbook_rooms"#,
        hotel.0,
        from,
        until,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| NightRow {
            room_type_id: RoomTypeId(row.room_type_id),
            stay_date: row.stay_date,
            total: row.total,
            out_of_order: row.out_of_order,
            reserved: row.reserved,
            over_limit: row.over_limit,
            overbook_pct: row.overbook_pct,
            overbook_rooms: row.overbook_rooms,
        })
        .collect())
}

/// Gives the nights of `[from, until)` that have no price the plan's own.
pub(crate) async fn open_rates(
    conn: &mut PgConnection,
    hotel: HotelId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<RateRow>, ApiError> {
    let rows = sqlx::query!(
        "INSERT INTO rate (hotel_id, rate_plan_id, room_type_id, stay_date, price)
         SELECT hotel_id, rate_plan_id, room_type_id, day::date, price
         FROM rate_base CROSS JOIN generate_series($2::date, $3::date - 1, interval '1 day') AS day
         WHERE hotel_id = $1
         ON CONFLICT (hotel_id, rate_plan_id, room_type_id, stay_date) DO NOTHING
         RETURNING rate_plan_id, room_type_id, stay_date, price",
        hotel.0,
        from,
        until,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| RateRow {
            rate_plan_id: RatePlanId(row.rate_plan_id),
            room_type_id: RoomTypeId(row.room_type_id),
            stay_date: row.stay_date,
            price: row.price,
            min_stay: None,
            max_stay: None,
            closed_to_arrival: false,
            closed_to_departure: false,
            stop_sell: false,
        })
        .collect())
}

/// Makes empty counters of a new type, for every night that the house has from a date on.
pub(crate) async fn open_type(
    conn: &mut PgConnection,
    hotel: HotelId,
    room_type: RoomTypeId,
    from: NaiveDate,
) -> Result<Vec<NightRow>, ApiError> {
    let rows = sqlx::query!(
        "INSERT INTO room_night (hotel_id, room_type_id, stay_date, total, overbook_pct, overbook_rooms)
         SELECT house.hotel_id, t.room_type_id, house.stay_date, 0, t.overbook_pct, t.overbook_rooms
         FROM room_night AS house
         JOIN room_type AS t ON t.hotel_id = house.hotel_id AND t.room_type_id = $2
         WHERE house.hotel_id = $1 AND house.room_type_id = $3 AND house.stay_date >= $4
         RETURNING stay_date, overbook_pct, overbook_rooms",
        hotel.0,
        room_type.0,
        RoomTypeId::HOUSE.0,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| NightRow {
            room_type_id: room_type,
            stay_date: row.stay_date,
            total: 0,
            out_of_order: 0,
            reserved: 0,
            over_limit: 0,
            overbook_pct: row.overbook_pct,
            overbook_rooms: row.overbook_rooms,
        })
        .collect())
}
