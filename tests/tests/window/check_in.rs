//! The same check-in as in a browser, once in the real window.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::stage::{Display, Hotel, Window, folder};

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_checked_in_with_three_keystrokes_in_the_real_window() {
    let hotel = tokio::task::spawn_blocking(Hotel::open)
        .await
        .expect("a hotel");
    let data = folder("nd-window-");
    let display = Display::open(data.path());
    let window = Window::open(
        &display,
        &data.path().join("desk"),
        &[
            ("NIGHTDESK_SERVER", &hotel.address),
            ("NIGHTDESK_NAME", &hotel.name),
            ("NIGHTDESK_PASSWORD", &hotel.password),
        ],
    )
    .await;
    window.shown("today-rows").await;

    // A normal guest: one room, and the first suggestion is clean and of the booked type.
    let today = window.rpc("today.get", json!({})).await;
    let mut normal = None;
    for line in today["due_in"].as_array().expect("a list") {
        if line["guest_name"] == "" || line["party_rooms"] != 1 {
            continue;
        }
        let body = json!({"reservation_id": line["id"], "limit": 5});
        let first = window.rpc("room.suggest", body).await["rooms"][0].clone();
        if first["ready"] == true && first["type_code"] == line["type_code"] {
            normal = Some((line.clone(), first));
            break;
        }
    }
    let (line, room) = normal.expect("somebody due in can be checked in without a question");
    let number = line["number"].as_str().expect("a number");
    let room = room["room"]["number"].as_str().expect("a room");

    let filter = window.shown("today-filter").await;
    filter.send_keys(number).await.expect("typed");
    window.shown(&format!("today-row-{number}")).await;
    filter.send_keys(Key::Down + "").await.expect("pressed");
    filter.send_keys(Key::Enter + "").await.expect("pressed");
    window.shown(&format!("room-{room}")).await;
    let rooms = window
        .driver
        .active_element()
        .await
        .expect("the list of rooms has the focus");
    rooms.send_keys(Key::Enter + "").await.expect("pressed");
    window.shown("today-rows").await;

    let detail = window
        .rpc("reservation.get", json!({"id": line["id"]}))
        .await;
    assert_eq!(detail["line"]["state"], "checked_in", "{detail}");
    assert_eq!(detail["line"]["room_number"], room, "{detail}");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_may_call_nothing_but_the_desk() {
    let data = folder("nd-page-");
    let display = Display::open(data.path());
    let window = Window::open(&display, &data.path().join("desk"), &[]).await;
    window.shown("sign-in-button").await;
    // Without a keyring it says so; nothing of a session was written.
    let session = window.rpc("session.get", json!({})).await;
    assert_eq!(session["user"], json!(null), "{session}");
    for command in [
        "plugin:window|close",
        "plugin:event|listen",
        "plugin:webview|create_webview",
    ] {
        let script = "const [command, done] = arguments;\
            window.__TAURI_INTERNALS__.invoke(command, {event: 'x', target: {kind: 'Any'}, handler: 0})\
              .then(() => done('allowed'), (error) => done(String(error)));";
        let answer = window
            .driver
            .execute_async(script, vec![json!(command)])
            .await
            .expect("runs");
        let answer = answer.json().as_str().expect("text").to_owned();
        assert!(answer.contains("not allowed"), "{command}: {answer}");
    }
    window.close().await;
}
