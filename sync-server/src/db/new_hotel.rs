//! Making a hotel: what is inserted once.

use chrono::NaiveDate;
use protocol::id::{HotelId, RatePlanId, RoomId, RoomTypeId, StaffId};
use protocol::role::Role;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::catalog::spec::HotelSpec;
use crate::error::ApiError;

/// Names the advisory lock under which hotels are made, so that no two get one slug. A unique index
/// would have to be led by the hotel's id.
const HOTEL_LOCK: i64 = 0x6e69_6768_7465;

/// The calendar date of a time zone at this moment, by the database's clock.
pub(crate) async fn today(conn: &mut PgConnection, time_zone: &str) -> Result<NaiveDate, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT (clock_timestamp() AT TIME ZONE $1)::date AS "today!""#,
        time_zone
    )
    .fetch_one(conn)
    .await?)
}

/// Whether the slug is taken; nobody else can take it until this transaction ends.
pub(crate) async fn slug_taken(conn: &mut PgConnection, slug: &str) -> Result<bool, ApiError> {
    sqlx::query!("SELECT pg_advisory_xact_lock($1)", HOTEL_LOCK)
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM hotel WHERE slug = $1) AS "taken!""#,
        slug
    )
    .fetch_one(conn)
    .await?)
}

/// The hotel and its head, with an empty log and a new past.
pub(crate) async fn insert_hotel(
    conn: &mut PgConnection,
    hotel: HotelId,
    spec: &HotelSpec,
    business_date: NaiveDate,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO hotel (hotel_id, name, slug, time_zone, currency, check_in_time, check_out_time,
            release_time, hold_minutes, hold_minutes_max, window_days, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())",
        hotel.0,
        spec.name,
        spec.slug,
        spec.time_zone,
        spec.currency,
        spec.check_in_time,
        spec.check_out_time,
        spec.release_time,
        spec.hold_minutes,
        spec.hold_minutes_max,
        spec.window_days,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO hotel_head (hotel_id, seq, last_event_id, epoch, business_date)
         VALUES ($1, 0, NULL, $2, $3)",
        hotel.0,
        Uuid::new_v4(),
        business_date,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One type to be inserted, the house included.
#[derive(Debug)]
pub(crate) struct NewType<'s> {
    pub(crate) id: RoomTypeId,
    pub(crate) code: &'s str,
    pub(crate) name: &'s str,
    pub(crate) max_occupancy: i32,
    pub(crate) sort: i32,
    pub(crate) total: i32,
    pub(crate) total_cap: Option<i32>,
    pub(crate) overbook_pct: i32,
    pub(crate) overbook_rooms: i32,
}

/// A type with a counter for every night of `[from, until)`.
pub(crate) async fn insert_type(
    conn: &mut PgConnection,
    hotel: HotelId,
    new: &NewType<'_>,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO room_type (hotel_id, room_type_id, code, name, max_occupancy, sort, house,
            overbook_pct, overbook_rooms, total_cap)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        hotel.0,
        new.id.0,
        new.code,
        new.name,
        new.max_occupancy,
        new.sort,
        new.id.is_house(),
        new.overbook_pct,
        new.overbook_rooms,
        new.total_cap,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO room_night (hotel_id, room_type_id, stay_date, total, overbook_pct, overbook_rooms)
         SELECT $1, $2, night::date, $3, $4, $5
         FROM generate_series($6::date, $7::date - 1, interval '1 day') AS night",
        hotel.0,
        new.id.0,
        new.total,
        new.overbook_pct,
        new.overbook_rooms,
        from,
        until,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One room to be inserted.
#[derive(Debug)]
pub(crate) struct NewRoom {
    pub(crate) id: RoomId,
    pub(crate) room_type_id: RoomTypeId,
    pub(crate) number: String,
    pub(crate) floor: String,
    pub(crate) features: Vec<String>,
}

/// A clean room. Its type's counters are the caller's business.
pub(crate) async fn insert_room(
    conn: &mut PgConnection,
    hotel: HotelId,
    new: &NewRoom,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO room (hotel_id, room_id, room_type_id, number, floor, status, features)
         VALUES ($1, $2, $3, $4, $5, 'clean', $6)",
        hotel.0,
        new.id.0,
        new.room_type_id.0,
        new.number,
        new.floor,
        &new.features,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A price plan.
pub(crate) async fn insert_rate_plan(
    conn: &mut PgConnection,
    hotel: HotelId,
    plan: RatePlanId,
    code: &str,
    name: &str,
    sort: i32,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO rate_plan (hotel_id, rate_plan_id, code, name, sort) VALUES ($1, $2, $3, $4, $5)",
        hotel.0,
        plan.0,
        code,
        name,
        sort,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The price of a plan and type where no night says otherwise.
pub(crate) async fn insert_rate_base(
    conn: &mut PgConnection,
    hotel: HotelId,
    plan: RatePlanId,
    room_type: RoomTypeId,
    price: i64,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO rate_base (hotel_id, rate_plan_id, room_type_id, price) VALUES ($1, $2, $3, $4)",
        hotel.0,
        plan.0,
        room_type.0,
        price,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Rates of one plan and type, night by night, in columns.
#[derive(Debug, Default)]
pub(crate) struct NewRates {
    pub(crate) nights: Vec<NaiveDate>,
    pub(crate) prices: Vec<i64>,
    pub(crate) min_stays: Vec<Option<i32>>,
    pub(crate) closed_to_arrival: Vec<bool>,
}

/// Writes rates for nights that have none.
pub(crate) async fn insert_rates(
    conn: &mut PgConnection,
    hotel: HotelId,
    plan: RatePlanId,
    room_type: RoomTypeId,
    rates: &NewRates,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO rate (hotel_id, rate_plan_id, room_type_id, stay_date, price, min_stay, closed_to_arrival)
         SELECT $1, $2, $3, night, price, min_stay, closed
         FROM unnest($4::date[], $5::bigint[], $6::integer[], $7::boolean[]) AS t (night, price, min_stay, closed)",
        hotel.0,
        plan.0,
        room_type.0,
        &rates.nights,
        &rates.prices,
        &rates.min_stays as &[Option<i32>],
        &rates.closed_to_arrival,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A colleague to be inserted.
pub(crate) struct NewStaff<'s> {
    pub(crate) id: StaffId,
    pub(crate) login: &'s str,
    pub(crate) display_name: &'s str,
    pub(crate) role: Role,
    /// Already hashed.
    pub(crate) password_hash: &'s str,
}

/// A colleague who may sign in.
pub(crate) async fn insert_staff(
    conn: &mut PgConnection,
    hotel: HotelId,
    new: &NewStaff<'_>,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO staff (hotel_id, staff_id, login, display_name, password_hash, role, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())",
        hotel.0,
        new.id.0,
        new.login,
        new.display_name,
        new.password_hash,
        new.role.as_str(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The hotel of a slug.
pub(crate) async fn hotel_by_slug(
    db: impl PgExecutor<'_>,
    slug: &str,
) -> Result<Option<HotelId>, ApiError> {
    let id = sqlx::query_scalar!("SELECT hotel_id FROM hotel WHERE slug = $1", slug)
        .fetch_optional(db)
        .await?;
    Ok(id.map(HotelId))
}
