//! The same check-in as in a browser, once in the real window.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::stage::{Display, Hotel, Keyring, Window, folder};

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_checked_in_with_three_keystrokes_and_the_next_start_needs_no_sign_in() {
    let hotel = tokio::task::spawn_blocking(Hotel::open)
        .await
        .expect("a hotel");
    let data = folder("nd-window-");
    let display = Display::open(data.path());
    let window = Window::open(
        &display,
        data.path(),
        Keyring::Unlocked,
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

    // The token and the key of the copy are in the keyring: what was there is there again.
    let window = Window::open(&display, data.path(), Keyring::Unlocked, &[]).await;
    window.shown("today-rows").await;
    let session = window.rpc("session.get", json!({})).await;
    assert_eq!(session["keyring_problem"], json!(null), "{session}");
    let detail = window
        .rpc("reservation.get", json!({"id": line["id"]}))
        .await;
    assert_eq!(detail["line"]["state"], "checked_in", "{detail}");
    window.close().await;
}
