//! The log: one event for each command, with the whole new state of everything it changed (N9).

use chrono::{DateTime, NaiveDate, Utc};

use crate::id::{
    BookingId, DeviceId, EventId, GuestId, RatePlanId, ReservationId, RoomId, RoomTypeId,
    RoomUseId, StaffId,
};
use crate::row::{
    BookingRow, GuestRow, HotelRow, NightRow, RateRow, ReservationRow, RoomRow, RoomTypeRow,
    RoomUseRow, StaffRow,
};

crate::wire! {
    /// The new state of one thing, or its removal. A reader that meets an unknown kind stops pulling
    /// and says that an update is needed: serde refuses it, and [`Event`] keeps changes as they came
    /// until they are read one by one.
    #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
    pub enum Change {
        /// The hotel's settings or its business date.
        Hotel {
            /// The row.
            row: HotelRow,
        },
        /// A type.
        RoomType {
            /// The row.
            row: RoomTypeRow,
        },
        /// A room.
        Room {
            /// The row.
            row: RoomRow,
        },
        /// A price.
        Rate {
            /// The row.
            row: RateRow,
        },
        /// A counter.
        Night {
            /// The row.
            row: NightRow,
        },
        /// A party.
        Booking {
            /// The row.
            row: BookingRow,
        },
        /// A reservation with its nights.
        Reservation {
            /// The row.
            row: Box<ReservationRow>,
        },
        /// A room's use.
        RoomUse {
            /// The row.
            row: RoomUseRow,
        },
        /// A room's use that is no more.
        RoomUseRemoved {
            /// Which.
            id: RoomUseId,
        },
        /// A guest as stored in the log: by reference.
        GuestRef {
            /// Which.
            id: GuestId,
            /// The version that this command wrote.
            version: i64,
        },
        /// A guest as handed out by pull and snapshot: the present row.
        Guest {
            /// The row.
            row: GuestRow,
        },
        /// A colleague.
        Staff {
            /// The row.
            row: StaffRow,
        },
    }
}

crate::wire! {
    /// One decision of the authority.
    pub struct Event {
        /// Its number: per hotel, gapless, from 1.
        pub seq: i64,
        /// Its random id; with the number it names one point of one past.
        pub id: EventId,
        /// When, by the database's clock.
        pub at: DateTime<Utc>,
        /// On which open day.
        pub business_date: NaiveDate,
        /// Who.
        pub actor: StaffId,
        /// At which desk.
        pub device: Option<DeviceId>,
        /// What was done: `hold`, `confirm`, `check_in`, ...
        pub verb: String,
        /// A word on why, from a fixed list; never free text (N13).
        pub reason: Option<String>,
        /// The whole new state of everything that changed.
        pub changes: Vec<Change>,
    }
}

crate::wire! {
    /// The answer to a pull.
    pub struct EventPage {
        /// In order, without a gap, from `after + 1`; empty when nothing happened while waiting.
        pub events: Vec<Event>,
        /// The newest number of the log.
        pub head: i64,
        /// The newest event's id, so that an idle desk can tell a changed past.
        pub head_id: Option<EventId>,
        /// The server's past, changed by a restore.
        pub epoch: uuid::Uuid,
    }
}

crate::wire! {
    /// One page of a snapshot. `cursor` of one page is `after` of the next; absent on the last.
    pub struct SnapshotPage {
        /// Number of the newest event when the first page was read: pull from here.
        pub from: i64,
        /// Its id, absent for an empty log.
        pub from_id: Option<EventId>,
        /// The server's past.
        pub epoch: uuid::Uuid,
        /// How many rows there are in all; on the first page only, for the progress bar.
        pub rows_total: Option<i64>,
        /// Number of the newest event when the last page was read; on the last page only. The copy
        /// is a true state once it has pulled up to here.
        pub until: Option<i64>,
        /// The rows.
        pub changes: Vec<Change>,
        /// Where the next page begins.
        pub cursor: Option<String>,
    }
}

/// The thing that a change is about, for overlay and cache tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The hotel.
    Hotel,
    /// A type.
    RoomType(RoomTypeId),
    /// A room.
    Room(RoomId),
    /// A plan's price of a night.
    Rate(RatePlanId, RoomTypeId, NaiveDate),
    /// A counter of a night.
    Night(RoomTypeId, NaiveDate),
    /// A party.
    Booking(BookingId),
    /// A reservation.
    Reservation(ReservationId),
    /// A room's use.
    RoomUse(RoomUseId),
    /// A guest.
    Guest(GuestId),
    /// A colleague.
    Staff(StaffId),
}

impl Change {
    /// What this change is about.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Hotel { .. } => Subject::Hotel,
            Self::RoomType { row } => Subject::RoomType(row.id),
            Self::Room { row } => Subject::Room(row.id),
            Self::Rate { row } => Subject::Rate(row.rate_plan_id, row.room_type_id, row.stay_date),
            Self::Night { row } => Subject::Night(row.room_type_id, row.stay_date),
            Self::Booking { row } => Subject::Booking(row.id),
            Self::Reservation { row } => Subject::Reservation(row.id),
            Self::RoomUse { row } => Subject::RoomUse(row.id),
            Self::RoomUseRemoved { id } => Subject::RoomUse(*id),
            Self::GuestRef { id, .. } => Subject::Guest(*id),
            Self::Guest { row } => Subject::Guest(row.id),
            Self::Staff { row } => Subject::Staff(row.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn two_plans_prices_of_one_night_are_two_things() {
        let price = |plan: u128| Change::Rate {
            row: RateRow {
                rate_plan_id: RatePlanId(Uuid::from_u128(plan)),
                room_type_id: RoomTypeId::HOUSE,
                stay_date: NaiveDate::default(),
                price: 10_000,
                min_stay: None,
                max_stay: None,
                closed_to_arrival: false,
                closed_to_departure: false,
                stop_sell: false,
            },
        };
        assert_ne!(price(1).subject(), price(2).subject());
        assert_eq!(price(1).subject(), price(1).subject());
    }
}
