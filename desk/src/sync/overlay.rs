//! What a command looks like on the screens before the log brings it (N10).
//!
//! [`apply`] is pure: the rows that a command needs go in, the changed rows come out. It shows what
//! the server will most likely do; the server decides, and its rows replace these. A command that no
//! longer fits the rows changes nothing here, and the server will say why.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use protocol::command::Command;
use protocol::event::Change;
use protocol::id::{BookingId, GuestId, ReservationId, RoomId, RoomTypeId, RoomUseId};
use protocol::nights::dates;
use protocol::request::{
    BlockRequest, CommandAnswer, ConfirmRequest, DetailsRequest, GuestRequest, HoldAnswer,
    HoldRequest, PartyRequest,
};
use protocol::row::{BookingRow, GuestRow, NightRow, ReservationNight, ReservationRow, RoomUseRow};
use protocol::state::{
    Channel, Guarantee, Lateness, ReservationState, RoomStatus, RoomUseKind, Segment,
};

use super::picture::Picture;
use crate::store::command::{CommandRow, CommandState};

/// The rows that a command changes, as they will most likely be.
pub fn apply(row: &CommandRow, picture: &Picture) -> Vec<Change> {
    let mut draft = Draft {
        row,
        today: picture.business_date.unwrap_or(row.business_date),
        before: picture,
        after: picture.clone(),
    };
    draft.apply();
    draft.settle();
    draft.changes()
}

struct Draft<'a> {
    row: &'a CommandRow,
    today: NaiveDate,
    before: &'a Picture,
    after: Picture,
}

impl Draft<'_> {
    fn apply(&mut self) {
        match &self.row.command {
            Command::Hold { body } => self.hold(body),
            Command::Confirm { booking_id, body } => self.confirm(*booking_id, body),
            Command::CancelBooking { booking_id, .. } => {
                for id in self.party(*booking_id) {
                    self.give_up(id, ReservationState::Cancelled, None);
                }
            }
            Command::Cancel { reservation_id, .. } => {
                self.give_up(*reservation_id, ReservationState::Cancelled, None);
            }
            Command::NoShow {
                reservation_id,
                body,
            } => {
                let kept = self
                    .after
                    .reservations
                    .get(reservation_id)
                    .filter(|_| body.keep_first_night)
                    .map(|stay| stay.check_in);
                self.give_up(*reservation_id, ReservationState::NoShow, kept);
            }
            Command::PutGuest { guest_id, body } => self.put_guest(*guest_id, body),
            Command::Details {
                reservation_id,
                body,
            } => self.details(*reservation_id, body),
            Command::Assign {
                reservation_id,
                body,
            } => self.assign(*reservation_id, body.room_id),
            Command::CheckIn {
                reservation_id,
                body,
            } => self.check_in(*reservation_id, body.room_id),
            Command::CheckOut { reservation_id, .. } => self.check_out(*reservation_id),
            Command::Upgrade {
                reservation_id,
                body,
            } => self.upgrade(*reservation_id, body.room_type_id),
            Command::RoomStatus { room_id, body } => self.room_status(*room_id, body.status),
            Command::Block { room_id, body } => self.block(*room_id, body),
            Command::Unblock { room_use_id } => self.unblock(*room_use_id),
            // Only the server knows what becomes of the nights: shown once it has said so.
            Command::AssignParty { booking_id, body }
            | Command::CheckInParty { booking_id, body }
            | Command::CheckOutParty { booking_id, body } => self.party_act(*booking_id, body),
            Command::Release { reservation_id } => {
                if self.row.state == CommandState::Answered {
                    self.as_answered();
                } else {
                    self.give_up(*reservation_id, ReservationState::Cancelled, None);
                }
            }
            Command::Share { .. }
            | Command::ReleaseNights { .. }
            | Command::ChangeStay { .. }
            | Command::ChangeBooking { .. }
            | Command::PutRight { .. } => self.as_answered(),
            // A renewed hold shows its new end when the server has said which; limits and the open
            // day are the server's alone.
            Command::Renew { .. }
            | Command::Overbooking { .. }
            | Command::Roll { .. }
            | Command::NoShows { .. }
            | Command::Policies { .. } => {}
        }
    }

    /// The stays as the server has answered that they stand, with their nights and rooms.
    fn as_answered(&mut self) {
        for now in self.row.stays() {
            let Some(stay) = self.after.reservations.get_mut(&now.id) else {
                continue;
            };
            let counted = |nights: &[ReservationNight]| -> Vec<(RoomTypeId, NaiveDate)> {
                let nights = nights.iter().filter(|night| night.counted);
                nights
                    .map(|night| (night.room_type_id, night.stay_date))
                    .collect()
            };
            let (gone, come) = (counted(&stay.nights), counted(&now.nights));
            stay.state = now.state;
            stay.version = now.version;
            stay.hold_expires_at = now.hold_expires_at;
            stay.check_in = now.check_in;
            stay.check_out = now.check_out;
            stay.room_type_id = now.room_type_id;
            stay.day_use = now.day_use;
            stay.share_of = now.share_of;
            stay.checked_in_at = now.checked_in_at;
            stay.checked_out_at = now.checked_out_at;
            stay.nights = now.nights;
            let mut moved: BTreeMap<(RoomTypeId, NaiveDate), i32> = BTreeMap::new();
            for (nights, rooms) in [(gone, -1), (come, 1)] {
                for (type_id, date) in nights {
                    *moved.entry((type_id, date)).or_default() += rooms;
                    *moved.entry((RoomTypeId::HOUSE, date)).or_default() += rooms;
                }
            }
            for (key, rooms) in moved.into_iter().filter(|(_, rooms)| *rooms != 0) {
                if let Some(night) = self.after.nights.get_mut(&key) {
                    night.reserved = (night.reserved + rooms).max(0);
                    night.over_limit = above(night);
                }
            }
            self.after
                .uses
                .retain(|_, place| place.reservation_id != Some(now.id));
            let uses = now.room_uses.into_iter().map(|place| (place.id, place));
            self.after.uses.extend(uses);
        }
    }

    /// Where the server has answered, its word counts.
    fn settle(&mut self) {
        if self.row.state != CommandState::Answered {
            return;
        }
        let answer = self.row.answer.clone().unwrap_or_default();
        let Ok(answer) = serde_json::from_value::<CommandAnswer>(answer) else {
            return;
        };
        for now in answer.reservations {
            if let Some(stay) = self.after.reservations.get_mut(&now.id) {
                stay.state = now.state;
                stay.version = now.version;
                stay.hold_expires_at = now.hold_expires_at;
            }
        }
    }

    fn changes(self) -> Vec<Change> {
        let (before, after) = (self.before, self.after);
        let mut changes = Vec::new();
        // Parents first, so that the order of writing matters to nobody.
        let guests = news(&before.guests, after.guests);
        changes.extend(guests.map(|row| Change::Guest { row }));
        let bookings = news(&before.bookings, after.bookings);
        changes.extend(bookings.map(|row| Change::Booking { row }));
        let rooms = news(&before.rooms, after.rooms);
        changes.extend(rooms.map(|row| Change::Room { row }));
        let stays = news(&before.reservations, after.reservations);
        changes.extend(stays.map(|row| Change::Reservation { row: Box::new(row) }));
        for id in before.uses.keys().filter(|id| !after.uses.contains_key(id)) {
            changes.push(Change::RoomUseRemoved { id: *id });
        }
        let uses = news(&before.uses, after.uses);
        changes.extend(uses.map(|row| Change::RoomUse { row }));
        let nights = news(&before.nights, after.nights);
        changes.extend(nights.map(|row| Change::Night { row }));
        changes
    }

    fn party(&self, booking: BookingId) -> Vec<ReservationId> {
        let stays = self.after.reservations.values();
        stays
            .filter(|stay| stay.booking_id == booking)
            .map(|stay| stay.id)
            .collect()
    }

    /// Every room as if it were asked alone, until the server has said what became of each.
    fn party_act(&mut self, booking: BookingId, body: &PartyRequest) {
        if self.row.state == CommandState::Answered {
            return self.as_answered();
        }
        let rooms: Vec<(ReservationId, Option<RoomId>)> = if body.rooms.is_empty() {
            self.party(booking)
                .into_iter()
                .map(|id| (id, None))
                .collect()
        } else {
            let named = body.rooms.iter();
            named
                .map(|room| (room.reservation_id, room.room_id))
                .collect()
        };
        for (place, (id, room)) in rooms.into_iter().enumerate() {
            match &self.row.command {
                Command::AssignParty { .. } => self.assign_as(id, room, place),
                Command::CheckInParty { .. } => self.check_in_as(id, room, place),
                _ => self.check_out(id),
            }
        }
    }

    fn hold(&mut self, body: &HoldRequest) {
        let answer = self.row.answer.clone().unwrap_or_default();
        let Ok(answer) = serde_json::from_value::<HoldAnswer>(answer) else {
            return;
        };
        let at = self.row.made_at;
        self.after.bookings.insert(
            answer.booking_id,
            BookingRow {
                id: answer.booking_id,
                number: answer.number,
                channel: body.channel.unwrap_or(Channel::Desk),
                external_id: body.external_id.clone(),
                created_at: at,
            },
        );
        for (asked, held) in body.rooms.iter().zip(answer.rooms) {
            for night in held.nights.iter().filter(|night| night.counted) {
                self.count(night.room_type_id, night.stay_date, 1);
            }
            self.after.reservations.insert(
                held.reservation_id,
                ReservationRow {
                    id: held.reservation_id,
                    booking_id: answer.booking_id,
                    state: ReservationState::Held,
                    check_in: asked.check_in,
                    check_out: asked.check_out,
                    room_type_id: asked.room_type_id,
                    adults: asked.adults,
                    children: asked.children.clone(),
                    guest_id: asked.guest_id,
                    further_guest_ids: Vec::new(),
                    guarantee: Guarantee::None,
                    release_at: None,
                    hold_expires_at: Some(answer.expires_at),
                    rate_plan_id: asked.rate_plan_id,
                    segment: asked.segment.unwrap_or(Segment::Transient),
                    expected_time: None,
                    do_not_move: false,
                    day_use: asked.day_use,
                    share_of: None,
                    checked_in_at: None,
                    checked_out_at: None,
                    notes: String::new(),
                    version: 1,
                    created_at: at,
                    lateness: Lateness::OnTime,
                    early_departure_fee: None,
                    no_show_fee: None,
                    nights: held.nights,
                },
            );
        }
    }

    fn confirm(&mut self, booking: BookingId, body: &ConfirmRequest) {
        for id in self.party(booking) {
            let Some(stay) = self.after.reservations.get_mut(&id) else {
                continue;
            };
            if stay.state != ReservationState::Held {
                continue;
            }
            stay.state = ReservationState::Confirmed;
            stay.hold_expires_at = None;
            stay.guarantee = body.guarantee;
            stay.version += 1;
            if let Some(room) = body.rooms.iter().find(|room| room.reservation_id == id) {
                stay.guest_id = room.guest_id.or(stay.guest_id);
                if !room.further_guest_ids.is_empty() {
                    stay.further_guest_ids.clone_from(&room.further_guest_ids);
                }
                if let Some(notes) = &room.notes {
                    stay.notes.clone_from(notes);
                }
                stay.expected_time = room.expected_time.or(stay.expected_time);
            }
        }
    }

    /// Cancelled or not come: the nights go back, but for one that is kept, and the room too.
    fn give_up(&mut self, id: ReservationId, state: ReservationState, kept: Option<NaiveDate>) {
        let Some(stay) = self.after.reservations.get_mut(&id) else {
            return;
        };
        if !stay.state.may_become(state) {
            return;
        }
        stay.state = state;
        stay.hold_expires_at = None;
        stay.release_at = None;
        stay.version += 1;
        self.release_nights(id, |date| Some(date) != kept);
        self.after
            .uses
            .retain(|_, place| place.reservation_id != Some(id));
    }

    fn release_nights(&mut self, id: ReservationId, which: impl Fn(NaiveDate) -> bool) {
        let mut released = Vec::new();
        if let Some(stay) = self.after.reservations.get_mut(&id) {
            for night in stay.nights.iter_mut().filter(|night| night.counted) {
                if which(night.stay_date) {
                    night.counted = false;
                    released.push((night.room_type_id, night.stay_date));
                }
            }
        }
        for (type_id, date) in released {
            self.count(type_id, date, -1);
        }
    }

    /// One room more or less in the count of a type and of the house. What is released shrinks what
    /// stands above the limit (N1).
    fn count(&mut self, type_id: RoomTypeId, date: NaiveDate, rooms: i32) {
        for id in [type_id, RoomTypeId::HOUSE] {
            if let Some(night) = self.after.nights.get_mut(&(id, date)) {
                night.reserved = (night.reserved + rooms).max(0);
                if rooms < 0 {
                    night.over_limit = night.over_limit.min(above(night));
                }
            }
        }
    }

    fn put_guest(&mut self, id: GuestId, body: &GuestRequest) {
        let version = body.version.unwrap_or(0) + 1;
        if self
            .after
            .guests
            .get(&id)
            .is_some_and(|row| row.version >= version)
        {
            return;
        }
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        self.after.guests.insert(
            id,
            GuestRow {
                id,
                version,
                name: body.name.trim().to_owned(),
                email: text(&body.email),
                phone: text(&body.phone),
                company: text(&body.company),
                language: text(&body.language),
                country: text(&body.country),
                notes: body.notes.clone(),
                vip: body.vip,
                erased: false,
            },
        );
    }

    fn details(&mut self, id: ReservationId, body: &DetailsRequest) {
        let Some(stay) = self.after.reservations.get_mut(&id) else {
            return;
        };
        // Somebody else was faster: the server will refuse this, so it is not shown (B65).
        if stay.version != body.version {
            return;
        }
        stay.version += 1;
        stay.adults = body.adults.unwrap_or(stay.adults);
        if let Some(children) = &body.children {
            stay.children.clone_from(children);
        }
        stay.guest_id = body.guest_id.or(stay.guest_id);
        if let Some(further) = &body.further_guest_ids {
            stay.further_guest_ids.clone_from(further);
        }
        stay.guarantee = body.guarantee.unwrap_or(stay.guarantee);
        if let Some(notes) = &body.notes {
            stay.notes.clone_from(notes);
        }
        stay.expected_time = match body.expected_time_unknown {
            true => None,
            false => body.expected_time.or(stay.expected_time),
        };
        stay.do_not_move = body.do_not_move.unwrap_or(stay.do_not_move);
        stay.lateness = body.lateness.unwrap_or(stay.lateness);
    }

    /// The nights for which a room can still be given, as the server reckons them: from tonight on,
    /// and the one day of a day use.
    fn ahead(&self, stay: &ReservationRow) -> Option<(NaiveDate, NaiveDate)> {
        let until = if stay.day_use {
            stay.check_in.checked_add_days(Days::new(1))?
        } else {
            stay.check_out
        };
        let from = stay.check_in.max(self.today);
        (from < until).then_some((from, until))
    }

    /// A room for the nights ahead, or none. Changes no version: the reservation's own row stays.
    fn assign(&mut self, id: ReservationId, room: Option<RoomId>) {
        self.assign_as(id, room, 0);
    }

    /// `place` tells several rooms given by one command apart.
    fn assign_as(&mut self, id: ReservationId, room: Option<RoomId>, place: usize) {
        let Some(stay) = self.after.reservations.get(&id) else {
            return;
        };
        if !stay.state.holds_nights() {
            return;
        }
        let Some((from, until)) = self.ahead(stay) else {
            return;
        };
        let today = self.today;
        let in_house = stay.state == ReservationState::CheckedIn;
        let tonight = self.after.uses.values().find(|place| {
            place.reservation_id == Some(id) && place.from <= from && from < place.until
        });
        if room.is_some() && tonight.map(|place| place.room_id) == room {
            return;
        }
        let left = tonight.filter(|_| in_house).map(|place| place.room_id);
        if in_house {
            self.end_uses(id, today);
        } else {
            // Nobody slept in a room that was only assigned.
            self.after
                .uses
                .retain(|_, place| place.reservation_id != Some(id));
        }
        if let Some(left) = left {
            self.room_status(left, RoomStatus::Dirty);
        }
        if let Some(room_id) = room {
            // The server's own row will have another id and takes this one's place.
            let use_id = RoomUseId(uuid::Uuid::from_u128(
                self.row.id.0.as_u128().wrapping_add(place as u128),
            ));
            self.after.uses.insert(
                use_id,
                RoomUseRow {
                    id: use_id,
                    room_id,
                    from,
                    until,
                    kind: RoomUseKind::Stay,
                    reservation_id: Some(id),
                    reason: None,
                },
            );
        }
    }

    fn end_uses(&mut self, id: ReservationId, end: NaiveDate) {
        self.after
            .uses
            .retain(|_, place| place.reservation_id != Some(id) || place.from < end);
        for place in self.after.uses.values_mut() {
            if place.reservation_id == Some(id) && place.until > end {
                place.until = end;
            }
        }
    }

    fn check_in(&mut self, id: ReservationId, room: Option<RoomId>) {
        self.check_in_as(id, room, 0);
    }

    fn check_in_as(&mut self, id: ReservationId, room: Option<RoomId>, place: usize) {
        let may = self
            .after
            .reservations
            .get(&id)
            .is_some_and(|stay| stay.state.may_become(ReservationState::CheckedIn));
        if !may {
            return;
        }
        if room.is_some() {
            self.assign_as(id, room, place);
        }
        let at = self.row.made_at;
        if let Some(stay) = self.after.reservations.get_mut(&id) {
            stay.state = ReservationState::CheckedIn;
            stay.checked_in_at = Some(at);
            stay.version += 1;
        }
    }

    /// The room is left and to be cleaned; nights not slept go back (B121).
    fn check_out(&mut self, id: ReservationId) {
        let (today, at) = (self.today, self.row.made_at);
        let Some(stay) = self.after.reservations.get_mut(&id) else {
            return;
        };
        if !stay.state.may_become(ReservationState::CheckedOut) {
            return;
        }
        let agreed = stay.check_out;
        stay.state = ReservationState::CheckedOut;
        stay.checked_out_at = Some(at);
        stay.check_out = agreed.min(today);
        stay.day_use |= stay.check_in == stay.check_out;
        stay.version += 1;
        let mine = self.after.uses.values().filter(|place| {
            place.reservation_id == Some(id)
                && place.from <= today
                && (place.until > today || place.until == today && agreed == today)
        });
        let left = mine
            .max_by_key(|place| place.from)
            .map(|place| place.room_id);
        self.release_nights(id, |date| date >= today);
        self.end_uses(id, today);
        if let Some(left) = left {
            self.room_status(left, RoomStatus::Dirty);
        }
    }

    /// Only shown once the server has done it: the nights ahead stand in another type's count.
    fn upgrade(&mut self, id: ReservationId, type_id: RoomTypeId) {
        if self.row.state != CommandState::Answered {
            return;
        }
        let today = self.today;
        let Some(stay) = self.after.reservations.get_mut(&id) else {
            return;
        };
        stay.version += 1;
        let mut moved = Vec::new();
        for night in stay
            .nights
            .iter_mut()
            .filter(|night| night.stay_date >= today)
        {
            if night.room_type_id != type_id {
                if night.counted {
                    moved.push((night.room_type_id, night.stay_date));
                }
                night.room_type_id = type_id;
            }
        }
        for (from, date) in moved {
            self.count(from, date, -1);
            self.count(type_id, date, 1);
        }
        // A room of the old type is taken away.
        self.assign(id, None);
    }

    fn room_status(&mut self, id: RoomId, status: RoomStatus) {
        if let Some(room) = self.after.rooms.get_mut(&id)
            && room.status != status
        {
            room.status = status;
            room.version += 1;
        }
    }

    fn block(&mut self, room_id: RoomId, body: &BlockRequest) {
        let id = body.room_use_id.unwrap_or(RoomUseId(self.row.id.0));
        if body.from >= body.until || self.after.uses.contains_key(&id) {
            return;
        }
        self.after.uses.insert(
            id,
            RoomUseRow {
                id,
                room_id,
                from: body.from,
                until: body.until,
                kind: body.kind,
                reservation_id: None,
                reason: Some(body.reason.clone()),
            },
        );
        self.out_of_order(room_id, body.kind, body.from, body.until, 1);
    }

    fn unblock(&mut self, id: RoomUseId) {
        if let Some(period) = self.after.uses.remove(&id) {
            self.out_of_order(period.room_id, period.kind, period.from, period.until, -1);
        }
    }

    fn out_of_order(
        &mut self,
        room: RoomId,
        kind: RoomUseKind,
        from: NaiveDate,
        until: NaiveDate,
        rooms: i32,
    ) {
        if kind != RoomUseKind::OutOfOrder {
            return;
        }
        let Some(type_id) = self.after.rooms.get(&room).map(|room| room.room_type_id) else {
            return;
        };
        for date in dates(from, until) {
            for id in [type_id, RoomTypeId::HOUSE] {
                if let Some(night) = self.after.nights.get_mut(&(id, date)) {
                    night.out_of_order = (night.out_of_order + rooms).clamp(0, night.total);
                    // A room that goes leaves a surplus, one that comes back shrinks it (N1).
                    night.over_limit = if rooms > 0 {
                        night.over_limit.max(above(night))
                    } else {
                        night.over_limit.min(above(night))
                    };
                }
            }
        }
    }
}

/// How many stand above the limit.
fn above(night: &NightRow) -> i32 {
    i32::try_from((-night.left()).max(0)).unwrap_or(i32::MAX)
}

fn news<K: Ord, V: PartialEq>(
    before: &BTreeMap<K, V>,
    after: BTreeMap<K, V>,
) -> impl Iterator<Item = V> {
    after
        .into_iter()
        .filter(|(id, row)| before.get(id) != Some(row))
        .map(|(_, row)| row)
}
