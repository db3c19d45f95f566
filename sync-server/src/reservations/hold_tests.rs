//! Tests of the hold, over HTTP and a real database.

use protocol::code::{Code, NightProblem};
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::number::confirmation_number;
use protocol::request::HoldAnswer;
use protocol::role::Role;
use serde_json::json;

use super::test_support::{log, one_room, recount, rooms};
use crate::testing::{TestApp, reserved};

#[tokio::test]
async fn a_hold_counts_its_nights_prices_them_and_tells_the_log() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    let answer = ana
        .send("POST", "/holds", one_room(std, "2027-06-10", "2027-06-12"))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let held: HoldAnswer = answer.ok();
    assert_eq!(
        serde_json::to_string(&held).unwrap(),
        answer.text,
        "what the function writes is what the protocol would write"
    );
    assert_eq!(held.seq, 1);
    assert_eq!(held.number, confirmation_number(held.booking_id));
    let prices: Vec<i64> = held.rooms[0]
        .nights
        .iter()
        .map(|night| night.price)
        .collect();
    assert_eq!(prices, [10_000, 10_000]);
    for night in ["2027-06-10", "2027-06-11"] {
        assert_eq!(reserved(&app.db, hotel.id, std, night).await, (1, 3));
        assert_eq!(
            reserved(&app.db, hotel.id, RoomTypeId::HOUSE, night).await,
            (1, 5)
        );
    }
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-12").await, (0, 3));
    let events = log(&app.db, hotel.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].verb, "hold");
    let kinds: Vec<&str> = events[0]
        .changes
        .iter()
        .map(|change| match change {
            Change::Booking { .. } => "booking",
            Change::Reservation { .. } => "reservation",
            Change::Night { .. } => "night",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        ["booking", "reservation", "night", "night", "night", "night"]
    );
    let Change::Booking { row } = &events[0].changes[0] else {
        unreachable!()
    };
    let mut conn = app.db.reads.acquire().await.unwrap();
    let stored = crate::db::images::booking(&mut conn, hotel.id, held.booking_id)
        .await
        .unwrap();
    assert_eq!(stored.as_ref(), Some(row));
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn n3_all_nights_or_none_and_missing_is_not_full() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    let full = |room_type, night: &str| NightProblem {
        room_type_id: room_type,
        stay_date: night.parse().unwrap(),
    };
    ana.send("POST", "/holds", rooms(sup, "2027-06-11", "2027-06-12", 2))
        .await
        .ok::<HoldAnswer>();
    let problem = ana
        .send("POST", "/holds", one_room(sup, "2027-06-10", "2027-06-13"))
        .await
        .refused(Code::SoldOut);
    assert_eq!(problem.nights, [full(sup, "2027-06-11")]);
    // Nothing of the refused stay remains, also of the nights before the full one.
    assert_eq!(reserved(&app.db, hotel.id, sup, "2027-06-10").await, (0, 2));
    // All rooms or none: three superiors where two exist.
    let problem = ana
        .send("POST", "/holds", rooms(sup, "2027-06-20", "2027-06-21", 3))
        .await
        .refused(Code::SoldOut);
    assert_eq!(problem.nights, [full(sup, "2027-06-20")]);
    // The window is open until the end of July.
    let answer = ana
        .send("POST", "/holds", one_room(std, "2027-07-30", "2027-08-02"))
        .await;
    let problem = answer.refused(Code::NotOpen);
    assert_eq!(serde_json::to_string(&problem).unwrap(), answer.text);
    assert_eq!(
        problem.nights,
        [
            full(std, "2027-07-31"),
            full(RoomTypeId::HOUSE, "2027-07-31"),
            full(std, "2027-08-01"),
            full(RoomTypeId::HOUSE, "2027-08-01"),
        ]
    );
    // A night that is gone is not for sale.
    let problem = ana
        .send("POST", "/holds", one_room(std, "2027-05-31", "2027-06-02"))
        .await
        .refused(Code::NotOpen);
    assert!(problem.nights.contains(&full(std, "2027-05-31")));
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn n1_the_house_binds_before_its_types() {
    let app = TestApp::start().await;
    let mut spec = crate::testing::small_hotel("capped");
    spec.house.total = Some(4);
    let hotel = app.hotel(&spec).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    ana.send("POST", "/holds", rooms(std, "2027-06-10", "2027-06-11", 3))
        .await
        .ok::<HoldAnswer>();
    ana.send("POST", "/holds", one_room(sup, "2027-06-10", "2027-06-11"))
        .await
        .ok::<HoldAnswer>();
    let answer = ana
        .send("POST", "/holds", one_room(sup, "2027-06-10", "2027-06-11"))
        .await;
    let problem = answer.refused(Code::SoldOut);
    assert_eq!(serde_json::to_string(&problem).unwrap(), answer.text);
    assert_eq!(
        problem.nights,
        [NightProblem {
            room_type_id: RoomTypeId::HOUSE,
            stay_date: "2027-06-10".parse().unwrap()
        }]
    );
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b31_and_b98_bad_input_is_named_and_touches_nothing() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let good = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    let cases = [
        ("/rooms/0/check_out", json!("2027-06-10")),
        ("/rooms/0/check_out", json!("2027-06-09")),
        ("/rooms/0/check_in", json!("2027-02-29")),
        ("/rooms/0/adults", json!(0)),
        ("/rooms/0/adults", json!(-2)),
        ("/rooms/0/adults", json!(2_147_483_648_i64)),
        ("/rooms/0/adults", json!("2")),
        ("/rooms/0/adults", json!("1e3")),
        ("/rooms/0/adults", json!("\u{ff12}")),
        ("/rooms/0/price", json!(-5_000)),
        ("/rooms/0/price", json!(9e15)),
        ("/rooms/0/price", json!("1,000")),
        ("/rooms/0/room_type_id", json!(RoomTypeId::HOUSE)),
        (
            "/rooms/0/room_type_id",
            json!("0197a000-0000-7000-8000-000000000000"),
        ),
        (
            "/rooms/0/rate_plan_id",
            json!("0197a000-0000-7000-8000-000000000000"),
        ),
        (
            "/rooms/0/guest_id",
            json!("0197a000-0000-7000-8000-000000000000"),
        ),
        // The nil id is nobody's: no list would ever show what had it.
        (
            "/rooms/0/reservation_id",
            json!("00000000-0000-0000-0000-000000000000"),
        ),
    ];
    for (pointer, value) in cases {
        let mut body = good.clone();
        let field = pointer.rsplit('/').next().unwrap();
        body["rooms"][0][field] = value.clone();
        let problem = ana
            .send("POST", "/holds", body)
            .await
            .refused(Code::Invalid);
        assert_eq!(
            problem
                .fields
                .iter()
                .map(|field| field.pointer.as_str())
                .collect::<Vec<_>>(),
            [pointer],
            "{value}"
        );
    }
    let mut two = rooms(hotel.types["STD"], "2027-06-10", "2027-06-12", 2);
    two["rooms"][1]["adults"] = json!(0);
    let problem = ana.send("POST", "/holds", two).await.refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/rooms/1/adults");
    let mut nobody_s = good.clone();
    nobody_s["booking_id"] = json!("00000000-0000-0000-0000-000000000000");
    let problem = ana
        .send("POST", "/holds", nobody_s)
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/booking_id");
    let none = rooms(hotel.types["STD"], "2027-06-10", "2027-06-12", 0);
    ana.send("POST", "/holds", none)
        .await
        .refused(Code::Invalid);
    let too_many = rooms(hotel.types["STD"], "2027-06-10", "2027-06-12", 51);
    ana.send("POST", "/holds", too_many)
        .await
        .refused(Code::Invalid);
    assert!(log(&app.db, hotel.id).await.is_empty());
    assert_eq!(
        reserved(&app.db, hotel.id, hotel.types["STD"], "2027-06-10").await,
        (0, 3)
    );
    recount(&app.db, hotel.id).await;
}
