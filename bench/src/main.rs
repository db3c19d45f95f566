//! `nightdesk-bench NAME [--json]`: measures, and says when something falls short.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use bench::replay::run::Options as ReplayOptions;
use bench::replay::script::{Shape, parse_rooms};
use bench::report::{Report, say};
use bench::{apply, first_sync, last_room, replay, see_it, throughput};
use clap::{Parser, Subcommand};

/// Measures against its own servers over its own PostgreSQL, and ends everything that it started.
#[derive(Parser)]
#[command(name = "nightdesk-bench", version)]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
    /// The last line is one JSON object.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Bench {
    /// Many clients over several servers want the last room: exactly one gets it.
    LastRoom {
        /// How many want it.
        #[arg(long, default_value_t = 200)]
        clients: usize,
        /// Over how many servers.
        #[arg(long, default_value_t = 2)]
        servers: usize,
        /// Rooms to be fought for, one after the other.
        #[arg(long, default_value_t = 1)]
        rounds: usize,
    },
    /// Holds a second on one type and night.
    HotNight {
        /// Seconds of one measurement.
        #[arg(long, default_value_t = 6)]
        seconds: u64,
    },
    /// A real hotel's operations, day by day, through the API as a desk would.
    Replay {
        /// The operations: CSV, gzip or plain.
        #[arg(long)]
        events: PathBuf,
        /// What each night came to.
        #[arg(long)]
        expected: Option<PathBuf>,
        /// Rooms of each type: `A=146,B=15`.
        #[arg(long)]
        rooms: String,
        /// Rooms of the house.
        #[arg(long)]
        house: i32,
        /// Percent by which the house may be oversold.
        #[arg(long, default_value_t = 0)]
        house_overbook: i32,
        /// Percent by which each type may be oversold.
        #[arg(long, default_value_t = 0)]
        type_overbook: i32,
        /// Only the first so many operations.
        #[arg(long)]
        limit: Option<usize>,
    },
    /// The first copy of a large hotel, against the sqlite3 shell.
    FirstSync,
    /// Events a second into a copy.
    Apply,
    /// From one desk's confirm to another desk's screen.
    SeeIt,
    /// Holds a second over 200 hotels.
    Spread {
        /// Seconds of one measurement.
        #[arg(long, default_value_t = 6)]
        seconds: u64,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread: the client must cost little, and children end with the thread that started them.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(until_stopped(arguments.bench)),
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(report) => {
            report.print(arguments.json);
            if report.passed() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            say(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Dropping the bench ends its servers, so a stop ends them too.
async fn until_stopped(bench: Bench) -> Result<Report> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        report = run(bench) => report,
        _ = tokio::signal::ctrl_c() => bail!("stopped"),
        _ = terminate.recv() => bail!("stopped"),
    }
}

async fn run(bench: Bench) -> Result<Report> {
    match bench {
        Bench::LastRoom {
            clients,
            servers,
            rounds,
        } => {
            last_room::run(last_room::Options {
                clients,
                servers,
                rounds,
            })
            .await
        }
        Bench::HotNight { seconds } => {
            let options = throughput::Options {
                seconds,
                ..throughput::Options::HOT_NIGHT
            };
            throughput::run("hot-night", options).await
        }
        Bench::Replay {
            events,
            expected,
            rooms,
            house,
            house_overbook,
            type_overbook,
            limit,
        } => {
            let shape = Shape {
                rooms: parse_rooms(&rooms)?,
                house,
                house_overbook,
                type_overbook,
            };
            replay::run::run(&ReplayOptions {
                events,
                expected,
                shape,
                limit,
            })
            .await
        }
        Bench::FirstSync => first_sync::run().await,
        Bench::Apply => apply::run().await,
        Bench::SeeIt => see_it::run().await,
        Bench::Spread { seconds } => {
            let options = throughput::Options {
                seconds,
                ..throughput::Options::SPREAD
            };
            throughput::run("spread", options).await
        }
    }
}
