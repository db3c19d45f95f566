//! N10, B61: the desk is killed at any moment, without a word, and nothing that a clerk entered is
//! lost. The program is the real one; the authority beside it does as it is told.

#[path = "../src/tests/fake.rs"]
#[allow(dead_code, reason = "shared with the tests inside the crate")]
mod fake;
#[path = "../src/tests/house.rs"]
#[allow(dead_code, reason = "shared with the tests inside the crate")]
mod house;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use fake::Fake;
use house::june;

struct Program {
    child: Child,
    address: String,
    http: reqwest::Client,
}

impl Program {
    async fn start(dir: &Path, server: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_desk-web"))
            .arg("--data")
            .arg(dir.join("desk"))
            .arg("--secrets-file")
            .arg(dir.join("secrets.json"))
            .env("NIGHTDESK_SERVER", server)
            .env("NIGHTDESK_NAME", "ana")
            .env("NIGHTDESK_PASSWORD", "p")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines
            .next_line()
            .await
            .unwrap()
            .expect("the program says where it is");
        Self {
            child,
            address: line.strip_prefix("desk-web ready ").unwrap().to_owned(),
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(40))
                .build()
                .unwrap(),
        }
    }

    async fn call(&self, method: &str, request: Value) -> Option<Value> {
        let url = format!("{}rpc/{method}", self.address);
        let answer = self
            .http
            .post(url)
            .body(request.to_string())
            .send()
            .await
            .ok()?;
        answer.json().await.ok()
    }

    async fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..600 {
            let status = self.call("status.get", json!({})).await.unwrap();
            if wanted(&status) {
                return status;
            }
            // Answers as soon as something changes.
            let now = self
                .call("changes.wait", json!({"after": 0, "wait_ms": 0}))
                .await
                .unwrap();
            let wait = json!({"after": now["now"], "wait_ms": 100});
            self.call("changes.wait", wait).await.unwrap();
        }
        panic!(
            "never as wanted: {:?}",
            self.call("status.get", json!({})).await
        );
    }

    async fn kill(mut self) {
        // SIGKILL: nothing of the program runs any more.
        self.child.kill().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn n10_b61_a_killed_desk_loses_nothing_and_does_nothing_twice() {
    let stays = (1..=5)
        .flat_map(|n| house::party(n, "Guest", june(10), june(12)))
        .collect();
    let fake = Fake::start(stays).await;
    let dir = tempfile::tempdir().unwrap();
    let mut entered: BTreeSet<String> = BTreeSet::new();
    for round in 0..12_u32 {
        let program = Program::start(dir.path(), &fake.address()).await;
        program.until(|status| status["hotel"].is_object()).await;
        // Every third round the server is away, so that there is a queue to lose.
        fake.set_down(round % 3 == 2);
        let clerk = async {
            for n in 0..1_000_u128 {
                let id = house::command_id(u128::from(round) * 1_000 + n);
                let stay = house::stay_id(1 + n % 5);
                let request = json!({"id": id, "wait_ms": if n % 2 == 0 { 0 } else { 500 },
                    "command": {"verb": "assign", "reservation_id": stay,
                        "body": {"room_id": house::room_id(101 + n % 4)}}});
                // Only what the program said yes to is entered.
                match program.call("command.submit", request).await {
                    Some(answer) if answer["outcome"].is_string() => {
                        entered.insert(id.to_string());
                    }
                    _ => return,
                }
            }
        };
        // Any moment will do: the rounds end after different times.
        let _ =
            tokio::time::timeout(Duration::from_millis(u64::from(60 + 37 * round)), clerk).await;
        program.kill().await;
    }
    assert!(
        entered.len() > 20,
        "{} commands were entered",
        entered.len()
    );
    fake.set_down(false);
    let program = Program::start(dir.path(), &fake.address()).await;
    let head = fake.lock().head();
    program
        .until(|status| {
            status["unsent"] == 0
                && status["sync"]["phase"] == "in_sync"
                && status["cursor"].as_i64() >= Some(head)
        })
        .await;
    let inner = fake.lock();
    let done: BTreeSet<&String> = inner.answers.keys().collect();
    let lost: Vec<&String> = entered.iter().filter(|key| !done.contains(key)).collect();
    assert!(
        lost.is_empty(),
        "{} of {} are lost",
        lost.len(),
        entered.len()
    );
    assert_eq!(
        inner.answers.len() as i64,
        inner.head(),
        "each is done once"
    );
}
