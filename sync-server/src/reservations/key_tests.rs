//! One key, one effect (N5, B44).

use protocol::code::Code;
use protocol::request::{CommandAnswer, HoldAnswer};
use protocol::role::Role;
use serde_json::json;
use uuid::Uuid;

use super::test_support::{hold_head, log, one_room, recount, until};
use crate::testing::{TestApp, reserved, small_hotel};

#[tokio::test]
async fn b44_a_key_belongs_to_one_request_of_one_person_in_one_hotel() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let elsewhere = app.hotel(&small_hotel("elsewhere")).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let marta = app.sign_in(hotel.id, Role::Manager).await;
    let ken = app.sign_in(elsewhere.id, Role::FrontDesk).await;
    let body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    let first = ana.keyed("K", "POST", "/holds", &body).await;
    let held: HoldAnswer = first.ok();

    // The same again, also written otherwise: the stored answer, byte for byte.
    let again = ana.keyed("K", "POST", "/holds", &body).await;
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    let mut spelled_out = body.clone();
    spelled_out["channel"] = json!(null);
    spelled_out["rooms"][0]["children"] = json!(null);
    spelled_out["rooms"][0]
        .as_object_mut()
        .unwrap()
        .remove("children");
    assert_eq!(
        ana.keyed("K", "POST", "/holds", &spelled_out).await.text,
        first.text
    );

    // Another body, another path, another method: refused, and not remembered as K's answer.
    let other_dates = one_room(hotel.types["STD"], "2027-06-20", "2027-06-22");
    ana.keyed("K", "POST", "/holds", &other_dates)
        .await
        .refused(Code::KeyReused);
    let confirm = format!("/bookings/{}/confirm", held.booking_id);
    ana.keyed("K", "POST", &confirm, &json!({"guarantee": "card"}))
        .await
        .refused(Code::KeyReused);
    let guest = json!({"name": "Ana"});
    ana.keyed("K", "PUT", &format!("/guests/{}", Uuid::now_v7()), &guest)
        .await
        .refused(Code::KeyReused);
    assert_eq!(
        ana.keyed("K", "POST", "/holds", &body).await.text,
        first.text
    );
    assert_eq!(log(&app.db, hotel.id).await.len(), 1);

    // The other way round: a command's key used for a hold.
    ana.keyed("C", "POST", &confirm, &json!({"guarantee": "card"}))
        .await
        .ok::<CommandAnswer>();
    ana.keyed("C", "POST", "/holds", &body)
        .await
        .refused(Code::KeyReused);

    // Somebody else's K, and another hotel's, are keys of their own.
    let hers: HoldAnswer = marta.keyed("K", "POST", "/holds", &body).await.ok();
    assert_ne!(hers.booking_id, held.booking_id);
    let theirs = one_room(elsewhere.types["STD"], "2027-06-10", "2027-06-12");
    let theirs: HoldAnswer = ken.keyed("K", "POST", "/holds", &theirs).await.ok();
    assert_eq!(theirs.seq, 1);
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b44_n5_refusals_are_replayed_too_so_that_no_ghost_books_later() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let sup = hotel.types["SUP"];
    let body = one_room(sup, "2027-06-10", "2027-06-11");
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(
            ana.send("POST", "/holds", body.clone())
                .await
                .ok::<HoldAnswer>(),
        );
    }
    let lost = ana.keyed("ghost", "POST", "/holds", &body).await;
    lost.refused(Code::SoldOut);
    let cancel = format!("/bookings/{}/cancel", held[0].booking_id);
    let done = ana
        .keyed("done", "POST", &cancel, &json!({"reason": "guest"}))
        .await;
    done.ok::<CommandAnswer>();
    // There is room again, but this request was answered; a retry that comes late changes nothing.
    let late = ana.keyed("ghost", "POST", "/holds", &body).await;
    assert_eq!((late.status, &late.text), (lost.status, &lost.text));
    late.refused(Code::SoldOut);
    assert_eq!(reserved(&app.db, hotel.id, sup, "2027-06-10").await, (1, 2));
    // The same of a refusal by the frame of ordinary commands.
    let twice = ana.keyed("twice", "POST", &cancel, &json!({})).await;
    twice.refused(Code::WrongState);
    assert_eq!(
        ana.keyed("twice", "POST", &cancel, &json!({})).await.text,
        twice.text
    );
    let again = ana
        .keyed("done", "POST", &cancel, &json!({"reason": "guest"}))
        .await;
    assert_eq!(again.text, done.text);
    // A new wish is a new key.
    ana.keyed("new", "POST", "/holds", &body)
        .await
        .ok::<HoldAnswer>();
    // Refusals of the other kinds, each byte for byte.
    let mut wrong = body.clone();
    wrong["rooms"][0]["room_type_id"] = json!(Uuid::now_v7());
    for (key, body, code) in [
        (
            "beyond",
            one_room(sup, "2027-07-30", "2027-08-05"),
            Code::NotOpen,
        ),
        ("unknown", wrong, Code::Invalid),
    ] {
        let first = ana.keyed(key, "POST", "/holds", &body).await;
        let problem = first.refused(code);
        assert_eq!(serde_json::to_string(&problem).unwrap(), first.text);
        assert_eq!(
            ana.keyed(key, "POST", "/holds", &body).await.text,
            first.text
        );
    }
    recount(&app.db, hotel.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b44_the_same_key_twice_in_flight_is_one_booking_and_one_answer() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (_, other) = app.second_server();
    let body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    let head = hold_head(&app.db, hotel.id).await;
    let mut sent = Vec::new();
    for nth in 0..6 {
        let client = if nth % 3 == 2 {
            ana.at(&other)
        } else {
            ana.clone()
        };
        let body = body.clone();
        sent.push(tokio::spawn(async move {
            client.keyed("K", "POST", "/holds", &body).await
        }));
    }
    until("they queue", async || {
        app.state.holds.waiting(hotel.id) == 3
    })
    .await;
    head.rollback().await.unwrap();
    let mut texts = Vec::new();
    for sent in sent {
        let answer = sent.await.unwrap();
        answer.ok::<HoldAnswer>();
        texts.push(answer.text);
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    assert_eq!(
        reserved(&app.db, hotel.id, hotel.types["STD"], "2027-06-10").await,
        (1, 3)
    );
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn b44_a_fault_of_ours_is_not_the_key_s_answer() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    let run = async |sql: &'static str| {
        sqlx::query(sql).execute(&app.db.reads).await.unwrap();
    };
    run("ALTER TABLE event ADD CONSTRAINT broken CHECK (verb <> 'hold')").await;
    ana.keyed("K", "POST", "/holds", &body)
        .await
        .refused(Code::Internal);
    assert_eq!(
        reserved(&app.db, hotel.id, hotel.types["STD"], "2027-06-10").await,
        (0, 3)
    );
    run("ALTER TABLE event DROP CONSTRAINT broken").await;
    ana.keyed("K", "POST", "/holds", &body)
        .await
        .ok::<HoldAnswer>();
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn ids_that_are_taken_are_named() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let mut body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    body["booking_id"] = json!("0197a000-0000-7000-8000-000000000001");
    body["rooms"][0]["reservation_id"] = json!("0197a000-0000-7000-8000-000000000002");
    body["channel"] = json!("ota");
    body["external_id"] = json!("100% \"X\"");
    let held: HoldAnswer = ana.send("POST", "/holds", body.clone()).await.ok();
    assert_eq!(
        held.booking_id.to_string(),
        "0197a000-0000-7000-8000-000000000001"
    );
    let answer = ana.send("POST", "/holds", body.clone()).await;
    let problem = answer.refused(Code::AlreadyExists);
    assert_eq!(serde_json::to_string(&problem).unwrap(), answer.text);
    let pointers: Vec<_> = problem
        .fields
        .iter()
        .map(|field| field.pointer.as_str())
        .collect();
    assert_eq!(
        pointers,
        ["/booking_id", "/external_id", "/rooms/0/reservation_id"]
    );
    // Two bookings whose ids end alike would be told the same number.
    let mut alike = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    alike["booking_id"] = json!("0197a000-0000-7000-9000-000000000001");
    let problem = ana
        .send("POST", "/holds", alike)
        .await
        .refused(Code::AlreadyExists);
    assert_eq!(problem.fields[0].pointer, "/booking_id");
    recount(&app.db, hotel.id).await;
}
