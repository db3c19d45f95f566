//! What a night came to at the authority, asked of its tables and not of the player's own books.

use std::collections::BTreeMap;

use anyhow::Result;
use chrono::NaiveDate;
use protocol::id::{HotelId, RoomTypeId};
use sqlx::{PgConnection, Row};

use super::file::Expected;

/// Rooms in house by type: the type in whose count the night stands.
const IN_HOUSE: &str = "
    SELECT t.code, count(*) AS rooms
    FROM reservation r
    JOIN reservation_night n ON n.hotel_id = r.hotel_id AND n.reservation_id = r.reservation_id
    JOIN room_type t ON t.hotel_id = n.hotel_id AND t.room_type_id = n.room_type_id
    WHERE r.hotel_id = $1 AND r.state = 'checked_in' AND n.stay_date = $2 AND n.counted
    GROUP BY t.code";

/// Rooms counted for the house.
const ON_BOOKS: &str = "
    SELECT reserved FROM room_night
    WHERE hotel_id = $1 AND room_type_id = $2 AND stay_date = $3";

/// What the night came to.
pub async fn night(conn: &mut PgConnection, hotel: HotelId, night: NaiveDate) -> Result<Expected> {
    let rows = sqlx::query(IN_HOUSE)
        .bind(hotel.0)
        .bind(night)
        .fetch_all(&mut *conn)
        .await?;
    let by_type = rows
        .into_iter()
        .map(|row| Ok((row.try_get("code")?, row.try_get("rooms")?)))
        .collect::<Result<BTreeMap<String, i64>>>()?;
    let on_books: Option<i32> = sqlx::query_scalar(ON_BOOKS)
        .bind(hotel.0)
        .bind(RoomTypeId::HOUSE.0)
        .bind(night)
        .fetch_optional(conn)
        .await?;
    Ok(Expected {
        in_house: by_type.values().sum(),
        on_books: i64::from(on_books.unwrap_or(0)),
        by_type,
    })
}

/// How a night differs from what it should come to, a line for each figure.
pub fn differences(night: NaiveDate, expected: &Expected, found: &Expected) -> Vec<String> {
    let mut lines = Vec::new();
    let mut compare = |what: &str, expected: i64, found: i64| {
        if expected != found {
            lines.push(format!("{night} {what}: {found}, should be {expected}"));
        }
    };
    compare("in house", expected.in_house, found.in_house);
    compare("on the books", expected.on_books, found.on_books);
    let types: std::collections::BTreeSet<&String> = expected
        .by_type
        .keys()
        .chain(found.by_type.keys())
        .collect();
    for kind in types {
        let rooms = |side: &Expected| side.by_type.get(kind).copied().unwrap_or(0);
        compare(
            &format!("in house of {kind}"),
            rooms(expected),
            rooms(found),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_that_differs_is_a_line() {
        let night = "2016-01-01".parse().unwrap();
        let expected = Expected {
            in_house: 3,
            on_books: 3,
            by_type: [("A".to_owned(), 2), ("B".to_owned(), 1)].into(),
        };
        assert!(differences(night, &expected, &expected).is_empty());
        let found = Expected {
            in_house: 3,
            on_books: 4,
            by_type: [("A".to_owned(), 3)].into(),
        };
        assert_eq!(
            differences(night, &expected, &found),
            [
                "2016-01-01 on the books: 4, should be 3",
                "2016-01-01 in house of A: 3, should be 2",
                "2016-01-01 in house of B: 0, should be 1",
            ]
        );
    }
}
