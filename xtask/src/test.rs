//! `cargo xtask test`: everything that has to be green, from a fresh clone with nothing running.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::cargo::{self, cargo};
use crate::check::{self, with_database};
use crate::codegen;
use crate::database::Database;
use crate::node::{self, Node};
use crate::packages::{self, Needs};
use crate::tally::{self, Report, Tally};
use crate::{place, process, say};

pub(crate) fn test(args: &[String]) -> Result<ExitCode> {
    let quick = match args {
        [] => false,
        [one] if one == "--quick" => true,
        _ => bail!("only --quick is understood"),
    };
    packages::ensure(Needs {
        database: true,
        window: true,
        virtual_display: !quick,
        node: true,
        browser: !quick,
    })?;
    let bed = Bed::start()?;
    let mut report = Report::default();
    report.part("formatting", check::formatting)?;
    report.part("types of the screens", || check::types(&bed.node))?;
    report.part("tests of the screens' code", || bed.vitest())?;
    // The parts below start these programs.
    report.part("programs", || {
        bed.programs(!quick)?;
        Ok(Tally::PASS)
    })?;
    report.part("generated TypeScript in step", || {
        let fresh = codegen::fresh_dir("ts")?;
        codegen::write_typescript(&fresh)?;
        codegen::compare(&fresh, &place::root().join("ui/src/generated"))?;
        Ok(Tally::PASS)
    })?;
    report.part("description of the API in step", || {
        let fresh = place::scratch("generated")?.join("openapi.json");
        codegen::write_openapi(&fresh)?;
        codegen::compare(&fresh, &place::root().join("docs/openapi.json"))?;
        Ok(Tally::PASS)
    })?;
    report.part("SQL against the database", || {
        codegen::check_sql(&bed.url)?;
        Ok(Tally::PASS)
    })?;
    report.part("lints", || check::lints(Some(&bed.url)))?;
    let tests = if quick {
        "tests"
    } else {
        "tests, the real window among them"
    };
    report.part(tests, || bed.cargo_tests(!quick))?;
    if !quick {
        report.part("examples in the documentation", || bed.doc_tests())?;
        report.part("screens in a browser", || bed.flows())?;
    }
    drop(bed);
    Ok(if report.close() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What tests stand on: a database, Node.
pub(crate) struct Bed {
    database: Database,
    node: Node,
    /// A database with all migrations, for building.
    url: String,
}

impl Bed {
    fn start() -> Result<Self> {
        let node = Node::ensure()?;
        say::line("starting a PostgreSQL for the tests");
        let database = Database::start()?;
        let url = database.migrated("build")?;
        Ok(Self {
            database,
            node,
            url,
        })
    }

    /// The same with everything built that the browser needs.
    pub(crate) fn prepare() -> Result<Self> {
        let bed = Self::start()?;
        say::line("building the server and the desk (minutes the first time)");
        bed.programs(false)?;
        Ok(bed)
    }

    /// Builds what the tests of the whole system start: the server, the desk, the screens, the window.
    fn programs(&self, window: bool) -> Result<()> {
        let logs = place::scratch("logs")?;
        let mut server = cargo();
        server.args(["build", "--release", "-p", "sync-server"]);
        with_database(&mut server, Some(&self.url));
        process::must("cargo build", &mut server, &logs.join("build-server.log"))?;
        // The window takes the screens in while it is compiled.
        self.node.screens()?;
        let mut all = cargo();
        all.args([
            "build",
            "--workspace",
            "--bins",
            "--features",
            features(window),
        ]);
        with_database(&mut all, Some(&self.url));
        process::must("cargo build", &mut all, &logs.join("build.log"))
    }

    fn cargo_tests(&self, window: bool) -> Result<Tally> {
        let nextest = place::which("cargo-nextest").is_some();
        let mut command = cargo();
        if nextest {
            command.args(["nextest", "run", "--no-fail-fast", "--color", "never"]);
            command.args(["--status-level", "slow", "--final-status-level", "fail"]);
        } else {
            command.args(["test", "--no-fail-fast", "--lib", "--bins", "--tests"]);
        }
        command.args(["--workspace", "--features", features(window)]);
        self.environment(&mut command);
        let log = place::scratch("logs")?.join("tests.log");
        let status = process::run("cargo test", &mut command, &log)?;
        let output = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
        let tally = if nextest {
            tally::of_nextest(&output)
        } else {
            tally::of_libtest(&output)
        };
        judged(tally, status.success(), &log)
    }

    fn doc_tests(&self) -> Result<Tally> {
        let mut command = cargo();
        command.args([
            "test",
            "--doc",
            "-p",
            "protocol",
            "-p",
            "desk",
            "-p",
            "sync-server",
        ]);
        self.environment(&mut command);
        let log = place::scratch("logs")?.join("doc-tests.log");
        let status = process::run("cargo test", &mut command, &log)?;
        let output = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
        judged(tally::of_libtest(&output), status.success(), &log)
    }

    fn vitest(&self) -> Result<Tally> {
        let ui = node::ui();
        self.node.packages(&ui)?;
        let logs = place::scratch("logs")?;
        let report = logs.join("vitest.json");
        let _ = std::fs::remove_file(&report);
        let mut command = self.node.npm(&ui);
        command.args(["run", "test", "--", "--reporter=default", "--reporter=json"]);
        command.arg(format!("--outputFile.json={}", report.display()));
        let log = logs.join("vitest.log");
        let status = process::run("npm run test", &mut command, &log)?;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        judged(tally::of_vitest(&text), status.success(), &log)
    }

    fn flows(&self) -> Result<Tally> {
        let logs = place::scratch("logs")?;
        let report = logs.join("flows.json");
        let _ = std::fs::remove_file(&report);
        let mut command = self.playwright("flows")?;
        command.env("PLAYWRIGHT_JSON_OUTPUT_FILE", &report);
        let log = logs.join("flows.log");
        let status = process::run("playwright", &mut command, &log)?;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        judged(tally::of_playwright(&text), status.success(), &log)
    }

    /// Playwright over one project of `tests/screens`, with all that it needs to know.
    pub(crate) fn playwright(&self, project: &str) -> Result<Command> {
        let dir = screens();
        self.node.packages(&dir)?;
        let mut command = self.node.command("npm", &dir);
        command.args([
            "exec",
            "--no",
            "--",
            "playwright",
            "test",
            "--project",
            project,
        ]);
        self.environment(&mut command);
        // A hotel of its own for each run.
        command.env("NIGHTDESK_SCREENS_DATABASE", self.database.empty(project)?);
        command.env("NIGHTDESK_SCRATCH", place::scratch(project)?);
        Ok(command)
    }

    /// Where tests find the database and the programs.
    fn environment(&self, command: &mut Command) {
        command.env("DATABASE_URL", self.database.url("postgres"));
        command.env("NIGHTDESK_BIN_DIR", place::target().join("debug"));
        // It makes a whole hotel before a screen is tested.
        command.env(
            "NIGHTDESK_SYNC_SERVER",
            place::program("release", "sync-server"),
        );
        command.env("NIGHTDESK_UI", node::ui().join("dist"));
        command.env("TZ", "UTC");
        if !cargo::has_offline_sql() {
            // Building asks this one, so it must have the tables.
            command.env("DATABASE_URL", &self.url);
        }
    }
}

/// The same features for every build of the run: libraries are compiled again for each other set.
fn features(window: bool) -> &'static str {
    if window {
        "desk/ts,nightdesk/custom-protocol,system-tests/window"
    } else {
        "desk/ts,nightdesk/custom-protocol"
    }
}

/// The folder of the flows in a browser.
fn screens() -> PathBuf {
    place::root().join("tests/screens")
}

/// A count that agrees with the exit status; the log where something failed.
fn judged(tally: Option<Tally>, success: bool, log: &std::path::Path) -> Result<Tally> {
    let tail = || process::tail(log, 400);
    match tally {
        Some(tally) if success && tally.failed == 0 => Ok(tally),
        Some(tally) => {
            say::plain(&tail());
            // It may fail without naming a test: then the run itself is what failed.
            Ok(Tally {
                failed: tally.failed.max(1),
                ..tally
            })
        }
        None => bail!("{}\nit did not say what passed: {}", tail(), log.display()),
    }
}
