//! Programs of this workspace as children, and a look at what is left of them.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A program that `cargo xtask test` has built.
pub(crate) fn program(name: &str) -> PathBuf {
    if name == "sync-server"
        && let Some(file) = std::env::var_os("NIGHTDESK_SYNC_SERVER")
    {
        return file.into();
    }
    let dir = std::env::var_os("NIGHTDESK_BIN_DIR").map_or_else(
        || {
            let own = std::env::current_exe().expect("a test has a path");
            own.ancestors()
                .nth(2)
                .expect("target/debug/deps/test")
                .to_path_buf()
        },
        PathBuf::from,
    );
    let file = dir.join(name);
    assert!(
        file.is_file(),
        "{} is not built: run `cargo xtask test`",
        file.display()
    );
    file
}

/// Waits for a condition; fails with `what` when it does not come.
pub(crate) fn wait_until(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < limit,
            "{what}: not within {} s",
            limit.as_secs()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A child with its output in a file, in a process group that a failed test does not leave behind.
pub(crate) struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    pub(crate) fn spawn(command: &mut Command, log: PathBuf) -> Self {
        let file = File::create(&log).expect("a log");
        command.stdin(Stdio::null()).process_group(0);
        command
            .stdout(file.try_clone().expect("a second handle"))
            .stderr(file);
        let child = command.spawn().expect("the program starts");
        Self { child, log }
    }

    pub(crate) fn output(&self) -> String {
        read(&self.log)
    }

    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill touches no memory; the child has not been waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), signal) };
    }

    /// Waits for a word in its output; fails when it ends before.
    pub(crate) fn wait_for(&mut self, word: &str, limit: Duration) {
        let start = Instant::now();
        while !self.output().contains(word) {
            let ended = self.child.try_wait().expect("a child");
            assert!(
                ended.is_none(),
                "ended before saying {word:?}:\n{}",
                self.output()
            );
            assert!(
                start.elapsed() < limit,
                "did not say {word:?}:\n{}",
                self.output()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for its end.
    pub(crate) fn wait_end(&mut self, limit: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < limit, "does not end:\n{}", self.output());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: as above; the group's number is not reused while a member lives.
        unsafe { libc::kill(-self.child.id().cast_signed(), libc::SIGKILL) };
        let _ = self.child.wait();
    }
}

/// A file's text, empty when it is not there yet.
pub(crate) fn read(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}

/// Ids and names of the living processes that inherited `NAME=value` in their environment, however deep
/// and whoever adopted them.
///
/// The mark is a path in the run's data folder: the database starts with an environment of its own, and
/// is known by standing in that folder.
pub(crate) fn marked(mark: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let own = mark.split_once('=').expect("a pair").1;
    let data = std::path::Path::new(own).parent().expect("a folder");
    for entry in std::fs::read_dir("/proc").expect("proc").flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|pair| pair == mark.as_bytes())
            || std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(data))
        {
            found.push((id, read(&entry.path().join("comm")).trim().to_owned()));
        }
    }
    found
}
