//! Children that end with us, whatever happens.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a child may take to end when asked.
const GRACE: Duration = Duration::from_secs(10);

/// A process that is ended and waited for when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    ask_with: i32,
}

impl Process {
    /// Starts it. `ask_with` is the signal that asks it to end.
    ///
    /// The kernel ends it too when the thread that starts it ends, so that a bench that is killed
    /// leaves nothing behind: start children from a thread that lives as long as they should.
    pub fn start(command: &mut Command, ask_with: i32) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null());
        let parent = std::process::id();
        // SAFETY: between fork and exec only async-signal-safe calls are made.
        unsafe {
            command.pre_exec(move || {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                    return Err(io::Error::last_os_error());
                }
                // The parent may have gone before the signal was asked for.
                if libc::getppid().unsigned_abs() != parent {
                    return Err(io::Error::other("the parent is gone"));
                }
                Ok(())
            });
        }
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        Ok(Self { child, ask_with })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it at once, as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.has_ended() {
            return;
        }
        if let Ok(pid) = i32::try_from(self.child.id()) {
            // SAFETY: a signal to a child that has not been waited for yet.
            unsafe { libc::kill(pid, self.ask_with) };
        }
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if self.has_ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.kill();
    }
}

/// A port on loopback that was free a moment ago.
pub fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?
        .local_addr()?
        .port())
}
