//! An authority that says what a test tells it to: the API that a desk uses, without rules.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use protocol::code::{Code, Problem};
use protocol::event::Change;
use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::house;

/// A command as it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) key: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
}

type Decide = Box<dyn Fn(&mut Inner, &Sent) -> Result<Value, Problem> + Send>;

pub(crate) struct Inner {
    pub(crate) epoch: Uuid,
    pub(crate) events: Vec<Value>,
    /// The number of the last event that is no longer in the log.
    pub(crate) floor: i64,
    pub(crate) snapshot: Vec<Change>,
    /// Rows in a page of the snapshot.
    pub(crate) page_rows: usize,
    /// The pages that were asked for, by their first row.
    pub(crate) pages: Vec<usize>,
    /// Pages after this many are refused with 503.
    pub(crate) pages_max: usize,
    /// Happens when the snapshot's page that begins at this row was read.
    pub(crate) while_loading: Option<(usize, Vec<Change>)>,
    /// Everything is answered with 503.
    pub(crate) down: bool,
    /// Connections are taken and nothing is ever answered.
    pub(crate) hangs: bool,
    /// The next commands get these instead of a decision.
    pub(crate) next: Vec<Problem>,
    /// Every command as it came, repeated ones too.
    pub(crate) sent: Vec<Sent>,
    /// Final answers by key.
    pub(crate) answers: HashMap<String, Value>,
    decide: Option<Decide>,
}

impl Inner {
    pub(crate) fn head(&self) -> i64 {
        self.floor + self.events.len() as i64
    }

    /// Writes an event; answers its number.
    pub(crate) fn event(&mut self, verb: &str, changes: Vec<Change>) -> i64 {
        let changes = changes.iter().map(|change| json!(change)).collect();
        self.raw_event(verb, changes)
    }

    pub(crate) fn raw_event(&mut self, verb: &str, changes: Vec<Value>) -> i64 {
        let seq = self.head() + 1;
        self.events.push(json!({
            "seq": seq,
            "id": Uuid::now_v7(),
            "at": "2027-06-10T10:00:00Z",
            "business_date": "2027-06-10",
            "actor": house::staff_id(1),
            "device": null,
            "verb": verb,
            "reason": null,
            "changes": changes,
        }));
        seq
    }

    fn head_id(&self) -> Value {
        self.events
            .last()
            .map_or(Value::Null, |event| event["id"].clone())
    }
}

#[derive(Clone)]
pub(crate) struct Fake {
    inner: Arc<Mutex<Inner>>,
    news: Arc<Notify>,
    address: SocketAddr,
}

impl Fake {
    /// A hotel with these rows beside the house itself.
    pub(crate) async fn start(rows: Vec<Change>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            address: listener.local_addr().unwrap(),
            news: Arc::default(),
            inner: Arc::new(Mutex::new(Inner {
                epoch: Uuid::now_v7(),
                events: Vec::new(),
                floor: 0,
                snapshot: house::house().into_iter().chain(rows).collect(),
                page_rows: 50,
                pages: Vec::new(),
                pages_max: usize::MAX,
                while_loading: None,
                down: false,
                hangs: false,
                next: Vec::new(),
                sent: Vec::new(),
                answers: HashMap::new(),
                decide: None,
            })),
        };
        let router = Router::new()
            .route("/v1/sign-in", post(sign_in))
            .route("/v1/sign-out", post(|| async { Json(json!({})) }))
            .route("/v1/hotels/{hotel}/events", get(events))
            .route("/v1/hotels/{hotel}/snapshot", get(snapshot))
            .route("/v1/hotels/{hotel}/{*path}", any(command))
            .layer(axum::middleware::from_fn_with_state(fake.clone(), up))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub(crate) fn event(&self, verb: &str, changes: Vec<Change>) -> i64 {
        let seq = self.lock().event(verb, changes);
        self.news.notify_waiters();
        seq
    }

    pub(crate) fn raw_event(&self, verb: &str, changes: Vec<Value>) -> i64 {
        let seq = self.lock().raw_event(verb, changes);
        self.news.notify_waiters();
        seq
    }

    /// What commands get; without this each is done by an event that changes nothing.
    pub(crate) fn decide(
        &self,
        decide: impl Fn(&mut Inner, &Sent) -> Result<Value, Problem> + Send + 'static,
    ) {
        self.lock().decide = Some(Box::new(decide));
    }

    /// Stops or goes on answering; long polls end either way.
    pub(crate) fn set_down(&self, down: bool) {
        self.lock().down = down;
        self.news.notify_waiters();
    }

    /// Wakes long polls.
    pub(crate) fn wake(&self) {
        self.news.notify_waiters();
    }
}

fn refuse(problem: Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap();
    (status, Json(problem)).into_response()
}

async fn up(State(fake): State<Fake>, request: Request, next: axum::middleware::Next) -> Response {
    if fake.lock().hangs {
        std::future::pending::<()>().await;
    }
    if fake.lock().down {
        return (StatusCode::BAD_GATEWAY, "<html>a proxy speaks</html>").into_response();
    }
    next.run(request).await
}

async fn sign_in() -> Json<Value> {
    Json(json!({
        "token": "secret-token",
        "expires_at": "2037-06-10T10:00:00Z",
        "hotel_id": house::hotel_id(),
        "hotel_name": "Miramar",
        "staff_id": house::staff_id(1),
        "display_name": "Ana",
        "role": "front_desk",
    }))
}

async fn events(
    State(fake): State<Fake>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let number = |name: &str| {
        query
            .get(name)
            .map_or(0, |text| text.parse::<i64>().unwrap())
    };
    let (after, wait) = (number("after"), number("wait") as u64);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(wait);
    loop {
        let news = fake.news.notified();
        tokio::pin!(news);
        news.as_mut().enable();
        {
            let inner = fake.lock();
            if inner.down {
                return (StatusCode::BAD_GATEWAY, "gone").into_response();
            }
            let known = usize::try_from(after - inner.floor);
            let Ok(known) = known else {
                return refuse(Problem::new(Code::Resync));
            };
            if known > inner.events.len() {
                return refuse(Problem::new(Code::EpochChanged));
            }
            let last = query.get("last_id").map(String::as_str);
            if known > 0 && last.is_some() && inner.events[known - 1]["id"].as_str() != last {
                return refuse(Problem::new(Code::EpochChanged));
            }
            if known < inner.events.len() || wait == 0 || tokio::time::Instant::now() >= deadline {
                return Json(json!({
                    "events": inner.events[known..],
                    "head": inner.head(),
                    "head_id": inner.head_id(),
                    "epoch": inner.epoch,
                }))
                .into_response();
            }
        }
        let _ = tokio::time::timeout_at(deadline, news).await;
    }
}

async fn snapshot(
    State(fake): State<Fake>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let mut inner = fake.lock();
    let cursor: Vec<i64> = query
        .get("cursor")
        .map(|text| text.split('/').map(|part| part.parse().unwrap()).collect())
        .unwrap_or_default();
    let start = cursor.first().map_or(0, |start| *start as usize);
    if inner.pages.len() >= inner.pages_max {
        return refuse(Problem::new(Code::Busy));
    }
    inner.pages.push(start);
    let from = cursor.get(1).copied().unwrap_or_else(|| inner.head());
    let end = (start + inner.page_rows).min(inner.snapshot.len());
    let more = end < inner.snapshot.len();
    let from_id = match usize::try_from(from - inner.floor) {
        Ok(known) if known > 0 => inner.events[known - 1]["id"].clone(),
        _ => Value::Null,
    };
    let answer = json!({
        "from": from,
        "from_id": from_id,
        "epoch": inner.epoch,
        "rows_total": (start == 0).then_some(inner.snapshot.len()),
        "until": (!more).then(|| inner.head()),
        "changes": inner.snapshot[start..end],
        "cursor": more.then(|| format!("{end}/{from}")),
    });
    if let Some((row, changes)) = inner.while_loading.take_if(|(row, _)| *row == start) {
        let _ = row;
        inner.event("meanwhile", changes);
    }
    Json(answer).into_response()
}

async fn command(
    State(fake): State<Fake>,
    method: axum::http::Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path();
    let place = path.match_indices('/').nth(3).map_or(0, |(place, _)| place);
    let sent = Sent {
        key: headers["idempotency-key"].to_str().unwrap().to_owned(),
        method: method.to_string(),
        path: path[place..].to_owned(),
        body: serde_json::from_slice(&body).unwrap(),
    };
    let answer = {
        let mut inner = fake.lock();
        inner.sent.push(sent.clone());
        if let Some(known) = inner.answers.get(&sent.key) {
            Ok(known.clone())
        } else if !inner.next.is_empty() {
            Err(inner.next.remove(0))
        } else {
            let decide = inner.decide.take();
            let answer = match &decide {
                Some(decide) => decide(&mut inner, &sent),
                None => Ok(json!({"seq": inner.event("done", vec![]), "reservations": []})),
            };
            inner.decide = decide;
            if let Ok(answer) = &answer {
                inner.answers.insert(sent.key, answer.clone());
            }
            answer
        }
    };
    fake.news.notify_waiters();
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(problem) => refuse(problem),
    }
}
