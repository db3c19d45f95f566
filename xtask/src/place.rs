//! Where things are: the clone, the build folder, the data folder.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The root of the clone that is worked on. Asked of the cargo that runs us: with one build folder for
/// several clones this program may have been built from another of them.
pub(crate) fn root() -> PathBuf {
    let built_from = || PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(built_from, PathBuf::from);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// Cargo's build folder.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) if Path::new(&dir).is_absolute() => PathBuf::from(dir),
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A program of this workspace, built in the profile named by its folder (`debug`, `release`).
pub(crate) fn program(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(name)
}

/// Logs of steps and stamps of what was done; made when missing.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let dir = target().join("xtask").join(name);
    std::fs::create_dir_all(&dir).with_context(|| {
        format!(
            "cannot write {}: give another folder with CARGO_TARGET_DIR",
            dir.display()
        )
    })?;
    Ok(dir)
}

/// Whether we run as root: apt needs no sudo then, and PostgreSQL must run as somebody else.
pub(crate) fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// The data folder: `wanted`, else `$NIGHTDESK_DATA`, else the server's own default. Made when missing,
/// and tried by writing, so that what is wrong is said before anything is built.
pub(crate) fn data(wanted: Option<&Path>) -> Result<PathBuf> {
    let dir = match wanted {
        Some(dir) => dir.to_path_buf(),
        None => default_data()?,
    };
    let dir = if dir.is_absolute() {
        dir
    } else {
        std::env::current_dir()?.join(dir)
    };
    let trial = dir.join(".trial");
    let written = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&trial, b""));
    if let Err(why) = written {
        bail!(
            "the data folder {} cannot be written ({why}): give another with --data DIR, or make it \
             writable",
            dir.display()
        );
    }
    let _ = std::fs::remove_file(trial);
    Ok(dir)
}

fn default_data() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("NIGHTDESK_DATA") {
        return Ok(PathBuf::from(dir));
    }
    if is_root() {
        return Ok(PathBuf::from("/var/lib/nightdesk"));
    }
    if let Some(dir) = std::env::var_os("XDG_DATA_HOME") {
        return Ok(PathBuf::from(dir).join("nightdesk"));
    }
    match std::env::var_os("HOME") {
        Some(home) => Ok(PathBuf::from(home).join(".local/share/nightdesk")),
        None => bail!(
            "there is no home folder (HOME is not set): say where to keep data with --data DIR"
        ),
    }
}

/// The first program of that name on the PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}
