//! Tests of what happens when many want the same at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use protocol::code::Code;
use protocol::id::{BookingId, HotelId, RoomTypeId};
use protocol::request::{CommandAnswer, HoldAnswer};
use protocol::role::Role;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use uuid::Uuid;

use super::test_support::{
    hold_head, let_holds_run_out, log, one_room, recount, rooms, states, until,
};
use crate::app::AppState;
use crate::catalog::create::CreatedHotel;
use crate::db::Db;
use crate::testing::{Client, TestApp, reserved, small_hotel};

/// A hotel with one room of type DLX.
async fn one_deluxe(app: &TestApp) -> (CreatedHotel, RoomTypeId) {
    let mut spec = small_hotel("deluxe");
    spec.types[1].code = "DLX".to_owned();
    spec.types[1].rooms.truncate(1);
    spec.rate_plans[0].prices.insert("DLX".to_owned(), 20_000);
    spec.rate_plans[0].prices.remove("SUP");
    let hotel = app.hotel(&spec).await;
    let deluxe = hotel.types["DLX"];
    (hotel, deluxe)
}

async fn deadlocks(db: &Db) -> i64 {
    sqlx::query_scalar("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        .fetch_one(&db.reads)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn b01_n4_fifty_want_the_last_room_and_one_gets_it() {
    let app = TestApp::start().await;
    let (hotel, deluxe) = one_deluxe(&app).await;
    let (_, other) = app.second_server();
    let here = app.sign_in(hotel.id, Role::FrontDesk).await;
    let there = here.at(&other);
    for round in 0..24 {
        let night = hotel.business_date + chrono::Days::new(round);
        let (from, until) = (
            night.to_string(),
            (night + chrono::Days::new(1)).to_string(),
        );
        let answers = join_all((0..50).map(|nth| {
            let client = if nth % 2 == 0 { &here } else { &there };
            client.send("POST", "/holds", one_room(deluxe, &from, &until))
        }))
        .await;
        let mut won = Vec::new();
        for answer in &answers {
            if answer.status == 201 {
                won.push(answer.ok::<HoldAnswer>());
            } else {
                let problem = answer.refused(Code::SoldOut);
                assert_eq!(problem.nights.len(), 1);
                assert_eq!(problem.nights[0].room_type_id, deluxe);
            }
        }
        assert_eq!(won.len(), 1, "round {round}");
        assert_eq!(states(&app.db, hotel.id, won[0].booking_id).await, ["held"]);
        assert_eq!(reserved(&app.db, hotel.id, deluxe, &from).await, (1, 1));
    }
    assert_eq!(
        log(&app.db, hotel.id).await.len(),
        24,
        "losing leaves no event"
    );
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn n3_parties_that_need_all_rooms_get_them_whole_or_not_at_all() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    // Two of three rooms each: one party fits, and nights overlap in every way.
    let answers = join_all((0..30).map(|nth| {
        let from = format!("2027-06-{:02}", 10 + nth % 3);
        ana.send("POST", "/holds", rooms(std, &from, "2027-06-14", 2))
    }))
    .await;
    let won = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(won, 1);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-13").await, (2, 3));
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn holds_that_queue_are_decided_together_in_their_order_each_with_its_own_event() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    let head = hold_head(&app.db, hotel.id).await;
    let first = tokio::spawn(hold_one(ana.clone(), std, "2027-06-20"));
    // The first is alone in its group and waits for the head; what comes now waits for the next.
    until("the first is being decided", async || {
        waits_for_lock(&app.db).await && app.state.holds.waiting(hotel.id) == 0
    })
    .await;
    let mut others = Vec::new();
    for nth in 0..5 {
        others.push(tokio::spawn(hold_one(ana.clone(), std, "2027-06-10")));
        until("it queues", async || {
            app.state.holds.waiting(hotel.id) == nth + 1
        })
        .await;
    }
    head.rollback().await.unwrap();
    assert_eq!(first.await.unwrap().ok::<HoldAnswer>().seq, 1);
    let mut statuses = Vec::new();
    for other in others {
        statuses.push(other.await.unwrap().status.as_u16());
    }
    assert_eq!(statuses, [201, 201, 201, 409, 409]);
    let times: Vec<_> = log(&app.db, hotel.id)
        .await
        .iter()
        .map(|event| event.at)
        .collect();
    assert_eq!(times.len(), 4);
    assert!(
        times[1] == times[2] && times[2] == times[3],
        "one transaction: {times:?}"
    );
    recount(&app.db, hotel.id).await;
}

async fn hold_one(
    client: Client,
    room_type: RoomTypeId,
    night: &str,
) -> crate::testing::TestAnswer {
    let next: chrono::NaiveDate = night.parse().unwrap();
    let next = next + chrono::Days::new(1);
    client
        .send(
            "POST",
            "/holds",
            one_room(room_type, night, &next.to_string()),
        )
        .await
}

async fn waits_for_lock(db: &Db) -> bool {
    let waiting: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    .fetch_one(&db.reads)
    .await
    .unwrap();
    waiting > 0
}

#[tokio::test(flavor = "multi_thread")]
async fn one_hold_that_cannot_be_written_does_not_spoil_its_group() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let std = hotel.types["STD"];
    sqlx::query("ALTER TABLE reservation ADD CONSTRAINT spoiled CHECK (adults <> 7)")
        .execute(&app.db.reads)
        .await
        .unwrap();
    let head = hold_head(&app.db, hotel.id).await;
    let first = tokio::spawn(hold_one(ana.clone(), std, "2027-06-20"));
    until("the first is being decided", async || {
        waits_for_lock(&app.db).await
    })
    .await;
    let mut others = Vec::new();
    for adults in [1, 7, 2] {
        let mut body = one_room(std, "2027-06-10", "2027-06-11");
        body["rooms"][0]["adults"] = json!(adults);
        let client = ana.clone();
        others.push(tokio::spawn(async move {
            client.send("POST", "/holds", body).await
        }));
    }
    until("all queue", async || app.state.holds.waiting(hotel.id) == 3).await;
    head.rollback().await.unwrap();
    first.await.unwrap().ok::<HoldAnswer>();
    let mut statuses = Vec::new();
    for other in others {
        statuses.push(other.await.unwrap().status.as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 500]);
    assert_eq!(reserved(&app.db, hotel.id, std, "2027-06-10").await, (2, 3));
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn n4_a_head_that_stays_locked_means_busy_and_nothing_happened() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-11");
    let head = hold_head(&app.db, hotel.id).await;
    let answer = ana.keyed("patient", "POST", "/holds", &body).await;
    answer.refused(Code::Busy);
    assert!(answer.headers.contains_key("retry-after"));
    head.rollback().await.unwrap();
    assert!(log(&app.db, hotel.id).await.is_empty());
    let held: HoldAnswer = ana.keyed("patient", "POST", "/holds", &body).await.ok();
    assert_eq!(held.seq, 1, "the same key is free to try again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_hangs_up_leaves_the_queue_running_and_the_answer_under_the_key() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-11");
    let head = hold_head(&app.db, hotel.id).await;
    let (client, sent) = (ana.clone(), body.clone());
    let gone = tokio::spawn(async move { client.keyed("gone", "POST", "/holds", &sent).await });
    until("it is being decided", async || {
        waits_for_lock(&app.db).await
    })
    .await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    head.rollback().await.unwrap();
    until("it is decided", async || {
        log(&app.db, hotel.id).await.len() == 1
    })
    .await;
    let held: HoldAnswer = ana.keyed("gone", "POST", "/holds", &body).await.ok();
    assert_eq!(held.seq, 1);
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b07_b16_many_cancel_the_same_booking_and_one_does() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (second, other) = app.second_server();
    let there = ana.at(&other);
    let std = hotel.types["STD"];
    for night in ["2027-06-10", "2027-06-11", "2027-06-12"] {
        let keep: HoldAnswer = hold_one(ana.clone(), std, night).await.ok();
        let held: HoldAnswer = hold_one(ana.clone(), std, night).await.ok();
        let path = format!("/bookings/{}/cancel", held.booking_id);
        // The hold has run out, so that the sweepers of both servers want it too.
        sqlx::query(
            "UPDATE reservation SET hold_expires_at = now() - interval '1 s' WHERE booking_id = $1",
        )
        .bind(held.booking_id.0)
        .execute(&app.db.reads)
        .await
        .unwrap();
        let retry = Uuid::now_v7().to_string();
        let there_key = format!("{night} there");
        let empty = json!({});
        let cancels = join_all([
            ana.keyed(&retry, "POST", &path, &empty),
            ana.keyed(&retry, "POST", &path, &empty),
            ana.keyed("another", "POST", &path, &empty),
            there.keyed(&retry, "POST", &path, &empty),
            there.keyed(&there_key, "POST", &path, &empty),
        ]);
        let (answers, swept, swept_there) = tokio::join!(
            cancels,
            super::expire::sweep(&app.db),
            super::expire::sweep(&second.db)
        );
        let swept = swept.unwrap() + swept_there.unwrap();
        let by_key = [&answers[0], &answers[1], &answers[3]];
        assert!(
            by_key.iter().all(|answer| answer.text == by_key[0].text),
            "one key, one answer"
        );
        let mut by_request = vec![by_key[0], &answers[4]];
        if night == "2027-06-10" {
            by_request.push(&answers[2]); // later rounds use this key on another path
        } else {
            answers[2].refused(Code::KeyReused);
        }
        let cancelled = by_request
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert_eq!(cancelled + swept, 1, "cancelled or swept, once");
        for lost in by_request.iter().filter(|answer| answer.status != 200) {
            let problem = lost.refused(Code::WrongState);
            let state = problem.facts.unwrap()["state"].clone();
            assert!(state == "cancelled" || state == "expired", "{state}");
        }
        assert_eq!(reserved(&app.db, hotel.id, std, night).await, (1, 3));
        assert_eq!(states(&app.db, hotel.id, keep.booking_id).await, ["held"]);
    }
    recount(&app.db, hotel.id).await;
}

/// One desk of the mixed load: it does at random what desks do, and must never hear of a fault.
async fn busy_desk(
    client: Client,
    hotel: Arc<CreatedHotel>,
    db: Db,
    seed: u64,
    faults: Arc<AtomicUsize>,
) {
    let mut dice = StdRng::seed_from_u64(seed);
    let types: Vec<RoomTypeId> = hotel.types.values().copied().collect();
    let mut known: Vec<(BookingId, Uuid)> = Vec::new();
    for _ in 0..40 {
        let pick = (!known.is_empty()).then(|| known[dice.random_range(0..known.len())]);
        let answer = match (dice.random_range(0..100), pick) {
            (0..25, Some((booking, _))) => {
                let body =
                    json!({"guarantee": if dice.random_bool(0.5) { "none" } else { "card" }});
                client
                    .send("POST", &format!("/bookings/{booking}/confirm"), body)
                    .await
            }
            (25..40, Some((booking, _))) => {
                client
                    .send("POST", &format!("/bookings/{booking}/cancel"), json!({}))
                    .await
            }
            (40..48, Some((_, reservation))) => {
                client
                    .send(
                        "POST",
                        &format!("/reservations/{reservation}/cancel"),
                        json!({}),
                    )
                    .await
            }
            (48..54, Some((booking, _))) => {
                client
                    .send("POST", &format!("/bookings/{booking}/renew"), json!({}))
                    .await
            }
            (54..60, Some((_, reservation))) => {
                run_out(&db, hotel.id, reservation).await;
                continue;
            }
            (60..63, _) => {
                super::expire::sweep(&db).await.unwrap();
                continue;
            }
            _ => {
                let from = hotel.business_date + chrono::Days::new(dice.random_range(0..4));
                let until = from + chrono::Days::new(dice.random_range(1..4));
                let mut body = rooms(
                    types[dice.random_range(0..types.len())],
                    &from.to_string(),
                    &until.to_string(),
                    dice.random_range(1..3),
                );
                if body["rooms"].as_array().unwrap().len() > 1 && dice.random_bool(0.5) {
                    body["rooms"][1]["room_type_id"] = json!(types[0]);
                }
                client.send("POST", "/holds", body).await
            }
        };
        match answer.status.as_u16() {
            201 => {
                let held: HoldAnswer = answer.ok();
                known.push((held.booking_id, held.rooms[0].reservation_id.0));
            }
            200 => drop(answer.ok::<CommandAnswer>()),
            409 => {}
            _ => {
                faults.fetch_add(1, Ordering::Relaxed);
                eprintln!("{} {}", answer.status, answer.text);
            }
        }
    }
}

async fn run_out(db: &Db, hotel: HotelId, reservation: Uuid) {
    sqlx::query(
        "UPDATE reservation r SET hold_expires_at = clock_timestamp()
         FROM reservation o
         WHERE r.hotel_id = $1 AND r.booking_id = o.booking_id AND r.state = 'held'
           AND o.hotel_id = $1 AND o.reservation_id = $2",
    )
    .bind(hotel.0)
    .bind(reservation)
    .execute(&db.reads)
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn n1_n2_n9_a_mixed_load_from_many_desks_leaves_everything_counted() {
    let app = TestApp::start().await;
    let hotel = Arc::new(app.small_hotel().await);
    let (_, other): (AppState, _) = app.second_server();
    let faults = Arc::new(AtomicUsize::new(0));
    let mut desks = Vec::new();
    for seed in 0..16 {
        let mut client = app.sign_in(hotel.id, Role::FrontDesk).await;
        if seed % 2 == 1 {
            client = client.at(&other);
        }
        desks.push(tokio::spawn(busy_desk(
            client,
            hotel.clone(),
            app.db.clone(),
            seed,
            faults.clone(),
        )));
    }
    for desk in desks {
        desk.await.unwrap();
    }
    assert_eq!(faults.load(Ordering::Relaxed), 0);
    // What the test did to the clock of holds is not in the log until they are swept.
    let_holds_run_out(&app.db, hotel.id).await;
    while super::expire::sweep(&app.db).await.unwrap() > 0 {}
    assert_eq!(deadlocks(&app.db).await, 0);
    let verbs: std::collections::BTreeSet<String> = log(&app.db, hotel.id)
        .await
        .into_iter()
        .map(|event| event.verb)
        .collect();
    assert_eq!(
        verbs.iter().map(String::as_str).collect::<Vec<_>>(),
        ["cancel", "confirm", "expire", "hold", "renew"],
        "the load did everything"
    );
    recount(&app.db, hotel.id).await;
}
