//! Rooms: what housekeeping sees of them, and when nobody can be in them.

pub(crate) mod block;
pub(crate) mod status;
mod unblock;

use protocol::code::{Code, Problem};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::error::ApiError;

pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(status::handler))
        .routes(routes!(block::handler))
        .routes(routes!(unblock::handler))
}

/// The longest word on why, in characters.
const REASON_CHARS_MAX: usize = 40;

/// A reason stands in the log, where no free text may (N13): a word of small letters, digits and
/// underscores.
pub(crate) fn reason_word(reason: &str) -> Result<(), ApiError> {
    let fits = (1..=REASON_CHARS_MAX).contains(&reason.len())
        && reason
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if fits {
        return Ok(());
    }
    Err(Problem::new(Code::Invalid)
        .field(
            "/reason",
            format!("must be a word of 1 to {REASON_CHARS_MAX} characters: a-z, 0-9, _"),
        )
        .into())
}
