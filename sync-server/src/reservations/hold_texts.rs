//! Texts that the hold function fills in: made from the protocol's own types with marks in the places
//! that only the database knows, so that what it writes is, byte for byte, what those types would write.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use protocol::code::{Code, NightProblem, Problem};
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::row::{NightRow, ReservationNight};
use serde::Serialize;
use uuid::Uuid;

/// The refusals that the hold function knows, in the order in which it numbers them.
const REFUSALS: [Code; 7] = [
    Code::KeyReused,
    Code::AlreadyExists,
    Code::Invalid,
    Code::NotOpen,
    Code::NoRate,
    Code::Restricted,
    Code::SoldOut,
];

/// The texts that are the same for every group.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The refusals' documents without their closing brace.
    pub(crate) refusals: Vec<String>,
    /// Their statuses.
    pub(crate) statuses: Vec<i32>,
    /// A counter in an event.
    pub(crate) night: String,
    /// A night of a reservation.
    pub(crate) item: String,
    /// A night in a refusal.
    pub(crate) problem: String,
}

/// Put together once.
pub(crate) static TEXTS: LazyLock<Result<Texts, serde_json::Error>> = LazyLock::new(Texts::new);

impl Texts {
    fn new() -> Result<Self, serde_json::Error> {
        let mut refusals = Vec::new();
        for code in REFUSALS {
            let mut text = serde_json::to_string(&Problem::new(code))?;
            text.pop();
            refusals.push(text);
        }
        let numbers = |text: Template, from: usize| {
            let holes = COUNTS.iter().enumerate();
            holes.fold(text, |text, (place, count)| {
                text.hole(&count.to_string(), &format!("%{}$s", place + from))
            })
        };
        let night = Template::new(&Change::Night {
            row: NightRow {
                room_type_id: RoomTypeId(Uuid::max()),
                stay_date: NaiveDate::MAX,
                total: COUNTS[0],
                out_of_order: COUNTS[1],
                reserved: COUNTS[2],
                over_limit: COUNTS[3],
                overbook_pct: COUNTS[4],
                overbook_rooms: COUNTS[5],
            },
        })?
        .hole(&Uuid::max().to_string(), "%1$s")
        .hole(&NaiveDate::MAX.to_string(), "%2$s");
        // From the back: both types have the same mark.
        let item = Template::new(&ReservationNight {
            stay_date: NaiveDate::MAX,
            room_type_id: RoomTypeId(Uuid::max()),
            charged_type_id: RoomTypeId(Uuid::max()),
            price: NUMBER,
            counted: true,
            shared: false,
        })?
        .hole(&NUMBER.to_string(), "%4$s")
        .hole(&Uuid::max().to_string(), "%3$s")
        .hole(&Uuid::max().to_string(), "%2$s")
        .hole(&NaiveDate::MAX.to_string(), "%1$s");
        let problem = Template::new(&NightProblem {
            room_type_id: RoomTypeId(Uuid::max()),
            stay_date: NaiveDate::MAX,
        })?
        .hole(&Uuid::max().to_string(), "%1$s")
        .hole(&NaiveDate::MAX.to_string(), "%2$s");
        Ok(Self {
            refusals,
            statuses: REFUSALS.map(|code| i32::from(code.status())).to_vec(),
            night: numbers(night, 3).0,
            item: item.0,
            problem: problem.0,
        })
    }
}

// Marks for what only the database knows. None can come from a request: dates end in 9998, no money
// is negative, and what a caller may write freely stands before the mark that is looked for.
pub(super) const CREATED: DateTime<Utc> = DateTime::from_timestamp_secs(253_402_300_799).unwrap();
pub(super) const EXPIRES: DateTime<Utc> = DateTime::from_timestamp_secs(253_402_300_798).unwrap();
pub(super) const NUMBER: i64 = -987_654_321_987_654_321;
const COUNTS: [i32; 6] = [
    -2_147_483_001,
    -2_147_483_002,
    -2_147_483_003,
    -2_147_483_004,
    -2_147_483_005,
    -2_147_483_006,
];

pub(super) fn quoted<T: Serialize>(value: &T) -> String {
    // Only used with instants, which always serialise.
    serde_json::to_string(value).unwrap_or_default()
}

/// A JSON text with holes, in the notation of PostgreSQL's `format()`.
pub(super) struct Template(pub(super) String);

impl Template {
    pub(super) fn new<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self(serde_json::to_string(value)?.replace('%', "%%")))
    }

    /// Puts a hole where the mark last stands.
    pub(super) fn hole(mut self, mark: &str, hole: &str) -> Self {
        if let Some(at) = self.0.rfind(mark) {
            self.0.replace_range(at..at + mark.len(), hole);
        } else {
            debug_assert!(false, "no {mark} in {}", self.0);
        }
        self
    }
}
