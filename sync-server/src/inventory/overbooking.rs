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
use crate::reservations::{answer, is_sensible_date};
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
    for (field, date) in [("/from", body.from), ("/until", body.until)] {
        if !is_sensible_date(date) {
            wrong = wrong.field(field, "must be a date from 1900 to 9999");
        }
    }
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

#[cfg(test)]
mod tests {
    use protocol::role::Role;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::Bed;
    use crate::testing::TestAnswer;

    fn body(bed: &Bed, kind: &str, days: [u32; 2], pct: i32, rooms: i32) -> Value {
        json!({
            "room_type_id": bed.kind(kind),
            "from": format!("2027-06-{:02}", days[0]), "until": format!("2027-06-{:02}", days[1]),
            "overbook_pct": pct, "overbook_rooms": rooms, "above_limit": "wash_down", "reason": "season",
        })
    }

    async fn set(bed: &Bed, body: Value) -> TestAnswer {
        bed.boss.send("POST", "/overbooking", body).await
    }

    #[tokio::test]
    async fn b05_what_is_set_is_what_is_sold_whoever_sells() {
        let bed = Bed::new().await;
        let revenue = bed.app.sign_in(bed.hotel.id, Role::Revenue).await;
        let _: CommandAnswer = revenue
            .send("POST", "/overbooking", body(&bed, "SUP", [2, 4], 50, 0))
            .await
            .ok();
        assert_eq!(bed.night("SUP", 1).await.limit(), 2);
        assert_eq!(bed.night("SUP", 2).await.limit(), 3);
        assert_eq!(bed.night("SUP", 4).await.limit(), 2);
        for _ in 0..3 {
            bed.confirmed("SUP", 2, 4).await;
        }
        assert_eq!(bed.night("SUP", 2).await.over_limit, 0);
        // A type may be overbooked and the house still binds.
        let _: CommandAnswer = set(&bed, body(&bed, "HOUSE", [2, 4], 0, -1)).await.ok();
        assert_eq!(bed.night("HOUSE", 2).await.limit(), 4);
        bed.clean().await;
    }

    #[tokio::test]
    async fn b04_a_lowered_limit_sells_nothing_more_and_is_never_below_zero() {
        let bed = Bed::new().await;
        let one = bed.confirmed("STD", 1, 2).await;
        bed.confirmed("STD", 1, 2).await;
        let _: CommandAnswer = set(&bed, body(&bed, "STD", [1, 2], -100, 0)).await.ok();
        let night = bed.night("STD", 1).await;
        assert_eq!((night.limit(), night.reserved, night.over_limit), (0, 2, 2));
        bed.clean().await;
        // What was promised can still be kept: the guest checks in.
        bed.check_in(one).await;
        let _: CommandAnswer = bed.act(one, "check-out", json!({"early": true})).await.ok();
        assert_eq!(bed.night("STD", 1).await.over_limit, 1);
        let _: CommandAnswer = set(&bed, body(&bed, "STD", [1, 2], 0, 0)).await.ok();
        assert_eq!(
            bed.night("STD", 1).await.over_limit,
            0,
            "raising takes it away"
        );
        bed.clean().await;
    }

    #[tokio::test]
    async fn n1_refuse_names_the_nights_and_changes_none() {
        let bed = Bed::new().await;
        for _ in 0..3 {
            bed.confirmed("STD", 2, 3).await;
        }
        bed.over("STD", 5, 6).await;
        for _ in 0..4 {
            bed.over("STD", 5, 6).await;
        }
        let mut lower = body(&bed, "STD", [1, 8], 0, -1);
        lower["above_limit"] = json!("refuse");
        let problem = set(&bed, lower).await.refused(Code::AboveLimit);
        let nights: Vec<String> = problem
            .nights
            .iter()
            .map(|night| night.stay_date.to_string())
            .collect();
        assert_eq!(nights, ["2027-06-02", "2027-06-05"]);
        assert_eq!(bed.night("STD", 1).await.overbook_rooms, 0);
        let mut raise = body(&bed, "STD", [1, 8], 0, 1);
        raise["above_limit"] = json!("refuse");
        let _: CommandAnswer = set(&bed, raise).await.ok();
        let night = bed.night("STD", 5).await;
        assert_eq!(
            (night.limit(), night.over_limit),
            (4, 1),
            "raising is always allowed"
        );
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        let with = |field: &str, value: Value| {
            let mut body = body(&bed, "STD", [1, 3], 10, 0);
            body[field] = value;
            body
        };
        bed.invalid(
            "POST",
            "/overbooking",
            &[
                (with("overbook_pct", json!(-101)), "/overbook_pct"),
                (with("overbook_pct", json!(1_001)), "/overbook_pct"),
                (
                    with("overbook_pct", json!(2_147_483_648_i64)),
                    "/overbook_pct",
                ),
                (with("overbook_rooms", json!(10_001)), "/overbook_rooms"),
                (with("until", json!("2027-06-01")), "/until"),
                (with("until", json!("2037-06-01")), "/until"),
                (with("from", json!("-262143-01-01")), "/from"),
                (with("until", json!("+262142-12-31")), "/until"),
                (with("room_type_id", json!(Uuid::now_v7())), "/room_type_id"),
                (with("above_limit", json!("ignore")), "/above_limit"),
                (with("reason", json!("because I say so")), "/reason"),
            ],
        )
        .await;
        let problem = set(&bed, with("from", json!("2027-05-30")))
            .await
            .refused(Code::NotOpen);
        assert_eq!(problem.nights.len(), 2);
        let problem = set(&bed, with("until", json!("2027-08-02")))
            .await
            .refused(Code::NotOpen);
        assert_eq!(problem.nights.len(), 2);
    }
}
