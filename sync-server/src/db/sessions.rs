//! Sessions, staff and devices.

use chrono::{DateTime, Utc};
use protocol::id::{DeviceId, HotelId, StaffId};
use protocol::role::Role;
use sqlx::PgPool;

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
