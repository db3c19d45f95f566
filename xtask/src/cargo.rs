//! Cargo, called again for the parts of the workspace.

use std::process::Command;

use anyhow::Result;

use crate::{place, process};

/// Cargo in the root of the clone. With the SQL's offline files committed, no database is asked while
/// building; `SQL` that changed is the SQL check's business.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(place::root());
    // The variables that cargo sets for us would make it build differently for the same sources.
    for (key, _) in std::env::vars_os() {
        if key
            .to_str()
            .is_some_and(|key| key.starts_with("CARGO_PKG_") || key == "CARGO_MANIFEST_DIR")
        {
            command.env_remove(key);
        }
    }
    if has_offline_sql() {
        command.env("SQLX_OFFLINE", "true");
    }
    command
}

/// Whether the SQL's offline files are there.
pub(crate) fn has_offline_sql() -> bool {
    place::root().join(".sqlx").is_dir()
}

/// Builds, showing progress.
///
/// # Errors
/// The build fails; the error holds the compiler's last lines.
pub(crate) fn build(name: &str, args: &[&str]) -> Result<()> {
    let log = place::scratch("logs")?.join(format!("{name}.log"));
    process::must("cargo build", cargo().arg("build").args(args), &log)
}
