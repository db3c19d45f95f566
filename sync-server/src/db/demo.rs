//! What the demonstration hotel asks of the database to find out how far it has been made.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use protocol::id::{HotelId, StaffId};
use sqlx::PgConnection;

/// A hotel that is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Id.
    pub(crate) hotel: HotelId,
    /// Its open day.
    pub(crate) business_date: NaiveDate,
    /// How long its log is.
    pub(crate) seq: i64,
}

/// The hotel of a short name, as far as it has come.
pub(crate) async fn find(conn: &mut PgConnection, slug: &str) -> sqlx::Result<Option<Found>> {
    let row = sqlx::query!(
        "SELECT hotel.hotel_id, head.business_date, head.seq
         FROM hotel JOIN hotel_head AS head ON head.hotel_id = hotel.hotel_id
         WHERE hotel.slug = $1",
        slug,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Found {
        hotel: HotelId(row.hotel_id),
        business_date: row.business_date,
        seq: row.seq,
    }))
}

/// Its colleagues by sign-in name.
pub(crate) async fn staff(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> sqlx::Result<BTreeMap<String, StaffId>> {
    let rows = sqlx::query!(
        "SELECT login, staff_id FROM staff WHERE hotel_id = $1",
        hotel.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.login, StaffId(row.staff_id)))
        .collect())
}
