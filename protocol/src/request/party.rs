//! A guest with a reservation of their own in another's room, and acts on a party as a whole.

use chrono::NaiveDate;

use crate::code::Problem;
use crate::id::{GuestId, ReservationId, RoomId};
use crate::request::StayNow;

crate::words! {
    /// What becomes of those who share a room when the guest whose room it is goes.
    pub enum Sharers {
        /// They stay: the first of them takes over the nights ahead and the room.
        Stay = "stay",
        /// They go as well.
        Leave = "leave",
    }
}

crate::words! {
    /// Whether a party is dealt with whole or room by room.
    pub enum PartyMode {
        /// All or none: the first room that is refused refuses them all.
        All = "all",
        /// Each for itself: what is refused stays as it is, and the others go on.
        Each = "each",
    }
}

crate::wire! {
    /// `POST /reservations/{id}/share`: a further guest in this room, with a reservation of their own
    /// that counts no night.
    pub struct ShareRequest {
        /// Made by the desk; by the server where absent.
        #[serde(default)]
        pub reservation_id: Option<ReservationId>,
        /// Who.
        #[serde(default)]
        pub guest_id: Option<GuestId>,
        /// 1 to 20.
        pub adults: i32,
        /// A child's age each, 0 to 17.
        #[serde(default)]
        pub children: Vec<i32>,
        /// Day of arrival, within the stay of the room; where absent that of the stay, or the open day
        /// when the guest whose room it is has come before.
        #[serde(default)]
        pub check_in: Option<NaiveDate>,
        /// Day of departure, within the stay of the room; that of the stay where absent.
        #[serde(default)]
        pub check_out: Option<NaiveDate>,
        /// What this guest pays a night, in minor units; nothing where absent.
        #[serde(default)]
        pub price: Option<i64>,
    }
}

crate::wire! {
    /// One room of an act on a party.
    pub struct PartyRoom {
        /// Which.
        pub reservation_id: ReservationId,
        /// The room; for a check-in the assigned one where absent.
        #[serde(default)]
        pub room_id: Option<RoomId>,
        /// The clerk saw that the room is not clean and gives it all the same.
        #[serde(default)]
        pub room_not_ready_accepted: bool,
    }
}

crate::wire! {
    /// `POST /bookings/{id}/assign`, `/check-in` and `/check-out`: a party as a whole.
    pub struct PartyRequest {
        /// All or none, or each for itself.
        pub mode: PartyMode,
        /// The rooms that are meant; every room of the party that can take this step where empty.
        #[serde(default)]
        pub rooms: Vec<PartyRoom>,
        /// Of a check-out: it is known that the party leaves before its day.
        #[serde(default)]
        pub early: bool,
    }
}

crate::wire! {
    /// What became of one room of a party.
    pub struct PartyResult {
        /// Which.
        pub reservation_id: ReservationId,
        /// Why it stays as it was; absent where it was done.
        #[serde(default)]
        pub problem: Option<Problem>,
    }
}

crate::wire! {
    /// The answer to an act on a party: at least one room was done. Where none is, the whole request is
    /// refused with what refused the first.
    pub struct PartyAnswer {
        /// Number of the event that wrote it.
        pub seq: i64,
        /// Room by room, in the order asked.
        pub results: Vec<PartyResult>,
        /// Those that were done, as they stand.
        pub reservations: Vec<StayNow>,
    }
}
