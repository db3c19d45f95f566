//! Hotels, types and rooms as they stand, and what changes them.

use chrono::NaiveDate;
use protocol::id::{HotelId, RoomId, RoomTypeId, RoomUseId};
use protocol::row::{HotelRow, NightRow, RoomRow, RoomTypeRow};
use sqlx::{PgConnection, PgExecutor};

use super::images::word;
use crate::error::ApiError;

/// The hotel with its open day.
pub(crate) async fn hotel(
    db: impl PgExecutor<'_>,
    hotel: HotelId,
) -> Result<Option<HotelRow>, ApiError> {
    let row = sqlx::query!(
        "SELECT name, slug, time_zone, currency, business_date, check_in_time, check_out_time,
                release_time, hold_minutes, hold_minutes_max, window_days, auto_release,
                no_show_nights
         FROM hotel JOIN hotel_head AS head ON head.hotel_id = hotel.hotel_id
         WHERE hotel.hotel_id = $1",
        hotel.0,
    )
    .fetch_optional(db)
    .await?;
    row.map(|row| {
        Ok(HotelRow {
            id: hotel,
            name: row.name,
            slug: row.slug,
            time_zone: row.time_zone,
            currency: row.currency,
            business_date: row.business_date,
            check_in_time: row.check_in_time,
            check_out_time: row.check_out_time,
            release_time: row.release_time,
            hold_minutes: row.hold_minutes,
            hold_minutes_max: row.hold_minutes_max,
            window_days: row.window_days,
            auto_release: row.auto_release,
            no_show_nights: word(&row.no_show_nights)?,
        })
    })
    .transpose()
}

/// Every type but the house, in the order of their ids.
pub(crate) async fn room_types(
    db: impl PgExecutor<'_>,
    hotel: HotelId,
) -> Result<Vec<RoomTypeRow>, ApiError> {
    let rows = sqlx::query!(
        "SELECT room_type_id, code, name, max_occupancy, sort, active FROM room_type
         WHERE hotel_id = $1 AND NOT house ORDER BY room_type_id",
        hotel.0,
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| RoomTypeRow {
            id: RoomTypeId(row.room_type_id),
            code: row.code,
            name: row.name,
            max_occupancy: row.max_occupancy,
            sort: row.sort,
            active: row.active,
        })
        .collect())
}

/// Rooms in the order of their ids, from after one on.
pub(crate) async fn rooms_after(
    db: impl PgExecutor<'_>,
    hotel: HotelId,
    after: RoomId,
    limit: i64,
) -> Result<Vec<RoomRow>, ApiError> {
    let rows = sqlx::query!(
        "SELECT room_id, room_type_id, number, floor, status, features, active, version FROM room
         WHERE hotel_id = $1 AND room_id > $2 ORDER BY room_id LIMIT $3",
        hotel.0,
        after.0,
        limit,
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(RoomRow {
                id: RoomId(row.room_id),
                room_type_id: RoomTypeId(row.room_type_id),
                number: row.number,
                floor: row.floor,
                status: word(&row.status)?,
                features: row.features,
                active: row.active,
                version: row.version,
            })
        })
        .collect()
}

/// One room.
pub(crate) async fn room(
    db: impl PgExecutor<'_>,
    hotel: HotelId,
    room: RoomId,
) -> Result<Option<RoomRow>, ApiError> {
    let row = sqlx::query!(
        "SELECT room_type_id, number, floor, status, features, active, version FROM room
         WHERE hotel_id = $1 AND room_id = $2",
        hotel.0,
        room.0,
    )
    .fetch_optional(db)
    .await?;
    row.map(|row| {
        Ok(RoomRow {
            id: room,
            room_type_id: RoomTypeId(row.room_type_id),
            number: row.number,
            floor: row.floor,
            status: word(&row.status)?,
            features: row.features,
            active: row.active,
            version: row.version,
        })
    })
    .transpose()
}

/// Whether another type has this code.
pub(crate) async fn code_taken(
    conn: &mut PgConnection,
    hotel: HotelId,
    code: &str,
    but: RoomTypeId,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM room_type
                          WHERE hotel_id = $1 AND code = $2 AND room_type_id <> $3) AS "taken!""#,
        hotel.0,
        code,
        but.0,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether another room has this number.
pub(crate) async fn number_taken(
    conn: &mut PgConnection,
    hotel: HotelId,
    number: &str,
    but: RoomId,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM room
                          WHERE hotel_id = $1 AND number = $2 AND room_id <> $3) AS "taken!""#,
        hotel.0,
        number,
        but.0,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether the type has rooms that are counted.
pub(crate) async fn has_rooms(
    conn: &mut PgConnection,
    hotel: HotelId,
    room_type: RoomTypeId,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM room
                          WHERE hotel_id = $1 AND room_type_id = $2 AND active) AS "has!""#,
        hotel.0,
        room_type.0,
    )
    .fetch_one(conn)
    .await?)
}

/// A type that is sold, and not the house.
pub(crate) async fn is_type(
    conn: &mut PgConnection,
    hotel: HotelId,
    room_type: RoomTypeId,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM room_type
                          WHERE hotel_id = $1 AND room_type_id = $2 AND active AND NOT house) AS "is!""#,
        hotel.0,
        room_type.0,
    )
    .fetch_one(conn)
    .await?)
}

/// Writes a type; `true` when it is new and has no nights yet.
pub(crate) async fn put_room_type(
    conn: &mut PgConnection,
    hotel: HotelId,
    row: &RoomTypeRow,
    overbook_pct: i32,
    overbook_rooms: i32,
) -> Result<bool, ApiError> {
    let changed = sqlx::query!(
        "UPDATE room_type SET code = $3, name = $4, max_occupancy = $5, sort = $6, active = $7,
                overbook_pct = $8, overbook_rooms = $9
         WHERE hotel_id = $1 AND room_type_id = $2",
        hotel.0,
        row.id.0,
        row.code,
        row.name,
        row.max_occupancy,
        row.sort,
        row.active,
        overbook_pct,
        overbook_rooms,
    )
    .execute(&mut *conn)
    .await?;
    if changed.rows_affected() == 1 {
        return Ok(false);
    }
    sqlx::query!(
        "INSERT INTO room_type (hotel_id, room_type_id, code, name, max_occupancy, sort, active,
                                overbook_pct, overbook_rooms)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        hotel.0,
        row.id.0,
        row.code,
        row.name,
        row.max_occupancy,
        row.sort,
        row.active,
        overbook_pct,
        overbook_rooms,
    )
    .execute(conn)
    .await?;
    Ok(true)
}

/// Writes a room.
pub(crate) async fn put_room(
    conn: &mut PgConnection,
    hotel: HotelId,
    row: &RoomRow,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO room (hotel_id, room_id, room_type_id, number, floor, status, features, active, version)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (hotel_id, room_id) DO UPDATE SET
            room_type_id = excluded.room_type_id, number = excluded.number, floor = excluded.floor,
            features = excluded.features, active = excluded.active, version = excluded.version",
        hotel.0,
        row.id.0,
        row.room_type_id.0,
        row.number,
        row.floor,
        row.status.as_str(),
        &row.features,
        row.active,
        row.version,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A use of the room that has not ended on this date.
pub(crate) async fn use_from(
    conn: &mut PgConnection,
    hotel: HotelId,
    room: RoomId,
    date: NaiveDate,
) -> Result<Option<RoomUseId>, ApiError> {
    let id = sqlx::query_scalar!(
        "SELECT room_use_id FROM room_use
         WHERE hotel_id = $1 AND room_id = $2 AND upper(during) > $3
         ORDER BY lower(during) LIMIT 1",
        hotel.0,
        room.0,
        date,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(RoomUseId))
}

/// The nights from a date on whose counters would not bear `rooms` fewer.
pub(crate) async fn nights_that_need(
    conn: &mut PgConnection,
    hotel: HotelId,
    room_type: RoomTypeId,
    from: NaiveDate,
    rooms: i32,
) -> Result<Vec<NaiveDate>, ApiError> {
    Ok(sqlx::query_scalar!(
        "SELECT stay_date FROM room_night
         WHERE hotel_id = $1 AND room_type_id = $2 AND stay_date >= $3
           AND (out_of_order > total - $4
                OR reserved - over_limit > sell_limit_v1(total - $4, out_of_order, overbook_pct, overbook_rooms))
         ORDER BY stay_date",
        hotel.0,
        room_type.0,
        from,
        rooms,
    )
    .fetch_all(conn)
    .await?)
}

/// Adds rooms to the counters of a type from a date on. What a raised limit covers is over it no more.
pub(crate) async fn add_to_total(
    conn: &mut PgConnection,
    hotel: HotelId,
    room_type: RoomTypeId,
    from: NaiveDate,
    rooms: i32,
) -> Result<Vec<NightRow>, ApiError> {
    let rows = sqlx::query!(
        r#"UPDATE room_night SET total = total + $4,
               over_limit = least(over_limit, greatest(0,
                   reserved - sell_limit_v1(total + $4, out_of_order, overbook_pct, overbook_rooms)))::integer
           WHERE hotel_id = $1 AND room_type_id = $2 AND stay_date >= $3
           RETURNING stay_date, total, out_of_order, reserved, over_limit, overbook_pct, overbook_rooms"#,
        hotel.0,
        room_type.0,
        from,
        rooms,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| NightRow {
            room_type_id: room_type,
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

/// How many rooms the house counts now, and the most that it may count.
pub(crate) async fn house_rooms(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<(i32, Option<i32>), ApiError> {
    let row = sqlx::query!(
        r#"SELECT (SELECT count(*) FROM room WHERE hotel_id = $1 AND active)::integer AS "rooms!",
                  total_cap
           FROM room_type WHERE hotel_id = $1 AND house"#,
        hotel.0,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.rooms, row.total_cap))
}
