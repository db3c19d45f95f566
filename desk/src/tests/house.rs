//! A small hotel as rows, for tests: STD 101-104, DLX 201, business date 2027-06-10.

use chrono::{NaiveDate, NaiveTime};
use protocol::event::Change;
use protocol::id::*;
use protocol::nights::dates;
use protocol::number::confirmation_number;
use protocol::row::*;
use protocol::state::*;
use uuid::Uuid;

/// The n-th day of June 2027.
pub(crate) fn june(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2027, 6, day).unwrap()
}

fn id(kind: u128, n: u128) -> Uuid {
    Uuid::from_u128((kind << 64) | n)
}

pub(crate) fn hotel_id() -> HotelId {
    HotelId(id(1, 1))
}

pub(crate) fn std_type() -> RoomTypeId {
    RoomTypeId(id(2, 1))
}

pub(crate) fn dlx_type() -> RoomTypeId {
    RoomTypeId(id(2, 2))
}

/// By its number: 101 to 104, 201.
pub(crate) fn room_id(number: u128) -> RoomId {
    RoomId(id(3, number))
}

pub(crate) fn booking_id(n: u128) -> BookingId {
    BookingId(id(4, n))
}

pub(crate) fn stay_id(n: u128) -> ReservationId {
    ReservationId(id(5, n))
}

pub(crate) fn guest_id(n: u128) -> GuestId {
    GuestId(id(6, n))
}

pub(crate) fn use_id(n: u128) -> RoomUseId {
    RoomUseId(id(7, n))
}

pub(crate) fn staff_id(n: u128) -> StaffId {
    StaffId(id(8, n))
}

pub(crate) fn command_id(n: u128) -> CommandId {
    CommandId(id(9, n))
}

pub(crate) fn hotel() -> HotelRow {
    HotelRow {
        id: hotel_id(),
        name: "Miramar".to_owned(),
        slug: "miramar".to_owned(),
        time_zone: "Europe/Madrid".to_owned(),
        currency: "EUR".to_owned(),
        business_date: june(10),
        check_in_time: NaiveTime::from_hms_opt(15, 0, 0).unwrap(),
        check_out_time: NaiveTime::from_hms_opt(11, 0, 0).unwrap(),
        release_time: NaiveTime::from_hms_opt(18, 0, 0).unwrap(),
        hold_minutes: 10,
        hold_minutes_max: 60,
        window_days: 500,
        auto_release: false,
        no_show_nights: NoShowNights::Release,
    }
}

fn room_type(id: RoomTypeId, code: &str, sort: i32) -> RoomTypeRow {
    RoomTypeRow {
        id,
        code: code.to_owned(),
        name: code.to_owned(),
        max_occupancy: 3,
        sort,
        active: true,
    }
}

pub(crate) fn room(number: u128, type_id: RoomTypeId) -> RoomRow {
    RoomRow {
        id: room_id(number),
        room_type_id: type_id,
        number: number.to_string(),
        floor: (number / 100).to_string(),
        status: RoomStatus::Clean,
        features: Vec::new(),
        active: true,
        version: 1,
    }
}

pub(crate) fn night(id: RoomTypeId, stay_date: NaiveDate, total: i32, reserved: i32) -> NightRow {
    NightRow {
        room_type_id: id,
        stay_date,
        total,
        out_of_order: 0,
        reserved,
        over_limit: 0,
        overbook_pct: 0,
        overbook_rooms: 0,
    }
}

pub(crate) fn guest(n: u128, name: &str) -> GuestRow {
    GuestRow {
        id: guest_id(n),
        version: 1,
        name: name.to_owned(),
        email: None,
        phone: None,
        company: None,
        language: None,
        country: None,
        notes: String::new(),
        vip: false,
        erased: false,
    }
}

pub(crate) fn booking(n: u128) -> BookingRow {
    BookingRow {
        id: booking_id(n),
        number: confirmation_number(booking_id(n)),
        channel: Channel::Desk,
        external_id: None,
        created_at: "2027-05-01T10:00:00Z".parse().unwrap(),
    }
}

/// Stay n of booking n by guest n, STD, confirmed.
pub(crate) fn stay(n: u128, check_in: NaiveDate, check_out: NaiveDate) -> ReservationRow {
    let nights = dates(check_in, check_out).map(|stay_date| ReservationNight {
        stay_date,
        room_type_id: std_type(),
        charged_type_id: std_type(),
        price: 10_000,
        counted: true,
        shared: false,
    });
    ReservationRow {
        id: stay_id(n),
        booking_id: booking_id(n),
        state: ReservationState::Confirmed,
        check_in,
        check_out,
        room_type_id: std_type(),
        adults: 2,
        children: Vec::new(),
        guest_id: Some(guest_id(n)),
        further_guest_ids: Vec::new(),
        guarantee: Guarantee::Card,
        release_at: None,
        hold_expires_at: None,
        rate_plan_id: None,
        segment: Segment::Transient,
        expected_time: None,
        do_not_move: false,
        day_use: false,
        share_of: None,
        checked_in_at: None,
        checked_out_at: None,
        notes: String::new(),
        version: 1,
        created_at: "2027-05-01T10:00:00Z".parse().unwrap(),
        lateness: Lateness::OnTime,
        early_departure_fee: None,
        no_show_fee: None,
        nights: nights.collect(),
    }
}

/// The booking, the guest and the stay of that number.
pub(crate) fn party(n: u128, name: &str, check_in: NaiveDate, check_out: NaiveDate) -> Vec<Change> {
    vec![
        Change::Booking { row: booking(n) },
        Change::Guest {
            row: guest(n, name),
        },
        reservation(stay(n, check_in, check_out)),
    ]
}

pub(crate) fn reservation(row: ReservationRow) -> Change {
    Change::Reservation { row: Box::new(row) }
}

pub(crate) fn place(
    n: u128,
    room: u128,
    from: NaiveDate,
    until: NaiveDate,
    of: Option<u128>,
) -> RoomUseRow {
    RoomUseRow {
        id: use_id(n),
        room_id: room_id(room),
        from,
        until,
        kind: if of.is_some() {
            RoomUseKind::Stay
        } else {
            RoomUseKind::OutOfOrder
        },
        reservation_id: of.map(stay_id),
        reason: of.is_none().then(|| "paint".to_owned()),
    }
}

/// The hotel, its types, rooms, colleagues, and the counters and prices of June.
pub(crate) fn house() -> Vec<Change> {
    let mut changes = vec![
        Change::Hotel { row: hotel() },
        Change::RoomType {
            row: room_type(std_type(), "STD", 1),
        },
        Change::RoomType {
            row: room_type(dlx_type(), "DLX", 2),
        },
        Change::Staff {
            row: StaffRow {
                id: staff_id(1),
                display_name: "Ana".to_owned(),
                role: protocol::role::Role::FrontDesk,
                active: true,
            },
        },
    ];
    for number in [101, 102, 103, 104] {
        changes.push(Change::Room {
            row: room(number, std_type()),
        });
    }
    changes.push(Change::Room {
        row: room(201, dlx_type()),
    });
    for day in 1..=30 {
        for (id, total) in [(std_type(), 4), (dlx_type(), 1), (RoomTypeId::HOUSE, 5)] {
            changes.push(Change::Night {
                row: night(id, june(day), total, 0),
            });
        }
        for (id, price) in [(std_type(), 10_000), (dlx_type(), 20_000)] {
            changes.push(Change::Rate {
                row: RateRow {
                    rate_plan_id: RatePlanId(Uuid::from_u128(1)),
                    room_type_id: id,
                    stay_date: june(day),
                    price,
                    min_stay: None,
                    max_stay: None,
                    closed_to_arrival: false,
                    closed_to_departure: false,
                    stop_sell: false,
                },
            });
        }
    }
    changes
}
