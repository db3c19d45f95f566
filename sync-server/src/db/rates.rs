//! Prices per night.

use chrono::NaiveDate;
use protocol::id::{HotelId, RatePlanId, RoomTypeId};
use protocol::row::RateRow;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::db::command::Work;
use crate::error::ApiError;

/// A row of `rate` as it is read.
pub(crate) struct StoredRate {
    pub(crate) rate_plan_id: Uuid,
    pub(crate) room_type_id: Uuid,
    pub(crate) stay_date: NaiveDate,
    pub(crate) price: i64,
    pub(crate) min_stay: Option<i32>,
    pub(crate) max_stay: Option<i32>,
    pub(crate) closed_to_arrival: bool,
    pub(crate) closed_to_departure: bool,
    pub(crate) stop_sell: bool,
}

impl StoredRate {
    /// As the others know it.
    pub(crate) fn into_row(self) -> RateRow {
        RateRow {
            rate_plan_id: RatePlanId(self.rate_plan_id),
            room_type_id: RoomTypeId(self.room_type_id),
            stay_date: self.stay_date,
            price: self.price,
            min_stay: self.min_stay,
            max_stay: self.max_stay,
            closed_to_arrival: self.closed_to_arrival,
            closed_to_departure: self.closed_to_departure,
            stop_sell: self.stop_sell,
        }
    }
}

/// Every price of `[from, until)`, in the order of plan, type and night.
pub(crate) async fn rates(
    reads: &PgPool,
    hotel: HotelId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<RateRow>, ApiError> {
    let rows = sqlx::query_as!(
        StoredRate,
        "SELECT rate_plan_id, room_type_id, stay_date, price, min_stay, max_stay, closed_to_arrival,
                closed_to_departure, stop_sell
         FROM rate WHERE hotel_id = $1 AND stay_date >= $2 AND stay_date < $3
         ORDER BY rate_plan_id, room_type_id, stay_date",
        hotel.0,
        from,
        until,
    )
    .fetch_all(reads)
    .await?;
    Ok(rows.into_iter().map(StoredRate::into_row).collect())
}

/// The rates of a plan (the hotel's first where absent) on these types and dates; those without a price
/// are absent.
pub(crate) async fn rates_on(
    work: &mut Work<'_>,
    plan: Option<RatePlanId>,
    wanted: &[(RoomTypeId, NaiveDate)],
) -> Result<Vec<RateRow>, ApiError> {
    let hotel = work.hotel().0;
    let types: Vec<Uuid> = wanted.iter().map(|(id, _)| id.0).collect();
    let dates: Vec<NaiveDate> = wanted.iter().map(|(_, date)| *date).collect();
    let rows = sqlx::query_as!(
        StoredRate,
        "SELECT r.rate_plan_id, r.room_type_id, r.stay_date, r.price, r.min_stay, r.max_stay,
                r.closed_to_arrival, r.closed_to_departure, r.stop_sell
         FROM unnest($3::uuid[], $4::date[]) AS k(room_type_id, stay_date)
         JOIN rate AS r ON r.hotel_id = $1 AND r.room_type_id = k.room_type_id
          AND r.stay_date = k.stay_date
          AND r.rate_plan_id = coalesce($2, (SELECT p.rate_plan_id FROM rate_plan AS p
              WHERE p.hotel_id = $1 ORDER BY p.sort, p.code LIMIT 1))",
        hotel,
        plan.map(|id| id.0),
        &types,
        &dates,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(rows.into_iter().map(StoredRate::into_row).collect())
}

/// Whether the hotel has this plan.
pub(crate) async fn is_plan(
    conn: &mut PgConnection,
    hotel: HotelId,
    plan: RatePlanId,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM rate_plan WHERE hotel_id = $1 AND rate_plan_id = $2) AS "is!""#,
        hotel.0,
        plan.0,
    )
    .fetch_one(conn)
    .await?)
}

/// Which of these nights the hotel has not opened.
pub(crate) async fn not_open(
    conn: &mut PgConnection,
    hotel: HotelId,
    nights: &[NaiveDate],
) -> Result<Vec<NaiveDate>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT night AS "night!" FROM unnest($3::date[]) AS night
           WHERE NOT EXISTS (SELECT FROM room_night
                             WHERE hotel_id = $1 AND room_type_id = $2 AND stay_date = night)
           ORDER BY night"#,
        hotel.0,
        RoomTypeId::HOUSE.0,
        nights,
    )
    .fetch_all(conn)
    .await?)
}

/// Writes the same price and rules for these nights; `row` says which, its own night is not looked at.
pub(crate) async fn put(
    conn: &mut PgConnection,
    hotel: HotelId,
    row: &RateRow,
    nights: &[NaiveDate],
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO rate (hotel_id, rate_plan_id, room_type_id, stay_date, price, min_stay, max_stay,
                           closed_to_arrival, closed_to_departure, stop_sell)
         SELECT $1, $2, $3, night, $5, $6, $7, $8, $9, $10 FROM unnest($4::date[]) AS night
         ON CONFLICT (hotel_id, rate_plan_id, room_type_id, stay_date) DO UPDATE SET
            price = excluded.price, min_stay = excluded.min_stay, max_stay = excluded.max_stay,
            closed_to_arrival = excluded.closed_to_arrival,
            closed_to_departure = excluded.closed_to_departure, stop_sell = excluded.stop_sell",
        hotel.0,
        row.rate_plan_id.0,
        row.room_type_id.0,
        nights,
        row.price,
        row.min_stay,
        row.max_stay,
        row.closed_to_arrival,
        row.closed_to_departure,
        row.stop_sell,
    )
    .execute(conn)
    .await?;
    Ok(())
}
