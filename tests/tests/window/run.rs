//! `cargo xtask run` opens the front desk, and leaves no process behind however it ends.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::stage::folder;
use crate::support::{Running, marked, program, wait_until};

/// A loaded machine with two cores needs a while for a cluster, a hotel and a window.
const LIMIT: Duration = Duration::from_secs(300);

struct Run {
    running: Running,
    mark: String,
}

impl Run {
    /// Starts everything on that data folder and waits until the front desk is open.
    fn start(data: &Path, name: &str) -> Self {
        let own = data.join(format!("{name}-{}", std::process::id()));
        let mark = format!("NIGHTDESK_MARK={}", own.display());
        let (key, value) = mark.split_once('=').expect("a pair");
        let mut command = Command::new(program("xtask"));
        command
            .arg("run")
            .arg("--data")
            .arg(data)
            .args(["--port", "0"]);
        command
            .env(key, value)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        let mut running = Running::spawn(&mut command, data.join(format!("{name}.log")));
        running.wait_for("Ctrl-C stops everything", LIMIT);
        let run = Self { running, mark };
        // The window is open before its page has a process of its own.
        for wanted in [
            "sync-server",
            "postgres",
            "Xvfb",
            "nightdesk",
            "WebKitWebProces",
        ] {
            wait_until(&format!("{wanted} runs"), Duration::from_secs(30), || {
                marked(&run.mark).iter().any(|(_, name)| name == wanted)
            });
        }
        run
    }

    /// It ends well and, when it has ended, nothing that it started is left.
    fn assert_clean_end(mut self) {
        let status = self.running.wait_end(Duration::from_secs(40));
        assert!(status.success(), "{status}\n{}", self.running.output());
        assert_eq!(
            marked(&self.mark),
            [],
            "left behind:\n{}",
            self.running.output()
        );
    }
}

#[test]
fn however_a_run_ends_nothing_is_left_behind() {
    // Not below a folder of root's own: PostgreSQL runs as somebody else.
    let data = folder("nd-run-");
    let run = Run::start(data.path(), "ctrl-c");
    let output = run.running.output();
    assert!(output.contains("making a demonstration hotel"), "{output}");
    assert!(output.contains("signed in as "), "{output}");
    assert!(
        output.contains("in a browser  http://127.0.0.1:"),
        "{output}"
    );
    run.running.signal(libc::SIGINT);
    run.assert_clean_end();

    let run = Run::start(data.path(), "terminate");
    let output = run.running.output();
    assert!(
        !output.contains("making a demonstration hotel"),
        "there is one already:\n{output}"
    );
    run.running.signal(libc::SIGTERM);
    run.assert_clean_end();

    let run = Run::start(data.path(), "close");
    let window = marked(&run.mark)
        .into_iter()
        .find(|(_, name)| name == "nightdesk");
    let (id, _) = window.expect("the window runs");
    // SAFETY: kill touches no memory. The window takes it for a click on its cross.
    unsafe { libc::kill(id.cast_signed(), libc::SIGTERM) };
    run.assert_clean_end();

    // Killed outright, it can stop nothing itself; the kernel tells each of its children.
    let mut run = Run::start(data.path(), "kill");
    run.running.signal(libc::SIGKILL);
    run.running.wait_end(Duration::from_secs(10));
    wait_until("everything is gone", Duration::from_secs(40), || {
        marked(&run.mark).is_empty()
    });
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
