//! Keys, texts and bad input, by the simplest of commands.

use protocol::code::Code;
use protocol::request::CommandAnswer;
use protocol::role::Role;
use protocol::row::GuestRow;
use protocol::text::search_form;
use serde_json::{Value, json};
use sqlx::Executor;
use uuid::Uuid;

use crate::testing::{TestApp, small_hotel};

fn path() -> String {
    format!("/guests/{}", Uuid::now_v7())
}

async fn events(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM event")
        .fetch_one(&app.db.reads)
        .await
        .unwrap()
}

#[tokio::test]
async fn b44_n5_a_key_belongs_to_one_request_of_one_person() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let other_hotel = app.hotel(&small_hotel("other")).await;
    let ana = app.sign_in(hotel.id, Role::Admin).await;
    let bob = app.sign_in(hotel.id, Role::FrontDesk).await;
    let eve = app.sign_in(other_hotel.id, Role::FrontDesk).await;
    let (guest, key) = (path(), "K");
    let body = json!({"name": "A", "vip": false});
    let first = ana.keyed(key, "PUT", &guest, &body).await;
    let answer: CommandAnswer = first.ok();
    assert_eq!(answer.seq, 1);

    // The same again, in whatever way it is written: byte for byte the same answer, no second effect.
    for same in [
        r#"{"name":"A","vip":false}"#,
        " { \"vip\" : false, \"email\":null,\"name\":\"\\u0041\" } ",
    ] {
        let address = protocol::api::hotel_path(hotel.id, &guest);
        let again = ana
            .raw("PUT", &address, &[("idempotency-key", key)], same)
            .await;
        assert_eq!(
            (again.status, again.text),
            (first.status, first.text.clone())
        );
    }
    // Another body, path or method under that key.
    ana.keyed(key, "PUT", &guest, &json!({"name": "B"}))
        .await
        .refused(Code::KeyReused);
    ana.keyed(key, "PUT", &path(), &body)
        .await
        .refused(Code::KeyReused);
    let room = format!("/rooms/{}/status", hotel.rooms["101"]);
    ana.keyed(key, "POST", &room, &json!({"status": "dirty"}))
        .await
        .refused(Code::KeyReused);
    assert_eq!(events(&app).await, 1);

    // Somebody else's key of the same name, here and in another hotel, is another key.
    assert_eq!(bob.keyed(key, "PUT", &path(), &body).await.status, 200);
    assert_eq!(eve.keyed(key, "PUT", &path(), &body).await.status, 200);

    // A refusal is an answer too, and stays one when its reason is gone.
    let (late, missing) = (path(), json!({"name": "C", "version": 1}));
    let refused = ana.keyed("K2", "PUT", &late, &missing).await;
    refused.refused(Code::NotFound);
    let _: CommandAnswer = ana.send("PUT", &late, json!({"name": "C"})).await.ok();
    assert_eq!(
        ana.keyed("K2", "PUT", &late, &missing).await.text,
        refused.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b44_n5_the_same_key_many_times_at_once_has_one_effect() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let here = app.sign_in(hotel.id, Role::FrontDesk).await;
    let there = here.at(&app.second_server().1);
    let (guest, body) = (path(), json!({"name": "A"}));
    let all: Vec<_> = (0..20)
        .map(|nth| {
            let client = if nth % 2 == 0 {
                here.clone()
            } else {
                there.clone()
            };
            let (guest, body) = (guest.clone(), body.clone());
            tokio::spawn(async move { client.keyed("same", "PUT", &guest, &body).await })
        })
        .collect();
    let mut texts = Vec::new();
    for one in all {
        let answer = one.await.unwrap();
        assert_eq!(answer.status, 200);
        texts.push(answer.text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1);
    assert_eq!(events(&app).await, 1);
}

#[tokio::test]
async fn b44_n5_keys_outlive_the_longest_time_that_a_desk_may_be_offline() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (guest, body) = (path(), json!({"name": "A"}));
    let first = ana.keyed("K", "PUT", &guest, &body).await;
    for (age, forgotten) in [(36, 0), (41, 1)] {
        let back = format!("UPDATE idempotency_key SET created_at = now() - interval '{age} days'");
        app.db
            .reads
            .execute(sqlx::AssertSqlSafe(back))
            .await
            .unwrap();
        let gone = crate::db::command::forget_old_keys(&app.db.reads)
            .await
            .unwrap();
        assert_eq!(gone, forgotten, "{age} days");
        if forgotten == 0 {
            assert_eq!(ana.keyed("K", "PUT", &guest, &body).await.text, first.text);
        }
    }
}

#[tokio::test]
async fn b44_a_missing_or_strange_key_is_refused() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let address = protocol::api::hotel_path(hotel.id, &path());
    let long = "k".repeat(129);
    let longest = "k".repeat(128);
    for headers in [
        &[][..],
        &[("idempotency-key", "")],
        &[("idempotency-key", long.as_str())],
        &[("idempotency-key", "é")],
        &[("idempotency-key", "a"), ("idempotency-key", "b")],
    ] {
        ana.raw("PUT", &address, headers, r#"{"name":"A"}"#)
            .await
            .refused(Code::BadKey);
    }
    let headers = [("idempotency-key", longest.as_str())];
    assert_eq!(
        ana.raw("PUT", &address, &headers, r#"{"name":"A"}"#)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn b94_any_script_comes_back_as_it_was_and_half_characters_do_not_come_in() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    for (typed, kept) in [
        (
            "👨\u{200d}👩\u{200d}👧 García",
            "👨\u{200d}👩\u{200d}👧 García",
        ),
        ("🇪🇸 Ñandú", "🇪🇸 Ñandú"),
        ("e\u{301}", "é"),
        ("שרה כהן", "שרה כהן"),
        ("王小明", "王小明"),
        ("evil\u{202e}txt", "eviltxt"),
        (
            "O'Brien\"; DROP TABLE guest;--",
            "O'Brien\"; DROP TABLE guest;--",
        ),
    ] {
        let guest = path();
        let _: CommandAnswer = ana.send("PUT", &guest, json!({"name": typed})).await.ok();
        let row: GuestRow = ana.get(&guest).await.ok();
        assert_eq!(row.name, kept);
        let page = ana.get("/events?after=0").await.json();
        assert!(page.to_string().contains(&Value::from(kept).to_string()));
    }
    assert_eq!(search_form("É"), search_form("e\u{301}"));
    let before = events(&app).await;
    for body in [
        r#"{"name":"\ud83d"}"#,
        r#"{"name":"\ude00\ud83d"}"#,
        r#"{"name":"a\u0000b"}"#,
        r#"{"name":"a","notes":"\u0000"}"#,
        r#"{"name":"a\u0007b"}"#,
    ] {
        let address = protocol::api::hotel_path(hotel.id, &path());
        let answer = ana
            .raw("PUT", &address, &[("idempotency-key", "k")], body)
            .await;
        assert_eq!(answer.refused(Code::Invalid).fields.len(), 1, "{body}");
    }
    assert_eq!(events(&app).await, before);
}

#[tokio::test]
async fn bad_input_is_named_and_changes_nothing() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let long = "x".repeat(10_000);
    let cases: Vec<(String, Code, &str)> = vec![
        (json!({}).to_string(), Code::Invalid, "/name"),
        (json!({"name": ""}).to_string(), Code::Invalid, "/name"),
        (json!({"name": long}).to_string(), Code::Invalid, "/name"),
        (json!({"name": 7}).to_string(), Code::Invalid, "/name"),
        (json!({"name": null}).to_string(), Code::Invalid, "/name"),
        (
            json!({"name": "A", "version": "1"}).to_string(),
            Code::Invalid,
            "/version",
        ),
        (
            json!({"name": "A", "version": 1e30}).to_string(),
            Code::Invalid,
            "/version",
        ),
        (
            json!({"name": "A", "vip": "yes"}).to_string(),
            Code::Invalid,
            "/vip",
        ),
        (
            json!({"name": "A", "country": "Spain"}).to_string(),
            Code::Invalid,
            "/country",
        ),
        (
            json!({"name": "A", "language": "é"}).to_string(),
            Code::Invalid,
            "/language",
        ),
        (
            json!({"name": "A", "notes": "4242 4242 4242 4242"}).to_string(),
            Code::Invalid,
            "/notes",
        ),
        (
            json!({"name": "A", "phone": "x".repeat(201)}).to_string(),
            Code::Invalid,
            "/phone",
        ),
        (
            json!({"name": "A", "a/b~c": 1}).to_string(),
            Code::Invalid,
            "/a~1b~0c",
        ),
        (r#"{"name":"A","name":"B"}"#.to_owned(), Code::Invalid, ""),
        ("[]".to_owned(), Code::Invalid, ""),
        ("{\"name\":\"A\"".to_owned(), Code::BadRequest, ""),
        ("{\"name\":\"A\"} x".to_owned(), Code::BadRequest, ""),
        ("nothing".to_owned(), Code::BadRequest, ""),
        ("[".repeat(100_000), Code::Invalid, ""),
    ];
    let address = protocol::api::hotel_path(hotel.id, &path());
    for (body, code, pointer) in cases {
        let answer = ana
            .raw("PUT", &address, &[("idempotency-key", "k")], body.clone())
            .await;
        let problem = answer.refused(code);
        let body: String = body.chars().take(80).collect();
        if code == Code::Invalid {
            assert!(
                problem.fields.iter().any(|field| field.pointer == pointer),
                "{body}: {problem:?}"
            );
        } else {
            assert!(problem.detail.is_some(), "{body}");
        }
    }
    let headers = [("idempotency-key", "k")];
    ana.raw("PUT", &address, &headers, vec![0xff, 0xfe])
        .await
        .refused(Code::BadRequest);
    let huge = json!({"name": "A", "notes": "x".repeat(300_000)}).to_string();
    ana.raw("PUT", &address, &headers, huge)
        .await
        .refused(Code::TooLarge);
    for id in [
        "none",
        "00000000-0000-0000-0000-000000000000",
        "%00",
        "..%2f..",
        "7",
    ] {
        ana.send("PUT", &format!("/guests/{id}"), json!({"name": "A"}))
            .await
            .refused(Code::NotFound);
    }
    assert_eq!(events(&app).await, 0);
    let keys: i64 = sqlx::query_scalar("SELECT count(*) FROM idempotency_key")
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(keys, 0);
}
