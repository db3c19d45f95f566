//! Who may call what: one table, which the middleware obeys and a test holds against the document.

use axum::http::Method;
use protocol::role::Role;

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Anybody, without a token.
    Anyone,
    /// Whoever has a token that is good at this moment.
    SignedIn,
    /// Whoever has such a token with one of these roles.
    Roles(&'static [Role]),
}

/// Every person, no channel.
const STAFF: Who = Who::Roles(&[
    Role::FrontDesk,
    Role::Housekeeping,
    Role::Revenue,
    Role::Manager,
    Role::Admin,
]);
/// Who stands at the desk.
const DESK: Who = Who::Roles(&[Role::FrontDesk, Role::Manager, Role::Admin]);
/// Who may sell: the desk, revenue for a test booking or a group, and channels.
const SELL: Who = Who::Roles(&[Role::FrontDesk, Role::Manager, Role::Admin, Role::Channel]);
/// Who may ask what is for sale.
const ASK: Who = Who::Roles(&[
    Role::FrontDesk,
    Role::Housekeeping,
    Role::Revenue,
    Role::Manager,
    Role::Admin,
    Role::Channel,
]);
/// Who looks after rooms.
const ROOMS: Who = Who::Roles(&[
    Role::FrontDesk,
    Role::Housekeeping,
    Role::Manager,
    Role::Admin,
]);
/// Who sets prices and limits.
const REVENUE: Who = Who::Roles(&[Role::Revenue, Role::Manager, Role::Admin]);
/// Who closes the day.
const MANAGER: Who = Who::Roles(&[Role::Manager, Role::Admin]);
/// Who builds the hotel.
const ADMIN: Who = Who::Roles(&[Role::Admin]);

/// Method, path as in the document, who.
pub(crate) const TABLE: &[(&str, &str, Who)] = &[
    ("GET", "/healthz", Who::Anyone),
    ("GET", "/readyz", Who::Anyone),
    ("GET", "/metrics", Who::Anyone),
    ("POST", "/v1/sign-in", Who::Anyone),
    ("POST", "/v1/sign-out", Who::SignedIn),
    ("GET", "/v1/me", Who::SignedIn),
    ("GET", "/v1/hotels/{hotel}", ASK),
    ("GET", "/v1/hotels/{hotel}/room-types", ASK),
    ("PUT", "/v1/hotels/{hotel}/room-types/{id}", ADMIN),
    ("GET", "/v1/hotels/{hotel}/rooms", STAFF),
    ("PUT", "/v1/hotels/{hotel}/rooms/{id}", ADMIN),
    ("GET", "/v1/hotels/{hotel}/rates", ASK),
    ("PUT", "/v1/hotels/{hotel}/rates", REVENUE),
    ("GET", "/v1/hotels/{hotel}/availability", ASK),
    ("GET", "/v1/hotels/{hotel}/quote", ASK),
    ("POST", "/v1/hotels/{hotel}/holds", SELL),
    ("GET", "/v1/hotels/{hotel}/bookings/{id}", SELL),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/renew", SELL),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/confirm", SELL),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/cancel", SELL),
    ("GET", "/v1/hotels/{hotel}/reservations/{id}", STAFF),
    ("PATCH", "/v1/hotels/{hotel}/reservations/{id}", DESK),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/cancel", DESK),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/assign", DESK),
    (
        "POST",
        "/v1/hotels/{hotel}/reservations/{id}/check-in",
        DESK,
    ),
    (
        "POST",
        "/v1/hotels/{hotel}/reservations/{id}/check-out",
        DESK,
    ),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/no-show", DESK),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/upgrade", DESK),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/change", DESK),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/change", DESK),
    (
        "POST",
        "/v1/hotels/{hotel}/reservations/{id}/put-right",
        DESK,
    ),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/share", DESK),
    ("POST", "/v1/hotels/{hotel}/reservations/{id}/release", DESK),
    (
        "POST",
        "/v1/hotels/{hotel}/reservations/{id}/release-nights",
        DESK,
    ),
    ("POST", "/v1/hotels/{hotel}/night-audit/no-shows", MANAGER),
    ("PUT", "/v1/hotels/{hotel}/policies", MANAGER),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/assign", DESK),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/check-in", DESK),
    ("POST", "/v1/hotels/{hotel}/bookings/{id}/check-out", DESK),
    ("POST", "/v1/hotels/{hotel}/rooms/{id}/status", ROOMS),
    ("POST", "/v1/hotels/{hotel}/rooms/{id}/block", ROOMS),
    ("DELETE", "/v1/hotels/{hotel}/room-uses/{id}", ROOMS),
    ("POST", "/v1/hotels/{hotel}/overbooking", REVENUE),
    ("POST", "/v1/hotels/{hotel}/night-audit/roll", MANAGER),
    ("GET", "/v1/hotels/{hotel}/guests/{id}", DESK),
    ("PUT", "/v1/hotels/{hotel}/guests/{id}", SELL),
    ("POST", "/v1/hotels/{hotel}/staff/{id}/access", ADMIN),
    ("GET", "/v1/hotels/{hotel}/events", STAFF),
    ("GET", "/v1/hotels/{hotel}/snapshot", STAFF),
];

/// Who may call this route; `None` when nobody wrote it down, and then nobody may.
pub(crate) fn who_may(method: &Method, path: &str) -> Option<Who> {
    let method = if method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    TABLE
        .iter()
        .find(|(known, route, _)| *known == method && *route == path)
        .map(|(_, _, who)| *who)
}
