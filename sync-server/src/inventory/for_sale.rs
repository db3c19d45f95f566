//! From counters and rates to what may still be sold, in plain numbers.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use protocol::id::RoomTypeId;
use protocol::nights::{Nights, dates};
use protocol::request::{NightLeft, TypeLeft};

use crate::db::availability::OpenNight;

/// Counters and rates by type and night.
#[derive(Debug)]
pub(crate) struct ForSale(BTreeMap<(RoomTypeId, NaiveDate), OpenNight>);

impl ForSale {
    /// From what was read.
    pub(crate) fn new(nights: Vec<OpenNight>) -> Self {
        let by_key = |night: OpenNight| ((night.row.room_type_id, night.row.stay_date), night);
        Self(nights.into_iter().map(by_key).collect())
    }

    /// The nights of one type from `from` up to, not including, `until`. What is left is never below
    /// nothing and never more than the house has left; a night that is not open has nothing left.
    pub(crate) fn of_type(
        &self,
        room_type: RoomTypeId,
        from: NaiveDate,
        until: NaiveDate,
    ) -> TypeLeft {
        let nights: Vec<NightLeft> = dates(from, until)
            .map(|night| {
                let open = self.0.get(&(room_type, night));
                let house = self.0.get(&(RoomTypeId::HOUSE, night));
                let left = match (open, house) {
                    (Some(open), Some(house)) => open.row.left().min(house.row.left()).max(0),
                    _ => 0,
                };
                NightLeft {
                    stay_date: night,
                    left,
                    price: open.and_then(|open| open.price),
                }
            })
            .collect();
        TypeLeft {
            room_type_id: room_type,
            left: nights.iter().map(|night| night.left).min().unwrap_or(0),
            // Prices are at most 10^12 and stays at most 365 nights: far from overflow.
            total: nights.iter().map(|night| night.price).sum(),
            nights,
            restrictions: Vec::new(),
        }
    }

    /// As [`Self::of_type`] for a stay, with the rules that forbid it. The hold asks the same.
    pub(crate) fn for_stay(&self, room_type: RoomTypeId, stay: Nights) -> TypeLeft {
        let mut left = self.of_type(room_type, stay.check_in(), stay.check_out());
        let mut forbid = |rule: &str| left.restrictions.push(rule.to_owned());
        if let Some(arrival) = self.0.get(&(room_type, stay.check_in())) {
            if arrival
                .min_stay
                .is_some_and(|least| stay.count() < i64::from(least))
            {
                forbid("min_stay");
            }
            if arrival
                .max_stay
                .is_some_and(|most| stay.count() > i64::from(most))
            {
                forbid("max_stay");
            }
            if arrival.closed_to_arrival {
                forbid("closed_to_arrival");
            }
        }
        let departure = self.0.get(&(room_type, stay.check_out()));
        if departure.is_some_and(|day| day.closed_to_departure) {
            forbid("closed_to_departure");
        }
        let stopped = |night| {
            let open = self.0.get(&(room_type, night));
            open.is_some_and(|open| open.stop_sell)
        };
        if stay.iter().any(stopped) {
            forbid("stop_sell");
        }
        left
    }
}
