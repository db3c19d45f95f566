//! What is asked of the authority, and what it answers. Answers are stored for repeated keys, so
//! they hold ids, states, dates and money, never a guest's name or free text (N13).

use chrono::{DateTime, NaiveDate, NaiveTime, Timelike, Utc};

use crate::id::{
    BookingId, DeviceId, GuestId, HotelId, RatePlanId, ReservationId, RoomId, RoomTypeId,
    RoomUseId, StaffId,
};
use crate::role::Role;
use crate::row::{BookingRow, ReservationNight, ReservationRow, RoomUseRow};
use crate::state::{
    Channel, Guarantee, Lateness, NoShowNights, ReservationState, RoomStatus, RoomUseKind, Segment,
};

mod absence;
mod party;
mod right;
mod stay;

pub use absence::{NoShowsRequest, NothingMore, PoliciesRequest};
pub use party::{
    PartyAnswer, PartyMode, PartyRequest, PartyResult, PartyRoom, ShareRequest, Sharers,
};
pub use right::PutRightRequest;
pub use stay::{
    CHANGED_NIGHTS_MAX, ChangeBookingRequest, ChangeStayRequest, NightChange, RoomChange,
    StayAnswer, StayNow,
};

/// The most rooms in one booking.
pub const ROOMS_MAX: usize = 50;
/// The most adults in one room.
pub const ADULTS_MAX: i32 = 20;
/// The most children in one room.
pub const CHILDREN_MAX: usize = 10;
/// The longest `Idempotency-Key`, in characters.
pub const KEY_CHARS_MAX: usize = 128;
/// The largest request body, in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;
/// The most nights that one command may touch (design section 4).
pub const COMMAND_NIGHTS_MAX: usize = 2_000;
/// The most events in one page of the log.
pub const EVENTS_MAX: i64 = 1_000;
/// The longest long poll, in seconds.
pub const WAIT_SECONDS_MAX: u64 = 30;

/// A time of the day that any database can hold: no leap second, no part of a second.
fn whole_seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<NaiveTime>, D::Error> {
    let time: Option<NaiveTime> = serde::Deserialize::deserialize(from)?;
    if time.is_some_and(|time| time.nanosecond() != 0) {
        return Err(serde::de::Error::custom("a time such as 21:30:00"));
    }
    Ok(time)
}

crate::wire! {
    /// Who wants in.
    pub struct SignIn {
        /// `ana`, or `ana@miramar` where several hotels know the name.
        pub name: String,
        /// Password.
        pub password: String,
        /// The desk's own id, made once when it was installed.
        #[serde(default)]
        pub device_id: Option<DeviceId>,
        /// What people call the desk: `desk 1`.
        #[serde(default)]
        pub device_name: Option<String>,
    }
}

crate::wire! {
    /// A token, and whose it is.
    pub struct SignedIn {
        /// Sent as `Authorization: Bearer ...`. Kept in the keyring, hashed at the server.
        pub token: String,
        /// When it ends.
        pub expires_at: DateTime<Utc>,
        /// The one hotel that it opens (N12).
        pub hotel_id: HotelId,
        /// That hotel's name.
        pub hotel_name: String,
        /// Who.
        pub staff_id: StaffId,
        /// Name for people.
        pub display_name: String,
        /// Role.
        pub role: Role,
    }
}

crate::wire! {
    /// `GET /v1/me`: whose token this is.
    pub struct Me {
        /// The one hotel that it opens (N12).
        pub hotel_id: HotelId,
        /// That hotel's name.
        pub hotel_name: String,
        /// Its short name in sign-in.
        pub hotel_slug: String,
        /// Who.
        pub staff_id: StaffId,
        /// Name for people.
        pub display_name: String,
        /// Role.
        pub role: Role,
        /// At which desk.
        pub device_id: Option<DeviceId>,
    }
}

crate::wire! {
    /// One room of a hold.
    pub struct RoomRequest {
        /// Made by the desk; by the server where absent.
        #[serde(default)]
        pub reservation_id: Option<ReservationId>,
        /// The type.
        pub room_type_id: RoomTypeId,
        /// Day of arrival.
        pub check_in: NaiveDate,
        /// Day of departure: after arrival, or the same day with `day_use`.
        pub check_out: NaiveDate,
        /// 1 to [`ADULTS_MAX`].
        pub adults: i32,
        /// A child's age each, 0 to 17.
        #[serde(default)]
        pub children: Vec<i32>,
        /// The main guest, if already known.
        #[serde(default)]
        pub guest_id: Option<GuestId>,
        /// The price plan; the hotel's first where absent.
        #[serde(default)]
        pub rate_plan_id: Option<RatePlanId>,
        /// An agreed price for every night in minor units, instead of the rate's.
        #[serde(default)]
        pub price: Option<i64>,
        /// The part of the market.
        #[serde(default)]
        pub segment: Option<Segment>,
        /// Takes no night.
        #[serde(default)]
        pub day_use: bool,
    }
}

crate::wire! {
    /// `POST /holds`: a booking of 1 to [`ROOMS_MAX`] rooms, all or none (N3).
    pub struct HoldRequest {
        /// Made by the desk; by the server where absent.
        #[serde(default)]
        pub booking_id: Option<BookingId>,
        /// Where it comes from.
        #[serde(default)]
        pub channel: Option<Channel>,
        /// The number by which a channel knows it.
        #[serde(default)]
        pub external_id: Option<String>,
        /// How long to hold, in minutes; the hotel's setting where absent, and never longer than the
        /// hotel's longest.
        #[serde(default)]
        pub minutes: Option<i32>,
        /// The rooms.
        pub rooms: Vec<RoomRequest>,
    }
}

crate::wire! {
    /// One room of an answer.
    pub struct HeldRoom {
        /// Id.
        pub reservation_id: ReservationId,
        /// Its nights with the price of each.
        pub nights: Vec<ReservationNight>,
    }
}

crate::wire! {
    /// `201`: the nights are counted until `expires_at`.
    pub struct HoldAnswer {
        /// Number of the event that wrote it.
        pub seq: i64,
        /// The booking.
        pub booking_id: BookingId,
        /// The confirmation number to tell the guest.
        pub number: String,
        /// When the hold runs out, by the database's clock.
        pub expires_at: DateTime<Utc>,
        /// The rooms, in the order asked.
        pub rooms: Vec<HeldRoom>,
    }
}

crate::wire! {
    /// `POST /bookings/{id}/renew`.
    pub struct RenewRequest {
        /// How long from now, in minutes; the hotel's setting where absent.
        #[serde(default)]
        pub minutes: Option<i32>,
    }
}

crate::wire! {
    /// What confirming says of one room.
    pub struct ConfirmRoom {
        /// Which.
        pub reservation_id: ReservationId,
        /// The main guest.
        #[serde(default)]
        pub guest_id: Option<GuestId>,
        /// The others.
        #[serde(default)]
        pub further_guest_ids: Vec<GuestId>,
        /// Free text.
        #[serde(default)]
        pub notes: Option<String>,
        /// When the guest is expected, hotel time.
        #[serde(default, deserialize_with = "whole_seconds")]
        pub expected_time: Option<NaiveTime>,
    }
}

crate::wire! {
    /// `POST /bookings/{id}/confirm`: every held room of the booking, all or none.
    pub struct ConfirmRequest {
        /// What stands behind it.
        pub guarantee: Guarantee,
        /// What is known of each room by now; rooms left out are confirmed as they are.
        #[serde(default)]
        pub rooms: Vec<ConfirmRoom>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/cancel` and `POST /bookings/{id}/cancel`.
    #[derive(Default)]
    pub struct CancelRequest {
        /// A word on why: `guest`, `released`, `duplicate`, `not_wanted`, `hotel`.
        #[serde(default)]
        pub reason: Option<String>,
        /// What becomes of those who share the room; they stay where nothing is said. Of a whole booking
        /// all go.
        #[serde(default)]
        pub sharers: Option<Sharers>,
    }
}

crate::wire! {
    /// `PUT /guests/{id}`: makes or replaces a profile.
    pub struct GuestRequest {
        /// The version that was read; absent for a new guest.
        #[serde(default)]
        pub version: Option<i64>,
        /// As typed.
        pub name: String,
        /// As typed.
        #[serde(default)]
        pub email: Option<String>,
        /// As typed.
        #[serde(default)]
        pub phone: Option<String>,
        /// Whom the guest works for.
        #[serde(default)]
        pub company: Option<String>,
        /// ISO 639-1.
        #[serde(default)]
        pub language: Option<String>,
        /// ISO 3166-1.
        #[serde(default)]
        pub country: Option<String>,
        /// Wishes and warnings.
        #[serde(default)]
        pub notes: String,
        /// To be greeted by the manager.
        #[serde(default)]
        pub vip: bool,
    }
}

crate::wire! {
    /// `PATCH /reservations/{id}`: what may change without touching a night. Absent fields stay.
    pub struct DetailsRequest {
        /// The version that was read: somebody else's change in between is refused (B65).
        pub version: i64,
        /// Adults.
        #[serde(default)]
        pub adults: Option<i32>,
        /// Ages.
        #[serde(default)]
        pub children: Option<Vec<i32>>,
        /// Main guest.
        #[serde(default)]
        pub guest_id: Option<GuestId>,
        /// The others.
        #[serde(default)]
        pub further_guest_ids: Option<Vec<GuestId>>,
        /// What stands behind it.
        #[serde(default)]
        pub guarantee: Option<Guarantee>,
        /// Free text.
        #[serde(default)]
        pub notes: Option<String>,
        /// Hotel time.
        #[serde(default, deserialize_with = "whole_seconds")]
        pub expected_time: Option<NaiveTime>,
        /// Nobody knows the hour any more: takes the expected time away.
        #[serde(default)]
        pub expected_time_unknown: bool,
        /// The room was promised.
        #[serde(default)]
        pub do_not_move: Option<bool>,
        /// Whether the guest is expected on time. Of a stay that is promised.
        #[serde(default)]
        pub lateness: Option<Lateness>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/assign`: a room for the whole stay (from tonight on when in house),
    /// or none.
    pub struct AssignRequest {
        /// The room; absent takes the assignment away.
        #[serde(default)]
        pub room_id: Option<RoomId>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/check-in`.
    pub struct CheckInRequest {
        /// The room; the assigned one where absent. A check-in without any room is legal.
        #[serde(default)]
        pub room_id: Option<RoomId>,
        /// The clerk saw that the room is not clean and gives it all the same.
        #[serde(default)]
        pub room_not_ready_accepted: bool,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/check-out`: ends the stay; nights not slept are given back.
    #[derive(Default)]
    pub struct CheckOutRequest {
        /// The clerk knows that the guest leaves before the day of departure.
        #[serde(default)]
        pub early: bool,
        /// A fee for leaving early, in minor units: noted as a fact and nothing more. Only with `early`.
        #[serde(default)]
        pub early_departure_fee: Option<i64>,
        /// What becomes of those who share the room; they stay where nothing is said.
        #[serde(default)]
        pub sharers: Option<Sharers>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/no-show`.
    #[derive(Default)]
    pub struct NoShowRequest {
        /// Keep the night of arrival counted (for the fee, or because the guest may still come).
        #[serde(default)]
        pub keep_first_night: bool,
        /// What becomes of the later nights; by the hotel's setting where nothing is said, and kept for a
        /// person to decide where the guest is prepaid, of an agency or a group, or expected the day after.
        #[serde(default)]
        pub later_nights: Option<NoShowNights>,
        /// A fee for not having come, in minor units: noted as a fact and nothing more.
        #[serde(default)]
        pub fee: Option<i64>,
        /// What becomes of those who share the room; they stay where nothing is said.
        #[serde(default)]
        pub sharers: Option<Sharers>,
    }
}

crate::wire! {
    /// `POST /reservations/{id}/upgrade`: the nights ahead move to another type's count; the charged
    /// type stays.
    pub struct UpgradeRequest {
        /// The type that is given.
        pub room_type_id: RoomTypeId,
        /// A word on why: `courtesy`, `oversold`, `room_failed`, `vip`, `replay`.
        #[serde(default)]
        pub reason: Option<String>,
    }
}

crate::wire! {
    /// `POST /staff/{id}/access`.
    pub struct StaffAccessRequest {
        /// Whether this colleague may sign in.
        pub active: bool,
    }
}

crate::wire! {
    /// `POST /rooms/{id}/status`.
    pub struct RoomStatusRequest {
        /// What housekeeping sees.
        pub status: RoomStatus,
    }
}

crate::wire! {
    /// `POST /rooms/{id}/block`: a period out of order or out of service.
    pub struct BlockRequest {
        /// Made by the desk; by the server where absent.
        #[serde(default)]
        pub room_use_id: Option<RoomUseId>,
        /// `out_of_order` or `out_of_service`.
        pub kind: RoomUseKind,
        /// First night.
        pub from: NaiveDate,
        /// End, exclusive.
        pub until: NaiveDate,
        /// A word on why.
        pub reason: String,
    }
}

crate::words! {
    /// What to do with nights that stand above a lowered limit.
    pub enum AboveLimit {
        /// Leave them, counted as over the limit, and sell nothing until they are below again.
        WashDown = "wash_down",
        /// Change nothing and name the nights.
        Refuse = "refuse",
    }
}

crate::wire! {
    /// `POST /overbooking`: percent and rooms over a range of nights.
    pub struct OverbookingRequest {
        /// The type, or [`RoomTypeId::HOUSE`].
        pub room_type_id: RoomTypeId,
        /// First night.
        pub from: NaiveDate,
        /// End, exclusive.
        pub until: NaiveDate,
        /// -100 to 1000.
        pub overbook_pct: i32,
        /// May be negative.
        pub overbook_rooms: i32,
        /// What to do with nights that are above it already.
        pub above_limit: AboveLimit,
        /// A word on why.
        pub reason: String,
    }
}

crate::wire! {
    /// `POST /night-audit/roll`: closes the named day and opens the next.
    pub struct RollRequest {
        /// The day to close; refused when it is not the open one, so that no day is rolled twice.
        pub business_date: NaiveDate,
    }
}

crate::wire! {
    /// `PUT /room-types/{id}`: makes or replaces a type. Its rooms are counted by themselves.
    pub struct PutRoomType {
        /// `STD`.
        pub code: String,
        /// `Standard double`.
        pub name: String,
        /// Adults and children together, 1 to 30.
        pub max_occupancy: i32,
        /// Order on screens, low first.
        pub sort: i32,
        /// Whether it is still sold; only a type without rooms can be given up.
        pub active: bool,
        /// Percent above the rooms, for nights that the window has not reached yet.
        #[serde(default)]
        pub overbook_pct: i32,
        /// Rooms above the rooms, for such nights.
        #[serde(default)]
        pub overbook_rooms: i32,
    }
}

crate::wire! {
    /// `PUT /rooms/{id}`: makes or replaces a room; the counters of its type and of the house follow
    /// from the business date on.
    pub struct PutRoom {
        /// The version that was read; absent for a new room.
        #[serde(default)]
        pub version: Option<i64>,
        /// The type it counts for.
        pub room_type_id: RoomTypeId,
        /// What stands on the door.
        pub number: String,
        /// Floor, as people call it.
        pub floor: String,
        /// `sea_view`, `bath`, ...
        #[serde(default)]
        pub features: Vec<String>,
        /// Whether it exists for assignment and is counted.
        pub active: bool,
    }
}

crate::wire! {
    /// `PUT /rates`: one price and its rules over a range of nights of one plan and type.
    pub struct PutRates {
        /// The plan.
        pub rate_plan_id: RatePlanId,
        /// The type.
        pub room_type_id: RoomTypeId,
        /// First night.
        pub from: NaiveDate,
        /// End, exclusive.
        pub until: NaiveDate,
        /// Only on these days, 1 (Monday) to 7; every day where empty.
        #[serde(default)]
        pub weekdays: Vec<u8>,
        /// Minor units.
        pub price: i64,
        /// Least nights for a stay that arrives on such a night.
        #[serde(default)]
        pub min_stay: Option<i32>,
        /// Most nights for a stay that arrives on such a night.
        #[serde(default)]
        pub max_stay: Option<i32>,
        /// Nobody may arrive.
        #[serde(default)]
        pub closed_to_arrival: bool,
        /// Nobody may depart.
        #[serde(default)]
        pub closed_to_departure: bool,
        /// Not sold at all.
        #[serde(default)]
        pub stop_sell: bool,
    }
}

crate::wire! {
    /// The answer to every command that needs no more: what changed, in which event.
    pub struct CommandAnswer {
        /// Number of the event that wrote it.
        pub seq: i64,
        /// The reservations touched, with their new state.
        #[serde(default)]
        pub reservations: Vec<ReservationNow>,
    }
}

crate::wire! {
    /// A reservation's new state in an answer.
    pub struct ReservationNow {
        /// Which.
        pub id: ReservationId,
        /// Where it stands now.
        pub state: ReservationState,
        /// Its version now.
        pub version: i64,
        /// When a hold runs out.
        #[serde(default)]
        pub hold_expires_at: Option<DateTime<Utc>>,
    }
}

crate::wire! {
    /// One night of an availability answer.
    pub struct NightLeft {
        /// The night.
        pub stay_date: NaiveDate,
        /// What may still be sold of the type, never below 0 and never more than the house has left.
        pub left: i64,
        /// Minor units; absent where no price is set.
        pub price: Option<i64>,
    }
}

crate::wire! {
    /// One type of an availability answer.
    pub struct TypeLeft {
        /// The type.
        pub room_type_id: RoomTypeId,
        /// Night by night.
        pub nights: Vec<NightLeft>,
        /// The least left over all nights.
        pub left: i64,
        /// The price of the whole stay of one room; absent where a night has none.
        pub total: Option<i64>,
        /// Rules that forbid this stay: `min_stay`, `max_stay`, `closed_to_arrival`,
        /// `closed_to_departure`, `stop_sell`.
        pub restrictions: Vec<String>,
    }
}

crate::wire! {
    /// `GET /quote?check_in=&check_out=`.
    pub struct Quote {
        /// Day of arrival.
        pub check_in: NaiveDate,
        /// Day of departure.
        pub check_out: NaiveDate,
        /// ISO 4217.
        pub currency: String,
        /// Every type, in the hotel's order.
        pub types: Vec<TypeLeft>,
    }
}

crate::wire! {
    /// `GET /reservations/{id}`.
    pub struct ReservationView {
        /// The reservation with its nights and notes.
        pub reservation: ReservationRow,
        /// Its rooms, in the order of time.
        pub room_uses: Vec<RoomUseRow>,
    }
}

crate::wire! {
    /// `GET /bookings/{id}`.
    pub struct BookingView {
        /// The party.
        pub booking: BookingRow,
        /// Its reservations.
        pub reservations: Vec<ReservationView>,
    }
}
