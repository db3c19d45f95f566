//! From the token to the [`Caller`], and whether this caller may call this route (N12).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use protocol::code::Code;
use protocol::id::HotelId;
use tokio::time::Instant;
use uuid::Uuid;

use super::access::{Who, who_may};
use super::token::Token;
use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;

/// How long a session that was found good is believed without asking the database again. This server
/// forgets at once what it revokes itself and hears from the others; this is the longest that a
/// revocation can go unheard.
const BELIEVED_FOR: Duration = Duration::from_secs(1);
/// More sessions than this are not remembered, so that memory has a bound.
const REMEMBERED_MAX: usize = 10_000;

/// Sessions found good a moment ago. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions {
    known: Arc<Mutex<HashMap<[u8; 32], Known>>>,
}

/// Whose session, and when the database said so.
type Known = (Caller, Instant);

impl Sessions {
    /// Whose token this is.
    pub(crate) async fn caller(&self, app: &AppState, token: &Token) -> Result<Caller, ApiError> {
        let hash = token.hash();
        if let Some(caller) = self.remembered(&hash) {
            return Ok(caller);
        }
        let asked_at = Instant::now();
        let caller = db::sessions::caller(&app.db.reads, token.hotel, &hash)
            .await?
            .ok_or_else(|| ApiError::refused(Code::Unauthenticated))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED_MAX {
            known.clear();
        }
        known.insert(hash, (caller.clone(), asked_at));
        Ok(caller)
    }

    fn remembered(&self, hash: &[u8; 32]) -> Option<Caller> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (caller, asked_at) = known.get(hash)?;
        (asked_at.elapsed() < BELIEVED_FOR).then(|| caller.clone())
    }

    /// Forgets everything: somebody was shut out, somewhere.
    pub(crate) fn forget_all(&self) {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

/// The token that came with the request, if one did.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<Token> {
    // Two of them are two answers to who this is; a proxy before us may have read the other.
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    Token::parse(token.trim())
}

/// Middleware over every route: no token, no entry; another hotel's path does not exist; and the
/// role must stand in the table.
pub(crate) async fn authorise(
    State(app): State<AppState>,
    path: MatchedPath,
    params: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(who) = who_may(request.method(), path.as_str()) else {
        tracing::error!(route = path.as_str(), "access.route_without_entry");
        return Err(ApiError::refused(Code::Forbidden));
    };
    if who == Who::Anyone {
        return Ok(next.run(request).await);
    }
    let token =
        bearer(request.headers()).ok_or_else(|| ApiError::refused(Code::Unauthenticated))?;
    let caller = app.sessions.caller(&app, &token).await?;
    // What is no text names nothing.
    let params = params.map_err(|_| ApiError::refused(Code::NotFound))?;
    if let Some((_, hotel)) = params.iter().find(|(name, _)| *name == "hotel")
        && Uuid::try_parse(hotel).ok().map(HotelId) != Some(caller.hotel)
    {
        return Err(ApiError::refused(Code::NotFound));
    }
    if let Who::Roles(roles) = who
        && !roles.contains(&caller.role)
    {
        return Err(ApiError::refused(Code::Forbidden));
    }
    request.extensions_mut().insert(caller.clone());
    let mut response = next.run(request).await;
    // For the log line of this request.
    response.extensions_mut().insert(caller);
    Ok(response)
}

/// Who asks. Put there by [`authorise`]; a route that is open to anyone has no caller.
impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or_else(|| ApiError::refused(Code::Unauthenticated))
    }
}
