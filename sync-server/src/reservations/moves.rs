//! What the moves between states have in common.

use chrono::{DateTime, Utc};
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId};
use protocol::request::CommandAnswer;
use protocol::state::ReservationState;
use serde_json::json;

use crate::db::bookings::{self, Standing};
use crate::db::command::Work;
use crate::db::images;
use crate::error::ApiError;

/// The refusal of a move that does not begin where the reservation stands (N6).
pub(crate) fn wrong_state(id: ReservationId, state: ReservationState) -> ApiError {
    Problem::new(Code::WrongState)
        .facts(json!({ "reservation_id": id, "state": state }))
        .into()
}

/// The rooms of a booking that are on hold and have not run out: all that may be confirmed or
/// renewed. Rooms that were given up before do not stand in the way.
///
/// # Errors
/// `not_found` for no booking, `hold_expired` if any of it has run out, `wrong_state` if nothing of
/// it is on hold.
pub(crate) async fn live_holds(
    work: &mut Work<'_>,
    booking: BookingId,
) -> Result<Vec<ReservationId>, ApiError> {
    let now = work.now;
    let rooms = bookings::lock_rooms(work, booking).await?;
    let first = rooms
        .first()
        .ok_or_else(|| ApiError::refused(Code::NotFound))?;
    if rooms.iter().any(|room| ran_out(room, now)) {
        return Err(ApiError::refused(Code::HoldExpired));
    }
    let held: Vec<ReservationId> = rooms
        .iter()
        .filter(|room| room.is_live_hold(now))
        .map(|room| room.id)
        .collect();
    if held.is_empty() {
        return Err(wrong_state(first.id, first.state));
    }
    Ok(held)
}

fn ran_out(room: &Standing, now: DateTime<Utc>) -> bool {
    match room.state {
        ReservationState::Expired => true,
        ReservationState::Held => !room.is_live_hold(now),
        _ => false,
    }
}

/// Writes the present state of these reservations into the event, and the answer that says so.
pub(crate) async fn answer_with(
    work: &mut Work<'_>,
    ids: &[ReservationId],
) -> Result<CommandAnswer, ApiError> {
    let rows = images::reservations_changed(work, ids).await?;
    Ok(super::answer(work, &rows))
}
