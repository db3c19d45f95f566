//! What a request ends in when it does not succeed.
//!
//! [`ApiError::Refused`] is an answer: the caller must act, and the answer is final and stored with
//! its key. The others are not answers: nothing happened, and the same key may come again.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::code::{Code, Problem};

/// SQLSTATEs that mean "not decided": a lock not had in time, a statement cancelled by its time limit.
const BUSY: [&str; 2] = ["55P03", "57014"];
/// SQLSTATEs after which the same transaction may simply be run again.
const AGAIN: [&str; 2] = ["40001", "40P01"];

/// Why a request did not succeed.
#[derive(Debug)]
pub enum ApiError {
    /// The caller must act (4xx).
    Refused(Box<Problem>),
    /// Not decided, nothing happened, try again (503).
    Busy,
    /// The database asks for the transaction once more; [`crate::db::command`] does so once.
    Again,
    /// Our bug (500). The cause is logged once, at the edge, and never shown.
    Internal(anyhow::Error),
}

impl ApiError {
    /// A refusal with nothing but its code.
    pub fn refused(code: Code) -> Self {
        Problem::new(code).into()
    }

    /// The problem document that the caller sees.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Refused(problem) => (**problem).clone(),
            Self::Busy | Self::Again => Problem::new(Code::Busy),
            Self::Internal(_) => Problem::new(Code::Internal),
        }
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        let state = error.as_database_error().and_then(|error| error.code());
        match (state.as_deref(), &error) {
            (Some(state), _) if BUSY.contains(&state) => Self::Busy,
            (Some(state), _) if AGAIN.contains(&state) => Self::Again,
            // 57P0x: the database is stopping or starting. Nothing was committed.
            (Some(state), _) if state.starts_with("57P") || state.starts_with("08") => Self::Busy,
            (None, sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::PoolClosed) => {
                tracing::warn!(error = %error, "database.unreachable");
                Self::Busy
            }
            _ => Self::Internal(error.into()),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Internal(cause) = &self {
            tracing::error!(cause = format!("{cause:#}"), "request.internal_error");
        }
        problem_response(&self.problem())
    }
}

/// A problem document as a response.
pub fn problem_response(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_string(problem).unwrap_or_default();
    let mut response = (status, body).into_response();
    // For the metrics.
    response.extensions_mut().insert(problem.code);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    if matches!(problem.code, Code::Busy | Code::TooManyRequests) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
