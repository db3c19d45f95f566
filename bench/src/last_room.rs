//! Many clients, two servers, one room: exactly one may have it.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use chrono::{Days, NaiveDate};
use futures::future::try_join_all;
use protocol::code::{Code, Problem};
use protocol::id::{HotelId, RoomTypeId};
use protocol::request::{HoldRequest, RoomRequest};
use sync_server::catalog::create::CreatedHotel;
use sync_server::catalog::spec::{HotelSpec, RatePlanSpec, TypeSpec};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::http::{Connection, Reply};
use crate::report::{Report, percentile_ms};
use crate::rig::Rig;

/// Nights that the room is wanted for.
const NIGHTS: u64 = 3;
/// The slowest answers may take this long (design section 9).
const P99_MS_MAX: f64 = 200.0;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many want the room.
    pub clients: usize,
    /// Over how many servers.
    pub servers: usize,
    /// How many rooms are fought for, one after the other.
    pub rounds: usize,
}

/// What came of it, over all rounds.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Rooms sold.
    pub created: usize,
    /// Refusals that name the nights.
    pub sold_out: usize,
    /// Anything else, which must not happen.
    pub other: usize,
    /// What the others were, in words.
    pub others: Vec<String>,
    /// Rounds in which not exactly one client had the room.
    pub wrong_rounds: usize,
    /// How long each answer took.
    pub micros: Vec<u64>,
}

/// Runs it and says how it went.
pub async fn run(options: Options) -> Result<Report> {
    let mut outcome = play(options).await?;
    outcome.micros.sort_unstable();
    let mut report = Report::new(format!(
        "last-room: {} clients, {} servers, one room, {NIGHTS} nights, {} round(s)",
        options.clients, options.servers, options.rounds
    ));
    let p99 = percentile_ms(&outcome.micros, 990);
    report.figure("clients", options.clients, "wanted the room");
    report.figure("rounds", options.rounds, "rooms fought for");
    report.figure("created", outcome.created, "201");
    report.figure("sold_out", outcome.sold_out, "409 sold_out, nights named");
    report.figure("other", outcome.other, "anything else");
    report.figure(
        "p50_ms",
        percentile_ms(&outcome.micros, 500),
        "half are answered within",
    );
    report.figure("p99_ms", p99, "99 of 100 are answered within");
    report.demand(
        outcome.wrong_rounds == 0 && outcome.created == options.rounds,
        format!("{} rooms sold {} times", options.rounds, outcome.created),
    );
    report.demand(
        outcome.other == 0,
        format!("{} other answers: {:?}", outcome.other, outcome.others),
    );
    report.demand(p99 < P99_MS_MAX, format!("p99 {p99} ms, not below 200"));
    Ok(report)
}

/// Plays the rounds.
pub async fn play(options: Options) -> Result<Outcome> {
    ensure!(options.clients > 0 && options.servers > 0, "nobody asks");
    let rig = Rig::start(options.servers).await?;
    let hotel = rig.hotel(spec(options.rounds)).await?;
    let token = rig.sign_in("last-room").await?.token;
    let addresses = rig.addresses();
    let mut clients: Vec<Connection> = (0..options.clients)
        .map(|place| Connection::new(addresses[place % addresses.len()], &token))
        .collect();
    let room_type = *hotel.types.get("ONE").context("the type")?;

    // Nobody measures a server's first request: the first nights are for warming up.
    let warm = fight(&mut clients, hotel.id, room_type, night(&hotel, 0)).await?;
    ensure!(warm.len() == options.clients, "a client was not answered");

    let mut outcome = Outcome::default();
    for round in 1..=options.rounds {
        let first = night(&hotel, round as u64);
        let before = (outcome.created, outcome.sold_out);
        for (reply, micros) in fight(&mut clients, hotel.id, room_type, first).await? {
            outcome.micros.push(micros);
            count(&mut outcome, &reply, first);
        }
        let won = outcome.created - before.0 == 1;
        let lost = outcome.sold_out - before.1 == options.clients - 1;
        outcome.wrong_rounds += usize::from(!(won && lost));
    }
    let differences = rig.verify()?;
    ensure!(differences.is_empty(), "verify: {differences:?}");
    Ok(outcome)
}

fn night(hotel: &CreatedHotel, round: u64) -> NaiveDate {
    hotel.business_date + Days::new(1 + round * NIGHTS)
}

fn count(outcome: &mut Outcome, reply: &Reply, first: NaiveDate) {
    if reply.status == 201 {
        outcome.created += 1;
        return;
    }
    let refusal = reply
        .json::<Problem>()
        .ok()
        .filter(|problem| reply.status == 409 && problem.code == Code::SoldOut);
    let names_nights = refusal.is_some_and(|problem| {
        !problem.nights.is_empty()
            && problem
                .nights
                .iter()
                .all(|night| (first..first + Days::new(NIGHTS)).contains(&night.stay_date))
    });
    if names_nights {
        outcome.sold_out += 1;
    } else {
        outcome.other += 1;
        if outcome.others.len() < 5 {
            outcome
                .others
                .push(format!("{} {}", reply.status, reply.text()));
        }
    }
}

/// Everybody asks at the same moment.
async fn fight(
    clients: &mut [Connection],
    hotel: HotelId,
    room_type: RoomTypeId,
    first: NaiveDate,
) -> Result<Vec<(Reply, u64)>> {
    try_join_all(clients.iter_mut().map(Connection::open)).await?;
    let start = Barrier::new(clients.len());
    let path = protocol::api::hotel_path(hotel, "/holds");
    let body = serde_json::to_vec(&hold(room_type, first, first + Days::new(NIGHTS)))?;
    let (start, path, body) = (&start, path.as_str(), body.as_slice());
    try_join_all(clients.iter_mut().map(|client| async move {
        let key = Uuid::new_v4().to_string();
        start.wait().await;
        let asked = Instant::now();
        let reply = client.send("POST", path, Some(&key), body).await?;
        let micros = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        anyhow::Ok((reply, micros))
    }))
    .await
}

/// A hold of one room for one adult.
pub(crate) fn hold(
    room_type: RoomTypeId,
    check_in: NaiveDate,
    check_out: NaiveDate,
) -> HoldRequest {
    HoldRequest {
        booking_id: None,
        channel: None,
        external_id: None,
        minutes: None,
        rooms: vec![RoomRequest {
            reservation_id: None,
            room_type_id: room_type,
            check_in,
            check_out,
            adults: 1,
            children: Vec::new(),
            guest_id: None,
            rate_plan_id: None,
            price: None,
            segment: None,
            day_use: false,
        }],
    }
}

fn spec(rounds: usize) -> HotelSpec {
    let nights = (rounds as i32 + 1) * NIGHTS as i32 + 2;
    HotelSpec {
        window_days: nights.clamp(30, 2_000),
        types: vec![TypeSpec {
            code: "ONE".to_owned(),
            name: "The only room".to_owned(),
            max_occupancy: 2,
            count: 1,
            ..TypeSpec::default()
        }],
        rate_plans: vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best available rate".to_owned(),
            prices: [("ONE".to_owned(), 10_000)].into(),
            ..RatePlanSpec::default()
        }],
        ..HotelSpec::named("last-room", "The last room")
    }
}
