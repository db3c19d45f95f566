//! The hotel of the demonstration: its types, rooms and prices.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use protocol::id::{RatePlanId, RoomId, RoomTypeId};
use protocol::nights::dates;
use protocol::row::{RoomRow, RoomTypeRow};
use protocol::state::RoomStatus;

use super::WINDOW_DAYS;
use super::dice::Dice;
use crate::catalog::spec::{
    HotelSpec, RatePlanSpec, RoomSpec, SeasonSpec, StaffSpec, TypeSpec as HotelTypeSpec,
};

/// One class of room.
#[derive(Debug)]
pub(super) struct TypeSpec {
    /// `STD`.
    pub code: &'static str,
    /// For people.
    pub name: &'static str,
    /// Adults and children together.
    pub max_occupancy: i32,
    /// How many rooms there are.
    pub rooms: i32,
    /// Of an ordinary night, in cents.
    pub price: i64,
    /// Of every thousand guests, how many ask for it.
    pub demand: u32,
    /// Rooms that may be sold above the rooms: small types get none.
    pub overbook_rooms: i32,
}

/// Six types, 120 rooms.
pub(super) const TYPES: [TypeSpec; 6] = [
    TypeSpec {
        code: "STD",
        name: "Standard double",
        max_occupancy: 2,
        rooms: 40,
        price: 9_500,
        demand: 360,
        overbook_rooms: 2,
    },
    TypeSpec {
        code: "TWN",
        name: "Standard twin",
        max_occupancy: 2,
        rooms: 28,
        price: 9_500,
        demand: 225,
        overbook_rooms: 1,
    },
    TypeSpec {
        code: "SUP",
        name: "Superior with sea view",
        max_occupancy: 3,
        rooms: 26,
        price: 13_800,
        demand: 215,
        overbook_rooms: 0,
    },
    TypeSpec {
        code: "FAM",
        name: "Family room",
        max_occupancy: 5,
        rooms: 12,
        price: 16_200,
        demand: 100,
        overbook_rooms: 0,
    },
    TypeSpec {
        code: "JRS",
        name: "Junior suite",
        max_occupancy: 3,
        rooms: 10,
        price: 20_500,
        demand: 75,
        overbook_rooms: 0,
    },
    TypeSpec {
        code: "STE",
        name: "Suite",
        max_occupancy: 4,
        rooms: 4,
        price: 34_000,
        demand: 25,
        overbook_rooms: 0,
    },
];

/// Which types lie on which floor: `(type, rooms)` from the first door on.
const FLOORS: [&[(usize, u32)]; 6] = [
    &[(0, 12), (1, 8)],
    &[(0, 12), (1, 8)],
    &[(0, 8), (1, 6), (3, 6)],
    &[(0, 8), (1, 6), (3, 6)],
    &[(2, 20)],
    &[(2, 6), (4, 10), (5, 4)],
];

/// Rooms, types and the plan, with ids of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct House {
    /// In the order of screens.
    pub types: Vec<RoomTypeRow>,
    /// By number.
    pub rooms: Vec<RoomRow>,
    /// The one price plan.
    pub plan: RatePlanId,
}

impl House {
    pub(super) fn new(dice: &mut Dice, millis: u64) -> Self {
        let types: Vec<RoomTypeRow> = TYPES
            .iter()
            .zip(1..)
            .map(|(spec, sort)| RoomTypeRow {
                id: dice.id::<RoomTypeId>(millis),
                code: spec.code.to_owned(),
                name: spec.name.to_owned(),
                max_occupancy: spec.max_occupancy,
                sort,
                active: true,
            })
            .collect();
        let mut rooms = Vec::with_capacity(120);
        for (floor, parts) in (1..).zip(FLOORS) {
            let mut door = 0u32;
            for (kind, count) in parts {
                for _ in 0..*count {
                    door += 1;
                    rooms.push(RoomRow {
                        id: dice.id::<RoomId>(millis),
                        room_type_id: types[*kind].id,
                        number: format!("{}", floor * 100 + door),
                        floor: floor.to_string(),
                        status: RoomStatus::Clean,
                        features: features(dice, *kind, floor, door),
                        active: true,
                        version: 1,
                    });
                }
            }
        }
        Self {
            types,
            rooms,
            plan: dice.id(millis),
        }
    }

    /// The place of a room's type in [`TYPES`].
    pub(super) fn kind_of(&self, room: usize) -> usize {
        self.types
            .iter()
            .position(|kind| kind.id == self.rooms[room].room_type_id)
            .unwrap_or(0)
    }

    /// The description from which the hotel is made: open from `first`, with prices until a window
    /// after `today`, and with these colleagues.
    pub fn spec(&self, first: NaiveDate, today: NaiveDate, staff: Vec<StaffSpec>) -> HotelSpec {
        let until = today + Days::new(WINDOW_DAYS as u64);
        HotelSpec {
            time_zone: "Europe/Madrid".to_owned(),
            business_date: Some(first),
            window_days: WINDOW_DAYS as i32,
            types: self
                .types
                .iter()
                .zip(&TYPES)
                .map(|pair| self.kind(pair))
                .collect(),
            rate_plans: vec![RatePlanSpec {
                id: Some(self.plan),
                code: "BAR".to_owned(),
                name: "Best available rate".to_owned(),
                prices: TYPES
                    .iter()
                    .map(|spec| (spec.code.to_owned(), spec.price))
                    .collect(),
                seasons: seasons(first, until),
            }],
            staff,
            ..HotelSpec::named("miramar", "Hotel Miramar")
        }
    }

    fn kind(&self, (row, spec): (&RoomTypeRow, &TypeSpec)) -> HotelTypeSpec {
        let rooms = self.rooms.iter().filter(|room| room.room_type_id == row.id);
        HotelTypeSpec {
            id: Some(row.id),
            code: row.code.clone(),
            name: row.name.clone(),
            max_occupancy: row.max_occupancy,
            rooms: rooms
                .map(|room| RoomSpec {
                    id: Some(room.id),
                    number: room.number.clone(),
                    floor: room.floor.clone(),
                    features: room.features.clone(),
                })
                .collect(),
            count: 0,
            overbook_pct: 0,
            overbook_rooms: spec.overbook_rooms,
        }
    }
}

/// Every month has its price for the days of the week and for its weekends and Sundays.
fn seasons(first: NaiveDate, until: NaiveDate) -> Vec<SeasonSpec> {
    let mut seasons = Vec::new();
    let mut month = first.with_day(1).unwrap_or(first);
    while month < until {
        let next = month + Months::new(1);
        for weekdays in [&[1, 2, 3, 4][..], &[5, 6], &[7]] {
            let example = dates(month, next)
                .find(|night| weekdays.contains(&night.weekday().number_from_monday()));
            seasons.push(SeasonSpec {
                from: month,
                until: next,
                weekdays: weekdays.iter().map(|day| *day as u8).collect(),
                prices: TYPES
                    .iter()
                    .map(|spec| (spec.code.to_owned(), price(spec, example.unwrap_or(month))))
                    .collect(),
                min_stay: None,
                closed_to_arrival: false,
            });
        }
        month = next;
    }
    let strict = dates(first, until).filter_map(|night| Some((night, min_stay(night)?)));
    seasons.extend(strict.map(|(night, nights)| SeasonSpec {
        from: night,
        until: night + Days::new(1),
        weekdays: BTreeSet::new(),
        prices: BTreeMap::new(),
        min_stay: Some(nights),
        closed_to_arrival: false,
    }));
    seasons
}

/// Who comes for New Year's Eve stays two nights.
pub(super) fn min_stay(night: NaiveDate) -> Option<i32> {
    (night.month() == 12 && night.day() == 31).then_some(2)
}

/// How busy a month is, in permille of the house.
pub(super) fn season(night: NaiveDate) -> i64 {
    const BY_MONTH: [i64; 12] = [500, 560, 650, 760, 820, 870, 930, 960, 890, 770, 580, 640];
    BY_MONTH[night.month0() as usize]
}

/// How busy a day of the week is, in permille of the ordinary.
pub(super) fn weekday(night: NaiveDate) -> i64 {
    match night.weekday() {
        Weekday::Fri => 1_120,
        Weekday::Sat => 1_180,
        Weekday::Sun => 800,
        Weekday::Mon => 930,
        Weekday::Tue | Weekday::Wed => 1_000,
        Weekday::Thu => 970,
    }
}

/// Whole euros, dearer in season and at the end of the week.
pub(super) fn price(spec: &TypeSpec, night: NaiveDate) -> i64 {
    let season = 550 + season(night) * 6 / 10;
    let day = match night.weekday() {
        Weekday::Fri | Weekday::Sat => 1_150,
        Weekday::Sun => 920,
        _ => 1_000,
    };
    (spec.price * season / 1_000 * day / 1_000) / 100 * 100
}

fn features(dice: &mut Dice, kind: usize, floor: u32, door: u32) -> Vec<String> {
    let mut features = vec![if dice.permille(400) { "bath" } else { "shower" }.to_owned()];
    if floor >= 5 || door.is_multiple_of(2) && floor >= 3 {
        features.push("sea_view".to_owned());
    }
    if floor >= 3 && kind != 0 {
        features.push("balcony".to_owned());
    }
    if floor == 1 && door <= 4 {
        features.push("accessible".to_owned());
    }
    if door == 1 || door == 20 {
        features.push("near_lift".to_owned());
    } else if (8..=13).contains(&door) {
        features.push("quiet".to_owned());
    }
    // Doors between neighbours: 301 and 302, 303 and 304, ...
    if (3..=4).contains(&floor) {
        let other = if door.is_multiple_of(2) {
            door - 1
        } else {
            door + 1
        };
        features.push(format!("connecting:{}", floor * 100 + other));
    }
    features
}
