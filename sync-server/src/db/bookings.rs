//! The moves of a booking's reservations between held, confirmed and cancelled. Every statement names
//! the state that it leaves and says how many rows it moved (N6).

use chrono::{DateTime, NaiveTime, Utc};
use protocol::id::{BookingId, GuestId, HotelId, ReservationId};
use protocol::state::{Guarantee, ReservationState};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::command::{Caller, Work};
use crate::db::images::word;
use crate::error::ApiError;

/// What is asked of a reservation before it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Which.
    pub(crate) id: ReservationId,
    /// Where it stands.
    pub(crate) state: ReservationState,
    /// When it runs out, if held.
    pub(crate) hold_expires_at: Option<DateTime<Utc>>,
}

impl Standing {
    /// Whether it is a hold that may still be confirmed at this instant of the database's clock.
    pub(crate) fn is_live_hold(&self, now: DateTime<Utc>) -> bool {
        self.state == ReservationState::Held && self.hold_expires_at.is_some_and(|end| end > now)
    }
}

/// The reservations of a booking, locked in the order of their ids; empty when there is no such
/// booking that this caller may touch.
pub(crate) async fn lock_rooms(
    work: &mut Work<'_>,
    booking: BookingId,
) -> Result<Vec<Standing>, ApiError> {
    let (hotel, only_of) = (work.hotel(), work.caller.only_of());
    let rows = sqlx::query!(
        "SELECT r.reservation_id, r.state, r.hold_expires_at
         FROM booking AS b
         JOIN reservation AS r ON r.hotel_id = $1 AND r.booking_id = b.booking_id
         WHERE b.hotel_id = $1 AND b.booking_id = $2 AND ($3::uuid IS NULL OR b.made_by = $3)
         ORDER BY r.reservation_id
         FOR NO KEY UPDATE OF r",
        hotel.0,
        booking.0,
        only_of,
    )
    .fetch_all(work.conn())
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Standing {
                id: ReservationId(row.reservation_id),
                state: word(&row.state)?,
                hold_expires_at: row.hold_expires_at,
            })
        })
        .collect()
}

/// Whether there is such a booking that this caller may see.
pub(crate) async fn is_open_to(
    conn: &mut PgConnection,
    caller: &Caller,
    booking: BookingId,
) -> Result<bool, ApiError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM booking
               WHERE hotel_id = $1 AND booking_id = $2 AND ($3::uuid IS NULL OR made_by = $3)) AS "open!""#,
        caller.hotel.0,
        booking.0,
        caller.only_of(),
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}

/// One reservation, locked.
pub(crate) async fn lock_room(
    conn: &mut PgConnection,
    hotel: HotelId,
    reservation: ReservationId,
) -> Result<Option<Standing>, ApiError> {
    let row = sqlx::query!(
        "SELECT reservation_id, state, hold_expires_at FROM reservation
         WHERE hotel_id = $1 AND reservation_id = $2
         FOR NO KEY UPDATE",
        hotel.0,
        reservation.0,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(Standing {
            id: ReservationId(row.reservation_id),
            state: word(&row.state)?,
            hold_expires_at: row.hold_expires_at,
        })
    })
    .transpose()
}

/// Which of these guests the hotel does not know, has forgotten, or does not show to this caller.
pub(crate) async fn unknown_guests(
    conn: &mut PgConnection,
    caller: &Caller,
    guests: &[GuestId],
) -> Result<Vec<GuestId>, ApiError> {
    let ids: Vec<Uuid> = guests.iter().map(|id| id.0).collect();
    let unknown = sqlx::query_scalar!(
        r#"SELECT w.id AS "id!" FROM unnest($2::uuid[]) AS w(id)
           WHERE NOT EXISTS (SELECT FROM guest g
               WHERE g.hotel_id = $1 AND g.guest_id = w.id AND g.erased_at IS NULL
                   AND ($3::uuid IS NULL OR g.made_by = $3))"#,
        caller.hotel.0,
        &ids,
        caller.only_of(),
    )
    .fetch_all(conn)
    .await?;
    Ok(unknown.into_iter().map(GuestId).collect())
}

/// What a confirmation writes of one room; what is absent stays as it was.
#[derive(Clone, Debug)]
pub(crate) struct ConfirmedRoom {
    /// Which.
    pub(crate) id: ReservationId,
    /// The main guest.
    pub(crate) guest: Option<GuestId>,
    /// The others.
    pub(crate) further_guests: Vec<GuestId>,
    /// Free text, cleaned.
    pub(crate) notes: Option<String>,
    /// Hotel time.
    pub(crate) expected_time: Option<NaiveTime>,
}

/// `held -> confirmed`. Without guarantee it is listed for release at the hotel's hour on the day of
/// arrival, in the hotel's zone. Answers how many rows moved: 0 or 1.
pub(crate) async fn confirm(
    conn: &mut PgConnection,
    hotel: HotelId,
    room: &ConfirmedRoom,
    guarantee: Guarantee,
    now: DateTime<Utc>,
) -> Result<u64, ApiError> {
    let further: Vec<Uuid> = room.further_guests.iter().map(|id| id.0).collect();
    let done = sqlx::query!(
        "UPDATE reservation r
         SET state = 'confirmed', version = r.version + 1, hold_expires_at = NULL,
             guest_id = coalesce($3, r.guest_id),
             further_guest_ids = CASE WHEN cardinality($4::uuid[]) > 0 THEN $4 ELSE r.further_guest_ids END,
             notes = coalesce($5, r.notes),
             expected_time = coalesce($6, r.expected_time),
             guarantee = $7,
             release_at = CASE WHEN $7 = 'none'
                 THEN (r.check_in + h.release_time) AT TIME ZONE h.time_zone END
         FROM hotel h
         WHERE r.hotel_id = $1 AND r.reservation_id = $2 AND h.hotel_id = r.hotel_id
           AND r.state = 'held' AND r.hold_expires_at > $8",
        hotel.0,
        room.id.0,
        room.guest.map(|id| id.0),
        &further,
        room.notes,
        room.expected_time as Option<NaiveTime>,
        guarantee.as_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Keeps holds that have not run out: so many minutes from now (the hotel's setting where not said),
/// never longer in all than the hotel's longest, and never shorter than they had. Answers how many
/// rows moved.
pub(crate) async fn renew(
    conn: &mut PgConnection,
    hotel: HotelId,
    reservations: &[ReservationId],
    minutes: Option<i32>,
    now: DateTime<Utc>,
) -> Result<u64, ApiError> {
    let ids: Vec<Uuid> = reservations.iter().map(|id| id.0).collect();
    let done = sqlx::query!(
        "UPDATE reservation r
         SET version = r.version + 1,
             hold_expires_at = greatest(r.hold_expires_at, least(
                 $4::timestamptz + make_interval(mins => coalesce($3, h.hold_minutes)),
                 coalesce(r.held_at, r.created_at) + make_interval(mins => h.hold_minutes_max)))
         FROM hotel h
         WHERE r.hotel_id = $1 AND r.reservation_id = ANY ($2) AND h.hotel_id = r.hotel_id
           AND r.state = 'held' AND r.hold_expires_at > $4",
        hotel.0,
        &ids,
        minutes,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// `held | confirmed -> cancelled`. Answers how many rows moved.
pub(crate) async fn cancel(
    conn: &mut PgConnection,
    hotel: HotelId,
    reservations: &[ReservationId],
) -> Result<u64, ApiError> {
    let ids: Vec<Uuid> = reservations.iter().map(|id| id.0).collect();
    let done = sqlx::query!(
        "UPDATE reservation
         SET state = 'cancelled', version = version + 1, hold_expires_at = NULL, release_at = NULL
         WHERE hotel_id = $1 AND reservation_id = ANY ($2) AND state IN ('held', 'confirmed')",
        hotel.0,
        &ids,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
