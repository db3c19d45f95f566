//! Fourteen months at the desk, day by day: turns wishes into commands that the authority accepts.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, NaiveTime};
use protocol::command::Command;
use protocol::id::{BookingId, GuestId, ReservationId, RoomTypeId};
use protocol::request::{
    AboveLimit, AssignRequest, BlockRequest, CancelRequest, CheckInRequest, CheckOutRequest,
    ConfirmRequest, ConfirmRoom, HoldRequest, NoShowRequest, OverbookingRequest, RollRequest,
    RoomRequest, RoomStatusRequest, UpgradeRequest,
};
use protocol::state::{Channel, Guarantee, RoomStatus, RoomUseKind, Segment};

use super::demand::{Fate, Wish};
use super::dice::Dice;
use super::house::{House, TYPES, price};
use super::inventory::Inventory;
use super::people::{self, Kind};
use super::{Timed, WINDOW_DAYS};

/// The state of the demonstration while it is being thought out.
pub(super) struct Diary<'h> {
    house: &'h House,
    dice: Dice,
    inventory: Inventory,
    day: NaiveDate,
    today: NaiveDate,
    stays: Vec<Stay>,
    by_arrival: BTreeMap<NaiveDate, Vec<usize>>,
    by_departure: BTreeMap<NaiveDate, Vec<usize>>,
    to_cancel: BTreeMap<NaiveDate, Vec<usize>>,
    regulars: [Vec<GuestId>; 3],
    /// Rooms whose guests should leave today and have not yet.
    not_yet_left: Vec<usize>,
    written: Vec<Timed>,
    /// Guests and confirmations of the holds just written. They come after all of these, as they
    /// would if several clerks asked at once: holds that stand together are decided together.
    to_confirm: Vec<Timed>,
    pub(super) tally: Tally,
}

/// What the generator did, for its tests and for the person who waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Reservations of every state.
    pub reservations: usize,
    /// Parties for whom there was no room.
    pub turned_away: usize,
    /// Guests given another type than booked.
    pub upgrades: usize,
    /// Arrivals for whom no room could be found: cancelled by the hotel.
    pub no_room: usize,
    /// Guests' profiles.
    pub guests: usize,
}

struct Stay {
    id: ReservationId,
    booking: BookingId,
    kind: usize,
    check_in: NaiveDate,
    check_out: NaiveDate,
    room: Option<usize>,
    open: bool,
    fate: Fate,
    vip: bool,
}

impl<'h> Diary<'h> {
    pub(super) fn new(house: &'h House, dice: Dice, first: NaiveDate, today: NaiveDate) -> Self {
        let kinds = (0..house.rooms.len())
            .map(|room| house.kind_of(room))
            .collect();
        let nights = usize::try_from((today - first).num_days()).unwrap_or(0) + WINDOW_DAYS;
        Self {
            house,
            dice,
            inventory: Inventory::new(first, nights, kinds),
            day: first,
            today,
            stays: Vec::new(),
            by_arrival: BTreeMap::new(),
            by_departure: BTreeMap::new(),
            to_cancel: BTreeMap::new(),
            regulars: Default::default(),
            not_yet_left: Vec::new(),
            written: Vec::new(),
            to_confirm: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Plays every day from the first to today, and leaves today in the afternoon.
    pub(super) fn write(mut self, wishes: Vec<Wish>) -> (Vec<Timed>, Tally) {
        let mut wishes = wishes.into_iter().peekable();
        while self.day < self.today {
            self.departures(1_000);
            while let Some(wish) = wishes.next_if(|wish| wish.asked_on <= self.day) {
                self.ask(&wish);
            }
            self.cancellations();
            self.repairs();
            self.arrivals(1_000);
            self.push(Command::Roll {
                body: RollRequest {
                    business_date: self.day,
                },
            });
            self.day = self.day + Days::new(1);
            self.inventory.forget_before(self.day);
        }
        self.departures(550);
        self.housekeeping();
        for wish in wishes {
            self.ask(&wish);
        }
        self.cancellations();
        self.periods_ahead();
        self.arrivals(380);
        self.assign_ahead();
        self.nights_above_the_limit();
        self.written.append(&mut self.to_confirm);
        (self.written, self.tally)
    }

    fn push(&mut self, command: Command) {
        let timed = Timed {
            day: self.day,
            command,
        };
        match timed.command {
            Command::PutGuest { .. } | Command::Confirm { .. } => self.to_confirm.push(timed),
            Command::Hold { .. } => self.written.push(timed),
            _ => {
                self.written.append(&mut self.to_confirm);
                self.written.push(timed);
            }
        }
    }

    /// Milliseconds of an hour of the present day, for ids only.
    fn millis(&mut self) -> u64 {
        super::millis(self.day) + u64::try_from(self.dice.between(0, 57_600_000)).unwrap_or(0)
    }

    /// A party asks: hold, guests, confirm, or nothing where there is no room.
    fn ask(&mut self, wish: &Wish) {
        let Some(rooms) = self.rooms_for(wish) else {
            self.tally.turned_away += 1;
            return;
        };
        let millis = self.millis();
        let booking: BookingId = self.dice.id(millis);
        let ids: Vec<ReservationId> = rooms.iter().map(|_| self.dice.id(millis)).collect();
        let requests = ids
            .iter()
            .zip(&rooms)
            .map(|(id, kind)| self.room_request(wish, *id, *kind))
            .collect();
        let external = matches!(wish.channel, Channel::Ota | Channel::TourOperator)
            .then(|| format!("{:010X}", booking.0.as_u128() & 0xff_ffff_ffff));
        self.push(Command::Hold {
            body: HoldRequest {
                booking_id: Some(booking),
                channel: Some(wish.channel),
                external_id: external,
                minutes: None,
                rooms: requests,
            },
        });
        self.tally.reservations += ids.len();
        if wish.fate == Fate::NotWanted {
            // Let go the same day, after whatever else was asked for: until then it takes the nights.
            for (id, kind) in ids.into_iter().zip(rooms) {
                self.enter(wish, booking, id, kind, false);
            }
            return;
        }
        let confirmed = self.confirm_rooms(wish, &ids);
        let vips: Vec<bool> = confirmed.iter().map(|(_, vip)| *vip).collect();
        self.push(Command::Confirm {
            booking_id: booking,
            body: ConfirmRequest {
                guarantee: wish.guarantee,
                rooms: confirmed.into_iter().map(|(room, _)| room).collect(),
            },
        });
        for ((id, kind), vip) in ids.into_iter().zip(rooms).zip(vips) {
            self.enter(wish, booking, id, kind, vip);
        }
    }

    fn enter(
        &mut self,
        wish: &Wish,
        booking: BookingId,
        id: ReservationId,
        kind: usize,
        vip: bool,
    ) {
        let place = self.stays.len();
        self.inventory.count(kind, wish.check_in, wish.check_out, 1);
        self.stays.push(Stay {
            id,
            booking,
            kind,
            check_in: wish.check_in,
            check_out: wish.check_out,
            room: None,
            open: true,
            fate: wish.fate,
            vip,
        });
        self.by_arrival
            .entry(wish.check_in)
            .or_default()
            .push(place);
        match wish.fate {
            Fate::NotWanted => self.to_cancel.entry(self.day).or_default().push(place),
            Fate::Cancelled(day) => self.to_cancel.entry(day).or_default().push(place),
            // The last room of the party is the one that is given up.
            Fate::OneRoomLess(day) => {
                if let Some(last) = self.to_cancel.entry(day).or_default().last_mut()
                    && self.stays[*last].booking == booking
                {
                    *last = place;
                } else {
                    self.to_cancel.entry(day).or_default().push(place);
                }
            }
            _ => {}
        }
    }

    /// The types for a party: those wished, or the next better one, or none.
    fn rooms_for(&mut self, wish: &Wish) -> Option<Vec<usize>> {
        let fits = |rooms: &[usize], inventory: &Inventory| {
            (0..TYPES.len()).all(|kind| {
                let wanted = rooms.iter().filter(|room| **room == kind).count() as i32;
                let all = rooms.len() as i32;
                wanted == 0
                    || (inventory.left_of_type(kind, wish.check_in, wish.check_out) >= wanted
                        && inventory.left(kind, wish.check_in, wish.check_out) >= 1
                        && inventory.left_of_house(wish.check_in, wish.check_out) >= all)
            })
        };
        if fits(&wish.rooms, &self.inventory) {
            return Some(wish.rooms.clone());
        }
        let other = *self.dice.pick(&[0, 1, 2]);
        let rooms = vec![other; wish.rooms.len()];
        fits(&rooms, &self.inventory).then_some(rooms)
    }

    fn room_request(&mut self, wish: &Wish, id: ReservationId, kind: usize) -> RoomRequest {
        let most = i64::from(TYPES[kind].max_occupancy);
        let adults = if wish.segment == Segment::Corporate {
            1
        } else {
            self.dice.between(1, most.min(2))
        };
        let children = if kind == 3 || most > 2 && self.dice.permille(150) {
            let count = self.dice.between(1, most - adults);
            (0..count)
                .map(|_| self.dice.between(0, 15) as i32)
                .collect()
        } else {
            Vec::new()
        };
        let first = price(&TYPES[kind], wish.check_in);
        let agreed = match wish.segment {
            Segment::Corporate => Some(first * 88 / 100),
            Segment::Wholesale | Segment::Group => Some(first * 76 / 100),
            Segment::Complimentary | Segment::HouseUse => Some(0),
            Segment::Transient => None,
        };
        RoomRequest {
            reservation_id: Some(id),
            room_type_id: self.house.types[kind].id,
            check_in: wish.check_in,
            check_out: wish.check_out,
            adults: adults as i32,
            children,
            guest_id: None,
            rate_plan_id: Some(self.house.plan),
            price: agreed,
            segment: Some(wish.segment),
            day_use: false,
        }
    }

    fn confirm_rooms(&mut self, wish: &Wish, ids: &[ReservationId]) -> Vec<(ConfirmRoom, bool)> {
        let kind = match wish.channel {
            Channel::Corporate => Kind::Company,
            Channel::TourOperator => Kind::Agency,
            _ => Kind::Private,
        };
        let mut leader = None;
        let mut rooms = Vec::new();
        for id in ids {
            let (guest, vip) = match leader {
                // Half of the rooms of a party stay under the name of whoever booked.
                Some(known) if self.dice.permille(500) => known,
                _ => self.guest(kind),
            };
            leader.get_or_insert((guest, vip));
            let further = if self.dice.permille(60) {
                vec![self.guest(Kind::Private).0]
            } else {
                Vec::new()
            };
            rooms.push((
                ConfirmRoom {
                    reservation_id: *id,
                    guest_id: Some(guest),
                    further_guest_ids: further,
                    notes: self.note(),
                    expected_time: self.expected_time(),
                },
                vip,
            ));
        }
        rooms
    }

    /// Somebody who was here before, or somebody new.
    fn guest(&mut self, kind: Kind) -> (GuestId, bool) {
        let known = &self.regulars[kind as usize];
        if known.len() > 60 && self.dice.permille(520) {
            return (*self.dice.pick(known), false);
        }
        let millis = self.millis();
        let guest_id: GuestId = self.dice.id(millis);
        let body = people::guest(&mut self.dice, kind);
        let vip = body.vip;
        self.push(Command::PutGuest { guest_id, body });
        self.tally.guests += 1;
        self.regulars[kind as usize].push(guest_id);
        (guest_id, vip)
    }

    fn note(&mut self) -> Option<String> {
        const NOTES: &[&str] = &[
            "Late arrival, flight lands 23:40.",
            "Two beds pushed together, please.",
            "Invoice to the company, extras paid by the guest.",
            "Baby cot.",
            "Rooms next to each other if possible.",
            "Honeymoon: a bottle of cava on arrival.",
            "Cama supletoria confirmada por teléfono.",
            "Chambre au calme, côté cour.",
            "Нужен ранний завтрак в 6:00.",
            "يرجى تجهيز سرير إضافي",
        ];
        self.dice
            .permille(140)
            .then(|| (*self.dice.pick(NOTES)).to_owned())
    }

    fn expected_time(&mut self) -> Option<NaiveTime> {
        if !self.dice.permille(350) {
            return None;
        }
        let hour = self.dice.between(12, 23) as u32;
        let quarter = *self.dice.pick(&[0, 15, 30, 45]);
        NaiveTime::from_hms_opt(hour, quarter, 0)
    }

    fn departures(&mut self, permille: u32) {
        for place in self.by_departure.remove(&self.day).unwrap_or_default() {
            if !self.dice.permille(permille) {
                self.not_yet_left.extend(self.stays[place].room);
                continue;
            }
            let stay = &mut self.stays[place];
            stay.open = false;
            let early = self.day < stay.check_out;
            let (kind, check_in, check_out, id) =
                (stay.kind, stay.check_in, stay.check_out, stay.id);
            if early {
                self.inventory.count(kind, self.day, check_out, -1);
            }
            if let Some(room) = stay.room {
                self.inventory.leave(room, check_in, self.day);
            }
            self.push(Command::CheckOut {
                reservation_id: id,
                body: CheckOutRequest {
                    early,
                    ..CheckOutRequest::default()
                },
            });
        }
    }

    fn cancellations(&mut self) {
        for place in self.to_cancel.remove(&self.day).unwrap_or_default() {
            let stay = &self.stays[place];
            if !stay.open {
                continue;
            }
            let whole = !matches!(stay.fate, Fate::OneRoomLess(_));
            let not_wanted = stay.fate == Fate::NotWanted;
            let (booking, id) = (stay.booking, stay.id);
            for place in self.party(place, whole) {
                self.give_up(place);
            }
            let body = cancel(if not_wanted {
                "not_wanted"
            } else if self.dice.permille(900) {
                "guest"
            } else {
                "duplicate"
            });
            self.push(if whole {
                Command::CancelBooking {
                    booking_id: booking,
                    body,
                }
            } else {
                Command::Cancel {
                    reservation_id: id,
                    body,
                }
            });
        }
    }

    /// The stay alone, or every stay of its booking: they were entered one after another.
    fn party(&self, place: usize, whole: bool) -> Vec<usize> {
        if !whole {
            return vec![place];
        }
        let booking = self.stays[place].booking;
        let same = |place: &usize| self.stays[*place].booking == booking;
        let begin = (0..=place).rev().take_while(same).last().unwrap_or(place);
        (begin..self.stays.len()).take_while(same).collect()
    }

    fn give_up(&mut self, place: usize) {
        let stay = &mut self.stays[place];
        stay.open = false;
        self.inventory
            .count(stay.kind, stay.check_in, stay.check_out, -1);
        if let Some(room) = stay.room.take() {
            let (from, until) = (stay.check_in, stay.check_in);
            self.inventory.leave(room, from, until);
        }
    }

    fn arrivals(&mut self, permille: u32) {
        let due = self.by_arrival.remove(&self.day).unwrap_or_default();
        let mut missing = Vec::new();
        for place in due {
            if !self.stays[place].open {
                continue;
            }
            if self.stays[place].fate == Fate::NoShow {
                missing.push(place);
            } else if self.dice.permille(permille) {
                self.check_in(place);
            } else {
                self.by_arrival.entry(self.day).or_default().push(place);
            }
        }
        if self.day == self.today {
            self.by_arrival.entry(self.day).or_default().extend(missing);
            return;
        }
        for place in missing {
            // The nights stay counted in this book, whatever the authority gives back: the book only
            // has to be on the safe side.
            self.stays[place].open = false;
            let reservation_id = self.stays[place].id;
            let keep_first_night = self.dice.permille(700);
            self.push(Command::NoShow {
                reservation_id,
                body: NoShowRequest {
                    keep_first_night,
                    ..NoShowRequest::default()
                },
            });
        }
    }

    fn check_in(&mut self, place: usize) {
        let Some(room) = self.room_for(place) else {
            self.tally.no_room += 1;
            let reservation_id = self.stays[place].id;
            self.give_up(place);
            self.push(Command::Cancel {
                reservation_id,
                body: cancel("hotel"),
            });
            return;
        };
        let stay = &mut self.stays[place];
        let assigned = stay.room.is_some();
        stay.room = Some(room);
        let (check_in, check_out, reservation_id) = (stay.check_in, stay.check_out, stay.id);
        let leaves = if stay.fate == Fate::LeavesEarly {
            check_out - Days::new(1)
        } else {
            check_out
        };
        if !assigned {
            self.inventory.occupy(room, check_in, check_out);
        }
        self.by_departure.entry(leaves).or_default().push(place);
        self.push(Command::CheckIn {
            reservation_id,
            body: CheckInRequest {
                room_id: (!assigned).then_some(self.house.rooms[room].id),
                room_not_ready_accepted: true,
            },
        });
    }

    /// The assigned room, a free one of the type, or a free one of a better type by an upgrade.
    fn room_for(&mut self, place: usize) -> Option<usize> {
        let stay = &self.stays[place];
        if stay.room.is_some() {
            return stay.room;
        }
        let (kind, from, until) = (stay.kind, stay.check_in, stay.check_out);
        let free = self.empty_rooms(kind, from, until);
        if !free.is_empty() {
            return Some(*self.dice.pick(&free));
        }
        for better in [1, 2, 3, 4, 5, 0] {
            if better == kind || self.inventory.left_of_type(better, from, until) < 1 {
                continue;
            }
            let free = self.empty_rooms(better, from, until);
            if free.is_empty() {
                continue;
            }
            self.inventory.count(kind, from, until, -1);
            self.inventory.count(better, from, until, 1);
            self.stays[place].kind = better;
            self.tally.upgrades += 1;
            let (reservation_id, room_type_id) = (self.stays[place].id, self.type_id(better));
            self.push(Command::Upgrade {
                reservation_id,
                body: UpgradeRequest {
                    room_type_id,
                    reason: Some("oversold".to_owned()),
                },
            });
            return Some(*self.dice.pick(&free));
        }
        None
    }

    /// Rooms that are free and in which nobody is still packing.
    fn empty_rooms(&self, kind: usize, from: NaiveDate, until: NaiveDate) -> Vec<usize> {
        let mut free = self.inventory.free_rooms(kind, from, until);
        free.retain(|room| !self.not_yet_left.contains(room));
        free
    }

    fn type_id(&self, kind: usize) -> RoomTypeId {
        self.house.types[kind].id
    }

    /// Every few weeks a room is taken out for some days.
    fn repairs(&mut self) {
        if !self.dice.permille(70) {
            return;
        }
        let days = self.dice.between(1, 4) as u64;
        let kind = if self.dice.permille(250) {
            RoomUseKind::OutOfService
        } else {
            RoomUseKind::OutOfOrder
        };
        self.block(kind, self.day, self.day + Days::new(days));
    }

    fn block(&mut self, use_kind: RoomUseKind, from: NaiveDate, until: NaiveDate) {
        const REASONS: &[&str] = &[
            "paint",
            "water",
            "furniture",
            "air_conditioning",
            "electricity",
        ];
        let candidates: Vec<usize> = (0..self.house.rooms.len())
            .filter(|room| {
                self.inventory.is_free(*room, from, until)
                    && self.inventory.left(self.house.kind_of(*room), from, until) >= 2
            })
            .collect();
        if candidates.is_empty() {
            return;
        }
        let room = *self.dice.pick(&candidates);
        self.block_room(room, use_kind, from, until, REASONS);
    }

    fn block_room(
        &mut self,
        room: usize,
        kind: RoomUseKind,
        from: NaiveDate,
        until: NaiveDate,
        reasons: &[&str],
    ) {
        if kind == RoomUseKind::OutOfOrder {
            self.inventory
                .out_of_order(self.house.kind_of(room), from, until);
        }
        self.inventory.occupy(room, from, until);
        let millis = self.millis();
        let body = BlockRequest {
            room_use_id: Some(self.dice.id(millis)),
            kind,
            from,
            until,
            reason: (*self.dice.pick(reasons)).to_owned(),
        };
        self.push(Command::Block {
            room_id: self.house.rooms[room].id,
            body,
        });
    }

    /// What the floors report today: empty rooms mostly done, slept-in ones half.
    fn housekeeping(&mut self) {
        let tomorrow = self.day + Days::new(1);
        for room in 0..self.house.rooms.len() {
            let empty = self.inventory.is_free(room, self.day, tomorrow);
            let done = if empty { 780 } else { 450 };
            let status = if !self.dice.permille(done) {
                RoomStatus::Dirty
            } else if self.dice.permille(300) {
                RoomStatus::Inspected
            } else {
                RoomStatus::Clean
            };
            self.push(Command::RoomStatus {
                room_id: self.house.rooms[room].id,
                body: RoomStatusRequest { status },
            });
        }
    }

    fn periods_ahead(&mut self) {
        let day = |days: u64| self.day + Days::new(days);
        let periods = [
            (RoomUseKind::OutOfOrder, day(0), day(4)),
            (RoomUseKind::OutOfOrder, day(0), day(11)),
            (RoomUseKind::OutOfService, day(0), day(2)),
            (RoomUseKind::OutOfService, day(1), day(6)),
            (RoomUseKind::OutOfOrder, day(16), day(30)),
        ];
        for (kind, from, until) in periods {
            self.block(kind, from, until);
        }
    }

    /// Most of today's arrivals have a room by now, few of the days after.
    fn assign_ahead(&mut self) {
        for ahead in 0..14u64 {
            let chance = match ahead {
                0 => 720,
                1 => 420,
                2 | 3 => 150,
                _ => 40,
            };
            let day = self.day + Days::new(ahead);
            for place in self.by_arrival.get(&day).cloned().unwrap_or_default() {
                let stay = &self.stays[place];
                // A room promised to somebody of note is given early.
                if !stay.open || !(stay.vip || self.dice.permille(chance)) {
                    continue;
                }
                let stay = &self.stays[place];
                let free = self
                    .inventory
                    .free_rooms(stay.kind, stay.check_in, stay.check_out);
                if free.len() < 2 {
                    continue;
                }
                let room = *self.dice.pick(&free);
                let stay = &mut self.stays[place];
                stay.room = Some(room);
                let (from, until, reservation_id) = (stay.check_in, stay.check_out, stay.id);
                self.inventory.occupy(room, from, until);
                self.push(Command::Assign {
                    reservation_id,
                    body: AssignRequest {
                        room_id: Some(self.house.rooms[room].id),
                    },
                });
            }
        }
    }

    /// Two nights stand above the limit knowingly: on one the house was oversold and its limit taken
    /// back afterwards, on the other a room of a full type goes out of order.
    fn nights_above_the_limit(&mut self) {
        let (lowered, broken) = super::nights_above_the_limit(self.today);
        self.house_limit(lowered, 4, "fair");
        self.inventory.raise_house(lowered, 4);
        self.fill(lowered, &[0, 1, 2, 3, 4, 5]);
        self.house_limit(lowered, 0, "walk_cost");

        self.fill(broken, &[4]);
        let next = broken + Days::new(1);
        let free = self.inventory.free_rooms(4, broken, next);
        if let Some(room) = free.first() {
            self.block_room(*room, RoomUseKind::OutOfOrder, broken, next, &["water"]);
        }
    }

    fn house_limit(&mut self, night: NaiveDate, rooms: i32, reason: &str) {
        self.push(Command::Overbooking {
            body: OverbookingRequest {
                room_type_id: RoomTypeId::HOUSE,
                from: night,
                until: night + Days::new(1),
                overbook_pct: 0,
                overbook_rooms: rooms,
                above_limit: AboveLimit::WashDown,
                reason: reason.to_owned(),
            },
        });
    }

    /// Sells every room that is left of these types on the night.
    fn fill(&mut self, night: NaiveDate, kinds: &[usize]) {
        let next = night + Days::new(1);
        for kind in kinds {
            while self.inventory.left(*kind, night, next) > 0 {
                self.ask(&Wish {
                    asked_on: self.day,
                    check_in: night,
                    check_out: next,
                    rooms: vec![*kind],
                    channel: Channel::Phone,
                    segment: Segment::Transient,
                    guarantee: Guarantee::Card,
                    fate: Fate::Stays,
                });
            }
        }
    }
}

fn cancel(reason: &str) -> CancelRequest {
    CancelRequest {
        reason: Some(reason.to_owned()),
        ..CancelRequest::default()
    }
}
