//! The addresses of the API, so that desk and server cannot disagree on them.

use crate::id::HotelId;

/// The header in which a command carries its key.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header by which a desk says what it understands; the server refuses one that is too old.
pub const UNDERSTANDS: &str = "x-nightdesk-understands";
/// What this build understands: raised when a change or field is added that old desks cannot read.
pub const PROTOCOL: u32 = 1;

/// `/v1/hotels/{hotel}{path}`.
pub fn hotel_path(hotel: HotelId, path: &str) -> String {
    format!("/v1/hotels/{hotel}{path}")
}
