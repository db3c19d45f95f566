//! Reading the log. It is written in `command` only.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use protocol::id::{EventId, HotelId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::ApiError;

/// On which servers tell one another that a hotel's log has grown.
pub(crate) const LOG_CHANNEL: &str = "nightdesk_log";
/// On which servers tell one another that somebody was shut out.
pub(crate) const SESSIONS_CHANNEL: &str = "nightdesk_sessions";

/// The end of a hotel's log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// The newest number.
    pub(crate) seq: i64,
    /// Its id.
    pub(crate) id: Option<EventId>,
    /// The server's past.
    pub(crate) epoch: Uuid,
    /// The open day.
    pub(crate) business_date: NaiveDate,
}

/// The end of the log.
pub(crate) async fn head(conn: &mut PgConnection, hotel: HotelId) -> Result<Head, ApiError> {
    let row = sqlx::query!(
        "SELECT seq, last_event_id, epoch, business_date FROM hotel_head WHERE hotel_id = $1",
        hotel.0,
    )
    .fetch_one(conn)
    .await?;
    Ok(Head {
        seq: row.seq,
        id: row.last_event_id.map(EventId),
        epoch: row.epoch,
        business_date: row.business_date,
    })
}

/// The id of one event, if the log still reaches back to it.
pub(crate) async fn id_of(
    conn: &mut PgConnection,
    hotel: HotelId,
    seq: i64,
) -> Result<Option<EventId>, ApiError> {
    let id = sqlx::query_scalar!(
        "SELECT event_id FROM event WHERE hotel_id = $1 AND seq = $2",
        hotel.0,
        seq,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(EventId))
}

/// An event as stored.
#[derive(Debug)]
pub(crate) struct StoredEvent {
    pub(crate) seq: i64,
    pub(crate) event_id: Uuid,
    pub(crate) at: DateTime<Utc>,
    pub(crate) business_date: NaiveDate,
    pub(crate) actor: Uuid,
    pub(crate) device: Option<Uuid>,
    pub(crate) verb: String,
    pub(crate) reason: Option<String>,
    pub(crate) changes: String,
}

/// The events after a number, in order: at most `limit`, and no more than `bytes` of changes apart
/// from the first.
pub(crate) async fn after(
    conn: &mut PgConnection,
    hotel: HotelId,
    after: i64,
    limit: i64,
    bytes: i64,
) -> Result<Vec<StoredEvent>, ApiError> {
    Ok(sqlx::query_as!(
        StoredEvent,
        r#"SELECT seq, event_id, at, business_date, actor, device, verb, reason, changes
           FROM (
               SELECT seq, event_id, at, business_date, actor, device, verb, reason, changes,
                      sum(octet_length(changes)) OVER (ORDER BY seq) - octet_length(changes) AS before
               FROM event WHERE hotel_id = $1 AND seq > $2
               ORDER BY seq LIMIT $3
           ) AS page
           WHERE before < $4
           ORDER BY seq"#,
        hotel.0,
        after,
        limit,
        bytes as _,
    )
    .fetch_all(conn)
    .await?)
}

/// The present notes of these reservations.
pub(crate) async fn notes(
    conn: &mut PgConnection,
    hotel: HotelId,
    reservations: &[Uuid],
) -> Result<HashMap<Uuid, String>, ApiError> {
    let rows = sqlx::query!(
        "SELECT reservation_id, notes FROM reservation
         WHERE hotel_id = $1 AND reservation_id = ANY ($2) AND notes <> ''",
        hotel.0,
        reservations,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.reservation_id, row.notes))
        .collect())
}

/// Tells every server which hotels' logs have grown, with the name of the one that tells.
pub(crate) async fn tell(
    conn: &mut PgConnection,
    teller: Uuid,
    hotels: &[HotelId],
) -> Result<(), ApiError> {
    let texts: Vec<String> = hotels
        .iter()
        .map(|hotel| format!("{teller} {hotel}"))
        .collect();
    sqlx::query!(
        "SELECT pg_notify($1, told) FROM unnest($2::text[]) AS told",
        LOG_CHANNEL,
        &texts,
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}
