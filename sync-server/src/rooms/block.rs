//! `POST /rooms/{id}/block`: a period out of order, which leaves the count, or out of service, which
//! is only to be avoided when assigning.

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::RoomId;
use protocol::nights::dates;
use protocol::request::{BlockRequest, COMMAND_NIGHTS_MAX, CommandAnswer};
use protocol::state::RoomUseKind;

use super::reason_word;
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::nights;
use crate::db::rooms::{self, NewUse};
use crate::error::ApiError;
use crate::reservations::{answer, is_sensible_date};
use crate::web::{CommandRequest, Id};

/// Nobody, or better nobody, in this room for a while. What is then sold above the limit stays sold
/// and is counted as over it (N1).
#[derive(Debug)]
pub(crate) struct Block {
    /// Which.
    pub(crate) room: RoomId,
    /// When and why.
    pub(crate) body: BlockRequest,
}

impl Decision for Block {
    const VERB: &'static str = "block";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, body) = (work.hotel(), &self.body);
        let period = period(body, work.business_date)?;
        reason_word(&body.reason)?;
        let room = rooms::room(work.conn(), hotel, self.room)
            .await?
            .filter(|room| room.active)
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        if let Some(id) = body.room_use_id
            && rooms::room_use(work.conn(), hotel, id).await?.is_some()
        {
            return Err(Problem::new(Code::AlreadyExists)
                .field("/room_use_id", "this id is taken")
                .into());
        }
        rooms::occupy(
            work,
            NewUse {
                id: body.room_use_id,
                room: room.id,
                from: body.from,
                until: body.until,
                kind: body.kind,
                reservation: None,
                reason: Some(body.reason.clone()),
            },
        )
        .await?;
        if body.kind == RoomUseKind::OutOfOrder {
            nights::out_of_order(work, room.room_type_id, &period, 1).await?;
        }
        work.because(Some(&body.reason));
        Ok(answer(work, &[]))
    }
}

/// The nights of the period: from tonight on, in their order, not too many.
fn period(body: &BlockRequest, today: NaiveDate) -> Result<Vec<NaiveDate>, ApiError> {
    let mut wrong = Problem::new(Code::Invalid);
    if body.kind == RoomUseKind::Stay {
        wrong = wrong.field("/kind", "must be out_of_order or out_of_service");
    }
    if !is_sensible_date(body.until) {
        wrong = wrong.field("/until", "must be a date from 1900 to 9999");
    }
    if body.from < today {
        wrong = wrong.field("/from", "must not be before the business date");
    }
    if body.until <= body.from {
        wrong = wrong.field("/until", "must be after from");
    } else if (body.until - body.from).num_days() > COMMAND_NIGHTS_MAX as i64 {
        wrong = wrong.field("/until", format!("at most {COMMAND_NIGHTS_MAX} nights"));
    }
    if wrong.fields.is_empty() {
        Ok(dates(body.from, body.until).collect())
    } else {
        Err(wrong.into())
    }
}

/// Puts a room out of order, which leaves the count, or out of service, for the nights `[from, until)`.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/rooms/{id}/block",
    tag = "rooms",
    operation_id = "block_room",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = BlockRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "room_taken with its `blocker`, not_open with the nights, already_exists", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(room): Id<RoomId>,
    request: CommandRequest<BlockRequest>,
) -> Result<Answer, ApiError> {
    let decision = Block {
        room,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
