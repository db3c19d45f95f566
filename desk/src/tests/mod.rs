//! Tests of the desk as a whole against an authority that does as it is told.

mod fake;
mod front;
pub(crate) mod house;
mod log;
mod overlay;
mod sync;

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::desk::{Desk, DeskConfig};
use crate::host::PlainHost;
use crate::rpc;
use crate::rpc::schema::{RpcError, Status, SyncPhase, Today};
use fake::Fake;

/// A desk in a folder of its own that can be closed and opened again.
struct Bed {
    dir: tempfile::TempDir,
    fake: Fake,
    desk: Option<Desk>,
}

impl Bed {
    /// Signed in, with the copy loaded.
    async fn new(fake: Fake) -> Self {
        let bed = Self::signed_in(fake).await;
        bed.until("the copy is loaded", |status| {
            status.sync == SyncPhase::InSync {}
        })
        .await;
        bed
    }

    /// Signed in; the copy is being loaded.
    async fn signed_in(fake: Fake) -> Self {
        // Shown with a test that fails.
        let _ = tracing_subscriber::fmt()
            .with_env_filter("desk=debug")
            .with_test_writer()
            .try_init();
        let dir = tempfile::tempdir().unwrap();
        let mut bed = Self {
            dir,
            fake,
            desk: None,
        };
        bed.open().await;
        let request = json!({"server": bed.fake.address(), "name": "ana", "password": "p"});
        let _: Value = bed.call("session.sign_in", request).await.unwrap();
        bed
    }

    async fn open(&mut self) {
        let data = self.dir.path().join("desk");
        let secrets = self.dir.path().join("secrets.json");
        let host = PlainHost::with_secrets_file(&data, secrets).unwrap();
        let desk = Desk::open(Arc::new(host), DeskConfig::default())
            .await
            .unwrap();
        self.desk = Some(desk);
    }

    /// The program ends without a word, and starts again.
    async fn reopen(&mut self) {
        self.desk = None;
        // Work on the copy that was under way ends before the folder is free.
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let data = self.dir.path().join("desk");
            let secrets = self.dir.path().join("secrets.json");
            let host = PlainHost::with_secrets_file(&data, secrets).unwrap();
            match Desk::open(Arc::new(host), DeskConfig::default()).await {
                Ok(desk) => {
                    self.desk = Some(desk);
                    return;
                }
                Err(fault) => assert!(Instant::now() < deadline, "{fault}"),
            }
        }
    }

    fn desk(&self) -> &Desk {
        self.desk.as_ref().unwrap()
    }

    async fn call<T: DeserializeOwned>(&self, method: &str, request: Value) -> Result<T, RpcError> {
        let answer = rpc::call(self.desk(), method, request).await?;
        Ok(serde_json::from_value(answer).unwrap())
    }

    async fn status(&self) -> Status {
        self.call("status.get", json!({})).await.unwrap()
    }

    async fn today(&self) -> Today {
        self.call("today.get", json!({})).await.unwrap()
    }

    /// Waits for news until the strip is as wanted.
    async fn until(&self, what: &str, wanted: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + Duration::from_secs(30);
        let mut after = 0;
        loop {
            let status = self.status().await;
            if wanted(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "never: {what}; {status:?}");
            let news: rpc::schema::Changes = self
                .call("changes.wait", json!({"after": after, "wait_ms": 1_000}))
                .await
                .unwrap();
            after = news.now;
        }
    }

    /// Waits until the copy has this event.
    async fn until_cursor(&self, seq: i64) {
        self.until("the event arrives", |status| status.cursor >= seq)
            .await;
    }

    /// Records a command and waits so long for its answer.
    async fn submit(&self, n: u128, command: Value, wait_ms: i32) -> Value {
        let request = json!({"id": house::command_id(n), "command": command, "wait_ms": wait_ms});
        self.call("command.submit", request).await.unwrap()
    }
}

fn check_in(n: u128, room: Option<u128>) -> Value {
    json!({"verb": "check_in", "reservation_id": house::stay_id(n),
        "body": {"room_id": room.map(house::room_id), "room_not_ready_accepted": false}})
}

fn assign(n: u128, room: u128) -> Value {
    json!({"verb": "assign", "reservation_id": house::stay_id(n),
        "body": {"room_id": house::room_id(room)}})
}

fn details(n: u128, version: i64, notes: &str) -> Value {
    json!({"verb": "details", "reservation_id": house::stay_id(n),
        "body": {"version": version, "notes": notes}})
}

fn put_guest(n: u128, version: Option<i64>, name: &str) -> Value {
    json!({"verb": "put_guest", "guest_id": house::guest_id(n),
        "body": {"version": version, "name": name}})
}

fn hold(n: u128) -> Value {
    json!({"verb": "hold", "body": {
        "booking_id": house::booking_id(n),
        "rooms": [{
            "reservation_id": house::stay_id(n), "room_type_id": house::std_type(),
            "check_in": "2027-06-12", "check_out": "2027-06-14", "adults": 2,
        }],
    }})
}
