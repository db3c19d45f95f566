//! Requests that change a stay which is already promised, and the answer that says how it stands.

use chrono::{DateTime, NaiveDate, Utc};

use crate::id::{ReservationId, RoomId, RoomTypeId};
use crate::row::{ReservationNight, RoomUseRow};
use crate::state::ReservationState;

/// The most single nights that one change of a stay may name.
pub const CHANGED_NIGHTS_MAX: usize = 366;

crate::wire! {
    /// One night of a stay that is to be otherwise than its neighbours.
    pub struct NightChange {
        /// The night; it must lie in the stay as it will be.
        pub stay_date: NaiveDate,
        /// The type in which it is counted and charged from now on.
        #[serde(default)]
        pub room_type_id: Option<RoomTypeId>,
        /// Its price in minor units.
        #[serde(default)]
        pub price: Option<i64>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/change`: other dates, another type, or both, in one guarded step that
    /// moves only the difference. What is absent stays as it is.
    pub struct ChangeStayRequest {
        /// The version that was read: somebody else's change in between is refused (B65).
        pub version: i64,
        /// Day of arrival; fixed once the guest is in house.
        #[serde(default)]
        pub check_in: Option<NaiveDate>,
        /// Day of departure. Of a guest in house at the earliest the open day, which makes the guest
        /// due out and gives tonight back.
        #[serde(default)]
        pub check_out: Option<NaiveDate>,
        /// Another type for every night ahead, counted and charged.
        #[serde(default)]
        pub room_type_id: Option<RoomTypeId>,
        /// Single nights ahead that are to be of another type or price.
        #[serde(default)]
        pub nights: Vec<NightChange>,
        /// An agreed price for every new night in minor units, instead of the rate's. Nights that stay
        /// keep theirs.
        #[serde(default)]
        pub price: Option<i64>,
        /// This room from the first night on which the present one cannot be kept; for a guest who has
        /// not come yet, for the whole stay.
        #[serde(default)]
        pub room_id: Option<RoomId>,
        /// Stand without a room on the nights on which the present one cannot be kept.
        #[serde(default)]
        pub give_up_room: bool,
        /// Take the room from a stay that is only assigned to it and not yet in house.
        #[serde(default)]
        pub displace: bool,
        /// The room that the displaced stay is given instead; none where absent.
        #[serde(default)]
        pub displace_to: Option<RoomId>,
        /// Whoever shares a room has one of their own from tonight on: the nights ahead are counted.
        #[serde(default)]
        pub own_room: bool,
        /// Go above the limit where a night is full, and why: `overstay`, `vip`, `error`, `service`.
        /// Needs the right to exceed; the desk has it for one more night of a guest who was to leave.
        #[serde(default)]
        pub exceed: Option<String>,
        /// Pass over the rules of the rate (minimum stay, closed to arrival, ...). Needs a manager.
        #[serde(default)]
        pub ignore_rules: bool,
        /// A fee for leaving early, in minor units: noted as a fact and nothing more. Only when a guest
        /// in house leaves earlier.
        #[serde(default)]
        pub early_departure_fee: Option<i64>,
        /// A word on why: `guest`, `hotel`, `early_departure`, `overstay`, `error`, `channel`.
        #[serde(default)]
        pub reason: Option<String>,
    }
}

crate::wire! {
    /// One room of a party's change.
    pub struct RoomChange {
        /// Which.
        pub reservation_id: ReservationId,
        /// Give this room up instead of changing it; the other fields but `version` then say nothing.
        #[serde(default)]
        pub cancel: bool,
        /// As for one room.
        pub change: ChangeStayRequest,
    }
}

crate::wire! {
    /// `POST /bookings/{id}/change`: several rooms of a party in one guarded step, all or none. Rooms
    /// that are not named stay as they are. A room that one of them leaves is there for another.
    pub struct ChangeBookingRequest {
        /// The rooms.
        pub rooms: Vec<RoomChange>,
    }
}

crate::wire! {
    /// A stay as it stands after a command: all that the command may have changed of it.
    pub struct StayNow {
        /// Which.
        pub id: ReservationId,
        /// Where it stands now.
        pub state: ReservationState,
        /// Its version now.
        pub version: i64,
        /// When a hold runs out.
        #[serde(default)]
        pub hold_expires_at: Option<DateTime<Utc>>,
        /// Day of arrival.
        pub check_in: NaiveDate,
        /// Day of departure.
        pub check_out: NaiveDate,
        /// The type that was booked.
        pub room_type_id: RoomTypeId,
        /// Takes no night.
        pub day_use: bool,
        /// The reservation in whose room this guest shares.
        #[serde(default)]
        pub share_of: Option<ReservationId>,
        /// When the guest came.
        #[serde(default)]
        pub checked_in_at: Option<DateTime<Utc>>,
        /// When the guest left.
        #[serde(default)]
        pub checked_out_at: Option<DateTime<Utc>>,
        /// Its nights, in order.
        pub nights: Vec<ReservationNight>,
        /// Its rooms, in the order of time.
        pub room_uses: Vec<RoomUseRow>,
    }
}

crate::wire! {
    /// The answer to a command that changed stays: each of them as it stands, so that a desk shows it
    /// before the log brings it.
    pub struct StayAnswer {
        /// Number of the event that wrote it.
        pub seq: i64,
        /// The stays touched.
        pub reservations: Vec<StayNow>,
    }
}
