//! Talking to the authority: the one place where an HTTP client is built and an answer is read.
//!
//! Every call says apart what only the network did (try again) from what the server decided.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use protocol::api::{IDEMPOTENCY_KEY, PROTOCOL, UNDERSTANDS, hotel_path};
use protocol::code::Problem;
use protocol::command::Command;
use protocol::event::Change;
use protocol::id::{CommandId, DeviceId, EventId, HotelId, StaffId};
use protocol::request::{SignIn, SignedIn};
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

/// How long a connection may take: a desk that cannot reach the server must say so at once.
const CONNECT: Duration = Duration::from_secs(3);
/// How long an ordinary answer may take.
const ANSWER: Duration = Duration::from_secs(20);
/// How long a page of the snapshot may take.
const PAGE: Duration = Duration::from_secs(60);
/// The largest answer that is read, in bytes: a page of the log is 1 MiB, of the snapshot more.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// No connection, no answer in time, or an answer that is not the authority's.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The authority refused.
    #[error("the server refused: {}", .problem.title)]
    Refused {
        problem: Box<Problem>,
        /// When to come back, if it said so.
        retry_after: Option<Duration>,
    },
}

/// What to do about an answer that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Nothing is decided: the same again later.
    Retry,
    /// The token is refused.
    SignIn,
    /// Decided: no.
    Final,
}

impl Fault {
    pub(crate) fn advice(&self) -> Advice {
        match self {
            Self::Unreachable(_) => Advice::Retry,
            Self::Refused { problem, .. } => match problem.status {
                401 => Advice::SignIn,
                408 | 425 | 429 | 500.. => Advice::Retry,
                _ => Advice::Final,
            },
        }
    }
}

/// A page of the log, with changes as they came: an unknown one must not spoil the rest.
#[derive(Debug, Deserialize)]
pub(crate) struct RawPage {
    pub(crate) events: Vec<RawEvent>,
    pub(crate) head: i64,
    #[serde(default)]
    pub(crate) head_id: Option<EventId>,
    pub(crate) epoch: Uuid,
}

/// An event with its changes as they came.
#[derive(Debug, Deserialize)]
pub(crate) struct RawEvent {
    pub(crate) seq: i64,
    pub(crate) id: EventId,
    pub(crate) at: DateTime<Utc>,
    pub(crate) business_date: NaiveDate,
    pub(crate) actor: StaffId,
    #[serde(default)]
    pub(crate) device: Option<DeviceId>,
    pub(crate) verb: String,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    pub(crate) changes: Vec<Box<RawValue>>,
}

/// A page of the snapshot, with changes as they came.
#[derive(Debug, Deserialize)]
pub(crate) struct RawSnapshot {
    pub(crate) from: i64,
    #[serde(default)]
    pub(crate) from_id: Option<EventId>,
    pub(crate) epoch: Uuid,
    #[serde(default)]
    pub(crate) rows_total: Option<i64>,
    #[serde(default)]
    pub(crate) until: Option<i64>,
    pub(crate) changes: Vec<Box<RawValue>>,
    #[serde(default)]
    pub(crate) cursor: Option<String>,
}

/// Something in a page that this build does not know.
#[derive(Debug, thiserror::Error)]
#[error("the server sends what this program does not know: {0}")]
pub(crate) struct Unknown(String);

/// Reads changes one by one, so that one that is not understood is told from a page that is garbled.
pub(crate) fn decode(changes: &[Box<RawValue>]) -> Result<Vec<Change>, Unknown> {
    changes
        .iter()
        // The fault names a kind or field, and never quotes a value of a row.
        .map(|raw| serde_json::from_str(raw.get()).map_err(|fault| Unknown(fault.to_string())))
        .collect()
}

/// The answer to a command, as it came.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) seq: i64,
    pub(crate) answer: serde_json::Value,
}

/// A server, and with a token one hotel of it.
#[derive(Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    server: String,
    hotel: HotelId,
    token: String,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("server", &self.server)
            .field("hotel", &self.hotel)
            .finish_non_exhaustive()
    }
}

/// An address as it is used: with a scheme, without a slash at the end. `None` for what is none.
pub(crate) fn server_address(text: &str) -> Option<String> {
    let text = text.trim();
    let text = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url = reqwest::Url::parse(&text).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host().is_some()
        && url.username().is_empty()
        && url.query().is_none();
    plain.then(|| text.trim_end_matches('/').to_owned())
}

fn http(server: &str) -> Result<reqwest::Client, Fault> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .timeout(ANSWER)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("nightdesk/", env!("CARGO_PKG_VERSION")));
    if server.starts_with("http://") {
        // No TLS is spoken: a machine without root certificates must not fail for it.
        builder = builder.tls_certs_only([]);
    }
    let host = reqwest::Url::parse(server)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    if matches!(host.as_deref(), Some("localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(unreachable)
}

// The address may hold nothing secret, but the cause chain is what tells a person what is wrong.
fn unreachable(fault: reqwest::Error) -> Fault {
    let fault = fault.without_url();
    let mut text = fault.to_string();
    let mut cause = std::error::Error::source(&fault);
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    Fault::Unreachable(text)
}

/// Signs in: a token, and whose it is.
pub(crate) async fn sign_in(server: &str, request: &SignIn) -> Result<SignedIn, Fault> {
    let sent = http(server)?
        .post(format!("{server}/v1/sign-in"))
        .header(UNDERSTANDS, PROTOCOL)
        .json(request)
        .send()
        .await
        .map_err(unreachable)?;
    read(sent).await
}

impl Api {
    pub(crate) fn new(server: &str, hotel: HotelId, token: &str) -> Result<Self, Fault> {
        Ok(Self {
            http: http(server)?,
            server: server.to_owned(),
            hotel,
            token: token.to_owned(),
        })
    }

    fn ask(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.with_token(self.http.request(method, format!("{}{path}", self.server)))
    }

    fn with_token(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request
            .bearer_auth(&self.token)
            .header(UNDERSTANDS, PROTOCOL)
    }

    /// Ends the token; the answer does not matter to a desk that leaves.
    pub(crate) async fn sign_out(&self) {
        let sent = self.ask(Method::POST, "/v1/sign-out").send().await;
        if let Err(fault) = sent {
            tracing::info!(name = "sign_out.unsent", fault = %fault.without_url());
        }
    }

    /// The log after `after`; waits up to `wait` for something to happen.
    pub(crate) async fn events(
        &self,
        after: i64,
        last_id: Option<EventId>,
        limit: i64,
        wait: Duration,
    ) -> Result<RawPage, Fault> {
        // Numbers and ids only: nothing here needs escaping.
        let mut path = format!(
            "/events?after={after}&limit={limit}&wait={}",
            wait.as_secs()
        );
        if let Some(id) = last_id {
            path.push_str(&format!("&last_id={id}"));
        }
        let sent = self
            .ask(Method::GET, &hotel_path(self.hotel, &path))
            .timeout(wait + ANSWER)
            .send()
            .await
            .map_err(unreachable)?;
        read(sent).await
    }

    /// Whether the server answers at all, within `wait`; what it says does not matter.
    pub(crate) async fn alive(&self, wait: Duration) -> Result<(), Fault> {
        self.http
            .get(format!("{}/healthz", self.server))
            .timeout(wait)
            .send()
            .await
            .map(drop)
            .map_err(unreachable)
    }

    /// A page of the snapshot; the first without a cursor.
    pub(crate) async fn snapshot(&self, cursor: Option<&str>) -> Result<RawSnapshot, Fault> {
        let address = format!("{}{}", self.server, hotel_path(self.hotel, "/snapshot"));
        let mut url =
            reqwest::Url::parse(&address).map_err(|fault| Fault::Unreachable(fault.to_string()))?;
        if let Some(cursor) = cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        let sent = self
            .with_token(self.http.get(url))
            .timeout(PAGE)
            .send()
            .await
            .map_err(unreachable)?;
        read(sent).await
    }

    /// Sends a command under its key.
    pub(crate) async fn command(&self, key: CommandId, command: &Command) -> Result<Done, Fault> {
        let route = command.route();
        let method = Method::from_bytes(route.method.as_bytes()).unwrap_or(Method::POST);
        let sent = self
            .ask(method, &hotel_path(self.hotel, &route.path))
            .header(IDEMPOTENCY_KEY, key.to_string())
            .json(&route.body)
            .send()
            .await
            .map_err(unreachable)?;
        let answer: serde_json::Value = read(sent).await?;
        match answer.get("seq").and_then(serde_json::Value::as_i64) {
            Some(seq) => Ok(Done { seq, answer }),
            None => Err(Fault::Unreachable(
                "the answer has no number: something else answers at this address".to_owned(),
            )),
        }
    }
}

/// Reads an answer. Whatever is not the authority's own form (a proxy's page, a captive portal) is a
/// fault of the network and never a refusal.
async fn read<T: serde::de::DeserializeOwned>(mut sent: Response) -> Result<T, Fault> {
    let status = sent.status();
    let retry_after = sent
        .headers()
        .get(reqwest::header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .map(Duration::from_secs);
    if sent
        .content_length()
        .is_some_and(|bytes| bytes > ANSWER_BYTES_MAX)
    {
        return Err(Fault::Unreachable("the answer is too large".to_owned()));
    }
    let mut bytes = Vec::new();
    while let Some(part) = sent.chunk().await.map_err(unreachable)? {
        if (bytes.len() + part.len()) as u64 > ANSWER_BYTES_MAX {
            return Err(Fault::Unreachable("the answer is too large".to_owned()));
        }
        bytes.extend_from_slice(&part);
    }
    if status.is_success() {
        return serde_json::from_slice(&bytes).map_err(|_| foreign(status));
    }
    match serde_json::from_slice::<Problem>(&bytes) {
        Ok(problem) if problem.status == status.as_u16() => Err(Fault::Refused {
            problem: Box::new(problem),
            retry_after,
        }),
        _ => Err(foreign(status)),
    }
}

fn foreign(status: StatusCode) -> Fault {
    Fault::Unreachable(format!("an answer ({status}) that is not the authority's"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::code::Code;

    #[test]
    fn addresses_are_completed_and_nonsense_is_refused() {
        assert_eq!(
            server_address("hotel.example:7080/").as_deref(),
            Some("http://hotel.example:7080")
        );
        assert_eq!(
            server_address(" https://h.example ").as_deref(),
            Some("https://h.example")
        );
        for nonsense in ["", "ftp://h", "http://", "http://user@h", "http://h/?q=1"] {
            assert_eq!(server_address(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_network_fault_is_never_a_refusal() {
        assert_eq!(Fault::Unreachable(String::new()).advice(), Advice::Retry);
        for code in Code::ALL {
            let fault = Fault::Refused {
                problem: Box::new(Problem::new(*code)),
                retry_after: None,
            };
            let wanted = match code.status() {
                401 => Advice::SignIn,
                429 | 500 | 503 => Advice::Retry,
                _ => Advice::Final,
            };
            assert_eq!(fault.advice(), wanted, "{code}");
        }
    }

    #[test]
    fn b67_an_unknown_kind_or_field_is_told_from_what_is_known() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let id = "00000000-0000-0000-0000-000000000001";
        let known = raw(&format!(
            r#"{{"kind":"staff","row":{{"id":"{id}","display_name":"Ana","role":"manager","active":true}}}}"#
        ));
        assert_eq!(decode(std::slice::from_ref(&known)).unwrap().len(), 1);
        let kind = raw(r#"{"kind":"folio","row":{}}"#);
        let field = raw(&format!(
            r#"{{"kind":"staff","row":{{"id":"{id}","display_name":"Ana","role":"manager","active":true,"pronoun":"she"}}}}"#
        ));
        assert!(decode(&[known, kind]).is_err());
        assert!(decode(&[field]).is_err());
    }
}
