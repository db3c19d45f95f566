//! Recounting what must always be true from the tables. Each query answers differences and nothing
//! when all is well; they read one snapshot and lock nothing.

use chrono::NaiveDate;
use protocol::event::Change;
use protocol::id::{HotelId, ReservationId, RoomId, RoomTypeId, RoomUseId};
use protocol::row::{NightRow, ReservationRow, RoomUseRow};
use sqlx::{PgConnection, PgTransaction};

use crate::db::{Db, images};
use crate::error::ApiError;

/// One snapshot for everything that is compared.
pub(crate) async fn snapshot(db: &Db) -> Result<PgTransaction<'static>, ApiError> {
    let mut tx = db.reads.begin().await?;
    sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(&mut *tx)
        .await?;
    Ok(tx)
}

/// Every hotel with its short name.
pub(crate) async fn hotels(conn: &mut PgConnection) -> Result<Vec<(HotelId, String)>, ApiError> {
    let rows = sqlx::query!("SELECT hotel_id, slug FROM hotel ORDER BY slug, hotel_id")
        .fetch_all(conn)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| (HotelId(row.hotel_id), row.slug))
        .collect())
}

/// N1: nothing above the limit but what `over_limit` says, and that no more than it must.
pub(crate) async fn ceiling(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT format('%s of %s: %s reserved, limit %s, over the limit %s instead of %s',
                         n.stay_date, t.code, n.reserved, l.most, n.over_limit,
                         greatest(0, n.reserved - l.most)) AS "what!"
           FROM room_night AS n
           JOIN room_type AS t ON t.hotel_id = n.hotel_id AND t.room_type_id = n.room_type_id
           CROSS JOIN LATERAL (SELECT greatest(0, (n.total - n.out_of_order)::bigint
               * (100 + n.overbook_pct) / 100 + n.overbook_rooms) AS most) AS l
           WHERE n.hotel_id = $1 AND n.over_limit <> greatest(0, n.reserved - l.most)
           ORDER BY n.stay_date, t.sort"#,
        hotel.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N2: `reserved` of a type is what its counted nights and offline stock say.
pub(crate) async fn reserved(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"WITH counted AS (
               SELECT d.room_type_id, d.stay_date, sum(d.rooms)::bigint AS rooms
               FROM (SELECT r.room_type_id, r.stay_date, 1 AS rooms FROM reservation_night AS r
                     WHERE r.hotel_id = $1 AND r.counted
                     UNION ALL
                     SELECT s.room_type_id, s.stay_date, s.rooms FROM offline_stock AS s
                     WHERE s.hotel_id = $1) AS d
               GROUP BY d.room_type_id, d.stay_date
           ), counter AS (
               SELECT n.room_type_id, n.stay_date, n.reserved FROM room_night AS n
               WHERE n.hotel_id = $1 AND n.room_type_id <> $2
           )
           SELECT format('%s of %s: %s reserved, %s counted', stay_date, t.code,
                         coalesce(n.reserved::text, 'no counter with anything'), coalesce(c.rooms, 0)) AS "what!"
           FROM counter AS n
           FULL JOIN counted AS c USING (room_type_id, stay_date)
           LEFT JOIN room_type AS t ON t.hotel_id = $1 AND t.room_type_id = coalesce(n.room_type_id, c.room_type_id)
           WHERE n.reserved IS DISTINCT FROM coalesce(c.rooms, 0)
           ORDER BY stay_date, t.sort"#,
        hotel.0,
        RoomTypeId::HOUSE.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N2: the house is the sum of its types, of what is sold in every night, of rooms where it is not
/// capped below them; and it is open when they are.
pub(crate) async fn house(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"WITH types AS (
               SELECT n.stay_date, sum(n.reserved)::bigint AS reserved, sum(n.total)::bigint AS total,
                      sum(n.out_of_order)::bigint AS out_of_order
               FROM room_night AS n WHERE n.hotel_id = $1 AND n.room_type_id <> $2
               GROUP BY n.stay_date
           ), house AS (
               SELECT n.stay_date, n.reserved, n.total, n.out_of_order
               FROM room_night AS n WHERE n.hotel_id = $1 AND n.room_type_id = $2
           )
           SELECT format('%s of the house: reserved %s total %s out of order %s; its types: %s, %s, %s',
                         stay_date, h.reserved, h.total, h.out_of_order,
                         t.reserved, t.total, t.out_of_order) AS "what!"
           FROM house AS h FULL JOIN types AS t USING (stay_date)
           JOIN hotel_head AS k ON k.hotel_id = $1
           WHERE h.reserved IS DISTINCT FROM coalesce(t.reserved, 0)
              OR t.stay_date IS NULL
              OR stay_date >= k.business_date
                 AND (h.total > t.total OR h.out_of_order <> least(h.total, t.out_of_order))
           ORDER BY stay_date"#,
        hotel.0,
        RoomTypeId::HOUSE.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N2: from the open day on, `total` is the type's active rooms and `out_of_order` those of them that
/// are out of order.
pub(crate) async fn rooms(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"WITH active AS (
               SELECT r.room_type_id, count(*) AS rooms FROM room AS r
               WHERE r.hotel_id = $1 AND r.active GROUP BY r.room_type_id
           ), broken AS (
               SELECT r.room_type_id, d.night::date AS stay_date, count(*) AS rooms
               FROM room_use AS u
               JOIN room AS r ON r.hotel_id = u.hotel_id AND r.room_id = u.room_id AND r.active
               CROSS JOIN LATERAL generate_series(lower(u.during)::timestamp,
                   upper(u.during) - interval '1 day', interval '1 day') AS d (night)
               WHERE u.hotel_id = $1 AND u.kind = 'out_of_order'
               GROUP BY r.room_type_id, d.night
           )
           SELECT format('%s of %s: %s rooms and %s out of order; there are %s and %s', n.stay_date, t.code,
                         n.total, n.out_of_order, coalesce(a.rooms, 0), coalesce(b.rooms, 0)) AS "what!"
           FROM room_night AS n
           JOIN hotel_head AS k ON k.hotel_id = n.hotel_id
           JOIN room_type AS t ON t.hotel_id = n.hotel_id AND t.room_type_id = n.room_type_id
           LEFT JOIN active AS a ON a.room_type_id = n.room_type_id
           LEFT JOIN broken AS b ON b.room_type_id = n.room_type_id AND b.stay_date = n.stay_date
           WHERE n.hotel_id = $1 AND n.room_type_id <> $2 AND n.stay_date >= k.business_date
             AND (n.total <> coalesce(a.rooms, 0) OR n.out_of_order <> coalesce(b.rooms, 0))
           ORDER BY n.stay_date, t.sort"#,
        hotel.0,
        RoomTypeId::HOUSE.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N3, N6: a reservation's state, dates and nights agree. One that holds nights counts each night of
/// its stay; one that has ended counts those that were slept, or the kept night of a no-show.
pub(crate) async fn nights(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"WITH own AS (
               SELECT r.reservation_id, r.state, r.check_in, r.check_out,
                      count(n.stay_date) FILTER (WHERE n.counted) AS counted,
                      count(n.stay_date) FILTER (WHERE n.shared AND n.stay_date >= r.check_in
                          AND n.stay_date < r.check_out) AS shared,
                      count(n.stay_date) FILTER (WHERE n.counted AND n.stay_date >= r.check_in
                          AND n.stay_date < r.check_out) AS inside,
                      count(n.stay_date) FILTER (WHERE n.stay_date >= r.check_in
                          AND n.stay_date < r.check_out) AS known,
                      count(n.stay_date) FILTER (WHERE NOT n.counted AND (n.over_type OR n.over_house)) AS over
               FROM reservation AS r
               LEFT JOIN reservation_night AS n
                 ON n.hotel_id = r.hotel_id AND n.reservation_id = r.reservation_id
               WHERE r.hotel_id = $1
               GROUP BY r.reservation_id, r.state, r.check_in, r.check_out
           )
           SELECT format('reservation %s, %s, %s to %s: %s nights counted, %s of them in its stay, %s nights known',
                         o.reservation_id, o.state, o.check_in, o.check_out, o.counted, o.inside, o.known) AS "what!"
           FROM own AS o
           WHERE o.known <> o.check_out - o.check_in
              OR o.counted <> o.inside
              OR o.over > 0
              OR CASE
                   WHEN o.state IN ('held', 'confirmed', 'checked_in', 'checked_out')
                     THEN o.counted + o.shared <> o.check_out - o.check_in
                   -- The night of arrival that is kept, and later ones that wait for a person.
                   WHEN o.state = 'no_show' THEN false
                   ELSE o.counted > 0
                 END
           ORDER BY o.reservation_id"#,
        hotel.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N2: who shares a room is counted by the one whose room it is, on every night ahead.
pub(crate) async fn shares(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT format('reservation %s, %s, shares %s of %s, which counts nothing then', r.reservation_id,
                         r.state, n.stay_date, r.share_of) AS "what!"
           FROM reservation AS r
           JOIN hotel_head AS k ON k.hotel_id = r.hotel_id
           JOIN reservation_night AS n
             ON n.hotel_id = r.hotel_id AND n.reservation_id = r.reservation_id AND n.shared
            AND n.stay_date >= k.business_date AND n.stay_date >= r.check_in AND n.stay_date < r.check_out
           WHERE r.hotel_id = $1 AND r.state IN ('confirmed', 'checked_in')
             AND NOT EXISTS (
                 SELECT FROM reservation_night AS m
                 JOIN reservation AS o ON o.hotel_id = m.hotel_id AND o.reservation_id = m.reservation_id
                 WHERE m.hotel_id = r.hotel_id AND m.reservation_id = r.share_of
                   AND m.stay_date = n.stay_date AND m.counted AND o.share_of IS NULL
                   AND o.state IN ('confirmed', 'checked_in'))
           ORDER BY r.reservation_id, n.stay_date"#,
        hotel.0,
    )
    .fetch_all(conn)
    .await?)
}

/// N11: no two in one room, nobody in two rooms, and only who is expected, here or gone has had one,
/// of the type in which the night is counted.
pub(crate) async fn room_uses(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<String>, ApiError> {
    // Each use against the longest before it, and not each against each: rooms are in use for years.
    let mut found = sqlx::query_scalar!(
        r#"SELECT format('room %s has %s %s %s though it is in use until %s', m.number, u.kind,
                         u.room_use_id, u.during, u.busy) AS "what!"
           FROM (SELECT a.hotel_id, a.room_id, a.kind, a.room_use_id, a.during,
                        max(upper(a.during)) OVER (PARTITION BY a.room_id ORDER BY a.during, a.room_use_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy
                 FROM room_use AS a
                 WHERE a.hotel_id = $1 AND a.kind IN ('stay', 'out_of_order')) AS u
           JOIN room AS m ON m.hotel_id = u.hotel_id AND m.room_id = u.room_id
           WHERE lower(u.during) < u.busy
           ORDER BY m.number, u.during"#,
        hotel.0,
    )
    .fetch_all(&mut *conn)
    .await?;
    found.extend(
        sqlx::query_scalar!(
            r#"SELECT format('reservation %s has room %s %s and another one until %s', u.reservation_id,
                             m.number, u.during, u.busy) AS "what!"
               FROM (SELECT a.hotel_id, a.room_id, a.reservation_id, a.during,
                            max(upper(a.during)) OVER (PARTITION BY a.reservation_id
                                ORDER BY a.during, a.room_use_id
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy
                     FROM room_use AS a
                     WHERE a.hotel_id = $1 AND a.reservation_id IS NOT NULL) AS u
               JOIN room AS m ON m.hotel_id = u.hotel_id AND m.room_id = u.room_id
               WHERE lower(u.during) < u.busy
               ORDER BY u.reservation_id, u.during"#,
            hotel.0,
        )
        .fetch_all(&mut *conn)
        .await?,
    );
    found.extend(
        sqlx::query_scalar!(
            r#"SELECT format('room %s is in use %s by reservation %s, %s, %s to %s', m.number, u.during,
                             r.reservation_id, r.state, r.check_in, r.check_out) AS "what!"
               FROM room_use AS u
               JOIN reservation AS r ON r.hotel_id = u.hotel_id AND r.reservation_id = u.reservation_id
               JOIN room AS m ON m.hotel_id = u.hotel_id AND m.room_id = u.room_id
               WHERE u.hotel_id = $1 AND (
                     r.state NOT IN ('confirmed', 'checked_in', 'checked_out')
                  OR lower(u.during) < r.check_in
                  OR upper(u.during) > r.check_out
                     + CASE WHEN r.day_use AND r.state <> 'checked_out' THEN 1 ELSE 0 END
                  OR r.state = 'confirmed' AND NOT EXISTS (
                         SELECT FROM room_use AS l WHERE l.hotel_id = u.hotel_id
                            AND l.reservation_id = u.reservation_id
                            AND upper(l.during) >= r.check_out))
               ORDER BY m.number"#,
            hotel.0,
        )
        .fetch_all(&mut *conn)
        .await?,
    );
    found.extend(
        sqlx::query_scalar!(
            r#"SELECT format('reservation %s is counted in %s on %s and has room %s of another type',
                             n.reservation_id, t.code, n.stay_date, m.number) AS "what!"
               FROM room_use AS u
               JOIN room AS m ON m.hotel_id = u.hotel_id AND m.room_id = u.room_id
               JOIN hotel_head AS k ON k.hotel_id = u.hotel_id
               JOIN reservation_night AS n
                 ON n.hotel_id = u.hotel_id AND n.reservation_id = u.reservation_id AND n.counted
                AND n.stay_date >= k.business_date AND u.during @> n.stay_date
               JOIN room_type AS t ON t.hotel_id = n.hotel_id AND t.room_type_id = n.room_type_id
               WHERE u.hotel_id = $1 AND m.room_type_id <> n.room_type_id
               ORDER BY n.reservation_id, n.stay_date"#,
            hotel.0,
        )
        .fetch_all(conn)
        .await?,
    );
    Ok(found)
}

/// N9: the log has no gap from its oldest event on, and the hotel's head is its newest.
pub(crate) async fn log(conn: &mut PgConnection, hotel: HotelId) -> Result<Vec<String>, ApiError> {
    Ok(sqlx::query_scalar!(
        r#"SELECT format('the log has %s events from %s to %s and ends with %s; the head is %s with %s',
                         l.events, l.first, l.newest, l.newest_id, h.seq, h.last_event_id) AS "what!"
           FROM hotel_head AS h
           LEFT JOIN LATERAL (
               SELECT count(*) AS events, count(DISTINCT e.seq) AS numbers, min(e.seq) AS first,
                      max(e.seq) AS newest, (array_agg(e.event_id ORDER BY e.seq DESC))[1] AS newest_id
               FROM event AS e WHERE e.hotel_id = h.hotel_id
           ) AS l ON true
           WHERE h.hotel_id = $1 AND (
                 l.events = 0 AND h.seq <> 0
              OR l.events > 0 AND (l.events <> l.newest - l.first + 1 OR l.numbers <> l.events
                                   OR l.newest <> h.seq OR l.newest_id IS DISTINCT FROM h.last_event_id))"#,
        hotel.0,
    )
    .fetch_all(conn)
    .await?)
}

/// A stored answer.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Whose key.
    pub(crate) actor: uuid::Uuid,
    /// The key.
    pub(crate) key: String,
    /// SHA-256.
    pub(crate) request_hash: Vec<u8>,
    /// HTTP status.
    pub(crate) status: i32,
    /// JSON.
    pub(crate) answer: String,
}

/// Stored answers, a page after `(actor, key)`.
pub(crate) async fn stored_answers(
    conn: &mut PgConnection,
    hotel: HotelId,
    after: &(uuid::Uuid, String),
    limit: i64,
) -> Result<Vec<Stored>, ApiError> {
    Ok(sqlx::query_as!(
        Stored,
        "SELECT actor, key, request_hash, status, answer FROM idempotency_key
         WHERE hotel_id = $1 AND (actor, key) > ($2, $3) ORDER BY actor, key LIMIT $4",
        hotel.0,
        after.0,
        after.1,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// An event as it is stored.
#[derive(Debug)]
pub(crate) struct StoredEvent {
    /// Its number.
    pub(crate) seq: i64,
    /// Who.
    pub(crate) actor: uuid::Uuid,
    /// Its changes, JSON as text.
    pub(crate) changes: String,
}

/// A page of the log after a number.
pub(crate) async fn stored_events(
    conn: &mut PgConnection,
    hotel: HotelId,
    after: i64,
    limit: i64,
) -> Result<Vec<StoredEvent>, ApiError> {
    Ok(sqlx::query_as!(
        StoredEvent,
        "SELECT seq, actor, changes FROM event WHERE hotel_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        hotel.0,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Every counter as it stands.
pub(crate) async fn counters(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<NightRow>, ApiError> {
    let rows = sqlx::query!(
        "SELECT room_type_id, stay_date, total, out_of_order, reserved, over_limit, overbook_pct,
                overbook_rooms
         FROM room_night WHERE hotel_id = $1",
        hotel.0,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| NightRow {
            room_type_id: RoomTypeId(row.room_type_id),
            stay_date: row.stay_date,
            total: row.total,
            out_of_order: row.out_of_order,
            reserved: row.reserved,
            over_limit: row.over_limit,
            overbook_pct: row.overbook_pct,
            overbook_rooms: row.overbook_rooms,
        })
        .collect())
}

/// Every use of a room as it stands.
pub(crate) async fn uses(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Vec<RoomUseRow>, ApiError> {
    let rows = sqlx::query!(
        r#"SELECT room_use_id, room_id, lower(during) AS "from!", upper(during) AS "until!", kind,
                  reservation_id, reason
           FROM room_use WHERE hotel_id = $1"#,
        hotel.0,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(RoomUseRow {
                id: RoomUseId(row.room_use_id),
                room_id: RoomId(row.room_id),
                from: row.from,
                until: row.until,
                kind: images::word(&row.kind)?,
                reservation_id: row.reservation_id.map(ReservationId),
                reason: row.reason,
            })
        })
        .collect()
}

/// A page of reservations as they stand, after an id.
pub(crate) async fn reservations(
    conn: &mut PgConnection,
    hotel: HotelId,
    after: ReservationId,
    limit: i64,
) -> Result<Vec<ReservationRow>, ApiError> {
    let ids = sqlx::query_scalar!(
        "SELECT reservation_id FROM reservation
         WHERE hotel_id = $1 AND reservation_id > $2 ORDER BY reservation_id LIMIT $3",
        hotel.0,
        after.0,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let ids: Vec<ReservationId> = ids.into_iter().map(ReservationId).collect();
    images::reservations(conn, hotel, &ids).await
}

/// The open day.
pub(crate) async fn business_date(
    conn: &mut PgConnection,
    hotel: HotelId,
) -> Result<Option<NaiveDate>, ApiError> {
    Ok(sqlx::query_scalar!(
        "SELECT business_date FROM hotel_head WHERE hotel_id = $1",
        hotel.0,
    )
    .fetch_optional(conn)
    .await?)
}

/// The image of a reservation as it should stand in the log.
pub(crate) fn image(mut row: ReservationRow) -> Change {
    row.notes.clear();
    Change::Reservation { row: Box::new(row) }
}
