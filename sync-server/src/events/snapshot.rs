//! `GET /snapshot`: everything a desk's copy holds, page by page.
//!
//! Each page is a short transaction: one that stays open drags a hot night to a fifth of its speed
//! (measured). So the pages together are no one moment; the copy is a true state once it has pulled
//! the log from `from` to `until`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use chrono::{Days, NaiveDate};
use protocol::code::{Code, Problem};
use protocol::event::SnapshotPage;
use protocol::id::EventId;
use serde::Deserialize;
use uuid::Uuid;

use super::pull::understands;
use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::db::snapshot::{After, Kind};
use crate::error::ApiError;
use crate::reservations::is_sensible_date;
use crate::web::Query;

/// How many rows a page has, more or less. Tests have many pages of a small hotel.
const ROWS: usize = if cfg!(test) { 40 } else { 4_000 };
/// How many days before the business date the copy reaches back.
const DAYS_BACK: u64 = 30;

/// Where to go on.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SnapshotQuery {
    /// `cursor` of the page before; absent for the first.
    cursor: Option<String>,
}

/// The state of a snapshot in progress: all of it travels, so that any server can go on.
#[derive(Clone, Debug)]
struct Cursor {
    kind: Kind,
    after: Option<After>,
    from: i64,
    from_id: Option<EventId>,
    epoch: Uuid,
    since: NaiveDate,
}

impl Cursor {
    /// `1~kind~after~from~id~epoch~since`
    fn text(&self) -> String {
        format!(
            "1~{}~{}~{}~{}~{}~{}",
            self.kind.word(),
            self.after.map(After::text).unwrap_or_default(),
            self.from,
            self.from_id.map(|id| id.to_string()).unwrap_or_default(),
            self.epoch,
            self.since
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('~');
        let mut next = || parts.next();
        if next()? != "1" {
            return None;
        }
        let cursor = Self {
            kind: Kind::parse(next()?)?,
            after: match next()? {
                "" => None,
                after => Some(After::parse(after)?),
            },
            from: next()?.parse().ok().filter(|from| *from >= 0)?,
            from_id: match next()? {
                "" => None,
                id => Some(id.parse().ok()?),
            },
            epoch: next()?.parse().ok()?,
            since: next()?
                .parse()
                .ok()
                .filter(|date| is_sensible_date(*date))?,
        };
        next().is_none().then_some(cursor)
    }
}

/// One page of everything: hotel, colleagues, types, rooms, nights, rates, and the reservations that
/// end in the last 30 days or later with their bookings, guests and rooms.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/snapshot",
    tag = "log",
    operation_id = "snapshot",
    params(
        ("hotel" = String, Path, format = Uuid),
        SnapshotQuery,
        ("x-nightdesk-understands" = Option<u32>, Header, description = "What the desk understands"),
    ),
    responses(
        (status = 200, body = SnapshotPage),
        (status = 409, description = "epoch_changed, update_needed", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<SnapshotQuery>,
) -> Result<Json<SnapshotPage>, ApiError> {
    understands(&headers)?;
    let hotel = caller.hotel;
    let mut tx = db::snapshot::begin(&app.db.reads).await?;
    let head = db::events::head(&mut tx, hotel).await?;
    let first = query.cursor.is_none();
    let mut cursor = match query.cursor {
        None => Cursor {
            kind: Kind::FIRST,
            after: None,
            from: head.seq,
            from_id: head.id,
            epoch: head.epoch,
            since: head
                .business_date
                .checked_sub_days(Days::new(DAYS_BACK))
                .unwrap_or(head.business_date),
        },
        Some(text) => Cursor::parse(&text).ok_or_else(|| {
            Problem::new(Code::Invalid).field("/cursor", "not a cursor of this server")
        })?,
    };
    if cursor.epoch != head.epoch {
        return Err(ApiError::refused(Code::EpochChanged));
    }
    let rows_total = if first {
        Some(db::snapshot::count(&mut tx, hotel, cursor.since).await?)
    } else {
        None
    };
    let mut changes = Vec::new();
    let mut more = true;
    while more && changes.len() < ROWS {
        let wanted = ROWS - changes.len();
        let page = db::snapshot::page(
            &mut tx,
            hotel,
            cursor.since,
            cursor.kind,
            cursor.after,
            wanted,
        )
        .await?;
        let ended = page.len() < wanted;
        if let Some((after, _)) = page.last() {
            cursor.after = Some(*after);
        }
        changes.extend(page.into_iter().map(|(_, change)| change));
        if ended {
            match cursor.kind.next() {
                Some(kind) => (cursor.kind, cursor.after) = (kind, None),
                None => more = false,
            }
        }
    }
    // Nothing was written; ends the short transaction before the answer is built.
    tx.rollback().await?;
    Ok(Json(SnapshotPage {
        from: cursor.from,
        from_id: cursor.from_id,
        epoch: cursor.epoch,
        rows_total,
        until: (!more).then_some(head.seq),
        changes,
        cursor: more.then(|| cursor.text()),
    }))
}
