//! Identifiers. Each kind is a type of its own, so that a guest's id cannot be passed for a room's.
//!
//! New things are named by whoever makes them (a desk, also offline) with a version 7 UUID.

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = Uuid))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.0.fmt(f) }
        }
        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> { text.parse().map(Self) }
        }
        impl From<Uuid> for $name { fn from(id: Uuid) -> Self { Self(id) } }
    )+};
}

ids! {
    /// A property.
    HotelId,
    /// The class that is sold. [`RoomTypeId::HOUSE`] stands for the whole hotel.
    RoomTypeId,
    /// One numbered room.
    RoomId,
    /// One use of a room: a stay or a period out of order or out of service.
    RoomUseId,
    /// The reservations of a party, made all or none.
    BookingId,
    /// One room for one stay.
    ReservationId,
    /// A guest's profile. The log carries this id, never the name (N13).
    GuestId,
    /// A member of staff, or a channel's key, or the system itself.
    StaffId,
    /// A desk: one installed program.
    DeviceId,
    /// An event's random id; with its number it names one point of the log.
    EventId,
    /// A command recorded at a desk; sent as the `Idempotency-Key`.
    CommandId,
    /// A rate plan.
    RatePlanId,
}

impl RoomTypeId {
    /// The house: the whole hotel as if it were one more room type, with nights and a limit of its own.
    pub const HOUSE: Self = Self(Uuid::nil());

    /// Whether this is the house and no type that can be sold.
    pub fn is_house(self) -> bool {
        self == Self::HOUSE
    }
}

impl StaffId {
    /// The server itself: the sweeper, the night audit.
    pub const SYSTEM: Self = Self(Uuid::nil());
}
