//! `GET /reservations/{id}` and `GET /bookings/{id}`: as they stand.

use axum::Json;
use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::{BookingId, ReservationId};
use protocol::request::{BookingView, ReservationView};
use sqlx::PgConnection;

use crate::app::AppState;
use crate::db::command::Caller;
use crate::db::{bookings, images, reservations, rooms};
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
    if !bookings::is_open_to(&mut conn, &caller, id).await? {
        return Err(ApiError::refused(Code::NotFound));
    }
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

#[cfg(test)]
mod tests {
    use protocol::request::CommandAnswer;
    use protocol::role::Role;
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::Bed;

    #[tokio::test]
    async fn a_reservation_and_its_booking_are_read_as_they_stand() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let _: CommandAnswer = bed.assign(stay, "101").await.ok();
        let view = bed.view(stay).await;
        assert_eq!(view.reservation.nights.len(), 2);
        assert_eq!(view.room_uses.len(), 1);
        let path = format!("/bookings/{}", view.reservation.booking_id);
        let booking: BookingView = bed.boss.get(&path).await.ok();
        assert_eq!(booking.reservations, [view]);
    }

    #[tokio::test]
    async fn n12_another_hotel_s_reservation_is_not_there() {
        let bed = Bed::new().await;
        let stay = bed.confirmed("STD", 1, 3).await;
        let booking = bed.row(stay).await.booking_id;
        let other = bed.app.hotel(&crate::testing::small_hotel("other")).await;
        let theirs = bed.app.sign_in(other.id, Role::Admin).await;
        for path in [
            format!("/reservations/{stay}"),
            format!("/bookings/{booking}"),
            format!("/reservations/{}", Uuid::now_v7()),
            "/reservations/101".to_owned(),
        ] {
            theirs.get(&path).await.refused(Code::NotFound);
        }
        let path = format!("/reservations/{stay}/check-in");
        theirs
            .send("POST", &path, serde_json::json!({}))
            .await
            .refused(Code::NotFound);
    }
}
