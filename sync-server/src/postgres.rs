//! A private PostgreSQL in the data folder, from the binaries of the machine: on a socket only, in a
//! process of its own that ends with this one.
//!
//! Several programs may use one data folder at a time. The first starts the cluster, the others find
//! it running; when the one that started it ends, another takes over.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};
use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// The role and the database inside.
const NAME: &str = "nightdesk";
/// The longest address of a socket is 107 bytes, of which the file's own name takes some 15.
const SOCKET_DIR_BYTES_MAX: usize = 90;
/// How long a clean stop may take before PostgreSQL is told to drop everything.
const STOP_WITHIN: Duration = Duration::from_secs(20);
/// How long a start may take: after a crash the log is read again first.
const START_WITHIN: Duration = Duration::from_secs(300);

/// A running private PostgreSQL. Stopped by [`PrivateCluster::stop`], or with this program.
#[derive(Debug)]
pub struct PrivateCluster {
    options: PgConnectOptions,
    stopping: Arc<AtomicBool>,
    supervisor: Option<JoinHandle<()>>,
}

impl PrivateCluster {
    /// Starts the cluster of this data folder, or finds it running. Blocks until it takes
    /// connections: some half a second, longer after a crash. Every error is one sentence that says
    /// what to do.
    pub fn start(data_dir: &Path) -> anyhow::Result<Self> {
        let place = Place::prepare(data_dir)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let (tell, told) = mpsc::channel();
        let supervisor = std::thread::Builder::new()
            .name("postgres".to_owned())
            .spawn({
                let stopping = stopping.clone();
                // The kernel ends PostgreSQL when the thread that started it ends, so that thread
                // lives as long as the cluster is wanted.
                move || supervise(place, &stopping, &tell)
            })?;
        match told.recv() {
            Ok(Ok(socket_dir)) => Ok(Self {
                // Nothing of the environment: PGPORT and its like mean somebody else's server.
                options: PgConnectOptions::new_without_pgpass()
                    .socket(socket_dir)
                    .port(5432)
                    .ssl_mode(PgSslMode::Disable)
                    .username(NAME)
                    .database(NAME),
                stopping,
                supervisor: Some(supervisor),
            }),
            Ok(Err(error)) => Err(error),
            Err(_) => bail!("the private PostgreSQL could not be started"),
        }
    }

    /// How to connect.
    pub fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    /// Stops the cluster if this program started it. Blocks until it has stopped.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        if let Some(supervisor) = self.supervisor.take() {
            // A panic in there was reported when it happened.
            let _ = supervisor.join();
        }
    }
}

impl Drop for PrivateCluster {
    fn drop(&mut self) {
        self.end();
    }
}

/// Where everything is, and as whom PostgreSQL runs.
#[derive(Debug)]
struct Place {
    data_dir: PathBuf,
    cluster: PathBuf,
    socket_dir: PathBuf,
    binaries: PathBuf,
    /// PostgreSQL refuses to run as root: then it runs as the user `postgres`.
    user: Option<(u32, u32)>,
}

impl Place {
    fn prepare(data_dir: &Path) -> anyhow::Result<Self> {
        let cannot_write = || {
            format!(
                "the data folder {} cannot be written: give another with --data-dir or NIGHTDESK_DATA",
                data_dir.display()
            )
        };
        fs::create_dir_all(data_dir).with_context(cannot_write)?;
        let data_dir = data_dir.canonicalize().with_context(cannot_write)?;
        let cluster = data_dir.join("pg");
        let binaries = find_binaries(&cluster)?;
        // SAFETY: geteuid reads one number and cannot fail.
        let user = match unsafe { libc::geteuid() } {
            0 => Some(user_postgres()?),
            _ => None,
        };
        // The lock file shows whether the folder can be written before anything is begun.
        File::create(data_dir.join("pg.lock")).with_context(cannot_write)?;
        let hash = Sha256::digest(data_dir.as_os_str().as_encoded_bytes());
        let hash: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let socket_dir = socket_dir(&hash, user)?;
        Ok(Self {
            data_dir,
            cluster,
            socket_dir,
            binaries,
            user,
        })
    }

    /// A program of PostgreSQL's, as the right user, in a folder that this user can stand in.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.join(name));
        command
            .current_dir("/")
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC");
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Makes the cluster if there is none. In a folder of another name first, so that a half-made one
    /// is never taken for a whole one.
    fn init(&self) -> anyhow::Result<()> {
        if self.cluster.join("PG_VERSION").exists() {
            return Ok(());
        }
        let half_made = self.data_dir.join("pg.new");
        if half_made.exists() {
            fs::remove_dir_all(&half_made).with_context(|| {
                format!(
                    "{} is in the way and cannot be removed",
                    half_made.display()
                )
            })?;
        }
        fs::DirBuilder::new().mode(0o700).create(&half_made)?;
        if let Some((uid, gid)) = self.user {
            std::os::unix::fs::chown(&half_made, Some(uid), Some(gid))?;
        }
        tracing::info!(folder = %self.cluster.display(), "postgres.init");
        let made = self
            .program("initdb")
            .arg("-D")
            .arg(&half_made)
            .args(["-U", NAME, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"])
            .args(["--data-checksums", "--no-instructions"])
            .output()
            .with_context(|| format!("{}/initdb cannot be run", self.binaries.display()))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr);
            let said = said
                .lines()
                .rev()
                .find(|line| line.contains("error") || line.contains("could not"))
                .unwrap_or("no reason given")
                .to_owned();
            let advice = match self.user {
                Some(_) => {
                    " (as root, PostgreSQL runs as the user postgres, who must be able to enter the data folder)"
                }
                None => "",
            };
            bail!(
                "PostgreSQL could not make its files in {}: {said}{advice}",
                half_made.display()
            );
        }
        fs::rename(&half_made, &self.cluster)?;
        Ok(())
    }

    /// Starts the server. It stops when this thread ends, however that happens.
    fn spawn(&self) -> anyhow::Result<Child> {
        let mut command = self.program("postgres");
        command.arg("-D").arg(&self.cluster);
        let socket_dir = self.socket_dir.display();
        for setting in [
            format!("unix_socket_directories={socket_dir}"),
            "unix_socket_permissions=0700".to_owned(),
            "listen_addresses=".to_owned(),
            "max_connections=200".to_owned(),
            "shared_buffers=256MB".to_owned(),
            "max_wal_size=2GB".to_owned(),
            // The log: a week in seven files, and no DETAIL lines, which quote rows and with them
            // guests' names (N13).
            "logging_collector=on".to_owned(),
            "log_directory=log".to_owned(),
            "log_filename=postgresql-%a.log".to_owned(),
            "log_truncate_on_rotation=on".to_owned(),
            "log_rotation_age=1440".to_owned(),
            "log_rotation_size=0".to_owned(),
            "log_error_verbosity=terse".to_owned(),
            "log_min_error_statement=panic".to_owned(),
        ] {
            command.arg("-c").arg(setting);
        }
        let errors = File::options()
            .create(true)
            .append(true)
            .open(self.data_dir.join("postgres-start.log"))?;
        command.stdout(errors.try_clone()?).stderr(errors);
        // SAFETY: between fork and exec only prctl, getppid and raise are called, which are all
        // async-signal-safe. Runs after the change of user, which would clear the setting.
        unsafe {
            let parent = libc::getpid();
            command.pre_exec(move || {
                // SIGINT asks PostgreSQL for a fast, clean stop.
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGINT) != 0 {
                    return Err(io::Error::last_os_error());
                }
                if libc::getppid() != parent {
                    libc::raise(libc::SIGKILL);
                }
                Ok(())
            });
        }
        // A process group of its own: Ctrl-C on the terminal is for this program, which then stops
        // the database after its last answer.
        command.process_group(0);
        command
            .spawn()
            .with_context(|| format!("{}/postgres cannot be run", self.binaries.display()))
    }

    /// The process that runs this cluster now, if one does.
    fn running(&self) -> Option<i32> {
        let text = fs::read_to_string(self.cluster.join("postmaster.pid")).ok()?;
        let pid: i32 = text.lines().next()?.trim().parse().ok()?;
        // After a restart of the machine the number may be somebody else's.
        let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let cluster = self.cluster.as_os_str().as_encoded_bytes();
        words
            .split(|byte| *byte == 0)
            .any(|word| word == cluster)
            .then_some(pid)
    }

    /// Where the running server has its socket: the fifth line of its file.
    fn socket_dir_in_use(&self) -> Option<PathBuf> {
        let text = fs::read_to_string(self.cluster.join("postmaster.pid")).ok()?;
        let line = text.lines().nth(4)?.trim();
        (!line.is_empty()).then(|| PathBuf::from(line))
    }

    /// Whether the program that a process runs was replaced on disk: a package was upgraded
    /// underneath it, and its libraries no longer fit.
    fn replaced(pid: i32) -> bool {
        fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|exe| exe.as_os_str().as_encoded_bytes().ends_with(b" (deleted)"))
    }

    /// Whether the server takes connections; the database is made when it is missing.
    fn ready(&self) -> bool {
        let ask = |sql: &str, database: &str| {
            self.program("psql")
                .arg("-X")
                .args(["-h", &self.socket_dir.display().to_string()])
                .args(["-U", NAME, "-d", database, "-tAc", sql])
                .stderr(Stdio::null())
                .output()
        };
        let found = ask(
            &format!("SELECT 'found' FROM pg_database WHERE datname = '{NAME}'"),
            "postgres",
        );
        match found {
            Ok(found) if found.status.success() => {
                found.stdout.starts_with(b"found")
                    || ask(&format!("CREATE DATABASE {NAME}"), "postgres")
                        .is_ok_and(|made| made.status.success())
            }
            _ => false,
        }
    }
}

/// What the supervisor looks after.
enum Server {
    /// Started here.
    Own(Child),
    /// Started by another program over the same data folder.
    Others(i32),
}

/// Keeps the cluster running until told to stop.
fn supervise(
    mut place: Place,
    stopping: &AtomicBool,
    tell: &mpsc::Sender<anyhow::Result<PathBuf>>,
) {
    let mut server = match start(&mut place, stopping) {
        Ok(server) => {
            // The receiver waits for exactly this.
            let _ = tell.send(Ok(place.socket_dir.clone()));
            server
        }
        Err(error) => {
            let _ = tell.send(Err(error));
            return;
        }
    };
    let mut looked_at = Instant::now();
    loop {
        if stopping.load(Ordering::Relaxed) {
            if let Server::Own(child) = &mut server {
                stop(child);
            }
            return;
        }
        let mut gone = match &mut server {
            Server::Own(child) => !matches!(child.try_wait(), Ok(None)),
            Server::Others(pid) => place.running() != Some(*pid),
        };
        if !gone && looked_at.elapsed() > Duration::from_secs(10) {
            looked_at = Instant::now();
            if let Server::Own(child) = &mut server
                && i32::try_from(child.id()).is_ok_and(Place::replaced)
            {
                tracing::warn!("postgres.upgraded: its package was replaced, restarting it");
                stop(child);
                gone = true;
            }
        }
        if gone {
            tracing::warn!("postgres.gone: starting it again");
            match start(&mut place, stopping) {
                Ok(new) => server = new,
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), "postgres.restart_failed");
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Starts or finds the server and waits until it is ready. One program at a time.
fn start(place: &mut Place, stopping: &AtomicBool) -> anyhow::Result<Server> {
    let lock = File::create(place.data_dir.join("pg.lock"))?;
    lock.lock()?;
    place.init()?;
    let began = Instant::now();
    let mut server = match place.running() {
        Some(pid) if Place::replaced(pid) => {
            tracing::warn!("postgres.upgraded: its package was replaced, restarting it");
            // SAFETY: sends a signal to a process that was just seen to be this cluster's server.
            unsafe { libc::kill(pid, libc::SIGINT) };
            while place.running() == Some(pid) && began.elapsed() < STOP_WITHIN {
                std::thread::sleep(Duration::from_millis(50));
            }
            Server::Own(place.spawn()?)
        }
        Some(pid) => {
            // Another program's environment may have led it to another folder.
            if let Some(dir) = place.socket_dir_in_use() {
                place.socket_dir = dir;
            }
            Server::Others(pid)
        }
        None => Server::Own(place.spawn()?),
    };
    let mut said = Instant::now();
    while !place.ready() {
        if stopping.load(Ordering::Relaxed) {
            bail!("stopped while PostgreSQL was starting");
        }
        if began.elapsed() > START_WITHIN {
            bail!(
                "PostgreSQL did not take connections within {} s: see the log in {}",
                START_WITHIN.as_secs(),
                place.cluster.join("log").display()
            );
        }
        if said.elapsed() > Duration::from_secs(5) {
            said = Instant::now();
            tracing::info!(seconds = began.elapsed().as_secs(), "postgres.starting");
        }
        if let Server::Own(child) = &mut server
            && !matches!(child.try_wait(), Ok(None))
        {
            // After a kill -9 the former server's processes need a moment to notice and leave.
            if began.elapsed() > Duration::from_secs(20) {
                bail!(
                    "PostgreSQL ended while starting: see {} and the log in {}",
                    place.data_dir.join("postgres-start.log").display(),
                    place.cluster.join("log").display()
                );
            }
            std::thread::sleep(Duration::from_millis(200));
            server = Server::Own(place.spawn()?);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(server)
}

/// A fast, clean stop; if that takes too long, at once.
fn stop(child: &mut Child) {
    let began = Instant::now();
    let signal = |signal| {
        if let Ok(pid) = i32::try_from(child.id()) {
            // SAFETY: sends a signal to our own child, which has not been waited for.
            unsafe { libc::kill(pid, signal) };
        }
    };
    signal(libc::SIGINT);
    let mut hurried = false;
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => return,
        }
        if !hurried && began.elapsed() > STOP_WITHIN {
            hurried = true;
            if let Ok(pid) = i32::try_from(child.id()) {
                // SAFETY: as above.
                unsafe { libc::kill(pid, libc::SIGQUIT) };
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The newest PostgreSQL of the machine, or the one that made the cluster: files of one major version
/// cannot be read by another.
fn find_binaries(cluster: &Path) -> anyhow::Result<PathBuf> {
    let wanted: Option<u32> = fs::read_to_string(cluster.join("PG_VERSION"))
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for (root, prefix) in [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")] {
        for entry in fs::read_dir(root).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let version = name
                .to_str()
                .and_then(|name| name.strip_prefix(prefix))
                .and_then(|version| version.parse().ok());
            let bin = entry.path().join("bin");
            if let Some(version) = version
                && has_binaries(&bin)
            {
                found.push((version, bin));
            }
        }
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    for bin in std::env::split_paths(&path).filter(|bin| has_binaries(bin)) {
        if let Some(version) = version_of(&bin) {
            found.push((version, bin));
        }
    }
    found.sort();
    match wanted {
        None => found.pop().map(|(_, bin)| bin).context(
            "no PostgreSQL found on this machine: install it (Debian and Ubuntu: apt-get install postgresql) or name a server by DATABASE_URL",
        ),
        Some(wanted) => found
            .into_iter()
            .rfind(|(version, _)| *version == wanted)
            .map(|(_, bin)| bin)
            .with_context(|| {
                format!(
                    "the data in {} belongs to PostgreSQL {wanted}, which is not on this machine: install postgresql-{wanted}, or move the data by pg_dump",
                    cluster.display()
                )
            }),
    }
}

fn has_binaries(bin: &Path) -> bool {
    ["postgres", "initdb", "psql"]
        .iter()
        .all(|name| bin.join(name).is_file())
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`
fn version_of(bin: &Path) -> Option<u32> {
    let output = Command::new(bin.join("postgres"))
        .arg("--version")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (_, version) = text.split_once("(PostgreSQL) ")?;
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    major.parse().ok()
}

fn user_postgres() -> anyhow::Result<(u32, u32)> {
    // SAFETY: the name is a C string; the answer is read at once, before any other call could
    // overwrite it, and this runs before other threads ask for users.
    let entry = unsafe { libc::getpwnam(c"postgres".as_ptr()) };
    if entry.is_null() {
        bail!(
            "PostgreSQL does not run as root and there is no user `postgres` to run it as: install the package postgresql, or start this program as another user"
        );
    }
    // SAFETY: not null, so it points to a passwd entry.
    Ok(unsafe { ((*entry).pw_uid, (*entry).pw_gid) })
}

/// A short folder for the socket that nobody else can enter.
fn socket_dir(hash: &str, user: Option<(u32, u32)>) -> anyhow::Result<PathBuf> {
    // SAFETY: geteuid reads one number and cannot fail.
    let (uid, gid) = match user {
        Some((uid, gid)) => (uid, Some(gid)),
        None => (unsafe { libc::geteuid() }, None),
    };
    let run = match user {
        Some(_) => Some(PathBuf::from("/run")),
        None => std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
    };
    let mut tried = String::new();
    for parent in run.into_iter().chain([PathBuf::from("/tmp")]) {
        let dir = parent.join(format!("nightdesk-{uid}-{hash}"));
        if dir.as_os_str().len() > SOCKET_DIR_BYTES_MAX || !parent.is_dir() {
            continue;
        }
        let made = fs::DirBuilder::new().mode(0o700).create(&dir);
        if made.is_ok() && user.is_some() {
            std::os::unix::fs::chown(&dir, Some(uid), gid)?;
        }
        // What was there before may be somebody else's trap.
        let safe = fs::symlink_metadata(&dir).is_ok_and(|meta| {
            meta.is_dir() && meta.uid() == uid && meta.permissions().mode() & 0o077 == 0
        });
        if safe {
            return Ok(dir);
        }
        tried = dir.display().to_string();
    }
    bail!(
        "no folder for PostgreSQL's socket could be made ({tried} is not safe or cannot be written): set XDG_RUNTIME_DIR to a short folder of your own"
    )
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions, Connection};

    use super::*;

    /// A folder that the user `postgres` can enter, whoever runs the tests.
    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
        dir
    }

    async fn answers(options: &PgConnectOptions) -> bool {
        match options.connect().await {
            Ok(mut conn) => {
                let one: Result<i32, _> = sqlx::query_scalar("SELECT 1").fetch_one(&mut conn).await;
                one.is_ok_and(|one| one == 1) && conn.close().await.is_ok()
            }
            Err(_) => false,
        }
    }

    async fn answers_in_the_end(options: &PgConnectOptions) {
        let asked = async {
            while !answers(options).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), asked)
            .await
            .expect("it answers again");
    }

    fn server(dir: &Path) -> i32 {
        let text = fs::read_to_string(dir.join("pg/postmaster.pid")).expect("it runs");
        text.lines()
            .next()
            .unwrap()
            .trim()
            .parse()
            .expect("a number")
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_cluster_survives_kill_9_and_the_program_that_started_it() {
        let dir = folder();
        let first = PrivateCluster::start(dir.path()).unwrap();
        assert!(answers(first.options()).await);
        // A second program over the same folder finds it running.
        let second = PrivateCluster::start(dir.path()).unwrap();
        assert_eq!(first.options().get_socket(), second.options().get_socket());
        let one = server(dir.path());
        // SAFETY: a signal to the server that this test started.
        unsafe { libc::kill(one, libc::SIGKILL) };
        answers_in_the_end(first.options()).await;
        // Whoever owns it now, the other goes on when that one ends.
        first.stop();
        answers_in_the_end(second.options()).await;
        let last = server(dir.path());
        second.stop();
        assert!(
            !Path::new(&format!("/proc/{last}")).exists(),
            "nothing is left running"
        );
    }

    #[test]
    fn what_stands_in_the_way_is_said_in_one_sentence_with_what_to_do() {
        let dir = folder();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = format!(
            "{:#}",
            PrivateCluster::start(&file.join("data")).unwrap_err()
        );
        assert!(
            error.contains("cannot be written") && error.contains("--data-dir"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1);

        let data = dir.path().join("data");
        fs::create_dir_all(data.join("pg")).unwrap();
        fs::write(data.join("pg/PG_VERSION"), "9\n").unwrap();
        let error = format!("{:#}", PrivateCluster::start(&data).unwrap_err());
        assert!(error.contains("install postgresql-9"), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}
