//! System packages: what is missing, why it is needed, and its installation by apt.

use std::process::Command;

use anyhow::{Result, bail};

use crate::{place, process, say};

/// A Debian package and how to see that what it brings is there, whoever installed it.
struct Package {
    name: &'static str,
    why: &'static str,
    present: fn() -> bool,
}

/// What a command needs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Needs {
    /// PostgreSQL for the server.
    pub(crate) database: bool,
    /// WebKitGTK for the window.
    pub(crate) window: bool,
    /// A display without a screen.
    pub(crate) virtual_display: bool,
    /// Node for the screens.
    pub(crate) node: bool,
    /// A browser and a driver for the window, for tests, and letters for names of every script.
    pub(crate) browser: bool,
}

const BUILD: &[Package] = &[
    Package {
        name: "build-essential",
        why: "a C compiler, for SQLCipher",
        present: || place::which("cc").is_some() && place::which("make").is_some(),
    },
    Package {
        name: "pkg-config",
        why: "finds system libraries while building",
        present: || place::which("pkg-config").is_some(),
    },
    Package {
        name: "libssl-dev",
        why: "encryption of the desk's copy",
        present: || library("libcrypto"),
    },
];
const DATABASE: &[Package] = &[Package {
    name: "postgresql",
    why: "the authority's database; the server runs a private one",
    present: || postgres_bin().is_some(),
}];
const WINDOW: &[Package] = &[Package {
    name: "libwebkit2gtk-4.1-dev",
    why: "the window",
    present: || library("webkit2gtk-4.1"),
}];
const VIRTUAL_DISPLAY: &[Package] = &[
    Package {
        name: "xvfb",
        why: "a display for the window where there is none",
        present: || place::which("Xvfb").is_some(),
    },
    Package {
        name: "fonts-dejavu-core",
        why: "letters",
        present: has_fonts,
    },
];
const NODE: &[Package] = &[
    Package {
        name: "nodejs",
        why: "builds the screens",
        present: || place::which("node").is_some(),
    },
    Package {
        name: "npm",
        why: "brings the packages of the screens",
        present: || place::which("npm").is_some(),
    },
];
const BROWSER: &[Package] = &[
    Package {
        name: "chromium",
        why: "tests the screens in a browser",
        present: || place::which("chromium").is_some(),
    },
    Package {
        name: "webkit2gtk-driver",
        why: "tests the screens in the real window",
        present: || place::which("WebKitWebDriver").is_some(),
    },
    Package {
        name: "dbus",
        why: "a session for the keyring of that test",
        present: || place::which("dbus-run-session").is_some(),
    },
    Package {
        name: "gnome-keyring",
        why: "tests that the window keeps secrets in a keyring",
        present: || place::which("gnome-keyring-daemon").is_some(),
    },
    Package {
        name: "fonts-noto-core",
        why: "letters for guests' names of many scripts",
        present: || installed("fonts-noto-core"),
    },
    Package {
        name: "fonts-noto-cjk",
        why: "letters for Chinese, Japanese and Korean names",
        present: || installed("fonts-noto-cjk"),
    },
];

/// Installs what is missing, after saying what and why. Costs some milliseconds when nothing is.
///
/// # Errors
/// A sentence with what to do, where apt or sudo is missing or apt fails.
pub(crate) fn ensure(needs: Needs) -> Result<()> {
    let mut groups = vec![BUILD];
    let wanted = [
        (needs.database, DATABASE),
        (needs.window, WINDOW),
        (needs.virtual_display, VIRTUAL_DISPLAY),
        (needs.node, NODE),
        (needs.browser, BROWSER),
    ];
    groups.extend(
        wanted
            .into_iter()
            .filter(|(yes, _)| *yes)
            .map(|(_, group)| group),
    );
    let missing: Vec<&Package> = groups
        .into_iter()
        .flatten()
        .filter(|package| !(package.present)())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    say::line("this machine lacks some system packages:");
    for package in &missing {
        say::more(&format!("{:<22} {}", package.name, package.why));
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    install(&names)?;
    if let Some(package) = missing.iter().find(|package| !(package.present)()) {
        bail!(
            "{} was installed, but what it brings was not found: see apt's output",
            package.name
        );
    }
    Ok(())
}

fn install(names: &[&str]) -> Result<()> {
    let all = names.join(" ");
    if place::which("apt-get").is_none() {
        bail!(
            "this system has no apt-get: install what Debian calls {all} by your system's own means, \
             then run this again"
        );
    }
    if !place::is_root() && place::which("sudo").is_none() {
        bail!(
            "installing needs root and there is no sudo: run `apt-get install {all}` as root, then run \
             this again"
        );
    }
    say::line(&format!(
        "installing them with {}apt-get (a minute or two)",
        if place::is_root() { "" } else { "sudo " }
    ));
    // A stale list of packages is no reason to fail: what it names may still be there.
    let _ = apt(&["update", "-q"])?;
    let mut args = vec!["install", "-y", "-q", "--no-install-recommends"];
    args.extend(names);
    if !apt(&args)? {
        bail!("apt-get could not install {all}: its last lines above say why");
    }
    Ok(())
}

/// Runs apt in our own group and on our own terminal, since sudo may ask for a password there.
fn apt(args: &[&str]) -> Result<bool> {
    process::check_stop()?;
    let mut command = if place::is_root() {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    } else {
        let mut command = Command::new("sudo");
        command.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    };
    Ok(command.args(args).status()?.success())
}

fn library(name: &str) -> bool {
    process::ask(Command::new("pkg-config").args(["--exists", name])).is_some()
}

fn installed(package: &str) -> bool {
    if place::which("dpkg-query").is_none() {
        // Elsewhere than on Debian nobody can say; a missing letter is no reason to stop.
        return true;
    }
    let status =
        process::ask(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Abbrev}", package]));
    status.is_some_and(|status| status.starts_with("ii"))
}

fn has_fonts() -> bool {
    std::path::Path::new("/usr/share/fonts/truetype").is_dir() || installed("fonts-dejavu-core")
}

/// The folder of the newest PostgreSQL's own programs.
pub(crate) fn postgres_bin() -> Option<std::path::PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let newest = versions
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse::<u32>().ok()?;
            let bin = entry.path().join("bin");
            bin.join("initdb").is_file().then_some((version, bin))
        })
        .max();
    match newest {
        Some((_, bin)) => Some(bin),
        None => place::which("initdb").and_then(|file| Some(file.parent()?.to_path_buf())),
    }
}
