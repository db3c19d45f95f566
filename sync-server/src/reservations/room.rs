//! Giving a reservation its room: the rules that assignment and check-in share.

use chrono::{Days, NaiveDate};
use protocol::code::{Code, Problem};
use protocol::id::{RoomId, RoomTypeId};
use protocol::row::{ReservationRow, RoomRow, RoomUseRow};
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};

use crate::db::command::Work;
use crate::db::rooms::{self, NewUse};
use crate::error::ApiError;

/// The nights for which a room can still be given: the whole stay, from tonight on when the guest is
/// in house or late. Day use takes no night but needs the room to itself until the guest leaves, so it
/// stands in the room's use as the night of its day: stricter than need be and never wrong.
pub(super) fn ahead(row: &ReservationRow, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let until = if row.day_use {
        row.check_in.checked_add_days(Days::new(1))?
    } else {
        row.check_out
    };
    let from = row.check_in.max(today);
    (from < until).then_some((from, until))
}

/// The use of a room that covers this night.
pub(super) fn on(uses: &[RoomUseRow], night: NaiveDate) -> Option<&RoomUseRow> {
    uses.iter()
        .find(|row| row.from <= night && night < row.until)
}

/// The room that a request gives, or `invalid` with the field.
pub(super) async fn named(work: &mut Work<'_>, id: RoomId) -> Result<RoomRow, ApiError> {
    named_at(work, id, "/room_id").await
}

/// A room named in a request under another name.
pub(super) async fn named_at(
    work: &mut Work<'_>,
    id: RoomId,
    pointer: &str,
) -> Result<RoomRow, ApiError> {
    let hotel = work.hotel();
    match rooms::room(work.conn(), hotel, id).await? {
        Some(room) if room.active => Ok(room),
        _ => Err(Problem::new(Code::Invalid)
            .field(pointer, "there is no such room")
            .into()),
    }
}

/// The promised room is not changed lightly: somebody must take the lock away first.
pub(super) fn may_move(row: &ReservationRow, uses: &[RoomUseRow]) -> Result<(), ApiError> {
    match uses.last() {
        Some(promised) if row.do_not_move => Err(Problem::new(Code::WrongState)
            .facts(serde_json::json!({
                "state": row.state,
                "reservation_id": row.id,
                "do_not_move": true,
                "room_id": promised.room_id,
            }))
            .into()),
        _ => Ok(()),
    }
}

/// Takes the rooms ahead away. A guest in house leaves a room behind that must be cleaned.
pub(super) async fn take_away(
    work: &mut Work<'_>,
    row: &ReservationRow,
    uses: &[RoomUseRow],
) -> Result<(), ApiError> {
    let today = work.business_date;
    let in_house = row.state == ReservationState::CheckedIn;
    for used in uses {
        // Nights that were slept stay on record; nobody slept in a room that was only assigned.
        let on = if in_house { today } else { used.from };
        rooms::end_use(work, used, on).await?;
    }
    if in_house && let Some(left) = on(uses, today) {
        rooms::set_status(work, left.room_id, RoomStatus::Dirty).await?;
    }
    Ok(())
}

/// Gives the room for the nights ahead, instead of the one there was.
pub(super) async fn give(
    work: &mut Work<'_>,
    row: &ReservationRow,
    uses: &[RoomUseRow],
    room: &RoomRow,
    (from, until): (NaiveDate, NaiveDate),
) -> Result<(), ApiError> {
    fits(row, room, from)?;
    may_move(row, uses)?;
    take_away(work, row, uses).await?;
    rooms::occupy(
        work,
        NewUse {
            id: None,
            room: room.id,
            from,
            until,
            kind: RoomUseKind::Stay,
            reservation: Some(row.id),
            reason: None,
        },
    )
    .await?;
    Ok(())
}

/// The room must be of the type in which the nights ahead are counted.
pub(super) fn fits(row: &ReservationRow, room: &RoomRow, from: NaiveDate) -> Result<(), ApiError> {
    let counted: Vec<RoomTypeId> = row
        .nights
        .iter()
        .filter(|night| night.counted && night.stay_date >= from)
        .map(|night| night.room_type_id)
        .collect();
    let wanted = match counted.as_slice() {
        [] => vec![row.room_type_id],
        some => some.to_vec(),
    };
    match wanted
        .into_iter()
        .find(|room_type| *room_type != room.room_type_id)
    {
        None => Ok(()),
        Some(counted) => Err(wrong_type(room, counted)),
    }
}

/// `wrong_type`, with the type in which the night is counted.
pub(super) fn wrong_type(room: &RoomRow, counted: RoomTypeId) -> ApiError {
    Problem::new(Code::WrongType)
        .facts(serde_json::json!({
            "room_id": room.id,
            "room_type_id": room.room_type_id,
            "counted_type_id": counted,
        }))
        .into()
}
