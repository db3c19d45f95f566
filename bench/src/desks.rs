//! Desks without a window, each on threads of its own as if it were a program of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use desk::desk::{Desk, DeskConfig};
use desk::host::{Host, PlainHost};
use desk::rpc;
use desk::rpc::schema::{Changes, ChangesRequest, SignInRequest, Status, SyncPhase};
use desk::store::{Key, Store};
use protocol::id::HotelId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::rig::Rig;

/// The secret that encrypts a desk's copy.
const KEY: &str = "copy-key";
/// How long a desk may take to have everything.
const SYNC_TIMEOUT: Duration = Duration::from_secs(600);
/// How long one wait for a change lasts.
const WAIT_MS: i32 = 1_000;

/// An open desk, signed in.
pub struct RunningDesk {
    runtime: Option<Runtime>,
    desk: Option<Arc<Desk>>,
    host: Arc<PlainHost>,
    hotel: HotelId,
    folder: Option<TempDir>,
}

/// The file of a desk that has been closed.
#[derive(Debug)]
pub struct Copy {
    /// Where it lies.
    pub path: PathBuf,
    /// What opens it.
    pub key: Key,
    folder: TempDir,
}

impl RunningDesk {
    /// Opens a desk on a new folder and signs in the person of the hotel.
    pub async fn start(server: SocketAddr, slug: &str, hotel: HotelId) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("nd-desk-").tempdir()?;
        std::fs::create_dir(folder.path().join("data"))?;
        let desk = Self::open(folder, hotel).await?;
        let (name, password) = Rig::credentials(slug);
        let request = SignInRequest {
            server: format!("http://{server}"),
            name,
            password,
        };
        let _: serde_json::Value = desk.call("session.sign_in", &request).await?;
        Ok(desk)
    }

    /// Opens a desk that was closed, still signed in.
    pub async fn again(copy: Copy, hotel: HotelId) -> Result<Self> {
        Self::open(copy.folder, hotel).await
    }

    async fn open(folder: TempDir, hotel: HotelId) -> Result<Self> {
        let data = folder.path().join("data");
        let secrets = folder.path().join("secrets.json");
        let host = Arc::new(PlainHost::with_secrets_file(&data, secrets)?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let opening: Arc<dyn Host> = host.clone();
        let desk = runtime
            .spawn(async move { Desk::open(opening, DeskConfig::default()).await })
            .await??;
        Ok(Self {
            runtime: Some(runtime),
            desk: Some(Arc::new(desk)),
            host,
            hotel,
            folder: Some(folder),
        })
    }

    /// Calls a method of the desk as a screen does.
    pub async fn call<Q: Serialize, A: DeserializeOwned>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Result<A> {
        let request = serde_json::to_vec(request)?;
        let desk = self.desk.clone().context("the desk is closed")?;
        let runtime = self.runtime.as_ref().context("the desk is closed")?;
        let answer = runtime
            .spawn(async move { rpc::call_bytes(&desk, method, &request).await })
            .await?;
        match answer {
            Ok(answer) => Ok(serde_json::from_slice(&answer)?),
            Err(refused) => bail!("{method}: {:?}", refused.problem),
        }
    }

    /// Where synchronisation stands.
    pub async fn status(&self) -> Result<Status> {
        self.call("status.get", &serde_json::json!({})).await
    }

    /// Waits until something changed after the number.
    pub async fn changes(&self, after: i64) -> Result<Changes> {
        let request = ChangesRequest {
            after,
            wait_ms: WAIT_MS,
        };
        self.call("changes.wait", &request).await
    }

    /// Waits until the copy is whole and has the event of this number.
    pub async fn has(&self, seq: i64) -> Result<()> {
        let began = Instant::now();
        let mut after = 0;
        loop {
            // Before there is a copy, there is no status either.
            match self.status().await {
                Ok(status)
                    if matches!(status.sync, SyncPhase::InSync {}) && status.cursor >= seq =>
                {
                    return Ok(());
                }
                Ok(status) if matches!(status.sync, SyncPhase::UpdateNeeded {}) => {
                    bail!("the desk does not understand this server");
                }
                _ => {}
            }
            if began.elapsed() > SYNC_TIMEOUT {
                bail!("the desk has not got event {seq} within {SYNC_TIMEOUT:?}");
            }
            after = self.changes(after).await?.now;
        }
    }

    /// Closes the desk and leaves its file.
    pub async fn close(mut self) -> Result<Copy> {
        let key = self
            .host
            .secret_get(KEY)?
            .as_deref()
            .and_then(Key::from_hex)
            .context("the desk has no key")?;
        let folder = self.folder.take().context("the desk is closed")?;
        let path = folder.path().join(format!("data/copy-{}.db", self.hotel));
        let (runtime, desk) = (self.runtime.take(), self.desk.take());
        // Waits for what still writes, away from this runtime's thread.
        tokio::task::spawn_blocking(move || drop((desk, runtime))).await?;
        Ok(Copy { path, key, folder })
    }
}

impl Drop for RunningDesk {
    fn drop(&mut self) {
        // Where a bench stops in the middle: a runtime must not be waited for inside another.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Copy {
    /// Opens the file for reading.
    pub fn open(&self) -> Result<Store> {
        Store::open(&self.path, &self.key).context("the desk's copy")
    }

    /// The folder in which it lies, for files beside it.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}
