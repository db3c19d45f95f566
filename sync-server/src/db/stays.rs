//! Changing stays that are promised: their dates, their nights in the ledger, and what is noted beside
//! them. What moves in the counters is [`super::inventory`]'s.

use chrono::NaiveDate;
use protocol::code::Code;
use protocol::id::{RatePlanId, ReservationId, RoomTypeId};
use protocol::row::{RateRow, ReservationNight, ReservationRow};
use uuid::Uuid;

use crate::db::command::Work;
use crate::db::inventory::expect_rows;
use crate::error::ApiError;

/// One night to write into the ledger.
#[derive(Clone, Debug)]
pub(crate) struct NightWrite {
    /// Whose.
    pub(crate) reservation: ReservationId,
    /// As it will stand.
    pub(crate) night: ReservationNight,
    /// Whether it has come into the count of its type by this command; then the two flags say whether
    /// above the limit. Otherwise they stay as they were.
    pub(crate) moved: bool,
    /// Above the type's limit.
    pub(crate) over_type: bool,
    /// Above the house's limit.
    pub(crate) over_house: bool,
}

/// Takes nights out of the ledger: they are no part of the stay any more.
pub(crate) async fn remove_nights(
    work: &mut Work<'_>,
    nights: &[(ReservationId, NaiveDate)],
) -> Result<(), ApiError> {
    if nights.is_empty() {
        return Ok(());
    }
    let hotel = work.hotel().0;
    let ids: Vec<Uuid> = nights.iter().map(|(id, _)| id.0).collect();
    let dates: Vec<NaiveDate> = nights.iter().map(|(_, date)| *date).collect();
    let gone = sqlx::query!(
        "DELETE FROM reservation_night AS n
         USING unnest($2::uuid[], $3::date[]) AS k(reservation_id, stay_date)
         WHERE n.hotel_id = $1 AND n.reservation_id = k.reservation_id AND n.stay_date = k.stay_date",
        hotel,
        &ids,
        &dates,
    )
    .execute(work.conn())
    .await?;
    expect_rows(gone.rows_affected(), nights.len())
}

/// Writes nights into the ledger, new ones and changed ones alike.
pub(crate) async fn put_nights(work: &mut Work<'_>, nights: &[NightWrite]) -> Result<(), ApiError> {
    if nights.is_empty() {
        return Ok(());
    }
    let hotel = work.hotel().0;
    let ids: Vec<Uuid> = nights.iter().map(|n| n.reservation.0).collect();
    let dates: Vec<NaiveDate> = nights.iter().map(|n| n.night.stay_date).collect();
    let types: Vec<Uuid> = nights.iter().map(|n| n.night.room_type_id.0).collect();
    let charged: Vec<Uuid> = nights.iter().map(|n| n.night.charged_type_id.0).collect();
    let prices: Vec<i64> = nights.iter().map(|n| n.night.price).collect();
    let counted: Vec<bool> = nights.iter().map(|n| n.night.counted).collect();
    let shared: Vec<bool> = nights.iter().map(|n| n.night.shared).collect();
    let moved: Vec<bool> = nights.iter().map(|n| n.moved).collect();
    let over_type: Vec<bool> = nights.iter().map(|n| n.over_type).collect();
    let over_house: Vec<bool> = nights.iter().map(|n| n.over_house).collect();
    let written = sqlx::query!(
        "INSERT INTO reservation_night AS n (hotel_id, reservation_id, stay_date, room_type_id,
             charged_type_id, price, counted, shared, over_type, over_house)
         SELECT $1, k.reservation_id, k.stay_date, k.room_type_id, k.charged_type_id, k.price, k.counted,
                k.shared, k.over_type AND k.moved, k.over_house AND k.moved
         FROM unnest($2::uuid[], $3::date[], $4::uuid[], $5::uuid[], $6::bigint[], $7::boolean[],
                     $8::boolean[], $9::boolean[], $10::boolean[], $11::boolean[])
             AS k(reservation_id, stay_date, room_type_id, charged_type_id, price, counted, shared,
                  moved, over_type, over_house)
         ON CONFLICT (hotel_id, reservation_id, stay_date) DO UPDATE SET
             room_type_id = excluded.room_type_id, charged_type_id = excluded.charged_type_id,
             price = excluded.price,
             over_type = CASE WHEN n.counted AND n.room_type_id = excluded.room_type_id
                 THEN n.over_type ELSE excluded.over_type END AND excluded.counted,
             over_house = CASE WHEN n.counted THEN n.over_house ELSE excluded.over_house END
                 AND excluded.counted,
             counted = excluded.counted, shared = excluded.shared",
        hotel,
        &ids,
        &dates,
        &types,
        &charged,
        &prices,
        &counted,
        &shared,
        &moved,
        &over_type,
        &over_house,
    )
    .execute(work.conn())
    .await?;
    expect_rows(written.rows_affected(), nights.len())
}

/// Writes a stay's dates, type and day use, guarded by the state and version that were read. Without a
/// guarantee it is listed for release at the hotel's hour on the day of arrival that it has now.
pub(crate) async fn set_stay(
    work: &mut Work<'_>,
    before: &ReservationRow,
    check_in: NaiveDate,
    check_out: NaiveDate,
    room_type: RoomTypeId,
    early_departure_fee: Option<i64>,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let done = sqlx::query!(
        "UPDATE reservation AS r
         SET check_in = $5::date, check_out = $6::date, room_type_id = $7,
             day_use = ($5::date = $6::date),
             release_at = CASE WHEN r.check_in = $5::date OR r.release_at IS NULL THEN r.release_at
                               ELSE ($5::date + h.release_time) AT TIME ZONE h.time_zone END,
             early_departure_fee = coalesce($8, r.early_departure_fee),
             version = r.version + 1
         FROM hotel AS h
         WHERE r.hotel_id = $1 AND h.hotel_id = $1 AND r.reservation_id = $2 AND r.version = $3
           AND r.state = $4",
        hotel,
        before.id.0,
        before.version,
        before.state.as_str(),
        check_in,
        check_out,
        room_type.0,
        early_departure_fee,
    )
    .execute(work.conn())
    .await?;
    if done.rows_affected() == 1 {
        Ok(())
    } else {
        Err(ApiError::refused(Code::StaleVersion))
    }
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
    let rows = sqlx::query!(
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

/// Marks every night of these reservations as given back; their counters were moved before.
pub(crate) async fn uncount(work: &mut Work<'_>, ids: &[ReservationId]) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "UPDATE reservation_night SET counted = false, over_type = false, over_house = false
         WHERE hotel_id = $1 AND reservation_id = ANY ($2) AND counted",
        hotel,
        &ids,
    )
    .execute(work.conn())
    .await?;
    Ok(())
}
