//! A stop that was asked for: long polls answer, the server takes no more.

use tokio::sync::watch;

/// Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    /// Asks everybody to stop.
    pub(crate) fn ask(&self) {
        self.0.send_replace(true);
    }

    /// Returns once a stop was asked for.
    pub(crate) async fn asked(&self) {
        // The sender is in `self`, so that this cannot fail.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}
