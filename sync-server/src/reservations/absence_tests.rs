use protocol::code::Code;
use protocol::id::ReservationId;
use protocol::request::{CommandAnswer, StayAnswer};
use protocol::role::Role;
use protocol::state::ReservationState;
use serde_json::{Value, json};

use crate::reservations::test_support::log;
use crate::reservations::testbed::{Bed, facts, june};
use crate::testing::TestAnswer;

async fn details(bed: &Bed, id: ReservationId, mut body: Value) {
    body["version"] = json!(bed.row(id).await.version);
    let path = format!("/reservations/{id}");
    let _: CommandAnswer = bed.boss.send("PATCH", &path, body).await.ok();
}

async fn audit(bed: &Bed, keep: bool) -> TestAnswer {
    let date: chrono::NaiveDate = sqlx::query_scalar("SELECT business_date FROM hotel_head")
        .fetch_one(&bed.app.db.reads)
        .await
        .unwrap();
    let body = json!({"business_date": date, "keep_first_night": keep, "fee": 10_000});
    bed.boss.send("POST", "/night-audit/no-shows", body).await
}

#[tokio::test]
async fn b23_the_audit_says_by_what_a_guest_became_a_no_show_and_passes_over_the_late() {
    let bed = Bed::new().await;
    let late = bed.confirmed("STD", 1, 3).await;
    let gone = bed.confirmed("STD", 1, 3).await;
    let later = bed.confirmed("STD", 2, 3).await;
    details(
        &bed,
        late,
        json!({"lateness": "late", "expected_time": "03:30:00"}),
    )
    .await;
    let _: CommandAnswer = audit(&bed, true).await.ok();
    assert_eq!(bed.row(late).await.state, ReservationState::Confirmed);
    assert_eq!(bed.row(later).await.state, ReservationState::Confirmed);
    let row = bed.row(gone).await;
    assert_eq!(
        (row.state, row.no_show_fee),
        (ReservationState::NoShow, Some(10_000))
    );
    let event = log(&bed.app.db, bed.hotel.id).await.pop().unwrap();
    assert_eq!(
        (event.verb.as_str(), event.reason.as_deref()),
        ("no_show", Some("audit"))
    );
    assert_eq!(
        bed.reserved("STD", 1..3).await,
        [2, 2],
        "the first night kept, the later one not"
    );
    bed.clean().await;
    audit(&bed, true).await.refused(Code::NotDue);
    let told = facts(
        &bed.boss
            .send(
                "POST",
                "/night-audit/no-shows",
                json!({"business_date": "2027-05-31"}),
            )
            .await,
        Code::WrongBusinessDate,
    );
    assert_eq!(told["business_date"], "2027-06-01");
    // The unflagged one arrives at 03:20, and is let in while the nights are there.
    let came = json!({"from": "no_show", "to": "checked_in", "reason": "guest_came"});
    let _: StayAnswer = bed.act(gone, "put-right", came).await.ok();
    assert_eq!(bed.row(gone).await.no_show_fee, None);
    bed.clean().await;
}

#[tokio::test]
async fn b116_later_nights_go_or_wait_for_a_person() {
    let bed = Bed::new().await;
    let plain = bed.confirmed("STD", 1, 4).await;
    let paid = bed.confirmed("STD", 1, 4).await;
    let tomorrow = bed.confirmed("STD", 1, 4).await;
    details(&bed, paid, json!({"guarantee": "prepaid"})).await;
    details(&bed, tomorrow, json!({"lateness": "next_day"})).await;
    let _: CommandAnswer = audit(&bed, false).await.ok();
    assert_eq!(bed.row(plain).await.state, ReservationState::NoShow);
    assert_eq!(bed.reserved("STD", 1..4).await, [0, 2, 2]);
    bed.clean().await;
    // Whoever was expected the day after comes.
    bed.open(2).await;
    let came = json!({"from": "no_show", "to": "checked_in", "reason": "guest_came"});
    let _: StayAnswer = bed.act(tomorrow, "put-right", came).await.ok();
    assert_eq!(bed.row(tomorrow).await.check_in, june(2));
    // The other's nights are given back by a person.
    let _: StayAnswer = bed.act(paid, "release-nights", json!({})).await.ok();
    assert_eq!(bed.reserved("STD", 1..4).await, [0, 1, 1]);
    bed.act(paid, "release-nights", json!({}))
        .await
        .refused(Code::NotDue);
    bed.clean().await;
    // The hotel keeps them all, unless it is said otherwise.
    let policies =
        json!({"auto_release": false, "no_show_nights": "keep", "release_time": "18:00:00"});
    let _: CommandAnswer = bed.boss.send("PUT", "/policies", policies).await.ok();
    let one = bed.confirmed("SUP", 2, 4).await;
    let two = bed.confirmed("SUP", 2, 4).await;
    let _: CommandAnswer = bed.act(one, "no-show", json!({})).await.ok();
    let body = json!({"later_nights": "release", "fee": 5_000});
    let _: CommandAnswer = bed.act(two, "no-show", body).await.ok();
    assert_eq!(bed.reserved("SUP", 2..4).await, [0, 1]);
    assert_eq!(bed.row(two).await.no_show_fee, Some(5_000));
    bed.clean().await;
}

#[tokio::test]
async fn before_the_day_is_closed_a_no_show_is_a_manager_s() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let path = format!("/reservations/{stay}/no-show");
    desk.send("POST", &path, json!({}))
        .await
        .refused(Code::Forbidden);
    bed.invalid(
        "POST",
        &path,
        &[
            (json!({"fee": -1}), "/fee"),
            (json!({"later_nights": "sell"}), "/later_nights"),
        ],
    )
    .await;
    bed.open(2).await;
    let _: CommandAnswer = desk.send("POST", &path, json!({})).await.ok();
    bed.clean().await;
}

/// As if its hour had come, or not yet.
async fn release_at(bed: &Bed, id: ReservationId, minutes: i32) {
    // Through the API the hour is the hotel's: the tests' clock is years away from it.
    sqlx::query(
        "UPDATE reservation SET guarantee = 'none',
                release_at = date_trunc('second', clock_timestamp()) + make_interval(mins => $2)
         WHERE reservation_id = $1",
    )
    .bind(id.0)
    .bind(minutes)
    .execute(&bed.app.db.reads)
    .await
    .unwrap();
}

#[tokio::test]
async fn what_nobody_guarantees_is_released_by_a_person_when_its_hour_has_come() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    let path = format!("/reservations/{stay}/release");
    release_at(&bed, stay, 10).await;
    let told = facts(&desk.send("POST", &path, json!({})).await, Code::NotDue);
    assert!(told["release_at"].is_string());
    release_at(&bed, stay, -10).await;
    let done: StayAnswer = desk.send("POST", &path, json!({})).await.ok();
    assert_eq!(done.reservations[0].state, ReservationState::Cancelled);
    assert_eq!(bed.reserved("STD", 1..4).await, [0, 0, 0]);
    assert!(bed.rooms(stay).await.is_empty());
    let row = bed.row(stay).await;
    assert_eq!(
        (row.no_show_fee, row.early_departure_fee),
        (None, None),
        "no fee"
    );
    let event = log(&bed.app.db, bed.hotel.id).await.pop().unwrap();
    assert_eq!(
        (event.verb.as_str(), event.reason.as_deref()),
        ("release", Some("released"))
    );
    desk.send("POST", &path, json!({}))
        .await
        .refused(Code::WrongState);
    bed.clean().await;
    let sure = bed.confirmed("STD", 1, 4).await;
    details(&bed, sure, json!({"guarantee": "card"})).await;
    let told = facts(&bed.act(sure, "release", json!({})).await, Code::WrongState);
    assert_eq!(told["guarantee"], "card");
}

#[tokio::test]
async fn b23_the_hotel_releases_by_itself_and_never_who_is_late() {
    let bed = Bed::new().await;
    let mut stays = Vec::new();
    for _ in 0..3 {
        stays.push(bed.confirmed("STD", 1, 3).await);
    }
    let small_hours = bed.confirmed("SUP", 1, 3).await;
    let evening = bed.confirmed("SUP", 1, 3).await;
    details(&bed, stays[1], json!({"lateness": "late"})).await;
    details(&bed, small_hours, json!({"expected_time": "01:30:00"})).await;
    details(&bed, evening, json!({"expected_time": "22:00:00"})).await;
    for stay in stays.iter().chain([&small_hours, &evening]) {
        release_at(&bed, *stay, -1).await;
    }
    release_at(&bed, stays[2], 10).await;
    let job = || crate::reservations::release::job(bed.app.state.clone());
    job().await.unwrap();
    assert_eq!(
        bed.reserved("HOUSE", 1..3).await,
        [5, 5],
        "unless the hotel wants it"
    );
    let policies =
        json!({"auto_release": true, "no_show_nights": "release", "release_time": "18:00:00"});
    let _: CommandAnswer = bed.boss.send("PUT", "/policies", policies).await.ok();
    let (other, _) = bed.app.second_server();
    let (here, there) = tokio::join!(job(), crate::reservations::release::job(other));
    here.unwrap();
    there.unwrap();
    job().await.unwrap();
    assert_eq!(bed.row(stays[0]).await.state, ReservationState::Cancelled);
    for stay in [stays[1], stays[2], small_hours, evening] {
        assert_eq!(bed.row(stay).await.state, ReservationState::Confirmed);
    }
    let events = log(&bed.app.db, bed.hotel.id).await;
    let released: Vec<_> = events
        .iter()
        .filter(|event| event.verb == "release")
        .collect();
    assert_eq!(released.len(), 1, "once, by one of two servers");
    assert_eq!(released[0].actor, protocol::id::StaffId::SYSTEM);
}
