//! The whole replay: a hotel of the files' shape, every day, every night compared.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use chrono::NaiveDate;
use protocol::id::RoomId;
use sync_server::catalog::create::CreatedHotel;
use sync_server::catalog::spec::{HotelSpec, HouseSpec, RatePlanSpec, TypeSpec};

use super::compare::{differences, night};
use super::file::{self, Expected, Operation};
use super::play::{Player, Target};
use super::script::{self, Shape};
use crate::follow::Follower;
use crate::http::Connection;
use crate::report::{Report, rounded, say};
use crate::rig::Rig;

/// Clerks who work at once. The authority decides one command of a hotel at a time; a few clerks keep
/// it busy while others read their answers.
const CLERKS: usize = 12;
/// How many differences are shown.
const SHOWN: usize = 20;
const SLUG: &str = "replay";

/// What is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// The operations.
    pub events: PathBuf,
    /// What each night came to, if that is known.
    pub expected: Option<PathBuf>,
    /// The hotel.
    pub shape: Shape,
    /// Only the first so many operations.
    pub limit: Option<usize>,
}

/// Plays it and says how it went.
pub async fn run(options: &Options) -> Result<Report> {
    let operations = file::operations(&options.events, options.limit)?;
    let expected = match &options.expected {
        Some(path) => file::expected(path)?,
        None => Default::default(),
    };
    let days = script::days(&operations, &options.shape)?;
    let first = days.first().context("no day")?.date;
    // A limit may end within a day.
    let cut_off = match options.limit {
        Some(limit) if limit <= operations.len() => days.last().map(|day| day.date),
        _ => None,
    };

    let rig = Rig::start(1).await?;
    let hotel = rig.hotel(spec(&operations, &options.shape, first)).await?;
    let target = target(&hotel, &options.shape)?;
    let token = rig.sign_in(SLUG).await?.token;
    let address = *rig.addresses().first().context("no server")?;
    let follower = Follower::start(&rig, SLUG, hotel.id).await?;
    let clerks = (0..CLERKS)
        .map(|_| Connection::new(address, &token))
        .collect();
    let mut player = Player::new(&operations, &target, clerks);
    let mut conn = rig.connect().await?;

    let mut wrong: Vec<String> = Vec::new();
    let mut compared = 0u64;
    let begun = Instant::now();
    for (place, day) in days.iter().enumerate() {
        player.day(day).await?;
        if cut_off == Some(day.date) {
            // Guests whose operations were cut off have neither come nor left: it cannot be closed.
            break;
        }
        player.close(day).await?;
        if let Some(expected) = expected.get(&day.date) {
            let found = night(&mut conn, hotel.id, day.date).await?;
            wrong.extend(differences(day.date, expected, &found));
            compared += 1;
        }
        if (place + 1).is_multiple_of(100) {
            progress(day.date, &player, begun, wrong.len());
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let tally = player.tally();

    let desk = follower.finish(&rig, hotel.id).await?;
    say("recounting");
    let recount = rig.verify()?;

    let mut report = Report::new(format!(
        "replay: {} operations of {} days, {compared} nights compared",
        operations.len(),
        days.len()
    ));
    #[allow(clippy::float_arithmetic, reason = "a rate")]
    let rate = rounded(tally.operations as f64 / seconds);
    report.figure("operations", tally.operations, "of the file");
    report.figure("refused", tally.refused, "operations refused");
    report.figure("differences", wrong.len(), "figures of a night that differ");
    report.figure(
        "verify_differences",
        recount.len(),
        "differences found by the recount",
    );
    report.figure(
        "desk_differences",
        desk.differences.len(),
        "rows of the desk that differ from the server",
    );
    report.figure("ops_per_s", rate, "operations a second, 2,000 is the aim");
    report.figure("nights", compared, "compared");
    report.figure("commands", tally.commands, "sent for them");
    report.figure(
        "repeated",
        tally.repeated,
        "sent again: not decided at first",
    );
    report.figure("seconds", rounded(seconds), "of playing");
    report.figure("desk_rows", desk.rows, "of the desk compared");
    report.figure(
        "desk_behind_s",
        rounded(desk.caught_up_after.as_secs_f64()),
        "until the desk had the last event",
    );
    for (lines, what) in [
        (&tally.refusals, "refused"),
        (&wrong, "differ"),
        (&recount, "verify"),
        (&desk.differences, "desk"),
    ] {
        for line in lines.iter().take(SHOWN) {
            say(format!("{what}: {line}"));
        }
    }
    report.demand(tally.refused == 0, "operations were refused");
    report.demand(wrong.is_empty(), "nights differ from the expected table");
    report.demand(recount.is_empty(), "the recount finds differences");
    report.demand(
        desk.differences.is_empty(),
        "the desk differs from the server",
    );
    let known = nights_within(&expected, first, days.last().map(|day| day.date));
    report.demand(
        compared > 0 || known == 0 || options.limit.is_some(),
        "no night was compared",
    );
    Ok(report)
}

fn nights_within(
    expected: &std::collections::BTreeMap<NaiveDate, Expected>,
    first: NaiveDate,
    last: Option<NaiveDate>,
) -> usize {
    expected.range(first..=last.unwrap_or(first)).count()
}

#[allow(clippy::float_arithmetic, reason = "a rate for people")]
fn progress(date: NaiveDate, player: &Player<'_>, begun: Instant, wrong: usize) {
    let tally = player.tally();
    let rate = tally.operations as f64 / begun.elapsed().as_secs_f64();
    say(format!(
        "{date}: {} operations, {rate:.0}/s, {} refused, {wrong} differences",
        tally.operations, tally.refused
    ));
}

fn spec(operations: &[Operation], shape: &Shape, first: NaiveDate) -> HotelSpec {
    HotelSpec {
        business_date: Some(first),
        window_days: script::window_days(operations),
        types: shape
            .rooms
            .iter()
            .map(|(name, rooms)| TypeSpec {
                code: name.clone(),
                name: format!("Type {name}"),
                max_occupancy: 4,
                count: *rooms,
                overbook_pct: shape.type_overbook,
                ..TypeSpec::default()
            })
            .collect(),
        house: HouseSpec {
            total: Some(shape.house),
            overbook_pct: shape.house_overbook,
            overbook_rooms: 0,
        },
        // Every booking of the file brings its own price.
        rate_plans: vec![RatePlanSpec {
            code: "FILE".to_owned(),
            name: "As in the file".to_owned(),
            ..RatePlanSpec::default()
        }],
        ..HotelSpec::named(SLUG, "A real hotel")
    }
}

fn target(hotel: &CreatedHotel, shape: &Shape) -> Result<Target> {
    let types = shape
        .rooms
        .iter()
        .map(|(name, _)| {
            let id = hotel.types.get(name).context("a type was not made")?;
            Ok((name.clone(), *id))
        })
        .collect::<Result<HashMap<_, _>>>()?;
    let rooms = shape
        .rooms
        .iter()
        .map(|(name, count)| {
            let rooms = (1..=*count)
                .map(|nth| {
                    let number = format!("{name}-{nth:03}");
                    hotel
                        .rooms
                        .get(&number)
                        .copied()
                        .context("a room was not made")
                })
                .collect::<Result<Vec<RoomId>>>()?;
            Ok((name.clone(), rooms))
        })
        .collect::<Result<HashMap<_, _>>>()?;
    Ok(Target {
        hotel: hotel.id,
        types,
        rooms,
    })
}
