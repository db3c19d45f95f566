//! Identifiers. Each kind is a type of its own, so that a guest's id cannot be passed for a room's.
//!
//! New things are named by whoever makes them (a desk, also offline) with a version 7 UUID.

use uuid::Uuid;

/// The nil id is nobody's: it says "before the first" where lists are read on from an id, so that a
/// thing of that name could be made and never be found again.
fn somebody_s<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
    let id: Uuid = serde::Deserialize::deserialize(from)?;
    if id.is_nil() {
        return Err(serde::de::Error::custom("the nil id names nothing"));
    }
    Ok(id)
}

/// Of the kinds whose nil id has a meaning of its own.
fn any<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
    serde::Deserialize::deserialize(from)
}

macro_rules! ids {
    ($read:ident: $($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = Uuid))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(pub Uuid);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $read(from).map(Self)
            }
        }
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

ids! { any:
    /// The class that is sold. [`RoomTypeId::HOUSE`] stands for the whole hotel.
    RoomTypeId,
    /// A member of staff, or a channel's key, or the system itself.
    StaffId,
}

ids! { somebody_s:
    /// A property.
    HotelId,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nil_id_is_the_house_or_the_system_and_nothing_else() {
        let nil = serde_json::json!(Uuid::nil());
        assert!(serde_json::from_value::<BookingId>(nil.clone()).is_err());
        assert!(serde_json::from_value::<Option<ReservationId>>(nil.clone()).is_err());
        assert!(serde_json::from_value::<RoomUseId>(nil.clone()).is_err());
        assert_eq!(
            serde_json::from_value::<RoomTypeId>(nil.clone()).unwrap(),
            RoomTypeId::HOUSE
        );
        assert_eq!(
            serde_json::from_value::<StaffId>(nil).unwrap(),
            StaffId::SYSTEM
        );
        let some = BookingId(Uuid::now_v7());
        let read = serde_json::from_value(serde_json::json!(some)).unwrap();
        assert_eq!(some, read);
    }
}
