//! What a desk's copy holds, kind by kind in the order of their keys.

use chrono::NaiveDate;
use protocol::event::Change;
use protocol::id::{HotelId, ReservationId, RoomId, RoomTypeId, RoomUseId, StaffId};
use protocol::row::{BookingRow, NightRow, RoomUseRow, StaffRow};
use sqlx::{PgConnection, PgPool, PgTransaction};
use uuid::Uuid;

use super::images::word;
use super::rates::StoredRate;
use super::{catalog, guests, images};
use crate::error::ApiError;

/// A kind of row. What others point to comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Hotel,
    Staff,
    RoomType,
    Room,
    Night,
    Rate,
    Guest,
    Booking,
    Reservation,
    RoomUse,
}

impl Kind {
    pub(crate) const FIRST: Self = Self::Hotel;
    const ALL: [(Self, &'static str); 10] = [
        (Self::Hotel, "hotel"),
        (Self::Staff, "staff"),
        (Self::RoomType, "room_type"),
        (Self::Room, "room"),
        (Self::Night, "night"),
        (Self::Rate, "rate"),
        (Self::Guest, "guest"),
        (Self::Booking, "booking"),
        (Self::Reservation, "reservation"),
        (Self::RoomUse, "room_use"),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, word)| word)
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        let (kind, _) = Self::ALL.iter().find(|(_, known)| *known == word)?;
        Some(*kind)
    }

    pub(crate) fn next(self) -> Option<Self> {
        let place = Self::ALL.iter().position(|(kind, _)| *kind == self)?;
        Self::ALL.get(place + 1).map(|(kind, _)| *kind)
    }
}

/// The key of the last row of a page. What a kind does not need is nil or the earliest date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct After {
    id: Uuid,
    second: Uuid,
    date: NaiveDate,
}

impl After {
    /// Before every key.
    const NOTHING: Self = Self {
        id: Uuid::nil(),
        second: Uuid::nil(),
        date: NaiveDate::from_ymd_opt(1, 1, 1).unwrap(),
    };

    fn id(id: Uuid) -> Self {
        Self {
            id,
            ..Self::NOTHING
        }
    }

    pub(crate) fn text(self) -> String {
        format!(
            "{}.{}.{}",
            self.id.simple(),
            self.second.simple(),
            self.date
        )
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let after = Self {
            id: Uuid::try_parse(parts.next()?).ok()?,
            second: Uuid::try_parse(parts.next()?).ok()?,
            // PostgreSQL knows dates that chrono does not, and the other way round.
            date: parts.next()?.parse().ok().filter(|date| {
                (Self::NOTHING.date..NaiveDate::from_ymd_opt(9999, 1, 1).unwrap_or_default())
                    .contains(date)
            })?,
        };
        parts.next().is_none().then_some(after)
    }
}

/// A transaction in which several statements see one moment.
pub(crate) async fn begin(reads: &PgPool) -> Result<PgTransaction<'static>, ApiError> {
    Ok(reads
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?)
}

/// How many rows all pages hold together at this moment.
pub(crate) async fn count(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
) -> Result<i64, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"WITH kept AS MATERIALIZED (
               SELECT reservation_id, booking_id, guest_id, further_guest_ids
               FROM reservation WHERE hotel_id = $1 AND check_out >= $2
           )
           SELECT (1
             + (SELECT count(*) FROM staff WHERE hotel_id = $1)
             + (SELECT count(*) FROM room_type WHERE hotel_id = $1 AND NOT house)
             + (SELECT count(*) FROM room WHERE hotel_id = $1)
             + (SELECT count(*) FROM room_night WHERE hotel_id = $1 AND stay_date >= $2)
             + (SELECT count(*) FROM rate WHERE hotel_id = $1 AND stay_date >= $2)
             + (SELECT count(*) FROM (
                    SELECT guest_id FROM kept WHERE guest_id IS NOT NULL
                    UNION SELECT unnest(further_guest_ids) FROM kept) AS g)
             + (SELECT count(DISTINCT booking_id) FROM kept)
             + (SELECT count(*) FROM kept)
             + (SELECT count(*) FROM room_use
                WHERE hotel_id = $1 AND upper(during) >= $2
                  AND (reservation_id IS NULL OR reservation_id IN (SELECT reservation_id FROM kept)))
           ) AS "rows!""#,
        hotel.0,
        since,
    )
    .fetch_one(conn)
    .await?)
}

/// The rows of one kind after a key, in order, with the key of each.
pub(crate) async fn page(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    kind: Kind,
    after: Option<After>,
    limit: usize,
) -> Result<Vec<(After, Change)>, ApiError> {
    // The house's id is nil: what comes first must not be skipped.
    let start = after.is_none();
    let after = after.unwrap_or(After::NOTHING);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    match kind {
        Kind::Hotel => {
            let row = catalog::hotel(conn, hotel).await?;
            Ok(row
                .into_iter()
                .filter(|_| start)
                .map(|row| (After::NOTHING, Change::Hotel { row }))
                .collect())
        }
        Kind::Staff => staff(conn, hotel, after, limit).await,
        Kind::RoomType => {
            let rows = catalog::room_types(conn, hotel).await?;
            Ok(rows
                .into_iter()
                .filter(|_| start)
                .map(|row| (After::id(row.id.0), Change::RoomType { row }))
                .collect())
        }
        Kind::Room => {
            let rows = catalog::rooms_after(conn, hotel, RoomId(after.id), limit).await?;
            Ok(rows
                .into_iter()
                .map(|row| (After::id(row.id.0), Change::Room { row }))
                .collect())
        }
        Kind::Night => nights(conn, hotel, since, start, after, limit).await,
        Kind::Rate => rates(conn, hotel, since, after, limit).await,
        Kind::Guest => guest_rows(conn, hotel, since, after, limit).await,
        Kind::Booking => bookings(conn, hotel, since, after, limit).await,
        Kind::Reservation => reservations(conn, hotel, since, after, limit).await,
        Kind::RoomUse => room_uses(conn, hotel, since, after, limit).await,
    }
}

async fn staff(
    conn: &mut PgConnection,
    hotel: HotelId,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    let rows = sqlx::query!(
        "SELECT staff_id, display_name, role, active FROM staff
         WHERE hotel_id = $1 AND staff_id > $2 ORDER BY staff_id LIMIT $3",
        hotel.0,
        after.id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let change = Change::Staff {
                row: StaffRow {
                    id: StaffId(row.staff_id),
                    display_name: row.display_name,
                    role: word(&row.role)?,
                    active: row.active,
                },
            };
            Ok((After::id(row.staff_id), change))
        })
        .collect()
}

async fn nights(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    start: bool,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    let rows = sqlx::query!(
        "SELECT room_type_id, stay_date, total, out_of_order, reserved, over_limit, overbook_pct, overbook_rooms
         FROM room_night
         WHERE hotel_id = $1 AND stay_date >= $2 AND ($3 OR (room_type_id, stay_date) > ($4, $5))
         ORDER BY room_type_id, stay_date LIMIT $6",
        hotel.0,
        since,
        start,
        after.id,
        after.date,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let key = After {
                date: row.stay_date,
                ..After::id(row.room_type_id)
            };
            let row = NightRow {
                room_type_id: RoomTypeId(row.room_type_id),
                stay_date: row.stay_date,
                total: row.total,
                out_of_order: row.out_of_order,
                reserved: row.reserved,
                over_limit: row.over_limit,
                overbook_pct: row.overbook_pct,
                overbook_rooms: row.overbook_rooms,
            };
            (key, Change::Night { row })
        })
        .collect())
}

async fn rates(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    let rows = sqlx::query_as!(
        StoredRate,
        "SELECT rate_plan_id, room_type_id, stay_date, price, min_stay, max_stay, closed_to_arrival,
                closed_to_departure, stop_sell
         FROM rate
         WHERE hotel_id = $1 AND stay_date >= $2 AND (rate_plan_id, room_type_id, stay_date) > ($3, $4, $5)
         ORDER BY rate_plan_id, room_type_id, stay_date LIMIT $6",
        hotel.0,
        since,
        after.id,
        after.second,
        after.date,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let key = After {
                id: row.rate_plan_id,
                second: row.room_type_id,
                date: row.stay_date,
            };
            let row = row.into_row();
            (key, Change::Rate { row })
        })
        .collect())
}

async fn guest_rows(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT id AS "id!" FROM (
               (SELECT DISTINCT guest_id AS id FROM reservation
                WHERE hotel_id = $1 AND check_out >= $2 AND guest_id > $3
                ORDER BY guest_id LIMIT $4)
               UNION
               SELECT id FROM reservation, unnest(further_guest_ids) AS id
               WHERE hotel_id = $1 AND check_out >= $2 AND further_guest_ids <> '{}' AND id > $3
           ) AS g
           ORDER BY id LIMIT $4"#,
        hotel.0,
        since,
        after.id,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut rows = guests::rows(conn, hotel, &ids).await?;
    rows.sort_by_key(|row| row.id);
    Ok(rows
        .into_iter()
        .map(|row| (After::id(row.id.0), Change::Guest { row }))
        .collect())
}

async fn bookings(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    // An array and not a join: the planner would read the whole table for each page.
    let rows = sqlx::query!(
        "SELECT booking_id, number, channel, external_id, created_at FROM booking
         WHERE hotel_id = $1 AND booking_id = ANY (ARRAY (
             SELECT DISTINCT booking_id FROM reservation
             WHERE hotel_id = $1 AND check_out >= $2 AND booking_id > $3
             ORDER BY booking_id LIMIT $4))
         ORDER BY booking_id",
        hotel.0,
        since,
        after.id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let change = Change::Booking {
                row: BookingRow {
                    id: row.booking_id.into(),
                    number: row.number,
                    channel: word(&row.channel)?,
                    external_id: row.external_id,
                    created_at: row.created_at,
                },
            };
            Ok((After::id(row.booking_id), change))
        })
        .collect()
}

async fn reservations(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND check_out >= $2 AND reservation_id > $3
         ORDER BY reservation_id LIMIT $4",
        hotel.0,
        since,
        after.id,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let ids: Vec<ReservationId> = ids.into_iter().map(ReservationId).collect();
    let rows = images::reservations(conn, hotel, &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            (
                After::id(row.id.0),
                Change::Reservation { row: Box::new(row) },
            )
        })
        .collect())
}

async fn room_uses(
    conn: &mut PgConnection,
    hotel: HotelId,
    since: NaiveDate,
    after: After,
    limit: i64,
) -> Result<Vec<(After, Change)>, ApiError> {
    // A value and not EXISTS, which would be answered by reading every reservation for each page.
    let rows = sqlx::query!(
        r#"SELECT room_use_id, room_id, lower(during) AS "from!", upper(during) AS "until!", kind,
                  reservation_id, reason
           FROM room_use
           WHERE hotel_id = $1 AND upper(during) >= $2 AND room_use_id > $3
             AND (reservation_id IS NULL OR (
                  SELECT check_out >= $2 FROM reservation
                  WHERE reservation.hotel_id = room_use.hotel_id
                    AND reservation.reservation_id = room_use.reservation_id))
           ORDER BY room_use_id LIMIT $4"#,
        hotel.0,
        since,
        after.id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let change = Change::RoomUse {
                row: RoomUseRow {
                    id: RoomUseId(row.room_use_id),
                    room_id: RoomId(row.room_id),
                    from: row.from,
                    until: row.until,
                    kind: word(&row.kind)?,
                    reservation_id: row.reservation_id.map(ReservationId),
                    reason: row.reason,
                },
            };
            Ok((After::id(row.room_use_id), change))
        })
        .collect()
}
