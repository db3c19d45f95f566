//! What a change makes of one stay: its dates, the nights that go and come, the price of each. Looks at
//! the reservation and the rates only; counters and rooms are asked afterwards.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use protocol::code::{Code, FieldProblem, NightProblem, Problem};
use protocol::id::RoomTypeId;
use protocol::money::MINOR_MAX;
use protocol::nights::{Nights, NotAStay, dates};
use protocol::request::{CHANGED_NIGHTS_MAX, ChangeStayRequest};
use protocol::row::{RateRow, ReservationNight, ReservationRow};
use protocol::state::{ReservationState, Segment};
use serde_json::json;

use crate::db::command::Work;
use crate::db::inventory::Deltas;
use crate::db::rates;
use crate::error::ApiError;
use crate::reservations::is_sensible_date;

/// A stay as it will be.
#[derive(Clone, Debug)]
pub(super) struct After {
    /// Day of arrival.
    pub(super) check_in: NaiveDate,
    /// Day of departure.
    pub(super) check_out: NaiveDate,
    /// The type that was booked.
    pub(super) room_type: RoomTypeId,
    /// The nights of the stay, in order.
    pub(super) nights: Vec<ReservationNight>,
    /// The nights that belong to it no more.
    pub(super) gone: Vec<NaiveDate>,
}

/// Why a stay is changed, in words that may stand in the log (N13).
const REASONS: [&str; 6] = [
    "guest",
    "hotel",
    "early_departure",
    "overstay",
    "error",
    "channel",
];
/// Why somebody goes above the limit.
const EXCEED_REASONS: [&str; 4] = ["overstay", "vip", "error", "service"];

/// Every field that is wrong in itself, whatever the hotel knows.
pub(super) fn check(ask: &ChangeStayRequest) -> Vec<FieldProblem> {
    let mut wrong = Vec::new();
    let mut say = |pointer: String, detail: String| wrong.push(FieldProblem { pointer, detail });
    for (field, date) in [("check_in", ask.check_in), ("check_out", ask.check_out)] {
        if date.is_some_and(|date| !is_sensible_date(date)) {
            say(
                format!("/{field}"),
                "must be a date from 1900 to 9999".to_owned(),
            );
        }
    }
    let amount = |price: Option<i64>| price.is_none_or(|price| (0..=MINOR_MAX).contains(&price));
    let amount_detail = || format!("must be 0 to {MINOR_MAX} minor units");
    if !amount(ask.price) {
        say("/price".to_owned(), amount_detail());
    }
    if !amount(ask.early_departure_fee) {
        say("/early_departure_fee".to_owned(), amount_detail());
    }
    if ask.nights.len() > CHANGED_NIGHTS_MAX {
        say(
            "/nights".to_owned(),
            format!("must be at most {CHANGED_NIGHTS_MAX} nights"),
        );
    }
    for (place, night) in ask.nights.iter().take(CHANGED_NIGHTS_MAX).enumerate() {
        if !amount(night.price) {
            say(format!("/nights/{place}/price"), amount_detail());
        }
        if ask.nights[..place]
            .iter()
            .any(|other| other.stay_date == night.stay_date)
        {
            say(
                format!("/nights/{place}/stay_date"),
                "is named twice in this request".to_owned(),
            );
        }
    }
    let word = |given: &Option<String>, known: &[&str]| {
        given
            .as_ref()
            .is_none_or(|word| known.contains(&word.as_str()))
    };
    if !word(&ask.reason, &REASONS) {
        say(
            "/reason".to_owned(),
            format!("must be one of {}", REASONS.join(", ")),
        );
    }
    if !word(&ask.exceed, &EXCEED_REASONS) {
        say(
            "/exceed".to_owned(),
            format!("must be one of {}", EXCEED_REASONS.join(", ")),
        );
    }
    if ask.own_room && (ask.check_in.is_some() || ask.check_out.is_some()) {
        say(
            "/own_room".to_owned(),
            "is a step of its own: the dates can follow".to_owned(),
        );
    }
    if ask.displace_to.is_some() && !ask.displace {
        say(
            "/displace_to".to_owned(),
            "says where to only together with displace".to_owned(),
        );
    }
    wrong
}

/// A refusal that names fields.
pub(super) fn invalid(pointer: impl Into<String>, detail: impl Into<String>) -> ApiError {
    Problem::new(Code::Invalid).field(pointer, detail).into()
}

/// The stay as it will be, or why it cannot be so.
pub(super) async fn plan(
    work: &mut Work<'_>,
    row: &ReservationRow,
    ask: &ChangeStayRequest,
) -> Result<After, ApiError> {
    let today = work.business_date;
    let (check_in, check_out) = new_dates(row, ask, today)?;
    if ask.own_room && row.share_of.is_none() {
        return Err(invalid("/own_room", "only for whoever shares a room"));
    }
    let stays: BTreeMap<NaiveDate, &ReservationNight> = row
        .nights
        .iter()
        .filter(|night| night.counted || night.shared)
        .map(|night| (night.stay_date, night))
        .collect();
    for (place, night) in ask.nights.iter().enumerate() {
        if night.stay_date < check_in.max(today) || night.stay_date >= check_out {
            return Err(invalid(
                format!("/nights/{place}/stay_date"),
                "must be a night of the stay from the open day on",
            ));
        }
    }
    let mut nights = Vec::new();
    let mut unpriced = Vec::new();
    for date in dates(check_in, check_out) {
        let before = stays.get(&date).copied();
        let named = ask.nights.iter().find(|night| night.stay_date == date);
        let other_type = named
            .and_then(|night| night.room_type_id)
            .or(ask.room_type_id)
            .filter(|_| date >= today);
        let (counted_in, charged_as) = match (other_type, before.or(nearest(&stays, date))) {
            (Some(other), _) => (other, other),
            (None, Some(night)) => (night.room_type_id, night.charged_type_id),
            (None, None) => (row.room_type_id, row.room_type_id),
        };
        let kept = before.filter(|night| night.charged_type_id == charged_as);
        let mut price = named
            .and_then(|night| night.price)
            .or(kept.map(|night| night.price))
            .or(ask.price);
        if matches!(row.segment, Segment::Complimentary | Segment::HouseUse) {
            price = Some(0);
        }
        // Who shares pays what was agreed, and nothing where nothing was.
        if row.share_of.is_some() {
            price = price.or(Some(0));
        }
        if price.is_none() {
            unpriced.push((charged_as, date));
        }
        nights.push(ReservationNight {
            stay_date: date,
            room_type_id: counted_in,
            charged_type_id: charged_as,
            price: price.unwrap_or(0),
            counted: row.share_of.is_none() || ask.own_room && date >= today,
            shared: row.share_of.is_some() && !(ask.own_room && date >= today),
        });
    }
    price_new_nights(
        work,
        row,
        ask,
        &mut nights,
        &unpriced,
        (check_in, check_out),
    )
    .await?;
    Ok(After {
        check_in,
        check_out,
        room_type: ask.room_type_id.unwrap_or(row.room_type_id),
        gone: row
            .nights
            .iter()
            .map(|night| night.stay_date)
            .filter(|date| !(check_in..check_out).contains(date))
            .collect(),
        nights,
    })
}

/// What comes into and leaves the counters between two sets of nights.
pub(super) fn difference(
    before: &[ReservationNight],
    after: &[ReservationNight],
    deltas: &mut Deltas,
) {
    for night in before.iter().filter(|night| night.counted) {
        deltas.add_with_house(night.room_type_id, night.stay_date, -1);
    }
    for night in after.iter().filter(|night| night.counted) {
        deltas.add_with_house(night.room_type_id, night.stay_date, 1);
    }
}

/// The night of the stay that is nearest to a new one: the guest stays in what they have.
fn nearest<'n>(
    stay: &BTreeMap<NaiveDate, &'n ReservationNight>,
    date: NaiveDate,
) -> Option<&'n ReservationNight> {
    let before = stay.range(..date).next_back();
    before
        .or_else(|| stay.range(date..).next())
        .map(|(_, night)| *night)
}

fn new_dates(
    row: &ReservationRow,
    ask: &ChangeStayRequest,
    today: NaiveDate,
) -> Result<(NaiveDate, NaiveDate), ApiError> {
    let in_house = row.state == ReservationState::CheckedIn;
    let check_in = ask.check_in.unwrap_or(row.check_in);
    let check_out = ask.check_out.unwrap_or(row.check_out);
    if in_house && check_in != row.check_in {
        return Err(invalid("/check_in", "the guest has come on that day"));
    }
    if check_in != row.check_in && check_in < today {
        return Err(invalid("/check_in", format!("must not be before {today}")));
    }
    let over = if in_house {
        check_out < today
    } else {
        check_out <= today && check_out != check_in
    };
    if over || check_out < today {
        return Err(invalid(
            "/check_out",
            format!("must not be before {today}, the open day"),
        ));
    }
    match Nights::new(check_in, check_out) {
        // A stay of no night is day use.
        _ if check_in == check_out => {}
        Ok(_) => {}
        Err(fault @ (NotAStay::NotAfter | NotAStay::TooLong)) => {
            return Err(invalid("/check_out", fault.to_string()));
        }
    }
    if ask.early_departure_fee.is_some() && !(in_house && check_out < row.check_out) {
        return Err(invalid(
            "/early_departure_fee",
            "only when a guest in house leaves earlier",
        ));
    }
    Ok((check_in, check_out))
}

/// Puts the rate's price on the nights without one, and holds the change against the rate's rules. A
/// guest in house is bound by none: the rules are for selling.
async fn price_new_nights(
    work: &mut Work<'_>,
    row: &ReservationRow,
    ask: &ChangeStayRequest,
    nights: &mut [ReservationNight],
    unpriced: &[(RoomTypeId, NaiveDate)],
    (check_in, check_out): (NaiveDate, NaiveDate),
) -> Result<(), ApiError> {
    let rules = row.state == ReservationState::Confirmed && !ask.ignore_rules;
    if unpriced.is_empty() && !rules {
        return Ok(());
    }
    let mut wanted: Vec<(RoomTypeId, NaiveDate)> = nights
        .iter()
        .map(|night| (night.charged_type_id, night.stay_date))
        .collect();
    let last_type = nights.last().map(|night| night.charged_type_id);
    wanted.extend(last_type.map(|last| (last, check_out)));
    let known: BTreeMap<(RoomTypeId, NaiveDate), RateRow> =
        rates::rates_on(work, row.rate_plan_id, &wanted)
            .await?
            .into_iter()
            .map(|rate| ((rate.room_type_id, rate.stay_date), rate))
            .collect();
    let missing: Vec<NightProblem> = unpriced
        .iter()
        .filter(|key| !known.contains_key(key))
        .map(|(room_type_id, stay_date)| NightProblem {
            room_type_id: *room_type_id,
            stay_date: *stay_date,
        })
        .collect();
    if !missing.is_empty() {
        return Err(no_rate(work, missing).await?);
    }
    for night in nights.iter_mut() {
        let key = (night.charged_type_id, night.stay_date);
        if unpriced.contains(&key)
            && let Some(rate) = known.get(&key)
        {
            night.price = rate.price;
        }
    }
    if rules {
        let broken = broken_rules(row, nights, &known, (check_in, check_out));
        if !broken.is_empty() {
            return Err(Problem::new(Code::Restricted)
                .facts(json!({ "reservation_id": row.id, "rules": broken }))
                .into());
        }
    }
    Ok(())
}

/// A night without a price is either not open or open and unpriced: the two are told apart (N3).
async fn no_rate(work: &mut Work<'_>, missing: Vec<NightProblem>) -> Result<ApiError, ApiError> {
    let hotel = work.hotel();
    let dates: Vec<NaiveDate> = missing.iter().map(|night| night.stay_date).collect();
    let closed = rates::not_open(work.conn(), hotel, &dates).await?;
    let (closed, open): (Vec<_>, Vec<_>) = missing
        .into_iter()
        .partition(|night| closed.contains(&night.stay_date));
    Ok(if closed.is_empty() {
        Problem::new(Code::NoRate).nights(open).into()
    } else {
        Problem::new(Code::NotOpen).nights(closed).into()
    })
}

/// The rules that the change breaks and the stay as it was did not ask about.
fn broken_rules(
    row: &ReservationRow,
    nights: &[ReservationNight],
    rates: &BTreeMap<(RoomTypeId, NaiveDate), RateRow>,
    (check_in, check_out): (NaiveDate, NaiveDate),
) -> Vec<serde_json::Value> {
    let mut broken = Vec::new();
    let known = |night: &ReservationNight| {
        row.nights.iter().any(|old| {
            old.stay_date == night.stay_date
                && old.charged_type_id == night.charged_type_id
                && (old.counted || old.shared)
        })
    };
    for night in nights.iter().filter(|night| !known(night)) {
        if rates
            .get(&(night.charged_type_id, night.stay_date))
            .is_some_and(|rate| rate.stop_sell)
        {
            broken.push(json!({ "rule": "stop_sell", "date": night.stay_date }));
        }
    }
    let length = (check_out - check_in).num_days();
    let first = nights
        .first()
        .and_then(|night| rates.get(&(night.charged_type_id, night.stay_date)));
    if let Some(arrival) = first {
        let other_length = length != (row.check_out - row.check_in).num_days();
        if check_in != row.check_in && arrival.closed_to_arrival {
            broken.push(json!({ "rule": "closed_to_arrival", "date": check_in }));
        }
        if let Some(least) = arrival.min_stay
            && (other_length || check_in != row.check_in)
            && length < i64::from(least)
        {
            broken.push(json!({ "rule": "min_stay", "nights": least }));
        }
        if let Some(most) = arrival.max_stay
            && (other_length || check_in != row.check_in)
            && length > i64::from(most)
        {
            broken.push(json!({ "rule": "max_stay", "nights": most }));
        }
    }
    let last = nights
        .last()
        .and_then(|night| rates.get(&(night.charged_type_id, check_out)));
    if check_out != row.check_out && last.is_some_and(|rate| rate.closed_to_departure) {
        broken.push(json!({ "rule": "closed_to_departure", "date": check_out }));
    }
    broken
}
