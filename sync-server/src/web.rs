//! What handlers are given and what they give back: a command with its key, ids and queries from the
//! address, answers as they are stored.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::api::IDEMPOTENCY_KEY;
use protocol::code::{Code, Problem};
use protocol::request::KEY_CHARS_MAX;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::app::AppState;
use crate::db::command::{Answer, Caller, Key};
use crate::error::ApiError;

/// A command as it came: by whom, under which key, with which body.
#[derive(Debug)]
pub(crate) struct CommandRequest<T> {
    /// Who asks.
    pub(crate) caller: Caller,
    /// Its key, with the hash of method, path and body (N5).
    pub(crate) key: Key,
    /// What is asked.
    pub(crate) body: T,
}

impl<T: DeserializeOwned> FromRequest<AppState> for CommandRequest<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, state).await?;
        let key = idempotency_key(&parts.headers)?;
        let path = parts
            .extensions
            .get::<OriginalUri>()
            .map_or_else(|| parts.uri.path().to_owned(), |uri| uri.path().to_owned());
        let method = parts.method.clone();
        let bytes = read_body(Request::from_parts(parts, body), state).await?;
        let Read { body, canonical } = read_json(&bytes)?;
        Ok(Self {
            caller,
            key: Key::new(key, method.as_str(), &path, canonical.as_bytes()),
            body,
        })
    }
}

/// A body without a key: sign-in, which is no command.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let bytes = read_body(request, state).await?;
        Ok(Self(read_json(&bytes)?.body))
    }
}

/// The `{id}` of the address. What is no id names nothing: `404`. The nil id is the house or the
/// system, neither of which has an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id<T>(pub(crate) T);

impl<T: FromStr> FromRequestParts<AppState> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::refused(Code::NotFound))?;
        params
            .iter()
            .find(|(name, _)| *name == "id")
            .filter(|(_, id)| Uuid::try_parse(id).is_ok_and(|id| !id.is_nil()))
            .and_then(|(_, id)| id.parse().ok())
            .map(Self)
            .ok_or_else(|| ApiError::refused(Code::NotFound))
    }
}

/// The query of the address.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(rejection) => {
                // "Failed to deserialize query string: check_in: premature end of input"
                let text = rejection.body_text();
                let detail = text
                    .split_once(": ")
                    .map_or(text.as_str(), |(_, rest)| rest);
                let (field, detail) = match detail.split_once(": ") {
                    Some((field, detail)) => (field, detail),
                    None => (quoted(detail).unwrap_or_default(), detail),
                };
                Err(Problem::new(Code::Invalid)
                    .field(format!("/{field}"), detail)
                    .into())
            }
        }
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<String, ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let key = values.next().and_then(|value| value.to_str().ok());
    match key {
        Some(key) if (1..=KEY_CHARS_MAX).contains(&key.len()) && values.next().is_none() => {
            Ok(key.to_owned())
        }
        _ => Err(Problem::new(Code::BadKey)
            .detail(format!(
                "one Idempotency-Key of 1 to {KEY_CHARS_MAX} visible ASCII characters is needed"
            ))
            .into()),
    }
}

/// The router's body limit (256 KiB) applies here.
async fn read_body(request: Request, state: &AppState) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, state)
        .await
        .map_err(|rejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                ApiError::refused(Code::TooLarge)
            } else {
                Problem::new(Code::BadRequest)
                    .detail("the body ended before it was complete")
                    .into()
            }
        })
}

#[derive(Debug)]
struct Read<T> {
    body: T,
    /// The same for every way of writing the same request: keys sorted, no white space, and nothing
    /// where nothing was said, so that a desk that was updated in between still repeats itself.
    canonical: String,
}

/// Reads a body strictly: an unknown field is refused by name, because whoever sent it meant
/// something by it.
fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<Read<T>, ApiError> {
    // A DELETE says all in its address.
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    // serde would take a list for the fields in their order; a request has names.
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(Problem::new(Code::Invalid)
            .field("", "must be an object")
            .into());
    }
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = serde_ignored::deserialize(
        serde_path_to_error::Deserializer::new(&mut json, &mut track),
        |path| unknown.push(ignored_pointer(&path)),
    );
    let body: T = match read {
        Ok(body) => body,
        Err(error) => return Err(read_problem(&error, &tracked_pointer(&track.path())).into()),
    };
    if let Err(error) = json.end() {
        return Err(read_problem(&error, "").into());
    }
    if !unknown.is_empty() {
        let problem = unknown
            .into_iter()
            .fold(Problem::new(Code::Invalid), |problem, pointer| {
                problem.field(pointer, "this field is not known here")
            });
        return Err(problem.into());
    }
    let mut value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| read_problem(&error, ""))?;
    let mut nul = None;
    tidy(&mut value, &mut String::new(), &mut nul);
    if let Some(pointer) = nul {
        return Err(Problem::new(Code::Invalid)
            .field(pointer, "must not contain control characters")
            .into());
    }
    // Whether objects keep the order they came in is up to what else is in the same program.
    value.sort_all_objects();
    Ok(Read {
        body,
        canonical: value.to_string(),
    })
}

/// Takes out fields that are null and finds text that PostgreSQL cannot hold.
fn tidy(value: &mut serde_json::Value, pointer: &mut String, nul: &mut Option<String>) {
    use serde_json::Value;
    let depth = pointer.len();
    match value {
        Value::String(text) if text.contains('\0') => {
            nul.get_or_insert_with(|| pointer.clone());
        }
        Value::Array(items) => {
            for (place, item) in items.iter_mut().enumerate() {
                pointer.push_str(&format!("/{place}"));
                tidy(item, pointer, nul);
                pointer.truncate(depth);
            }
        }
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            for (name, field) in fields.iter_mut() {
                push_segment(pointer, name);
                tidy(field, pointer, nul);
                pointer.truncate(depth);
            }
        }
        _ => {}
    }
}

/// What was wrong with a body that could not be read.
fn read_problem(error: &serde_json::Error, pointer: &str) -> Problem {
    use serde_json::error::Category;
    let text = error.to_string();
    let detail = text.split(" at line ").next().unwrap_or(&text);
    match error.classify() {
        Category::Data => {
            // A field that is missing is found in its parent; the caller wants to see its own name.
            let pointer = match detail.strip_prefix("missing field ").and_then(quoted) {
                Some(field) => {
                    let mut pointer = pointer.to_owned();
                    push_segment(&mut pointer, field);
                    pointer
                }
                None => pointer.to_owned(),
            };
            Problem::new(Code::Invalid).field(pointer, detail)
        }
        // Half of a character: the form is right and the text is not (B94).
        _ if detail.contains("surrogate") || detail.contains("hex escape") => {
            Problem::new(Code::Invalid).field(pointer, detail)
        }
        _ => Problem::new(Code::BadRequest).detail(text),
    }
}

fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    rest.split_once('`').map(|(name, _)| name)
}

fn push_segment(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

fn tracked_pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push_segment(&mut pointer, &index.to_string()),
            Segment::Map { key } => push_segment(&mut pointer, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

fn ignored_pointer(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => {
            let mut pointer = ignored_pointer(parent);
            push_segment(&mut pointer, &index.to_string());
            pointer
        }
        Path::Map { parent, key } => {
            let mut pointer = ignored_pointer(parent);
            push_segment(&mut pointer, key);
            pointer
        }
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => ignored_pointer(parent),
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = if status.is_client_error() || status.is_server_error() {
            "application/problem+json"
        } else {
            "application/json"
        };
        let code = (self.status >= 400)
            .then(|| serde_json::from_str::<Coded>(&self.body).ok())
            .flatten()
            .map(|coded| coded.code);
        let mut response = (status, self.body).into_response();
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(code) = code {
            response.extensions_mut().insert(code);
        }
        response
    }
}

/// The code of a stored refusal, for the metrics.
#[derive(serde::Deserialize)]
struct Coded {
    code: Code,
}
