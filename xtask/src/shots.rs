//! `cargo xtask shots`: pictures of every screen, in two sizes, light and dark.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::packages::{self, Needs};
use crate::{no_arguments, place, process, say, test};

pub(crate) fn shots(args: &[String]) -> Result<ExitCode> {
    no_arguments(args)?;
    packages::ensure(Needs {
        database: true,
        node: true,
        browser: true,
        ..Needs::default()
    })?;
    let bed = test::Bed::prepare()?;
    let dir = place::target().join("shots");
    let _ = std::fs::remove_dir_all(&dir);
    say::line("taking pictures (about a minute)");
    let log = place::scratch("logs")?.join("shots.log");
    let mut command = bed.playwright("shots")?;
    command.env("NIGHTDESK_SHOTS", &dir);
    process::must("playwright", &mut command, &log)?;
    let count = std::fs::read_dir(&dir).map_or(0, Iterator::count);
    if count == 0 {
        bail!("no picture was taken: see {}", log.display());
    }
    say::line(&format!("{count} pictures in {}", dir.display()));
    Ok(ExitCode::SUCCESS)
}
