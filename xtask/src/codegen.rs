//! `cargo xtask codegen`: writes what is generated and committed. The test command writes the same into
//! its own folder and compares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::cargo::{self, cargo};
use crate::database::Database;
use crate::packages::{self, Needs};
use crate::{no_arguments, place, process, say};

pub(crate) fn codegen(args: &[String]) -> Result<ExitCode> {
    no_arguments(args)?;
    packages::ensure(Needs {
        database: true,
        ..Needs::default()
    })?;
    let database = Database::start()?;
    let url = database.migrated("build")?;
    let root = place::root();
    say::line("the SQL's offline files, .sqlx");
    let fresh = fresh_dir("sql")?;
    write_sql(&fresh, &url)?;
    replace_dir(&fresh, &root.join(".sqlx"))?;
    say::line("building what writes the others");
    cargo::build(
        "build-codegen",
        &["-p", "desk", "-p", "sync-server", "--features", "desk/ts"],
    )?;
    say::line("the desk's contract, ui/src/generated");
    write_typescript(&root.join("ui/src/generated"))?;
    say::line("the description of the API, docs/openapi.json");
    write_openapi(&root.join("docs/openapi.json"))?;
    say::line("done; `git status` shows what changed");
    Ok(ExitCode::SUCCESS)
}

/// Writes the TypeScript of the desk's contract, with the built program.
pub(crate) fn write_typescript(dir: &Path) -> Result<()> {
    let log = place::scratch("logs")?.join("codegen-ts.log");
    let mut command = std::process::Command::new(place::program("debug", "desk-codegen"));
    process::must("desk-codegen", command.arg(dir), &log)
}

/// Writes the description of the API, with the built program.
pub(crate) fn write_openapi(file: &Path) -> Result<()> {
    let mut command = std::process::Command::new(place::program("debug", "sync-server"));
    let output = command
        .arg("openapi")
        .output()
        .context("cannot start sync-server")?;
    if !output.status.success() {
        bail!(
            "sync-server openapi failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    std::fs::write(file, output.stdout).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes what the SQL in the sources says against a real database: the compiler asks it for every
/// statement.
pub(crate) fn write_sql(dir: &Path, url: &str) -> Result<()> {
    let log = place::scratch("logs")?.join("codegen-sql.log");
    // The statements are asked only when the crate is compiled: make it look changed.
    touch(&place::root().join("sync-server/src/lib.rs"))?;
    let mut command = cargo();
    // The whole workspace, so that the lints find its libraries checked.
    command.args(["check", "--workspace", "--all-targets", "--features"]);
    command.arg("desk/ts,system-tests/window");
    command
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", dir)
        .env("DATABASE_URL", url);
    process::must("cargo check against the database", &mut command, &log)
}

fn touch(file: &Path) -> Result<()> {
    let text = std::fs::read(file)?;
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// An empty folder for generated files.
pub(crate) fn fresh_dir(name: &str) -> Result<PathBuf> {
    let dir = place::scratch("generated")?.join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn replace_dir(from: &Path, to: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to)?;
    for name in names(from)? {
        std::fs::copy(from.join(&name), to.join(&name))?;
    }
    Ok(())
}

/// Compares two folders, or two files; says which differ.
///
/// # Errors
/// They differ.
pub(crate) fn compare(fresh: &Path, committed: &Path) -> Result<()> {
    let mut different = Vec::new();
    if fresh.is_dir() {
        let all: BTreeSet<String> = names(fresh)?
            .into_iter()
            .chain(names(committed).unwrap_or_default())
            .collect();
        different.extend(
            all.into_iter()
                .filter(|name| !same(&fresh.join(name), &committed.join(name))),
        );
    } else if !same(fresh, committed) {
        different.push(committed.display().to_string());
    }
    if different.is_empty() {
        return Ok(());
    }
    bail!(
        "{} is not what the sources give: run `cargo xtask codegen` and commit. Different: {}",
        committed
            .strip_prefix(place::root())
            .unwrap_or(committed)
            .display(),
        different.join(", ")
    )
}

fn same(one: &Path, other: &Path) -> bool {
    match (std::fs::read(one), std::fs::read(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn names(dir: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("{} is missing", dir.display()))?;
    Ok(entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect())
}

/// The SQL check: asks the database about every statement and compares with what is committed. Remembers
/// the sources it has seen, so that it costs nothing while they are the same.
pub(crate) fn check_sql(url: &str) -> Result<()> {
    if !cargo::has_offline_sql() {
        bail!(".sqlx is missing: run `cargo xtask codegen` and commit");
    }
    let root = place::root();
    let read = [
        "sync-server/src",
        "sync-server/tests",
        "migrations/server",
        ".sqlx",
        "Cargo.lock",
    ];
    let digest = crate::stamp::digest(&read.map(|name| root.join(name)), "")?;
    let done = place::scratch("stamps")?.join("sql");
    if crate::stamp::done(&done, &digest) {
        return Ok(());
    }
    let fresh = fresh_dir("sql")?;
    write_sql(&fresh, url)?;
    compare(&fresh, &root.join(".sqlx"))?;
    crate::stamp::set(&done, &digest)
}
