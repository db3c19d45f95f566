//! `PUT /rates`: one price over a range of nights.

use std::collections::BTreeSet;

use axum::extract::State;
use chrono::{Datelike, NaiveDate};
use protocol::code::{Code, NightProblem, Problem};
use protocol::event::Change;
use protocol::money::MINOR_MAX;
use protocol::nights::dates;
use protocol::request::{COMMAND_NIGHTS_MAX, CommandAnswer, PutRates};
use protocol::row::RateRow;

use super::read::check_range;
use super::spec::Faults;
use crate::app::AppState;
use crate::db;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::web::CommandRequest;

struct Put {
    row: RateRow,
    nights: Vec<NaiveDate>,
}

impl Put {
    fn new(request: &PutRates) -> Result<Self, Problem> {
        check_range(request.from, request.until, COMMAND_NIGHTS_MAX as i64)?;
        let mut faults = Faults(Problem::new(Code::Invalid));
        faults.unless(
            request.weekdays.iter().all(|day| (1..=7).contains(day)),
            "/weekdays",
            "1 (Monday) to 7",
        );
        faults.unless(
            (0..=MINOR_MAX).contains(&request.price),
            "/price",
            "minor units, not below 0",
        );
        for (pointer, nights) in [
            ("/min_stay", request.min_stay),
            ("/max_stay", request.max_stay),
        ] {
            faults.unless(
                nights.is_none_or(|nights| (1..=365).contains(&nights)),
                pointer,
                "1 to 365",
            );
        }
        if let (Some(least), Some(most)) = (request.min_stay, request.max_stay) {
            faults.unless(least <= most, "/max_stay", "not below min_stay");
        }
        let days: BTreeSet<u8> = request.weekdays.iter().copied().collect();
        let nights: Vec<NaiveDate> = dates(request.from, request.until)
            .filter(|night| {
                let day = u8::try_from(night.weekday().number_from_monday()).unwrap_or(1);
                days.is_empty() || days.contains(&day)
            })
            .collect();
        faults.unless(!nights.is_empty(), "/weekdays", "no such day in the range");
        faults.done()?;
        Ok(Self {
            row: RateRow {
                rate_plan_id: request.rate_plan_id,
                room_type_id: request.room_type_id,
                stay_date: request.from,
                price: request.price,
                min_stay: request.min_stay,
                max_stay: request.max_stay,
                closed_to_arrival: request.closed_to_arrival,
                closed_to_departure: request.closed_to_departure,
                stop_sell: request.stop_sell,
            },
            nights,
        })
    }
}

impl Decision for Put {
    const VERB: &'static str = "put_rates";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let hotel = work.hotel();
        let mut faults = Faults(Problem::new(Code::Invalid));
        faults.unless(
            db::rates::is_plan(work.conn(), hotel, self.row.rate_plan_id).await?,
            "/rate_plan_id",
            "no such plan",
        );
        faults.unless(
            db::catalog::is_type(work.conn(), hotel, self.row.room_type_id).await?,
            "/room_type_id",
            "no such type",
        );
        faults.done()?;
        let closed = db::rates::not_open(work.conn(), hotel, &self.nights).await?;
        if !closed.is_empty() {
            let nights = closed.into_iter().map(|stay_date| NightProblem {
                room_type_id: self.row.room_type_id,
                stay_date,
            });
            return Err(Problem::new(Code::NotOpen).nights(nights.collect()).into());
        }
        db::rates::put(work.conn(), hotel, &self.row, &self.nights).await?;
        for night in &self.nights {
            work.changed(Change::Rate {
                row: RateRow {
                    stay_date: *night,
                    ..self.row.clone()
                },
            });
        }
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

/// Sets one price and its rules for a range of nights of one plan and type.
#[utoipa::path(
    put,
    path = "/v1/hotels/{hotel}/rates",
    tag = "catalogue",
    operation_id = "put_rates",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = PutRates,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 409, description = "not_open", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    request: CommandRequest<PutRates>,
) -> Result<Answer, ApiError> {
    let decision = Put::new(&request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
