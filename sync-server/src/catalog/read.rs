//! `GET /hotels/{hotel}`, `/room-types`, `/rooms`, `/rates`.

use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::RoomId;
use protocol::row::{HotelRow, RateRow, RoomRow, RoomTypeRow};
use serde::Deserialize;
use uuid::Uuid;

use super::spec::{ROOMS_PER_HOTEL_MAX, WINDOW_DAYS_MAX};
use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;
use crate::web::Query;

/// The hotel and its open day.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}",
    tag = "catalogue",
    operation_id = "get_hotel",
    params(("hotel" = String, Path, format = Uuid)),
    responses((status = 200, body = HotelRow)),
)]
pub(super) async fn hotel(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<HotelRow>, ApiError> {
    db::catalog::hotel(&app.db.reads, caller.hotel)
        .await?
        .map(Json)
        .ok_or_else(|| ApiError::refused(Code::NotFound))
}

/// The types, in the hotel's order.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/room-types",
    tag = "catalogue",
    operation_id = "get_room_types",
    params(("hotel" = String, Path, format = Uuid)),
    responses((status = 200, body = Vec<RoomTypeRow>)),
)]
pub(super) async fn room_types(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<Vec<RoomTypeRow>>, ApiError> {
    let mut rows = db::catalog::room_types(&app.db.reads, caller.hotel).await?;
    rows.sort_by(|a, b| (a.sort, &a.code).cmp(&(b.sort, &b.code)));
    Ok(Json(rows))
}

/// The rooms, by number.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/rooms",
    tag = "catalogue",
    operation_id = "get_rooms",
    params(("hotel" = String, Path, format = Uuid)),
    responses((status = 200, body = Vec<RoomRow>)),
)]
pub(super) async fn rooms(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<Vec<RoomRow>>, ApiError> {
    let all = RoomId(Uuid::nil());
    let most = ROOMS_PER_HOTEL_MAX as i64;
    let mut rows = db::catalog::rooms_after(&app.db.reads, caller.hotel, all, most).await?;
    rows.sort_by(|a, b| a.number.cmp(&b.number));
    Ok(Json(rows))
}

/// Which nights.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RatesQuery {
    /// First night.
    from: NaiveDate,
    /// End, exclusive; at most 400 nights on.
    until: NaiveDate,
}

/// The prices of a range of nights, of every plan and type.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/rates",
    tag = "catalogue",
    operation_id = "get_rates",
    params(("hotel" = String, Path, format = Uuid), RatesQuery),
    responses(
        (status = 200, body = Vec<RateRow>),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn rates(
    State(app): State<AppState>,
    caller: Caller,
    Query(query): Query<RatesQuery>,
) -> Result<Json<Vec<RateRow>>, ApiError> {
    check_range(query.from, query.until, 400)?;
    let rates = db::rates::rates(&app.db.reads, caller.hotel, query.from, query.until).await?;
    Ok(Json(rates))
}

/// Refuses a range that is empty, reversed, too long, or outside of the years in which hotels live.
pub(super) fn check_range(
    from: NaiveDate,
    until: NaiveDate,
    nights_max: i64,
) -> Result<(), Problem> {
    use chrono::Datelike;
    let years = 1900..=2200;
    let nights = (until - from).num_days();
    let detail = if !years.contains(&from.year()) {
        return Err(Problem::new(Code::Invalid).field("/from", "a year from 1900 to 2200"));
    } else if nights < 1 {
        "must be after from".to_owned()
    } else if nights > nights_max || nights > i64::from(WINDOW_DAYS_MAX) {
        format!("at most {nights_max} nights after from")
    } else {
        return Ok(());
    };
    Err(Problem::new(Code::Invalid).field("/until", detail))
}
