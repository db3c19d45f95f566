//! The rows of bookings and reservations, as answers and as images for the log.

use std::collections::BTreeMap;

use protocol::event::Change;
use protocol::id::{BookingId, GuestId, HotelId, RatePlanId, ReservationId, RoomTypeId, RoomUseId};
use protocol::row::{BookingRow, ReservationNight, ReservationRow};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::command::Work;
use crate::error::ApiError;

/// A word read from the database in its type. The tables' CHECKs allow no other: a failure is a bug.
pub(crate) fn word<T>(text: &str) -> Result<T, ApiError>
where
    T: std::str::FromStr<Err = protocol::code::UnknownWord>,
{
    text.parse()
        .map_err(|error: T::Err| ApiError::Internal(error.into()))
}

/// The booking, or nothing.
pub(crate) async fn booking(
    conn: &mut PgConnection,
    hotel: HotelId,
    id: BookingId,
) -> Result<Option<BookingRow>, ApiError> {
    let row = sqlx::query!(
        "SELECT booking_id, number, channel, external_id, created_at FROM booking
         WHERE hotel_id = $1 AND booking_id = $2",
        hotel.0,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(BookingRow {
            id: BookingId(row.booking_id),
            number: row.number,
            channel: word(&row.channel)?,
            external_id: row.external_id,
            created_at: row.created_at,
        })
    })
    .transpose()
}

/// Whole reservations with their nights and notes, by id; those that do not exist are absent.
pub(crate) async fn reservations(
    conn: &mut PgConnection,
    hotel: HotelId,
    ids: &[ReservationId],
) -> Result<Vec<ReservationRow>, ApiError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let nights = sqlx::query!(
        "SELECT reservation_id, stay_date, room_type_id, charged_type_id, price, counted, shared
         FROM reservation_night WHERE hotel_id = $1 AND reservation_id = ANY ($2)
         ORDER BY reservation_id, stay_date",
        hotel.0,
        &ids,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut by_reservation: BTreeMap<Uuid, Vec<ReservationNight>> = BTreeMap::new();
    for night in nights {
        by_reservation
            .entry(night.reservation_id)
            .or_default()
            .push(ReservationNight {
                stay_date: night.stay_date,
                room_type_id: RoomTypeId(night.room_type_id),
                charged_type_id: RoomTypeId(night.charged_type_id),
                price: night.price,
                counted: night.counted,
                shared: night.shared,
            });
    }
    let rows = sqlx::query!(
        "SELECT reservation_id, booking_id, state, check_in, check_out, room_type_id, adults, children,
                guest_id, further_guest_ids, guarantee, release_at, hold_expires_at, rate_plan_id,
                segment, expected_time, do_not_move, day_use, share_of, checked_in_at, checked_out_at,
                notes, version, created_at, lateness, early_departure_fee, no_show_fee
         FROM reservation WHERE hotel_id = $1 AND reservation_id = ANY ($2)
         ORDER BY reservation_id",
        hotel.0,
        &ids,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ReservationRow {
                id: ReservationId(row.reservation_id),
                booking_id: BookingId(row.booking_id),
                state: word(&row.state)?,
                check_in: row.check_in,
                check_out: row.check_out,
                room_type_id: RoomTypeId(row.room_type_id),
                adults: row.adults,
                children: row.children,
                guest_id: row.guest_id.map(GuestId),
                further_guest_ids: row.further_guest_ids.into_iter().map(GuestId).collect(),
                guarantee: word(&row.guarantee)?,
                release_at: row.release_at,
                hold_expires_at: row.hold_expires_at,
                rate_plan_id: row.rate_plan_id.map(RatePlanId),
                segment: word(&row.segment)?,
                expected_time: row.expected_time,
                do_not_move: row.do_not_move,
                day_use: row.day_use,
                share_of: row.share_of.map(ReservationId),
                checked_in_at: row.checked_in_at,
                checked_out_at: row.checked_out_at,
                notes: row.notes,
                version: row.version,
                created_at: row.created_at,
                lateness: word(&row.lateness)?,
                early_departure_fee: row.early_departure_fee,
                no_show_fee: row.no_show_fee,
                nights: by_reservation
                    .remove(&row.reservation_id)
                    .unwrap_or_default(),
            })
        })
        .collect()
}

/// Puts the present state of these reservations into the event, without their notes (N13), and
/// answers them. To be called after everything was written.
pub(crate) async fn reservations_changed(
    work: &mut Work<'_>,
    ids: &[ReservationId],
) -> Result<Vec<ReservationRow>, ApiError> {
    let hotel = work.hotel();
    let rows = reservations(work.conn(), hotel, ids).await?;
    for row in &rows {
        let mut image = row.clone();
        image.notes.clear();
        work.changed(Change::Reservation {
            row: Box::new(image),
        });
    }
    Ok(rows)
}

/// Takes the room assignments of these reservations away, also in the event.
pub(crate) async fn remove_room_uses(
    work: &mut Work<'_>,
    ids: &[ReservationId],
) -> Result<(), ApiError> {
    let hotel = work.hotel();
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let gone = sqlx::query_scalar!(
        "DELETE FROM room_use WHERE hotel_id = $1 AND reservation_id = ANY ($2)
         RETURNING room_use_id",
        hotel.0,
        &ids,
    )
    .fetch_all(work.conn())
    .await?;
    for id in gone {
        work.changed(Change::RoomUseRemoved { id: RoomUseId(id) });
    }
    Ok(())
}
