//! A private PostgreSQL for one bench: on a socket only, durable as in a hotel.

use std::ffi::CString;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::process::Process;

const USER: &str = "nightdesk";
/// How long the database may take to come up.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A running cluster; ended and removed when dropped.
#[derive(Debug)]
pub struct Cluster {
    // Before the folder, so that nobody writes into it while it goes.
    server: Process,
    binaries: PathBuf,
    folder: TempDir,
    owner: Option<(u32, u32)>,
}

impl Cluster {
    /// Makes and starts one. `fsync`, `synchronous_commit` and `full_page_writes` stay on.
    pub fn start() -> Result<Self> {
        let binaries = binaries()?;
        let owner = owner()?;
        let folder = tempfile::Builder::new().prefix("nd-bench-").tempdir()?;
        // Whoever runs the database must reach its folder.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711))?;
        for part in ["data", "socket"] {
            let part = folder.path().join(part);
            std::fs::create_dir(&part)?;
            std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o700))?;
            if let Some((user, group)) = owner {
                chown(&part, Some(user), Some(group))?;
            }
        }
        let mut make = as_owner(&binaries.join("initdb"), owner, folder.path());
        let made = make
            .arg("-D")
            .arg(folder.path().join("data"))
            .args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"])
            .args(["--no-instructions"])
            .output()
            .context("initdb")?;
        ensure!(
            made.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&made.stderr)
        );
        let log = std::fs::File::create(folder.path().join("log"))?;
        let mut serve = as_owner(&binaries.join("postgres"), owner, folder.path());
        serve
            .arg("-D")
            .arg(folder.path().join("data"))
            .arg("-k")
            .arg(folder.path().join("socket"))
            .args(["-c", "listen_addresses="])
            .args(["-c", "fsync=on", "-c", "synchronous_commit=on"])
            .args(["-c", "full_page_writes=on", "-c", "max_connections=100"])
            .args(["-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB"])
            .stdout(log.try_clone()?)
            .stderr(log);
        let server = Process::start(&mut serve, libc::SIGINT)?;
        let mut cluster = Self {
            server,
            binaries,
            folder,
            owner,
        };
        cluster.wait()?;
        Ok(cluster)
    }

    fn wait(&mut self) -> Result<()> {
        let since = Instant::now();
        loop {
            let ready = Command::new(self.binaries.join("pg_isready"))
                .arg("-q")
                .arg("-h")
                .arg(self.socket())
                .args(["-U", USER])
                .status()?;
            if ready.success() {
                return Ok(());
            }
            if self.server.has_ended() || since.elapsed() > START_TIMEOUT {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("PostgreSQL does not start: {}", log.unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The folder of the socket, for programs that are given a host.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Where files of the bench may be put.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The user to connect as.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// A database that does not exist yet, and its address for `DATABASE_URL`.
    pub fn database(&self, name: &str) -> Result<String> {
        self.run("createdb", &[name])?;
        Ok(self.url(name))
    }

    /// The address of a database.
    pub fn url(&self, name: &str) -> String {
        let socket = self.socket().display().to_string().replace('/', "%2F");
        format!("postgres://{USER}@{socket}/{name}")
    }

    /// Runs one of PostgreSQL's programs against this cluster and returns what it printed.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let done = Command::new(self.binaries.join(program))
            .env("PGHOST", self.socket())
            .env("PGUSER", USER)
            .args(arguments)
            .output()
            .with_context(|| format!("cannot run {program}"))?;
        ensure!(
            done.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        Ok(String::from_utf8(done.stdout)?)
    }

    /// Kills every process of the database at once and starts it again.
    pub fn crash(&mut self) -> Result<()> {
        self.server.kill();
        // Backends notice that the postmaster is gone and leave; until then the data is locked.
        let log = std::fs::File::options()
            .append(true)
            .open(self.folder.path().join("log"))?;
        let mut serve = as_owner(
            &self.binaries.join("postgres"),
            self.owner,
            self.folder.path(),
        );
        serve
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .arg("-k")
            .arg(self.socket())
            .args(["-c", "listen_addresses=", "-c", "max_connections=100"])
            .stdout(log.try_clone()?)
            .stderr(log);
        let since = Instant::now();
        loop {
            self.server = Process::start(&mut serve, libc::SIGINT)?;
            match self.wait() {
                Ok(()) => return Ok(()),
                Err(_) if since.elapsed() < START_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn as_owner(program: &Path, owner: Option<(u32, u32)>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

/// PostgreSQL refuses to run as root; then it runs as the user of Debian's package.
fn owner() -> Result<Option<(u32, u32)>> {
    // SAFETY: reads a number.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(None);
    }
    for name in ["postgres", "nobody"] {
        let name = CString::new(name)?;
        // SAFETY: the name ends with NUL; the answer points to static storage and is read before any
        // other call of its family.
        let found = unsafe { libc::getpwnam(name.as_ptr()).as_ref() };
        if let Some(found) = found {
            return Ok(Some((found.pw_uid, found.pw_gid)));
        }
    }
    bail!("no user to run PostgreSQL as: it refuses to run as root")
}

/// The newest PostgreSQL of the machine, by Debian's places, then by `PATH`.
fn binaries() -> Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let folder = entry.path().join("bin");
            folder
                .join("postgres")
                .exists()
                .then_some((version, folder))
        });
    if let Some((_, folder)) = versions.max() {
        return Ok(folder);
    }
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .find(|folder| folder.join("postgres").exists() && folder.join("initdb").exists())
        .context("no PostgreSQL on this machine: install it with `apt-get install postgresql`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_durable_and_leaves_nothing_behind() {
        let cluster = Cluster::start().unwrap();
        let pid = cluster.server.id();
        let folder = cluster.folder().to_owned();
        cluster.database("x").unwrap();
        let ask = |setting: &str| {
            let sql = format!("SHOW {setting}");
            cluster
                .run("psql", &["-XAtq", "-d", "x", "-c", &sql])
                .unwrap()
        };
        for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
            assert_eq!(ask(setting).trim(), "on", "{setting}");
        }
        assert_eq!(ask("listen_addresses").trim(), "");
        drop(cluster);
        assert!(!folder.exists());
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }
}
