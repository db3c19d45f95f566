//! What a hold must look like before anything is asked of the database (B31, B98).
//!
//! A refusal here follows from the body alone, so the same request always gets the same one: it is
//! answered at once and not stored with its key. Everything that depends on what the hotel knows is
//! decided, and stored, by the hold function.

use std::collections::HashSet;

use chrono::{Datelike, NaiveDate};
use protocol::code::{Code, Problem};
use protocol::money::MINOR_MAX;
use protocol::nights::{Nights, NotAStay};
use protocol::request::{
    ADULTS_MAX, CHILDREN_MAX, COMMAND_NIGHTS_MAX, HoldRequest, ROOMS_MAX, RoomRequest,
};
use protocol::state::Segment;
use protocol::text;

use crate::error::ApiError;

/// The longest hold that may be asked for, in minutes (a week); the hotel's own setting is lower.
pub(crate) const HOLD_MINUTES_MAX: i32 = 7 * 24 * 60;
/// The longest number by which a channel may know a booking, in characters.
pub(crate) const EXTERNAL_ID_CHARS_MAX: usize = 64;
/// A child's highest age.
const CHILD_AGE_MAX: i32 = 17;

/// The request with its text cleaned, or every field at fault.
pub(crate) fn check(mut request: HoldRequest) -> Result<HoldRequest, ApiError> {
    let mut problem = Problem::new(Code::Invalid);
    if request.rooms.is_empty() || request.rooms.len() > ROOMS_MAX {
        problem = problem.field("/rooms", format!("must be 1 to {ROOMS_MAX} rooms"));
    }
    problem = check_minutes(problem, request.minutes);
    if let Some(external_id) = &request.external_id {
        match text::required(external_id, EXTERNAL_ID_CHARS_MAX) {
            Ok(kept) => request.external_id = Some(kept),
            Err(fault) => problem = problem.field("/external_id", fault.to_string()),
        }
    }
    let mut ids = HashSet::new();
    let mut nights = 0;
    for (place, room) in request.rooms.iter().take(ROOMS_MAX).enumerate() {
        problem = check_room(problem, place, room);
        if !room.day_use {
            nights += (room.check_out - room.check_in).num_days().max(0);
        }
        if room.reservation_id.is_some_and(|id| !ids.insert(id)) {
            problem = problem.field(
                format!("/rooms/{place}/reservation_id"),
                "is named by another room of this request",
            );
        }
    }
    if problem.fields.is_empty() && nights > COMMAND_NIGHTS_MAX as i64 {
        problem = problem.field(
            "/rooms",
            format!("must have at most {COMMAND_NIGHTS_MAX} nights in all"),
        );
    }
    for room in request.rooms.iter_mut().filter(|room| free(room)) {
        room.price = Some(0);
    }
    if problem.fields.is_empty() {
        Ok(request)
    } else {
        Err(problem.into())
    }
}

/// `minutes` of a hold or a renewal.
pub(crate) fn check_minutes(problem: Problem, minutes: Option<i32>) -> Problem {
    match minutes {
        Some(minutes) if !(1..=HOLD_MINUTES_MAX).contains(&minutes) => problem.field(
            "/minutes",
            format!("must be 1 to {HOLD_MINUTES_MAX} minutes"),
        ),
        _ => problem,
    }
}

/// Whether a date can be a night at all: four-digit years, as every program here writes them.
pub(crate) fn is_sensible(date: NaiveDate) -> bool {
    (1900..=9999).contains(&date.year())
}

/// Whether nobody pays for it: complimentary, or the hotel's own use.
pub(crate) fn free(room: &RoomRequest) -> bool {
    matches!(
        room.segment,
        Some(Segment::Complimentary | Segment::HouseUse)
    )
}

fn check_room(mut problem: Problem, place: usize, room: &RoomRequest) -> Problem {
    let at = |field: &str| format!("/rooms/{place}/{field}");
    let mut dates_make_sense = true;
    for (field, date) in [("check_in", room.check_in), ("check_out", room.check_out)] {
        if !is_sensible(date) {
            dates_make_sense = false;
            problem = problem.field(at(field), "must be a date from 1900 to 9999");
        }
    }
    if dates_make_sense {
        match Nights::new(room.check_in, room.check_out) {
            _ if room.day_use && room.check_in == room.check_out => {}
            _ if room.day_use => {
                problem = problem.field(at("check_out"), "must be the day of arrival for day use");
            }
            Ok(_) => {}
            Err(fault @ (NotAStay::NotAfter | NotAStay::TooLong)) => {
                problem = problem.field(at("check_out"), fault.to_string());
            }
        }
    }
    if room.room_type_id.is_house() {
        problem = problem.field(at("room_type_id"), "is the house, which is not sold");
    }
    if !(1..=ADULTS_MAX).contains(&room.adults) {
        problem = problem.field(at("adults"), format!("must be 1 to {ADULTS_MAX}"));
    }
    if room.children.len() > CHILDREN_MAX {
        problem = problem.field(
            at("children"),
            format!("must be at most {CHILDREN_MAX} children"),
        );
    }
    for (child, age) in room.children.iter().take(CHILDREN_MAX).enumerate() {
        if !(0..=CHILD_AGE_MAX).contains(age) {
            problem = problem.field(
                at(&format!("children/{child}")),
                format!("must be an age from 0 to {CHILD_AGE_MAX}"),
            );
        }
    }
    if free(room) && room.price.is_some_and(|price| price != 0) {
        problem = problem.field(at("price"), "must be 0: nobody pays for it");
    }
    if room
        .price
        .is_some_and(|price| !(0..=MINOR_MAX).contains(&price))
    {
        problem = problem.field(at("price"), format!("must be 0 to {MINOR_MAX} minor units"));
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::id::RoomTypeId;
    use serde_json::{Value, json};

    fn request(change: impl FnOnce(&mut Value)) -> HoldRequest {
        let mut body = json!({"rooms": [{
            "room_type_id": "00000000-0000-7000-8000-000000000001",
            "check_in": "2027-06-10", "check_out": "2027-06-12", "adults": 2,
        }]});
        change(&mut body);
        serde_json::from_value(body).unwrap()
    }

    fn pointers(change: impl FnOnce(&mut Value)) -> Vec<String> {
        match check(request(change)) {
            Ok(_) => Vec::new(),
            Err(error) => {
                let problem = error.problem();
                assert_eq!(problem.status, 422);
                problem
                    .fields
                    .into_iter()
                    .map(|field| field.pointer)
                    .collect()
            }
        }
    }

    #[test]
    fn b31_every_wrong_field_is_named() {
        assert!(pointers(|_| ()).is_empty());
        assert_eq!(
            pointers(|body| body["rooms"][0]["check_out"] = json!("2027-06-10")),
            ["/rooms/0/check_out"]
        );
        assert_eq!(
            pointers(|body| body["rooms"][0]["check_out"] = json!("2027-06-09")),
            ["/rooms/0/check_out"]
        );
        assert_eq!(
            pointers(|body| body["rooms"][0]["check_out"] = json!("2028-06-10")),
            ["/rooms/0/check_out"]
        );
        let both = pointers(|body| {
            let mut second = body["rooms"][0].clone();
            second["adults"] = json!(0);
            second["check_out"] = json!("2027-06-10");
            body["rooms"].as_array_mut().unwrap().push(second);
        });
        assert_eq!(both, ["/rooms/1/check_out", "/rooms/1/adults"]);
    }

    #[test]
    fn b98_numbers_out_of_range_are_named() {
        assert_eq!(
            pointers(|body| body["rooms"][0]["adults"] = json!(-2)),
            ["/rooms/0/adults"]
        );
        assert_eq!(pointers(|body| body["rooms"] = json!([])), ["/rooms"]);
        assert_eq!(
            pointers(|body| {
                let room = body["rooms"][0].clone();
                body["rooms"] = Value::Array(vec![room; 51]);
            }),
            ["/rooms"]
        );
        for price in [-5_000_i64, 9_000_000_000_000_000] {
            assert_eq!(
                pointers(|body| body["rooms"][0]["price"] = json!(price)),
                ["/rooms/0/price"]
            );
        }
        for minutes in [0, -1, i32::MAX] {
            assert_eq!(
                pointers(|body| body["minutes"] = json!(minutes)),
                ["/minutes"]
            );
        }
        assert_eq!(
            pointers(|body| body["rooms"][0]["children"] = json!([3, 18, -1])),
            ["/rooms/0/children/1", "/rooms/0/children/2"]
        );
        assert_eq!(
            pointers(|body| body["rooms"][0]["room_type_id"] = json!(RoomTypeId::HOUSE)),
            ["/rooms/0/room_type_id"]
        );
        assert_eq!(
            pointers(|body| body["external_id"] = json!("a\u{0}b")),
            ["/external_id"]
        );
        assert_eq!(
            pointers(|body| {
                let mut room = body["rooms"][0].clone();
                room["check_out"] = json!("2028-06-09");
                body["rooms"] = Value::Array(vec![room; 6]);
            }),
            ["/rooms"],
            "more nights than one command may touch"
        );
    }

    #[test]
    fn a_day_use_has_no_night_and_says_so() {
        assert!(
            pointers(|body| {
                body["rooms"][0]["check_out"] = json!("2027-06-10");
                body["rooms"][0]["day_use"] = json!(true);
            })
            .is_empty()
        );
        assert_eq!(
            pointers(|body| body["rooms"][0]["day_use"] = json!(true)),
            ["/rooms/0/check_out"]
        );
    }

    #[test]
    fn one_reservation_id_names_one_room() {
        let repeated = pointers(|body| {
            body["rooms"][0]["reservation_id"] = json!("00000000-0000-7000-8000-000000000009");
            let room = body["rooms"][0].clone();
            body["rooms"].as_array_mut().unwrap().push(room);
        });
        assert_eq!(repeated, ["/rooms/1/reservation_id"]);
    }
}
