//! `cargo xtask check`: formatting, lints and types; what an editor would mark.

use std::process::ExitCode;

use anyhow::Result;

use crate::cargo::cargo;
use crate::node::{self, Node};
use crate::packages::{self, Needs};
use crate::tally::{Report, Tally};
use crate::{no_arguments, place, process};

pub(crate) fn check(args: &[String]) -> Result<ExitCode> {
    no_arguments(args)?;
    packages::ensure(Needs {
        window: true,
        node: true,
        ..Needs::default()
    })?;
    let node = Node::ensure()?;
    let mut report = Report::default();
    report.part("formatting", formatting)?;
    report.part("lints", || lints(None))?;
    report.part("types of the screens", || types(&node))?;
    Ok(if report.close() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Rust's formatting.
pub(crate) fn formatting() -> Result<Tally> {
    let log = place::scratch("logs")?.join("fmt.log");
    process::must("cargo fmt", cargo().args(["fmt", "--all", "--check"]), &log)?;
    Ok(Tally::PASS)
}

/// Clippy over everything, warnings as errors.
pub(crate) fn lints(database: Option<&str>) -> Result<Tally> {
    let log = place::scratch("logs")?.join("clippy.log");
    let mut command = cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--features"]);
    command.args(["desk/ts,system-tests/window", "--", "-D", "warnings"]);
    with_database(&mut command, database);
    process::must("cargo clippy", &mut command, &log)?;
    Ok(Tally::PASS)
}

/// TypeScript's types.
pub(crate) fn types(node: &Node) -> Result<Tally> {
    let ui = node::ui();
    node.packages(&ui)?;
    let log = place::scratch("logs")?.join("tsc.log");
    process::must("npm run check", node.npm(&ui).args(["run", "check"]), &log)?;
    Ok(Tally::PASS)
}

/// Names the database for building, where the SQL's offline files are not there yet.
pub(crate) fn with_database(command: &mut std::process::Command, url: Option<&str>) {
    if let Some(url) = url {
        command.env("DATABASE_URL", url);
    }
}
