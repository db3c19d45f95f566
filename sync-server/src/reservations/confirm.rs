//! `POST /bookings/{id}/confirm`: promises the rooms that are on hold.

use std::collections::HashSet;

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId};
use protocol::request::{ADULTS_MAX, CHILDREN_MAX, CommandAnswer, ConfirmRequest, ROOMS_MAX};
use protocol::state::Guarantee;
use protocol::text::{NOTE_CHARS_MAX, clean};

use super::moves::{answer_with, live_holds, wrong_state};
use crate::app::AppState;
use crate::db::bookings::{self, ConfirmedRoom};
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::expect_rows;
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The most guests of one room besides the main one.
const FURTHER_GUESTS_MAX: usize = ADULTS_MAX as usize + CHILDREN_MAX - 1;

/// A confirmation that is right in form.
#[derive(Debug)]
pub(crate) struct Confirm {
    booking: BookingId,
    guarantee: Guarantee,
    rooms: Vec<ConfirmedRoom>,
}

impl Confirm {
    /// Tidies what was typed. Every fault is named.
    pub(crate) fn new(booking: BookingId, request: ConfirmRequest) -> Result<Self, ApiError> {
        let mut problem = Problem::new(Code::Invalid);
        if request.rooms.len() > ROOMS_MAX {
            problem = problem.field("/rooms", format!("must be at most {ROOMS_MAX} rooms"));
        }
        let mut named = HashSet::new();
        let mut rooms = Vec::new();
        for (place, room) in request.rooms.into_iter().take(ROOMS_MAX).enumerate() {
            if !named.insert(room.reservation_id) {
                problem = problem.field(
                    format!("/rooms/{place}/reservation_id"),
                    "is named twice in this request",
                );
            }
            if room.further_guest_ids.len() > FURTHER_GUESTS_MAX {
                problem = problem.field(
                    format!("/rooms/{place}/further_guest_ids"),
                    format!("must be at most {FURTHER_GUESTS_MAX} guests"),
                );
            }
            let notes = room.notes.map(|notes| clean(&notes, NOTE_CHARS_MAX));
            let notes = match notes.transpose() {
                Ok(notes) => notes,
                Err(fault) => {
                    problem = problem.field(format!("/rooms/{place}/notes"), fault.to_string());
                    None
                }
            };
            rooms.push(ConfirmedRoom {
                id: room.reservation_id,
                guest: room.guest_id,
                further_guests: room.further_guest_ids,
                notes,
                expected_time: room.expected_time,
            });
        }
        if problem.fields.is_empty() {
            Ok(Self {
                booking,
                guarantee: request.guarantee,
                rooms,
            })
        } else {
            Err(problem.into())
        }
    }

    /// Guests whom the hotel does not know, by the fields that name them.
    async fn check_guests(&self, work: &mut Work<'_>) -> Result<(), ApiError> {
        let caller = work.caller;
        let guests: Vec<_> = self
            .rooms
            .iter()
            .flat_map(|room| room.guest.iter().chain(&room.further_guests).copied())
            .collect();
        let unknown = bookings::unknown_guests(work.conn(), caller, &guests).await?;
        if unknown.is_empty() {
            return Ok(());
        }
        let mut problem = Problem::new(Code::Invalid);
        let detail = "is not known in this hotel";
        for (place, room) in self.rooms.iter().enumerate() {
            if room.guest.is_some_and(|guest| unknown.contains(&guest)) {
                problem = problem.field(format!("/rooms/{place}/guest_id"), detail);
            }
            for (further, guest) in room.further_guests.iter().enumerate() {
                if unknown.contains(guest) {
                    let pointer = format!("/rooms/{place}/further_guest_ids/{further}");
                    problem = problem.field(pointer, detail);
                }
            }
        }
        Err(problem.into())
    }

    /// Every room on hold, with what the request says of it. A room that the request names must be
    /// one of them.
    async fn rooms_to_confirm(
        &self,
        work: &mut Work<'_>,
        held: &[ReservationId],
    ) -> Result<Vec<ConfirmedRoom>, ApiError> {
        for (place, room) in self.rooms.iter().enumerate() {
            if held.contains(&room.id) {
                continue;
            }
            let all = bookings::lock_rooms(work, self.booking).await?;
            return Err(match all.iter().find(|known| known.id == room.id) {
                Some(known) => wrong_state(known.id, known.state),
                None => Problem::new(Code::Invalid)
                    .field(
                        format!("/rooms/{place}/reservation_id"),
                        "is not of this booking",
                    )
                    .into(),
            });
        }
        Ok(held
            .iter()
            .map(|id| {
                let told = self.rooms.iter().find(|room| room.id == *id);
                told.cloned().unwrap_or(ConfirmedRoom {
                    id: *id,
                    guest: None,
                    further_guests: Vec::new(),
                    notes: None,
                    expected_time: None,
                })
            })
            .collect())
    }
}

impl Decision for Confirm {
    const VERB: &'static str = "confirm";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, now) = (work.hotel(), work.now);
        let held = live_holds(work, self.booking).await?;
        let rooms = self.rooms_to_confirm(work, &held).await?;
        self.check_guests(work).await?;
        for room in &rooms {
            let moved = bookings::confirm(work.conn(), hotel, room, self.guarantee, now).await?;
            expect_rows(moved, 1)?;
        }
        answer_with(work, &held).await
    }
}

/// Confirms every room of the booking that is on hold, all or none.
///
/// Refused as `hold_expired` when the hold has run out by the database's clock, whether or not
/// anything has given its nights back yet (N7). Without guarantee the rooms are listed for release at
/// the hotel's hour on the day of arrival.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/bookings/{id}/confirm",
    tag = "reservations",
    operation_id = "confirm_booking",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = ConfirmRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "hold_expired, wrong_state (`facts.state`)", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid, key_reused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(booking): Id<BookingId>,
    request: CommandRequest<ConfirmRequest>,
) -> Result<Answer, ApiError> {
    let decision = Confirm::new(booking, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
