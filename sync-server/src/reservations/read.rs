//! `GET /reservations/{id}` and `GET /bookings/{id}`: as they stand.

use axum::Json;
use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId};
use protocol::request::{BookingView, ReservationView};
use sqlx::PgConnection;

use crate::app::AppState;
use crate::db::command::Caller;
use crate::db::{images, reservations, rooms};
use crate::error::ApiError;
use crate::web::Id;

/// A reservation with its nights and rooms.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/reservations/{id}",
    tag = "reservations",
    operation_id = "get_reservation",
    params(("hotel" = String, Path, format = Uuid), ("id" = String, Path, format = Uuid)),
    responses(
        (status = 200, body = ReservationView),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn reservation(
    State(app): State<AppState>,
    caller: Caller,
    Id(id): Id<ReservationId>,
) -> Result<Json<ReservationView>, ApiError> {
    let mut conn = app.db.reads.acquire().await?;
    let mut views = views(&mut conn, &caller, &[id]).await?;
    views
        .pop()
        .map(Json)
        .ok_or_else(|| ApiError::refused(Code::NotFound))
}

/// A booking with its reservations.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/bookings/{id}",
    tag = "reservations",
    operation_id = "get_booking",
    params(("hotel" = String, Path, format = Uuid), ("id" = String, Path, format = Uuid)),
    responses(
        (status = 200, body = BookingView),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn booking(
    State(app): State<AppState>,
    caller: Caller,
    Id(id): Id<BookingId>,
) -> Result<Json<BookingView>, ApiError> {
    let mut conn = app.db.reads.acquire().await?;
    let booking = images::booking(&mut conn, caller.hotel, id)
        .await?
        .ok_or_else(|| ApiError::refused(Code::NotFound))?;
    let ids = reservations::ids_of_booking(&mut conn, caller.hotel, id).await?;
    Ok(Json(BookingView {
        booking,
        reservations: views(&mut conn, &caller, &ids).await?,
    }))
}

async fn views(
    conn: &mut PgConnection,
    caller: &Caller,
    ids: &[ReservationId],
) -> Result<Vec<ReservationView>, ApiError> {
    let mut views = Vec::with_capacity(ids.len());
    for reservation in images::reservations(conn, caller.hotel, ids).await? {
        views.push(ReservationView {
            room_uses: rooms::uses_of(conn, caller.hotel, reservation.id).await?,
            reservation,
        });
    }
    Ok(views)
}
