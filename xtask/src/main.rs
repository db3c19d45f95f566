//! `cargo xtask`: everything that is done to this workspace, in a program instead of scripts.
//!
//! One file per subcommand. The rest is what they share: children that never outlive us, system packages,
//! Node, a database for tests.

mod bench;
mod cargo;
mod check;
mod codegen;
mod database;
mod node;
mod packages;
mod place;
mod process;
mod run;
mod say;
mod shots;
mod stamp;
mod tally;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask run [--no-window] [--data DIR] [--port N]   set up what is missing, build, open the front desk
cargo xtask test [--quick]    all checks and tests; --quick leaves out browser and window
cargo xtask check             formatting, lints and types only
cargo xtask codegen           write everything that is generated and committed
cargo xtask bench NAME [...]  measure: last-room, hot-night, spread, replay, first-sync, see-it
cargo xtask shots             pictures of every screen, into target/shots";

fn main() -> ExitCode {
    say::start();
    process::install();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = dispatch(&args);
    process::sweep();
    match result {
        Ok(code) => code,
        // Not a failure of ours: somebody pressed Ctrl-C. 130 is what shells say for it.
        Err(_) if process::stopping() => ExitCode::from(130),
        Err(error) => {
            say::line(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<ExitCode> {
    // What is measured with has a help of its own.
    let bench = args.first().is_some_and(|name| name == "bench");
    if !bench && args.iter().any(|arg| arg == "--help" || arg == "-h") {
        say::plain(USAGE);
        return Ok(ExitCode::SUCCESS);
    }
    let Some((name, rest)) = args.split_first() else {
        bail!("say what to do:\n{USAGE}");
    };
    match name.as_str() {
        "run" => run::run(rest),
        "test" => test::test(rest),
        "check" => check::check(rest),
        "codegen" => codegen::codegen(rest),
        "bench" => bench::bench(rest),
        "shots" => shots::shots(rest),
        "help" => {
            say::plain(USAGE);
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("there is no `cargo xtask {other}`:\n{USAGE}"),
    }
}

/// Refuses arguments where a command takes none.
pub(crate) fn no_arguments(args: &[String]) -> Result<()> {
    match args.first() {
        None => Ok(()),
        Some(arg) => bail!("{arg} is not understood:\n{USAGE}"),
    }
}
