//! A PostgreSQL for the length of a test run: in a folder of its own, on a socket of its own, without
//! fsync, gone afterwards.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::{packages, place, process};

/// The server. Dropping it stops it and removes its folder.
pub(crate) struct Database {
    // Declared first: stopped before the folder goes.
    _server: process::Running,
    dir: Folder,
    bin: PathBuf,
    user: Option<(u32, u32)>,
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Database {
    /// Makes and starts one.
    ///
    /// # Errors
    /// A sentence with what to do, where PostgreSQL is missing or does not start.
    pub(crate) fn start() -> Result<Self> {
        let Some(bin) = packages::postgres_bin() else {
            bail!("there is no PostgreSQL on this machine: install the package postgresql");
        };
        let user = if place::is_root() {
            // It refuses to run as root.
            Some(user_named("postgres").context(
                "PostgreSQL must not run as root and there is no user postgres: install the package \
                 postgresql, or run this as an ordinary user",
            )?)
        } else {
            None
        };
        // A socket's path may have 107 bytes only, so not below the clone.
        let dir = Folder(PathBuf::from(format!(
            "/tmp/nightdesk-test-{}",
            std::process::id()
        )));
        let _ = std::fs::remove_dir_all(&dir.0);
        std::fs::create_dir(&dir.0).context("cannot write to /tmp")?;
        if let Some((uid, gid)) = user {
            chown(&dir.0, Some(uid), Some(gid))?;
        }
        let logs = place::scratch("logs")?;
        let data = dir.0.join("data");
        let mut init = as_user(&bin.join("initdb"), user, &dir.0);
        init.arg("-D").arg(&data);
        init.args([
            "-U",
            "app",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]);
        init.arg("--no-instructions");
        process::must("initdb", &mut init, &logs.join("initdb.log"))?;
        let mut serve = as_user(&bin.join("postgres"), user, &dir.0);
        serve.arg("-D").arg(&data).arg("-k").arg(&dir.0);
        for setting in [
            "listen_addresses=",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "max_connections=300",
        ] {
            serve.args(["-c", setting]);
        }
        let log = logs.join("postgres.log");
        // SIGQUIT: at once. Nothing here is worth a checkpoint.
        let mut server =
            process::Running::spawn("PostgreSQL", &mut serve, &log)?.stopped_by(libc::SIGQUIT);
        let ready = || {
            let mut ask = Command::new(bin.join("pg_isready"));
            ask.arg("-q")
                .arg("-h")
                .arg(&dir.0)
                .args(["-U", "app", "-d", "postgres"]);
            process::ask(&mut ask).is_some()
        };
        server.wait_until(Duration::from_secs(30), |_| ready())?;
        Ok(Self {
            _server: server,
            dir,
            bin,
            user,
        })
    }

    /// The address of one of its databases.
    pub(crate) fn url(&self, name: &str) -> String {
        let dir = self.dir.0.display().to_string().replace('/', "%2F");
        format!("postgres://app@{dir}/{name}")
    }

    /// Makes an empty database and gives its address.
    ///
    /// # Errors
    /// There is one of that name.
    pub(crate) fn empty(&self, name: &str) -> Result<String> {
        let logs = place::scratch("logs")?;
        self.psql(
            "postgres",
            &["-c", &format!("CREATE DATABASE {name}")],
            &logs,
        )?;
        Ok(self.url(name))
    }

    /// Makes a database with all migrations applied, as the SQL check and the first build need it.
    ///
    /// # Errors
    /// A migration fails; the error names it.
    pub(crate) fn migrated(&self, name: &str) -> Result<String> {
        let url = self.empty(name)?;
        let logs = place::scratch("logs")?;
        let folder = place::root().join("migrations/server");
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .with_context(|| format!("{} is missing", folder.display()))?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "sql"))
            .collect();
        files.sort();
        for file in files {
            // psql's own process may not read the clone; it gets the text instead.
            let text = std::fs::read_to_string(&file)?;
            self.psql(name, &["-c", &text], &logs)
                .with_context(|| file.display().to_string())?;
        }
        Ok(url)
    }

    fn psql(&self, database: &str, args: &[&str], logs: &Path) -> Result<()> {
        let mut command = as_user(&self.bin.join("psql"), self.user, &self.dir.0);
        command.args([
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            "app",
            "-d",
            database,
            "-h",
        ]);
        command.arg(&self.dir.0).args(args);
        process::must("psql", &mut command, &logs.join("psql.log"))
    }
}

fn as_user(program: &Path, user: Option<(u32, u32)>, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir).env("LC_ALL", "C.UTF-8");
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command
}

/// User and group id.
fn user_named(name: &str) -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users
        .lines()
        .find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
