//! Closing the day: what is still open, the statistics of the day, and the date itself.

use chrono::NaiveDate;
use protocol::code::Code;
use protocol::event::Change;
use protocol::id::{ReservationId, RoomTypeId};

use crate::db::catalog;
use crate::db::command::Work;
use crate::error::ApiError;

/// Reservations whose guests should have come by today and neither came nor were given up, in the
/// order of their ids.
pub(crate) async fn open_arrivals(work: &mut Work<'_>) -> Result<Vec<ReservationId>, ApiError> {
    let (hotel, today) = (work.hotel().0, work.business_date);
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND check_in <= $2 AND state = 'confirmed' ORDER BY reservation_id",
        hotel,
        today,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}

/// Guests in house who should have left by today, in the order of their ids.
pub(crate) async fn open_departures(work: &mut Work<'_>) -> Result<Vec<ReservationId>, ApiError> {
    let (hotel, today) = (work.hotel().0, work.business_date);
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND check_out <= $2 AND state = 'checked_in' ORDER BY reservation_id",
        hotel,
        today,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}

/// Writes the day's statistics, once for each type and the house. Occupied are the rooms in which a
/// guest sleeps tonight, the complimentary ones and those of the house's own use among them and told
/// apart: a no-show's kept night is counted and not occupied, who shares a room occupies none. Arrivals and departures
/// are those of the day's stays, day use included; revenue is what the occupied nights cost.
pub(crate) async fn write_statistics(work: &mut Work<'_>) -> Result<(), ApiError> {
    let (hotel, today, now) = (work.hotel().0, work.business_date, work.now);
    sqlx::query!(
        "INSERT INTO daily_statistics (hotel_id, business_date, room_type_id, total, out_of_order,
             occupied, arrivals, departures, no_shows, room_revenue, complimentary, house_use, closed_at)
         WITH slept AS (
             SELECT n.room_type_id, count(*) FILTER (WHERE n.counted)::integer AS occupied,
                    count(*) FILTER (WHERE n.counted AND r.segment = 'complimentary')::integer AS complimentary,
                    count(*) FILTER (WHERE n.counted AND r.segment = 'house_use')::integer AS house_use,
                    sum(n.price)::bigint AS room_revenue
             FROM reservation AS r
             JOIN reservation_night AS n ON n.hotel_id = $1 AND n.reservation_id = r.reservation_id
             WHERE r.hotel_id = $1 AND r.state = 'checked_in' AND n.stay_date = $2
               AND (n.counted OR n.shared)
             GROUP BY n.room_type_id
         ), moved AS (
             SELECT coalesce(n.room_type_id, r.room_type_id) AS room_type_id,
                    count(*) FILTER (WHERE r.check_in = $2 AND r.state IN ('checked_in', 'checked_out'))::integer AS arrivals,
                    count(*) FILTER (WHERE r.check_out = $2 AND r.state = 'checked_out')::integer AS departures,
                    count(*) FILTER (WHERE r.check_in = $2 AND r.state = 'no_show')::integer AS no_shows
             FROM reservation AS r
             LEFT JOIN LATERAL (
                 SELECT l.room_type_id FROM reservation_night AS l
                 WHERE l.hotel_id = $1 AND l.reservation_id = r.reservation_id AND l.stay_date <= $2
                 ORDER BY l.stay_date DESC LIMIT 1
             ) AS n ON true
             WHERE r.hotel_id = $1 AND (r.check_in = $2 OR r.check_out = $2) AND r.share_of IS NULL
             GROUP BY 1
         ), by_type AS (
             SELECT t.room_type_id, coalesce(c.total, 0) AS total, coalesce(c.out_of_order, 0) AS out_of_order,
                    coalesce(s.occupied, 0) AS occupied, coalesce(m.arrivals, 0) AS arrivals,
                    coalesce(m.departures, 0) AS departures, coalesce(m.no_shows, 0) AS no_shows,
                    coalesce(s.room_revenue, 0) AS room_revenue,
                    coalesce(s.complimentary, 0) AS complimentary, coalesce(s.house_use, 0) AS house_use
             FROM room_type AS t
             LEFT JOIN room_night AS c
               ON c.hotel_id = $1 AND c.room_type_id = t.room_type_id AND c.stay_date = $2
             LEFT JOIN slept AS s ON s.room_type_id = t.room_type_id
             LEFT JOIN moved AS m ON m.room_type_id = t.room_type_id
             WHERE t.hotel_id = $1
         )
         SELECT $1, $2, b.room_type_id, b.total, b.out_of_order, b.occupied, b.arrivals, b.departures,
                b.no_shows, b.room_revenue, b.complimentary, b.house_use, $4::timestamptz
         FROM by_type AS b WHERE b.room_type_id <> $3
         UNION ALL
         SELECT $1, $2, h.room_type_id, h.total, h.out_of_order, s.occupied, s.arrivals, s.departures,
                s.no_shows, s.room_revenue, s.complimentary, s.house_use, $4::timestamptz
         FROM by_type AS h
         CROSS JOIN (
             SELECT coalesce(sum(b.occupied), 0)::integer AS occupied,
                    coalesce(sum(b.arrivals), 0)::integer AS arrivals,
                    coalesce(sum(b.departures), 0)::integer AS departures,
                    coalesce(sum(b.no_shows), 0)::integer AS no_shows,
                    coalesce(sum(b.room_revenue), 0)::bigint AS room_revenue,
                    coalesce(sum(b.complimentary), 0)::integer AS complimentary,
                    coalesce(sum(b.house_use), 0)::integer AS house_use
             FROM by_type AS b WHERE b.room_type_id <> $3
         ) AS s
         WHERE h.room_type_id = $3",
        hotel,
        today,
        RoomTypeId::HOUSE.0,
        now,
    )
    .execute(work.conn())
    .await?;
    Ok(())
}

/// Opens a day. The day it follows is named, so that no day is skipped.
pub(crate) async fn open_day(
    work: &mut Work<'_>,
    after: NaiveDate,
    day: NaiveDate,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let done = sqlx::query!(
        "UPDATE hotel_head SET business_date = $3 WHERE hotel_id = $1 AND business_date = $2",
        hotel,
        after,
        day,
    )
    .execute(work.conn())
    .await?;
    crate::db::inventory::expect_rows(done.rows_affected(), 1)
}

/// The hotel as it stands, with its open day, for the event.
pub(crate) async fn hotel_changed(work: &mut Work<'_>) -> Result<(), ApiError> {
    let hotel = work.hotel();
    let row = catalog::hotel(work.conn(), hotel)
        .await?
        .ok_or_else(|| ApiError::refused(Code::NotFound))?;
    work.changed(Change::Hotel { row });
    Ok(())
}
