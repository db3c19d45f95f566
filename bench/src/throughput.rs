//! Holds a second through HTTP, against the same work by a bare function inside PostgreSQL.

use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::Days;
use futures::future::try_join_all;
use sync_server::catalog::spec::{HotelSpec, RatePlanSpec, TypeSpec};
use uuid::Uuid;

use crate::http::Connection;
use crate::last_room::hold;
use crate::machine::Worked;
use crate::report::{Report, median, rounded, say};
use crate::rig::Rig;

/// Rounds that count.
const PAIRS: usize = 5;
/// Rounds that are tried before the least disturbed are taken.
const PAIRS_TRIED_MAX: usize = 15;
/// What others may take of the machine, in permille, before a round is thrown away.
const OTHERS_MAX: u64 = 80;

/// Which bench.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Over how many hotels the holds are spread; one is the hot night.
    pub hotels: usize,
    /// How many clients ask at once.
    pub clients: usize,
    /// How long one measurement takes.
    pub seconds: u64,
    /// What the ratio must reach.
    pub ratio_min: f64,
}

impl Options {
    /// Design section 9.
    pub const HOT_NIGHT: Self = Self {
        hotels: 1,
        clients: 64,
        seconds: 6,
        ratio_min: 3.0,
    };
    /// Design section 9.
    pub const SPREAD: Self = Self {
        hotels: 200,
        ratio_min: 0.6,
        ..Self::HOT_NIGHT
    };
}

/// A path, the body sent to it, and who sends.
struct Ask {
    path: String,
    body: Vec<u8>,
    token: String,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    holds: f64,
    floor_one: f64,
    floor_many: f64,
    others: u64,
}

impl Pair {
    fn floor(&self) -> f64 {
        self.floor_one.max(self.floor_many)
    }

    #[allow(clippy::float_arithmetic, reason = "a ratio")]
    fn ratio(&self) -> f64 {
        self.holds / self.floor().max(1.0)
    }
}

/// Runs it and says how it went.
pub async fn run(name: &str, options: Options) -> Result<Report> {
    let rig = Rig::start(1).await?;
    say(format!("{name}: making {} hotel(s)", options.hotels));
    let asks = asks(&rig, options.hotels).await?;
    let floor = Floor::prepare(&rig, options.hotels).await?;
    let address = *rig.addresses().first().context("no server")?;
    let mut clients: Vec<Connection> = (0..options.clients)
        .map(|_| Connection::new(address, ""))
        .collect();
    load(&mut clients, &asks, 2).await?;
    floor.run(16, 2)?;

    let mut pairs: Vec<Pair> = Vec::new();
    for tried in 1..=PAIRS_TRIED_MAX {
        let before = Worked::now();
        let pair = Pair {
            floor_one: floor.run(1, options.seconds)?,
            holds: load(&mut clients, &asks, options.seconds).await?,
            floor_many: floor.run(16, options.seconds)?,
            others: 0,
        };
        let pair = Pair {
            others: Worked::now().others_since(&before),
            ..pair
        };
        say(format!(
            "{name} {tried}: {:.0} holds/s, bare {:.0} (1 client) and {:.0} (16), ratio {:.2}, others {} permille",
            pair.holds,
            pair.floor_one,
            pair.floor_many,
            pair.ratio(),
            pair.others
        ));
        pairs.push(pair);
        if pairs
            .iter()
            .filter(|pair| pair.others <= OTHERS_MAX)
            .count()
            >= PAIRS
        {
            break;
        }
    }
    pairs.sort_by_key(|pair| pair.others);
    pairs.truncate(PAIRS);
    let disturbed = pairs.iter().any(|pair| pair.others > OTHERS_MAX);
    let middle =
        |figure: fn(&Pair) -> f64| rounded(median(&pairs.iter().map(figure).collect::<Vec<_>>()));
    let ratio = middle(Pair::ratio);
    let mut report = Report::new(format!(
        "{name}: {} clients, {} hotel(s), medians of {} rounds",
        options.clients,
        options.hotels,
        pairs.len()
    ));
    report.figure("holds_per_s", middle(|pair| pair.holds), "through HTTP");
    report.figure(
        "floor_per_s",
        middle(Pair::floor),
        "bare function, the better of 1 and 16 clients",
    );
    report.figure("ratio", ratio, "of bare");
    report.figure(
        "others_permille",
        pairs.last().map_or(0, |pair| pair.others),
        if disturbed {
            "of the machine used by others: DISTURBED, measure again"
        } else {
            "of the machine used by others, at most"
        },
    );
    report.figure("disturbed", disturbed, "whether others worked meanwhile");
    report.demand(
        ratio >= options.ratio_min,
        format!("ratio {ratio} is below {}", options.ratio_min),
    );
    Ok(report)
}

/// Hotels with more rooms than any run can sell, and one signed-in person in each.
async fn asks(rig: &Rig, hotels: usize) -> Result<Vec<Ask>> {
    let mut asks = Vec::with_capacity(hotels);
    for nth in 0..hotels {
        let slug = format!("hotel-{nth}");
        let hotel = rig.hotel(spec(&slug)).await?;
        let kind = *hotel.types.get("STD").context("the type")?;
        let night = hotel.business_date + Days::new(7);
        asks.push(Ask {
            path: protocol::api::hotel_path(hotel.id, "/holds"),
            body: serde_json::to_vec(&hold(kind, night, night + Days::new(1)))?,
            token: rig.sign_in(&slug).await?.token,
        });
    }
    // No hotel has so many rooms; only the counter matters here.
    psql(rig, "UPDATE room_night SET total = 100000000; ANALYZE;")?;
    Ok(asks)
}

fn spec(slug: &str) -> HotelSpec {
    HotelSpec {
        window_days: 30,
        types: vec![TypeSpec {
            code: "STD".to_owned(),
            name: "Standard".to_owned(),
            max_occupancy: 2,
            count: 1,
            ..TypeSpec::default()
        }],
        rate_plans: vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best available rate".to_owned(),
            prices: [("STD".to_owned(), 10_000)].into(),
            ..RatePlanSpec::default()
        }],
        ..HotelSpec::named(slug, "A hotel to be measured")
    }
}

fn psql(rig: &Rig, sql: &str) -> Result<String> {
    rig.cluster.run(
        "psql",
        &[
            "-XAtq",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            rig.database(),
            "-c",
            sql,
        ],
    )
}

/// Every client asks again as soon as it is answered, for so many seconds. Holds a second.
#[allow(clippy::float_arithmetic, reason = "a rate")]
async fn load(clients: &mut [Connection], asks: &[Ask], seconds: u64) -> Result<f64> {
    try_join_all(clients.iter_mut().map(Connection::open)).await?;
    let next = Cell::new(0usize);
    let held = Cell::new(0u64);
    let begun = Instant::now();
    let long = Duration::from_secs(seconds);
    try_join_all(clients.iter_mut().map(|client| {
        let (next, held) = (&next, &held);
        async move {
            while begun.elapsed() < long {
                let ask = &asks[next.get() % asks.len()];
                next.set(next.get() + 1);
                client.sign_as(&ask.token);
                let key = Uuid::new_v4().to_string();
                let reply = client
                    .send("POST", &ask.path, Some(&key), &ask.body)
                    .await?;
                ensure!(reply.status == 201, "{} {}", reply.status, reply.text());
                held.set(held.get() + 1);
            }
            anyhow::Ok(())
        }
    }))
    .await?;
    Ok(held.get() as f64 / begun.elapsed().as_secs_f64())
}

/// The same work by a bare function, called by pgbench.
struct Floor<'r> {
    rig: &'r Rig,
    script: std::path::PathBuf,
}

impl<'r> Floor<'r> {
    async fn prepare(rig: &'r Rig, hotels: usize) -> Result<Self> {
        psql(rig, include_str!("../sql/floor.sql"))?;
        // Hotels of its own: the log of the others stays what the server wrote.
        let mut lines = String::new();
        for nth in 0..hotels {
            let hotel = rig.hotel(spec(&format!("bare-{nth}"))).await?;
            let kind = *hotel.types.get("STD").context("the type")?;
            let plan = *hotel.rate_plans.get("BAR").context("the plan")?;
            let night = hotel.business_date + Days::new(7);
            lines.push_str(&format!(
                "({nth}, '{}', '{kind}', '{plan}', '{night}'::date),",
                hotel.id
            ));
        }
        let lines = lines.trim_end_matches(',');
        psql(
            rig,
            &format!(
                "CREATE TABLE bench_floor_hotel (nth integer PRIMARY KEY, hotel_id uuid, room_type_id uuid, rate_plan_id uuid, stay_date date);
                 INSERT INTO bench_floor_hotel SELECT nth, hotel::uuid, kind::uuid, plan::uuid, night FROM (VALUES {lines}) AS v (nth, hotel, kind, plan, night);
                 UPDATE room_night SET total = 100000000; ANALYZE;"
            ),
        )?;
        let script = rig.cluster.folder().join("floor.pgbench");
        std::fs::write(
            &script,
            format!(
                "\\set nth random(0, {})\nSELECT bench_floor_hold_v1(:nth);\n",
                hotels - 1
            ),
        )?;
        Ok(Self { rig, script })
    }

    /// Calls a second.
    fn run(&self, clients: u32, seconds: u64) -> Result<f64> {
        let script = self.script.display().to_string();
        let printed = self.rig.cluster.run(
            "pgbench",
            &[
                "--no-vacuum",
                "--protocol=prepared",
                &format!("--client={clients}"),
                "--jobs=1",
                &format!("--time={seconds}"),
                &format!("--file={script}"),
                self.rig.database(),
            ],
        )?;
        printed
            .lines()
            .find_map(|line| line.strip_prefix("tps = "))
            .and_then(|rest| rest.split(' ').next())
            .and_then(|tps| tps.parse().ok())
            .with_context(|| format!("pgbench printed no rate: {printed}"))
    }
}
