//! What could be sold, from the copy; the server decides.

use std::collections::HashMap;

use chrono::NaiveDate;
use protocol::id::RoomTypeId;
use protocol::nights::{Nights, NotAStay};
use protocol::row::{NightRow, RateRow};
use rusqlite::Connection;

use super::schema::{QuoteAnswer, QuoteNight, QuoteRequest, QuoteType, Restriction};
use super::{RpcResult, hotel_of, invalid, reading};
use crate::desk::Desk;
use crate::store::{night, rate, room_type};

/// `quote.get`.
pub(super) async fn get(desk: &Desk, request: QuoteRequest) -> RpcResult<QuoteAnswer> {
    let stay = Nights::new(request.check_in, request.check_out).map_err(|fault| {
        let pointer = match fault {
            NotAStay::NotAfter | NotAStay::TooLong => "/check_out",
        };
        invalid(pointer, &fault.to_string())
    })?;
    reading(desk, move |db| quote(db, stay)).await
}

fn quote(db: &Connection, stay: Nights) -> RpcResult<QuoteAnswer> {
    let hotel = hotel_of(db)?;
    let counters: HashMap<(RoomTypeId, NaiveDate), NightRow> =
        night::between(db, stay.check_in(), stay.check_out())?
            .into_iter()
            .map(|row| ((row.room_type_id, row.stay_date), row))
            .collect();
    let rates: HashMap<(RoomTypeId, NaiveDate), RateRow> =
        rate::of_stay(db, stay.check_in(), stay.check_out())?
            .into_iter()
            .map(|row| ((row.room_type_id, row.stay_date), row))
            .collect();
    let mut types = Vec::new();
    for room_type in room_type::sold(db)?.into_iter().filter(|row| row.active) {
        let id = room_type.id;
        let nights: Vec<QuoteNight> = stay
            .iter()
            .map(|date| {
                // A night that is not open has nothing left.
                let own = counters.get(&(id, date)).map_or(0, NightRow::left);
                let house = counters
                    .get(&(RoomTypeId::HOUSE, date))
                    .map_or(i64::MAX, NightRow::left);
                QuoteNight {
                    stay_date: date,
                    left: own.min(house).max(0),
                    price: rates.get(&(id, date)).map(|rate| rate.price),
                }
            })
            .collect();
        let tightest = nights.iter().min_by_key(|night| night.left);
        types.push(QuoteType {
            left: tightest.map_or(0, |night| night.left),
            limit: tightest
                .and_then(|night| counters.get(&(id, night.stay_date)))
                .map_or(0, NightRow::limit),
            total: nights.iter().map(|night| night.price).sum(),
            restrictions: restrictions(stay, |date| rates.get(&(id, date))),
            nights,
            room_type,
        });
    }
    Ok(QuoteAnswer {
        currency: hotel.currency,
        types,
    })
}

/// The rules that forbid this stay: of the night of arrival, of each night, of the day of departure.
fn restrictions<'a>(
    stay: Nights,
    rate: impl Fn(NaiveDate) -> Option<&'a RateRow>,
) -> Vec<Restriction> {
    let word = |rule: &str, nights: Option<i32>| Restriction {
        rule: rule.to_owned(),
        nights,
    };
    let count = stay.count();
    let mut found = Vec::new();
    if let Some(arrival) = rate(stay.check_in()) {
        if let Some(least) = arrival.min_stay.filter(|least| count < i64::from(*least)) {
            found.push(word("min_stay", Some(least)));
        }
        if let Some(most) = arrival.max_stay.filter(|most| count > i64::from(*most)) {
            found.push(word("max_stay", Some(most)));
        }
        if arrival.closed_to_arrival {
            found.push(word("closed_to_arrival", None));
        }
    }
    if rate(stay.check_out()).is_some_and(|rate| rate.closed_to_departure) {
        found.push(word("closed_to_departure", None));
    }
    if stay
        .iter()
        .any(|date| rate(date).is_some_and(|rate| rate.stop_sell))
    {
        found.push(word("stop_sell", None));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::id::RatePlanId;
    use uuid::Uuid;

    fn rate(date: &str) -> RateRow {
        RateRow {
            rate_plan_id: RatePlanId(Uuid::nil()),
            room_type_id: RoomTypeId(Uuid::from_u128(1)),
            stay_date: date.parse().unwrap(),
            price: 10_000,
            min_stay: None,
            max_stay: None,
            closed_to_arrival: false,
            closed_to_departure: false,
            stop_sell: false,
        }
    }

    #[test]
    fn rules_look_at_arrival_each_night_and_departure() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let stay = Nights::new(date("2028-02-28"), date("2028-03-01")).unwrap();
        let arrival = RateRow {
            min_stay: Some(3),
            closed_to_arrival: true,
            ..rate("2028-02-28")
        };
        let leap_day = RateRow {
            stop_sell: true,
            min_stay: Some(9),
            closed_to_departure: true,
            ..rate("2028-02-29")
        };
        let departure = RateRow {
            closed_to_departure: true,
            stop_sell: true,
            ..rate("2028-03-01")
        };
        let rates = [arrival, leap_day, departure];
        let found = restrictions(stay, |date| {
            rates.iter().find(|rate| rate.stay_date == date)
        });
        let words: Vec<_> = found
            .iter()
            .map(|rule| (rule.rule.as_str(), rule.nights))
            .collect();
        assert_eq!(
            words,
            [
                ("min_stay", Some(3)),
                ("closed_to_arrival", None),
                ("closed_to_departure", None),
                ("stop_sell", None)
            ]
        );
        assert!(restrictions(stay, |_| None).is_empty());
    }
}
