//! What a command touches: who touches the same waits for the earlier one.

use std::collections::BTreeSet;

use protocol::command::Command;
use protocol::event::Subject;
use protocol::id::{BookingId, GuestId, ReservationId, RoomId};
use protocol::request::ChangeStayRequest;
use rusqlite::Connection;

use crate::store::overlaid::subject_key;
use crate::store::{Result, booking, reservation, room_use};

/// The subjects of a command, with what the copy knows of them: the party of a reservation, the
/// reservations of a party, the rooms that it has and that it is given.
pub(crate) fn of(db: &Connection, command: &Command) -> Result<Vec<String>> {
    let mut touches = Touches {
        db,
        keys: BTreeSet::new(),
    };
    match command {
        Command::Hold { body } => {
            touches.keys.extend(body.booking_id.map(booking_key));
            for room in &body.rooms {
                touches.keys.extend(room.reservation_id.map(stay_key));
                touches.keys.extend(room.guest_id.map(guest_key));
            }
        }
        Command::Renew { booking_id, .. } | Command::CancelBooking { booking_id, .. } => {
            touches.party(*booking_id)?;
        }
        Command::Confirm { booking_id, body } => {
            touches.party(*booking_id)?;
            for room in &body.rooms {
                touches.keys.insert(stay_key(room.reservation_id));
                touches.keys.extend(room.guest_id.map(guest_key));
                touches
                    .keys
                    .extend(room.further_guest_ids.iter().copied().map(guest_key));
            }
        }
        Command::PutGuest { guest_id, .. } => {
            touches.keys.insert(guest_key(*guest_id));
        }
        Command::Details {
            reservation_id,
            body,
        } => {
            touches.stay(*reservation_id)?;
            touches.keys.extend(body.guest_id.map(guest_key));
            let further = body.further_guest_ids.iter().flatten().copied();
            touches.keys.extend(further.map(guest_key));
        }
        Command::Assign {
            reservation_id,
            body,
        } => {
            touches.stay_with_rooms(*reservation_id)?;
            touches.keys.extend(body.room_id.map(room_key));
        }
        Command::CheckIn {
            reservation_id,
            body,
        } => {
            touches.stay_with_rooms(*reservation_id)?;
            touches.keys.extend(body.room_id.map(room_key));
        }
        Command::CheckOut { reservation_id, .. }
        | Command::NoShow { reservation_id, .. }
        | Command::Release { reservation_id }
        | Command::ReleaseNights { reservation_id }
        | Command::Cancel { reservation_id, .. }
        | Command::Upgrade { reservation_id, .. } => touches.stay_with_rooms(*reservation_id)?,
        Command::ChangeStay {
            reservation_id,
            body,
        } => {
            touches.changed_stay(*reservation_id, body)?;
        }
        Command::PutRight {
            reservation_id,
            body,
        } => {
            touches.stay_with_rooms(*reservation_id)?;
            touches.keys.extend(body.room_id.map(room_key));
        }
        Command::Share {
            reservation_id,
            body,
        } => {
            touches.stay_with_rooms(*reservation_id)?;
            touches.keys.extend(body.reservation_id.map(stay_key));
            touches.keys.extend(body.guest_id.map(guest_key));
        }
        Command::AssignParty { booking_id, body }
        | Command::CheckInParty { booking_id, body }
        | Command::CheckOutParty { booking_id, body } => {
            touches.party(*booking_id)?;
            for stay in booking::reservations(db, *booking_id)? {
                touches.stay_with_rooms(stay)?;
            }
            let rooms = body.rooms.iter().filter_map(|room| room.room_id);
            touches.keys.extend(rooms.map(room_key));
        }
        Command::ChangeBooking { booking_id, body } => {
            touches.party(*booking_id)?;
            for room in &body.rooms {
                touches.changed_stay(room.reservation_id, &room.change)?;
            }
        }
        Command::RoomStatus { room_id, .. } => {
            touches.keys.insert(room_key(*room_id));
        }
        Command::Block { room_id, body } => {
            touches.keys.insert(room_key(*room_id));
            touches
                .keys
                .extend(body.room_use_id.map(|id| subject_key(Subject::RoomUse(id))));
        }
        Command::Unblock { room_use_id } => {
            touches
                .keys
                .insert(subject_key(Subject::RoomUse(*room_use_id)));
            if let Some(period) = room_use::get(db, *room_use_id)? {
                touches.keys.insert(room_key(period.room_id));
            }
        }
        Command::Overbooking { .. }
        | Command::Roll { .. }
        | Command::NoShows { .. }
        | Command::Policies { .. } => {
            touches.keys.insert(subject_key(Subject::Hotel));
        }
    }
    Ok(touches.keys.into_iter().collect())
}

struct Touches<'a> {
    db: &'a Connection,
    keys: BTreeSet<String>,
}

impl Touches<'_> {
    fn party(&mut self, id: BookingId) -> Result<()> {
        self.keys.insert(booking_key(id));
        for stay in booking::reservations(self.db, id)? {
            self.keys.insert(stay_key(stay));
            self.guest_of(stay)?;
        }
        Ok(())
    }

    fn stay(&mut self, id: ReservationId) -> Result<()> {
        self.keys.insert(stay_key(id));
        self.guest_of(id)
    }

    fn guest_of(&mut self, id: ReservationId) -> Result<()> {
        if let Some(row) = reservation::get(self.db, id)? {
            self.keys.extend(row.guest_id.map(guest_key));
        }
        Ok(())
    }

    fn stay_with_rooms(&mut self, id: ReservationId) -> Result<()> {
        self.stay(id)?;
        for place in room_use::of_reservation(self.db, id)? {
            self.keys.insert(room_key(place.room_id));
        }
        Ok(())
    }

    /// A stay that is changed, and the rooms that the change gives.
    fn changed_stay(&mut self, id: ReservationId, ask: &ChangeStayRequest) -> Result<()> {
        self.stay_with_rooms(id)?;
        let rooms = ask.room_id.into_iter().chain(ask.displace_to);
        self.keys.extend(rooms.map(room_key));
        Ok(())
    }
}

fn booking_key(id: BookingId) -> String {
    subject_key(Subject::Booking(id))
}

fn stay_key(id: ReservationId) -> String {
    subject_key(Subject::Reservation(id))
}

fn guest_key(id: GuestId) -> String {
    subject_key(Subject::Guest(id))
}

fn room_key(id: RoomId) -> String {
    subject_key(Subject::Room(id))
}
