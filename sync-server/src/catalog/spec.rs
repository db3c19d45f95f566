//! A hotel described in one file, from which it is made: by `sync-server hotel add`, by the
//! demonstration, by benches and tests.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, NaiveTime};
use protocol::code::{Code, Problem};
use protocol::id::{HotelId, RatePlanId, RoomId, RoomTypeId, StaffId};
use protocol::money::{MINOR_MAX, is_currency_code};
use protocol::role::Role;
use protocol::sell_limit::{OVERBOOK_PCT_MAX, OVERBOOK_PCT_MIN, OVERBOOK_ROOMS_MAX};
use protocol::text::{CODE_CHARS_MAX, NAME_CHARS_MAX, required};
use serde::{Deserialize, Serialize};

/// The most rooms of one hotel.
pub const ROOMS_PER_HOTEL_MAX: usize = 10_000;
/// The most nights that a window may have.
pub const WINDOW_DAYS_MAX: i32 = 2_000;

/// A hotel to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HotelSpec {
    /// Made here; random where absent.
    #[serde(default)]
    pub id: Option<HotelId>,
    /// Name for people.
    pub name: String,
    /// Short name in addresses and sign-in: small letters, digits, hyphens.
    pub slug: String,
    /// IANA name, such as `Europe/Madrid`.
    pub time_zone: String,
    /// ISO 4217.
    pub currency: String,
    /// The open day; today in the hotel's time zone where absent.
    #[serde(default)]
    pub business_date: Option<NaiveDate>,
    /// First night that gets a counter, where stays from before the business date are to be loaded.
    #[serde(default)]
    pub nights_from: Option<NaiveDate>,
    /// How many nights are kept open from the business date.
    #[serde(default = "window_days")]
    pub window_days: i32,
    /// Hotel time from which rooms are ready.
    #[serde(default = "check_in_time")]
    pub check_in_time: NaiveTime,
    /// Hotel time until which rooms are left.
    #[serde(default = "check_out_time")]
    pub check_out_time: NaiveTime,
    /// Hotel time at which reservations without guarantee are listed for release.
    #[serde(default = "release_time")]
    pub release_time: NaiveTime,
    /// How long a hold lasts, in minutes.
    #[serde(default = "hold_minutes")]
    pub hold_minutes: i32,
    /// How long a hold may be renewed in all, in minutes.
    #[serde(default = "hold_minutes_max")]
    pub hold_minutes_max: i32,
    /// The types, in their order on screens.
    pub types: Vec<TypeSpec>,
    /// The hotel as a whole.
    #[serde(default)]
    pub house: HouseSpec,
    /// Price plans; the first is the one that is used when none is named.
    #[serde(default)]
    pub rate_plans: Vec<RatePlanSpec>,
    /// Colleagues.
    #[serde(default)]
    pub staff: Vec<StaffSpec>,
}

/// A type with its rooms.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeSpec {
    /// Random where absent.
    #[serde(default)]
    pub id: Option<RoomTypeId>,
    /// `STD`.
    pub code: String,
    /// `Standard double`.
    pub name: String,
    /// Adults and children together.
    #[serde(default = "max_occupancy")]
    pub max_occupancy: i32,
    /// Its rooms by number.
    #[serde(default)]
    pub rooms: Vec<RoomSpec>,
    /// So many rooms more, numbered `STD-001` and on.
    #[serde(default)]
    pub count: u32,
    /// Percent above the rooms.
    #[serde(default)]
    pub overbook_pct: i32,
    /// Rooms above the rooms.
    #[serde(default)]
    pub overbook_rooms: i32,
}

/// One room.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomSpec {
    /// Random where absent.
    #[serde(default)]
    pub id: Option<RoomId>,
    /// What stands on the door.
    pub number: String,
    /// Floor, as people call it.
    #[serde(default)]
    pub floor: String,
    /// `sea_view`, `bath`, ...
    #[serde(default)]
    pub features: Vec<String>,
}

/// The hotel as a whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HouseSpec {
    /// The most rooms counted for the house, where that is less than the sum of the types.
    #[serde(default)]
    pub total: Option<i32>,
    /// Percent above the rooms.
    #[serde(default)]
    pub overbook_pct: i32,
    /// Rooms above the rooms.
    #[serde(default)]
    pub overbook_rooms: i32,
}

/// A price plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatePlanSpec {
    /// Random where absent.
    #[serde(default)]
    pub id: Option<RatePlanId>,
    /// `BAR`.
    pub code: String,
    /// `Best available rate`.
    pub name: String,
    /// Price per night in minor units by type code: of every night that no season names.
    pub prices: BTreeMap<String, i64>,
    /// Nights with other prices; a later season wins over an earlier one.
    #[serde(default)]
    pub seasons: Vec<SeasonSpec>,
}

/// Nights with other prices or rules.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeasonSpec {
    /// First night.
    pub from: NaiveDate,
    /// End, exclusive.
    pub until: NaiveDate,
    /// Only on these days, 1 (Monday) to 7; every day where empty.
    #[serde(default)]
    pub weekdays: BTreeSet<u8>,
    /// Price by type code; types left out keep theirs.
    #[serde(default)]
    pub prices: BTreeMap<String, i64>,
    /// Least nights for a stay that arrives on such a night.
    #[serde(default)]
    pub min_stay: Option<i32>,
    /// Nobody may arrive.
    #[serde(default)]
    pub closed_to_arrival: bool,
}

/// A colleague.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaffSpec {
    /// Random where absent.
    #[serde(default)]
    pub id: Option<StaffId>,
    /// What is typed at sign-in.
    pub login: String,
    /// Name for people.
    pub display_name: String,
    /// Role.
    pub role: Role,
    /// Password.
    pub password: String,
}

impl std::fmt::Debug for StaffSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaffSpec")
            .field("login", &self.login)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

fn window_days() -> i32 {
    500
}
fn hour(hour: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default()
}
fn check_in_time() -> NaiveTime {
    hour(15)
}
fn check_out_time() -> NaiveTime {
    hour(11)
}
fn release_time() -> NaiveTime {
    hour(18)
}
fn hold_minutes() -> i32 {
    15
}
fn hold_minutes_max() -> i32 {
    60
}
fn max_occupancy() -> i32 {
    2
}

impl HotelSpec {
    /// A hotel with nothing but a name; fill in the rest.
    pub fn named(slug: &str, name: &str) -> Self {
        Self {
            id: None,
            name: name.to_owned(),
            slug: slug.to_owned(),
            time_zone: "Europe/Madrid".to_owned(),
            currency: "EUR".to_owned(),
            business_date: None,
            nights_from: None,
            window_days: window_days(),
            check_in_time: check_in_time(),
            check_out_time: check_out_time(),
            release_time: release_time(),
            hold_minutes: hold_minutes(),
            hold_minutes_max: hold_minutes_max(),
            types: Vec::new(),
            house: HouseSpec::default(),
            rate_plans: Vec::new(),
            staff: Vec::new(),
        }
    }

    /// Everything that is wrong with it, by JSON pointer into the file.
    pub fn check(&self) -> Result<(), Problem> {
        let mut faults = Faults(Problem::new(Code::Invalid));
        faults.text("/name", &self.name, NAME_CHARS_MAX);
        faults.unless(
            is_slug(&self.slug),
            "/slug",
            "small letters, digits and hyphens, 1 to 40",
        );
        faults.unless(
            self.time_zone.parse::<chrono_tz::Tz>().is_ok(),
            "/time_zone",
            "no time zone of this name, such as Europe/Madrid",
        );
        faults.unless(
            is_currency_code(&self.currency),
            "/currency",
            "three capital letters, such as EUR",
        );
        faults.unless(
            (1..=WINDOW_DAYS_MAX).contains(&self.window_days),
            "/window_days",
            "1 to 2000",
        );
        if let (Some(first), Some(open)) = (self.nights_from, self.business_date) {
            faults.unless(
                first <= open && (open - first).num_days() <= 4_000,
                "/nights_from",
                "on or before the business date, and at most 4000 days",
            );
        }
        faults.unless(
            1 <= self.hold_minutes && self.hold_minutes <= self.hold_minutes_max,
            "/hold_minutes",
            "at least 1 and at most hold_minutes_max",
        );
        faults.unless(
            self.hold_minutes_max <= 100_000,
            "/hold_minutes_max",
            "at most 100000",
        );
        faults.unless(
            self.house
                .total
                .is_none_or(|total| (0..=100_000).contains(&total)),
            "/house/total",
            "0 to 100000",
        );
        faults.overbooking("/house", self.house.overbook_pct, self.house.overbook_rooms);
        self.check_types(&mut faults);
        self.check_rates(&mut faults);
        self.check_staff(&mut faults);
        faults.done()
    }

    fn check_types(&self, faults: &mut Faults) {
        faults.unless(
            (1..=100).contains(&self.types.len()),
            "/types",
            "1 to 100 types",
        );
        let mut codes = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        let mut rooms = 0_usize;
        for (place, kind) in self.types.iter().enumerate() {
            let at = format!("/types/{place}");
            faults.text(&format!("{at}/code"), &kind.code, CODE_CHARS_MAX);
            faults.text(&format!("{at}/name"), &kind.name, NAME_CHARS_MAX);
            faults.unless(
                codes.insert(&kind.code),
                &format!("{at}/code"),
                "twice the same code",
            );
            faults.unless(
                (1..=30).contains(&kind.max_occupancy),
                &format!("{at}/max_occupancy"),
                "1 to 30",
            );
            faults.unless(
                kind.id.is_none_or(|id| !id.is_house()),
                &format!("{at}/id"),
                "the nil id is the house",
            );
            faults.overbooking(&at, kind.overbook_pct, kind.overbook_rooms);
            rooms = rooms
                .saturating_add(kind.rooms.len())
                .saturating_add(kind.count as usize);
            for (nth, room) in kind.rooms.iter().enumerate() {
                let at = format!("{at}/rooms/{nth}/number");
                faults.text(&at, &room.number, CODE_CHARS_MAX);
                faults.unless(numbers.insert(&room.number), &at, "twice the same number");
            }
        }
        faults.unless(
            rooms <= ROOMS_PER_HOTEL_MAX,
            "/types",
            "at most 10000 rooms",
        );
    }

    fn check_rates(&self, faults: &mut Faults) {
        let codes: BTreeSet<&str> = self.types.iter().map(|kind| kind.code.as_str()).collect();
        let mut check = |at: String, prices: &BTreeMap<String, i64>| {
            for (code, price) in prices {
                let at = format!("{at}/prices/{code}");
                faults.unless(codes.contains(code.as_str()), &at, "no type of this code");
                faults.unless(
                    (0..=MINOR_MAX).contains(price),
                    &at,
                    "minor units, not below 0",
                );
            }
        };
        for (place, plan) in self.rate_plans.iter().enumerate() {
            check(format!("/rate_plans/{place}"), &plan.prices);
            for (nth, season) in plan.seasons.iter().enumerate() {
                check(format!("/rate_plans/{place}/seasons/{nth}"), &season.prices);
            }
        }
        let mut plans = BTreeSet::new();
        for (place, plan) in self.rate_plans.iter().enumerate() {
            let at = format!("/rate_plans/{place}");
            faults.text(&format!("{at}/code"), &plan.code, CODE_CHARS_MAX);
            faults.text(&format!("{at}/name"), &plan.name, NAME_CHARS_MAX);
            faults.unless(
                plans.insert(&plan.code),
                &format!("{at}/code"),
                "twice the same code",
            );
            for (nth, season) in plan.seasons.iter().enumerate() {
                let at = format!("{at}/seasons/{nth}");
                faults.unless(
                    season.until > season.from,
                    &format!("{at}/until"),
                    "must be after from",
                );
                faults.unless(
                    season.weekdays.iter().all(|day| (1..=7).contains(day)),
                    &format!("{at}/weekdays"),
                    "1 (Monday) to 7",
                );
                faults.unless(
                    season
                        .min_stay
                        .is_none_or(|nights| (1..=365).contains(&nights)),
                    &format!("{at}/min_stay"),
                    "1 to 365",
                );
            }
        }
    }

    fn check_staff(&self, faults: &mut Faults) {
        let mut logins = BTreeSet::new();
        for (place, person) in self.staff.iter().enumerate() {
            let at = format!("/staff/{place}");
            person.check(&at, faults);
            faults.unless(
                logins.insert(person.login.to_lowercase()),
                &format!("{at}/login"),
                "twice the same name",
            );
        }
    }
}

impl StaffSpec {
    /// Everything that is wrong with one colleague.
    pub(crate) fn check(&self, at: &str, faults: &mut Faults) {
        faults.text(&format!("{at}/login"), &self.login, 60);
        faults.unless(
            !self.login.contains(['@', ' ']),
            &format!("{at}/login"),
            "no @ and no space",
        );
        faults.text(
            &format!("{at}/display_name"),
            &self.display_name,
            NAME_CHARS_MAX,
        );
        faults.unless(
            self.password.chars().count() >= crate::staff::password::PASSWORD_CHARS_MIN
                && self.password.len() <= crate::staff::password::PASSWORD_BYTES_MAX,
            &format!("{at}/password"),
            "8 characters to 200 bytes",
        );
    }
}

fn is_slug(slug: &str) -> bool {
    (1..=40).contains(&slug.len())
        && slug
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// What is wrong, collected, so that a caller hears it all at once.
#[derive(Debug)]
pub(crate) struct Faults(pub(crate) Problem);

impl Faults {
    /// Notes a fault unless the condition holds.
    pub(crate) fn unless(&mut self, holds: bool, pointer: &str, detail: &str) {
        if !holds {
            self.0 =
                std::mem::replace(&mut self.0, Problem::new(Code::Invalid)).field(pointer, detail);
        }
    }

    /// The text as it is kept; noted and empty where it is refused.
    pub(crate) fn text(&mut self, pointer: &str, text: &str, chars_max: usize) -> String {
        required(text, chars_max).unwrap_or_else(|fault| {
            self.unless(false, pointer, &fault.to_string());
            String::new()
        })
    }

    /// A refusal if anything was noted.
    pub(crate) fn done(self) -> Result<(), Problem> {
        if self.0.fields.is_empty() {
            Ok(())
        } else {
            Err(self.0)
        }
    }

    pub(crate) fn overbooking(&mut self, at: &str, pct: i32, rooms: i32) {
        self.unless(
            (OVERBOOK_PCT_MIN..=OVERBOOK_PCT_MAX).contains(&pct),
            &format!("{at}/overbook_pct"),
            "-100 to 1000",
        );
        self.unless(
            (-OVERBOOK_ROOMS_MAX..=OVERBOOK_ROOMS_MAX).contains(&rooms),
            &format!("{at}/overbook_rooms"),
            "-10000 to 10000",
        );
    }
}
