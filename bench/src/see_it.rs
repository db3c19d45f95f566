//! From one desk's confirm to another desk's screen, both on this machine.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use chrono::{Days, NaiveDate};
use desk::rpc::schema::{
    CommandOutcome, CommandSubmit, ReservationDetail, ReservationRequest, Tag,
};
use protocol::command::Command;
use protocol::id::{BookingId, CommandId, ReservationId, RoomTypeId};
use protocol::request::{ConfirmRequest, HoldRequest, RoomRequest};
use protocol::state::{Guarantee, ReservationState};
use sync_server::catalog::spec::{HotelSpec, RatePlanSpec, TypeSpec};
use uuid::Uuid;

use crate::desks::RunningDesk;
use crate::last_room::hold;
use crate::report::{Report, percentile_ms};
use crate::rig::Rig;

/// How many confirmations are watched.
const ROUNDS: usize = 300;
/// Of these, how many only warm up.
const WARM_UP: usize = 20;
/// How long the median may be (design section 9).
const MEDIAN_MS_MAX: f64 = 50.0;
const SLUG: &str = "see-it";
/// How long a command's answer is waited for.
const ANSWER_MS: i32 = 20_000;
/// A change that has not been seen by then never will be.
const SEEN_TIMEOUT: Duration = Duration::from_secs(20);

/// Runs it and says how it went.
pub async fn run() -> Result<Report> {
    let rig = Rig::start(1).await?;
    let hotel = rig.hotel(spec()).await?;
    let kind = *hotel.types.get("STD").context("the type")?;
    let address = *rig.addresses().first().context("no server")?;
    let one = RunningDesk::start(address, SLUG, hotel.id).await?;
    let other = RunningDesk::start(address, SLUG, hotel.id).await?;
    one.has(0).await?;
    other.has(0).await?;

    let mut micros = Vec::with_capacity(ROUNDS);
    for round in 0..WARM_UP + ROUNDS {
        let night = hotel.business_date + Days::new(1 + (round % 20) as u64);
        let seen = confirm_and_see(&one, &other, kind, night).await?;
        if round >= WARM_UP {
            micros.push(u64::try_from(seen.as_micros())?);
        }
    }
    micros.sort_unstable();
    let median = percentile_ms(&micros, 500);
    let mut report = Report::new(format!(
        "see-it: {ROUNDS} confirmations at one desk, seen at another"
    ));
    report.figure("rounds", micros.len(), "confirmations");
    report.figure("median_ms", median, "half are seen within; 20 is the aim");
    report.figure(
        "p99_ms",
        percentile_ms(&micros, 990),
        "99 of 100 are seen within",
    );
    report.demand(
        median < MEDIAN_MS_MAX,
        format!("median {median} ms, not below {MEDIAN_MS_MAX}"),
    );
    Ok(report)
}

/// From the click at one desk to the moment in which the other's screen has the new state.
async fn confirm_and_see(
    one: &RunningDesk,
    other: &RunningDesk,
    kind: RoomTypeId,
    night: NaiveDate,
) -> Result<Duration> {
    let booking = BookingId(Uuid::now_v7());
    let reservation = ReservationId(Uuid::now_v7());
    let asked = hold(kind, night, night + Days::new(1));
    let held = HoldRequest {
        booking_id: Some(booking),
        rooms: asked
            .rooms
            .into_iter()
            .map(|room| RoomRequest {
                reservation_id: Some(reservation),
                ..room
            })
            .collect(),
        ..asked
    };
    submit(one, Command::Hold { body: held }).await?;
    see(other, reservation, ReservationState::Held).await?;

    let clicked = Instant::now();
    let confirm = Command::Confirm {
        booking_id: booking,
        body: ConfirmRequest {
            guarantee: Guarantee::Card,
            rooms: Vec::new(),
        },
    };
    let (confirmed, seen) = tokio::join!(submit(one, confirm), async {
        see(other, reservation, ReservationState::Confirmed)
            .await
            .map(|()| clicked.elapsed())
    });
    confirmed?;
    seen
}

async fn submit(desk: &RunningDesk, command: Command) -> Result<()> {
    let request = CommandSubmit {
        id: CommandId(Uuid::now_v7()),
        command,
        wait_ms: ANSWER_MS,
    };
    match desk.call("command.submit", &request).await? {
        CommandOutcome::Done { .. } => Ok(()),
        other => bail!("the command is not done: {other:?}"),
    }
}

/// Waits as a screen does: for word that stays changed, then reads what it shows.
async fn see(desk: &RunningDesk, id: ReservationId, state: ReservationState) -> Result<()> {
    let began = Instant::now();
    let request = ReservationRequest { id };
    let mut after = 0;
    let mut look = true;
    while began.elapsed() < SEEN_TIMEOUT {
        if look
            && let Ok(shown) = desk
                .call::<_, ReservationDetail>("reservation.get", &request)
                .await
            && shown.row.state == state
        {
            return Ok(());
        }
        let changes = desk.changes(after).await?;
        after = changes.now;
        look = changes.tags.contains(&Tag::Stays);
    }
    bail!("the other desk has not seen {id} {state}")
}

fn spec() -> HotelSpec {
    HotelSpec {
        window_days: 60,
        types: vec![TypeSpec {
            code: "STD".to_owned(),
            name: "Standard".to_owned(),
            max_occupancy: 2,
            count: 120,
            ..TypeSpec::default()
        }],
        rate_plans: vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best available rate".to_owned(),
            prices: [("STD".to_owned(), 10_000)].into(),
            ..RatePlanSpec::default()
        }],
        ..HotelSpec::named(SLUG, "Two desks")
    }
}
