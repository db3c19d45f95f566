//! `POST /reservations/{id}/put-right`: every move backward, with right and reason.
//!
//! Nights that were given back are taken again under the limit like any sale. Nights that have passed
//! are not sold any more: a guest whose arrival has passed with nights given back arrives today, and
//! what was kept of the nights before is given up with them.

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::{ReservationId, RoomTypeId};
use protocol::request::{PutRightRequest, StayAnswer};
use protocol::row::{ReservationNight, ReservationRow, RoomUseRow};
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};
use serde_json::json;

use super::moves::wrong_state;
use super::{check_in, room, share, stays_written};
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::{self, Deltas, Full};
use crate::db::rooms::{self, NewUse};
use crate::db::stays::{self, NightWrite, Passed, Right};
use crate::db::{images, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// Why something is put right, in words that may stand in the log (N13).
const REASONS: [&str; 7] = [
    "mistake",
    "wrong_guest",
    "wrong_room",
    "guest_came",
    "guest_returned",
    "guest_will_come",
    "channel",
];
/// Why somebody goes above the limit by it.
const EXCEED_REASONS: [&str; 3] = ["error", "vip", "service"];

/// The moves backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The check-in was none.
    UndoCheckIn,
    /// The guest is still here.
    UndoCheckOut,
    /// The guest will come after all.
    WillCome,
    /// The guest stands at the desk.
    Came,
}

/// A move backward that is right in form.
#[derive(Debug)]
pub(crate) struct PutRight {
    reservation: ReservationId,
    step: Step,
    body: PutRightRequest,
}

impl PutRight {
    /// Checks the form.
    pub(crate) fn new(reservation: ReservationId, body: PutRightRequest) -> Result<Self, ApiError> {
        use ReservationState as S;
        let mut problem = Problem::new(Code::Invalid);
        let step = match (body.from, body.to) {
            (S::CheckedIn, S::Confirmed) => Some(Step::UndoCheckIn),
            (S::CheckedOut, S::CheckedIn) => Some(Step::UndoCheckOut),
            (S::NoShow | S::Cancelled, S::Confirmed) => Some(Step::WillCome),
            (S::NoShow, S::CheckedIn) => Some(Step::Came),
            (from, to) => {
                problem = problem.field("/to", format!("no move leads from {from} back to {to}"));
                None
            }
        };
        if !REASONS.contains(&body.reason.as_str()) {
            problem = problem.field("/reason", format!("must be one of {}", REASONS.join(", ")));
        }
        if let Some(exceed) = &body.exceed
            && !EXCEED_REASONS.contains(&exceed.as_str())
        {
            let known = EXCEED_REASONS.join(", ");
            problem = problem.field("/exceed", format!("must be one of {known}"));
        }
        if body.room_id.is_some() && step.is_some_and(|step| step != Step::Came) {
            problem = problem.field("/room_id", "only for a guest who came after all");
        }
        match step {
            Some(step) if problem.fields.is_empty() => Ok(Self {
                reservation,
                step,
                body,
            }),
            _ => Err(problem.into()),
        }
    }

    /// A manager may all of it. The desk takes its own check-in back while the day is open, and lets in
    /// who stands before it.
    fn may(&self, work: &Work<'_>, passed: &Passed) -> Result<(), ApiError> {
        let manager = work.caller.is_manager();
        let allowed = match self.step {
            Step::Came => true,
            Step::UndoCheckIn => manager || passed.checked_in_on == Some(work.business_date),
            Step::UndoCheckOut | Step::WillCome => manager,
        };
        if allowed && (manager || self.body.exceed.is_none()) {
            return Ok(());
        }
        Err(Problem::new(Code::Forbidden)
            .detail("this is a manager's right")
            .into())
    }

    fn full(&self) -> Full {
        match self.body.exceed {
            Some(_) => Full::GoOver,
            None => Full::Refuse,
        }
    }
}

impl Decision for PutRight {
    const VERB: &'static str = "put_right";
    type Answer = StayAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<StayAnswer, ApiError> {
        let row = reservations::need(work, self.reservation).await?;
        if row.state != self.body.from {
            return Err(wrong_state(row.id, row.state));
        }
        let passed = stays::passed(work, row.id).await?;
        self.may(work, &passed)?;
        if self.step != Step::UndoCheckIn {
            share::has_room(work, &row).await?;
        }
        let over = match self.step {
            Step::UndoCheckIn => self.undo_check_in(work, &row).await?,
            Step::UndoCheckOut => self.undo_check_out(work, &row, &passed).await?,
            Step::WillCome => self.will_come(work, &row, Right::WillCome).await?,
            Step::Came => {
                let over = self.will_come(work, &row, Right::Came).await?;
                self.give_room(work).await?;
                over
            }
        };
        let exceed = self.body.exceed.as_deref().filter(|_| over);
        work.because(exceed.or(Some(&self.body.reason)));
        stays_written(work, &[row.id]).await
    }
}

impl PutRight {
    /// The nights stay counted and the room assigned; what was slept in before today is no assignment.
    async fn undo_check_in(
        &self,
        work: &mut Work<'_>,
        row: &ReservationRow,
    ) -> Result<bool, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let ahead = room::ahead(row, today).ok_or_else(|| check_in::not_due(row))?;
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        let reaches = uses.last().is_some_and(|last| last.until >= ahead.1);
        for used in &uses {
            if !reaches || used.until <= today {
                rooms::remove_use(work, used.id).await?;
            }
        }
        stays::put_right(work, row, Right::NotIn, row.check_in, row.check_out).await?;
        Ok(false)
    }

    /// In house again as before: nights that were given back are taken again, and the room that was left.
    async fn undo_check_out(
        &self,
        work: &mut Work<'_>,
        row: &ReservationRow,
        passed: &Passed,
    ) -> Result<bool, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        if passed.checked_out_on != Some(today) {
            return Err(Problem::new(Code::WrongBusinessDate)
                .facts(json!({
                    "business_date": today,
                    "checked_out_on": passed.checked_out_on,
                }))
                .into());
        }
        // Nights that were given back by leaving early are still in the ledger.
        let last = row
            .nights
            .last()
            .and_then(|night| night.stay_date.succ_opt());
        let agreed = row.check_out.max(last.unwrap_or(row.check_out));
        let again: Vec<ReservationNight> = row
            .nights
            .iter()
            .filter(|night| night.stay_date >= row.check_in && !night.counted && !night.shared)
            .cloned()
            .collect();
        let over = self.take(work, row, &again, &[]).await?;
        stays::put_right(work, row, Right::NotOut, row.check_in, agreed).await?;
        let uses = rooms::uses_of(work.conn(), hotel, row.id).await?;
        let row = reservations::need(work, row.id).await?;
        if let (Some(left), false) = (passed.left_room, self.body.without_room) {
            let left = room::named(work, left).await?;
            if let Some(other) = rooms::in_house_on(work, left.id, row.id).await? {
                return Err(rooms::taken(&other).into());
            }
            if let Some(ahead) = room::ahead(&row, today) {
                room::fits(&row, &left, ahead.0)?;
                self.room_again(work, &row, &uses, left.id, ahead).await?;
            }
            // Whoever began to clean has said so; otherwise it is as it was.
            if left.status == RoomStatus::Dirty
                && let Some(status) = passed.left_room_status
                && status != RoomStatus::Dirty
            {
                rooms::set_status(work, left.id, status).await?;
            }
        }
        Ok(over)
    }

    async fn room_again(
        &self,
        work: &mut Work<'_>,
        row: &ReservationRow,
        uses: &[RoomUseRow],
        left: protocol::id::RoomId,
        (from, until): (NaiveDate, NaiveDate),
    ) -> Result<(), ApiError> {
        let slept = uses
            .iter()
            .find(|used| used.room_id == left && used.until == from);
        if let Some(slept) = slept {
            rooms::remove_use(work, slept.id).await?;
        }
        rooms::occupy(
            work,
            NewUse {
                id: slept.map(|slept| slept.id),
                room: left,
                from: slept.map_or(from, |slept| slept.from),
                until,
                kind: RoomUseKind::Stay,
                reservation: Some(row.id),
                reason: None,
            },
        )
        .await?;
        Ok(())
    }

    /// The guest is expected again, or here: the nights ahead are taken where they were given back.
    async fn will_come(
        &self,
        work: &mut Work<'_>,
        row: &ReservationRow,
        right: Right,
    ) -> Result<bool, ApiError> {
        let today = work.business_date;
        let ahead = room::ahead(row, today);
        let too_early = right == Right::Came && row.check_in > today;
        if ahead.is_none() || too_early || row.day_use && row.check_in < today {
            return Err(check_in::not_due(row).into());
        }
        let inside =
            |night: &&ReservationNight| (row.check_in..row.check_out).contains(&night.stay_date);
        let whole = row
            .nights
            .iter()
            .filter(inside)
            .all(|night| night.stay_date >= today || night.counted || night.shared);
        let start = if whole {
            row.check_in
        } else {
            row.check_in.max(today)
        };
        let take: Vec<ReservationNight> = row
            .nights
            .iter()
            .filter(inside)
            .filter(|night| night.stay_date >= start && !night.counted && !night.shared)
            .cloned()
            .collect();
        let give: Vec<ReservationNight> = row
            .nights
            .iter()
            .filter(|night| night.stay_date < start && night.counted)
            .cloned()
            .collect();
        let over = self.take(work, row, &take, &give).await?;
        stays::put_right(work, row, right, start, row.check_out).await?;
        Ok(over)
    }

    /// Counts nights again, and gives others back, in one guarded step. Answers whether any went above
    /// its limit.
    async fn take(
        &self,
        work: &mut Work<'_>,
        row: &ReservationRow,
        take: &[ReservationNight],
        give: &[ReservationNight],
    ) -> Result<bool, ApiError> {
        let mut deltas = Deltas::default();
        for (nights, rooms) in [(take, 1), (give, -1)] {
            for night in nights {
                deltas.add_with_house(night.room_type_id, night.stay_date, rooms);
            }
        }
        let over = inventory::apply(work, &deltas, self.full()).await?;
        let above = |room_type: RoomTypeId, date: NaiveDate| {
            over.iter()
                .any(|night| night.room_type_id == room_type && night.stay_date == date)
        };
        let taken = take.iter().map(|night| (night, true));
        let given = give.iter().map(|night| (night, false));
        let writes: Vec<NightWrite> = taken
            .chain(given)
            .map(|(night, counted)| NightWrite {
                reservation: row.id,
                moved: counted,
                over_type: above(night.room_type_id, night.stay_date),
                over_house: above(RoomTypeId::HOUSE, night.stay_date),
                night: ReservationNight {
                    counted,
                    ..night.clone()
                },
            })
            .collect();
        stays::put_nights(work, &writes).await?;
        Ok(!over.is_empty())
    }

    /// The room of a guest who came after all.
    async fn give_room(&self, work: &mut Work<'_>) -> Result<(), ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let Some(id) = self.body.room_id else {
            return Ok(());
        };
        let shared = reservations::need(work, self.reservation).await?;
        share::own_room(&shared)?;
        let row = images::reservations(work.conn(), hotel, &[self.reservation])
            .await?
            .pop()
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        let ahead = room::ahead(&row, today).ok_or_else(|| check_in::not_due(&row))?;
        check_in::take_room(
            work,
            &row,
            &[],
            id,
            ahead,
            self.body.room_not_ready_accepted,
        )
        .await
    }
}

/// A move backward: a check-in or check-out that was none, a guest who comes after all.
///
/// Nights that were given back are taken again under the limit, or `sold_out` names them. The desk takes
/// its own check-in back on the same open day and lets in a no-show who came; all else is a manager's.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/put-right",
    tag = "reservations",
    operation_id = "put_right",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = PutRightRequest,
    responses(
        (status = 200, body = StayAnswer),
        (status = 403, description = "forbidden", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, sold_out and not_open with the nights, wrong_business_date, not_due, room_taken with its `blocker`, wrong_type, room_not_ready", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<PutRightRequest>,
) -> Result<Answer, ApiError> {
    let decision = PutRight::new(reservation, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
