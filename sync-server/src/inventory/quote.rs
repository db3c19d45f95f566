//! `GET /quote`: every type for one stay.

use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::nights::Nights;
use protocol::request::Quote;
use serde::Deserialize;
use utoipa::IntoParams;

use super::for_sale::ForSale;
use crate::app::AppState;
use crate::db;
use crate::db::command::Caller;
use crate::error::ApiError;
use crate::reservations::is_sensible_date;
use crate::web::Query;

/// Which stay.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Stay {
    /// Day of arrival.
    check_in: NaiveDate,
    /// Day of departure.
    check_out: NaiveDate,
}

/// What is left of every type for a stay, what it costs, and which rules forbid it.
///
/// A picture of one moment: only a hold makes it binding.
#[utoipa::path(
    get,
    path = "/v1/hotels/{hotel}/quote",
    tag = "inventory",
    operation_id = "quote",
    params(("hotel" = String, Path, format = Uuid), Stay),
    responses(
        (status = 200, body = Quote),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    caller: Caller,
    Query(asked): Query<Stay>,
) -> Result<Json<Quote>, ApiError> {
    let mut problem = Problem::new(Code::Invalid);
    for (field, date) in [
        ("/check_in", asked.check_in),
        ("/check_out", asked.check_out),
    ] {
        if !is_sensible_date(date) {
            problem = problem.field(field, "must be a date from 1900 to 9999");
        }
    }
    if !problem.fields.is_empty() {
        return Err(problem.into());
    }
    let stay = Nights::new(asked.check_in, asked.check_out)
        .map_err(|fault| problem.field("/check_out", fault.to_string()))?;
    let (currency, types) = db::availability::types(&app.db.reads, caller.hotel).await?;
    let nights = db::availability::nights(
        &app.db.reads,
        caller.hotel,
        stay.check_in(),
        stay.check_out(),
    )
    .await?;
    let for_sale = ForSale::new(nights);
    Ok(Json(Quote {
        check_in: stay.check_in(),
        check_out: stay.check_out(),
        currency,
        types: types
            .into_iter()
            .map(|id| for_sale.for_stay(id, stay))
            .collect(),
    }))
}
