//! Children, and the promise that none of them outlives us.
//!
//! Each child gets a process group of its own, so that a Ctrl-C in the terminal reaches us alone and we
//! stop things in the right order. Each is told to end when we do, should we be killed outright. And we
//! adopt every orphan below us, so that what a child forgot to stop can still be found and stopped.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::say;

static STOP: AtomicBool = AtomicBool::new(false);
/// How often a condition is looked at again.
const TICK: Duration = Duration::from_millis(20);
/// How long a child may take to stop before it is killed.
const GRACE: Duration = Duration::from_secs(10);
/// How often a long step says that it still runs.
const HEARTBEAT: Duration = Duration::from_secs(15);

extern "C" fn on_signal(_: libc::c_int) {
    STOP.store(true, Ordering::SeqCst);
}

/// Makes Ctrl-C, SIGTERM and a closed terminal a request to stop, and makes us the parent of orphans.
pub(crate) fn install() {
    let handler = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only stores to an atomic, which is allowed in a signal handler; prctl with
    // this option takes one number and touches no memory.
    unsafe {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::signal(signal, handler);
        }
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    }
}

/// Whether somebody asked us to stop.
pub(crate) fn stopping() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// An error where somebody asked us to stop.
pub(crate) fn check_stop() -> Result<()> {
    if stopping() {
        bail!("stopped");
    }
    Ok(())
}

/// Waits a moment between two looks at a condition.
pub(crate) fn tick() {
    std::thread::sleep(TICK);
}

/// Prepares a command to run in its own group and to end with us. Spawn it from the main thread only: the
/// kernel sends the signal when the *thread* that spawned ends.
fn tie_to_us(command: &mut Command) {
    let parent = std::process::id();
    command.process_group(0);
    // SAFETY: between fork and exec only prctl, getppid and _exit are called, which are
    // async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
            if libc::getppid().cast_unsigned() != parent {
                libc::_exit(1);
            }
            Ok(())
        });
    }
}

/// A child that runs until it is stopped, with its output in a file.
pub(crate) struct Running {
    name: String,
    child: Child,
    log: PathBuf,
    stop_signal: libc::c_int,
}

impl Running {
    /// Starts it. `log` receives what it says on both channels.
    ///
    /// # Errors
    /// The program is missing, or the log cannot be written.
    pub(crate) fn spawn(name: &str, command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file);
        tie_to_us(command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stop_signal = libc::SIGTERM;
        Ok(Self {
            name: name.to_owned(),
            child,
            log: log.to_path_buf(),
            stop_signal,
        })
    }

    /// Which signal asks it to stop, where that is not SIGTERM.
    pub(crate) fn stopped_by(mut self, signal: libc::c_int) -> Self {
        self.stop_signal = signal;
        self
    }

    /// Its exit, once it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// What it said so far.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits until `ready` is true, at most so long.
    ///
    /// # Errors
    /// It ended before, with the end of what it said; or time is up; or we were asked to stop.
    pub(crate) fn wait_until(
        &mut self,
        limit: Duration,
        mut ready: impl FnMut(&Self) -> bool,
    ) -> Result<()> {
        let start = Instant::now();
        loop {
            if ready(self) {
                return Ok(());
            }
            check_stop()?;
            if let Some(status) = self.ended() {
                bail!("{} ended ({status}):\n{}", self.name, tail(&self.log, 15));
            }
            if start.elapsed() > limit {
                bail!(
                    "{} was not ready after {} s:\n{}",
                    self.name,
                    limit.as_secs(),
                    tail(&self.log, 15)
                );
            }
            tick();
        }
    }

    /// Asks it to stop, waits, and kills its group when it does not.
    pub(crate) fn stop(&mut self) {
        if self.ended().is_none() {
            end(&mut self.child, self.stop_signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs a command to its end with its output in a file; says every quarter of a minute that it goes on.
/// The caller looks at the status.
///
/// # Errors
/// The program is missing, the log cannot be written, or we were asked to stop.
pub(crate) fn run(name: &str, command: &mut Command, log: &Path) -> Result<ExitStatus> {
    check_stop()?;
    let mut running = Running::spawn(name, command, log)?;
    let mut beat = Instant::now();
    loop {
        if let Some(status) = running.ended() {
            return Ok(status);
        }
        check_stop()?;
        if beat.elapsed() > HEARTBEAT {
            beat = Instant::now();
            say::more(&format!("{:>4} s  {}", say::elapsed_s(), last_line(log)));
        }
        tick();
    }
}

/// Runs a command that must succeed; otherwise shows the end of what it said.
///
/// # Errors
/// As [`run`], and when the command fails.
pub(crate) fn must(name: &str, command: &mut Command, log: &Path) -> Result<()> {
    let status = run(name, command, log)?;
    if !status.success() {
        bail!(
            "{name} failed ({status}):\n{}\n(all of it: {})",
            tail(log, 60),
            log.display()
        );
    }
    Ok(())
}

/// Runs a command on our own output to its end.
///
/// # Errors
/// The program is missing, or we were asked to stop.
pub(crate) fn pass_through(command: &mut Command) -> Result<ExitStatus> {
    check_stop()?;
    command.stdin(Stdio::null());
    tie_to_us(command);
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    while !stopping() {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        tick();
    }
    end(&mut child, libc::SIGTERM);
    check_stop()?;
    Ok(child.wait()?)
}

/// Asks a child to stop, waits a while, then kills its group. It is collected last of all: until then its
/// number, and so its group's, cannot be given to another process.
fn end(child: &mut Child, signal: libc::c_int) {
    signal_process(child.id(), signal);
    let start = Instant::now();
    while !has_ended(child.id()) && start.elapsed() < GRACE {
        tick();
    }
    signal_group(child.id(), libc::SIGKILL);
    let _ = child.wait();
}

/// Whether a child has ended, without collecting it.
fn has_ended(id: u32) -> bool {
    // SAFETY: waitid writes to the one structure it is given, which lives until it returns; an all-zero
    // siginfo_t is a valid one.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let found = libc::waitid(
            libc::P_PID,
            id,
            &raw mut info,
            libc::WEXITED | libc::WNOHANG | libc::WNOWAIT,
        );
        found != 0 || info.si_pid() != 0
    }
}

/// What a short command prints, or nothing where it cannot be run or fails.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Stops whatever is still below us, adopted orphans included. Call it last.
pub(crate) fn sweep() {
    let start = Instant::now();
    loop {
        reap();
        let left = descendants();
        if left.is_empty() || start.elapsed() > Duration::from_secs(10) {
            return;
        }
        let signal = if start.elapsed() < Duration::from_secs(4) {
            libc::SIGTERM
        } else {
            libc::SIGKILL
        };
        for id in left {
            signal_process(id, signal);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn reap() {
    // SAFETY: waitpid with a null status only collects ended children; all `Child`s have been waited
    // for when the sweep begins.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
}

/// Every living process below us.
fn descendants() -> Vec<u32> {
    let mut parents = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name stands in brackets and may hold spaces and brackets itself.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let state = fields.next().unwrap_or_default();
        if let Some(parent) = fields.next().and_then(|field| field.parse::<u32>().ok())
            && state != "Z"
        {
            parents.insert(id, parent);
        }
    }
    let me = std::process::id();
    let below = |mut id: u32| {
        // A path of parents cannot be longer than there are processes.
        for _ in 0..parents.len() {
            match parents.get(&id) {
                Some(&parent) if parent == me => return true,
                Some(&parent) => id = parent,
                None => return false,
            }
        }
        false
    };
    parents.keys().copied().filter(|&id| below(id)).collect()
}

fn signal_process(id: u32, signal: libc::c_int) {
    // SAFETY: kill touches no memory; the id is that of a child not yet waited for, or of a process seen
    // below us this instant.
    unsafe { libc::kill(id.cast_signed(), signal) };
}

fn signal_group(id: u32, signal: libc::c_int) {
    // SAFETY: as above; the group's first process has not been waited for, so its number is not reused.
    unsafe { libc::kill(-id.cast_signed(), signal) };
}

/// The last lines of a file.
pub(crate) fn tail(file: &Path, lines: usize) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// The last line of a file that may still grow, shortened to fit beside the time.
fn last_line(file: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(file)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(2_000)))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        Ok(String::from_utf8_lossy(&end).into_owned())
    };
    let text = read().unwrap_or_default();
    let line = text
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    line.unwrap_or("...").chars().take(100).collect()
}
