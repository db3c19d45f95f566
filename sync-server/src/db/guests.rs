//! Guests' profiles.

use chrono::{DateTime, Utc};
use protocol::id::{GuestId, HotelId};
use protocol::row::GuestRow;
use sqlx::{PgConnection, PgExecutor};

use crate::db::command::Caller;
use crate::error::ApiError;

struct Lookup {
    guest_id: uuid::Uuid,
    version: i64,
    name: String,
    email: Option<String>,
    phone: Option<String>,
    company: Option<String>,
    language: Option<String>,
    country: Option<String>,
    notes: String,
    vip: bool,
    erased_at: Option<DateTime<Utc>>,
}

impl From<Lookup> for GuestRow {
    fn from(row: Lookup) -> Self {
        Self {
            id: GuestId(row.guest_id),
            version: row.version,
            name: row.name,
            email: row.email,
            phone: row.phone,
            company: row.company,
            language: row.language,
            country: row.country,
            notes: row.notes,
            vip: row.vip,
            erased: row.erased_at.is_some(),
        }
    }
}

/// The present rows of these guests; those that do not exist are left out.
pub(crate) async fn rows(
    db: impl PgExecutor<'_>,
    hotel: HotelId,
    guests: &[uuid::Uuid],
) -> Result<Vec<GuestRow>, ApiError> {
    let rows = sqlx::query_as!(
        Lookup,
        "SELECT guest_id, version, name, email, phone, company, language, country, notes, vip, erased_at
         FROM guest WHERE hotel_id = $1 AND guest_id = ANY($2)",
        hotel.0,
        guests,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(GuestRow::from).collect())
}

/// The version at present, and whether the guest was forgotten or is not this caller's to write;
/// `None` when there is no such guest.
pub(crate) async fn version(
    conn: &mut PgConnection,
    caller: &Caller,
    guest: GuestId,
) -> Result<Option<(i64, bool)>, ApiError> {
    let row = sqlx::query!(
        r#"SELECT version, erased_at IS NOT NULL
               OR ($3::uuid IS NOT NULL AND made_by IS DISTINCT FROM $3) AS "closed!"
           FROM guest WHERE hotel_id = $1 AND guest_id = $2"#,
        caller.hotel.0,
        guest.0,
        caller.only_of(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.version, row.closed)))
}

/// Writes the whole profile under its new version.
pub(crate) async fn put(
    conn: &mut PgConnection,
    caller: &Caller,
    guest: &GuestRow,
    now: DateTime<Utc>,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO guest (hotel_id, guest_id, version, name, email, phone, company, language,
            country, notes, vip, created_at, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT (hotel_id, guest_id) DO UPDATE SET
            version = excluded.version, name = excluded.name, email = excluded.email,
            phone = excluded.phone, company = excluded.company, language = excluded.language,
            country = excluded.country, notes = excluded.notes, vip = excluded.vip",
        caller.hotel.0,
        guest.id.0,
        guest.version,
        guest.name,
        guest.email,
        guest.phone,
        guest.company,
        guest.language,
        guest.country,
        guest.notes,
        guest.vip,
        now,
        caller.staff.0,
    )
    .execute(conn)
    .await?;
    Ok(())
}
