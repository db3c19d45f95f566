//! `cargo xtask bench NAME`: builds in release mode and hands over to the bench program, which brings up
//! its own servers.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::packages::{self, Needs};
use crate::{cargo, place, process, say};

pub(crate) fn bench(args: &[String]) -> Result<ExitCode> {
    if args.is_empty() {
        bail!("say which bench: last-room, hot-night, spread, replay, first-sync or see-it");
    }
    packages::ensure(Needs {
        database: true,
        ..Needs::default()
    })?;
    // With --json the last line is for programs, but whoever waits wants to know why.
    say::line("building in release mode (some minutes the first time)");
    cargo::build(
        "build-bench",
        &["--release", "-p", "bench", "-p", "sync-server"],
    )?;
    let mut command = Command::new(place::program("release", "nightdesk-bench"));
    command.args(args);
    let status = process::pass_through(&mut command)?;
    Ok(ExitCode::from(
        u8::try_from(status.code().unwrap_or(1)).unwrap_or(1),
    ))
}
