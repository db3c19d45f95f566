//! `GET /availability`: what is left, night by night.

use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::request::TypeLeft;
use serde::Deserialize;
use utoipa::IntoParams;

use super::for_sale::ForSale;
use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;
use crate::reservations::is_sensible_date;
use crate::web::Query;

/// The most nights in one answer: two years.
const NIGHTS_MAX: i64 = 731;

/// Which nights.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    /// First night.
    from: NaiveDate,
    /// End, exclusive.
    until: NaiveDate,
}

/// What is left and what it costs, for every type and night of a range.
///
/// Holds that have run out count as free. `restrictions` depend on a stay and are empty here: ask for
/// a quote.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/availability",
    tag = "inventory",
    operation_id = "availability",
    params(("hotel" = String, Path, format = Uuid), Range),
    responses(
        (status = 200, body = Vec<TypeLeft>),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
    Query(range): Query<Range>,
) -> Result<Json<Vec<TypeLeft>>, ApiError> {
    let Range { from, until } = range;
    let mut problem = Problem::new(Code::Invalid);
    for (field, date) in [("/from", from), ("/until", until)] {
        if !is_sensible_date(date) {
            problem = problem.field(field, "must be a date from 1900 to 9999");
        }
    }
    if problem.fields.is_empty() && !(1..=NIGHTS_MAX).contains(&(until - from).num_days()) {
        problem = problem.field("/until", format!("must be 1 to {NIGHTS_MAX} nights later"));
    }
    if !problem.fields.is_empty() {
        return Err(problem.into());
    }
    let (_, types) = db::availability::types(&app.db.reads, caller.hotel).await?;
    let nights = db::availability::nights(&app.db.reads, caller.hotel, from, until).await?;
    let for_sale = ForSale::new(nights);
    let left = types
        .into_iter()
        .map(|id| for_sale.of_type(id, from, until));
    Ok(Json(left.collect()))
}
