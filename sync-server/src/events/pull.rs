//! `GET /events`: the long poll by which every desk follows the log.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, NaiveDate, Utc};
use protocol::api::UNDERSTANDS;
use protocol::code::{Code, Problem};
use protocol::event::{Change, EventPage};
use protocol::id::{EventId, GuestId, HotelId, ReservationId};
use protocol::request::{EVENTS_MAX, WAIT_SECONDS_MAX};
use protocol::row::GuestRow;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sqlx::PgConnection;
use tokio::time::Instant;
use uuid::Uuid;

use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::db::events::StoredEvent;
use crate::db::sessions::Seen;
use crate::error::ApiError;
use crate::staff::session::bearer;
use crate::web::Query;

/// The oldest desk that can read what this server writes.
const UNDERSTANDS_MIN: u32 = 1;
/// The most that one answer holds, at least one event apart.
const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// What is read of stored changes for one answer: guests and notes are still to be joined.
const STORED_BYTES_MAX: i64 = 900 * 1024;
/// How often the log is looked at while waiting, in case a notice was lost.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// From where to read, and how long to wait.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PullQuery {
    /// The number of the last event that is known; 0 for none.
    #[param(minimum = 0)]
    after: i64,
    /// Its id: with the number it names one point of one past.
    #[param(value_type = Option<String>, format = Uuid)]
    last_id: Option<EventId>,
    /// At most so many events.
    #[serde(default = "limit")]
    #[param(minimum = 1, maximum = 1000, default = 500)]
    limit: i64,
    /// How many seconds to wait for something to happen.
    #[serde(default)]
    #[param(maximum = 30, default = 0)]
    wait: u64,
}

fn limit() -> i64 {
    500
}

/// An event as it is handed out. Changes stay as they were written, so that a server that does not
/// know a kind yet still hands it on; only guests and notes are put in.
#[derive(Serialize)]
struct EventOut {
    seq: i64,
    id: Uuid,
    at: DateTime<Utc>,
    business_date: NaiveDate,
    actor: Uuid,
    device: Option<Uuid>,
    verb: String,
    reason: Option<String>,
    changes: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
struct PageOut {
    events: Vec<Box<RawValue>>,
    head: i64,
    head_id: Option<EventId>,
    epoch: Uuid,
}

/// The log after a number, in order and without a gap.
///
/// With `wait`, answers as soon as there is something, or empty when the time is over. Guests stand
/// in it with their present rows, reservations with their present notes.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/events",
    tag = "log",
    operation_id = "events",
    params(
        ("hotel" = String, Path, format = Uuid),
        PullQuery,
        ("x-nightdesk-understands" = Option<u32>, Header, description = "What the desk understands"),
    ),
    responses(
        (status = 200, body = EventPage),
        (status = 409, description = "epoch_changed, update_needed", body = Problem, content_type = "application/problem+json"),
        (status = 410, description = "resync", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "too_many_requests: as many wait at this desk already", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<PullQuery>,
) -> Result<Response, ApiError> {
    query.check()?;
    let understands = understands(&headers)?;
    let ends = Instant::now() + Duration::from_secs(query.wait);
    // Held until the answer is made.
    let _place = match query.wait {
        0 => None,
        _ => Some(app.waiting.begin(&caller)?),
    };
    // Before the log is read: a commit in between must not go unseen.
    let mut grown = app.db.wakers.subscribe(caller.hotel);
    let page = loop {
        grown.mark_unchanged();
        let page = read(&app, caller.hotel, &query).await?;
        let now = Instant::now();
        if !page.events.is_empty() || now >= ends {
            break page;
        }
        let look_at = ends.min(now + LOOK_EVERY);
        let stopping = tokio::select! {
            _ = grown.changed() => false,
            () = tokio::time::sleep_until(look_at) => false,
            () = app.stop.asked() => true,
        };
        if stopping {
            break page;
        }
        // Somebody who was shut out while waiting hears no more.
        let token = bearer(&headers).ok_or_else(|| ApiError::refused(Code::Unauthenticated))?;
        app.sessions.caller(&app, &token).await?;
    };
    if let Some(device) = caller.device {
        let seen = Seen {
            seq: query.after,
            understands: i32::try_from(understands).unwrap_or(i32::MAX),
        };
        app.seen.note(caller.hotel, device, seen);
    }
    let body = serde_json::to_string(&page).map_err(anyhow::Error::from)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

impl PullQuery {
    fn check(&self) -> Result<(), Problem> {
        let wrong =
            |field: &str, detail: String| Err(Problem::new(Code::Invalid).field(field, detail));
        if self.after < 0 {
            return wrong("/after", "0 or more".to_owned());
        }
        if !(1..=EVENTS_MAX).contains(&self.limit) {
            return wrong("/limit", format!("1 to {EVENTS_MAX}"));
        }
        if self.wait > WAIT_SECONDS_MAX {
            return wrong("/wait", format!("at most {WAIT_SECONDS_MAX} seconds"));
        }
        Ok(())
    }
}

/// What the desk understands; one that does not say is taken for the oldest that is served.
pub(super) fn understands(headers: &HeaderMap) -> Result<u32, ApiError> {
    let Some(value) = headers.get(UNDERSTANDS) else {
        return Ok(UNDERSTANDS_MIN);
    };
    let version = value
        .to_str()
        .ok()
        .and_then(|text| text.parse::<u32>().ok());
    match version {
        Some(version) if version >= UNDERSTANDS_MIN => Ok(version),
        _ => Err(Problem::new(Code::UpdateNeeded)
            .facts(serde_json::json!({ "oldest_served": UNDERSTANDS_MIN }))
            .into()),
    }
}

async fn read(app: &AppState, hotel: HotelId, query: &PullQuery) -> Result<PageOut, ApiError> {
    let mut conn = app.db.reads.acquire().await?;
    let head = db::events::head(&mut conn, hotel).await?;
    if query.after > head.seq {
        return Err(ApiError::refused(Code::EpochChanged));
    }
    if query.after == head.seq {
        if query.last_id.is_some_and(|id| head.id != Some(id)) {
            return Err(ApiError::refused(Code::EpochChanged));
        }
        return Ok(PageOut {
            events: Vec::new(),
            head: head.seq,
            head_id: head.id,
            epoch: head.epoch,
        });
    }
    if let Some(last_id) = query.last_id {
        match db::events::id_of(&mut conn, hotel, query.after).await? {
            Some(id) if id == last_id => {}
            Some(_) => return Err(ApiError::refused(Code::EpochChanged)),
            // The floor may lie just after it; whether it does is seen below.
            None => {}
        }
    }
    let stored =
        db::events::after(&mut conn, hotel, query.after, query.limit, STORED_BYTES_MAX).await?;
    // The numbers have no gaps: if the next one is missing, the log begins later.
    if stored.first().map(|event| event.seq) != Some(query.after + 1) {
        return Err(ApiError::refused(Code::Resync));
    }
    // The head may have moved on between the two reads.
    let (newest, newest_id) = match stored.last() {
        Some(last) if last.seq > head.seq => (last.seq, Some(EventId(last.event_id))),
        _ => (head.seq, head.id),
    };
    Ok(PageOut {
        events: join(&mut conn, hotel, stored).await?,
        head: newest,
        head_id: newest_id,
        epoch: head.epoch,
    })
}

/// The part of a change that says what it is about.
#[derive(Deserialize)]
struct Peek<'c> {
    kind: &'c str,
    id: Option<GuestId>,
    #[serde(borrow)]
    row: Option<&'c RawValue>,
}

#[derive(Deserialize)]
struct RowId {
    id: ReservationId,
}

/// Puts the present guests and notes into stored events (N13), up to the size of a page.
async fn join(
    conn: &mut PgConnection,
    hotel: HotelId,
    stored: Vec<StoredEvent>,
) -> Result<Vec<Box<RawValue>>, ApiError> {
    let mut events = Vec::with_capacity(stored.len());
    let mut guests = Vec::new();
    let mut reservations = Vec::new();
    for event in stored {
        let changes: Vec<Box<RawValue>> =
            serde_json::from_str(&event.changes).map_err(anyhow::Error::from)?;
        for change in &changes {
            match subject(change)? {
                Some(Joined::Guest(id)) => guests.push(id.0),
                Some(Joined::Reservation(id)) => reservations.push(id.0),
                None => {}
            }
        }
        events.push((event, changes));
    }
    let guests: HashMap<Uuid, GuestRow> = if guests.is_empty() {
        HashMap::new()
    } else {
        let rows = db::guests::rows(&mut *conn, hotel, &guests).await?;
        rows.into_iter().map(|row| (row.id.0, row)).collect()
    };
    let notes = if reservations.is_empty() {
        HashMap::new()
    } else {
        db::events::notes(conn, hotel, &reservations).await?
    };
    let mut page = Vec::with_capacity(events.len());
    let mut bytes = 0;
    for (event, mut changes) in events {
        for change in &mut changes {
            match subject(change)? {
                Some(Joined::Guest(id)) => {
                    if let Some(row) = guests.get(&id.0) {
                        *change = raw(&Change::Guest { row: row.clone() })?;
                    }
                }
                Some(Joined::Reservation(id)) => {
                    if let Some(notes) = notes.get(&id.0) {
                        *change = with_notes(change, notes)?;
                    }
                }
                None => {}
            }
        }
        let out = raw(&EventOut {
            seq: event.seq,
            id: event.event_id,
            at: event.at,
            business_date: event.business_date,
            actor: event.actor,
            device: event.device,
            verb: event.verb,
            reason: event.reason,
            changes,
        })?;
        bytes += out.get().len();
        if bytes > PAGE_BYTES_MAX && !page.is_empty() {
            break;
        }
        page.push(out);
    }
    Ok(page)
}

enum Joined {
    Guest(GuestId),
    Reservation(ReservationId),
}

fn subject(change: &RawValue) -> Result<Option<Joined>, ApiError> {
    let peek: Peek<'_> = serde_json::from_str(change.get()).map_err(anyhow::Error::from)?;
    Ok(match (peek.kind, peek.id, peek.row) {
        ("guest_ref", Some(id), _) => Some(Joined::Guest(id)),
        ("reservation", _, Some(row)) => {
            let row: RowId = serde_json::from_str(row.get()).map_err(anyhow::Error::from)?;
            Some(Joined::Reservation(row.id))
        }
        _ => None,
    })
}

fn with_notes(change: &RawValue, notes: &str) -> Result<Box<RawValue>, ApiError> {
    let mut value: serde_json::Value =
        serde_json::from_str(change.get()).map_err(anyhow::Error::from)?;
    value["row"]["notes"] = notes.into();
    raw(&value)
}

fn raw<T: Serialize>(value: &T) -> Result<Box<RawValue>, ApiError> {
    Ok(serde_json::value::to_raw_value(value).map_err(anyhow::Error::from)?)
}
