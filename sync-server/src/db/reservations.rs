//! The guarded moves of a reservation between its states, and what may change beside them.

use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, GuestId, HotelId, ReservationId, RoomId};
use protocol::row::ReservationRow;
use protocol::state::{ReservationState, RoomStatus};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::command::Work;
use crate::db::images;
use crate::db::inventory::expect_guarded;
use crate::error::ApiError;

/// One reservation, or `not_found`.
pub(crate) async fn need(
    work: &mut Work<'_>,
    id: ReservationId,
) -> Result<ReservationRow, ApiError> {
    let hotel = work.hotel();
    images::reservations(work.conn(), hotel, &[id])
        .await?
        .pop()
        .ok_or_else(|| ApiError::refused(Code::NotFound))
}

/// Refuses with `wrong_state` unless the reservation is in one of these states (N6).
pub(crate) fn expect_state(
    row: &ReservationRow,
    allowed: &[ReservationState],
) -> Result<(), ApiError> {
    if allowed.contains(&row.state) {
        return Ok(());
    }
    Err(Problem::new(Code::WrongState)
        .facts(serde_json::json!({ "state": row.state, "reservation_id": row.id }))
        .into())
}

/// What a change of state writes beside the state itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    /// The guest came.
    CheckIn,
    /// The guest left on this day, which may be earlier than agreed.
    CheckOut {
        /// The day of departure from now on.
        check_out: NaiveDate,
        /// The room that is left, and what it looked like.
        left_room: Option<(RoomId, RoomStatus)>,
        /// What is asked for leaving early.
        early_departure_fee: Option<i64>,
    },
    /// The guest did not come.
    NoShow {
        /// What is asked for it.
        fee: Option<i64>,
    },
}

/// Moves a reservation from one state to the next; the state it leaves is named in the statement
/// (N6), though the head lock already keeps every other writer out.
pub(crate) async fn change_state(
    work: &mut Work<'_>,
    id: ReservationId,
    step: Move,
) -> Result<(), ApiError> {
    let (hotel, now, today) = (work.hotel().0, work.now, work.business_date);
    let done = match step {
        Move::CheckIn => {
            sqlx::query!(
            "UPDATE reservation SET state = 'checked_in', checked_in_at = $3, checked_in_on = $4,
                    version = version + 1
                 WHERE hotel_id = $1 AND reservation_id = $2 AND state = 'confirmed'",
            hotel,
            id.0,
            now,
            today,
        )
            .execute(work.conn())
            .await?
        }
        Move::CheckOut {
            check_out,
            left_room,
            early_departure_fee,
        } => {
            sqlx::query!(
                "UPDATE reservation SET state = 'checked_out', checked_out_at = $3, check_out = $4,
                        day_use = day_use OR check_in = $4, checked_out_on = $5, left_room_id = $6,
                        left_room_status = $7,
                        early_departure_fee = coalesce($8, early_departure_fee), version = version + 1
                 WHERE hotel_id = $1 AND reservation_id = $2 AND state = 'checked_in'",
                hotel,
                id.0,
                now,
                check_out,
                today,
                left_room.map(|(id, _)| id.0),
                left_room.map(|(_, status)| status.as_str()),
                early_departure_fee,
            )
            .execute(work.conn())
            .await?
        }
        Move::NoShow { fee } => {
            sqlx::query!(
                "UPDATE reservation SET state = 'no_show', no_show_fee = $3, release_at = NULL,
                        version = version + 1
                 WHERE hotel_id = $1 AND reservation_id = $2 AND state = 'confirmed'",
                hotel,
                id.0,
                fee,
            )
            .execute(work.conn())
            .await?
        }
    };
    expect_guarded(done.rows_affected(), Code::WrongState)
}

/// Counts a change that stands in the nights and not in the reservation's own row.
pub(crate) async fn raise_version(work: &mut Work<'_>, id: ReservationId) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    sqlx::query!(
        "UPDATE reservation SET version = version + 1 WHERE hotel_id = $1 AND reservation_id = $2",
        hotel,
        id.0,
    )
    .execute(work.conn())
    .await?;
    Ok(())
}

/// Writes what may change without touching a night, guarded by the version that was read (B65).
/// Without a guarantee the reservation is listed for release at the hotel's hour on the day of arrival.
pub(crate) async fn set_details(work: &mut Work<'_>, row: &ReservationRow) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    let further: Vec<Uuid> = row.further_guest_ids.iter().map(|id| id.0).collect();
    let done = sqlx::query!(
        "UPDATE reservation AS r
         SET adults = $4, children = $5, guest_id = $6, further_guest_ids = $7, guarantee = $8,
             release_at = CASE WHEN $8 <> 'none' THEN NULL
                               WHEN r.guarantee = 'none' THEN r.release_at
                               ELSE (r.check_in + h.release_time) AT TIME ZONE h.time_zone END,
             notes = $9, expected_time = $10, do_not_move = $11, lateness = $12,
             version = r.version + 1
         FROM hotel AS h
         WHERE r.hotel_id = $1 AND h.hotel_id = $1 AND r.reservation_id = $2 AND r.version = $3",
        hotel,
        row.id.0,
        row.version,
        row.adults,
        &row.children,
        row.guest_id.map(|id| id.0),
        &further,
        row.guarantee.as_str(),
        row.notes,
        row.expected_time,
        row.do_not_move,
        row.lateness.as_str(),
    )
    .execute(work.conn())
    .await?;
    expect_guarded(done.rows_affected(), Code::StaleVersion)
}

/// Which of these guests there are, and not forgotten.
pub(crate) async fn known_guests(
    work: &mut Work<'_>,
    ids: &[GuestId],
) -> Result<Vec<GuestId>, ApiError> {
    let hotel = work.hotel().0;
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let known = sqlx::query_scalar!(
        "SELECT guest_id FROM guest
         WHERE hotel_id = $1 AND guest_id = ANY($2) AND erased_at IS NULL",
        hotel,
        &ids,
    )
    .fetch_all(work.conn())
    .await?;
    Ok(known.into_iter().map(GuestId).collect())
}

/// The ids of a booking's reservations, in order, for a reader.
pub(crate) async fn ids_of_booking(
    conn: &mut PgConnection,
    hotel: HotelId,
    booking: BookingId,
) -> Result<Vec<ReservationId>, ApiError> {
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND booking_id = $2 ORDER BY reservation_id",
        hotel.0,
        booking.0,
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}
