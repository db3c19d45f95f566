//! Reservations: one room for one stay, and the moves between their states; one file for each.

pub(crate) mod assign;
pub(crate) mod cancel;
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
#[cfg(test)]
mod key_tests;
#[cfg(test)]
mod life_tests;
pub(crate) mod no_show;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod race_tests;
mod read;
pub(crate) mod upgrade;

pub(crate) mod moves;
mod renew;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
pub(crate) mod testbed;

mod room;

use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, ReservationNow};
use protocol::row::ReservationRow;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::db::command::Work;
use crate::db::images;
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
