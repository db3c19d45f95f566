//! Types, rooms, rates and the window, with what follows in the counters.

use std::collections::HashMap;

use protocol::code::Code;
use protocol::event::{Change, EventPage};
use protocol::id::RoomTypeId;
use protocol::request::{CommandAnswer, HoldAnswer};
use protocol::role::Role;
use protocol::row::{HotelRow, RateRow, RoomRow, RoomTypeRow};
use serde_json::{Value, json};
use uuid::Uuid;

use super::create::{CreatedHotel, create_hotel};
use super::spec::HotelSpec;
use super::window;
use crate::testing::{Client, TestApp, reserved, small_hotel};

async fn bed() -> (TestApp, CreatedHotel, Client) {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::Admin).await;
    (app, hotel, client)
}

/// Recounts everything.
async fn clean(app: &TestApp) {
    let found = crate::verify::verify(&app.db).await.unwrap();
    assert!(found.is_empty(), "{found:?}");
}

async fn hold(client: &Client, kind: RoomTypeId, rooms: usize) -> HoldAnswer {
    let room = json!({"room_type_id": kind, "check_in": "2027-06-10", "check_out": "2027-06-12", "adults": 1});
    client
        .send("POST", "/holds", json!({"rooms": vec![room; rooms]}))
        .await
        .ok()
}

#[tokio::test]
async fn a_hotel_is_what_its_description_says() {
    let (_app, hotel, client) = bed().await;
    let row: HotelRow = client.get("").await.ok();
    assert_eq!(
        (row.id, row.slug.as_str(), row.hold_minutes),
        (hotel.id, "small", 15)
    );
    let types: Vec<RoomTypeRow> = client.get("/room-types").await.ok();
    let codes: Vec<&str> = types.iter().map(|kind| kind.code.as_str()).collect();
    assert_eq!(codes, ["STD", "SUP"]);
    let rooms: Vec<RoomRow> = client.get("/rooms").await.ok();
    let numbers: Vec<&str> = rooms.iter().map(|room| room.number.as_str()).collect();
    assert_eq!(numbers, ["101", "102", "103", "201", "202"]);
    let rates: Vec<RateRow> = client
        .get("/rates?from=2027-06-01&until=2027-06-03")
        .await
        .ok();
    assert_eq!(rates.len(), 4);
    for query in [
        "/rates",
        "/rates?from=2027-06-01",
        "/rates?from=2027-06-01&until=2027-06-01",
        "/rates?from=2027-06-02&until=2027-06-01",
        "/rates?from=2027-02-30&until=2027-06-01",
        "/rates?from=2027-06-01&until=2029-06-01",
        "/rates?from=0001-01-01&until=0001-01-02",
        "/rates?from=%2b262142-01-01&until=%2b262142-01-02",
    ] {
        client.get(query).await.refused(Code::Invalid);
    }
}

#[tokio::test]
async fn n2_a_room_that_is_added_or_taken_away_is_counted_with_type_and_house() {
    let (app, hotel, client) = bed().await;
    let std = hotel.types["STD"];
    let at = format!("/rooms/{}", Uuid::now_v7());
    let body = |version: Option<i64>, active: bool, kind: RoomTypeId| json!({"version": version, "room_type_id": kind, "number": "104", "floor": "1", "active": active});
    let made: CommandAnswer = client.send("PUT", &at, body(None, true, std)).await.ok();
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-01").await, (0, 4));
    assert_eq!(
        reserved(&app.db, hotel.id, RoomTypeId::HOUSE, "2027-07-30").await,
        (0, 6)
    );
    let page: EventPage = client
        .get(&format!("/events?after={}", made.seq - 1))
        .await
        .ok();
    let changes = &page.events[0].changes;
    assert_eq!(
        changes.len(),
        1 + 2 * 60,
        "the room, and every night of type and house"
    );

    // Sold out with it: it cannot go, and the nights that need it are named.
    hold(&client, std, 4).await;
    let problem = client
        .send("PUT", &at, body(Some(1), false, std))
        .await
        .refused(Code::AboveLimit);
    let nights: Vec<String> = problem
        .nights
        .iter()
        .map(|night| night.stay_date.to_string())
        .collect();
    assert_eq!(nights, ["2027-06-10", "2027-06-11"]);
    client
        .send("PUT", &at, body(Some(1), true, hotel.types["SUP"]))
        .await
        .refused(Code::AboveLimit);
    client
        .send("PUT", &at, body(Some(7), false, std))
        .await
        .refused(Code::StaleVersion);
    client
        .send("PUT", &at, body(None, false, std))
        .await
        .refused(Code::AlreadyExists);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (4, 4));
    clean(&app).await;
}

#[tokio::test]
async fn n1_a_room_moves_to_another_type_and_an_over_limit_shrinks_when_rooms_are_added() {
    let (app, hotel, client) = bed().await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    hold(&client, std, 3).await;
    let lower = json!({"room_type_id": std, "from": "2027-06-10", "until": "2027-06-12", "overbook_pct": 0,
        "overbook_rooms": -1, "above_limit": "wash_down", "reason": "test"});
    let _: CommandAnswer = client.send("POST", "/overbooking", lower).await.ok();
    let over =
        "SELECT over_limit FROM room_night WHERE room_type_id = $1 AND stay_date = '2027-06-10'";
    let before: i32 = sqlx::query_scalar(over)
        .bind(std.0)
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(before, 1);
    let at = format!("/rooms/{}", hotel.rooms["201"]);
    let body =
        json!({"version": 1, "room_type_id": std, "number": "201", "floor": "2", "active": true});
    let _: CommandAnswer = client.send("PUT", &at, body).await.ok();
    let after: i32 = sqlx::query_scalar(over)
        .bind(std.0)
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(after, 0);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (3, 4));
    assert_eq!(reserved(&app.db, hotel.id, sup, "2027-06-10").await, (0, 1));
    assert_eq!(
        reserved(&app.db, hotel.id, RoomTypeId::HOUSE, "2027-06-10").await,
        (3, 5)
    );
    clean(&app).await;
}

#[tokio::test]
async fn n11_a_room_in_use_stays_what_it_is() {
    let (app, hotel, client) = bed().await;
    let room = hotel.rooms["202"];
    let block = json!({"kind": "out_of_service", "from": "2027-06-20", "until": "2027-06-21", "reason": "paint"});
    let _: CommandAnswer = client
        .send("POST", &format!("/rooms/{room}/block"), block)
        .await
        .ok();
    let body = json!({"version": 1, "room_type_id": hotel.types["SUP"], "number": "202", "floor": "2", "active": false});
    let problem = client
        .send("PUT", &format!("/rooms/{room}"), body)
        .await
        .refused(Code::RoomTaken);
    assert!(problem.facts.unwrap()["blocker"].is_string());
    clean(&app).await;
}

#[tokio::test]
async fn a_house_that_is_capped_follows_its_rooms_only_below_the_cap() {
    let app = TestApp::start().await;
    let mut spec = small_hotel("capped");
    spec.house.total = Some(4);
    let hotel = app.hotel(&spec).await;
    let client = app.sign_in(hotel.id, Role::Admin).await;
    let house = async || {
        reserved(&app.db, hotel.id, RoomTypeId::HOUSE, "2027-06-05")
            .await
            .1
    };
    assert_eq!(house().await, 4);
    for (number, kind, left) in [("101", "STD", 4), ("102", "STD", 3), ("201", "SUP", 2)] {
        let body = json!({"version": 1, "room_type_id": hotel.types[kind], "number": number, "floor": "1", "active": false});
        let _: CommandAnswer = client
            .send("PUT", &format!("/rooms/{}", hotel.rooms[number]), body)
            .await
            .ok();
        assert_eq!(house().await, left, "without {number}");
    }
    clean(&app).await;
}

#[tokio::test]
async fn a_type_is_made_with_its_nights_and_given_up_without_rooms() {
    let (app, hotel, client) = bed().await;
    let id = RoomTypeId(Uuid::now_v7());
    let at = format!("/room-types/{id}");
    let body = |code: &str, active: bool| json!({"code": code, "name": "Suite", "max_occupancy": 4, "sort": 9, "active": active, "overbook_rooms": 1});
    let made: CommandAnswer = client.send("PUT", &at, body("STE", true)).await.ok();
    let page: EventPage = client
        .get(&format!("/events?after={}", made.seq - 1))
        .await
        .ok();
    assert_eq!(page.events[0].changes.len(), 61);
    assert_eq!(reserved(&app.db, hotel.id, id, "2027-06-01").await, (0, 0));
    client
        .send("PUT", &at, body("STD", true))
        .await
        .refused(Code::AlreadyExists);
    let _: CommandAnswer = client.send("PUT", &at, body("STX", false)).await.ok();
    let in_use = format!("/room-types/{}", hotel.types["STD"]);
    client
        .send("PUT", &in_use, body("STD", false))
        .await
        .refused(Code::Invalid);
    // The house is no type.
    client
        .send(
            "PUT",
            &format!("/room-types/{}", RoomTypeId::HOUSE),
            body("H", true),
        )
        .await
        .refused(Code::NotFound);
    let room =
        json!({"room_type_id": RoomTypeId::HOUSE, "number": "1", "floor": "1", "active": true});
    client
        .send("PUT", &format!("/rooms/{}", Uuid::now_v7()), room)
        .await
        .refused(Code::Invalid);
    clean(&app).await;
}

#[tokio::test]
async fn rates_are_set_over_a_range_on_some_weekdays() {
    let (app, hotel, client) = bed().await;
    let body = |change: Value| {
        let mut body = json!({"rate_plan_id": hotel.rate_plans["BAR"], "room_type_id": hotel.types["STD"],
            "from": "2027-06-01", "until": "2027-06-15", "weekdays": [5, 6], "price": 19900, "min_stay": 2});
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let done: CommandAnswer = client.send("PUT", "/rates", body(json!({}))).await.ok();
    let rates: Vec<RateRow> = client
        .get("/rates?from=2027-06-01&until=2027-06-15")
        .await
        .ok();
    let dear: Vec<String> = rates
        .iter()
        .filter(|rate| rate.price == 19900)
        .map(|rate| rate.stay_date.to_string())
        .collect();
    assert_eq!(
        dear,
        ["2027-06-04", "2027-06-05", "2027-06-11", "2027-06-12"]
    );
    let page: EventPage = client
        .get(&format!("/events?after={}", done.seq - 1))
        .await
        .ok();
    assert_eq!(page.events[0].changes.len(), 4);
    for (change, field) in [
        (json!({"price": -1}), "/price"),
        (json!({"price": 1.5}), "/price"),
        (json!({"price": 1_000_000_000_001_i64}), "/price"),
        (json!({"min_stay": 0}), "/min_stay"),
        (json!({"min_stay": 3, "max_stay": 2}), "/max_stay"),
        (json!({"weekdays": [0]}), "/weekdays"),
        (json!({"until": "2027-06-02"}), "/weekdays"),
        (json!({"until": "2027-06-01"}), "/until"),
        (json!({"from": "2027-06-31"}), "/from"),
        (json!({"rate_plan_id": Uuid::now_v7()}), "/rate_plan_id"),
        (json!({"room_type_id": RoomTypeId::HOUSE}), "/room_type_id"),
    ] {
        let problem = client
            .send("PUT", "/rates", body(change.clone()))
            .await
            .refused(Code::Invalid);
        assert_eq!(problem.fields[0].pointer, field, "{change}");
    }
    let beyond = client
        .send(
            "PUT",
            "/rates",
            body(json!({"from": "2027-07-30", "until": "2027-08-01"})),
        )
        .await;
    assert_eq!(beyond.refused(Code::NotOpen).nights.len(), 1);
    let _ = app;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_extend_a_window_once() {
    let (app, hotel, client) = bed().await;
    let room = hotel.rooms["101"];
    let block = json!({"kind": "out_of_order", "from": "2027-07-29", "until": "2027-07-30", "reason": "paint"});
    let _: CommandAnswer = client
        .send("POST", &format!("/rooms/{room}/block"), block)
        .await
        .ok();
    sqlx::query("UPDATE hotel SET window_days = 900")
        .execute(&app.db.reads)
        .await
        .unwrap();
    let (second, _) = app.second_server();
    let (one, two) = tokio::join!(
        window::extend_all(app.state.clone()),
        window::extend_all(second)
    );
    one.unwrap();
    two.unwrap();
    window::extend_all(app.state.clone()).await.unwrap();
    let page: EventPage = client.get("/events?after=1&limit=1000").await.ok();
    let mut nights = HashMap::new();
    let mut rates = 0;
    for event in &page.events {
        assert_eq!(event.verb, "extend_window");
        assert!(event.changes.len() <= 5_000);
        for change in &event.changes {
            match change {
                Change::Night { row } => assert!(
                    nights
                        .insert((row.room_type_id, row.stay_date), row.clone())
                        .is_none()
                ),
                Change::Rate { .. } => rates += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(page.events.last().unwrap().seq, page.head);
    assert_eq!((nights.len(), rates), (3 * 840, 2 * 840));
    assert_eq!(page.events.len(), 2, "at most 2,000 nights in one command");
    clean(&app).await;
}

#[tokio::test]
async fn a_wrong_description_is_refused_with_every_fault_in_it() {
    let app = TestApp::start().await;
    let spec: HotelSpec = serde_json::from_value(json!({
        "name": "", "slug": "Not A Slug", "time_zone": "Mars/Olympus", "currency": "eur", "window_days": 0,
        "hold_minutes": 90,
        "types": [
            {"code": "A", "name": "A", "overbook_pct": 2000, "rooms": [{"number": "1"}, {"number": "1"}]},
            {"code": "A", "name": "B", "max_occupancy": 0},
        ],
        "rate_plans": [{"code": "P", "name": "P", "prices": {"Z": 1, "A": -1},
            "seasons": [{"from": "2027-01-02", "until": "2027-01-01", "weekdays": [8]}]}],
        "staff": [{"login": "a b", "display_name": "A", "role": "admin", "password": "short"}],
    }))
    .unwrap();
    let problem = match create_hotel(&app.db, &spec).await {
        Err(crate::error::ApiError::Refused(problem)) => problem,
        other => panic!("{other:?}"),
    };
    let pointers: Vec<&str> = problem
        .fields
        .iter()
        .map(|field| field.pointer.as_str())
        .collect();
    for expected in [
        "/name",
        "/slug",
        "/time_zone",
        "/currency",
        "/window_days",
        "/hold_minutes",
        "/types/0/overbook_pct",
        "/types/0/rooms/1/number",
        "/types/1/code",
        "/types/1/max_occupancy",
        "/rate_plans/0/prices/Z",
        "/rate_plans/0/prices/A",
        "/rate_plans/0/seasons/0/until",
        "/rate_plans/0/seasons/0/weekdays",
        "/staff/0/login",
        "/staff/0/password",
    ] {
        assert!(pointers.contains(&expected), "{expected} in {pointers:?}");
    }
    let hotels: i64 = sqlx::query_scalar("SELECT count(*) FROM hotel")
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(hotels, 0);
    app.small_hotel().await;
    let twice = create_hotel(&app.db, &small_hotel("small"))
        .await
        .unwrap_err();
    assert_eq!(twice.problem().code, Code::AlreadyExists);
}

#[tokio::test]
async fn bad_rooms_and_types_are_named() {
    let (app, hotel, client) = bed().await;
    let std = hotel.types["STD"];
    let room = |change: Value| {
        let mut body = json!({"room_type_id": std, "number": "9", "floor": "1", "active": true});
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    for (change, code, field) in [
        (json!({"number": ""}), Code::Invalid, "/number"),
        (json!({"number": "x".repeat(21)}), Code::Invalid, "/number"),
        (json!({"number": "101"}), Code::AlreadyExists, "/number"),
        (json!({"floor": "\u{0}"}), Code::Invalid, "/floor"),
        (
            json!({"features": ["", "ok"]}),
            Code::Invalid,
            "/features/0",
        ),
        (
            json!({"features": vec!["x"; 51]}),
            Code::Invalid,
            "/features",
        ),
        (
            json!({"room_type_id": Uuid::now_v7()}),
            Code::Invalid,
            "/room_type_id",
        ),
        (json!({"status": "clean"}), Code::Invalid, "/status"),
        (json!({"active": null}), Code::Invalid, "/active"),
    ] {
        let at = format!("/rooms/{}", Uuid::now_v7());
        let problem = client
            .send("PUT", &at, room(change.clone()))
            .await
            .refused(code);
        assert_eq!(problem.fields[0].pointer, field, "{change}");
    }
    client
        .send(
            "PUT",
            &format!("/rooms/{}", Uuid::now_v7()),
            room(json!({"version": 3})),
        )
        .await
        .refused(Code::NotFound);
    let body = json!({"code": "", "name": "", "max_occupancy": 31, "sort": 1, "active": true, "overbook_pct": -101});
    let problem = client
        .send("PUT", &format!("/room-types/{}", Uuid::now_v7()), body)
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields.len(), 4);
    clean(&app).await;
}
