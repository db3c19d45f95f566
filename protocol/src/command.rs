//! The commands that a desk records, shows and sends: the only way in which a desk changes anything.
//!
//! A command is one request to the authority, named so that it can be kept in a queue, shown before
//! it is answered, and sent again with the same key until it is.

use crate::id::{BookingId, GuestId, ReservationId, RoomId, RoomUseId};
use crate::request::{
    AssignRequest, BlockRequest, CancelRequest, ChangeBookingRequest, ChangeStayRequest,
    CheckInRequest, CheckOutRequest, ConfirmRequest, DetailsRequest, GuestRequest, HoldRequest,
    NoShowRequest, NoShowsRequest, NothingMore, OverbookingRequest, PartyRequest, PoliciesRequest,
    PutRightRequest, RenewRequest, RollRequest, RoomStatusRequest, ShareRequest, UpgradeRequest,
};

crate::wire! {
    /// What a clerk wants done.
    #[serde(tag = "verb", rename_all = "snake_case")]
    pub enum Command {
        /// Count the nights while the form is open.
        Hold {
            /// The request.
            body: HoldRequest,
        },
        /// Keep the hold.
        Renew {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: RenewRequest,
        },
        /// Promise the rooms.
        Confirm {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: ConfirmRequest,
        },
        /// Give up a whole booking.
        CancelBooking {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: CancelRequest,
        },
        /// Give up one room.
        Cancel {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: CancelRequest,
        },
        /// Write down a guest.
        PutGuest {
            /// The guest.
            guest_id: GuestId,
            /// The request.
            body: GuestRequest,
        },
        /// Change what touches no night.
        Details {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: DetailsRequest,
        },
        /// Give a room, or take it back.
        Assign {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: AssignRequest,
        },
        /// The guest is here.
        CheckIn {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: CheckInRequest,
        },
        /// The guest leaves.
        CheckOut {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: CheckOutRequest,
        },
        /// The guest did not come.
        NoShow {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: NoShowRequest,
        },
        /// Another type for the same price.
        Upgrade {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: UpgradeRequest,
        },
        /// Other dates or another type of one stay.
        ChangeStay {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: ChangeStayRequest,
        },
        /// The same of several rooms of a party in one step.
        ChangeBooking {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: ChangeBookingRequest,
        },
        /// A move backward.
        PutRight {
            /// The reservation.
            reservation_id: ReservationId,
            /// The request.
            body: PutRightRequest,
        },
        /// A further guest in a room.
        Share {
            /// Whose room.
            reservation_id: ReservationId,
            /// The request.
            body: ShareRequest,
        },
        /// Rooms for a party.
        AssignParty {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: PartyRequest,
        },
        /// A party is here.
        CheckInParty {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: PartyRequest,
        },
        /// A party leaves.
        CheckOutParty {
            /// The booking.
            booking_id: BookingId,
            /// The request.
            body: PartyRequest,
        },
        /// Give up a stay that nobody guarantees.
        Release {
            /// The reservation.
            reservation_id: ReservationId,
        },
        /// Give back the later nights of a guest who did not come.
        ReleaseNights {
            /// The reservation.
            reservation_id: ReservationId,
        },
        /// Everybody who should have come and did not.
        NoShows {
            /// The request.
            body: NoShowsRequest,
        },
        /// What the hotel does by itself.
        Policies {
            /// The request.
            body: PoliciesRequest,
        },
        /// What housekeeping sees.
        RoomStatus {
            /// The room.
            room_id: RoomId,
            /// The request.
            body: RoomStatusRequest,
        },
        /// Out of order or out of service.
        Block {
            /// The room.
            room_id: RoomId,
            /// The request.
            body: BlockRequest,
        },
        /// End such a period.
        Unblock {
            /// The period.
            room_use_id: RoomUseId,
        },
        /// Set limits.
        Overbooking {
            /// The request.
            body: OverbookingRequest,
        },
        /// Close the day.
        Roll {
            /// The request.
            body: RollRequest,
        },
    }
}

/// How a command is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Below `/v1/hotels/{hotel}`.
    pub path: String,
    /// The body; an empty object where there is nothing to say.
    pub body: serde_json::Value,
}

impl Command {
    /// Where and how this command is sent.
    pub fn route(&self) -> Route {
        let (method, path, body) = match self {
            Self::Hold { body } => ("POST", "/holds".to_owned(), json(body)),
            Self::Renew { booking_id, body } => {
                ("POST", format!("/bookings/{booking_id}/renew"), json(body))
            }
            Self::Confirm { booking_id, body } => (
                "POST",
                format!("/bookings/{booking_id}/confirm"),
                json(body),
            ),
            Self::CancelBooking { booking_id, body } => {
                ("POST", format!("/bookings/{booking_id}/cancel"), json(body))
            }
            Self::Cancel {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/cancel"),
                json(body),
            ),
            Self::PutGuest { guest_id, body } => ("PUT", format!("/guests/{guest_id}"), json(body)),
            Self::Details {
                reservation_id,
                body,
            } => (
                "PATCH",
                format!("/reservations/{reservation_id}"),
                json(body),
            ),
            Self::Assign {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/assign"),
                json(body),
            ),
            Self::CheckIn {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/check-in"),
                json(body),
            ),
            Self::CheckOut {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/check-out"),
                json(body),
            ),
            Self::NoShow {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/no-show"),
                json(body),
            ),
            Self::Upgrade {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/upgrade"),
                json(body),
            ),
            Self::ChangeStay {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/change"),
                json(body),
            ),
            Self::ChangeBooking { booking_id, body } => {
                ("POST", format!("/bookings/{booking_id}/change"), json(body))
            }
            Self::PutRight {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/put-right"),
                json(body),
            ),
            Self::Share {
                reservation_id,
                body,
            } => (
                "POST",
                format!("/reservations/{reservation_id}/share"),
                json(body),
            ),
            Self::AssignParty { booking_id, body } => {
                ("POST", format!("/bookings/{booking_id}/assign"), json(body))
            }
            Self::CheckInParty { booking_id, body } => (
                "POST",
                format!("/bookings/{booking_id}/check-in"),
                json(body),
            ),
            Self::CheckOutParty { booking_id, body } => (
                "POST",
                format!("/bookings/{booking_id}/check-out"),
                json(body),
            ),
            Self::Release { reservation_id } => (
                "POST",
                format!("/reservations/{reservation_id}/release"),
                json(&NothingMore {}),
            ),
            Self::ReleaseNights { reservation_id } => (
                "POST",
                format!("/reservations/{reservation_id}/release-nights"),
                json(&NothingMore {}),
            ),
            Self::NoShows { body } => ("POST", "/night-audit/no-shows".to_owned(), json(body)),
            Self::Policies { body } => ("PUT", "/policies".to_owned(), json(body)),
            Self::RoomStatus { room_id, body } => {
                ("POST", format!("/rooms/{room_id}/status"), json(body))
            }
            Self::Block { room_id, body } => {
                ("POST", format!("/rooms/{room_id}/block"), json(body))
            }
            Self::Unblock { room_use_id } => (
                "DELETE",
                format!("/room-uses/{room_use_id}"),
                serde_json::json!({}),
            ),
            Self::Overbooking { body } => ("POST", "/overbooking".to_owned(), json(body)),
            Self::Roll { body } => ("POST", "/night-audit/roll".to_owned(), json(body)),
        };
        Route { method, path, body }
    }
}

fn json<T: serde::Serialize>(body: &T) -> serde_json::Value {
    // Requests are plain data with string keys: turning one into JSON cannot fail.
    serde_json::to_value(body).unwrap_or_default()
}
