//! `PUT /rooms/{id}`: the counters of its type and of the house follow.

use axum::extract::State;
use protocol::code::{Code, NightProblem, Problem};
use protocol::event::Change;
use protocol::id::{RoomId, RoomTypeId};
use protocol::request::{CommandAnswer, PutRoom};
use protocol::row::RoomRow;
use protocol::state::RoomStatus;
use protocol::text::CODE_CHARS_MAX;

use super::spec::Faults;
use crate::app::AppState;
use crate::db;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The most features of one room.
const FEATURES_MAX: usize = 50;

struct Put {
    read: Option<i64>,
    row: RoomRow,
}

impl Put {
    fn new(id: RoomId, request: PutRoom) -> Result<Self, Problem> {
        let mut faults = Faults(Problem::new(Code::Invalid));
        let number = faults.text("/number", &request.number, CODE_CHARS_MAX);
        let floor = faults.text("/floor", &request.floor, CODE_CHARS_MAX);
        faults.unless(
            request.features.len() <= FEATURES_MAX,
            "/features",
            "at most 50",
        );
        let features = request
            .features
            .iter()
            .take(FEATURES_MAX)
            .enumerate()
            .map(|(nth, feature)| faults.text(&format!("/features/{nth}"), feature, 60))
            .collect();
        faults.done()?;
        Ok(Self {
            read: request.version,
            row: RoomRow {
                id,
                room_type_id: request.room_type_id,
                number,
                floor,
                status: RoomStatus::Clean,
                features,
                active: request.active,
                version: 0,
            },
        })
    }
}

impl Decision for Put {
    const VERB: &'static str = "put_room";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        let mut row = self.row.clone();
        let before = db::catalog::room(work.conn(), hotel, row.id).await?;
        row.version = match (&before, self.read) {
            (None, None) => 1,
            (None, Some(_)) => return Err(ApiError::refused(Code::NotFound)),
            (Some(_), None) => return Err(ApiError::refused(Code::AlreadyExists)),
            (Some(before), Some(read)) if before.version == read => read + 1,
            (Some(_), Some(_)) => return Err(ApiError::refused(Code::StaleVersion)),
        };
        if !db::catalog::is_type(work.conn(), hotel, row.room_type_id).await? {
            let problem = Problem::new(Code::Invalid);
            return Err(problem.field("/room_type_id", "no such type").into());
        }
        if db::catalog::number_taken(work.conn(), hotel, &row.number, row.id).await? {
            let problem = Problem::new(Code::AlreadyExists);
            return Err(problem
                .field("/number", "another room has this number")
                .into());
        }
        if let Some(before) = &before {
            row.status = before.status;
        }
        let counted = |row: &RoomRow| row.active.then_some(row.room_type_id);
        let from = before.as_ref().and_then(counted);
        let to = counted(&row);
        if from.is_some() && from != to {
            self.may_leave(work).await?;
        }
        db::catalog::put_room(work.conn(), hotel, &row).await?;
        work.changed(Change::Room { row });
        if from != to {
            if let Some(room_type) = from {
                fewer(work, room_type, 1).await?;
            }
            if let Some(room_type) = to {
                for row in
                    db::catalog::add_to_total(work.conn(), hotel, room_type, today, 1).await?
                {
                    work.changed(Change::Night { row });
                }
            }
            house_follows(work, i32::from(from.is_some()) - i32::from(to.is_some())).await?;
        }
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

impl Put {
    /// A room with a guest, an assignment or a period out of order stays what it is.
    async fn may_leave(&self, work: &mut Work<'_>) -> Result<(), ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        match db::catalog::use_from(work.conn(), hotel, self.row.id, today).await? {
            None => Ok(()),
            Some(blocker) => Err(Problem::new(Code::RoomTaken)
                .facts(serde_json::json!({ "blocker": blocker }))
                .into()),
        }
    }
}

/// Takes rooms from a counter from the business date on, or names the nights that need them.
async fn fewer(work: &mut Work<'_>, room_type: RoomTypeId, rooms: i32) -> Result<(), ApiError> {
    let (hotel, today) = (work.hotel(), work.business_date);
    let needed = db::catalog::nights_that_need(work.conn(), hotel, room_type, today, rooms).await?;
    if !needed.is_empty() {
        let nights = needed.into_iter().map(|stay_date| NightProblem {
            room_type_id: room_type,
            stay_date,
        });
        return Err(Problem::new(Code::AboveLimit)
            .nights(nights.collect())
            .into());
    }
    for row in db::catalog::add_to_total(work.conn(), hotel, room_type, today, -rooms).await? {
        work.changed(Change::Night { row });
    }
    Ok(())
}

/// The house counts what exists, up to its cap. `lost` is how many rooms there are fewer now.
async fn house_follows(work: &mut Work<'_>, lost: i32) -> Result<(), ApiError> {
    if lost == 0 {
        return Ok(());
    }
    let (hotel, today) = (work.hotel(), work.business_date);
    let (rooms, cap) = db::catalog::house_rooms(work.conn(), hotel).await?;
    let capped = |rooms: i32| cap.map_or(rooms, |cap| cap.min(rooms));
    let more = capped(rooms) - capped(rooms + lost);
    if more < 0 {
        return fewer(work, RoomTypeId::HOUSE, -more).await;
    }
    if more > 0 {
        for row in
            db::catalog::add_to_total(work.conn(), hotel, RoomTypeId::HOUSE, today, more).await?
        {
            work.changed(Change::Night { row });
        }
    }
    Ok(())
}

/// Makes a room or replaces what is said of it. A room that is taken away or changes its type must
/// not be in use, and the nights sold must still fit: `above_limit` names those that do not.
#[utoipa::path(
    put,
    path = "/v1/hotels/{hotel}/rooms/{id}",
    tag = "catalogue",
    operation_id = "put_room",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = PutRoom,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "already_exists, stale_version, room_taken, above_limit", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(id): Id<RoomId>,
    request: CommandRequest<PutRoom>,
) -> Result<Answer, ApiError> {
    let decision = Put::new(id, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
