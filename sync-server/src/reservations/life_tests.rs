//! The life of a booking: held, renewed, confirmed, cancelled, run out.

use chrono::{DateTime, TimeDelta, Utc};
use protocol::code::{Code, NightProblem};
use protocol::event::Change;
use protocol::id::{BookingId, HotelId, RoomTypeId};
use protocol::request::{CommandAnswer, HoldAnswer};
use protocol::role::Role;
use protocol::state::ReservationState;
use serde_json::json;
use uuid::Uuid;

use super::test_support::{let_holds_run_out, log, one_room, recount, rooms, states};
use crate::db::Db;
use crate::testing::{Client, TestApp, reserved, small_hotel};

async fn held(client: &Client, room_type: RoomTypeId, from: &str, until: &str) -> HoldAnswer {
    client
        .send("POST", "/holds", one_room(room_type, from, until))
        .await
        .ok()
}

async fn confirm(client: &Client, booking: BookingId) -> crate::testing::TestAnswer {
    client
        .send(
            "POST",
            &format!("/bookings/{booking}/confirm"),
            json!({"guarantee": "card"}),
        )
        .await
}

async fn cancel(client: &Client, booking: BookingId) -> crate::testing::TestAnswer {
    client
        .send("POST", &format!("/bookings/{booking}/cancel"), json!({}))
        .await
}

/// Moves the end of a booking's hold to so many milliseconds from now, and when it was made.
async fn ends_in(db: &Db, hotel: HotelId, booking: BookingId, ms: i64) {
    sqlx::query(
        "UPDATE reservation SET hold_expires_at = clock_timestamp() + $3 * interval '1 ms'
         WHERE hotel_id = $1 AND booking_id = $2",
    )
    .bind(hotel.0)
    .bind(booking.0)
    .bind(ms as f64)
    .execute(&db.reads)
    .await
    .unwrap();
}

#[tokio::test]
async fn a_confirmation_writes_what_is_known_and_lists_the_unguaranteed_for_release() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let guest = Uuid::now_v7();
    ana.send("PUT", &format!("/guests/{guest}"), json!({"name": "Ana"}))
        .await
        .ok::<CommandAnswer>();
    let party: HoldAnswer = ana
        .send(
            "POST",
            "/holds",
            rooms(hotel.types["STD"], "2027-06-10", "2027-06-12", 2),
        )
        .await
        .ok();
    let path = format!("/bookings/{}/confirm", party.booking_id);
    let room = party.rooms[0].reservation_id;
    let problem = ana
        .send(
            "POST",
            &path,
            json!({"guarantee": "none", "rooms": [
            {"reservation_id": room, "guest_id": Uuid::now_v7()}]}),
        )
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/rooms/0/guest_id");
    let problem = ana
        .send(
            "POST",
            &path,
            json!({"guarantee": "none", "rooms": [{"reservation_id": Uuid::now_v7()}]}),
        )
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/rooms/0/reservation_id");
    ana.send(
        "POST",
        &path,
        json!({"guarantee": "none", "rooms": [
        {"reservation_id": room, "notes": "4242 4242 4242 4242"}]}),
    )
    .await
    .refused(Code::Invalid);
    let answer: CommandAnswer = ana
        .send("POST", &path, json!({"guarantee": "none", "rooms": [
            {"reservation_id": room, "guest_id": guest, "notes": "late", "expected_time": "23:30:00"}]}))
        .await
        .ok();
    assert_eq!(answer.reservations.len(), 2);
    assert!(
        answer
            .reservations
            .iter()
            .all(|now| now.state == ReservationState::Confirmed
                && now.version == 2
                && now.hold_expires_at.is_none())
    );
    let events = log(&app.db, hotel.id).await;
    let event = events.last().unwrap();
    assert_eq!((event.verb.as_str(), event.seq), ("confirm", answer.seq));
    let rows: Vec<_> = event
        .changes
        .iter()
        .map(|change| match change {
            Change::Reservation { row } => row,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(rows.len(), 2);
    let with_guest = rows.iter().find(|row| row.id == room).unwrap();
    assert_eq!(with_guest.guest_id.map(|id| id.0), Some(guest));
    assert_eq!(with_guest.notes, "", "N13");
    // 18:00 in Madrid in summer.
    let release: DateTime<Utc> = "2027-06-10T16:00:00Z".parse().unwrap();
    assert!(
        rows.iter().all(|row| row.release_at == Some(release)),
        "{rows:?}"
    );
    let problem = confirm(&ana, party.booking_id)
        .await
        .refused(Code::WrongState);
    assert_eq!(problem.facts.unwrap()["state"], "confirmed");
    confirm(&ana, BookingId(Uuid::now_v7()))
        .await
        .refused(Code::NotFound);
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn n7_what_has_run_out_blocks_no_sale_though_nothing_swept_it() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    // A party over both types: all of it is given back, also where nobody asks for the night.
    let mut party = rooms(sup, "2027-06-10", "2027-06-12", 2);
    party["rooms"][1]["room_type_id"] = json!(std);
    party["rooms"][1]["check_out"] = json!("2027-06-15");
    let party: HoldAnswer = ana.send("POST", "/holds", party).await.ok();
    let live = held(&ana, sup, "2027-06-10", "2027-06-11").await;
    let before_it = one_room(sup, "2027-06-10", "2027-06-11");
    ana.send("POST", "/holds", before_it.clone())
        .await
        .refused(Code::SoldOut);
    ends_in(&app.db, hotel.id, party.booking_id, -1).await;
    let won: HoldAnswer = ana.send("POST", "/holds", before_it.clone()).await.ok();
    let events = log(&app.db, hotel.id).await;
    let verbs: Vec<_> = events
        .iter()
        .map(|event| (event.seq, event.verb.as_str()))
        .collect();
    assert_eq!(
        verbs,
        [(1, "hold"), (2, "hold"), (3, "expire"), (4, "hold")]
    );
    assert_eq!(won.seq, 4);
    let released = events[2].changes.iter().filter(|change| matches!(change,
        Change::Reservation { row } if row.state == ReservationState::Expired && row.booking_id == party.booking_id));
    assert_eq!(released.count(), 2);
    assert_eq!(
        states(&app.db, hotel.id, party.booking_id).await,
        ["expired", "expired"]
    );
    assert_eq!(states(&app.db, hotel.id, live.booking_id).await, ["held"]);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-14").await, (0, 3));
    ana.send("POST", "/holds", before_it)
        .await
        .refused(Code::SoldOut);
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn n7_a_release_inside_a_group_keeps_every_prefix_of_the_log_true() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    let full: HoldAnswer = ana
        .send("POST", "/holds", rooms(sup, "2027-06-10", "2027-06-12", 2))
        .await
        .ok();
    ends_in(&app.db, hotel.id, full.booking_id, -1).await;
    // In one group: one that fits beside, one that needs the release, and one more.
    let ready = [std, sup, std].map(|room_type| {
        let body = serde_json::from_value(one_room(room_type, "2027-06-10", "2027-06-12")).unwrap();
        let caller = crate::db::command::Caller::system(hotel.id);
        super::hold_group::ReadyHold::new(caller, None, body).unwrap()
    });
    let group = super::hold_group::Layout::new(&ready);
    let mut conn = app.db.booking.acquire().await.unwrap();
    let answers = crate::db::holds::decide(&mut conn, hotel.id, &group)
        .await
        .unwrap();
    assert!(
        answers.iter().all(|answer| answer.status == 201),
        "{answers:?}"
    );
    let verbs: Vec<_> = log(&app.db, hotel.id)
        .await
        .into_iter()
        .map(|event| event.verb)
        .collect();
    assert_eq!(verbs, ["hold", "hold", "expire", "hold", "hold"]);
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b11_a_hold_ends_by_the_database_s_clock_to_the_moment() {
    let app = TestApp::start().await;
    let mut spec = small_hotel("clock");
    (spec.hold_minutes, spec.hold_minutes_max) = (10, 15);
    let hotel = app.hotel(&spec).await;
    // Another zone than the hotel's and this machine's, for connections made from now on.
    sqlx::query(
        "DO $$ BEGIN
            EXECUTE format('ALTER DATABASE %I SET TimeZone TO %L', current_database(), 'Asia/Tokyo');
         END $$",
    )
    .execute(&app.db.reads)
    .await
    .unwrap();
    let (_, router) = app.second_server();
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await.at(&router);
    let std = hotel.types["STD"];
    let early = held(&ana, std, "2027-06-10", "2027-06-11").await;
    let now: DateTime<Utc> = sqlx::query_scalar("SELECT clock_timestamp()")
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    let lasts = early.expires_at - now;
    assert!(
        lasts > TimeDelta::minutes(9) && lasts <= TimeDelta::minutes(10),
        "{lasts}"
    );

    // One second before the end it is confirmed; the sweeper at the end finds nothing to do.
    ends_in(&app.db, hotel.id, early.booking_id, 1_000).await;
    confirm(&ana, early.booking_id).await.ok::<CommandAnswer>();
    assert_eq!(super::expire::sweep(&app.db).await.unwrap(), 0);
    assert_eq!(
        states(&app.db, hotel.id, early.booking_id).await,
        ["confirmed"]
    );

    // One second after the end it is not, swept or not.
    let late = held(&ana, std, "2027-06-10", "2027-06-11").await;
    ends_in(&app.db, hotel.id, late.booking_id, -1_000).await;
    confirm(&ana, late.booking_id)
        .await
        .refused(Code::HoldExpired);
    let renew = format!("/bookings/{}/renew", late.booking_id);
    ana.send("POST", &renew, json!({}))
        .await
        .refused(Code::HoldExpired);
    assert_eq!(super::expire::sweep(&app.db).await.unwrap(), 1);
    assert_eq!(super::expire::sweep(&app.db).await.unwrap(), 0);
    confirm(&ana, late.booking_id)
        .await
        .refused(Code::HoldExpired);
    let problem = cancel(&ana, late.booking_id)
        .await
        .refused(Code::WrongState);
    assert_eq!(problem.facts.unwrap()["state"], "expired");
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (1, 3));
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b11_a_renewal_adds_time_up_to_the_longest_and_never_takes_any() {
    let app = TestApp::start().await;
    let mut spec = small_hotel("renewed");
    (spec.hold_minutes, spec.hold_minutes_max) = (10, 15);
    let hotel = app.hotel(&spec).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let mut body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-11");
    body["minutes"] = json!(60);
    let capped: HoldAnswer = ana.send("POST", "/holds", body).await.ok();
    let held = held(&ana, hotel.types["STD"], "2027-06-10", "2027-06-11").await;
    let made = held.expires_at - TimeDelta::minutes(10);
    assert!(
        capped.expires_at < made + TimeDelta::minutes(15),
        "never longer than the longest"
    );
    let path = format!("/bookings/{}/renew", held.booking_id);
    let renewed = async |body| {
        let answer: CommandAnswer = ana.send("POST", &path, body).await.ok();
        answer.reservations[0].hold_expires_at.unwrap()
    };
    assert_eq!(renewed(json!({"minutes": 1})).await, held.expires_at);
    let longer = renewed(json!({"minutes": 12})).await;
    assert!(longer > held.expires_at + TimeDelta::minutes(1));
    assert_eq!(
        renewed(json!({"minutes": 60})).await,
        made + TimeDelta::minutes(15)
    );
    assert_eq!(renewed(json!({})).await, made + TimeDelta::minutes(15));
    let problem = ana
        .send("POST", &path, json!({"minutes": 0}))
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/minutes");
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b08_every_end_gives_the_nights_back_exactly_once() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    for (night, (confirmed, end, state)) in (10..).zip([
        (false, "cancel", "cancelled"),
        (false, "cancel room", "cancelled"),
        (false, "run out", "expired"),
        (false, "run out on demand", "expired"),
        (true, "cancel", "cancelled"),
        (true, "cancel room", "cancelled"),
    ]) {
        let (from, until) = (format!("2027-06-{night}"), format!("2027-06-{}", night + 1));
        let stay = held(&ana, std, &from, &until).await;
        assert_eq!(reserved(&app.db, hotel.id, std, &from).await, (1, 3));
        if confirmed {
            confirm(&ana, stay.booking_id).await.ok::<CommandAnswer>();
            assert_eq!(reserved(&app.db, hotel.id, std, &from).await, (1, 3));
        }
        let room = format!("/reservations/{}/cancel", stay.rooms[0].reservation_id);
        for _ in 0..2 {
            match end {
                "cancel" => drop(cancel(&ana, stay.booking_id).await),
                "cancel room" => drop(ana.send("POST", &room, json!({})).await),
                "run out" => {
                    let_holds_run_out(&app.db, hotel.id).await;
                    super::expire::sweep(&app.db).await.unwrap();
                }
                _ => {
                    let_holds_run_out(&app.db, hotel.id).await;
                    let all = rooms(std, &from, &until, 3);
                    let all: HoldAnswer = ana.send("POST", "/holds", all).await.ok();
                    cancel(&ana, all.booking_id).await.ok::<CommandAnswer>();
                }
            }
            assert_eq!(
                states(&app.db, hotel.id, stay.booking_id).await,
                [state],
                "{end}"
            );
            assert_eq!(
                reserved(&app.db, hotel.id, std, &from).await,
                (0, 3),
                "{end}"
            );
            recount(&app.db, hotel.id).await;
        }
    }
}

#[tokio::test]
async fn b08_one_room_of_a_party_is_given_up_and_the_rest_is_confirmed() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    let party: HoldAnswer = ana
        .send("POST", "/holds", rooms(std, "2027-06-10", "2027-06-12", 3))
        .await
        .ok();
    let room = party.rooms[1].reservation_id;
    let path = format!("/reservations/{room}/cancel");
    ana.send("POST", &path, json!({"reason": "because"}))
        .await
        .refused(Code::Invalid);
    ana.send("POST", &path, json!({"reason": "guest"}))
        .await
        .ok::<CommandAnswer>();
    assert_eq!(
        log(&app.db, hotel.id)
            .await
            .last()
            .unwrap()
            .reason
            .as_deref(),
        Some("guest")
    );
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (2, 3));
    let problem = ana
        .send(
            "POST",
            &format!("/bookings/{}/confirm", party.booking_id),
            json!({"guarantee": "card", "rooms": [{"reservation_id": room}]}),
        )
        .await
        .refused(Code::WrongState);
    assert_eq!(problem.facts.unwrap()["state"], "cancelled");
    let answer: CommandAnswer = confirm(&ana, party.booking_id).await.ok();
    assert_eq!(answer.reservations.len(), 2);
    let answer: CommandAnswer = cancel(&ana, party.booking_id).await.ok();
    assert_eq!(answer.reservations.len(), 2);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (0, 3));
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b02_each_night_is_looked_at_by_itself() {
    let app = TestApp::start().await;
    let mut spec = small_hotel("nights");
    spec.types[0].count = 1; // four rooms STD
    let hotel = app.hotel(&spec).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    for (from, until, count) in [
        ("2027-06-18", "2027-06-20", 2),
        ("2027-06-20", "2027-06-21", 3),
    ] {
        for _ in 0..count {
            held(&ana, std, from, until).await;
        }
    }
    held(&ana, std, "2027-06-18", "2027-06-21").await;
    let problem = ana
        .send("POST", "/holds", one_room(std, "2027-06-18", "2027-06-21"))
        .await
        .refused(Code::SoldOut);
    let night = NightProblem {
        room_type_id: std,
        stay_date: "2027-06-20".parse().unwrap(),
    };
    assert_eq!(problem.nights, [night]);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-18").await, (3, 4));
}

#[tokio::test]
async fn b04_a_limit_lowered_under_holds_takes_nothing_from_them_and_shows_no_less_than_none() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let marta = app.sign_in(hotel.id, Role::Manager).await;
    let sup = hotel.types["SUP"];
    let set = |pct: i32| {
        json!({"room_type_id": sup, "from": "2027-06-10", "until": "2027-06-11", "overbook_pct": pct,
            "overbook_rooms": 0, "above_limit": "wash_down", "reason": "season"})
    };
    marta
        .send("POST", "/overbooking", set(100))
        .await
        .ok::<CommandAnswer>();
    let mut held_now = Vec::new();
    for _ in 0..4 {
        held_now.push(held(&ana, sup, "2027-06-10", "2027-06-11").await);
    }
    marta
        .send("POST", "/overbooking", set(0))
        .await
        .ok::<CommandAnswer>();
    // The units were taken before: they may be confirmed, and stand on the over-limit list.
    confirm(&ana, held_now[0].booking_id)
        .await
        .ok::<CommandAnswer>();
    confirm(&ana, held_now[1].booking_id)
        .await
        .ok::<CommandAnswer>();
    let quote: serde_json::Value = ana
        .get("/quote?check_in=2027-06-10&check_out=2027-06-11")
        .await
        .json();
    assert_eq!(quote["types"][1]["left"], 0);
    let over = async || -> i32 {
        sqlx::query_scalar("SELECT over_limit FROM room_night WHERE room_type_id = $1 AND stay_date = '2027-06-10'")
            .bind(sup.0)
            .fetch_one(&app.db.reads)
            .await
            .unwrap()
    };
    assert_eq!(over().await, 2);
    // Each release washes one down, and nothing is sold until there is room below the limit.
    for left in [1, 0, 0] {
        let gone = held_now.pop().unwrap();
        cancel(&ana, gone.booking_id).await.ok::<CommandAnswer>();
        assert_eq!(over().await, left);
        if held_now.len() >= 2 {
            let body = one_room(sup, "2027-06-10", "2027-06-11");
            ana.send("POST", "/holds", body)
                .await
                .refused(Code::SoldOut);
        }
    }
    held(&ana, sup, "2027-06-10", "2027-06-11").await;
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b05_the_api_sells_to_the_overbooking_limit_and_not_one_more() {
    let app = TestApp::start().await;
    for (slug, rooms, pct, limit) in [("four", 4, 25, 5), ("one", 1, 10, 1), ("three", 3, 10, 3)] {
        let mut spec = small_hotel(slug);
        spec.types[0].rooms.clear();
        spec.types[0].count = rooms;
        spec.types[0].overbook_pct = pct;
        let hotel = app.hotel(&spec).await;
        let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
        let std = hotel.types["STD"];
        for _ in 0..limit {
            held(&ana, std, "2027-06-10", "2027-06-11").await;
        }
        let body = one_room(std, "2027-06-10", "2027-06-11");
        ana.send("POST", "/holds", body)
            .await
            .refused(Code::SoldOut);
        recount(&app.db, hotel.id).await;
    }
}

#[tokio::test]
async fn b19_a_night_between_two_stays_is_sold() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let sup = hotel.types["SUP"];
    for _ in 0..2 {
        held(&ana, sup, "2027-06-01", "2027-06-05").await;
        held(&ana, sup, "2027-06-06", "2027-06-10").await;
    }
    held(&ana, sup, "2027-06-05", "2027-06-06").await;
    assert_eq!(reserved(&app.db, hotel.id, sup, "2027-06-05").await, (1, 2));
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn a_day_use_takes_no_night_and_prices_none() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let sup = hotel.types["SUP"];
    let mut body = one_room(sup, "2027-06-10", "2027-06-10");
    body["rooms"][0]["day_use"] = json!(true);
    // Beside a stay of one night in the same booking, so that positions are counted right.
    let night = one_room(sup, "2027-06-10", "2027-06-11")["rooms"][0].clone();
    body["rooms"].as_array_mut().unwrap().push(night);
    let held: HoldAnswer = ana.send("POST", "/holds", body.clone()).await.ok();
    assert!(held.rooms[0].nights.is_empty());
    assert_eq!(held.rooms[1].nights.len(), 1);
    assert_eq!(reserved(&app.db, hotel.id, sup, "2027-06-10").await, (1, 2));
    confirm(&ana, held.booking_id).await.ok::<CommandAnswer>();
    cancel(&ana, held.booking_id).await.ok::<CommandAnswer>();
    body["rooms"].as_array_mut().unwrap().pop();
    body["rooms"][0]["check_in"] = json!("2027-08-10");
    body["rooms"][0]["check_out"] = json!("2027-08-10");
    ana.send("POST", "/holds", body)
        .await
        .refused(Code::NotOpen);
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn a_night_without_a_price_is_named_and_an_agreed_price_needs_none() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    sqlx::query("DELETE FROM rate WHERE stay_date = '2027-06-11'")
        .execute(&app.db.reads)
        .await
        .unwrap();
    let mut body = rooms(std, "2027-06-10", "2027-06-13", 2);
    let answer = ana.send("POST", "/holds", body.clone()).await;
    let problem = answer.refused(Code::NoRate);
    assert_eq!(serde_json::to_string(&problem).unwrap(), answer.text);
    let night = NightProblem {
        room_type_id: std,
        stay_date: "2027-06-11".parse().unwrap(),
    };
    assert_eq!(problem.nights, [night]);
    for room in body["rooms"].as_array_mut().unwrap() {
        room["price"] = json!(0);
    }
    let held: HoldAnswer = ana.send("POST", "/holds", body).await.ok();
    assert!(
        held.rooms
            .iter()
            .all(|room| room.nights.iter().all(|night| night.price == 0))
    );
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn n12_another_hotel_s_booking_does_not_exist() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let elsewhere = app.hotel(&small_hotel("elsewhere")).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let ken = app.sign_in(elsewhere.id, Role::FrontDesk).await;
    let stay = held(&ana, hotel.types["STD"], "2027-06-10", "2027-06-11").await;
    confirm(&ken, stay.booking_id).await.refused(Code::NotFound);
    cancel(&ken, stay.booking_id).await.refused(Code::NotFound);
    let theirs = one_room(hotel.types["STD"], "2027-06-10", "2027-06-11");
    let problem = ken
        .send("POST", "/holds", theirs)
        .await
        .refused(Code::Invalid);
    assert_eq!(problem.fields[0].pointer, "/rooms/0/room_type_id");
    assert_eq!(states(&app.db, hotel.id, stay.booking_id).await, ["held"]);
}
