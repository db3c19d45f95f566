//! `POST /night-audit/roll`: closes the open day and opens the next.

use axum::extract::State;
use chrono::Days;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, RollRequest};

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::{audit, nights};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::CommandRequest;

/// How many open reservations of each kind are named; the counts are always whole.
const NAMED_MAX: usize = 100;

/// Closes the day that the caller believes is open, so that no day is rolled twice. Every arrival of
/// the day has come or is settled, everybody due out has left.
#[derive(Debug)]
pub(crate) struct Roll {
    /// Which day.
    pub(crate) body: RollRequest,
}

impl Decision for Roll {
    const VERB: &'static str = "roll";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let today = work.business_date;
        if self.body.business_date != today {
            return Err(Problem::new(Code::WrongBusinessDate)
                .facts(serde_json::json!({ "business_date": today }))
                .into());
        }
        let arrivals = audit::open_arrivals(work).await?;
        let departures = audit::open_departures(work).await?;
        if !(arrivals.is_empty() && departures.is_empty()) {
            return Err(day_open(&arrivals, &departures).into());
        }
        audit::write_statistics(work).await?;
        let tomorrow = today
            .checked_add_days(Days::new(1))
            .ok_or_else(|| anyhow::anyhow!("the calendar ends"))?;
        audit::open_day(work, today, tomorrow).await?;
        nights::extend_window(work, tomorrow).await?;
        audit::hotel_changed(work).await?;
        Ok(answer(work, &[]))
    }
}

fn day_open(arrivals: &[ReservationId], departures: &[ReservationId]) -> Problem {
    let named = |ids: &[ReservationId]| ids[..ids.len().min(NAMED_MAX)].to_vec();
    Problem::new(Code::DayOpen).facts(serde_json::json!({
        "arrivals": named(arrivals),
        "arrivals_count": arrivals.len(),
        "departures": named(departures),
        "departures_count": departures.len(),
    }))
}

/// Closes the open day and opens the next: statistics are written once, the window moves on.
///
/// Every arrival has come or is settled, everybody due out has left.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/night-audit/roll",
    tag = "audit",
    operation_id = "roll_day",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = RollRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_business_date with the open one, day_open with the reservations", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    request: CommandRequest<RollRequest>,
) -> Result<Answer, ApiError> {
    let decision = Roll { body: request.body };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
