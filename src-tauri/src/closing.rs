//! The end: whatever hangs, the program is gone within seconds (B86). Everything a clerk entered is on
//! disk before it is shown, so there is nothing that an end could lose.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// From the wish to close until we leave without asking anybody.
const LIMIT: Duration = Duration::from_secs(4);

static BEGUN: AtomicBool = AtomicBool::new(false);

/// Says that the end has begun. From now on it comes by itself.
pub(crate) fn begin() {
    if BEGUN.swap(true, Ordering::SeqCst) {
        return;
    }
    tracing::info!("closing");
    std::thread::spawn(|| {
        std::thread::sleep(LIMIT);
        tracing::warn!("something hangs; leaving without it");
        // SAFETY: _exit takes a number and does not return. `exit` would run handlers, and one of those
        // may be what hangs.
        unsafe { libc::_exit(0) }
    });
}
