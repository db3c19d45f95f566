//! The demonstration hotel: made from a seed, without any file of others, through the same rules as
//! any other hotel.

mod demand;
mod diary;
mod dice;
mod house;
mod inventory;
mod names;
mod people;
mod play;
mod run;
#[cfg(test)]
mod tests;

use chrono::{Days, NaiveDate};
use protocol::command::Command;

pub use diary::Tally;
pub use house::House;
pub use run::{SLUG, Sheet, User, create, run};

/// How many nights the demonstration keeps open for sale.
pub const WINDOW_DAYS: usize = 500;
/// Days of past, so that there is something to report.
pub const DAYS_BEFORE: u64 = 245;
/// Days of future for which guests ask.
pub const DAYS_AFTER: u64 = 180;

/// A command and the business date on which it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The open day.
    pub day: NaiveDate,
    /// What is done.
    pub command: Command,
}

/// A whole hotel: what it is, and everything that happened to it until this afternoon.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Types, rooms and prices.
    pub house: House,
    /// The first business date.
    pub first: NaiveDate,
    /// The business date at the end.
    pub today: NaiveDate,
    /// In the order in which it happens.
    pub commands: Vec<Timed>,
    /// What was counted on the way.
    pub tally: Tally,
}

/// Thinks out a hotel. The same seed and day give the same hotel, ids included.
pub fn plan(seed: u64, today: NaiveDate) -> Plan {
    plan_of(seed, today, DAYS_BEFORE, DAYS_AFTER)
}

/// As [`plan`], with another length of past and future, in days.
pub fn plan_of(seed: u64, today: NaiveDate, before: u64, after: u64) -> Plan {
    let first = today - Days::new(before);
    let mut dice = dice::Dice::new(seed);
    let house = House::new(&mut dice, millis(first));
    let wishes = demand::wishes(&mut dice, first, today, today + Days::new(after));
    let (commands, tally) = diary::Diary::new(&house, dice, first, today).write(wishes);
    Plan {
        house,
        first,
        today,
        commands,
        tally,
    }
}

/// The two nights that are sold above the limit. Neither is New Year's Eve, on which nobody stays for
/// one night only.
fn nights_above_the_limit(today: NaiveDate) -> (NaiveDate, NaiveDate) {
    let night = |ahead| {
        let night = today + Days::new(ahead);
        if house::min_stay(night).is_some() {
            night + Days::new(1)
        } else {
            night
        }
    };
    (night(5), night(9))
}

/// Seven in the morning of a day, for the time inside ids.
fn millis(day: NaiveDate) -> u64 {
    let days = (day - NaiveDate::default()).num_days();
    u64::try_from(days * 86_400_000 + 25_200_000).unwrap_or(0)
}
