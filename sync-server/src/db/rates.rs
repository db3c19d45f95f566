//! Prices per night.

use chrono::NaiveDate;
use protocol::id::{HotelId, RatePlanId, RoomTypeId};
use protocol::row::RateRow;
use sqlx::{PgConnection, PgPool};

use crate::error::ApiError;

/// Every price of `[from, until)`, in the order of plan, type and night.
pub(crate) async fn rates(
    reads: &PgPool,
    hotel: HotelId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<Vec<RateRow>, ApiError> {
    let rows = sqlx::query!(
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
    Ok(rows
        .into_iter()
        .map(|row| RateRow {
            rate_plan_id: RatePlanId(row.rate_plan_id),
            room_type_id: RoomTypeId(row.room_type_id),
            stay_date: row.stay_date,
            price: row.price,
            min_stay: row.min_stay,
            max_stay: row.max_stay,
            closed_to_arrival: row.closed_to_arrival,
            closed_to_departure: row.closed_to_departure,
            stop_sell: row.stop_sell,
        })
        .collect())
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
