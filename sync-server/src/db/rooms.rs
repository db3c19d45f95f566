//! Rooms and their use: who is in a room, or why nobody can be (N11).

use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::id::{HotelId, ReservationId, RoomId, RoomTypeId, RoomUseId};
use protocol::row::{RoomRow, RoomUseRow};
use protocol::state::{RoomStatus, RoomUseKind};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::command::Work;
use crate::db::images::word;
use crate::error::ApiError;

/// SQLSTATE of an exclusion constraint: the last line behind the look before.
const EXCLUSION: &str = "23P01";

/// One room, if there is such a room.
pub(crate) async fn room(
    conn: &mut PgConnection,
    hotel: HotelId,
    id: RoomId,
) -> Result<Option<RoomRow>, ApiError> {
    let row = sqlx::query!(
        "SELECT room_type_id, number, floor, status, features, active, version
         FROM room WHERE hotel_id = $1 AND room_id = $2",
        hotel.0,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(RoomRow {
            id,
            room_type_id: RoomTypeId(row.room_type_id),
            number: row.number,
            floor: row.floor,
            status: word(&row.status)?,
            features: row.features,
            active: row.active,
            version: row.version,
        })
    })
    .transpose()
}

/// Writes what housekeeping sees and puts the room into the event.
pub(crate) async fn set_status(
    work: &mut Work<'_>,
    id: RoomId,
    status: RoomStatus,
) -> Result<(), ApiError> {
    let hotel = work.hotel();
    sqlx::query!(
        "UPDATE room SET status = $3, version = version + 1 WHERE hotel_id = $1 AND room_id = $2",
        hotel.0,
        id.0,
        status.as_str(),
    )
    .execute(work.conn())
    .await?;
    let row = room(work.conn(), hotel, id)
        .await?
        .ok_or_else(|| ApiError::refused(Code::NotFound))?;
    work.changed(Change::Room { row });
    Ok(())
}

struct Use {
    room_use_id: Uuid,
    room_id: Uuid,
    first: NaiveDate,
    until: NaiveDate,
    kind: String,
    reservation_id: Option<Uuid>,
    reason: Option<String>,
}

impl Use {
    fn into_row(self) -> Result<RoomUseRow, ApiError> {
        Ok(RoomUseRow {
            id: RoomUseId(self.room_use_id),
            room_id: RoomId(self.room_id),
            from: self.first,
            until: self.until,
            kind: word(&self.kind)?,
            reservation_id: self.reservation_id.map(ReservationId),
            reason: self.reason,
        })
    }
}

/// One use of a room, if there is such a use.
pub(crate) async fn room_use(
    conn: &mut PgConnection,
    hotel: HotelId,
    id: RoomUseId,
) -> Result<Option<RoomUseRow>, ApiError> {
    let row = sqlx::query_as!(
        Use,
        r#"SELECT room_use_id, room_id, lower(during) AS "first!", upper(during) AS "until!", kind,
                  reservation_id, reason
           FROM room_use WHERE hotel_id = $1 AND room_use_id = $2"#,
        hotel.0,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    row.map(Use::into_row).transpose()
}

/// The rooms of a reservation, in the order of time.
pub(crate) async fn uses_of(
    conn: &mut PgConnection,
    hotel: HotelId,
    reservation: ReservationId,
) -> Result<Vec<RoomUseRow>, ApiError> {
    let rows = sqlx::query_as!(
        Use,
        r#"SELECT room_use_id, room_id, lower(during) AS "first!", upper(during) AS "until!", kind,
                  reservation_id, reason
           FROM room_use WHERE hotel_id = $1 AND reservation_id = $2 ORDER BY lower(during)"#,
        hotel.0,
        reservation.0,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Use::into_row).collect()
}

/// A stay or a period to write.
#[derive(Clone, Debug)]
pub(crate) struct NewUse {
    /// Id; a new one where absent.
    pub(crate) id: Option<RoomUseId>,
    /// The room.
    pub(crate) room: RoomId,
    /// First night.
    pub(crate) from: NaiveDate,
    /// End, exclusive.
    pub(crate) until: NaiveDate,
    /// What for.
    pub(crate) kind: RoomUseKind,
    /// Whose stay.
    pub(crate) reservation: Option<ReservationId>,
    /// A word on why.
    pub(crate) reason: Option<String>,
}

/// Writes a use of a room, or refuses with `room_taken` and by whom. Out of service is no obstacle
/// and meets none.
pub(crate) async fn occupy(work: &mut Work<'_>, new: NewUse) -> Result<RoomUseRow, ApiError> {
    let hotel = work.hotel();
    if new.kind != RoomUseKind::OutOfService
        && let Some(blocker) = blocker(work, &new).await?
    {
        return Err(taken(&blocker).into());
    }
    let row = RoomUseRow {
        id: new.id.unwrap_or_else(|| RoomUseId(Uuid::now_v7())),
        room_id: new.room,
        from: new.from,
        until: new.until,
        kind: new.kind,
        reservation_id: new.reservation,
        reason: new.reason,
    };
    let written = sqlx::query!(
        "INSERT INTO room_use (hotel_id, room_use_id, room_id, during, kind, reservation_id, reason)
         VALUES ($1, $2, $3, daterange($4, $5), $6, $7, $8)",
        hotel.0,
        row.id.0,
        row.room_id.0,
        row.from,
        row.until,
        row.kind.as_str(),
        row.reservation_id.map(|id| id.0),
        row.reason,
    )
    .execute(work.conn())
    .await;
    if let Err(sqlx::Error::Database(error)) = &written
        && error.code().as_deref() == Some(EXCLUSION)
    {
        return Err(ApiError::refused(Code::RoomTaken));
    }
    written?;
    work.changed(Change::RoomUse { row: row.clone() });
    Ok(row)
}

/// Who stands in the way of a use, first in time.
pub(crate) async fn blocker(
    work: &mut Work<'_>,
    new: &NewUse,
) -> Result<Option<RoomUseRow>, ApiError> {
    let hotel = work.hotel().0;
    let row = sqlx::query_as!(
        Use,
        r#"SELECT room_use_id, room_id, lower(during) AS "first!", upper(during) AS "until!", kind,
                  reservation_id, reason
           FROM room_use
           WHERE hotel_id = $1 AND room_id = $2 AND during && daterange($3, $4)
             AND kind IN ('stay', 'out_of_order')
           ORDER BY lower(during) LIMIT 1"#,
        hotel,
        new.room.0,
        new.from,
        new.until,
    )
    .fetch_optional(work.conn())
    .await?;
    row.map(Use::into_row).transpose()
}

/// Who is in a room at this moment though the stay's last night is over: due out today and not gone
/// (B32). A stay that covers tonight is found by [`occupy`].
pub(crate) async fn not_yet_gone(
    work: &mut Work<'_>,
    room: RoomId,
    but: ReservationId,
) -> Result<Option<RoomUseRow>, ApiError> {
    let (hotel, today) = (work.hotel().0, work.business_date);
    let row = sqlx::query_as!(
        Use,
        r#"SELECT u.room_use_id, u.room_id, lower(u.during) AS "first!", upper(u.during) AS "until!", u.kind,
                  u.reservation_id, u.reason
           FROM room_use AS u
           JOIN reservation AS r ON r.hotel_id = u.hotel_id AND r.reservation_id = u.reservation_id
           WHERE u.hotel_id = $1 AND u.room_id = $2 AND u.kind = 'stay' AND r.state = 'checked_in'
             AND u.reservation_id <> $3 AND upper(u.during) = $4 AND r.check_out = $4
           LIMIT 1"#,
        hotel,
        room.0,
        but.0,
        today,
    )
    .fetch_optional(work.conn())
    .await?;
    row.map(Use::into_row).transpose()
}

/// Who sleeps in a room tonight, or is in it for the day, besides one.
pub(crate) async fn in_house_on(
    work: &mut Work<'_>,
    room: RoomId,
    but: ReservationId,
) -> Result<Option<RoomUseRow>, ApiError> {
    let (hotel, today) = (work.hotel().0, work.business_date);
    let row = sqlx::query_as!(
        Use,
        r#"SELECT u.room_use_id, u.room_id, lower(u.during) AS "first!", upper(u.during) AS "until!", u.kind,
                  u.reservation_id, u.reason
           FROM room_use AS u
           JOIN reservation AS r ON r.hotel_id = u.hotel_id AND r.reservation_id = u.reservation_id
           WHERE u.hotel_id = $1 AND u.room_id = $2 AND u.kind = 'stay' AND r.state = 'checked_in'
             AND u.reservation_id <> $3 AND u.during @> $4::date
           LIMIT 1"#,
        hotel,
        room.0,
        but.0,
        today,
    )
    .fetch_optional(work.conn())
    .await?;
    row.map(Use::into_row).transpose()
}

/// `room_taken`, with who is in the way and how long.
pub(crate) fn taken(blocker: &RoomUseRow) -> Problem {
    Problem::new(Code::RoomTaken).facts(serde_json::json!({
        "room_id": blocker.room_id,
        "blocker": {
            "kind": blocker.kind,
            "reservation_id": blocker.reservation_id,
            "room_use_id": blocker.id,
            "from": blocker.from,
            "until": blocker.until,
        },
    }))
}

/// Takes a use of a room away, whatever nights of it have passed.
pub(crate) async fn remove_use(work: &mut Work<'_>, id: RoomUseId) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    sqlx::query!(
        "DELETE FROM room_use WHERE hotel_id = $1 AND room_use_id = $2",
        hotel,
        id.0,
    )
    .execute(work.conn())
    .await?;
    work.changed(Change::RoomUseRemoved { id });
    Ok(())
}

/// Ends a use of a room on a day: shortened when nights of it have passed, removed when none has.
pub(crate) async fn end_use(
    work: &mut Work<'_>,
    row: &RoomUseRow,
    on: NaiveDate,
) -> Result<(), ApiError> {
    let hotel = work.hotel().0;
    if row.until <= on {
        return Ok(());
    }
    if row.from < on {
        sqlx::query!(
            "UPDATE room_use SET during = daterange(lower(during), $3)
             WHERE hotel_id = $1 AND room_use_id = $2",
            hotel,
            row.id.0,
            on,
        )
        .execute(work.conn())
        .await?;
        work.changed(Change::RoomUse {
            row: RoomUseRow {
                until: on,
                ..row.clone()
            },
        });
    } else {
        remove_use(work, row.id).await?;
    }
    Ok(())
}

/// Whether there is such a type and it is still sold.
pub(crate) async fn type_is_sold(
    conn: &mut PgConnection,
    hotel: HotelId,
    id: RoomTypeId,
) -> Result<bool, ApiError> {
    let found = sqlx::query_scalar!(
        "SELECT room_type_id FROM room_type
         WHERE hotel_id = $1 AND room_type_id = $2 AND active AND NOT house",
        hotel.0,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.is_some())
}
