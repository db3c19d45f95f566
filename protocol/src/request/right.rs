//! Putting right what was done in error, or what turned out otherwise.

use crate::id::RoomId;
use crate::state::ReservationState;

crate::wire! {
    /// `POST /reservations/{id}/put-right`: a move backward, with its reason. The state that it leaves
    /// is named, so that of two only one does it (N6).
    ///
    /// `checked_in -> confirmed`: the check-in was none. `checked_out -> checked_in`, on the same open
    /// day: the guest is still here. `no_show | cancelled -> confirmed`: the guest will come.
    /// `no_show -> checked_in`: the guest stands at the desk. Nights that were given back are taken
    /// again if they are still there.
    pub struct PutRightRequest {
        /// Where the reservation stands now.
        pub from: ReservationState,
        /// Where it should stand: `confirmed` or `checked_in`.
        pub to: ReservationState,
        /// A word on why: `mistake`, `wrong_guest`, `wrong_room`, `guest_came`, `guest_returned`,
        /// `guest_will_come`, `channel`.
        pub reason: String,
        /// The room that a guest who came after all is given; none where absent.
        #[serde(default)]
        pub room_id: Option<RoomId>,
        /// The clerk saw that this room is not clean and gives it all the same.
        #[serde(default)]
        pub room_not_ready_accepted: bool,
        /// The guest who had left is in house again without the room, where somebody else has it.
        #[serde(default)]
        pub without_room: bool,
        /// Go above the limit where a night is full, and why: `error`, `vip`, `service`. Needs a
        /// manager.
        #[serde(default)]
        pub exceed: Option<String>,
    }
}
