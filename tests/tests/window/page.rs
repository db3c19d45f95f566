//! What the window itself promises, without a hotel.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::stage::{Display, Keyring, Window, folder};
use crate::support::{Running, program};

#[tokio::test(flavor = "multi_thread")]
async fn the_page_may_call_nothing_but_the_desk() {
    let data = folder("nd-page-");
    let display = Display::open(data.path());
    let window = Window::open(&display, data.path(), Keyring::None, &[]).await;
    window.shown("sign-in-button").await;
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

#[tokio::test(flavor = "multi_thread")]
async fn b82_without_a_keyring_the_window_opens_and_says_so() {
    let data = folder("nd-keyring-");
    let display = Display::open(data.path());
    let window = Window::open(&display, data.path(), Keyring::None, &[]).await;
    window.shown("keyring-warning").await;
    let session = window.rpc("session.get", json!({})).await;
    assert_eq!(
        session["keyring_problem"], "this computer has no keyring service",
        "{session}"
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b83_a_second_window_on_the_same_data_says_what_to_do() {
    let data = folder("nd-second-");
    let display = Display::open(data.path());
    let first = Window::open(&display, data.path(), Keyring::None, &[]).await;
    first.shown("sign-in-button").await;
    let mut command = Command::new(program("nightdesk"));
    command
        .env("NIGHTDESK_DESK_DATA", data.path().join("desk"))
        .env("DISPLAY", &display.name)
        .env("GDK_BACKEND", "x11")
        .env_remove("WAYLAND_DISPLAY");
    let mut second = Running::spawn(&mut command, data.path().join("second.log"));
    second.wait_for("already open", Duration::from_secs(60));
    let sentence = second.output();
    assert!(sentence.contains("NIGHTDESK_DESK_DATA"), "{sentence}");
    second.signal(libc::SIGTERM);
    assert!(!second.wait_end(Duration::from_secs(5)).success());
    first.shown("sign-in-button").await;
    first.close().await;
}

#[test]
fn without_a_display_it_is_one_sentence() {
    let data = folder("nd-display-");
    let mut command = Command::new(program("nightdesk"));
    command.env("NIGHTDESK_DESK_DATA", data.path().join("desk"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut running = Running::spawn(&mut command, data.path().join("out.log"));
    assert!(!running.wait_end(Duration::from_secs(20)).success());
    let output = running.output();
    assert!(output.contains("There is no display here"), "{output}");
    assert_eq!(output.trim().lines().count(), 1, "{output}");
}

#[test]
fn b86_a_request_to_end_ends_it_within_five_seconds() {
    let data = folder("nd-end-");
    let display = Display::open(data.path());
    let mut command = Command::new(program("nightdesk"));
    command.env("NIGHTDESK_DESK_DATA", data.path().join("desk"));
    command
        .env("DISPLAY", &display.name)
        .env("GDK_BACKEND", "x11")
        .env_remove("WAYLAND_DISPLAY");
    let mut running = Running::spawn(&mut command, data.path().join("out.log"));
    running.wait_for("window ready", Duration::from_secs(60));
    running.signal(libc::SIGTERM);
    let status = running.wait_end(Duration::from_secs(5));
    assert!(status.success(), "{status}\n{}", running.output());
}
