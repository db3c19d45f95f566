//! Sessions, staff and devices.

use chrono::{DateTime, Utc};
use protocol::id::{DeviceId, HotelId, StaffId};
use protocol::role::Role;
use protocol::row::StaffRow;
use sqlx::{PgConnection, PgPool};

use protocol::request::Me;

use super::command::Caller;
use crate::error::ApiError;

/// Whose token this is, if it is anybody's at this moment: not expired, not revoked, of a colleague
/// who may still sign in, at a desk that was not shut out.
pub(crate) async fn caller(
    reads: &PgPool,
    hotel: HotelId,
    token_hash: &[u8; 32],
) -> Result<Option<Caller>, ApiError> {
    let row = sqlx::query!(
        r#"SELECT session.staff_id, session.device_id AS "device_id?", staff.role
           FROM session
           JOIN staff ON staff.hotel_id = session.hotel_id AND staff.staff_id = session.staff_id
           LEFT JOIN device ON device.hotel_id = session.hotel_id AND device.device_id = session.device_id
           WHERE session.hotel_id = $1 AND session.token_hash = $2
             AND session.revoked_at IS NULL AND session.expires_at > clock_timestamp()
             AND staff.active AND device.revoked_at IS NULL"#,
        hotel.0,
        &token_hash[..],
    )
    .fetch_optional(reads)
    .await?;
    row.map(|row| {
        Ok(Caller {
            hotel,
            staff: StaffId(row.staff_id),
            device: row.device_id.map(DeviceId),
            role: row.role.parse::<Role>().map_err(anyhow::Error::from)?,
        })
    })
    .transpose()
}

/// Opens a session for `days`. Returns when it ends.
pub(crate) async fn open(
    pool: &PgPool,
    hotel: HotelId,
    staff: StaffId,
    device: Option<DeviceId>,
    token_hash: &[u8; 32],
    days: i32,
) -> Result<DateTime<Utc>, ApiError> {
    let expires_at = sqlx::query_scalar!(
        "INSERT INTO session (hotel_id, token_hash, staff_id, device_id, created_at, expires_at)
         VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(days => $5))
         RETURNING expires_at",
        hotel.0,
        &token_hash[..],
        staff.0,
        device.map(|device| device.0),
        days,
    )
    .fetch_one(pool)
    .await?;
    Ok(expires_at)
}

/// Ends a session, and tells the other servers to forget it.
pub(crate) async fn revoke(
    pool: &PgPool,
    hotel: HotelId,
    token_hash: &[u8; 32],
) -> Result<(), ApiError> {
    sqlx::query!(
        "UPDATE session SET revoked_at = clock_timestamp()
         WHERE hotel_id = $1 AND token_hash = $2 AND revoked_at IS NULL",
        hotel.0,
        &token_hash[..],
    )
    .execute(pool)
    .await?;
    tell_others(pool).await
}

/// Tells the other servers to forget whom they believe. Never inside a booking's transaction.
pub(crate) async fn tell_others(pool: &PgPool) -> Result<(), ApiError> {
    sqlx::query!("SELECT pg_notify($1, '')", super::events::SESSIONS_CHANNEL)
        .execute(pool)
        .await?;
    Ok(())
}

/// Lets a colleague in again, or shuts them out and ends all their sessions for good. Answers how they
/// stand now; `None` when there is no such colleague.
pub(crate) async fn set_active(
    conn: &mut PgConnection,
    hotel: HotelId,
    staff: StaffId,
    active: bool,
    now: DateTime<Utc>,
) -> Result<Option<StaffRow>, ApiError> {
    let row = sqlx::query!(
        "UPDATE staff SET active = $3 WHERE hotel_id = $1 AND staff_id = $2
         RETURNING display_name, role",
        hotel.0,
        staff.0,
        active,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if !active {
        sqlx::query!(
            "UPDATE session SET revoked_at = $3
             WHERE hotel_id = $1 AND staff_id = $2 AND revoked_at IS NULL",
            hotel.0,
            staff.0,
            now,
        )
        .execute(conn)
        .await?;
    }
    Ok(Some(StaffRow {
        id: staff,
        display_name: row.display_name,
        role: row.role.parse::<Role>().map_err(anyhow::Error::from)?,
        active,
    }))
}

/// Somebody of that name who may sign in.
pub(crate) struct Person {
    pub(crate) hotel: HotelId,
    pub(crate) hotel_name: String,
    pub(crate) staff: StaffId,
    pub(crate) display_name: String,
    pub(crate) role: Role,
    pub(crate) password_hash: String,
}

/// Who has this name, in the hotel of this slug or in any; two are enough to know that it is several.
pub(crate) async fn find_staff(
    reads: &PgPool,
    login: &str,
    slug: Option<&str>,
) -> Result<Vec<Person>, ApiError> {
    let rows = sqlx::query!(
        "SELECT staff.hotel_id, hotel.name, staff_id, display_name, role, password_hash
         FROM staff JOIN hotel ON hotel.hotel_id = staff.hotel_id
         WHERE login = $1 AND active AND ($2::text IS NULL OR hotel.slug = $2)
         LIMIT 2",
        login,
        slug,
    )
    .fetch_all(reads)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Person {
                hotel: HotelId(row.hotel_id),
                hotel_name: row.name,
                staff: StaffId(row.staff_id),
                display_name: row.display_name,
                role: super::images::word(&row.role)?,
                password_hash: row.password_hash,
            })
        })
        .collect()
}

/// Whether somebody of this hotel signs in by this name, also somebody who may no longer.
pub(crate) async fn login_taken(
    conn: &mut PgConnection,
    hotel: HotelId,
    login: &str,
) -> Result<bool, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM staff WHERE hotel_id = $1 AND login = $2) AS "taken!""#,
        hotel.0,
        login,
    )
    .fetch_one(conn)
    .await?)
}

/// Notes a desk and when it was seen; `false` when it was shut out.
pub(crate) async fn put_device(
    pool: &PgPool,
    hotel: HotelId,
    device: DeviceId,
    name: &str,
) -> Result<bool, ApiError> {
    let put = sqlx::query!(
        "INSERT INTO device (hotel_id, device_id, name, created_at, last_seen_at)
         VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp())
         ON CONFLICT (hotel_id, device_id) DO UPDATE SET
            name = CASE WHEN excluded.name = '' THEN device.name ELSE excluded.name END,
            last_seen_at = excluded.last_seen_at
         WHERE device.revoked_at IS NULL",
        hotel.0,
        device.0,
        name,
    )
    .execute(pool)
    .await?;
    Ok(put.rows_affected() == 1)
}

/// How far one desk has read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// The last number it has.
    pub(crate) seq: i64,
    /// What it says that it understands.
    pub(crate) understands: i32,
}

/// Writes down together how far desks have read.
pub(crate) async fn devices_seen(
    pool: &PgPool,
    seen: &[(HotelId, DeviceId, Seen)],
) -> Result<(), ApiError> {
    let hotels: Vec<_> = seen.iter().map(|(hotel, ..)| hotel.0).collect();
    let devices: Vec<_> = seen.iter().map(|(_, device, _)| device.0).collect();
    let seqs: Vec<_> = seen.iter().map(|(.., seen)| seen.seq).collect();
    let understands: Vec<_> = seen.iter().map(|(.., seen)| seen.understands).collect();
    sqlx::query!(
        "UPDATE device SET last_seen_at = now(), last_seq = seen.seq, understands = seen.understands
         FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[]) AS seen (hotel_id, device_id, seq, understands)
         WHERE device.hotel_id = seen.hotel_id AND device.device_id = seen.device_id",
        &hotels,
        &devices,
        &seqs,
        &understands,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The caller with names.
pub(crate) async fn me(reads: &PgPool, caller: &Caller) -> Result<Me, ApiError> {
    let row = sqlx::query!(
        "SELECT hotel.name, hotel.slug, staff.display_name
         FROM staff JOIN hotel ON hotel.hotel_id = staff.hotel_id
         WHERE staff.hotel_id = $1 AND staff.staff_id = $2",
        caller.hotel.0,
        caller.staff.0,
    )
    .fetch_one(reads)
    .await?;
    Ok(Me {
        hotel_id: caller.hotel,
        hotel_name: row.name,
        hotel_slug: row.slug,
        staff_id: caller.staff,
        display_name: row.display_name,
        role: caller.role,
        device_id: caller.device,
    })
}
