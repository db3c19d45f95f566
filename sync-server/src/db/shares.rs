//! Those who share a room: reservations whose nights are marked as shared and stand in no count.

use chrono::NaiveDate;
use protocol::id::{GuestId, ReservationId};
use protocol::row::{ReservationNight, ReservationRow};

use crate::db::command::Work;
use crate::db::inventory::expect_rows;
use crate::db::stays::{self, NightWrite};
use crate::error::ApiError;

/// Whoever shares this reservation's room and is expected or here, in the order of their ids.
pub(crate) async fn alive(
    work: &mut Work<'_>,
    main: ReservationId,
) -> Result<Vec<ReservationId>, ApiError> {
    let hotel = work.hotel().0;
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND share_of = $2 AND state IN ('confirmed', 'checked_in')
         ORDER BY reservation_id",
        hotel,
        main.0,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}

/// A share to write: of the main one's party, plan, guarantee and segment.
#[derive(Debug)]
pub(crate) struct NewShare<'n> {
    /// Its id.
    pub(crate) id: ReservationId,
    /// In whose room.
    pub(crate) main: &'n ReservationRow,
    /// Who.
    pub(crate) guest: Option<GuestId>,
    /// Adults.
    pub(crate) adults: i32,
    /// Ages.
    pub(crate) children: &'n [i32],
    /// Day of arrival.
    pub(crate) check_in: NaiveDate,
    /// Day of departure.
    pub(crate) check_out: NaiveDate,
    /// Its nights, shared.
    pub(crate) nights: &'n [ReservationNight],
}

/// Writes it as confirmed. `false` where the id is taken.
pub(crate) async fn create(work: &mut Work<'_>, new: &NewShare<'_>) -> Result<bool, ApiError> {
    let (hotel, now) = (work.hotel().0, work.now);
    let main = new.main;
    let done = sqlx::query!(
        "INSERT INTO reservation (hotel_id, reservation_id, booking_id, state, check_in, check_out,
             room_type_id, adults, children, guest_id, guarantee, rate_plan_id, segment, day_use,
             share_of, created_at)
         VALUES ($1, $2, $3, 'confirmed', $4::date, $5::date, $6, $7, $8, $9, $10, $11, $12,
                 $4::date = $5::date, $13, $14)
         ON CONFLICT (hotel_id, reservation_id) DO NOTHING",
        hotel,
        new.id.0,
        main.booking_id.0,
        new.check_in,
        new.check_out,
        main.room_type_id.0,
        new.adults,
        new.children,
        new.guest.map(|id| id.0),
        main.guarantee.as_str(),
        main.rate_plan_id.map(|id| id.0),
        main.segment.as_str(),
        main.id.0,
        now,
    )
    .execute(work.conn())
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    let nights: Vec<NightWrite> = new
        .nights
        .iter()
        .map(|night| NightWrite {
            reservation: new.id,
            night: night.clone(),
            moved: false,
            over_type: false,
            over_house: false,
        })
        .collect();
    stays::put_nights(work, &nights).await?;
    Ok(true)
}

/// The nights of `[from, until)` stand in the count for the heir instead of the main one; as many as
/// before, so that no counter moves.
pub(crate) async fn hand_over_nights(
    work: &mut Work<'_>,
    main: ReservationId,
    heir: ReservationId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let taken = sqlx::query!(
        "UPDATE reservation_night AS h
         SET counted = true, shared = false, room_type_id = m.room_type_id,
             charged_type_id = m.charged_type_id, over_type = m.over_type, over_house = m.over_house
         FROM reservation_night AS m
         WHERE h.hotel_id = $1 AND h.reservation_id = $3 AND h.shared
           AND h.stay_date >= $4 AND h.stay_date < $5
           AND m.hotel_id = $1 AND m.reservation_id = $2 AND m.stay_date = h.stay_date AND m.counted",
        hotel,
        main.0,
        heir.0,
        from,
        until,
    )
    .execute(work.conn())
    .await?
    .rows_affected();
    let given = sqlx::query!(
        "UPDATE reservation_night SET counted = false, over_type = false, over_house = false
         WHERE hotel_id = $1 AND reservation_id = $2 AND counted AND stay_date >= $3 AND stay_date < $4",
        hotel,
        main.0,
        from,
        until,
    )
    .execute(work.conn())
    .await?
    .rows_affected();
    let nights = usize::try_from((until - from).num_days().max(0)).unwrap_or(0);
    expect_rows(taken, nights)?;
    expect_rows(given, nights)
}

/// The heir shares no more; the others share with the heir.
pub(crate) async fn hand_over_role(
    work: &mut Work<'_>,
    main: ReservationId,
    heir: ReservationId,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let moved = sqlx::query!(
        "UPDATE reservation
         SET share_of = CASE WHEN reservation_id = $3 THEN NULL ELSE $3::uuid END, version = version + 1
         WHERE hotel_id = $1 AND share_of = $2 AND state IN ('confirmed', 'checked_in')",
        hotel,
        main.0,
        heir.0,
    )
    .execute(work.conn())
    .await?;
    if moved.rows_affected() == 0 {
        return Err(anyhow::anyhow!("nobody shares with {main}").into());
    }
    Ok(())
}
