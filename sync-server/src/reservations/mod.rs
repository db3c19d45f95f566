//! Reservations: one room for one stay, and the moves between their states; one file for each.

#[cfg(test)]
mod absence_tests;
pub(crate) mod assign;
pub(crate) mod cancel;
pub(crate) mod change;
#[cfg(test)]
mod channel_tests;
pub(crate) mod check_in;
pub(crate) mod check_out;
pub(crate) mod confirm;
mod details;
pub(crate) mod expire;
pub(crate) mod hold;
pub(crate) mod hold_form;
pub(crate) mod hold_group;
pub(crate) mod hold_queue;
#[cfg(test)]
mod hold_tests;
pub(crate) mod hold_texts;
#[cfg(test)]
mod key_tests;
#[cfg(test)]
mod life_tests;
pub(crate) mod no_show;
pub(crate) mod party;
#[cfg(test)]
mod plan_tests;
pub(crate) mod put_right;
#[cfg(test)]
mod put_right_tests;
#[cfg(test)]
mod race_tests;
mod read;
pub(crate) mod upgrade;

pub(crate) mod moves;
pub(crate) mod release;
mod renew;
pub(crate) mod share;
#[cfg(test)]
mod share_tests;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
pub(crate) mod testbed;

mod room;

use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, ReservationNow, StayAnswer, StayNow};
use protocol::row::ReservationRow;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::db::command::Work;
use crate::db::{images, rooms};
use crate::error::ApiError;
pub(crate) use hold_form::is_sensible as is_sensible_date;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(hold::handler))
        .routes(routes!(renew::handler))
        .routes(routes!(confirm::handler))
        .routes(routes!(cancel::booking_handler))
        .routes(routes!(cancel::room_handler))
        .routes(routes!(read::reservation, details::handler))
        .routes(routes!(read::booking))
        .routes(routes!(assign::handler))
        .routes(routes!(check_in::handler))
        .routes(routes!(check_out::handler))
        .routes(routes!(no_show::handler))
        .routes(routes!(upgrade::handler))
        .routes(routes!(change::handler))
        .routes(routes!(change::booking_handler))
        .routes(routes!(put_right::handler))
        .routes(routes!(share::handler))
        .routes(routes!(no_show::audit_handler))
        .routes(routes!(no_show::nights_handler))
        .routes(routes!(release::handler))
        .routes(routes!(party::assign_handler))
        .routes(routes!(party::check_in_handler))
        .routes(routes!(party::check_out_handler))
}

/// Puts the reservation as it now stands into the event, and says so in the answer.
pub(crate) async fn written(
    work: &mut Work<'_>,
    id: ReservationId,
) -> Result<CommandAnswer, ApiError> {
    let rows = images::reservations_changed(work, &[id]).await?;
    Ok(answer(work, &rows))
}

/// The answer about reservations that stand as they were read.
pub(crate) fn answer(work: &Work<'_>, rows: &[ReservationRow]) -> CommandAnswer {
    let now = rows.iter().map(|row| ReservationNow {
        id: row.id,
        state: row.state,
        version: row.version,
        hold_expires_at: row.hold_expires_at,
    });
    CommandAnswer {
        seq: work.seq(),
        reservations: now.collect(),
    }
}

/// Puts these reservations as they now stand into the event, and answers all that may have changed of
/// them, rooms included.
pub(crate) async fn stays_written(
    work: &mut Work<'_>,
    ids: &[ReservationId],
) -> Result<StayAnswer, ApiError> {
    let hotel = work.hotel();
    let rows = images::reservations_changed(work, ids).await?;
    let mut reservations = Vec::with_capacity(rows.len());
    for row in rows {
        reservations.push(StayNow {
            room_uses: rooms::uses_of(work.conn(), hotel, row.id).await?,
            id: row.id,
            state: row.state,
            version: row.version,
            hold_expires_at: row.hold_expires_at,
            check_in: row.check_in,
            check_out: row.check_out,
            room_type_id: row.room_type_id,
            day_use: row.day_use,
            share_of: row.share_of,
            checked_in_at: row.checked_in_at,
            checked_out_at: row.checked_out_at,
            nights: row.nights,
        });
    }
    Ok(StayAnswer {
        seq: work.seq(),
        reservations,
    })
}
