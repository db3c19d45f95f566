//! What a command looks like before the log brings it, and that taking it back leaves no trace.

use chrono::NaiveDate;
use proptest::prelude::*;
use protocol::command::Command;
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::row::{NightRow, ReservationRow};
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::house::{self, june};
use super::{assign, check_in, details, put_guest};
use crate::commands::touches;
use crate::store::command::{self, NewCommand};
use crate::store::tests::fresh;
use crate::store::{
    Result, Store, StoreFault, copy, guest, meta, night, overlaid, reservation, room, room_use,
};

fn counters(reserved: i32) -> Vec<Change> {
    let mut changes = Vec::new();
    for day in 8..20 {
        for (id, total) in [(house::std_type(), 4), (RoomTypeId::HOUSE, 5)] {
            changes.push(Change::Night {
                row: house::night(id, june(day), total, reserved),
            });
        }
    }
    changes
}

/// Stay 1 confirmed 10-12 in 101; stay 2 in house 9-13 in 102; stay 3 held 15-17; stay 4 for 12-14
/// without a room; two rooms reserved on every night. The open day is the 10th.
fn open() -> (tempfile::TempDir, Store) {
    let (dir, store) = fresh();
    let mut rows = house::house();
    rows.extend(counters(2));
    for (n, from, until) in [(1, 10, 12), (2, 9, 13), (3, 15, 17), (4, 12, 14)] {
        rows.extend(house::party(
            n,
            &format!("Guest {n}"),
            june(from),
            june(until),
        ));
        if let Some(Change::Reservation { row }) = rows.last_mut() {
            row.state = match n {
                2 => ReservationState::CheckedIn,
                3 => ReservationState::Held,
                _ => ReservationState::Confirmed,
            };
        }
    }
    for (n, room, from, until) in [(1, 101, 10, 12), (2, 102, 9, 13)] {
        rows.push(Change::RoomUse {
            row: house::place(n, room, june(from), june(until), Some(n)),
        });
    }
    store
        .write(|tx| {
            copy::put_all(tx, 1, &rows)?;
            let state = meta::CopyState {
                usable: true,
                generation: 1,
                ..meta::CopyState::default()
            };
            meta::set_copy_state(tx, &state)
        })
        .unwrap();
    (dir, store)
}

fn record(db: &Connection, n: u128, body: &Value) -> Result<()> {
    let command: Command = serde_json::from_value(body.clone()).unwrap();
    let new = NewCommand {
        id: house::command_id(n),
        command: &command,
        made_at: "2027-06-10T10:00:00Z".parse().unwrap(),
        business_date: june(10),
        made_by: house::staff_id(1),
        needs_server: false,
        touches: &touches::of(db, &command)?,
    };
    command::record(db, &new)?;
    Ok(())
}

/// The copy with these commands on top.
fn with<T>(commands: &[Value], look: impl FnOnce(&Connection) -> Result<T>) -> T {
    let (_dir, store) = open();
    store
        .write(|tx| {
            for (n, body) in commands.iter().enumerate() {
                record(tx, n as u128, body)?;
                overlaid::refresh(tx)?;
            }
            Ok::<_, StoreFault>(())
        })
        .unwrap();
    store.read(look).unwrap()
}

fn stay(db: &Connection, n: u128) -> Result<ReservationRow> {
    Ok(reservation::get(db, house::stay_id(n))?.unwrap())
}

/// `101 10-12`, one for each room of the stay.
fn rooms(db: &Connection, n: u128) -> Result<Vec<String>> {
    room_use::of_reservation(db, house::stay_id(n))?
        .into_iter()
        .map(|place| {
            let number = room::get(db, place.room_id)?.unwrap().number;
            let (from, until) = (place.from.format("%-d"), place.until.format("%-d"));
            Ok(format!("{number} {from}-{until}"))
        })
        .collect()
}

fn tonight(db: &Connection, id: RoomTypeId, date: NaiveDate) -> Result<NightRow> {
    Ok(night::get(db, id, date)?.unwrap())
}

fn reserved(db: &Connection, days: std::ops::Range<u32>) -> Result<Vec<i32>> {
    days.map(|day| Ok(tonight(db, house::std_type(), june(day))?.reserved))
        .collect()
}

fn check_out(n: u128) -> Value {
    json!({"verb": "check_out", "reservation_id": house::stay_id(n), "body": {"early": true}})
}

fn cancel(n: u128) -> Value {
    json!({"verb": "cancel", "reservation_id": house::stay_id(n), "body": {}})
}

fn confirm(n: u128) -> Value {
    json!({"verb": "confirm", "booking_id": house::booking_id(n), "body": {"guarantee": "deposit",
        "rooms": [{"reservation_id": house::stay_id(n), "notes": "late"}]}})
}

fn no_show(n: u128, keep: bool) -> Value {
    json!({"verb": "no_show", "reservation_id": house::stay_id(n),
        "body": {"keep_first_night": keep}})
}

fn block(room: u128, kind: &str) -> Value {
    json!({"verb": "block", "room_id": house::room_id(room), "body": {
        "room_use_id": house::use_id(50), "kind": kind, "from": "2027-06-11",
        "until": "2027-06-13", "reason": "paint"}})
}

fn unblock() -> Value {
    json!({"verb": "unblock", "room_use_id": house::use_id(50)})
}

fn room_status(room: u128, status: &str) -> Value {
    json!({"verb": "room_status", "room_id": house::room_id(room), "body": {"status": status}})
}

#[test]
fn a_check_in_takes_the_assigned_room_or_the_named_one() {
    with(&[check_in(1, None)], |db| {
        let row = stay(db, 1)?;
        assert_eq!((row.state, row.version), (ReservationState::CheckedIn, 2));
        assert_eq!(
            row.checked_in_at,
            Some("2027-06-10T10:00:00Z".parse().unwrap())
        );
        assert_eq!(rooms(db, 1)?, ["101 10-12"]);
        Ok(())
    });
    with(&[check_in(1, Some(103))], |db| {
        assert_eq!(rooms(db, 1)?, ["103 10-12"]);
        assert_eq!(stay(db, 1)?.version, 2);
        Ok(())
    });
}

#[test]
fn b65_a_room_given_changes_no_version_so_that_a_later_edit_is_not_stale() {
    with(
        &[
            assign(4, 103),
            details(4, 1, "quiet"),
            details(4, 2, "very quiet"),
        ],
        |db| {
            let row = stay(db, 4)?;
            assert_eq!((row.version, row.notes.as_str()), (3, "very quiet"));
            assert_eq!(rooms(db, 4)?, ["103 12-14"]);
            Ok(())
        },
    );
    with(&[details(4, 9, "of another version")], |db| {
        assert_eq!(
            (stay(db, 4)?.version, stay(db, 4)?.notes),
            (1, String::new())
        );
        Ok(())
    });
}

#[test]
fn a_guest_in_house_moves_from_tonight_on_and_leaves_a_room_to_clean() {
    with(&[assign(2, 104)], |db| {
        assert_eq!(rooms(db, 2)?, ["102 9-10", "104 10-13"]);
        assert_eq!(
            room::get(db, house::room_id(102))?.unwrap().status,
            RoomStatus::Dirty
        );
        assert_eq!(
            room::get(db, house::room_id(104))?.unwrap().status,
            RoomStatus::Clean
        );
        Ok(())
    });
}

#[test]
fn b121_an_early_check_out_frees_nights_and_room_and_leaves_it_dirty() {
    with(&[check_out(2)], |db| {
        let row = stay(db, 2)?;
        assert_eq!(
            (row.state, row.check_out),
            (ReservationState::CheckedOut, june(10))
        );
        let counted: Vec<bool> = row.nights.iter().map(|night| night.counted).collect();
        assert_eq!(counted, [true, false, false, false]);
        assert_eq!(rooms(db, 2)?, ["102 9-10"]);
        assert_eq!(
            room::get(db, house::room_id(102))?.unwrap().status,
            RoomStatus::Dirty
        );
        assert_eq!(reserved(db, 9..14)?, [2, 1, 1, 1, 2]);
        assert_eq!(tonight(db, RoomTypeId::HOUSE, june(10))?.reserved, 1);
        Ok(())
    });
}

#[test]
fn who_gives_up_gives_back_nights_and_room_once() {
    with(&[cancel(1), cancel(1), no_show(1, false)], |db| {
        assert_eq!(stay(db, 1)?.state, ReservationState::Cancelled);
        assert!(rooms(db, 1)?.is_empty());
        assert_eq!(reserved(db, 9..13)?, [2, 1, 1, 2]);
        Ok(())
    });
    with(&[no_show(1, true)], |db| {
        assert_eq!(stay(db, 1)?.state, ReservationState::NoShow);
        assert_eq!(
            reserved(db, 10..12)?,
            [2, 1],
            "the night of arrival is kept"
        );
        Ok(())
    });
}

#[test]
fn a_hold_is_confirmed_with_what_is_known() {
    with(
        &[put_guest(3, Some(1), "  Ada Lovelace "), confirm(3)],
        |db| {
            let row = stay(db, 3)?;
            assert_eq!((row.state, row.version), (ReservationState::Confirmed, 2));
            assert_eq!(
                (row.guarantee.as_str(), row.notes.as_str()),
                ("deposit", "late")
            );
            let guest = guest::get(db, house::guest_id(3))?.unwrap();
            assert_eq!((guest.name.as_str(), guest.version), ("Ada Lovelace", 2));
            Ok(())
        },
    );
    with(&[confirm(1)], |db| {
        assert_eq!(stay(db, 1)?.version, 1, "it was no hold");
        Ok(())
    });
}

#[test]
fn n1_a_room_out_of_order_leaves_the_count_and_comes_back_to_it() {
    with(&[block(104, "out_of_order")], |db| {
        let night = tonight(db, house::std_type(), june(11))?;
        assert_eq!(
            (night.out_of_order, night.over_limit, night.left()),
            (1, 0, 1)
        );
        assert_eq!(tonight(db, house::std_type(), june(13))?.out_of_order, 0);
        assert_eq!(tonight(db, RoomTypeId::HOUSE, june(12))?.out_of_order, 1);
        Ok(())
    });
    with(
        &[block(104, "out_of_service"), room_status(101, "inspected")],
        |db| {
            assert_eq!(tonight(db, house::std_type(), june(11))?.out_of_order, 0);
            let period = room_use::get(db, house::use_id(50))?.unwrap();
            assert_eq!(period.kind, RoomUseKind::OutOfService);
            assert_eq!(
                room::get(db, house::room_id(101))?.unwrap().status,
                RoomStatus::Inspected
            );
            Ok(())
        },
    );
    with(&[block(104, "out_of_order"), unblock()], |db| {
        assert_eq!(tonight(db, house::std_type(), june(11))?.out_of_order, 0);
        assert_eq!(room_use::get(db, house::use_id(50))?, None);
        Ok(())
    });
}

fn change(n: u128) -> Value {
    json!({"verb": "change_stay", "reservation_id": house::stay_id(n),
        "body": {"version": 1, "check_out": "2027-06-15"}})
}

#[test]
fn a_changed_stay_is_shown_as_the_server_has_answered_it() {
    // Not before: only the server knows whether the nights are there.
    with(&[change(2)], |db| {
        assert_eq!(stay(db, 2)?.check_out, june(13));
        assert_eq!(reserved(db, 12..16)?, [2, 2, 2, 2]);
        Ok(())
    });
    let (_dir, store) = open();
    store
        .write(|tx| {
            record(tx, 1, &change(2))?;
            let before = stay(tx, 2)?;
            let mut nights = house::stay(2, june(9), june(15)).nights;
            // The last night in another type.
            nights[5].room_type_id = house::dlx_type();
            let room = house::place(7, 104, june(9), june(15), Some(2));
            let answer = json!({"seq": 2, "reservations": [{
                "id": before.id, "state": "checked_in", "version": 2, "hold_expires_at": null,
                "check_in": june(9), "check_out": june(15), "room_type_id": before.room_type_id,
                "day_use": false, "nights": nights, "room_uses": [room]}]});
            command::mark_answered(tx, house::command_id(1), 2, &answer, before.created_at)?;
            overlaid::refresh(tx)?;
            Ok::<_, StoreFault>(())
        })
        .unwrap();
    store
        .read(|db| {
            let row = stay(db, 2)?;
            assert_eq!(
                (row.check_out, row.version, row.nights.len()),
                (june(15), 2, 6)
            );
            assert_eq!(rooms(db, 2)?, ["104 9-15"]);
            assert_eq!(reserved(db, 12..16)?, [2, 3, 2, 2]);
            assert_eq!(tonight(db, RoomTypeId::HOUSE, june(14))?.reserved, 3);
            Ok::<_, StoreFault>(())
        })
        .unwrap();
}

fn party(act: &str, n: u128, room: Option<u128>) -> Value {
    let rooms: Vec<Value> = room
        .map(|room| json!({"reservation_id": house::stay_id(n), "room_id": house::room_id(room)}))
        .into_iter()
        .collect();
    json!({"verb": act, "booking_id": house::booking_id(n), "body": {"mode": "each", "rooms": rooms}})
}

#[test]
fn a_party_is_shown_as_if_each_room_were_asked_alone() {
    with(
        &[
            party("assign_party", 1, Some(103)),
            party("check_in_party", 1, None),
        ],
        |db| {
            assert_eq!(stay(db, 1)?.state, ReservationState::CheckedIn);
            assert_eq!(rooms(db, 1)?, ["103 10-12"]);
            Ok(())
        },
    );
    with(&[party("check_out_party", 2, None)], |db| {
        assert_eq!(stay(db, 2)?.state, ReservationState::CheckedOut);
        assert_eq!(reserved(db, 9..12)?, [2, 1, 1]);
        Ok(())
    });
    let release = json!({"verb": "release", "reservation_id": house::stay_id(1)});
    with(&[release], |db| {
        assert_eq!(stay(db, 1)?.state, ReservationState::Cancelled);
        assert!(rooms(db, 1)?.is_empty());
        Ok(())
    });
}

/// Every row of every table that the screens read, as text.
fn dump(db: &Connection) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for table in [
        "hotel",
        "room_type",
        "room",
        "rate",
        "night",
        "guest",
        "guest_text",
        "booking",
        "reservation",
        "reservation_night",
        "further_guest",
        "room_use",
        "staff",
    ] {
        let mut statement = db.prepare(&format!("SELECT * FROM {table}"))?;
        let columns: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let mut text = table.to_owned();
            for (place, column) in columns.iter().enumerate() {
                // Numbers within this copy are nobody's business but its own.
                if !column.ends_with("no") {
                    text.push_str(&format!(" {:?}", row.get_ref(place)?));
                }
            }
            rows.push(text);
        }
    }
    rows.sort();
    Ok(rows)
}

fn any_command() -> impl Strategy<Value = Value> {
    let stay = 1..=5_u128;
    let room = 101..=104_u128;
    prop_oneof![
        (stay.clone(), room.clone()).prop_map(|(n, room)| assign(n, room)),
        (stay.clone(), proptest::option::of(room.clone())).prop_map(|(n, room)| check_in(n, room)),
        stay.clone().prop_map(check_out),
        stay.clone().prop_map(change),
        (stay.clone(), proptest::option::of(room.clone())).prop_map(|(n, room)| party(
            "check_in_party",
            n,
            room
        )),
        stay.clone().prop_map(|n| party("check_out_party", n, None)),
        stay.clone().prop_map(cancel),
        stay.clone().prop_map(confirm),
        (stay.clone(), any::<bool>()).prop_map(|(n, keep)| no_show(n, keep)),
        (stay.clone(), 1..4_i64).prop_map(|(n, version)| details(n, version, "note")),
        (1..=7_u128, 0..4_i64).prop_map(|(n, version)| put_guest(n, Some(version), "Somebody")),
        (room.clone(), any::<bool>()).prop_map(|(room, out)| {
            block(
                room,
                if out {
                    "out_of_order"
                } else {
                    "out_of_service"
                },
            )
        }),
        Just(unblock()),
        room.prop_map(|room| room_status(room, "dirty")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever is on top, taking it away leaves the server's rows as they were, and putting it on
    /// again shows the same.
    #[test]
    fn n10_what_is_laid_on_top_comes_off_without_a_trace(
        commands in proptest::collection::vec(any_command(), 1..12),
    ) {
        let (_dir, store) = open();
        let before = store.read(dump).unwrap();
        let on_top = store.write(|tx| {
            for (n, body) in commands.iter().enumerate() {
                record(tx, n as u128, body)?;
                overlaid::refresh(tx)?;
            }
            let step_by_step = dump(tx)?;
            overlaid::refresh(tx)?;
            assert_eq!(dump(tx)?, step_by_step, "the order of refreshing does not matter");
            Ok::<_, StoreFault>(step_by_step)
        }).unwrap();
        // Everything is refused, and then forgotten.
        let after = store.write(|tx| {
            tx.execute("DELETE FROM command", [])?;
            overlaid::refresh(tx)?;
            dump(tx)
        }).unwrap();
        prop_assert_eq!(after, before);
        prop_assert!(!on_top.is_empty());
    }
}
