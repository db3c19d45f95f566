//! Those who share a room whose stay is changed: they stay in it.

use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::nights::dates;
use protocol::row::{ReservationNight, ReservationRow};
use protocol::state::ReservationState;
use serde_json::json;

use super::One;
use crate::db::command::Work;
use crate::db::stays::{self, NightWrite};
use crate::db::{images, reservations};
use crate::error::ApiError;
use crate::reservations::share;

/// Whoever arrived or was to leave together with the room still does, and nobody is left with a night on
/// which the room is not there. To be called when the stays are written. Answers who was changed.
pub(super) async fn follow(
    work: &mut Work<'_>,
    before: &[ReservationRow],
) -> Result<Vec<ReservationId>, ApiError> {
    let mut changed = Vec::new();
    for old in before {
        let row = reservations::need(work, old.id).await?;
        if row.share_of.is_some() {
            share::has_room(work, &row).await?;
            continue;
        }
        for sharer in share::alive(work, &row).await? {
            let (check_in, check_out) = with(&sharer, old, &row);
            move_along(work, &sharer, &row, check_in, check_out).await?;
            changed.push(sharer.id);
        }
    }
    Ok(changed)
}

/// The dates of a sharer: those that were the room's are the room's again.
fn with(
    sharer: &ReservationRow,
    old: &ReservationRow,
    row: &ReservationRow,
) -> (NaiveDate, NaiveDate) {
    let here = sharer.state == ReservationState::CheckedIn;
    let check_in = if sharer.check_in == old.check_in && !here {
        row.check_in
    } else {
        sharer.check_in
    };
    let check_out = if sharer.check_out == old.check_out {
        row.check_out
    } else {
        sharer.check_out
    };
    (check_in, check_out)
}

async fn move_along(
    work: &mut Work<'_>,
    sharer: &ReservationRow,
    row: &ReservationRow,
    check_in: NaiveDate,
    check_out: NaiveDate,
) -> Result<(), ApiError> {
    let today = work.business_date;
    let known = |date: NaiveDate, nights: &[ReservationNight]| {
        nights.iter().find(|night| night.stay_date == date).cloned()
    };
    let mut writes = Vec::new();
    for date in dates(check_in, check_out) {
        let had = known(date, &sharer.nights);
        let shared = match (known(date, &row.nights).filter(|night| night.counted), &had) {
            (Some(night), had) => ReservationNight {
                price: had.as_ref().map_or(0, |had| had.price),
                counted: false,
                shared: true,
                ..night
            },
            // Nights that have passed stand as they stood.
            (None, Some(had)) if date < today => had.clone(),
            (None, _) => return Err(left_alone(sharer, date)),
        };
        if had.as_ref() != Some(&shared) {
            writes.push(NightWrite {
                reservation: sharer.id,
                night: shared,
                moved: false,
                over_type: false,
                over_house: false,
            });
        }
    }
    if check_out < check_in || check_out == check_in && !row.day_use {
        return Err(left_alone(sharer, check_in));
    }
    let gone: Vec<(ReservationId, NaiveDate)> = sharer
        .nights
        .iter()
        .filter(|night| !(check_in..check_out).contains(&night.stay_date))
        .map(|night| (sharer.id, night.stay_date))
        .collect();
    if gone.is_empty()
        && writes.is_empty()
        && (check_in, check_out) == (sharer.check_in, sharer.check_out)
    {
        return Ok(());
    }
    stays::remove_nights(work, &gone).await?;
    stays::put_nights(work, &writes).await?;
    stays::set_stay(
        work,
        sharer,
        check_in,
        check_out,
        row.room_type_id,
        None,
        false,
    )
    .await
}

fn left_alone(sharer: &ReservationRow, night: NaiveDate) -> ApiError {
    Problem::new(Code::WrongState)
        .detail("somebody who shares the room would be left without it")
        .facts(json!({
            "reservation_id": sharer.id, "state": sharer.state, "night": night,
            "share_of": sharer.share_of,
        }))
        .into()
}

/// A room that is given up with the others of its party must leave nobody behind who shares it.
pub(super) async fn none_but(
    work: &mut Work<'_>,
    row: &ReservationRow,
    rooms: &[One],
) -> Result<(), ApiError> {
    let left: Vec<ReservationId> = share::alive(work, row)
        .await?
        .into_iter()
        .map(|sharer| sharer.id)
        .filter(|id| !rooms.iter().any(|one| one.cancel && one.id == *id))
        .collect();
    let Some(first) = left.first() else {
        return Ok(());
    };
    let hotel = work.hotel();
    let sharer = images::reservations(work.conn(), hotel, &[*first])
        .await?
        .pop();
    Err(match sharer {
        Some(sharer) => left_alone(&sharer, row.check_in),
        None => ApiError::refused(Code::NotFound),
    })
}
