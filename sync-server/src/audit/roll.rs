//! `POST /night-audit/roll`: closes the open day and opens the next.

use axum::extract::State;
use chrono::Days;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, RollRequest};

use crate::app::AppState;
use crate::catalog::window;
use crate::db::audit;
use crate::db::command::{Answer, Decision, Work, run};
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
        window::extend(work, tomorrow).await?;
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

#[cfg(test)]
mod tests {
    use protocol::row::NightRow;
    use serde_json::json;

    use super::*;
    use crate::reservations::testbed::{Bed, facts};
    use crate::testing::TestAnswer;

    async fn roll(bed: &Bed, day: &str) -> TestAnswer {
        bed.boss
            .send("POST", "/night-audit/roll", json!({"business_date": day}))
            .await
    }

    #[tokio::test]
    async fn the_day_closes_when_nobody_is_awaited_any_more() {
        let bed = Bed::new().await;
        let came = bed.confirmed("STD", 1, 3).await;
        let day = bed.confirmed("SUP", 1, 1).await;
        let not = bed.confirmed("SUP", 1, 3).await;
        let later = bed.confirmed("STD", 2, 3).await;
        bed.check_in(came).await;
        bed.check_in(day).await;
        let open = facts(&roll(&bed, "2027-06-01").await, Code::DayOpen);
        assert_eq!(open["arrivals"], json!([not]));
        assert_eq!(open["departures"], json!([day]));
        let _: CommandAnswer = bed.act(day, "check-out", json!({})).await.ok();
        let _: CommandAnswer = bed
            .act(not, "no-show", json!({"keep_first_night": true}))
            .await
            .ok();
        let _: CommandAnswer = roll(&bed, "2027-06-01").await.ok();
        bed.clean().await;
        // No day is rolled twice.
        let open = facts(&roll(&bed, "2027-06-01").await, Code::WrongBusinessDate);
        assert_eq!(open["business_date"], "2027-06-02");
        bed.check_in(later).await;
        let _: CommandAnswer = roll(&bed, "2027-06-02").await.ok();
        let open = facts(&roll(&bed, "2027-06-03").await, Code::DayOpen);
        assert_eq!(open["departures_count"], 2);
        bed.clean().await;

        let rows: Vec<(String, i32, i32, i32, i32, i32, i64)> = sqlx::query_as(
            "SELECT t.code, d.total, d.occupied, d.arrivals, d.departures, d.no_shows, d.room_revenue
             FROM daily_statistics d JOIN room_type t USING (hotel_id, room_type_id)
             WHERE d.business_date = '2027-06-01' ORDER BY t.code",
        )
        .fetch_all(&bed.app.db.reads)
        .await
        .unwrap();
        let expected = [
            ("HOUSE", 5, 1, 2, 1, 1, 10_000),
            ("STD", 3, 1, 1, 0, 0, 10_000),
            ("SUP", 2, 0, 1, 1, 1, 0),
        ]
        .map(|row| (row.0.to_owned(), row.1, row.2, row.3, row.4, row.5, row.6));
        assert_eq!(rows, expected);
    }

    #[tokio::test]
    async fn the_window_moves_on_with_the_day() {
        let bed = Bed::new().await;
        let last = "2027-07-31".parse().unwrap();
        let done: CommandAnswer = roll(&bed, "2027-06-01").await.ok();
        let mut conn = bed.app.db.reads.acquire().await.unwrap();
        let counters = crate::db::verify::counters(&mut conn, bed.hotel.id)
            .await
            .unwrap();
        let mut new: Vec<NightRow> = counters
            .into_iter()
            .filter(|row| row.stay_date == last)
            .collect();
        new.sort_by_key(|row| row.total);
        let totals: Vec<_> = new.iter().map(|row| (row.total, row.reserved)).collect();
        assert_eq!(totals, [(2, 0), (3, 0), (5, 0)]);
        let changes: String = sqlx::query_scalar("SELECT changes FROM event WHERE seq = $1")
            .bind(done.seq)
            .fetch_one(&bed.app.db.reads)
            .await
            .unwrap();
        let changes: Vec<protocol::event::Change> = serde_json::from_str(&changes).unwrap();
        assert_eq!(
            changes.len(),
            6,
            "three new counters, two prices and the hotel"
        );
        bed.clean().await;
    }

    #[tokio::test]
    async fn n6_two_managers_close_the_day_and_one_does() {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        let there = bed.boss.at(&other);
        let body = json!({"business_date": "2027-06-01"});
        let (here, there) = tokio::join!(
            roll(&bed, "2027-06-01"),
            there.send("POST", "/night-audit/roll", body),
        );
        assert_ne!(here.status == 200, there.status == 200);
        let lost = if here.status == 200 { &there } else { &here };
        lost.refused(Code::WrongBusinessDate);
        bed.clean().await;
    }

    #[tokio::test]
    async fn bad_input_is_named_and_changes_nothing() {
        let bed = Bed::new().await;
        bed.invalid(
            "POST",
            "/night-audit/roll",
            &[
                (json!({}), "/business_date"),
                (json!({"business_date": "2027-06-31"}), "/business_date"),
                (json!({"business_date": 20_270_601}), "/business_date"),
            ],
        )
        .await;
    }
}
