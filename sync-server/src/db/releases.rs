//! What is given back without anybody asking for it: stays that nobody guarantees, and the nights of
//! guests who did not come.

use chrono::NaiveDate;
use protocol::id::{HotelId, ReservationId};
use protocol::state::NoShowNights;
use sqlx::PgPool;
use uuid::Uuid;

use crate::db::command::Work;
use crate::db::images::word;
use crate::db::inventory::{CountedNight, Deltas, Full, apply, expect_rows};
use crate::error::ApiError;

/// How many are looked at in one go.
const DUE_MAX: i64 = 500;

/// What is due at hotels that release by themselves. A guest who is flagged late, or said to come after
/// the hour of release or in the small hours, is not among them.
pub(crate) async fn due(reads: &PgPool) -> Result<Vec<(HotelId, ReservationId)>, ApiError> {
    let rows = sqlx::query!(
        "SELECT r.hotel_id, r.reservation_id
         FROM hotel AS h
         JOIN reservation AS r ON r.hotel_id = h.hotel_id
         WHERE h.auto_release AND r.state = 'confirmed' AND r.release_at IS NOT NULL
           AND r.release_at <= clock_timestamp() AND r.guarantee = 'none' AND r.lateness = 'on_time'
           AND r.share_of IS NULL
           AND (r.expected_time IS NULL OR r.expected_time BETWEEN time '06:00' AND h.release_time)
         ORDER BY r.hotel_id, r.release_at LIMIT $1",
        DUE_MAX,
    )
    .fetch_all(reads)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (HotelId(row.hotel_id), ReservationId(row.reservation_id)))
        .collect())
}

/// Whether this stay may be released by itself, asked again under the lock.
pub(crate) async fn by_itself(work: &mut Work<'_>, id: ReservationId) -> Result<bool, ApiError> {
    let hotel = work.hotel().0;
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM hotel AS h
               JOIN reservation AS r ON r.hotel_id = h.hotel_id
               WHERE h.hotel_id = $1 AND r.reservation_id = $2 AND h.auto_release
                 AND r.lateness = 'on_time'
                 AND (r.expected_time IS NULL
                      OR r.expected_time BETWEEN time '06:00' AND h.release_time)) AS "may!""#,
        hotel,
        id.0,
    )
    .fetch_one(work.conn())
    .await?)
}

/// What the hotel does with the later nights of guests who did not come.
pub(crate) async fn no_show_nights(work: &mut Work<'_>) -> Result<NoShowNights, ApiError> {
    let hotel = work.hotel().0;
    let setting = sqlx::query_scalar!(
        "SELECT no_show_nights FROM hotel WHERE hotel_id = $1",
        hotel,
    )
    .fetch_one(work.conn())
    .await?;
    word(&setting)
}

/// Guests who should have come by the open day and did not, in the order of their ids; who is flagged
/// late is still awaited.
pub(crate) async fn did_not_come(
    work: &mut Work<'_>,
    limit: i64,
) -> Result<Vec<ReservationId>, ApiError> {
    let (hotel, today) = (work.hotel().0, work.business_date);
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND state = 'confirmed' AND check_in <= $2 AND lateness <> 'late'
         ORDER BY (share_of IS NULL), reservation_id LIMIT $3",
        hotel,
        today,
        limit,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}

/// Gives these counted nights back: ledger, type and house.
pub(crate) async fn give_back(
    work: &mut Work<'_>,
    nights: &[CountedNight],
) -> Result<(), ApiError> {
    let mut deltas = Deltas::default();
    for night in nights {
        deltas.add_with_house(night.room_type, night.night, -1);
    }
    apply(work, &deltas, Full::Refuse).await?;
    let hotel = work.hotel().0;
    let ids: Vec<Uuid> = nights.iter().map(|night| night.reservation.0).collect();
    let dates: Vec<NaiveDate> = nights.iter().map(|night| night.night).collect();
    let moved = sqlx::query!(
        "UPDATE reservation_night AS n SET counted = false, over_type = false, over_house = false
         FROM unnest($2::uuid[], $3::date[]) AS k(reservation_id, stay_date)
         WHERE n.hotel_id = $1 AND n.reservation_id = k.reservation_id
           AND n.stay_date = k.stay_date AND n.counted",
        hotel,
        &ids,
        &dates,
    )
    .execute(work.conn())
    .await?;
    expect_rows(moved.rows_affected(), nights.len())
}

/// What a hotel does by itself.
pub(crate) async fn set_policies(
    work: &mut Work<'_>,
    auto_release: bool,
    no_show_nights: NoShowNights,
    release_time: chrono::NaiveTime,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    sqlx::query!(
        "UPDATE hotel SET auto_release = $2, no_show_nights = $3, release_time = $4 WHERE hotel_id = $1",
        hotel,
        auto_release,
        no_show_nights.as_str(),
        release_time,
    )
    .execute(work.conn())
    .await?;
    Ok(())
}
