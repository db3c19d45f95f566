//! `POST /overbooking`: percent and rooms above the rooms, for a range of nights of a type or the house.

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, NightProblem, Problem};
use protocol::id::RoomTypeId;
use protocol::nights::dates;
use protocol::request::{AboveLimit, COMMAND_NIGHTS_MAX, CommandAnswer, OverbookingRequest};
use protocol::sell_limit::{OVERBOOK_PCT_MAX, OVERBOOK_PCT_MIN, OVERBOOK_ROOMS_MAX, sell_limit};

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{nights, rooms};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::rooms::reason_word;
use crate::web::CommandRequest;

/// Sets the limit. Raising is always allowed; what stands above a lowered limit is washed down or
/// stands in the way, as asked.
#[derive(Debug)]
pub(crate) struct Overbooking {
    /// What.
    pub(crate) body: OverbookingRequest,
}

impl Decision for Overbooking {
    const VERB: &'static str = "overbooking";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, body) = (work.hotel(), &self.body);
        let range = range(body)?;
        reason_word(&body.reason)?;
        let of = body.room_type_id;
        if !of.is_house() && !rooms::type_is_sold(work.conn(), hotel, of).await? {
            return Err(Problem::new(Code::Invalid)
                .field("/room_type_id", "there is no such room type")
                .into());
        }
        let now = nights::counters(work, of, &range).await?;
        let closed: Vec<NightProblem> = range
            .iter()
            .filter(|night| !now.iter().any(|row| row.stay_date == **night))
            .map(|night| problem(of, *night))
            .collect();
        if !closed.is_empty() {
            return Err(Problem::new(Code::NotOpen).nights(closed).into());
        }
        if body.above_limit == AboveLimit::Refuse {
            let above: Vec<NightProblem> = now
                .iter()
                .filter(|row| {
                    let limit = sell_limit(
                        row.total,
                        row.out_of_order,
                        body.overbook_pct,
                        body.overbook_rooms,
                    );
                    // A night that is above already and whose limit rises gets no worse.
                    limit < row.limit() && i64::from(row.reserved) > limit
                })
                .map(|row| problem(of, row.stay_date))
                .collect();
            if !above.is_empty() {
                return Err(Problem::new(Code::AboveLimit).nights(above).into());
            }
        }
        nights::set_overbooking(work, of, &range, body.overbook_pct, body.overbook_rooms).await?;
        work.because(Some(&body.reason));
        Ok(answer(work, &[]))
    }
}

fn problem(room_type_id: RoomTypeId, stay_date: NaiveDate) -> NightProblem {
    NightProblem {
        room_type_id,
        stay_date,
    }
}

fn range(body: &OverbookingRequest) -> Result<Vec<NaiveDate>, ApiError> {
    let mut wrong = Problem::new(Code::Invalid);
    if body.until <= body.from {
        wrong = wrong.field("/until", "must be after from");
    } else if (body.until - body.from).num_days() > COMMAND_NIGHTS_MAX as i64 {
        wrong = wrong.field("/until", format!("at most {COMMAND_NIGHTS_MAX} nights"));
    }
    if !(OVERBOOK_PCT_MIN..=OVERBOOK_PCT_MAX).contains(&body.overbook_pct) {
        wrong = wrong.field(
            "/overbook_pct",
            format!("must be {OVERBOOK_PCT_MIN} to {OVERBOOK_PCT_MAX}"),
        );
    }
    if !(-OVERBOOK_ROOMS_MAX..=OVERBOOK_ROOMS_MAX).contains(&body.overbook_rooms) {
        wrong = wrong.field(
            "/overbook_rooms",
            format!("must be -{OVERBOOK_ROOMS_MAX} to {OVERBOOK_ROOMS_MAX}"),
        );
    }
    if wrong.fields.is_empty() {
        Ok(dates(body.from, body.until).collect())
    } else {
        Err(wrong.into())
    }
}

/// Sets percent and rooms above the rooms for the nights `[from, until)` of a type or the house.
///
/// What stands above a lowered limit is washed down (nothing is sold until it is below), or stands in the way.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/overbooking",
    tag = "inventory",
    operation_id = "set_overbooking",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = OverbookingRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "above_limit and not_open with the nights", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    request: CommandRequest<OverbookingRequest>,
) -> Result<Answer, ApiError> {
    let decision = Overbooking { body: request.body };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
