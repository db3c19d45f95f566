use protocol::code::Code;
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, StayAnswer};
use protocol::role::Role;
use protocol::state::ReservationState;
use serde_json::{Value, json};

use crate::reservations::test_support::log;
use crate::reservations::testbed::{Bed, facts, june};
use crate::testing::{Client, TestAnswer};

fn back(from: &str, to: &str, reason: &str) -> Value {
    json!({"from": from, "to": to, "reason": reason})
}

async fn right(bed: &Bed, id: ReservationId, body: Value) -> TestAnswer {
    right_by(&bed.boss, id, body).await
}

async fn right_by(who: &Client, id: ReservationId, body: Value) -> TestAnswer {
    who.send("POST", &format!("/reservations/{id}/put-right"), body)
        .await
}

#[tokio::test]
async fn the_desk_takes_its_check_in_back_while_the_day_is_open() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    bed.check_in(stay).await;
    let undo = || back("checked_in", "confirmed", "wrong_guest");
    let done: StayAnswer = right_by(&desk, stay, undo()).await.ok();
    let now = &done.reservations[0];
    assert_eq!(
        (now.state, now.checked_in_at),
        (ReservationState::Confirmed, None)
    );
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-04"]);
    assert_eq!(
        bed.reserved("STD", 1..4).await,
        [1, 1, 1],
        "n2: nothing moved"
    );
    let event = log(&bed.app.db, bed.hotel.id).await.pop().unwrap();
    assert_eq!(
        (event.verb.as_str(), event.reason.as_deref()),
        ("put_right", Some("wrong_guest"))
    );
    bed.clean().await;
    // A day later it is a manager's.
    bed.check_in(stay).await;
    bed.open(2).await;
    right_by(&desk, stay, undo()).await.refused(Code::Forbidden);
    let _: CommandAnswer = bed.assign(stay, "102").await.ok();
    let _: StayAnswer = right(&bed, stay, undo()).await.ok();
    assert_eq!(bed.rooms(stay).await, ["102 06-02 06-04"]);
    bed.clean().await;
    bed.check_in(stay).await;
    // Due out: there is no night left to come for.
    bed.open(4).await;
    right(&bed, stay, undo()).await.refused(Code::NotDue);
    bed.clean().await;
}

#[tokio::test]
async fn b125_a_check_out_pressed_by_mistake_leaves_no_trace() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("STD", 1, 5).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    bed.check_in(stay).await;
    bed.open(3).await;
    let before = bed.row(stay).await;
    let out = || bed.act(stay, "check-out", json!({"early": true}));
    let undo = || back("checked_out", "checked_in", "mistake");
    // (i) At once.
    let _: CommandAnswer = out().await.ok();
    assert_eq!(bed.reserved("STD", 1..5).await, [1, 1, 0, 0]);
    right_by(&desk, stay, undo()).await.refused(Code::Forbidden);
    let _: StayAnswer = right(&bed, stay, undo()).await.ok();
    let after = bed.row(stay).await;
    assert_eq!(
        after.checked_in_at, before.checked_in_at,
        "with first times"
    );
    assert_eq!(
        (after.check_out, after.nights),
        (before.check_out, before.nights)
    );
    assert_eq!(after.checked_out_at, None);
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-05"]);
    assert_eq!(bed.status("101").await, "clean", "nothing to clean");
    assert_eq!(bed.reserved("STD", 1..5).await, [1, 1, 1, 1]);
    bed.clean().await;
    // (ii) After cleaning began.
    let _: CommandAnswer = out().await.ok();
    bed.room_status("101", "inspected").await;
    let _: StayAnswer = right(&bed, stay, undo()).await.ok();
    assert_eq!(bed.status("101").await, "inspected", "what was seen stays");
    bed.clean().await;
    // (iii) After the room was given to the next guest.
    let _: CommandAnswer = out().await.ok();
    let next = bed.confirmed("STD", 3, 4).await;
    bed.room_status("101", "clean").await;
    let _: CommandAnswer = bed.assign(next, "101").await.ok();
    bed.check_in(next).await;
    let seq = bed.seq().await;
    let told = facts(&right(&bed, stay, undo()).await, Code::RoomTaken);
    assert_eq!(told["blocker"]["reservation_id"], json!(next));
    assert_eq!(bed.seq().await, seq);
    let mut without = undo();
    without["without_room"] = json!(true);
    let _: StayAnswer = right(&bed, stay, without).await.ok();
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-03"]);
    bed.clean().await;
}

#[tokio::test]
async fn n1_nights_that_were_sold_meanwhile_are_not_taken_back() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("SUP", 1, 4).await;
    bed.check_in(stay).await;
    bed.open(2).await;
    let body = json!({"early": true});
    let _: CommandAnswer = bed.act(stay, "check-out", body).await.ok();
    for _ in 0..2 {
        bed.confirmed("SUP", 3, 4).await;
    }
    let undo = back("checked_out", "checked_in", "mistake");
    let problem = right(&bed, stay, undo.clone()).await.refused(Code::SoldOut);
    assert_eq!(problem.nights[0].stay_date, june(3));
    assert_eq!(problem.nights.len(), 1);
    let mut exceed = undo;
    exceed["exceed"] = json!("error");
    let _: StayAnswer = right(&bed, stay, exceed).await.ok();
    assert_eq!(bed.night("SUP", 3).await.over_limit, 1);
    bed.clean().await;
}

#[tokio::test]
async fn a_check_out_is_taken_back_on_its_day_only() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 2).await;
    let day = bed.confirmed("STD", 1, 1).await;
    for (id, room) in [(stay, "101"), (day, "102")] {
        let _: CommandAnswer = bed.assign(id, room).await.ok();
        bed.check_in(id).await;
    }
    let undo = || back("checked_out", "checked_in", "mistake");
    // Day use has its room again.
    let _: CommandAnswer = bed.act(day, "check-out", json!({})).await.ok();
    let _: StayAnswer = right(&bed, day, undo()).await.ok();
    assert_eq!(bed.rooms(day).await, ["102 06-01 06-02"]);
    assert!(bed.row(day).await.day_use);
    bed.clean().await;
    let _: CommandAnswer = bed.act(day, "check-out", json!({})).await.ok();
    // Left on the day of arrival, and did not.
    let body = json!({"early": true});
    let _: CommandAnswer = bed.act(stay, "check-out", body).await.ok();
    assert!(bed.row(stay).await.day_use);
    let _: StayAnswer = right(&bed, stay, undo()).await.ok();
    assert!(!bed.row(stay).await.day_use);
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-02"]);
    assert_eq!(bed.reserved("STD", 1..2).await, [1]);
    bed.clean().await;
    bed.open(2).await;
    // Due out, out, and in again: overstays may follow.
    let _: CommandAnswer = bed.act(stay, "check-out", json!({})).await.ok();
    let _: StayAnswer = right(&bed, stay, undo()).await.ok();
    assert_eq!(bed.rooms(stay).await, ["101 06-01 06-02"]);
    let _: CommandAnswer = bed.act(stay, "check-out", json!({})).await.ok();
    bed.open(3).await;
    let told = facts(&right(&bed, stay, undo()).await, Code::WrongBusinessDate);
    assert_eq!(told["checked_out_on"], "2027-06-02");
    bed.clean().await;
}

#[tokio::test]
async fn b107_a_cancelled_booking_comes_back_through_the_guard_and_by_right() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("SUP", 2, 4).await;
    let _: CommandAnswer = bed.act(stay, "cancel", json!({})).await.ok();
    let again = || back("cancelled", "confirmed", "mistake");
    right_by(&desk, stay, again())
        .await
        .refused(Code::Forbidden);
    let others = [
        bed.confirmed("SUP", 3, 4).await,
        bed.confirmed("SUP", 3, 4).await,
    ];
    let problem = right(&bed, stay, again()).await.refused(Code::SoldOut);
    assert_eq!(problem.nights[0].stay_date, june(3));
    assert_eq!(bed.reserved("SUP", 2..4).await, [0, 2]);
    let _: CommandAnswer = bed.act(others[0], "cancel", json!({})).await.ok();
    let _: StayAnswer = right(&bed, stay, again()).await.ok();
    assert_eq!(bed.reserved("SUP", 2..4).await, [1, 2]);
    // Straight into the house there is no move.
    bed.invalid(
        "POST",
        &format!("/reservations/{stay}/put-right"),
        &[
            (back("cancelled", "checked_in", "mistake"), "/to"),
            (back("confirmed", "held", "mistake"), "/to"),
            (back("cancelled", "confirmed", "she rang"), "/reason"),
            (json!({"from": "cancelled", "to": "confirmed"}), "/reason"),
            (
                json!({"from": "cancelled", "to": "confirmed", "reason": "mistake", "exceed": "x"}),
                "/exceed",
            ),
            (
                json!({"from": "cancelled", "to": "confirmed", "reason": "mistake",
                    "room_id": bed.room("101")}),
                "/room_id",
            ),
        ],
    )
    .await;
    // A cancelled stay whose arrival has passed arrives today.
    let _: CommandAnswer = bed.act(stay, "cancel", json!({})).await.ok();
    bed.open(3).await;
    let _: StayAnswer = right(&bed, stay, again()).await.ok();
    let row = bed.row(stay).await;
    assert_eq!((row.check_in, row.check_out), (june(3), june(4)));
    bed.clean().await;
    bed.check_in(stay).await;
    bed.open(4).await;
    right(&bed, others[0], again()).await.refused(Code::NotDue);
}

#[tokio::test]
async fn b22_b23_a_no_show_who_stands_at_the_desk_is_let_in() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let came = || {
        let mut body = back("no_show", "checked_in", "guest_came");
        body["room_id"] = json!(bed.room("101"));
        body
    };
    // The night was kept: nothing is asked of the counters, the later ones are taken again.
    let kept = bed.confirmed("STD", 1, 3).await;
    let body = json!({"keep_first_night": true});
    let _: CommandAnswer = bed.act(kept, "no-show", body).await.ok();
    assert_eq!(bed.reserved("STD", 1..3).await, [1, 0]);
    let _: StayAnswer = right_by(&desk, kept, came()).await.ok();
    assert_eq!(bed.reserved("STD", 1..3).await, [1, 1]);
    assert_eq!(bed.rooms(kept).await, ["101 06-01 06-03"]);
    assert_eq!(bed.row(kept).await.state, ReservationState::CheckedIn);
    bed.clean().await;
    // Not kept, and the day has been closed: the guest arrives today.
    let given = bed.confirmed("SUP", 1, 4).await;
    let _: CommandAnswer = bed.act(given, "no-show", json!({})).await.ok();
    bed.open(2).await;
    let no_room = || back("no_show", "checked_in", "guest_came");
    for _ in 0..2 {
        bed.confirmed("SUP", 3, 4).await;
    }
    let problem = right_by(&desk, given, no_room())
        .await
        .refused(Code::SoldOut);
    assert_eq!(
        problem.nights[0].stay_date,
        june(3),
        "another room or a walk"
    );
    let mut exceed = no_room();
    exceed["exceed"] = json!("error");
    right_by(&desk, given, exceed.clone())
        .await
        .refused(Code::Forbidden);
    let _: StayAnswer = right(&bed, given, exceed).await.ok();
    let row = bed.row(given).await;
    assert_eq!((row.check_in, row.check_out), (june(2), june(4)));
    assert_eq!(bed.reserved("SUP", 1..4).await, [0, 1, 3]);
    bed.clean().await;
}

#[tokio::test]
async fn a_no_show_will_come_after_all() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let body = json!({"keep_first_night": true});
    let _: CommandAnswer = bed.act(stay, "no-show", body).await.ok();
    bed.open(3).await;
    let will = back("no_show", "confirmed", "guest_will_come");
    let _: StayAnswer = right(&bed, stay, will).await.ok();
    let row = bed.row(stay).await;
    assert_eq!(
        (row.state, row.check_in),
        (ReservationState::Confirmed, june(3))
    );
    // The night that was kept is given up with the one that was not.
    assert_eq!(bed.reserved("STD", 1..4).await, [0, 0, 1]);
    bed.clean().await;
}

#[tokio::test]
async fn n6_of_two_one_puts_it_right_and_a_repeat_changes_nothing() {
    let bed = Bed::new().await;
    let (_, other) = bed.app.second_server();
    let there = bed.boss.at(&other);
    let stay = bed.confirmed("STD", 1, 3).await;
    let _: CommandAnswer = bed.act(stay, "cancel", json!({})).await.ok();
    let body = back("cancelled", "confirmed", "mistake");
    let path = format!("/reservations/{stay}/put-right");
    let (first, second) = tokio::join!(
        bed.boss.keyed("key-1", "POST", &path, &body),
        there.keyed("key-2", "POST", &path, &body),
    );
    assert_ne!(first.status == 200, second.status == 200);
    let lost = if first.status == 200 { &second } else { &first };
    assert_eq!(facts(lost, Code::WrongState)["state"], "confirmed");
    let again = bed.boss.keyed("key-1", "POST", &path, &body).await;
    assert_eq!(again.text, first.text);
    assert_eq!(bed.reserved("STD", 1..3).await, [1, 1]);
    bed.clean().await;
}
