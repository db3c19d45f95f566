//! `PUT /room-types/{id}`.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::request::{CommandAnswer, PutRoomType};
use protocol::row::RoomTypeRow;
use protocol::text::{CODE_CHARS_MAX, NAME_CHARS_MAX};

use super::spec::Faults;
use crate::app::AppState;
use crate::db;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

struct Put {
    row: RoomTypeRow,
    overbook_pct: i32,
    overbook_rooms: i32,
}

impl Put {
    fn new(id: RoomTypeId, request: PutRoomType) -> Result<Self, Problem> {
        let mut faults = Faults(Problem::new(Code::Invalid));
        let code = faults.text("/code", &request.code, CODE_CHARS_MAX);
        let name = faults.text("/name", &request.name, NAME_CHARS_MAX);
        faults.unless(
            (1..=30).contains(&request.max_occupancy),
            "/max_occupancy",
            "1 to 30",
        );
        faults.overbooking("", request.overbook_pct, request.overbook_rooms);
        faults.done()?;
        Ok(Self {
            row: RoomTypeRow {
                id,
                code,
                name,
                max_occupancy: request.max_occupancy,
                sort: request.sort,
                active: request.active,
            },
            overbook_pct: request.overbook_pct,
            overbook_rooms: request.overbook_rooms,
        })
    }
}

impl Decision for Put {
    const VERB: &'static str = "put_room_type";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, today) = (work.hotel(), work.business_date);
        if db::catalog::code_taken(work.conn(), hotel, &self.row.code, self.row.id).await? {
            let problem = Problem::new(Code::AlreadyExists);
            return Err(problem.field("/code", "another type has this code").into());
        }
        if !self.row.active && db::catalog::has_rooms(work.conn(), hotel, self.row.id).await? {
            let problem = Problem::new(Code::Invalid);
            return Err(problem.field("/active", "the type still has rooms").into());
        }
        let new = db::catalog::put_room_type(
            work.conn(),
            hotel,
            &self.row,
            self.overbook_pct,
            self.overbook_rooms,
        )
        .await?;
        work.changed(Change::RoomType {
            row: self.row.clone(),
        });
        if new {
            for row in db::window::open_type(work.conn(), hotel, self.row.id, today).await? {
                work.changed(Change::Night { row });
            }
        }
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

/// Makes a type, without rooms, or replaces what is said of it.
#[utoipa::path(
    put,
    path = "/v1/hotels/{hotel}/room-types/{id}",
    tag = "catalogue",
    operation_id = "put_room_type",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = PutRoomType,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 409, description = "already_exists", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(id): Id<RoomTypeId>,
    request: CommandRequest<PutRoomType>,
) -> Result<Answer, ApiError> {
    let decision = Put::new(id, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
