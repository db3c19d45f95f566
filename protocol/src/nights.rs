//! The nights of a stay.
//!
//! A night is the date on which it begins: a calendar date of the hotel, never an instant and never
//! in a time zone. A stay is `[check_in, check_out)`; the check-out day is no night.

use chrono::{Days, NaiveDate};

/// The longest stay that can be made in one reservation, in nights.
pub const STAY_NIGHTS_MAX: i64 = 365;

/// A stay of 1 to [`STAY_NIGHTS_MAX`] nights; cannot be made empty or reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nights {
    check_in: NaiveDate,
    check_out: NaiveDate,
}

/// Why two dates are not a stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAStay {
    /// Check-out is on or before check-in; a stay without a night is day use and says so by its flag.
    #[error("check-out must be after check-in")]
    NotAfter,
    /// More nights than one reservation may have.
    #[error("a stay has at most {STAY_NIGHTS_MAX} nights")]
    TooLong,
}

impl Nights {
    /// The nights from `check_in` up to, not including, `check_out`.
    pub fn new(check_in: NaiveDate, check_out: NaiveDate) -> Result<Self, NotAStay> {
        let count = (check_out - check_in).num_days();
        if count < 1 {
            return Err(NotAStay::NotAfter);
        }
        if count > STAY_NIGHTS_MAX {
            return Err(NotAStay::TooLong);
        }
        Ok(Self {
            check_in,
            check_out,
        })
    }

    /// The day of arrival, also the first night.
    pub fn check_in(self) -> NaiveDate {
        self.check_in
    }

    /// The day of departure; not a night of the stay.
    pub fn check_out(self) -> NaiveDate {
        self.check_out
    }

    /// How many nights, 1 to [`STAY_NIGHTS_MAX`].
    pub fn count(self) -> i64 {
        (self.check_out - self.check_in).num_days()
    }

    /// Whether the guest sleeps here on this night.
    pub fn contains(self, night: NaiveDate) -> bool {
        self.check_in <= night && night < self.check_out
    }

    /// Whether two stays share a night. One that ends where the other begins does not (B19).
    pub fn overlaps(self, other: Self) -> bool {
        self.check_in < other.check_out && other.check_in < self.check_out
    }

    /// Every night, in order.
    pub fn iter(self) -> impl Iterator<Item = NaiveDate> {
        dates(self.check_in, self.check_out)
    }
}

/// Every date from `from` up to, not including, `until`.
pub fn dates(from: NaiveDate, until: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    std::iter::successors(Some(from), |date| date.checked_add_days(Days::new(1)))
        .take_while(move |date| *date < until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn b19_a_departure_day_is_no_night() {
        let first = Nights::new(date("2027-01-01"), date("2027-01-05")).unwrap();
        let between = Nights::new(date("2027-01-05"), date("2027-01-06")).unwrap();
        let last = Nights::new(date("2027-01-06"), date("2027-01-10")).unwrap();
        assert!(!first.overlaps(between) && !between.overlaps(last));
        assert!(!first.contains(date("2027-01-05")));
    }

    #[test]
    fn b20_clock_changes_do_not_change_the_count() {
        let cases = [
            ("2027-10-30", "2027-10-31", 1),
            ("2027-10-31", "2027-11-01", 1),
            ("2027-10-25", "2027-11-02", 8),
            ("2027-03-27", "2027-03-28", 1),
            ("2027-03-28", "2027-03-29", 1),
            ("2027-09-04", "2027-09-05", 1),
            ("2027-09-05", "2027-09-06", 1),
            ("2027-04-30", "2027-05-01", 1),
        ];
        for (check_in, check_out, nights) in cases {
            let stay = Nights::new(date(check_in), date(check_out)).unwrap();
            assert_eq!(stay.count(), nights, "{check_in} > {check_out}");
            assert_eq!(stay.iter().count() as i64, nights);
        }
    }

    #[test]
    fn b31_an_empty_or_reversed_stay_is_refused() {
        let day = date("2027-06-10");
        assert_eq!(Nights::new(day, day), Err(NotAStay::NotAfter));
        assert_eq!(
            Nights::new(day, date("2027-06-09")),
            Err(NotAStay::NotAfter)
        );
        assert_eq!(Nights::new(day, date("2028-06-10")), Err(NotAStay::TooLong));
    }

    proptest! {
        #[test]
        fn every_night_is_inside_and_none_is_missing(start in 0i32..20_000, length in 1i64..=STAY_NIGHTS_MAX) {
            let check_in = NaiveDate::from_num_days_from_ce_opt(730_000 + start).unwrap();
            let check_out = check_in + chrono::TimeDelta::days(length);
            let stay = Nights::new(check_in, check_out).unwrap();
            let nights: Vec<_> = stay.iter().collect();
            prop_assert_eq!(nights.len() as i64, length);
            prop_assert!(nights.iter().all(|night| stay.contains(*night)));
            prop_assert!(!stay.contains(check_out));
        }
    }
}
