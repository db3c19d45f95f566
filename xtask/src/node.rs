//! Node, npm's packages and the built screens.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{place, process, say, stamp};

/// The oldest Node that the screens' builder takes.
const OLDEST: (u32, u32) = (20, 19);

/// A Node that is new enough, and its npm.
pub(crate) struct Node {
    /// Folder to put in front of the PATH, where the system's own Node is too old.
    own: Option<PathBuf>,
}

impl Node {
    /// Finds Node. Debian 12 has 18, which is too old: then a newer one is installed from the npm registry
    /// into the build folder, where it disturbs nobody.
    ///
    /// # Errors
    /// There is none, or none can be installed.
    pub(crate) fn ensure() -> Result<Self> {
        let system = Self { own: None };
        if system.version().is_some_and(|version| version >= OLDEST) {
            return Ok(system);
        }
        let dir = place::scratch("node")?;
        let own = Self {
            own: Some(dir.join("node_modules/.bin")),
        };
        if own.version().is_some_and(|version| version >= OLDEST) {
            return Ok(own);
        }
        let architecture = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => bail!(
                "Node {}.{} or newer is needed; install it for {other} by hand",
                OLDEST.0,
                OLDEST.1
            ),
        };
        say::line("this system's Node is too old; bringing Node 22 from the npm registry (10 s)");
        let mut command = system.npm(&dir);
        command
            .args([
                "install",
                "--no-save",
                "--no-audit",
                "--no-fund",
                "--prefix",
            ])
            .arg(&dir);
        command.args([&format!("node-linux-{architecture}@22"), "npm@11"]);
        process::must(
            "npm install node",
            &mut command,
            &place::scratch("logs")?.join("node.log"),
        )?;
        if own.version().is_none_or(|version| version < OLDEST) {
            bail!(
                "the Node that npm brought does not start; install Node {}.{} by hand",
                OLDEST.0,
                OLDEST.1
            );
        }
        Ok(own)
    }

    fn version(&self) -> Option<(u32, u32)> {
        let text = process::ask(self.command("node", &place::root()).arg("--version"))?;
        let mut parts = text
            .trim_start_matches('v')
            .split('.')
            .map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    }

    /// A command of Node's world, in a folder.
    pub(crate) fn command(&self, program: &str, dir: &Path) -> Command {
        let mut command = match &self.own {
            Some(own) => Command::new(own.join(program)),
            None => Command::new(program),
        };
        if let Some(own) = &self.own {
            // npm's scripts look for node themselves.
            let path = std::env::var_os("PATH").unwrap_or_default();
            let all = std::iter::once(own.clone()).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(all).unwrap_or(path.clone()));
        }
        command.current_dir(dir);
        command
    }

    /// npm in a folder.
    pub(crate) fn npm(&self, dir: &Path) -> Command {
        self.command("npm", dir)
    }

    /// Installs the packages of a folder from its lockfile, when that changed since the last time.
    ///
    /// # Errors
    /// npm fails.
    pub(crate) fn packages(&self, dir: &Path) -> Result<()> {
        let version = format!("{:?}", self.version());
        let digest = stamp::digest(
            &[dir.join("package-lock.json"), dir.join("package.json")],
            &version,
        )?;
        let done = dir.join("node_modules/.nightdesk-packages");
        if stamp::done(&done, &digest) {
            return Ok(());
        }
        let name = name_of(dir);
        say::line(&format!(
            "npm packages of {name}, from its lockfile (15 s or so)"
        ));
        let mut command = self.npm(dir);
        command.args(["ci", "--no-audit", "--no-fund"]);
        let log = place::scratch("logs")?.join(format!("npm-{}.log", name.replace('/', "-")));
        process::must("npm ci", &mut command, &log)?;
        stamp::set(&done, &digest)
    }

    /// Builds the screens, when their sources changed since the last time. Gives the folder.
    ///
    /// # Errors
    /// The build fails.
    pub(crate) fn screens(&self) -> Result<PathBuf> {
        let ui = ui();
        let dist = ui.join("dist");
        let mut sources: Vec<PathBuf> = std::fs::read_dir(&ui)
            .with_context(|| format!("{} is missing", ui.display()))?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| !path.ends_with("node_modules") && !path.ends_with("dist"))
            .collect();
        sources.sort();
        let digest = stamp::digest(&sources, "")?;
        let done = ui.join("node_modules/.nightdesk-built");
        if stamp::done(&done, &digest) && dist.join("index.html").is_file() {
            return Ok(dist);
        }
        self.packages(&ui)?;
        say::line("building the screens (a few seconds)");
        let log = place::scratch("logs")?.join("ui-build.log");
        process::must("npm run build", self.npm(&ui).args(["run", "build"]), &log)?;
        stamp::set(&done, &digest)?;
        Ok(dist)
    }
}

/// The folder of the screens.
pub(crate) fn ui() -> PathBuf {
    place::root().join("ui")
}

fn name_of(dir: &Path) -> String {
    dir.strip_prefix(place::root())
        .unwrap_or(dir)
        .display()
        .to_string()
}
