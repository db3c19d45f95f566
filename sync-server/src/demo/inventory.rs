//! What the generator knows of nights and rooms, so that it asks for nothing that would be refused.

use chrono::NaiveDate;

use super::house::TYPES;

/// Counts per type and night with the house last, and each room's periods in use.
#[derive(Debug)]
pub(super) struct Inventory {
    first: NaiveDate,
    counted: Vec<[i32; KINDS + 1]>,
    limit: Vec<[i32; KINDS + 1]>,
    kinds: Vec<usize>,
    used: Vec<Vec<(NaiveDate, NaiveDate)>>,
}

const KINDS: usize = TYPES.len();
const HOUSE: usize = KINDS;

impl Inventory {
    /// Empty nights from `first` on; `kinds` has the type of each room.
    pub(super) fn new(first: NaiveDate, nights: usize, kinds: Vec<usize>) -> Self {
        let mut limit = [0; KINDS + 1];
        for (kind, spec) in TYPES.iter().enumerate() {
            limit[kind] = spec.rooms + spec.overbook_rooms;
            limit[HOUSE] += spec.rooms;
        }
        Self {
            first,
            counted: vec![[0; KINDS + 1]; nights],
            limit: vec![limit; nights],
            used: vec![Vec::new(); kinds.len()],
            kinds,
        }
    }

    fn range(&self, from: NaiveDate, until: NaiveDate) -> std::ops::Range<usize> {
        let at =
            |date: NaiveDate| usize::try_from((date - self.first).num_days().max(0)).unwrap_or(0);
        at(from)..at(until)
    }

    /// What is left of a type over all the nights; the house may have less.
    pub(super) fn left(&self, kind: usize, from: NaiveDate, until: NaiveDate) -> i32 {
        self.range(from, until)
            .map(|night| {
                let left = |row: usize| self.limit[night][row] - self.counted[night][row];
                left(kind).min(left(HOUSE))
            })
            .min()
            .unwrap_or(i32::MAX)
    }

    /// What is left of a type by its own limit alone, for moves from one type to another.
    pub(super) fn left_of_type(&self, kind: usize, from: NaiveDate, until: NaiveDate) -> i32 {
        self.range(from, until)
            .map(|night| self.limit[night][kind] - self.counted[night][kind])
            .min()
            .unwrap_or(i32::MAX)
    }

    /// What is left of the house over all the nights.
    pub(super) fn left_of_house(&self, from: NaiveDate, until: NaiveDate) -> i32 {
        self.left_of_type(HOUSE, from, until)
    }

    /// Counts rooms of a type, or gives them back.
    pub(super) fn count(&mut self, kind: usize, from: NaiveDate, until: NaiveDate, rooms: i32) {
        for night in self.range(from, until) {
            self.counted[night][kind] += rooms;
            self.counted[night][HOUSE] += rooms;
        }
    }

    /// Lowers (or raises again) the limit of a type and the house by rooms out of order.
    pub(super) fn out_of_order(&mut self, kind: usize, from: NaiveDate, until: NaiveDate) {
        for night in self.range(from, until) {
            self.limit[night][kind] -= 1;
            self.limit[night][HOUSE] -= 1;
        }
    }

    /// Raises the limit of the house alone.
    pub(super) fn raise_house(&mut self, night: NaiveDate, rooms: i32) {
        for night in self.range(night, night + chrono::Days::new(1)) {
            self.limit[night][HOUSE] += rooms;
        }
    }

    /// Whether nobody uses the room in the period.
    pub(super) fn is_free(&self, room: usize, from: NaiveDate, until: NaiveDate) -> bool {
        self.used[room]
            .iter()
            .all(|(begin, end)| until <= *begin || *end <= from)
    }

    /// The free rooms of a type.
    pub(super) fn free_rooms(&self, kind: usize, from: NaiveDate, until: NaiveDate) -> Vec<usize> {
        (0..self.kinds.len())
            .filter(|room| self.kinds[*room] == kind && self.is_free(*room, from, until))
            .collect()
    }

    /// Uses the room.
    pub(super) fn occupy(&mut self, room: usize, from: NaiveDate, until: NaiveDate) {
        self.used[room].push((from, until));
    }

    /// Ends the use that began on `from` at `now`; a use of no night is no use.
    pub(super) fn leave(&mut self, room: usize, from: NaiveDate, now: NaiveDate) {
        self.used[room].retain_mut(|period| {
            if period.0 == from {
                period.1 = now;
            }
            period.0 < period.1
        });
    }

    /// Forgets what ended before the day.
    pub(super) fn forget_before(&mut self, day: NaiveDate) {
        for uses in &mut self.used {
            uses.retain(|(_, until)| *until >= day);
        }
    }
}
