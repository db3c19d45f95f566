//! `DELETE /room-uses/{id}`: ends a period out of order or out of service.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::RoomUseId;
use protocol::nights::dates;
use protocol::request::CommandAnswer;
use protocol::state::RoomUseKind;

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{nights, rooms};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::{CommandRequest, Id};

/// A body that has nothing to say.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Empty {}

/// The room can be used again from tonight on; nights of the period that have passed stay on record.
#[derive(Debug)]
pub(crate) struct Unblock {
    /// Which period.
    pub(crate) room_use: RoomUseId,
}

impl Decision for Unblock {
    const VERB: &'static str = "unblock";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let period = rooms::room_use(work.conn(), hotel, self.room_use)
            .await?
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        // A stay ends by check-out or assignment; a period that is over has nothing left to end.
        if period.kind == RoomUseKind::Stay || period.until <= today {
            return Err(Problem::new(Code::WrongState)
                .facts(serde_json::json!({
                    "room_use_id": period.id,
                    "kind": period.kind,
                    "until": period.until,
                }))
                .into());
        }
        if period.kind == RoomUseKind::OutOfOrder {
            let room = rooms::room(work.conn(), hotel, period.room_id)
                .await?
                .ok_or_else(|| anyhow::anyhow!("a period without its room"))?;
            let back: Vec<_> = dates(period.from.max(today), period.until).collect();
            nights::out_of_order(work, room.room_type_id, &back, -1).await?;
        }
        rooms::end_use(work, &period, today).await?;
        Ok(answer(work, &[]))
    }
}

/// Ends a period out of order or out of service: the room counts again from tonight on.
#[utoipa::path(
    delete,
    path = "/v1/hotels/{hotel}/room-uses/{id}",
    tag = "rooms",
    operation_id = "end_room_block",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state: a stay, or a period that is over", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(room_use): Id<RoomUseId>,
    request: CommandRequest<Empty>,
) -> Result<Answer, ApiError> {
    let Empty {} = request.body;
    let decision = Unblock { room_use };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
