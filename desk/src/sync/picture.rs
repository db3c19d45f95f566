//! The rows that a command may need, read for showing its effect.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use protocol::command::Command;
use protocol::id::{BookingId, GuestId, ReservationId, RoomId, RoomTypeId, RoomUseId};
use protocol::nights::dates;
use protocol::row::{BookingRow, GuestRow, NightRow, ReservationRow, RoomRow, RoomUseRow};
use rusqlite::Connection;

use crate::store::command::CommandRow;
use crate::store::{Result, booking, guest, hotel, night, reservation, room, room_use};

/// The rows that a command may need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The open day of the copy.
    pub business_date: Option<NaiveDate>,
    /// Parties.
    pub bookings: BTreeMap<BookingId, BookingRow>,
    /// Reservations.
    pub reservations: BTreeMap<ReservationId, ReservationRow>,
    /// Rooms.
    pub rooms: BTreeMap<RoomId, RoomRow>,
    /// Uses of rooms.
    pub uses: BTreeMap<RoomUseId, RoomUseRow>,
    /// Counters.
    pub nights: BTreeMap<(RoomTypeId, NaiveDate), NightRow>,
    /// Guests.
    pub guests: BTreeMap<GuestId, GuestRow>,
}

/// Reads the rows that a command may need.
pub fn gather(db: &Connection, row: &CommandRow) -> Result<Picture> {
    let mut picture = Picture {
        business_date: hotel::get(db)?.map(|hotel| hotel.business_date),
        ..Picture::default()
    };
    let mut stays = Vec::new();
    match &row.command {
        Command::Confirm { booking_id, .. }
        | Command::CancelBooking { booking_id, .. }
        | Command::AssignParty { booking_id, .. }
        | Command::CheckInParty { booking_id, .. }
        | Command::CheckOutParty { booking_id, .. }
        | Command::ChangeBooking { booking_id, .. }
        | Command::Renew { booking_id, .. } => stays = booking::reservations(db, *booking_id)?,
        Command::Cancel { reservation_id, .. }
        | Command::Details { reservation_id, .. }
        | Command::Assign { reservation_id, .. }
        | Command::CheckIn { reservation_id, .. }
        | Command::CheckOut { reservation_id, .. }
        | Command::NoShow { reservation_id, .. }
        | Command::Upgrade { reservation_id, .. }
        | Command::ChangeStay { reservation_id, .. }
        | Command::Share { reservation_id, .. }
        | Command::Release { reservation_id }
        | Command::ReleaseNights { reservation_id }
        | Command::PutRight { reservation_id, .. } => stays.push(*reservation_id),
        Command::PutGuest { guest_id, .. } => {
            picture.guests = guest::get(db, *guest_id)?
                .map(|row| (row.id, row))
                .into_iter()
                .collect();
        }
        Command::Hold { body } => {
            for room in &body.rooms {
                for date in dates(room.check_in, room.check_out) {
                    add_night(db, &mut picture, room.room_type_id, date)?;
                }
            }
        }
        Command::RoomStatus { room_id, .. } => add_room(db, &mut picture, *room_id)?,
        Command::Block { room_id, body } => {
            add_room(db, &mut picture, *room_id)?;
            add_room_nights(db, &mut picture, *room_id, body.from, body.until)?;
        }
        Command::Unblock { room_use_id } => {
            if let Some(period) = room_use::get(db, *room_use_id)? {
                add_room(db, &mut picture, period.room_id)?;
                add_room_nights(db, &mut picture, period.room_id, period.from, period.until)?;
                picture.uses.insert(period.id, period);
            }
        }
        Command::Overbooking { .. }
        | Command::Roll { .. }
        | Command::NoShows { .. }
        | Command::Policies { .. } => {}
    }
    // What the server has answered names all that it changed.
    for now in row.stays() {
        stays.push(now.id);
        for night in now.nights {
            add_night(db, &mut picture, night.room_type_id, night.stay_date)?;
        }
        for place in now.room_uses {
            add_room(db, &mut picture, place.room_id)?;
        }
    }
    for id in stays {
        let Some(stay) = reservation::get(db, id)? else {
            continue;
        };
        for night in &stay.nights {
            add_night(db, &mut picture, night.room_type_id, night.stay_date)?;
        }
        for place in room_use::of_reservation(db, id)? {
            add_room(db, &mut picture, place.room_id)?;
            picture.uses.insert(place.id, place);
        }
        picture.reservations.insert(id, stay);
    }
    match &row.command {
        Command::Assign { body, .. } => {
            if let Some(id) = body.room_id {
                add_room(db, &mut picture, id)?;
            }
        }
        Command::AssignParty { body, .. } | Command::CheckInParty { body, .. } => {
            for id in body.rooms.iter().filter_map(|room| room.room_id) {
                add_room(db, &mut picture, id)?;
            }
        }
        Command::CheckIn { body, .. } => {
            if let Some(id) = body.room_id {
                add_room(db, &mut picture, id)?;
            }
        }
        Command::Upgrade { body, .. } => {
            let dates: Vec<NaiveDate> = picture.nights.keys().map(|(_, date)| *date).collect();
            for date in dates {
                add_night(db, &mut picture, body.room_type_id, date)?;
            }
        }
        _ => {}
    }
    Ok(picture)
}

fn add_night(
    db: &Connection,
    picture: &mut Picture,
    id: RoomTypeId,
    date: NaiveDate,
) -> Result<()> {
    for id in [id, RoomTypeId::HOUSE] {
        if let Some(row) = night::get(db, id, date)? {
            picture.nights.insert((id, date), row);
        }
    }
    Ok(())
}

fn add_room(db: &Connection, picture: &mut Picture, id: RoomId) -> Result<()> {
    if let Some(row) = room::get(db, id)? {
        picture.rooms.insert(id, row);
    }
    Ok(())
}

fn add_room_nights(
    db: &Connection,
    picture: &mut Picture,
    id: RoomId,
    from: NaiveDate,
    until: NaiveDate,
) -> Result<()> {
    if let Some(type_id) = picture.rooms.get(&id).map(|room| room.room_type_id) {
        for date in dates(from, until) {
            add_night(db, picture, type_id, date)?;
        }
    }
    Ok(())
}
