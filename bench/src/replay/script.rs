//! Operations turned into runs that may be played side by side, and a room for every arrival.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail, ensure};
use chrono::NaiveDate;

use super::file::{Op, Operation};

/// The hotel that the files are played into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rooms per type, in the order given.
    pub rooms: Vec<(String, u32)>,
    /// Rooms of the house.
    pub house: i32,
    /// Percent by which the house may be oversold.
    pub house_overbook: i32,
    /// Percent by which each type may be oversold.
    pub type_overbook: i32,
}

/// `A=146,B=15` as types with their rooms.
pub fn parse_rooms(text: &str) -> Result<Vec<(String, u32)>> {
    let mut rooms: Vec<(String, u32)> = Vec::new();
    for part in text.split(',') {
        let (name, count) = part
            .split_once('=')
            .with_context(|| format!("`{part}` is not TYPE=ROOMS"))?;
        let name = name.trim();
        let count = count
            .trim()
            .parse()
            .with_context(|| format!("`{count}` rooms of type {name}"))?;
        ensure!(!name.is_empty(), "a type without a name");
        ensure!(
            rooms.iter().all(|(known, _)| known != name),
            "type {name} is given twice"
        );
        rooms.push((name.to_owned(), count));
    }
    Ok(rooms)
}

/// One business date.
#[derive(Clone, Debug)]
pub struct Day {
    /// The date.
    pub date: NaiveDate,
    /// Runs, one after the other; operations inside a run touch different reservations and need no
    /// order among themselves.
    pub runs: Vec<Vec<Step>>,
}

/// One operation, with the room that its guest gets or leaves.
#[derive(Clone, Debug)]
pub struct Step {
    /// Place in the file's operations.
    pub operation: usize,
    /// Place of the room among those of its type.
    pub room: Option<u32>,
}

/// Every day from the first operation to the last, those without any operation too.
pub fn days(operations: &[Operation], shape: &Shape) -> Result<Vec<Day>> {
    let (Some(first), Some(last)) = (operations.first(), operations.last()) else {
        bail!("no operations");
    };
    let known: HashMap<&str, u32> = shape
        .rooms
        .iter()
        .map(|(name, rooms)| (name.as_str(), *rooms))
        .collect();
    for operation in operations {
        for kind in [&operation.reserved_type, &operation.assigned_type] {
            ensure!(
                known.contains_key(kind.as_str()),
                "{} is of type {kind}, which --rooms does not name",
                operation.id
            );
        }
    }
    let mut free: HashMap<&str, Vec<u32>> = known
        .iter()
        .map(|(name, rooms)| (*name, (0..*rooms).rev().collect()))
        .collect();
    let mut given: HashMap<&str, u32> = HashMap::new();
    let mut days: BTreeMap<NaiveDate, Vec<Vec<Step>>> =
        protocol::nights::dates(first.date, last.date + chrono::Days::new(1))
            .map(|date| (date, Vec::new()))
            .collect();
    for (place, operation) in operations.iter().enumerate() {
        let pool = free.entry(operation.assigned_type.as_str()).or_default();
        let room = match operation.op {
            Op::CheckIn => {
                let room = pool.pop();
                if let Some(room) = room {
                    given.insert(&operation.id, room);
                }
                room
            }
            Op::CheckOut => {
                let room = given.remove(operation.id.as_str());
                pool.extend(room);
                room
            }
            _ => None,
        };
        let runs = days.entry(operation.date).or_default();
        let step = Step {
            operation: place,
            room,
        };
        match runs.last_mut() {
            Some(run) if operations[run[0].operation].op.together(operation.op) => run.push(step),
            _ => runs.push(vec![step]),
        }
    }
    Ok(days
        .into_iter()
        .map(|(date, runs)| Day { date, runs })
        .collect())
}

/// How many nights must be open for sale so that every booking falls inside.
pub fn window_days(operations: &[Operation]) -> i32 {
    let most = operations
        .iter()
        .filter(|operation| operation.op == Op::Book)
        .map(|operation| (operation.departure - operation.date).num_days())
        .max()
        .unwrap_or(1);
    i32::try_from(most.max(1)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(date: &str, op: Op, id: &str, kind: &str) -> Operation {
        Operation {
            date: date.parse().unwrap(),
            op,
            id: id.to_owned(),
            reserved_type: kind.to_owned(),
            assigned_type: kind.to_owned(),
            arrival: "2016-01-02".parse().unwrap(),
            departure: "2016-01-04".parse().unwrap(),
            market_segment: String::new(),
            deposit_type: String::new(),
            price: 0,
        }
    }

    fn shape() -> Shape {
        Shape {
            rooms: parse_rooms("A=1,B=2").unwrap(),
            house: 3,
            house_overbook: 0,
            type_overbook: 0,
        }
    }

    #[test]
    fn runs_follow_the_file_and_every_day_is_there() {
        let operations = [
            operation("2016-01-01", Op::Book, "a", "A"),
            operation("2016-01-01", Op::Book, "b", "B"),
            operation("2016-01-02", Op::CheckIn, "a", "A"),
            operation("2016-01-02", Op::DayUse, "b", "B"),
            operation("2016-01-04", Op::CheckOut, "a", "A"),
        ];
        let days = days(&operations, &shape()).unwrap();
        assert_eq!(days.len(), 4);
        assert_eq!(days[0].runs[0].len(), 2);
        assert_eq!(days[1].runs.len(), 1, "both kinds of arrival in one run");
        assert!(days[2].runs.is_empty());
        assert_eq!(window_days(&operations), 3);
    }

    #[test]
    fn a_room_is_given_once_until_it_is_left() {
        let operations = [
            operation("2016-01-01", Op::Book, "a", "A"),
            operation("2016-01-01", Op::Book, "b", "A"),
            operation("2016-01-02", Op::CheckIn, "a", "A"),
            operation("2016-01-02", Op::CheckIn, "b", "A"),
            operation("2016-01-04", Op::CheckOut, "a", "A"),
        ];
        let days = days(&operations, &shape()).unwrap();
        let rooms: Vec<_> = days[1].runs[0].iter().map(|step| step.room).collect();
        assert_eq!(rooms, [Some(0), None]);
        assert_eq!(days[3].runs[0][0].room, Some(0));
    }

    #[test]
    fn a_type_that_is_not_named_is_a_clear_sentence() {
        let operations = [operation("2016-01-01", Op::Book, "a", "Z")];
        let error = days(&operations, &shape()).unwrap_err().to_string();
        assert!(
            error.contains("type Z") && error.contains("--rooms"),
            "{error}"
        );
        assert!(parse_rooms("A=1,A=2").is_err() && parse_rooms("A").is_err());
    }
}
