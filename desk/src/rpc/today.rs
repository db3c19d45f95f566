//! The lists of the open day.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeZone as _, Utc};
use chrono_tz::Tz;
use protocol::row::HotelRow;
use rusqlite::Connection;

use super::lines::{Lines, room_order};
use super::schema::{Empty, StayLine, Today};
use super::{RpcResult, hotel_of, reading};
use crate::desk::Desk;

/// `today.get`.
pub(super) async fn get(desk: &Desk, _request: Empty) -> RpcResult<Today> {
    reading(desk, today).await
}

pub(super) fn today(db: &Connection) -> RpcResult<Today> {
    let hotel = hotel_of(db)?;
    let day = hotel.business_date;
    let lines = Lines::new(db, day)?;
    // Who has not come yet may still come until the day of departure (B22).
    let mut due_in = lines.select(
        "WHERE r.live = 1 AND r.state = 'confirmed' AND r.check_in <= ?1 AND r.check_out >= ?1",
        [day],
    )?;
    due_in.sort_by_cached_key(|line| {
        (
            line.check_in,
            line.expected_time.unwrap_or(NaiveTime::MIN),
            line.guest_name.to_lowercase(),
            line.id,
        )
    });
    let mut in_house = lines.select("WHERE r.state = 'checked_in'", [])?;
    in_house.sort_by_cached_key(by_room);
    let due_out: Vec<StayLine> = in_house
        .iter()
        .filter(|line| line.check_out <= day)
        .cloned()
        .collect();
    let unassigned: Vec<StayLine> = due_in
        .iter()
        .filter(|line| line.room_id.is_none())
        .cloned()
        .collect();
    let mut on_hold = lines.select("WHERE r.state = 'held'", [])?;
    on_hold.sort_by_key(|line| (line.hold_expires_at, line.id));
    // Whoever leaves early leaves on the day itself: the server ends the stay there.
    let mut departed = lines.select("WHERE r.state = 'checked_out' AND r.check_out = ?1", [day])?;
    departed.sort_by_cached_key(by_room);
    Ok(Today {
        business_date: day,
        due_in,
        in_house,
        due_out,
        unassigned,
        on_hold,
        departed,
    })
}

fn by_room(line: &StayLine) -> ((u64, String), String) {
    let number = line.room_number.as_deref().unwrap_or_default();
    (room_order(number), line.guest_name.to_lowercase())
}

/// The instant of an hour of the hotel's clock. Where clocks leap over it (midnight in Cairo and
/// Santiago, once a year), the instant at which they land (B20).
pub(super) fn instant(hotel: &HotelRow, day: NaiveDate, time: NaiveTime) -> DateTime<Utc> {
    let zone: Tz = hotel.time_zone.parse().unwrap_or(Tz::UTC);
    let local = day.and_time(time);
    for hours in 0..4 {
        let later = local + chrono::TimeDelta::hours(hours);
        if let Some(found) = zone.from_local_datetime(&later).earliest() {
            return found.with_timezone(&Utc);
        }
    }
    local.and_utc()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::id::HotelId;
    use uuid::Uuid;

    #[test]
    fn b20_a_day_without_a_midnight_begins_all_the_same() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let hotel = |zone: &str| HotelRow {
            id: HotelId(Uuid::nil()),
            name: String::new(),
            slug: String::new(),
            time_zone: zone.to_owned(),
            currency: "EUR".to_owned(),
            business_date: date("2027-01-01"),
            check_in_time: NaiveTime::MIN,
            check_out_time: NaiveTime::MIN,
            release_time: NaiveTime::MIN,
            hold_minutes: 10,
            hold_minutes_max: 60,
            window_days: 500,
            auto_release: false,
            no_show_nights: protocol::state::NoShowNights::Release,
        };
        let begins =
            |zone: &str, day: &str| instant(&hotel(zone), date(day), NaiveTime::MIN).to_rfc3339();
        assert_eq!(
            begins("Europe/Madrid", "2027-10-31"),
            "2027-10-30T22:00:00+00:00"
        );
        assert_eq!(
            begins("Europe/Madrid", "2027-03-28"),
            "2027-03-27T23:00:00+00:00"
        );
        assert_eq!(
            begins("America/Santiago", "2027-09-05"),
            "2027-09-05T04:00:00+00:00"
        );
        assert_eq!(
            begins("Africa/Cairo", "2027-04-30"),
            "2027-04-29T22:00:00+00:00"
        );
        assert_eq!(
            begins("No/Where", "2027-04-30"),
            "2027-04-30T00:00:00+00:00"
        );
    }
}
