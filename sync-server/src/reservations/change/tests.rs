use protocol::id::{BookingId, ReservationId};
use protocol::request::{CommandAnswer, HoldAnswer, StayAnswer};
use protocol::role::Role;
use protocol::row::ReservationRow;
use protocol::state::ReservationState;
use serde_json::{Value, json};

use super::*;
use crate::reservations::test_support::{log, rooms as rooms_of};
use crate::reservations::testbed::{Bed, facts, june};
use crate::testing::{Client, TestAnswer};

/// A change of the version that the stay has now.
async fn change(bed: &Bed, id: ReservationId, body: Value) -> TestAnswer {
    change_by(bed, &bed.boss, id, body).await
}

async fn change_by(bed: &Bed, who: &Client, id: ReservationId, mut body: Value) -> TestAnswer {
    body["version"] = json!(bed.row(id).await.version);
    who.send("POST", &format!("/reservations/{id}/change"), body)
        .await
}

fn day(day: u32) -> String {
    june(day).to_string()
}

fn prices(row: &ReservationRow) -> Vec<i64> {
    row.nights.iter().map(|night| night.price).collect()
}

/// A party of rooms alike, confirmed.
async fn party(
    bed: &Bed,
    kind: &str,
    from: u32,
    until: u32,
    count: usize,
) -> (BookingId, Vec<ReservationId>) {
    let body = rooms_of(bed.kind(kind), &day(from), &day(until), count);
    let held: HoldAnswer = bed.boss.send("POST", "/holds", body).await.ok();
    let path = format!("/bookings/{}/confirm", held.booking_id);
    let _: CommandAnswer = bed
        .boss
        .send("POST", &path, json!({"guarantee": "card"}))
        .await
        .ok();
    let rooms = held.rooms.iter().map(|room| room.reservation_id).collect();
    (held.booking_id, rooms)
}

#[tokio::test]
async fn b13_a_full_house_moves_by_a_night_without_a_room_to_spare() {
    let bed = Bed::new().await;
    let (booking, stays) = party(&bed, "STD", 10, 12, 3).await;
    // One STD is taken on the 12th: two are left there, none before.
    bed.confirmed("STD", 12, 13).await;
    let rooms = |keep: usize| -> Value {
        let rooms = stays.iter().enumerate().map(|(place, id)| {
            json!({
                "reservation_id": id, "cancel": place >= keep,
                "change": {"version": 2, "check_in": day(11), "check_out": day(13)},
            })
        });
        json!({ "rooms": rooms.collect::<Vec<_>>() })
    };
    let path = format!("/bookings/{booking}/change");
    let seq = bed.seq().await;
    let refused = bed.boss.send("POST", &path, rooms(3)).await;
    let problem = refused.refused(Code::SoldOut);
    let named: Vec<_> = problem
        .nights
        .iter()
        .map(|night| (night.room_type_id, night.stay_date))
        .collect();
    assert_eq!(
        named,
        [(bed.kind("STD"), june(12))],
        "the night that is full"
    );
    assert_eq!(bed.seq().await, seq, "refused whole");
    assert_eq!(bed.reserved("STD", 10..13).await, [3, 3, 1]);
    for id in &stays {
        assert_eq!(bed.row(*id).await.check_in, june(10));
    }

    let done: StayAnswer = bed.boss.send("POST", &path, rooms(2)).await.ok();
    assert_eq!(bed.seq().await, seq + 1, "one event");
    assert_eq!(bed.reserved("STD", 10..14).await, [0, 2, 3, 0]);
    assert_eq!(bed.reserved("HOUSE", 10..14).await, [0, 2, 3, 0]);
    let states: Vec<_> = done.reservations.iter().map(|stay| stay.state).collect();
    assert_eq!(
        states
            .iter()
            .filter(|state| **state == ReservationState::Cancelled)
            .count(),
        1
    );
    bed.clean().await;
}

#[tokio::test]
async fn b14_only_the_named_night_and_type_move() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 27, 30).await;
    let one =
        |code: &str| json!({"nights": [{"stay_date": day(28), "room_type_id": bed.kind(code)}]});
    let _: StayAnswer = change(&bed, stay, one("SUP")).await.ok();
    assert_eq!(bed.reserved("STD", 27..30).await, [1, 0, 1]);
    assert_eq!(bed.reserved("SUP", 27..30).await, [0, 1, 0]);
    assert_eq!(prices(&bed.row(stay).await), [10_000, 15_000, 10_000]);
    let _: StayAnswer = change(&bed, stay, one("STD")).await.ok();
    assert_eq!(bed.reserved("STD", 27..30).await, [1, 1, 1]);
    assert_eq!(bed.reserved("SUP", 27..30).await, [0, 0, 0]);
    assert_eq!(bed.reserved("HOUSE", 27..30).await, [1, 1, 1]);
    assert_eq!(prices(&bed.row(stay).await), [10_000, 10_000, 10_000]);
    bed.clean().await;
}

#[tokio::test]
async fn b41_a_night_less_is_sold_at_once_and_the_others_keep_their_price() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("SUP", 1, 5).await;
    let other = bed.confirmed("SUP", 1, 5).await;
    let rates = json!({
        "rate_plan_id": bed.hotel.rate_plans["BAR"], "room_type_id": bed.kind("SUP"), "from": day(1),
        "until": day(20), "price": 25_000,
    });
    let _: CommandAnswer = bed.boss.send("PUT", "/rates", rates).await.ok();
    let (_, elsewhere) = bed.app.second_server();
    let done: StayAnswer = change(&bed, stay, json!({"check_out": day(4)})).await.ok();
    assert_eq!(done.reservations[0].nights.len(), 3);
    assert_eq!(prices(&bed.row(stay).await), [10_000, 10_000, 10_000]);
    // The second terminal books the freed night.
    let body = rooms_of(bed.kind("SUP"), &day(4), &day(5), 1);
    let _: HoldAnswer = bed
        .boss
        .at(&elsewhere)
        .send("POST", "/holds", body)
        .await
        .ok();
    assert_eq!(bed.reserved("SUP", 1..5).await, [2, 2, 2, 2]);
    // A new night costs what the rate says now, or what was agreed.
    let _: StayAnswer = change(&bed, other, json!({"check_out": day(6)})).await.ok();
    let _: StayAnswer = change(&bed, other, json!({"check_out": day(7), "price": 9_900}))
        .await
        .ok();
    assert_eq!(
        prices(&bed.row(other).await),
        [10_000, 10_000, 10_000, 10_000, 25_000, 9_900]
    );
    bed.clean().await;
}

#[tokio::test]
async fn n3_full_and_unopened_nights_refuse_the_whole_change_and_are_named() {
    let bed = Bed::new().await;
    for _ in 0..2 {
        bed.confirmed("SUP", 5, 6).await;
    }
    let stay = bed.confirmed("SUP", 2, 4).await;
    let seq = bed.seq().await;
    let problem = change(&bed, stay, json!({"check_in": day(3), "check_out": day(7)}))
        .await
        .refused(Code::SoldOut);
    assert_eq!(problem.nights.len(), 1);
    assert_eq!(problem.nights[0].stay_date, june(5));
    let problem = change(
        &bed,
        stay,
        json!({"check_in": "2027-07-30", "check_out": "2027-08-02", "price": 1}),
    )
    .await
    .refused(Code::NotOpen);
    let named: Vec<String> = problem
        .nights
        .iter()
        .filter(|night| night.room_type_id == bed.kind("SUP"))
        .map(|night| night.stay_date.to_string())
        .collect();
    assert_eq!(named, ["2027-07-31", "2027-08-01"]);
    change(&bed, stay, json!({"check_out": "2027-08-02"}))
        .await
        .refused(Code::NotOpen);
    bed.act(stay, "change", json!({"version": 7, "check_out": day(3)}))
        .await
        .refused(Code::StaleVersion);
    assert_eq!(bed.seq().await, seq, "nothing was written");
    assert_eq!(bed.reserved("SUP", 2..6).await, [1, 1, 0, 2]);
    bed.clean().await;
}

#[tokio::test]
async fn b35_extending_looks_at_who_has_the_room_next() {
    let bed = Bed::new().await;
    let here = bed.confirmed("STD", 10, 12).await;
    let next = bed.confirmed("STD", 12, 14).await;
    bed.open(10).await;
    let _: CommandAnswer = bed.assign(here, "103").await.ok();
    let _: CommandAnswer = bed.assign(next, "103").await.ok();
    bed.check_in(here).await;
    bed.confirmed("STD", 12, 13).await;
    // (i) One STD is left on the 12th, but 103 belongs to somebody else then.
    let longer = || json!({"check_out": day(13)});
    let with = |more: Value| {
        let mut body = longer();
        for (key, value) in more.as_object().unwrap() {
            body[key.as_str()] = value.clone();
        }
        body
    };
    let told = facts(&change(&bed, here, longer()).await, Code::RoomTaken);
    assert_eq!(told["blocker"]["reservation_id"], json!(next));
    assert_eq!(
        bed.rooms(here).await,
        ["103 06-10 06-12"],
        "nothing half done"
    );
    // The guest in house goes to another room for the new night ...
    let _: StayAnswer = change(&bed, here, with(json!({"room_id": bed.room("102")})))
        .await
        .ok();
    assert_eq!(
        bed.rooms(here).await,
        ["103 06-10 06-12", "102 06-12 06-13"]
    );
    let _: StayAnswer = change(&bed, here, json!({"check_out": day(12)})).await.ok();
    // ... or stands without one ...
    let _: StayAnswer = change(&bed, here, with(json!({"give_up_room": true})))
        .await
        .ok();
    assert_eq!(bed.rooms(here).await, ["103 06-10 06-12"]);
    let _: StayAnswer = change(&bed, here, json!({"check_out": day(12)})).await.ok();
    // ... or the other one does.
    let body = with(json!({"displace": true, "displace_to": bed.room("101")}));
    let _: StayAnswer = change(&bed, here, body).await.ok();
    assert_eq!(bed.rooms(here).await, ["103 06-10 06-13"]);
    assert_eq!(bed.rooms(next).await, ["101 06-12 06-14"]);
    bed.clean().await;
    // (ii) No STD is left on the 13th.
    bed.confirmed("STD", 13, 14).await;
    bed.confirmed("STD", 13, 14).await;
    change(&bed, here, json!({"check_out": day(14)}))
        .await
        .refused(Code::SoldOut);
    assert_eq!(bed.rooms(here).await, ["103 06-10 06-13"]);
    bed.clean().await;
}

#[tokio::test]
async fn a_promised_room_and_a_guest_in_it_are_displaced_by_nobody() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 3).await;
    let promised = bed.confirmed("STD", 3, 5).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    let _: CommandAnswer = bed.assign(promised, "101").await.ok();
    let _: CommandAnswer = bed
        .boss
        .send(
            "PATCH",
            &format!("/reservations/{promised}"),
            json!({"version": 1, "do_not_move": true}),
        )
        .await
        .ok();
    change(&bed, stay, json!({"check_out": day(4), "displace": true}))
        .await
        .refused(Code::RoomTaken);
    // Nor is one's own promised room given up on the way.
    let body = json!({"check_in": day(2), "check_out": day(4), "give_up_room": true});
    let _: CommandAnswer = bed
        .boss
        .send(
            "PATCH",
            &format!("/reservations/{stay}"),
            json!({"version": 1, "do_not_move": true}),
        )
        .await
        .ok();
    let told = facts(&change(&bed, stay, body).await, Code::WrongState);
    assert_eq!(told["do_not_move"], true);
    bed.clean().await;
}

#[tokio::test]
async fn the_room_goes_along_and_leaves_its_nights_free() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 5, 8).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    let used = bed.view(stay).await.room_uses[0].id;
    for (from, until, expected) in [
        (6, 9, "101 06-06 06-09"),
        (7, 8, "101 06-07 06-08"),
        (10, 12, "101 06-10 06-12"),
        (4, 12, "101 06-04 06-12"),
    ] {
        let body = json!({"check_in": day(from), "check_out": day(until)});
        let done: StayAnswer = change(&bed, stay, body).await.ok();
        assert_eq!(bed.rooms(stay).await, [expected]);
        assert_eq!(done.reservations[0].room_uses[0].id, used, "the same use");
    }
    // Another type takes the room away, or names the one to have instead.
    let body = json!({"room_type_id": bed.kind("SUP"), "room_id": bed.room("201")});
    let _: StayAnswer = change(&bed, stay, body).await.ok();
    assert_eq!(bed.rooms(stay).await, ["201 06-04 06-12"]);
    let row = bed.row(stay).await;
    assert_eq!(row.room_type_id, bed.kind("SUP"));
    assert!(
        row.nights
            .iter()
            .all(|night| night.price == 15_000 && night.charged_type_id == bed.kind("SUP"))
    );
    let _: StayAnswer = change(&bed, stay, json!({"room_type_id": bed.kind("STD")}))
        .await
        .ok();
    assert!(bed.rooms(stay).await.is_empty());
    assert_eq!(bed.reserved("SUP", 4..12).await, [0; 8]);
    bed.clean().await;
}

#[tokio::test]
async fn an_upgraded_guest_who_stays_longer_stays_upgraded() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 3).await;
    let up = json!({"room_type_id": bed.kind("SUP"), "reason": "vip"});
    let _: CommandAnswer = bed.act(stay, "upgrade", up).await.ok();
    let _: CommandAnswer = bed.assign(stay, "201").await.ok();
    let _: StayAnswer = change(&bed, stay, json!({"check_out": day(4)})).await.ok();
    assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
    assert_eq!(prices(&bed.row(stay).await), [10_000; 3]);
    assert_eq!(bed.rooms(stay).await, ["201 06-01 06-04"]);
    // Down again: counted and charged as booked, at the price it had.
    let _: StayAnswer = change(&bed, stay, json!({"room_type_id": bed.kind("STD")}))
        .await
        .ok();
    assert_eq!(bed.reserved("STD", 1..4).await, [1, 1, 1]);
    assert_eq!(prices(&bed.row(stay).await), [10_000; 3]);
    bed.clean().await;
}

#[tokio::test]
async fn a_guest_in_house_leaves_earlier_and_the_fee_is_noted_where_asked() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 6).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    bed.check_in(stay).await;
    bed.open(3).await;
    bed.invalid(
        "POST",
        &format!("/reservations/{stay}/change"),
        &[
            (json!({"version": 2, "check_in": day(2)}), "/check_in"),
            (json!({"version": 2, "check_out": day(2)}), "/check_out"),
            (
                json!({"version": 2, "check_out": day(8), "early_departure_fee": 1}),
                "/early_departure_fee",
            ),
        ],
    )
    .await;
    let body = json!({"check_out": day(4), "reason": "early_departure"});
    let _: StayAnswer = change(&bed, stay, body).await.ok();
    assert_eq!(
        bed.row(stay).await.early_departure_fee,
        None,
        "only by choice"
    );
    let body =
        json!({"check_out": day(3), "early_departure_fee": 5_000, "reason": "early_departure"});
    let _: StayAnswer = change(&bed, stay, body).await.ok();
    // Tonight and later at once; the nights slept stay.
    assert_eq!(bed.reserved("STD", 1..6).await, [1, 1, 0, 0, 0]);
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-03"]);
    let row = bed.row(stay).await;
    assert_eq!(
        (row.state, row.check_out, row.early_departure_fee),
        (ReservationState::CheckedIn, june(3), Some(5_000))
    );
    assert_eq!(bed.status("101").await, "clean", "the guest is still in it");
    let _: CommandAnswer = bed.act(stay, "check-out", json!({})).await.ok();
    assert_eq!(bed.status("101").await, "dirty");
    bed.clean().await;
}

#[tokio::test]
async fn n1_an_overstay_goes_above_the_limit_knowingly_and_says_why() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("SUP", 1, 2).await;
    let second = bed.confirmed("SUP", 1, 4).await;
    let _: CommandAnswer = bed.assign(stay, "201").await.ok();
    bed.check_in(stay).await;
    bed.check_in(second).await;
    for _ in 0..2 {
        bed.confirmed("SUP", 4, 6).await;
    }
    bed.confirmed("SUP", 2, 4).await;
    bed.open(2).await;
    // Due out today and does not leave; tonight is full.
    let longer = json!({"check_out": day(3), "reason": "overstay"});
    change_by(&bed, &desk, stay, longer.clone())
        .await
        .refused(Code::SoldOut);
    let mut exceed = longer;
    exceed["exceed"] = json!("overstay");
    let _: StayAnswer = change_by(&bed, &desk, stay, exceed).await.ok();
    let night = bed.night("SUP", 2).await;
    assert_eq!((night.reserved, night.over_limit), (3, 1));
    assert_eq!(
        bed.night("HOUSE", 2).await.over_limit,
        0,
        "the house has room"
    );
    assert_eq!(bed.rooms(stay).await, ["201 06-01 06-03"]);
    let events = log(&bed.app.db, bed.hotel.id).await;
    let event = events.last().unwrap();
    assert_eq!(
        (event.verb.as_str(), event.reason.as_deref()),
        ("change_stay", Some("overstay"))
    );
    bed.clean().await;
    // More than that is not the desk's to decide.
    let more = json!({"check_out": day(6), "exceed": "vip"});
    change_by(&bed, &desk, stay, more.clone())
        .await
        .refused(Code::Forbidden);
    let _: StayAnswer = change(&bed, stay, more).await.ok();
    assert_eq!(bed.night("SUP", 4).await.over_limit, 1);
    // What is given back shrinks what stands above.
    let _: StayAnswer = change(&bed, stay, json!({"check_out": day(4)})).await.ok();
    assert_eq!(bed.night("SUP", 4).await.over_limit, 0);
    bed.clean().await;
}

#[tokio::test]
async fn day_use_becomes_a_night_and_a_night_day_use() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 2, 2).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    let _: StayAnswer = change(&bed, stay, json!({"check_in": day(3), "check_out": day(3)}))
        .await
        .ok();
    assert_eq!(bed.rooms(stay).await, ["101 06-03 06-04"]);
    assert_eq!(bed.reserved("STD", 2..5).await, [0, 0, 0]);
    let _: StayAnswer = change(&bed, stay, json!({"check_out": day(5)})).await.ok();
    assert!(!bed.row(stay).await.day_use);
    assert_eq!(bed.reserved("STD", 2..5).await, [0, 1, 1]);
    assert_eq!(bed.rooms(stay).await, ["101 06-03 06-05"]);
    let _: StayAnswer = change(&bed, stay, json!({"check_out": day(3)})).await.ok();
    assert!(bed.row(stay).await.day_use);
    assert_eq!(bed.reserved("HOUSE", 2..5).await, [0, 0, 0]);
    let out = json!({"check_in": "2028-01-01", "check_out": "2028-01-01"});
    change(&bed, stay, out).await.refused(Code::NotOpen);
    bed.clean().await;
    // The guest came for the day and stays the night.
    bed.open(3).await;
    bed.check_in(stay).await;
    let _: StayAnswer = change(&bed, stay, json!({"check_out": day(4)})).await.ok();
    assert_eq!(bed.reserved("STD", 3..5).await, [1, 0]);
    bed.clean().await;
}

#[tokio::test]
async fn the_rules_of_the_rate_bind_a_change_and_not_a_guest_in_house() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let rates = json!({
        "rate_plan_id": bed.hotel.rate_plans["BAR"], "room_type_id": bed.kind("STD"), "from": day(1),
        "until": day(20), "price": 10_000, "min_stay": 3, "max_stay": 4, "closed_to_departure": true,
    });
    let _: CommandAnswer = bed.boss.send("PUT", "/rates", rates).await.ok();
    let told = facts(
        &change(&bed, stay, json!({"check_out": day(3)})).await,
        Code::Restricted,
    );
    let rules: Vec<&str> = told["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["min_stay", "closed_to_departure"]);
    let passed = json!({"check_out": day(3), "ignore_rules": true});
    change_by(&bed, &desk, stay, passed.clone())
        .await
        .refused(Code::Forbidden);
    let _: StayAnswer = change(&bed, stay, passed).await.ok();
    bed.check_in(stay).await;
    let _: StayAnswer = change_by(&bed, &desk, stay, json!({"check_out": day(10)}))
        .await
        .ok();
    bed.clean().await;
}

#[tokio::test]
async fn n6_the_last_night_goes_to_one_of_two_and_a_repeat_changes_nothing() {
    let bed = Bed::new().await;
    let (_, other) = bed.app.second_server();
    let there = bed.boss.at(&other);
    let one = bed.confirmed("SUP", 1, 3).await;
    let two = bed.confirmed("SUP", 1, 3).await;
    bed.confirmed("SUP", 3, 4).await;
    let body = json!({"version": 1, "check_out": day(4)});
    let (path_one, path_two) = (
        format!("/reservations/{one}/change"),
        format!("/reservations/{two}/change"),
    );
    let (first, second) = tokio::join!(
        bed.boss.keyed("key-1", "POST", &path_one, &body),
        there.keyed("key-2", "POST", &path_two, &body),
    );
    assert_ne!(first.status == 200, second.status == 200);
    let lost = if first.status == 200 { &second } else { &first };
    lost.refused(Code::SoldOut);
    let seq = bed.seq().await;
    let again = bed.boss.keyed("key-1", "POST", &path_one, &body).await;
    assert_eq!(again.text, first.text);
    assert_eq!(bed.seq().await, seq);
    assert_eq!(bed.reserved("SUP", 3..4).await, [2]);
    bed.clean().await;
}

#[tokio::test]
async fn who_is_not_expected_or_here_is_not_changed() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 3).await;
    let _: CommandAnswer = bed.act(stay, "cancel", json!({})).await.ok();
    let told = facts(
        &change(&bed, stay, json!({"check_out": day(4)})).await,
        Code::WrongState,
    );
    assert_eq!(told["state"], "cancelled");
    bed.act(
        ReservationId(uuid::Uuid::now_v7()),
        "change",
        json!({"version": 1}),
    )
    .await
    .refused(Code::NotFound);
    let body = rooms_of(bed.kind("STD"), &day(1), &day(3), 1);
    let held: HoldAnswer = bed.boss.send("POST", "/holds", body).await.ok();
    change(
        &bed,
        held.rooms[0].reservation_id,
        json!({"check_out": day(4)}),
    )
    .await
    .refused(Code::WrongState);
}

#[tokio::test]
async fn b31_b98_bad_input_is_named_and_changes_nothing() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 2, 4).await;
    bed.open(2).await;
    let v = |more: Value| {
        let mut body = json!({"version": 1});
        for (key, value) in more.as_object().unwrap() {
            body[key.as_str()] = value.clone();
        }
        body
    };
    bed.invalid(
        "POST",
        &format!("/reservations/{stay}/change"),
        &[
            (json!({}), "/version"),
            (v(json!({"check_in": day(1)})), "/check_in"),
            (v(json!({"check_in": "2027-02-29"})), "/check_in"),
            (v(json!({"check_out": day(1)})), "/check_out"),
            (v(json!({"check_in": day(9)})), "/check_out"),
            (v(json!({"check_out": "2028-06-10"})), "/check_out"),
            (v(json!({"price": -1})), "/price"),
            (
                v(json!({"room_type_id": uuid::Uuid::nil()})),
                "/room_type_id",
            ),
            (
                v(json!({"nights": [{"stay_date": day(9), "price": 1}]})),
                "/nights/0/stay_date",
            ),
            (
                v(json!({"nights": [{"stay_date": day(3)}, {"stay_date": day(3)}]})),
                "/nights/1/stay_date",
            ),
            (
                v(json!({"nights": [{"stay_date": day(3), "price": -5}]})),
                "/nights/0/price",
            ),
            (v(json!({"reason": "Mr Smith rang"})), "/reason"),
            (v(json!({"exceed": "please"})), "/exceed"),
            (v(json!({"displace_to": bed.room("101")})), "/displace_to"),
            (v(json!({"room_id": uuid::Uuid::now_v7()})), "/room_id"),
        ],
    )
    .await;
    let row = bed.row(stay).await;
    let path = format!("/bookings/{}/change", row.booking_id);
    let room =
        |id: Value, change: Value| json!({"rooms": [{"reservation_id": id, "change": change}]});
    bed.invalid(
        "POST",
        &path,
        &[
            (json!({"rooms": []}), "/rooms"),
            (
                room(json!(uuid::Uuid::now_v7()), json!({"version": 1})),
                "/rooms/0/reservation_id",
            ),
            (
                room(json!(stay), json!({"version": 1, "check_out": day(1)})),
                "/rooms/0/change/check_out",
            ),
            (
                room(json!(stay), json!({"version": 1, "price": -1})),
                "/rooms/0/change/price",
            ),
        ],
    )
    .await;
}
