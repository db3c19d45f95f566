//! The window: how far ahead nights have counters and prices.

use chrono::{Days, NaiveDate};
use protocol::code::Code;
use protocol::event::Change;
use protocol::request::{COMMAND_NIGHTS_MAX, CommandAnswer};

use crate::app::AppState;
use crate::db;
use crate::db::command::{Caller, Decision, Work, run};
use crate::error::ApiError;

/// Opens nights up to the window's end, into the event of the command in progress: at most as many
/// as one command may touch. Returns the first night that is still missing, if one is.
///
/// The night audit calls this with the day that it opens.
pub(crate) async fn extend(
    work: &mut Work<'_>,
    business_date: NaiveDate,
) -> Result<Option<NaiveDate>, ApiError> {
    let hotel = work.hotel();
    let window = db::window::window(work.conn(), hotel, business_date).await?;
    if window.next >= window.until {
        return Ok(None);
    }
    let days = COMMAND_NIGHTS_MAX as u64 / window.counters.max(1).unsigned_abs();
    let until = window.until.min(window.next + Days::new(days.max(1)));
    for row in db::window::open_nights(work.conn(), hotel, window.next, until).await? {
        work.changed(Change::Night { row });
    }
    for row in db::window::open_rates(work.conn(), hotel, window.next, until).await? {
        work.changed(Change::Rate { row });
    }
    Ok((until < window.until).then_some(until))
}

struct ExtendWindow;

impl Decision for ExtendWindow {
    const VERB: &'static str = "extend_window";
    type Answer = (CommandAnswer, Option<NaiveDate>);

    async fn decide(&self, work: &mut Work<'_>) -> Result<Self::Answer, ApiError> {
        let business_date = work.business_date;
        let hotel = work.hotel();
        let window = db::window::window(work.conn(), hotel, business_date).await?;
        if window.next >= window.until {
            // Another server was here first: no event.
            return Err(ApiError::refused(Code::AlreadyExists));
        }
        let missing = extend(work, business_date).await?;
        let answer = CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        };
        Ok((answer, missing))
    }
}

/// Extends every hotel whose window is short.
pub(crate) async fn extend_all(app: AppState) -> Result<(), ApiError> {
    for hotel in db::window::short_windows(&app.db.reads).await? {
        // The window has at most 2,000 nights, each command opens at least one.
        for _ in 0..2_000 {
            let answer = run(&app.db, &Caller::system(hotel), None, &ExtendWindow).await?;
            if answer.status >= 400 {
                break;
            }
            tracing::info!(%hotel, "window.extended");
        }
    }
    Ok(())
}
