//! What the commands tell the person in front of them: one line per step, with the seconds since the start.

use std::sync::OnceLock;
use std::time::Instant;

static START: OnceLock<Instant> = OnceLock::new();

/// Starts the clock; the first call counts.
pub(crate) fn start() -> Instant {
    *START.get_or_init(Instant::now)
}

/// Seconds since the start.
pub(crate) fn elapsed_s() -> u64 {
    start().elapsed().as_secs()
}

/// One line with the elapsed seconds in front.
pub(crate) fn line(text: &str) {
    plain(&format!("[{:>4} s] {text}", elapsed_s()));
}

/// A line that belongs to the one above.
pub(crate) fn more(text: &str) {
    plain(&format!("         {text}"));
}

/// A line as it is. Whoever reads us may have gone (`| head`): that is no reason to fail.
pub(crate) fn plain(text: &str) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
