//! `POST /bookings/{id}/cancel` and `POST /reservations/{id}/cancel`: gives rooms up before arrival.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId};
use protocol::request::{CancelRequest, CommandAnswer, Sharers};
use protocol::state::ReservationState;

use super::moves::{answer_with, wrong_state};
use super::share;
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::{expect_rows, release};
use crate::db::{bookings, images, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// Why a stay may be given up, in words that may stand in the log (N13).
const REASONS: [&str; 5] = ["guest", "released", "duplicate", "not_wanted", "hotel"];

#[derive(Debug)]
enum What {
    /// Every room that is still on hold or confirmed.
    Booking(BookingId),
    /// One room.
    Room(ReservationId),
}

/// A cancellation that is right in form.
#[derive(Debug)]
pub(crate) struct Cancel {
    what: What,
    reason: Option<String>,
    sharers: Option<Sharers>,
}

impl Cancel {
    /// Of a whole booking.
    pub(crate) fn booking(id: BookingId, request: CancelRequest) -> Result<Self, ApiError> {
        Self::new(What::Booking(id), request)
    }

    /// Of one room.
    pub(crate) fn room(id: ReservationId, request: CancelRequest) -> Result<Self, ApiError> {
        Self::new(What::Room(id), request)
    }

    fn new(what: What, request: CancelRequest) -> Result<Self, ApiError> {
        match &request.reason {
            Some(reason) if !REASONS.contains(&reason.as_str()) => Err(Problem::new(Code::Invalid)
                .field("/reason", format!("must be one of {}", REASONS.join(", ")))
                .into()),
            _ => Ok(Self {
                what,
                reason: request.reason,
                sharers: request.sharers,
            }),
        }
    }

    /// The rooms to give up: those on hold or confirmed. Of a booking, rooms that have come to their
    /// end before do not stand in the way, but a guest in house does.
    async fn rooms(&self, work: &mut Work<'_>) -> Result<Vec<ReservationId>, ApiError> {
        let hotel = work.hotel();
        let rooms = match self.what {
            What::Booking(id) => bookings::lock_rooms(work, id).await?,
            What::Room(id) => bookings::lock_room(work.conn(), hotel, id)
                .await?
                .into_iter()
                .collect(),
        };
        let first = rooms
            .first()
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        if let Some(here) = rooms
            .iter()
            .find(|room| room.state == ReservationState::CheckedIn)
        {
            return Err(wrong_state(here.id, here.state));
        }
        let open: Vec<_> = rooms
            .iter()
            .filter(|room| room.state.may_become(ReservationState::Cancelled))
            .map(|room| room.id)
            .collect();
        if open.is_empty() {
            return Err(wrong_state(first.id, first.state));
        }
        Ok(open)
    }
}

impl Decision for Cancel {
    const VERB: &'static str = "cancel";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let hotel = work.hotel();
        let mut rooms = self.rooms(work).await?;
        work.because(self.reason.as_deref());
        // Those who share the room are of the same party: with the whole of it they all go.
        let mut sharers = share::After::default();
        if let What::Room(id) = self.what {
            let row = reservations::need(work, id).await?;
            match self.sharers {
                Some(Sharers::Leave) => rooms.extend(share::expected(work, &row).await?),
                _ => sharers = share::hand_over(work, &row, row.check_in).await?,
            }
        }
        release(work, &rooms, None).await?;
        images::remove_room_uses(work, &rooms).await?;
        let moved = bookings::cancel(work.conn(), hotel, &rooms).await?;
        expect_rows(moved, rooms.len())?;
        sharers.written(work).await?;
        answer_with(work, &rooms).await
    }
}

/// Gives up every room of the booking that is on hold or confirmed; their nights are for sale again.
///
/// A booking that was given up before answers `wrong_state` with `facts.state`, and changes nothing.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/bookings/{id}/cancel",
    tag = "reservations",
    operation_id = "cancel_booking",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = CancelRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state (`facts.state`)", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid, key_reused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn booking_handler(
    State(app): State<AppState>,
    Id(booking): Id<BookingId>,
    request: CommandRequest<CancelRequest>,
) -> Result<Answer, ApiError> {
    let decision = Cancel::booking(booking, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

/// Gives up one room that is on hold or confirmed; its nights are for sale again.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/cancel",
    tag = "reservations",
    operation_id = "cancel_reservation",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = CancelRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state (`facts.state`)", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid, key_reused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn room_handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<CancelRequest>,
) -> Result<Answer, ApiError> {
    let decision = Cancel::room(reservation, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
