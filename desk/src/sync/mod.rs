//! Following the server's log, and sending the clerk's commands.
//!
//! `plan` says what to do next and does nothing; `snapshot`, `pull` and `push` do it; `follow` runs
//! them in a loop; `overlay` says what a command looks like before the log brings it.

mod follow;
pub mod overlay;
pub mod picture;
pub mod plan;
pub(crate) mod pull;
mod push;
pub(crate) mod snapshot;

use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, TimeDelta, Utc};
use protocol::id::DeviceId;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::client::Api;
use crate::feed::Feed;
use crate::host::Host;
use crate::rpc::schema::Tag;
use crate::settings::SignedInUser;
use crate::store::{Store, StoreFault};

/// What the server acknowledged is offered again for so long: no backup is older (B59).
pub(crate) const OFFERED_AGAIN: TimeDelta = TimeDelta::days(35);
/// This program, for telling a newer build from the one that met what it could not read.
pub(crate) const BUILD: &str = env!("CARGO_PKG_VERSION");

/// One hotel, followed for one person who is signed in.
pub(crate) struct Session {
    pub(crate) store: Arc<Store>,
    pub(crate) user: SignedInUser,
    pub(crate) api: Api,
    pub(crate) device: DeviceId,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) feed: Arc<Feed>,
    live: Mutex<Live>,
    wake_push: Notify,
    wake_follow: Notify,
    settled: watch::Sender<u64>,
}

/// What is known of the server at this moment; nothing of it outlives the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Live {
    /// Not reached since.
    pub(crate) offline_since: Option<DateTime<Utc>>,
    /// The token was refused.
    pub(crate) sign_in_again: bool,
    /// The server sends what this build does not know.
    pub(crate) update_needed: bool,
}

impl Session {
    pub(crate) fn new(
        store: Arc<Store>,
        user: SignedInUser,
        api: Api,
        device: DeviceId,
        host: Arc<dyn Host>,
        feed: Arc<Feed>,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            user,
            api,
            device,
            host,
            feed,
            live: Mutex::default(),
            wake_push: Notify::new(),
            wake_follow: Notify::new(),
            settled: watch::channel(0).0,
        })
    }

    /// Begins to follow and to send.
    pub(crate) fn start(self: &Arc<Self>) -> [JoinHandle<()>; 2] {
        [
            tokio::spawn(follow::run(Arc::clone(self))),
            tokio::spawn(push::run(Arc::clone(self))),
        ]
    }

    pub(crate) fn live(&self) -> Live {
        self.lock().clone()
    }

    /// Tells whoever sends that there is something to send.
    pub(crate) fn wake_push(&self) {
        self.wake_push.notify_one();
    }

    /// Told whenever a command's fate is decided.
    pub(crate) fn settled(&self) -> watch::Receiver<u64> {
        self.settled.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(|p| p.into_inner())
    }

    fn change_live(&self, change: impl FnOnce(&mut Live)) -> bool {
        let mut live = self.lock();
        let before = live.clone();
        change(&mut live);
        let changed = *live != before;
        drop(live);
        if changed {
            self.feed.tell([Tag::Status], []);
        }
        changed
    }

    fn reached(&self) {
        if self.change_live(|live| live.offline_since = None) {
            self.wake_push.notify_one();
            self.wake_follow.notify_one();
        }
    }

    fn not_reached(&self) {
        let now = self.host.now();
        self.change_live(|live| {
            live.offline_since.get_or_insert(now);
        });
    }
}

/// Runs work on the copy where it may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreFault> + Send + 'static,
) -> Result<T, StoreFault> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(fault) if fault.is_panic() => std::panic::resume_unwind(fault.into_panic()),
        Err(_) => Err(StoreFault::Content("the program is ending".to_owned())),
    }
}
