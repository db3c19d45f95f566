//! `cargo xtask run` opens the front desk, and leaves no process behind however it ends.

use std::process::Command;
use std::time::Duration;

use crate::support::{Running, marked, program};

/// A loaded machine with two cores needs a while for a cluster, a hotel and a window.
const LIMIT: Duration = Duration::from_secs(300);

struct Run {
    running: Running,
    mark: String,
    data: tempfile::TempDir,
}

impl Run {
    /// Starts everything and waits until the front desk is open.
    fn start(name: &str) -> Self {
        // Not below a folder of root's own: PostgreSQL runs as somebody else.
        let data = tempfile::Builder::new()
            .prefix("nd-run-")
            .tempdir_in("/tmp")
            .expect("a folder");
        let mark = format!("NIGHTDESK_MARK={name}-{}", std::process::id());
        let (key, value) = mark.split_once('=').expect("a pair");
        let mut command = Command::new(program("xtask"));
        command
            .arg("run")
            .arg("--data")
            .arg(data.path())
            .args(["--port", "0"]);
        command
            .env(key, value)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        let log = data.path().join("run.log");
        let mut running = Running::spawn(&mut command, log);
        running.wait_for("Ctrl-C stops everything", LIMIT);
        let run = Self {
            running,
            mark,
            data,
        };
        for name in [
            "sync-server",
            "postgres",
            "Xvfb",
            "nightdesk",
            "WebKitWebProces",
        ] {
            assert!(run.has(name), "{name} is not among {:?}", marked(&run.mark));
        }
        run
    }

    fn has(&self, name: &str) -> bool {
        marked(&self.mark)
            .iter()
            .any(|(_, running)| running == name)
    }

    /// Everything is gone, soon.
    fn assert_nothing_left(&self) {
        let left = || marked(&self.mark);
        let start = std::time::Instant::now();
        while !left().is_empty() {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "left behind: {:?}",
                left()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn ctrl_c_stops_everything_and_a_second_start_takes_seconds() {
    let mut run = Run::start("ctrl-c");
    let output = run.running.output();
    assert!(output.contains("signed in as "), "{output}");
    assert!(
        output.contains("in a browser  http://127.0.0.1:"),
        "{output}"
    );
    run.running.signal(libc::SIGINT);
    let status = run.running.wait_end(Duration::from_secs(30));
    assert!(status.success(), "{}", run.running.output());
    assert_eq!(marked(&run.mark), [], "nothing is left when it has ended");

    let mut command = Command::new(program("xtask"));
    command
        .arg("run")
        .arg("--data")
        .arg(run.data.path())
        .args(["--port", "0", "--no-window"]);
    let mut second = Running::spawn(&mut command, run.data.path().join("second.log"));
    second.wait_for("Ctrl-C stops everything", LIMIT);
    assert!(
        !second.output().contains("making a demonstration hotel"),
        "{}",
        second.output()
    );
    second.signal(libc::SIGTERM);
    assert!(second.wait_end(Duration::from_secs(30)).success());
}

#[test]
fn closing_the_window_stops_everything() {
    let mut run = Run::start("close");
    let window = marked(&run.mark)
        .into_iter()
        .find(|(_, name)| name == "nightdesk");
    let (id, _) = window.expect("the window runs");
    // SAFETY: kill touches no memory.
    unsafe { libc::kill(id.cast_signed(), libc::SIGTERM) };
    let status = run.running.wait_end(Duration::from_secs(30));
    assert!(status.success(), "{}", run.running.output());
    assert_eq!(marked(&run.mark), [], "nothing is left when it has ended");
}

#[test]
fn a_run_that_is_killed_outright_takes_everything_with_it() {
    let mut run = Run::start("kill");
    run.running.signal(libc::SIGKILL);
    run.running.wait_end(Duration::from_secs(10));
    run.assert_nothing_left();
}

#[test]
fn a_data_folder_that_cannot_be_written_is_one_sentence() {
    let mut command = Command::new(program("xtask"));
    command.args([
        "run",
        "--no-window",
        "--data",
        "/proc/nowhere",
        "--port",
        "0",
    ]);
    let log = tempfile::NamedTempFile::new().expect("a file");
    let mut running = Running::spawn(&mut command, log.path().to_path_buf());
    assert!(!running.wait_end(Duration::from_secs(30)).success());
    let output = running.output();
    assert!(
        output.contains("/proc/nowhere cannot be written"),
        "{output}"
    );
    assert!(output.contains("--data DIR"), "{output}");
    assert_eq!(output.trim().lines().count(), 1, "{output}");
}
