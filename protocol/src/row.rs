//! The rows that the log and the snapshot carry: the whole present state of one thing.
//!
//! A reader upserts them by id and needs no history. Images stored in the log hold no free text and
//! no personal data (N13): a guest stands in the stored event by id and version only, and the pull
//! joins the present row; the same goes for a reservation's `notes`.
//!
//! A field that this version does not know is refused and not dropped: a desk that would lose it must
//! be updated first (B67).

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

use crate::id::{
    BookingId, GuestId, HotelId, RatePlanId, ReservationId, RoomId, RoomTypeId, RoomUseId, StaffId,
};
use crate::role::Role;
use crate::state::{
    Channel, Guarantee, Lateness, NoShowNights, ReservationState, RoomStatus, RoomUseKind, Segment,
};

/// Left out of an image: a desk that is older than the field still reads every row that does not use it.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

crate::wire! {
    /// The property and its open day.
    #[serde(deny_unknown_fields)]
    pub struct HotelRow {
        /// Id.
        pub id: HotelId,
        /// Name for people.
        pub name: String,
        /// Short name in addresses and sign-in, such as `miramar`.
        pub slug: String,
        /// IANA name; used for showing instants and for hours of the day, never for nights.
        pub time_zone: String,
        /// ISO 4217.
        pub currency: String,
        /// The open day. Only the night audit moves it.
        pub business_date: NaiveDate,
        /// Hotel time from which rooms are ready.
        pub check_in_time: NaiveTime,
        /// Hotel time until which rooms are left.
        pub check_out_time: NaiveTime,
        /// Hotel time at which reservations without guarantee are listed for release.
        pub release_time: NaiveTime,
        /// How long a hold lasts unless renewed, in minutes.
        pub hold_minutes: i32,
        /// How long a hold may be renewed in all, in minutes.
        pub hold_minutes_max: i32,
        /// How many nights are kept open for sale from the business date.
        pub window_days: i32,
        /// Whether what nobody guarantees is released by itself at its hour.
        #[serde(default, skip_serializing_if = "is_default")]
        pub auto_release: bool,
        /// What becomes of the later nights of a guest who did not come.
        #[serde(default, skip_serializing_if = "is_default")]
        pub no_show_nights: NoShowNights,
    }
}

crate::wire! {
    /// The class that is sold.
    #[serde(deny_unknown_fields)]
    pub struct RoomTypeRow {
        /// Id.
        pub id: RoomTypeId,
        /// `STD`.
        pub code: String,
        /// `Standard double`.
        pub name: String,
        /// Adults and children together.
        pub max_occupancy: i32,
        /// Order on screens, low first.
        pub sort: i32,
        /// Whether it is still sold.
        pub active: bool,
    }
}

crate::wire! {
    /// One numbered room.
    #[serde(deny_unknown_fields)]
    pub struct RoomRow {
        /// Id.
        pub id: RoomId,
        /// The type it counts for.
        pub room_type_id: RoomTypeId,
        /// What stands on the door.
        pub number: String,
        /// Floor, as people call it.
        pub floor: String,
        /// What housekeeping last said.
        pub status: RoomStatus,
        /// `sea_view`, `bath`, `connecting:102`, ...
        pub features: Vec<String>,
        /// Whether it exists for assignment.
        pub active: bool,
        /// Raised by each change.
        pub version: i64,
    }
}

crate::wire! {
    /// The price of one type and night, with the rules of sale.
    #[serde(deny_unknown_fields)]
    pub struct RateRow {
        /// The plan.
        pub rate_plan_id: RatePlanId,
        /// The type.
        pub room_type_id: RoomTypeId,
        /// The night.
        pub stay_date: NaiveDate,
        /// Minor units.
        pub price: i64,
        /// Least nights for a stay that arrives on this night.
        pub min_stay: Option<i32>,
        /// Most nights for a stay that arrives on this night.
        pub max_stay: Option<i32>,
        /// Nobody may arrive.
        pub closed_to_arrival: bool,
        /// Nobody may depart.
        pub closed_to_departure: bool,
        /// Not sold at all.
        pub stop_sell: bool,
    }
}

crate::wire! {
    /// The counter of one type (or the house) and night.
    #[serde(deny_unknown_fields)]
    pub struct NightRow {
        /// The type, or [`RoomTypeId::HOUSE`].
        pub room_type_id: RoomTypeId,
        /// The night.
        pub stay_date: NaiveDate,
        /// Rooms that exist.
        pub total: i32,
        /// Of these not sellable.
        pub out_of_order: i32,
        /// Sold, on hold, or lent to a desk.
        pub reserved: i32,
        /// Of these above the limit, knowingly.
        pub over_limit: i32,
        /// Percent above (or below) the rooms.
        pub overbook_pct: i32,
        /// Rooms above (or below) the rooms.
        pub overbook_rooms: i32,
    }
}

impl NightRow {
    /// How many may be sold.
    pub fn limit(&self) -> i64 {
        crate::sell_limit::sell_limit(
            self.total,
            self.out_of_order,
            self.overbook_pct,
            self.overbook_rooms,
        )
    }

    /// How many are left; below zero when the night is over the limit.
    pub fn left(&self) -> i64 {
        self.limit() - i64::from(self.reserved)
    }
}

crate::wire! {
    /// What joins the reservations of a party.
    #[serde(deny_unknown_fields)]
    pub struct BookingRow {
        /// Id.
        pub id: BookingId,
        /// The confirmation number.
        pub number: String,
        /// Where it came from.
        pub channel: Channel,
        /// The number by which the channel or company knows it.
        pub external_id: Option<String>,
        /// When it was first held.
        pub created_at: DateTime<Utc>,
    }
}

crate::wire! {
    /// One night of a reservation.
    #[serde(deny_unknown_fields)]
    pub struct ReservationNight {
        /// The night.
        pub stay_date: NaiveDate,
        /// The type in whose count it stands.
        pub room_type_id: RoomTypeId,
        /// The type that the guest pays for.
        pub charged_type_id: RoomTypeId,
        /// Minor units, fixed when held.
        pub price: i64,
        /// Whether it stands in `reserved` at present.
        pub counted: bool,
        /// Of no count of its own: slept in the room of the reservation that this one shares with.
        #[serde(default, skip_serializing_if = "is_default")]
        pub shared: bool,
    }
}

crate::wire! {
    /// One room for one stay.
    #[serde(deny_unknown_fields)]
    pub struct ReservationRow {
        /// Id.
        pub id: ReservationId,
        /// Its party.
        pub booking_id: BookingId,
        /// Where it stands.
        pub state: ReservationState,
        /// Day of arrival.
        pub check_in: NaiveDate,
        /// Day of departure.
        pub check_out: NaiveDate,
        /// The type that was booked.
        pub room_type_id: RoomTypeId,
        /// Adults, 1 or more.
        pub adults: i32,
        /// A child's age each.
        pub children: Vec<i32>,
        /// The main guest.
        pub guest_id: Option<GuestId>,
        /// The others in the room.
        pub further_guest_ids: Vec<GuestId>,
        /// What stands behind it.
        pub guarantee: Guarantee,
        /// When it is listed for release, if nothing stands behind it.
        pub release_at: Option<DateTime<Utc>>,
        /// When a hold runs out, by the database's clock (N7).
        pub hold_expires_at: Option<DateTime<Utc>>,
        /// The price plan.
        pub rate_plan_id: Option<RatePlanId>,
        /// The part of the market.
        pub segment: Segment,
        /// When the guest is expected, hotel time.
        pub expected_time: Option<NaiveTime>,
        /// The room was promised; assignment may not be changed lightly.
        pub do_not_move: bool,
        /// Takes no night; needs a room free between departure and arrival.
        pub day_use: bool,
        /// The reservation in whose room this guest shares.
        pub share_of: Option<ReservationId>,
        /// When the guest came.
        pub checked_in_at: Option<DateTime<Utc>>,
        /// When the guest left.
        pub checked_out_at: Option<DateTime<Utc>>,
        /// Free text; joined by the pull, never in the stored log (N13).
        #[serde(default)]
        pub notes: String,
        /// Raised by each change.
        pub version: i64,
        /// When it was made.
        pub created_at: DateTime<Utc>,
        /// Whether the guest is expected on time.
        #[serde(default, skip_serializing_if = "is_default")]
        pub lateness: Lateness,
        /// What is asked for leaving early, in minor units; a fact, no bill.
        #[serde(default, skip_serializing_if = "is_default")]
        pub early_departure_fee: Option<i64>,
        /// What is asked for not having come, in minor units; a fact, no bill.
        #[serde(default, skip_serializing_if = "is_default")]
        pub no_show_fee: Option<i64>,
        /// Its nights, in order.
        pub nights: Vec<ReservationNight>,
    }
}

crate::wire! {
    /// One use of a room over `[from, until)`.
    #[serde(deny_unknown_fields)]
    pub struct RoomUseRow {
        /// Id.
        pub id: RoomUseId,
        /// The room.
        pub room_id: RoomId,
        /// First night.
        pub from: NaiveDate,
        /// The day it ends, exclusive.
        pub until: NaiveDate,
        /// Stay, out of order, out of service.
        pub kind: RoomUseKind,
        /// Whose stay.
        pub reservation_id: Option<ReservationId>,
        /// A word on why, for periods: `paint`, `water`, `furniture`, ...
        pub reason: Option<String>,
    }
}

crate::wire! {
    /// A guest's profile. An erased one has an empty name and nothing else.
    #[serde(deny_unknown_fields)]
    pub struct GuestRow {
        /// Id.
        pub id: GuestId,
        /// Raised by each change.
        pub version: i64,
        /// As typed, in any script.
        pub name: String,
        /// As typed.
        pub email: Option<String>,
        /// As typed, leading zeros kept.
        pub phone: Option<String>,
        /// Whom the guest works for.
        pub company: Option<String>,
        /// ISO 639-1.
        pub language: Option<String>,
        /// ISO 3166-1, two letters.
        pub country: Option<String>,
        /// Wishes and warnings.
        pub notes: String,
        /// To be greeted by the manager.
        pub vip: bool,
        /// Forgotten on request (N13).
        pub erased: bool,
    }
}

crate::wire! {
    /// A colleague, for showing who did what.
    #[serde(deny_unknown_fields)]
    pub struct StaffRow {
        /// Id.
        pub id: StaffId,
        /// `Ana`.
        pub display_name: String,
        /// Role.
        pub role: Role,
        /// Whether they may still sign in.
        pub active: bool,
    }
}
