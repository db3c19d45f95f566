//! What is for sale, read without a lock: a picture of one moment, which only a hold makes binding.

use chrono::NaiveDate;
use protocol::id::{HotelId, RoomTypeId};
use protocol::row::NightRow;
use sqlx::PgPool;

use crate::error::ApiError;

/// One night of one type, as for sale at this moment.
#[derive(Clone, Debug)]
pub(crate) struct OpenNight {
    /// The counter. Holds that have run out are taken off, whether or not they were swept (N7).
    pub(crate) row: NightRow,
    /// The hotel's first plan.
    pub(crate) price: Option<i64>,
    /// Least nights for a stay that arrives on this night.
    pub(crate) min_stay: Option<i32>,
    /// Most nights for a stay that arrives on this night.
    pub(crate) max_stay: Option<i32>,
    /// Nobody may arrive.
    pub(crate) closed_to_arrival: bool,
    /// Nobody may depart.
    pub(crate) closed_to_departure: bool,
    /// Not sold at all.
    pub(crate) stop_sell: bool,
}

/// The types that are sold, in the hotel's order, and its currency.
pub(crate) async fn types(
    reads: &PgPool,
    hotel: HotelId,
) -> Result<(String, Vec<RoomTypeId>), ApiError> {
    let row = sqlx::query!(
        r#"SELECT h.currency, array(
            SELECT t.room_type_id FROM room_type t
            WHERE t.hotel_id = h.hotel_id AND t.active AND NOT t.house
            ORDER BY t.sort, t.code) AS "types!"
           FROM hotel h WHERE h.hotel_id = $1"#,
        hotel.0,
    )
    .fetch_optional(reads)
    .await?
    .ok_or_else(|| ApiError::refused(protocol::code::Code::NotFound))?;
    Ok((
        row.currency,
        row.types.into_iter().map(RoomTypeId).collect(),
    ))
}

/// The nights from `from` to and including `until`, of every type and of the house, in one
/// statement. Nights that are gone, or not yet open, are absent.
pub(crate) async fn nights(
    reads: &PgPool,
    hotel: HotelId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<OpenNight>, ApiError> {
    let rows = sqlx::query!(
        r#"WITH ran_out AS MATERIALIZED (
            SELECT n.room_type_id, n.stay_date, count(*)::integer AS rooms
            FROM reservation r
            JOIN reservation_night n
                ON n.hotel_id = r.hotel_id AND n.reservation_id = r.reservation_id AND n.counted
            WHERE r.hotel_id = $1 AND r.state = 'held' AND r.hold_expires_at <= clock_timestamp()
              AND n.stay_date BETWEEN $2 AND $3
            GROUP BY n.room_type_id, n.stay_date
        )
        SELECT n.room_type_id, n.stay_date, n.total, n.out_of_order, n.over_limit, n.overbook_pct,
            n.overbook_rooms,
            (n.reserved - coalesce((
                SELECT sum(o.rooms) FROM ran_out o
                WHERE o.stay_date = n.stay_date AND (o.room_type_id = n.room_type_id
                    OR n.room_type_id = '00000000-0000-0000-0000-000000000000')), 0))::integer
                AS "reserved!",
            t.price AS "price?", t.min_stay AS "min_stay?", t.max_stay AS "max_stay?",
            coalesce(t.closed_to_arrival, false) AS "closed_to_arrival!",
            coalesce(t.closed_to_departure, false) AS "closed_to_departure!",
            coalesce(t.stop_sell, false) AS "stop_sell!"
        FROM hotel_head h
        JOIN room_night n ON n.hotel_id = h.hotel_id
        LEFT JOIN rate t
            ON t.hotel_id = n.hotel_id AND t.room_type_id = n.room_type_id AND t.stay_date = n.stay_date
            AND t.rate_plan_id = (SELECT p.rate_plan_id FROM rate_plan p
                WHERE p.hotel_id = $1 ORDER BY p.sort, p.code LIMIT 1)
        WHERE h.hotel_id = $1 AND n.stay_date BETWEEN $2 AND $3 AND n.stay_date >= h.business_date
        ORDER BY n.room_type_id, n.stay_date"#,
        hotel.0,
        from,
        until,
    )
    .fetch_all(reads)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| OpenNight {
            row: NightRow {
                room_type_id: RoomTypeId(row.room_type_id),
                stay_date: row.stay_date,
                total: row.total,
                out_of_order: row.out_of_order,
                reserved: row.reserved,
                over_limit: row.over_limit,
                overbook_pct: row.overbook_pct,
                overbook_rooms: row.overbook_rooms,
            },
            price: row.price,
            min_stay: row.min_stay,
            max_stay: row.max_stay,
            closed_to_arrival: row.closed_to_arrival,
            closed_to_departure: row.closed_to_departure,
            stop_sell: row.stop_sell,
        })
        .collect())
}
