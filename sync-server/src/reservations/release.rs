//! `POST /reservations/{id}/release`: nobody guarantees the stay, its hour has come, and nobody has.
//!
//! All nights are given back; it is no no-show and there is no fee. A person confirms it, or the hotel
//! has it done by itself; a guest who is expected late is never released by itself (B23).

use std::time::Duration;

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{NothingMore, StayAnswer};
use protocol::state::{Guarantee, ReservationState};
use serde_json::json;

use super::{share, stays_written};
use crate::app::AppState;
use crate::db::command::{Answer, Caller, Decision, Work, run};
use crate::db::inventory::{expect_rows, release};
use crate::db::{bookings, images, releases, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// How often what is due is looked for.
pub(crate) const EVERY: Duration = Duration::from_secs(60);

/// A release that a person has confirmed, or that the hotel has done by itself.
#[derive(Debug)]
pub(crate) struct Release {
    reservation: ReservationId,
    by_itself: bool,
}

impl Decision for Release {
    const VERB: &'static str = "release";
    type Answer = StayAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<StayAnswer, ApiError> {
        let (hotel, now) = (work.hotel(), work.now);
        let row = reservations::need(work, self.reservation).await?;
        reservations::expect_state(&row, &[ReservationState::Confirmed])?;
        if row.guarantee != Guarantee::None {
            return Err(Problem::new(Code::WrongState)
                .facts(json!({
                    "state": row.state, "reservation_id": row.id, "guarantee": row.guarantee,
                }))
                .into());
        }
        let due = row.release_at.is_some_and(|at| at <= now)
            && (!self.by_itself || releases::by_itself(work, row.id).await?);
        if !due {
            return Err(Problem::new(Code::NotDue)
                .facts(json!({
                    "reservation_id": row.id,
                    "release_at": row.release_at,
                    "check_in": row.check_in,
                }))
                .into());
        }
        // Whoever shares the room and is in it keeps it; with nobody in it they all go.
        let alive = share::alive(work, &row).await?;
        let here = |row: &protocol::row::ReservationRow| row.state == ReservationState::CheckedIn;
        let mut ids = vec![row.id];
        let mut sharers = share::After::default();
        if alive.iter().any(here) {
            sharers = share::hand_over(work, &row, row.check_in).await?;
        } else {
            ids.extend(alive.iter().map(|sharer| sharer.id));
        }
        release(work, &ids, None).await?;
        images::remove_room_uses(work, &ids).await?;
        let moved = bookings::cancel(work.conn(), hotel, &ids).await?;
        expect_rows(moved, ids.len())?;
        work.because(Some("released"));
        sharers.written(work).await?;
        stays_written(work, &ids).await
    }
}

/// Releases what is due at hotels that have it done by themselves. Any server may: of two one does.
pub(crate) async fn job(app: AppState) -> Result<(), ApiError> {
    for (hotel, reservation) in releases::due(&app.db.reads).await? {
        let decision = Release {
            reservation,
            by_itself: true,
        };
        let answer = run(&app.db, &Caller::system(hotel), None, &decision).await?;
        tracing::info!(%hotel, %reservation, status = answer.status, "release.due");
    }
    Ok(())
}

/// Gives a stay up that nobody guarantees and whose hour has come; all its nights are for sale again.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/release",
    tag = "reservations",
    operation_id = "release",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = NothingMore,
    responses(
        (status = 200, body = StayAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, also where something is guaranteed (`guarantee`); not_due with `release_at`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<NothingMore>,
) -> Result<Answer, ApiError> {
    let decision = Release {
        reservation,
        by_itself: false,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
