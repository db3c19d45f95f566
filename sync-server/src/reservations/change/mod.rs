//! `POST /reservations/{id}/change` and `POST /bookings/{id}/change`: other dates, another type, or
//! both, of stays that are promised or in house.
//!
//! One guarded step moves the difference between the nights as they were and as they will be: nothing
//! is cancelled and made anew, so a full house moves by a night with no room to spare (B13), and a night
//! that is given back is for sale at once. Refused whole, naming the nights.
//!
//! What the guest has stays with the guest: a night that stays keeps its price, also where the type in
//! which it is counted changes back; a new night is of the kind of the night next to it and costs what
//! the rate says, or what was agreed. The room goes along; where somebody else is in the way, the
//! request says whether the stay goes on elsewhere, without a room, or in the other's place.

mod places;
mod plan;
mod sharers;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId, RoomTypeId};
use protocol::request::{
    COMMAND_NIGHTS_MAX, ChangeBookingRequest, ChangeStayRequest, ROOMS_MAX, StayAnswer,
};
use protocol::row::{ReservationNight, ReservationRow};
use protocol::state::ReservationState;

use self::places::Stay;
use self::plan::{After, invalid};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::{self, Deltas, Full, expect_rows};
use crate::db::stays::{self, NightWrite};
use crate::db::{bookings, images, rates, reservations, rooms};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// One stay of a change.
#[derive(Debug)]
struct One {
    id: ReservationId,
    /// Give it up instead.
    cancel: bool,
    ask: ChangeStayRequest,
}

/// A change of one stay, or of several of a party in one step.
#[derive(Debug)]
pub(crate) struct ChangeStay {
    /// The party that all of them must belong to, where it was named.
    booking: Option<BookingId>,
    rooms: Vec<One>,
}

impl ChangeStay {
    /// Of one stay.
    pub(crate) fn one(id: ReservationId, ask: ChangeStayRequest) -> Result<Self, ApiError> {
        let mut problem = Problem::new(Code::Invalid);
        problem.fields = plan::check(&ask);
        if !problem.fields.is_empty() {
            return Err(problem.into());
        }
        Ok(Self {
            booking: None,
            rooms: vec![One {
                id,
                cancel: false,
                ask,
            }],
        })
    }

    /// Of several rooms of a party.
    pub(crate) fn party(
        booking: BookingId,
        request: ChangeBookingRequest,
    ) -> Result<Self, ApiError> {
        let mut problem = Problem::new(Code::Invalid);
        if request.rooms.is_empty() || request.rooms.len() > ROOMS_MAX {
            problem = problem.field("/rooms", format!("must be 1 to {ROOMS_MAX} rooms"));
        }
        let mut named = HashSet::new();
        for (place, room) in request.rooms.iter().take(ROOMS_MAX).enumerate() {
            if !named.insert(room.reservation_id) {
                problem = problem.field(
                    format!("/rooms/{place}/reservation_id"),
                    "is named twice in this request",
                );
            }
            for field in plan::check(&room.change) {
                let pointer = format!("/rooms/{place}/change{}", field.pointer);
                problem = problem.field(pointer, field.detail);
            }
        }
        if !problem.fields.is_empty() {
            return Err(problem.into());
        }
        Ok(Self {
            booking: Some(booking),
            rooms: request
                .rooms
                .into_iter()
                .map(|room| One {
                    id: room.reservation_id,
                    cancel: room.cancel,
                    ask: room.change,
                })
                .collect(),
        })
    }

    /// Where a field of a room stands in the request.
    fn pointer(&self, place: usize, field: &str) -> String {
        match self.booking {
            Some(_) => format!("/rooms/{place}/change{field}"),
            None => field.to_owned(),
        }
    }

    /// A refusal about one room, with its fields where they stand in the request.
    fn at(&self, place: usize, error: ApiError) -> ApiError {
        match error {
            ApiError::Refused(mut problem) if self.booking.is_some() => {
                for field in &mut problem.fields {
                    field.pointer = self.pointer(place, &field.pointer);
                }
                ApiError::Refused(problem)
            }
            other => other,
        }
    }

    async fn read(&self, work: &mut Work<'_>) -> Result<Vec<ReservationRow>, ApiError> {
        let hotel = work.hotel();
        if let Some(booking) = self.booking
            && bookings::lock_rooms(work, booking).await?.is_empty()
        {
            return Err(ApiError::refused(Code::NotFound));
        }
        let mut rows = Vec::new();
        for (place, one) in self.rooms.iter().enumerate() {
            let row = images::reservations(work.conn(), hotel, &[one.id])
                .await?
                .pop();
            let row = match (row, self.booking) {
                (Some(row), Some(booking)) if row.booking_id != booking => None,
                (row, _) => row,
            };
            let Some(row) = row else {
                return Err(match self.booking {
                    Some(_) => invalid(
                        format!("/rooms/{place}/reservation_id"),
                        "is not of this booking",
                    ),
                    None => ApiError::refused(Code::NotFound),
                });
            };
            let allowed: &[ReservationState] = if one.cancel {
                &[ReservationState::Confirmed]
            } else {
                &[ReservationState::Confirmed, ReservationState::CheckedIn]
            };
            reservations::expect_state(&row, allowed)?;
            if one.cancel {
                sharers::none_but(work, &row, &self.rooms).await?;
            }
            if row.version != one.ask.version {
                return Err(Problem::new(Code::StaleVersion)
                    .facts(serde_json::json!({
                        "reservation_id": row.id,
                        "version": row.version,
                    }))
                    .into());
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Types that are named must be sold.
    async fn check_types(&self, work: &mut Work<'_>) -> Result<(), ApiError> {
        let hotel = work.hotel();
        let mut known: BTreeSet<RoomTypeId> = BTreeSet::new();
        for (place, one) in self.rooms.iter().enumerate() {
            let whole = one
                .ask
                .room_type_id
                .map(|id| ("/room_type_id".to_owned(), id));
            let single = one.ask.nights.iter().enumerate().filter_map(|(n, night)| {
                Some((format!("/nights/{n}/room_type_id"), night.room_type_id?))
            });
            for (field, id) in whole.into_iter().chain(single) {
                if known.contains(&id) {
                    continue;
                }
                if id.is_house() || !rooms::type_is_sold(work.conn(), hotel, id).await? {
                    return Err(invalid(
                        self.pointer(place, &field),
                        "there is no such room type",
                    ));
                }
                known.insert(id);
            }
        }
        Ok(())
    }

    /// Whether the limit may be passed, by whom and for what: a manager and who sets the limits for
    /// anything; the desk for the one night of a guest who was to leave today and does not.
    fn full(
        &self,
        work: &Work<'_>,
        rows: &[ReservationRow],
        after: &[After],
    ) -> Result<Full, ApiError> {
        let asked = |one: &One| one.cancel || one.ask.exceed.is_some();
        if !self.rooms.iter().any(|one| one.ask.exceed.is_some()) || !self.rooms.iter().all(asked) {
            return Ok(Full::Refuse);
        }
        if work.caller.is_manager() {
            return Ok(Full::GoOver);
        }
        let today = work.business_date;
        let overstay = rows.iter().zip(after).all(|(row, after)| {
            row.state == ReservationState::CheckedIn
                && row.check_out <= today
                && Some(after.check_out) == today.succ_opt()
                && after
                    .nights
                    .iter()
                    .filter(|night| !row.nights.contains(night))
                    .all(|night| night.stay_date == today)
        });
        if overstay && rows.len() == after.len() {
            return Ok(Full::GoOver);
        }
        Err(Problem::new(Code::Forbidden)
            .detail("to go above the limit is a manager's right")
            .into())
    }
}

impl Decision for ChangeStay {
    const VERB: &'static str = "change_stay";
    type Answer = StayAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<StayAnswer, ApiError> {
        if self.rooms.iter().any(|one| one.ask.ignore_rules) && !work.caller.is_manager() {
            return Err(Problem::new(Code::Forbidden)
                .detail("to pass over the rules of a rate is a manager's right")
                .into());
        }
        let rows = self.read(work).await?;
        self.check_types(work).await?;
        let mut after = Vec::new();
        let mut nights = 0;
        for (place, (one, row)) in self.rooms.iter().zip(&rows).enumerate() {
            if one.cancel {
                continue;
            }
            let planned = plan::plan(work, row, &one.ask)
                .await
                .map_err(|error| self.at(place, error))?;
            nights += planned.nights.len();
            after.push(planned);
        }
        if nights > COMMAND_NIGHTS_MAX {
            return Err(invalid(
                "/rooms",
                format!("must have at most {COMMAND_NIGHTS_MAX} nights in all"),
            ));
        }
        let kept = || {
            let pairs = self.rooms.iter().zip(&rows);
            pairs.filter(|(one, _)| !one.cancel)
        };
        day_use_is_open(work, kept().map(|(_, row)| row).zip(&after)).await?;

        let mut deltas = Deltas::default();
        for (_, row) in self.rooms.iter().zip(&rows).filter(|(one, _)| one.cancel) {
            plan::difference(&row.nights, &[], &mut deltas);
        }
        for ((_, row), after) in kept().zip(&after) {
            plan::difference(&row.nights, &after.nights, &mut deltas);
        }
        let full = self.full(work, &rows, &after)?;
        let over: HashSet<_> = inventory::apply(work, &deltas, full)
            .await?
            .into_iter()
            .map(|night| (night.room_type_id, night.stay_date))
            .collect();

        let mut gone = Vec::new();
        let mut written = Vec::new();
        for ((_, row), after) in kept().zip(&after) {
            gone.extend(after.gone.iter().map(|date| (row.id, *date)));
            let changed = after
                .nights
                .iter()
                .filter(|night| !row.nights.contains(night));
            written.extend(changed.map(|night| NightWrite {
                reservation: row.id,
                moved: !stands(row, night),
                over_type: over.contains(&(night.room_type_id, night.stay_date)),
                over_house: over.contains(&(RoomTypeId::HOUSE, night.stay_date)),
                night: night.clone(),
            }));
        }
        stays::remove_nights(work, &gone).await?;
        stays::put_nights(work, &written).await?;
        let given_up: Vec<ReservationId> = self
            .rooms
            .iter()
            .filter(|one| one.cancel)
            .map(|one| one.id)
            .collect();
        give_up(work, &given_up).await?;
        for ((one, row), after) in kept().zip(&after) {
            stays::set_stay(
                work,
                row,
                after.check_in,
                after.check_out,
                after.room_type,
                one.ask.early_departure_fee,
                one.ask.own_room,
            )
            .await?;
        }
        let sharers = sharers::follow(work, &rows).await?;
        let displaced = self.move_rooms(work, &rows, &after).await?;

        let exceed = self.rooms.iter().find_map(|one| one.ask.exceed.as_deref());
        let reason = self.rooms.iter().find_map(|one| one.ask.reason.as_deref());
        work.because(exceed.filter(|_| !over.is_empty()).or(reason));
        let ids: BTreeSet<ReservationId> = rows
            .iter()
            .map(|row| row.id)
            .chain(displaced)
            .chain(sharers)
            .collect();
        let ids: Vec<ReservationId> = ids.into_iter().collect();
        super::stays_written(work, &ids).await
    }
}

impl ChangeStay {
    async fn move_rooms(
        &self,
        work: &mut Work<'_>,
        rows: &[ReservationRow],
        after: &[After],
    ) -> Result<Vec<ReservationId>, ApiError> {
        let hotel = work.hotel();
        let mut stays = Vec::new();
        let kept = self.rooms.iter().zip(rows).filter(|(one, _)| !one.cancel);
        for ((one, row), after) in kept.zip(after) {
            stays.push(Stay {
                row,
                uses: rooms::uses_of(work.conn(), hotel, row.id).await?,
                after,
                ask: &one.ask,
            });
        }
        places::follow(work, &stays).await
    }
}

/// Whether the night stood in this count before, so that it is not counted anew.
fn stands(row: &ReservationRow, night: &ReservationNight) -> bool {
    row.nights.iter().any(|old| {
        old.stay_date == night.stay_date
            && old.counted == night.counted
            && old.room_type_id == night.room_type_id
    })
}

/// The rooms of a party that are given up in the same step.
async fn give_up(work: &mut Work<'_>, ids: &[ReservationId]) -> Result<(), ApiError> {
    if ids.is_empty() {
        return Ok(());
    }
    let hotel = work.hotel();
    stays::uncount(work, ids).await?;
    images::remove_room_uses(work, ids).await?;
    let moved = bookings::cancel(work.conn(), hotel, ids).await?;
    expect_rows(moved, ids.len())
}

/// Day use takes no night, and all the same only on a day that the hotel has opened.
async fn day_use_is_open(
    work: &mut Work<'_>,
    stays: impl Iterator<Item = (&ReservationRow, &After)>,
) -> Result<(), ApiError> {
    let hotel = work.hotel();
    for (row, after) in stays {
        if after.check_in != after.check_out || after.check_in == row.check_in {
            continue;
        }
        let closed = rates::not_open(work.conn(), hotel, &[after.check_in]).await?;
        if !closed.is_empty() {
            let nights = closed
                .into_iter()
                .map(|stay_date| protocol::code::NightProblem {
                    room_type_id: after.room_type,
                    stay_date,
                });
            return Err(Problem::new(Code::NotOpen).nights(nights.collect()).into());
        }
    }
    Ok(())
}

/// Other dates, another type, or both, in one guarded step that moves only the difference.
///
/// Refused whole with `sold_out` naming the nights, `not_open` beyond the window. Nights that stay keep
/// their price. The assigned room goes along, or is `room_taken` with its `blocker` unless the request
/// says what then.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/change",
    tag = "reservations",
    operation_id = "change_stay",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = ChangeStayRequest,
    responses(
        (status = 200, body = StayAnswer),
        (status = 403, description = "forbidden: to exceed or to pass over rules without the right", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "sold_out and not_open with the nights, no_rate, restricted with the `rules`, room_taken with its `blocker`, wrong_type, wrong_state, stale_version", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<ChangeStayRequest>,
) -> Result<Answer, ApiError> {
    let decision = ChangeStay::one(reservation, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

/// Several rooms of a party in one guarded step, all or none; some of them may be given up in it.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/bookings/{id}/change",
    tag = "reservations",
    operation_id = "change_booking",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = ChangeBookingRequest,
    responses(
        (status = 200, body = StayAnswer),
        (status = 403, description = "forbidden: to exceed or to pass over rules without the right", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "sold_out and not_open with the nights, no_rate, restricted with the `rules`, room_taken with its `blocker`, wrong_type, wrong_state, stale_version", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn booking_handler(
    State(app): State<AppState>,
    Id(booking): Id<BookingId>,
    request: CommandRequest<ChangeBookingRequest>,
) -> Result<Answer, ApiError> {
    let decision = ChangeStay::party(booking, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
