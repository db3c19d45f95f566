//! `POST /bookings/{id}/assign`, `/check-in` and `/check-out`: a party as a whole.
//!
//! A booking is made all or none; from then on each reservation is its own. What is asked of a whole
//! party says how: all or none, or each for itself, and then every room has its own result. Either way it
//! is one command with one event. (A whole booking is given up by `/cancel`, and changed in one guarded
//! step by `/change`.)

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::BookingId;
use protocol::request::{
    AssignRequest, CheckInRequest, CheckOutRequest, PartyAnswer, PartyMode, PartyRequest,
    PartyResult, PartyRoom, ROOMS_MAX,
};
use protocol::state::ReservationState;

use super::assign::Assign;
use super::check_in::CheckIn;
use super::check_out::CheckOut;
use super::stays_written;
use crate::app::AppState;
use crate::db::bookings;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// What is done with every room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Assign,
    CheckIn,
    CheckOut,
}

/// An act on a party, right in form.
#[derive(Debug)]
pub(crate) struct Party<const ACT: u8> {
    booking: BookingId,
    act: Act,
    body: PartyRequest,
}

const ASSIGN: u8 = 0;
const CHECK_IN: u8 = 1;
const CHECK_OUT: u8 = 2;

impl<const ACT: u8> Party<ACT> {
    fn new(booking: BookingId, act: Act, body: PartyRequest) -> Result<Self, ApiError> {
        let mut problem = Problem::new(Code::Invalid);
        if body.rooms.len() > ROOMS_MAX {
            problem = problem.field("/rooms", format!("must be at most {ROOMS_MAX} rooms"));
        }
        for (place, room) in body.rooms.iter().take(ROOMS_MAX).enumerate() {
            if body.rooms[..place]
                .iter()
                .any(|other| other.reservation_id == room.reservation_id)
            {
                problem = problem.field(
                    format!("/rooms/{place}/reservation_id"),
                    "is named twice in this request",
                );
            }
            if act == Act::CheckOut && room.room_id.is_some() {
                problem = problem.field(
                    format!("/rooms/{place}/room_id"),
                    "a guest who leaves is given no room",
                );
            }
        }
        if act == Act::Assign && body.rooms.is_empty() {
            problem = problem.field("/rooms", "must say who is given which room");
        }
        if act != Act::CheckOut && body.early {
            problem = problem.field("/early", "is of a check-out");
        }
        if problem.fields.is_empty() {
            Ok(Self { booking, act, body })
        } else {
            Err(problem.into())
        }
    }

    /// The rooms that are meant: those named, which must be of the party, or every one that can take
    /// this step.
    async fn rooms(&self, work: &mut Work<'_>) -> Result<Vec<PartyRoom>, ApiError> {
        let all = bookings::lock_rooms(work, self.booking).await?;
        let first = all
            .first()
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        if self.body.rooms.is_empty() {
            let from = match self.act {
                Act::Assign | Act::CheckIn => ReservationState::Confirmed,
                Act::CheckOut => ReservationState::CheckedIn,
            };
            let rooms: Vec<PartyRoom> = all
                .iter()
                .filter(|room| room.state == from)
                .map(|room| PartyRoom {
                    reservation_id: room.id,
                    room_id: None,
                    room_not_ready_accepted: false,
                })
                .collect();
            if rooms.is_empty() {
                return Err(super::moves::wrong_state(first.id, first.state));
            }
            return Ok(rooms);
        }
        for (place, room) in self.body.rooms.iter().enumerate() {
            if !all.iter().any(|known| known.id == room.reservation_id) {
                return Err(Problem::new(Code::Invalid)
                    .field(
                        format!("/rooms/{place}/reservation_id"),
                        "is not of this booking",
                    )
                    .into());
            }
        }
        Ok(self.body.rooms.clone())
    }

    async fn one(
        &self,
        work: &mut Work<'_>,
        room: &PartyRoom,
    ) -> Result<Result<(), Problem>, ApiError> {
        let reservation = room.reservation_id;
        match self.act {
            Act::Assign => {
                let body = AssignRequest {
                    room_id: room.room_id,
                };
                work.attempt(&Assign { reservation, body }).await
            }
            Act::CheckIn => {
                let body = CheckInRequest {
                    room_id: room.room_id,
                    room_not_ready_accepted: room.room_not_ready_accepted,
                };
                work.attempt(&CheckIn { reservation, body }).await
            }
            Act::CheckOut => {
                let body = CheckOutRequest {
                    early: self.body.early,
                    ..CheckOutRequest::default()
                };
                work.attempt(&CheckOut { reservation, body }).await
            }
        }
    }
}

impl<const ACT: u8> Decision for Party<ACT> {
    const VERB: &'static str = match ACT {
        ASSIGN => "assign_party",
        CHECK_IN => "check_in_party",
        _ => "check_out_party",
    };
    type Answer = PartyAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<PartyAnswer, ApiError> {
        let rooms = self.rooms(work).await?;
        let mut results = Vec::with_capacity(rooms.len());
        let mut first = None;
        let mut done = Vec::new();
        for (place, room) in rooms.iter().enumerate() {
            let problem = match self.one(work, room).await? {
                Ok(()) => {
                    done.push(room.reservation_id);
                    None
                }
                Err(problem) => {
                    let problem = self.at(place, room, problem);
                    if self.body.mode == PartyMode::All {
                        return Err(problem.into());
                    }
                    first.get_or_insert_with(|| problem.clone());
                    Some(problem)
                }
            };
            results.push(PartyResult {
                reservation_id: room.reservation_id,
                problem,
            });
        }
        // Where nothing was done there is no event to write.
        if let (Some(problem), true) = (first, done.is_empty()) {
            return Err(problem.into());
        }
        let stays = stays_written(work, &done).await?;
        Ok(PartyAnswer {
            seq: stays.seq,
            results,
            reservations: stays.reservations,
        })
    }
}

impl<const ACT: u8> Party<ACT> {
    /// A refusal of one room, with its fields where they stand in the request, and which room it was.
    fn at(&self, place: usize, room: &PartyRoom, mut problem: Problem) -> Problem {
        if !self.body.rooms.is_empty() {
            for field in &mut problem.fields {
                field.pointer = format!("/rooms/{place}{}", field.pointer);
            }
        }
        let mut facts = problem.facts.take().unwrap_or_default();
        if facts.is_null() {
            facts = serde_json::json!({});
        }
        if let Some(facts) = facts.as_object_mut() {
            facts
                .entry("reservation_id")
                .or_insert_with(|| serde_json::json!(room.reservation_id));
        }
        problem.facts(facts)
    }
}

macro_rules! handler {
    ($name:ident, $act:ident, $code:ident, $path:literal, $operation:literal, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            tag = "reservations",
            operation_id = $operation,
            params(
                ("hotel" = String, Path, format = Uuid),
                ("id" = String, Path, format = Uuid),
                ("Idempotency-Key" = String, Header, max_length = 128),
            ),
            request_body = PartyRequest,
            responses(
                (status = 200, body = PartyAnswer),
                (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
                (status = 409, description = "what refuses one room refuses all with mode `all`, and with mode `each` where it is every room", body = Problem, content_type = "application/problem+json"),
                (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
            ),
        )]
        pub(super) async fn $name(
            State(app): State<AppState>,
            Id(booking): Id<BookingId>,
            request: CommandRequest<PartyRequest>,
        ) -> Result<Answer, ApiError> {
            let decision = Party::<$code>::new(booking, Act::$act, request.body)?;
            run(&app.db, &request.caller, Some(&request.key), &decision).await
        }
    };
}

handler!(
    assign_handler, Assign, ASSIGN,
    "/v1/hotels/{hotel}/bookings/{id}/assign", "assign_party",
    /// Gives the rooms of a party, in the order asked.
);
handler!(
    check_in_handler, CheckIn, CHECK_IN,
    "/v1/hotels/{hotel}/bookings/{id}/check-in", "check_in_party",
    /// Checks a party in: every room that is expected, or those named.
);
handler!(
    check_out_handler, CheckOut, CHECK_OUT,
    "/v1/hotels/{hotel}/bookings/{id}/check-out", "check_out_party",
    /// Checks a party out: every room that is in house, or those named.
);
