//! Holds made ready for the hold function: every text that will be stored put together but for what
//! only the database knows, and a group laid out flat with positions instead of names.

use std::collections::HashSet;

use chrono::NaiveDate;
use protocol::event::Change;
use protocol::id::{BookingId, RatePlanId, ReservationId};
use protocol::nights::dates;
use protocol::number::confirmation_number;
use protocol::request::{COMMAND_NIGHTS_MAX, HeldRoom, HoldAnswer, HoldRequest, RoomRequest};
use protocol::row::{BookingRow, ReservationRow};
use protocol::state::{Channel, Guarantee, Lateness, ReservationState, Segment};
use uuid::Uuid;

use super::hold_texts::{CREATED, EXPIRES, NUMBER, Template, quoted};
use crate::db::command::{Caller, Key};

/// The most holds decided in one transaction.
pub(crate) const GROUP_HOLDS_MAX: usize = 64;

/// One hold, checked in form and ready to be decided.
#[derive(Clone, Debug)]
pub(crate) struct ReadyHold {
    caller: Caller,
    key: Option<Key>,
    event: Uuid,
    booking: BookingId,
    number: String,
    channel: Channel,
    external_id: Option<String>,
    minutes: Option<i32>,
    image: String,
    answer: String,
    rooms: Vec<ReadyRoom>,
    nights: usize,
}

#[derive(Clone, Debug)]
struct ReadyRoom {
    id: ReservationId,
    asked: RoomRequest,
    children: String,
    segment: Segment,
    image: String,
    answer: String,
    nights: Vec<NaiveDate>,
}

impl ReadyHold {
    /// Makes a checked request ready. Ids that the caller did not make are made here.
    pub(crate) fn new(
        caller: Caller,
        key: Option<Key>,
        request: HoldRequest,
    ) -> Result<Self, serde_json::Error> {
        let booking = request
            .booking_id
            .unwrap_or_else(|| BookingId(Uuid::now_v7()));
        let number = confirmation_number(booking);
        let channel = request.channel.unwrap_or(Channel::Desk);
        let image = Template::new(&Change::Booking {
            row: BookingRow {
                id: booking,
                number: number.clone(),
                channel,
                external_id: request.external_id.clone(),
                created_at: CREATED,
            },
        })?
        .hole(&quoted(&CREATED), "\"%1$s\"");
        let answer = Template::new(&HoldAnswer {
            seq: NUMBER,
            booking_id: booking,
            number: number.clone(),
            expires_at: EXPIRES,
            rooms: Vec::new(),
        })?
        .hole(&NUMBER.to_string(), "%1$s")
        .hole(&quoted(&EXPIRES), "\"%2$s\"")
        .hole("[]", "[%3$s]");
        let rooms = request
            .rooms
            .into_iter()
            .map(|room| ReadyRoom::new(booking, room))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            caller,
            key,
            event: Uuid::new_v4(),
            booking,
            number,
            channel,
            external_id: request.external_id,
            minutes: request.minutes,
            image: image.0,
            answer: answer.0,
            nights: rooms.iter().map(|room| room.nights.len()).sum(),
            rooms,
        })
    }

    /// The hotel in whose queue it stands.
    pub(crate) fn hotel(&self) -> protocol::id::HotelId {
        self.caller.hotel
    }
}

impl ReadyRoom {
    fn new(booking: BookingId, asked: RoomRequest) -> Result<Self, serde_json::Error> {
        let id = asked
            .reservation_id
            .unwrap_or_else(|| ReservationId(Uuid::now_v7()));
        let segment = asked.segment.unwrap_or(Segment::Transient);
        let image = Template::new(&Change::Reservation {
            row: Box::new(ReservationRow {
                id,
                booking_id: booking,
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
                hold_expires_at: Some(EXPIRES),
                rate_plan_id: Some(RatePlanId(Uuid::max())),
                segment,
                expected_time: None,
                do_not_move: false,
                day_use: asked.day_use,
                share_of: None,
                checked_in_at: None,
                checked_out_at: None,
                notes: String::new(),
                version: 1,
                created_at: CREATED,
                lateness: Lateness::OnTime,
                early_departure_fee: None,
                no_show_fee: None,
                nights: Vec::new(),
            }),
        })?
        .hole(&quoted(&EXPIRES), "\"%1$s\"")
        .hole(&format!("\"{}\"", Uuid::max()), "%2$s")
        .hole(&quoted(&CREATED), "\"%3$s\"")
        .hole("[]", "[%4$s]");
        let answer = Template::new(&HeldRoom {
            reservation_id: id,
            nights: Vec::new(),
        })?
        .hole("[]", "[%1$s]");
        let nights = dates(asked.check_in, asked.check_out).collect();
        let ages: Vec<String> = asked.children.iter().map(i32::to_string).collect();
        Ok(Self {
            id,
            children: format!("{{{}}}", ages.join(",")),
            segment,
            image: image.0,
            answer: answer.0,
            nights,
            asked,
        })
    }
}

/// What no two holds of a group may share: the second must see what became of the first.
#[derive(Debug, Default)]
pub(crate) struct GroupNames {
    keys: HashSet<(Uuid, String)>,
    numbers: HashSet<String>,
    external: HashSet<(Channel, String)>,
    reservations: HashSet<ReservationId>,
    holds: usize,
    nights: usize,
}

impl GroupNames {
    /// Whether no more fit in.
    pub(crate) fn is_full(&self) -> bool {
        self.holds >= GROUP_HOLDS_MAX
    }

    /// Takes the hold in, unless it must wait for the next group.
    pub(crate) fn admit(&mut self, hold: &ReadyHold) -> bool {
        let too_many = self.holds > 0 && self.nights + hold.nights > COMMAND_NIGHTS_MAX;
        let key = hold
            .key
            .as_ref()
            .map(|key| (hold.caller.staff.0, key.key.clone()));
        let external = hold
            .external_id
            .as_ref()
            .map(|external_id| (hold.channel, external_id.clone()));
        if self.is_full()
            || too_many
            || key.as_ref().is_some_and(|key| self.keys.contains(key))
            || self.numbers.contains(&hold.number)
            || external
                .as_ref()
                .is_some_and(|external| self.external.contains(external))
            || hold
                .rooms
                .iter()
                .any(|room| self.reservations.contains(&room.id))
        {
            return false;
        }
        self.holds += 1;
        self.nights += hold.nights;
        self.keys.extend(key);
        self.numbers.insert(hold.number.clone());
        self.external.extend(external);
        self.reservations
            .extend(hold.rooms.iter().map(|room| room.id));
        true
    }
}

/// A group laid out flat, as `hold_group_v2` takes it; each field is one of its parameters.
#[derive(Debug, Default)]
#[allow(
    missing_docs,
    reason = "the function's own comment explains its parameters"
)]
pub(crate) struct Layout {
    pub(crate) h_actor: Vec<Uuid>,
    pub(crate) h_device: Vec<Option<Uuid>>,
    pub(crate) h_key: Vec<Option<String>>,
    pub(crate) h_hash: Vec<Option<Vec<u8>>>,
    pub(crate) h_event: Vec<Uuid>,
    pub(crate) h_booking: Vec<Uuid>,
    pub(crate) h_number: Vec<String>,
    pub(crate) h_channel: Vec<&'static str>,
    pub(crate) h_external: Vec<Option<String>>,
    pub(crate) h_minutes: Vec<Option<i32>>,
    pub(crate) h_first_room: Vec<i32>,
    pub(crate) h_last_room: Vec<i32>,
    pub(crate) h_first_touch: Vec<i32>,
    pub(crate) h_last_touch: Vec<i32>,
    pub(crate) h_image: Vec<String>,
    pub(crate) h_answer: Vec<String>,
    pub(crate) r_reservation: Vec<Uuid>,
    pub(crate) r_hold: Vec<i32>,
    pub(crate) r_type: Vec<Uuid>,
    pub(crate) r_plan: Vec<Option<Uuid>>,
    pub(crate) r_in: Vec<NaiveDate>,
    pub(crate) r_out: Vec<NaiveDate>,
    pub(crate) r_adults: Vec<i32>,
    pub(crate) r_children: Vec<String>,
    pub(crate) r_guest: Vec<Option<Uuid>>,
    pub(crate) r_price: Vec<Option<i64>>,
    pub(crate) r_segment: Vec<&'static str>,
    pub(crate) r_day_use: Vec<bool>,
    pub(crate) r_first_item: Vec<i32>,
    pub(crate) r_last_item: Vec<i32>,
    pub(crate) r_arrival: Vec<i32>,
    pub(crate) r_departure: Vec<i32>,
    pub(crate) r_image: Vec<String>,
    pub(crate) r_answer: Vec<String>,
    pub(crate) i_room: Vec<i32>,
    pub(crate) i_date: Vec<NaiveDate>,
    pub(crate) i_rate: Vec<i32>,
    pub(crate) t_counter: Vec<i32>,
    pub(crate) t_rooms: Vec<i32>,
    pub(crate) n_type: Vec<Uuid>,
    pub(crate) n_date: Vec<NaiveDate>,
    pub(crate) n_rooms: Vec<i32>,
    pub(crate) q_plan: Vec<Option<Uuid>>,
    pub(crate) q_type: Vec<Uuid>,
    pub(crate) q_date: Vec<NaiveDate>,
    pub(crate) u_actor: Vec<Uuid>,
    pub(crate) u_type: Vec<Uuid>,
    pub(crate) u_plan: Vec<Uuid>,
    pub(crate) u_guest: Vec<Uuid>,
}

impl Layout {
    /// Lays holds of one hotel out flat.
    pub(crate) fn new(holds: &[ReadyHold]) -> Self {
        let rooms = || holds.iter().flat_map(|hold| &hold.rooms);
        let counters = sorted(rooms().flat_map(|room| {
            let of_type = room.asked.room_type_id.0;
            std::iter::once((of_type, room.asked.check_in)).chain(
                room.nights
                    .iter()
                    .flat_map(move |night| [(of_type, *night), (Uuid::nil(), *night)]),
            )
        }));
        let rates = sorted(rooms().flat_map(|room| {
            let of = (
                room.asked.rate_plan_id.map(|id| id.0),
                room.asked.room_type_id.0,
            );
            dates(room.asked.check_in, room.asked.check_out)
                .chain([room.asked.check_out])
                .map(move |date| (of.0, of.1, date))
        }));
        let mut flat = Self {
            u_actor: sorted(holds.iter().map(|hold| hold.caller.staff.0)),
            n_rooms: vec![0; counters.len()],
            u_type: sorted(rooms().map(|room| room.asked.room_type_id.0)),
            u_plan: sorted(rooms().filter_map(|room| Some(room.asked.rate_plan_id?.0))),
            u_guest: sorted(rooms().filter_map(|room| Some(room.asked.guest_id?.0))),
            ..Self::default()
        };
        for hold in holds {
            flat.add(hold, &counters, &rates);
        }
        for (room_type, night) in counters {
            flat.n_type.push(room_type);
            flat.n_date.push(night);
        }
        for (plan, room_type, date) in rates {
            flat.q_plan.push(plan);
            flat.q_type.push(room_type);
            flat.q_date.push(date);
        }
        flat
    }

    fn add(
        &mut self,
        hold: &ReadyHold,
        counters: &[(Uuid, NaiveDate)],
        rates: &[(Option<Uuid>, Uuid, NaiveDate)],
    ) {
        self.h_actor.push(hold.caller.staff.0);
        self.h_device
            .push(hold.caller.device.map(|device| device.0));
        self.h_key
            .push(hold.key.as_ref().map(|key| key.key.clone()));
        self.h_hash
            .push(hold.key.as_ref().map(|key| key.hash.to_vec()));
        self.h_event.push(hold.event);
        self.h_booking.push(hold.booking.0);
        self.h_number.push(hold.number.clone());
        self.h_channel.push(hold.channel.as_str());
        self.h_external.push(hold.external_id.clone());
        self.h_minutes.push(hold.minutes);
        self.h_first_room.push(next(&self.r_reservation));
        self.h_image.push(hold.image.clone());
        self.h_answer.push(hold.answer.clone());
        let mut touched: Vec<(i32, i32)> = Vec::new();
        for room in &hold.rooms {
            let asked = &room.asked;
            let plan = asked.rate_plan_id.map(|id| id.0);
            let of_type = asked.room_type_id.0;
            let rate = |date| place(rates, &(plan, of_type, date));
            self.r_reservation.push(room.id.0);
            self.r_hold.push(next(&self.h_last_room));
            self.r_type.push(of_type);
            self.r_plan.push(plan);
            self.r_in.push(asked.check_in);
            self.r_out.push(asked.check_out);
            self.r_adults.push(asked.adults);
            self.r_children.push(room.children.clone());
            self.r_guest.push(asked.guest_id.map(|id| id.0));
            self.r_price.push(asked.price);
            self.r_segment.push(room.segment.as_str());
            self.r_day_use.push(asked.day_use);
            self.r_first_item.push(next(&self.i_room));
            self.r_arrival.push(rate(asked.check_in));
            self.r_departure.push(rate(asked.check_out));
            // A day use counts no night, but the day must be open.
            let mut touch = |of_type, date, rooms| {
                let counter = place(counters, &(of_type, date));
                match touched.iter_mut().find(|(known, _)| *known == counter) {
                    Some((_, known)) => *known += rooms,
                    None => touched.push((counter, rooms)),
                }
            };
            if room.nights.is_empty() {
                touch(of_type, asked.check_in, 0);
            }
            self.r_image.push(room.image.clone());
            self.r_answer.push(room.answer.clone());
            for night in &room.nights {
                touch(of_type, *night, 1);
                touch(Uuid::nil(), *night, 1);
                self.i_room.push(next(&self.r_last_item));
                self.i_date.push(*night);
                self.i_rate.push(rate(*night));
            }
            self.r_last_item.push(next(&self.i_room) - 1);
        }
        self.h_first_touch.push(next(&self.t_counter));
        for (counter, rooms) in touched {
            self.t_counter.push(counter);
            self.t_rooms.push(rooms);
            if let Some(all) = self.n_rooms.get_mut(counter as usize - 1) {
                *all += rooms;
            }
        }
        self.h_last_touch.push(next(&self.t_counter) - 1);
        self.h_last_room.push(next(&self.r_reservation) - 1);
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The position from 1 of something that is in the list.
fn place<T: Ord>(list: &[T], item: &T) -> i32 {
    // A group has at most a few thousand of anything, so it fits; and what is looked up was put in.
    list.binary_search(item).map_or(0, |at| at as i32 + 1)
}

/// The position from 1 of what will be added next.
fn next<T>(list: &[T]) -> i32 {
    list.len() as i32 + 1
}
