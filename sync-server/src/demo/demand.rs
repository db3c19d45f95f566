//! Who wants to come: bookings with their lead, length, party, channel and fate, before it is known
//! whether there is room for them.

use chrono::{Days, NaiveDate};
use protocol::state::{Channel, Guarantee, Segment};

use super::dice::Dice;
use super::house::{self, TYPES, season, weekday};

/// Reservations wanted on a day on which the house could be full, in thousandths. Part of them will
/// be cancelled and part refused.
const FULL_DAY_MILLI: i64 = 105_000;

/// A party that would like rooms.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// The day on which they ask.
    pub asked_on: NaiveDate,
    /// Day of arrival.
    pub check_in: NaiveDate,
    /// Day of departure.
    pub check_out: NaiveDate,
    /// The type of each room, by its place in [`TYPES`].
    pub rooms: Vec<usize>,
    /// Where it comes from.
    pub channel: Channel,
    /// The part of the market.
    pub segment: Segment,
    /// What stands behind it.
    pub guarantee: Guarantee,
    /// What will become of it.
    pub fate: Fate,
}

/// What becomes of a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Let go while still on hold.
    NotWanted,
    /// Given up on that day, whole.
    Cancelled(NaiveDate),
    /// One room of several given up on that day; the others come.
    OneRoomLess(NaiveDate),
    /// Never arrives.
    NoShow,
    /// Stays to the end.
    Stays,
    /// Leaves a night early.
    LeavesEarly,
}

struct Source {
    channel: Channel,
    weight: u32,
    lead: [u32; LEADS.len()],
    cancelled: u32,
    no_show: u32,
    guarantees: &'static [(Guarantee, u32)],
}

/// Days between asking and arriving, as ranges that the tables of the sources weigh.
const LEADS: [(i64, i64); 6] = [(0, 0), (1, 3), (4, 14), (15, 45), (46, 120), (121, 290)];

/// Nights and how many of a thousand stay so long.
const LENGTHS: [(u64, u32); 9] = [
    (1, 460),
    (2, 290),
    (3, 120),
    (4, 50),
    (5, 30),
    (7, 36),
    (10, 8),
    (14, 5),
    (28, 1),
];

const SOURCES: [Source; 8] = [
    Source {
        channel: Channel::Ota,
        weight: 380,
        lead: [80, 180, 280, 250, 160, 50],
        cancelled: 340,
        no_show: 22,
        guarantees: &[
            (Guarantee::Card, 550),
            (Guarantee::Prepaid, 350),
            (Guarantee::None, 100),
        ],
    },
    Source {
        channel: Channel::Web,
        weight: 170,
        lead: [60, 150, 270, 280, 180, 60],
        cancelled: 240,
        no_show: 8,
        guarantees: &[(Guarantee::Card, 500), (Guarantee::Prepaid, 500)],
    },
    Source {
        channel: Channel::Phone,
        weight: 95,
        lead: [80, 220, 300, 250, 120, 30],
        cancelled: 170,
        no_show: 25,
        guarantees: &[
            (Guarantee::None, 350),
            (Guarantee::Card, 450),
            (Guarantee::Deposit, 200),
        ],
    },
    Source {
        channel: Channel::Email,
        weight: 60,
        lead: [10, 120, 270, 320, 210, 70],
        cancelled: 190,
        no_show: 15,
        guarantees: &[
            (Guarantee::Deposit, 400),
            (Guarantee::Card, 400),
            (Guarantee::None, 200),
        ],
    },
    Source {
        channel: Channel::Desk,
        weight: 30,
        lead: [300, 300, 200, 150, 50, 0],
        cancelled: 60,
        no_show: 10,
        guarantees: &[
            (Guarantee::Card, 500),
            (Guarantee::Deposit, 300),
            (Guarantee::None, 200),
        ],
    },
    Source {
        channel: Channel::WalkIn,
        weight: 45,
        lead: [1, 0, 0, 0, 0, 0],
        cancelled: 0,
        no_show: 0,
        guarantees: &[(Guarantee::Card, 600), (Guarantee::Prepaid, 400)],
    },
    Source {
        channel: Channel::TourOperator,
        weight: 110,
        lead: [0, 20, 120, 300, 360, 200],
        cancelled: 220,
        no_show: 8,
        guarantees: &[(Guarantee::Agent, 1)],
    },
    Source {
        channel: Channel::Corporate,
        weight: 110,
        lead: [60, 300, 380, 190, 60, 10],
        cancelled: 150,
        no_show: 15,
        guarantees: &[(Guarantee::Company, 850), (Guarantee::Card, 150)],
    },
];

/// Every party that asks between `first` and `today`, for arrivals from `first` up to `until`, in the
/// order in which they ask.
pub(super) fn wishes(
    dice: &mut Dice,
    first: NaiveDate,
    today: NaiveDate,
    until: NaiveDate,
) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for arrival in protocol::nights::dates(first, until) {
        let mut left = rooms_wanted(dice, arrival, today);
        while left > 0 {
            let wish = wish(dice, arrival, first);
            left -= wish.rooms.len() as i64;
            if wish.asked_on <= today {
                wishes.push(wish);
            }
        }
    }
    wishes.sort_by_key(|wish| wish.asked_on);
    wishes
}

fn rooms_wanted(dice: &mut Dice, arrival: NaiveDate, today: NaiveDate) -> i64 {
    let mut busy = season(arrival);
    // A fair in town keeps the days around today busy, whatever the month.
    if (-4..=9).contains(&(arrival - today).num_days()) {
        busy = busy.max(900);
    }
    let milli =
        busy * weekday(arrival) / 1_000 * FULL_DAY_MILLI / 1_000 * dice.between(820, 1_180) / 1_000;
    milli / 1_000 + i64::from(dice.between(0, 999) < milli % 1_000)
}

fn wish(dice: &mut Dice, check_in: NaiveDate, first: NaiveDate) -> Wish {
    let source = &SOURCES[dice.weighted(&SOURCES.map(|source| source.weight))];
    let (shortest, longest) = LEADS[dice.weighted(&source.lead)];
    let asked_on = (check_in - chrono::TimeDelta::days(dice.between(shortest, longest))).max(first);
    let nights = LENGTHS[dice.weighted(&LENGTHS.map(|(_, weight)| weight))].0;
    let nights = nights.max(u64::from(
        house::min_stay(check_in).unwrap_or(1).unsigned_abs(),
    ));
    let rooms = party(dice, source.channel);
    let guarantees: Vec<u32> = source
        .guarantees
        .iter()
        .map(|(_, weight)| *weight)
        .collect();
    let mut wish = Wish {
        asked_on,
        check_in,
        check_out: check_in + Days::new(nights),
        segment: segment(dice, source.channel, rooms.len()),
        rooms,
        channel: source.channel,
        guarantee: source.guarantees[dice.weighted(&guarantees)].0,
        fate: Fate::Stays,
    };
    wish.fate = fate(dice, source, &wish, nights);
    wish
}

/// Nearly always one room; families take two, groups up to twelve.
fn party(dice: &mut Dice, channel: Channel) -> Vec<usize> {
    let kind = dice.weighted(&TYPES.map(|spec| spec.demand));
    let group = match channel {
        Channel::TourOperator => 60,
        Channel::Corporate => 30,
        Channel::Phone | Channel::Email => 25,
        _ => 0,
    };
    if dice.permille(group) {
        // Groups take the plain rooms.
        let rooms = dice.between(4, 12);
        return (0..rooms).map(|_| dice.weighted(&[600, 400])).collect();
    }
    if channel != Channel::WalkIn && dice.permille(45) {
        return vec![kind; if dice.permille(200) { 3 } else { 2 }];
    }
    vec![kind]
}

fn segment(dice: &mut Dice, channel: Channel, rooms: usize) -> Segment {
    match channel {
        _ if rooms >= 4 => Segment::Group,
        Channel::Corporate => Segment::Corporate,
        Channel::TourOperator => Segment::Wholesale,
        Channel::Desk if dice.permille(60) => Segment::HouseUse,
        Channel::Email if dice.permille(60) => Segment::Complimentary,
        _ => Segment::Transient,
    }
}

fn fate(dice: &mut Dice, source: &Source, wish: &Wish, nights: u64) -> Fate {
    let lead = (wish.check_in - wish.asked_on).num_days();
    if source.channel != Channel::WalkIn && dice.permille(20) {
        return Fate::NotWanted;
    }
    let cancelled = if lead < 4 {
        source.cancelled / 2
    } else {
        source.cancelled
    };
    if dice.permille(cancelled) {
        // Half soon after booking or any day after, half in the last days before arrival.
        let day = if dice.permille(500) {
            dice.between(0, lead)
        } else {
            lead - dice.between(0, lead.min(10))
        };
        let day = wish.asked_on + chrono::TimeDelta::days(day);
        return if wish.rooms.len() > 1 && dice.permille(400) {
            Fate::OneRoomLess(day)
        } else {
            Fate::Cancelled(day)
        };
    }
    if dice.permille(source.no_show) {
        return Fate::NoShow;
    }
    if nights > 1 && dice.permille(12) {
        return Fate::LeavesEarly;
    }
    Fate::Stays
}
