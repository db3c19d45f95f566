//! Changing stays that are promised: their dates, their nights in the ledger, and what is noted beside
//! them. What moves in the counters is [`super::inventory`]'s.

use chrono::NaiveDate;
use protocol::code::Code;
use protocol::id::{ReservationId, RoomId, RoomTypeId};
use protocol::row::{ReservationNight, ReservationRow};
use protocol::state::RoomStatus;
use uuid::Uuid;

use crate::db::command::Work;
use crate::db::images::word;
use crate::db::inventory::{expect_guarded, expect_rows};
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
    own_room: bool,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let done = sqlx::query!(
        "UPDATE reservation AS r
         SET check_in = $5::date, check_out = $6::date, room_type_id = $7,
             day_use = ($5::date = $6::date),
             release_at = CASE WHEN r.check_in = $5::date OR r.release_at IS NULL THEN r.release_at
                               ELSE ($5::date + h.release_time) AT TIME ZONE h.time_zone END,
             early_departure_fee = coalesce($8, r.early_departure_fee),
             share_of = CASE WHEN $9 THEN NULL ELSE r.share_of END,
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
        own_room,
    )
    .execute(work.conn())
    .await?;
    expect_guarded(done.rows_affected(), Code::StaleVersion)
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

/// On which open days a guest came and left, and out of which room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    /// The open day of the check-in.
    pub(crate) checked_in_on: Option<NaiveDate>,
    /// The open day of the check-out.
    pub(crate) checked_out_on: Option<NaiveDate>,
    /// The room that was left.
    pub(crate) left_room: Option<RoomId>,
    /// What it looked like then.
    pub(crate) left_room_status: Option<RoomStatus>,
}

/// What putting a reservation right must know beside its row.
pub(crate) async fn passed(work: &mut Work<'_>, id: ReservationId) -> Result<Passed, ApiError> {
    let hotel = work.hotel().0;
    let row = sqlx::query!(
        "SELECT checked_in_on, checked_out_on, left_room_id, left_room_status FROM reservation
         WHERE hotel_id = $1 AND reservation_id = $2",
        hotel,
        id.0,
    )
    .fetch_one(work.conn())
    .await?;
    Ok(Passed {
        checked_in_on: row.checked_in_on,
        checked_out_on: row.checked_out_on,
        left_room: row.left_room_id.map(RoomId),
        left_room_status: row.left_room_status.as_deref().map(word).transpose()?,
    })
}

/// A move backward, or of a no-show who came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// `checked_in -> confirmed`.
    NotIn,
    /// `checked_out -> checked_in`.
    NotOut,
    /// `no_show | cancelled -> confirmed`.
    WillCome,
    /// `no_show -> checked_in`.
    Came,
}

/// Writes a move backward, guarded by the state and version that were read. What was noted of the end
/// that was none goes with it. Who is expected again is not listed for release at an hour that has
/// passed: a person has decided.
pub(crate) async fn put_right(
    work: &mut Work<'_>,
    row: &ReservationRow,
    right: Right,
    check_in: NaiveDate,
    check_out: NaiveDate,
) -> Result<(), ApiError> {
    let (hotel, now, today) = (work.hotel().0, work.now, work.business_date);
    let to = match right {
        Right::NotIn | Right::WillCome => "confirmed",
        Right::NotOut | Right::Came => "checked_in",
    };
    let done = sqlx::query!(
        "UPDATE reservation AS r
         SET state = $5, check_in = $6::date, check_out = $7::date, day_use = ($6::date = $7::date),
             checked_in_at = CASE $8 WHEN 'not_in' THEN NULL WHEN 'came' THEN $9 ELSE r.checked_in_at END,
             checked_in_on = CASE $8 WHEN 'not_in' THEN NULL WHEN 'came' THEN $10 ELSE r.checked_in_on END,
             checked_out_at = NULL, checked_out_on = NULL, left_room_id = NULL, left_room_status = NULL,
             early_departure_fee = NULL, no_show_fee = NULL,
             release_at = CASE WHEN $8 = 'will_come' AND r.guarantee = 'none'
                               AND ($6::date + h.release_time) AT TIME ZONE h.time_zone > $9
                 THEN ($6::date + h.release_time) AT TIME ZONE h.time_zone
                 WHEN $8 = 'will_come' THEN NULL ELSE r.release_at END,
             version = r.version + 1
         FROM hotel AS h
         WHERE r.hotel_id = $1 AND h.hotel_id = $1 AND r.reservation_id = $2 AND r.version = $3
           AND r.state = $4",
        hotel,
        row.id.0,
        row.version,
        row.state.as_str(),
        to,
        check_in,
        check_out,
        match right {
            Right::NotIn => "not_in",
            Right::NotOut => "not_out",
            Right::WillCome => "will_come",
            Right::Came => "came",
        },
        now,
        today,
    )
    .execute(work.conn())
    .await?;
    expect_guarded(done.rows_affected(), Code::WrongState)
}
