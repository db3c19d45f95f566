//! The desk: one data folder, at most one hotel open, at most one person signed in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, Utc};
use protocol::code::{Code, Problem};
use protocol::id::HotelId;
use protocol::request::SignIn;
use tokio::task::JoinHandle;

use crate::client::{self, Api, Fault};
use crate::feed::{ALL, Feed};
use crate::host::{Host, SecretFault};
use crate::rpc::RpcResult;
use crate::rpc::schema::{RpcError, Session as ScreenSession, SignInRequest};
use crate::settings::{Settings, SignedInUser};
use crate::store::{Key, Store, StoreFault, command};
use crate::sync::{OFFERED_AGAIN, Session};

/// The secret that encrypts the copies of this data folder.
const KEY: &str = "copy-key";
/// The secret that a server knows the desk by.
const TOKEN: &str = "token";
/// The file that only one program may hold.
const LOCK: &str = "desk.lock";

/// Why a desk cannot be opened, each with what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenFault {
    /// Another program works with the same data folder (B83).
    #[error(
        "Nightdesk is already open on {0}. Use the window that is open, or choose another data \
         folder with NIGHTDESK_DESK_DATA."
    )]
    AlreadyOpen(PathBuf),
    /// The data folder cannot be used.
    #[error(
        "the data folder {path} cannot be written ({fault}). Give yourself the right to write there, \
         or choose another one with NIGHTDESK_DESK_DATA."
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        fault: std::io::Error,
    },
    /// A secret could not be read.
    #[error("the desk's key could not be read: {0}")]
    Secret(#[from] SecretFault),
    /// The copy could not be opened.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// How a desk is opened.
#[derive(Clone, Debug)]
pub struct DeskConfig {
    /// What people call a desk that is new on this machine; one that is known keeps its name.
    pub device_name: String,
}

impl Default for DeskConfig {
    fn default() -> Self {
        Self {
            device_name: "desk 1".to_owned(),
        }
    }
}

/// The open desk. Everything behind it ends when it is dropped.
pub struct Desk {
    host: Arc<dyn Host>,
    feed: Arc<Feed>,
    key: Key,
    inner: Mutex<Inner>,
    /// Held as long as the desk is open.
    _lock: std::fs::File,
}

struct Inner {
    settings: Settings,
    session: Option<Arc<Session>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        for task in &self.lock().tasks {
            task.abort();
        }
    }
}

impl Desk {
    /// Opens the data folder and goes on where it was left: whoever is signed in stays so, and the
    /// queue is sent. Must be called inside a tokio runtime.
    pub async fn open(host: Arc<dyn Host>, config: DeskConfig) -> Result<Self, OpenFault> {
        let opening = Arc::clone(&host);
        let (lock, settings, key, token) = on_blocking(move || {
            let lock = prepare(opening.data_dir())?;
            let settings = Settings::load(opening.data_dir(), &config.device_name)
                .map_err(|fault| folder_fault(opening.data_dir(), fault))?;
            let key = key(&*opening)?;
            let token = opening.secret_get(TOKEN)?;
            Ok::<_, OpenFault>((lock, settings, key, token))
        })
        .await?;
        let first = host.now().timestamp_millis();
        let desk = Self {
            feed: Arc::new(Feed::new(first)),
            key,
            inner: Mutex::new(Inner {
                settings: settings.clone(),
                session: None,
                tasks: Vec::new(),
            }),
            _lock: lock,
            host,
        };
        if let (Some(server), Some(user), Some(token)) = (settings.server, settings.user, token) {
            desk.start(&server, user, &token).await?;
        }
        Ok(desk)
    }

    /// Signs in with what `NIGHTDESK_SERVER`, `NIGHTDESK_NAME` and `NIGHTDESK_PASSWORD` say, if all
    /// are set and nobody is signed in; for demonstrations and tests. `false` where there is nothing
    /// to do.
    pub async fn sign_in_from_env(&self) -> RpcResult<bool> {
        let said = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let (Some(server), Some(name), Some(password)) = (
            said("NIGHTDESK_SERVER"),
            said("NIGHTDESK_NAME"),
            said("NIGHTDESK_PASSWORD"),
        ) else {
            return Ok(false);
        };
        if self.session().is_some() {
            return Ok(false);
        }
        self.sign_in(SignInRequest {
            server,
            name,
            password,
        })
        .await?;
        Ok(true)
    }

    /// Signs in and begins to follow the hotel; the first time, by loading a copy.
    pub(crate) async fn sign_in(&self, request: SignInRequest) -> RpcResult<()> {
        let server = client::server_address(&request.server).ok_or_else(|| {
            RpcError::from(
                Problem::new(Code::Invalid)
                    .field("/server", "must be an address such as https://…"),
            )
        })?;
        let (device_id, device_name) = {
            let inner = self.lock();
            (inner.settings.device_id, inner.settings.device_name.clone())
        };
        let signed_in = client::sign_in(
            &server,
            &SignIn {
                name: request.name.trim().to_owned(),
                password: request.password,
                device_id: Some(device_id),
                device_name: Some(device_name),
            },
        )
        .await
        .map_err(|fault| match fault {
            Fault::Unreachable(why) => Problem::new(Code::Offline).detail(why),
            Fault::Refused { problem, .. } => *problem,
        })?;
        let user = SignedInUser {
            staff_id: signed_in.staff_id,
            display_name: signed_in.display_name,
            role: signed_in.role,
            hotel_id: signed_in.hotel_id,
            hotel_name: signed_in.hotel_name,
        };
        let host = Arc::clone(&self.host);
        let token = signed_in.token.clone();
        on_blocking(move || host.secret_set(TOKEN, &token))
            .await
            .map_err(|fault| Problem::new(Code::Internal).detail(fault.to_string()))?;
        self.remember(|settings| {
            settings.server = Some(server.clone());
            settings.last_name = Some(request.name.trim().to_owned());
            settings.user = Some(user.clone());
        })?;
        self.start(&server, user, &signed_in.token)
            .await
            .map_err(|fault| Problem::new(Code::Internal).detail(fault.to_string()))?;
        self.feed.tell(ALL, []);
        Ok(())
    }

    /// Signs out. The copy and the queue stay; what is not sent yet is sent by whoever signs in next.
    pub(crate) async fn sign_out(&self) -> RpcResult<()> {
        let session = self.stop();
        let host = Arc::clone(&self.host);
        on_blocking(move || host.secret_delete(TOKEN))
            .await
            .map_err(|fault| Problem::new(Code::Internal).detail(fault.to_string()))?;
        self.remember(|settings| settings.user = None)?;
        self.feed.tell(ALL, []);
        if let Some(session) = session {
            session.api.sign_out().await;
        }
        Ok(())
    }

    async fn start(&self, server: &str, user: SignedInUser, token: &str) -> Result<(), OpenFault> {
        let open = self.stop();
        let known = open.filter(|open| open.user.hotel_id == user.hotel_id);
        let store = match known {
            Some(open) => Arc::clone(&open.store),
            None => self.open_store(user.hotel_id).await?,
        };
        let api = Api::new(server, user.hotel_id, token)
            .map_err(|fault| StoreFault::Content(fault.to_string()))?;
        let device = self.lock().settings.device_id;
        let session = Session::new(
            store,
            user,
            api,
            device,
            Arc::clone(&self.host),
            Arc::clone(&self.feed),
        );
        let mut inner = self.lock();
        inner.tasks.extend(session.start());
        inner.session = Some(session);
        Ok(())
    }

    fn stop(&self) -> Option<Arc<Session>> {
        let mut inner = self.lock();
        for task in inner.tasks.drain(..) {
            task.abort();
        }
        inner.session.take()
    }

    async fn open_store(&self, hotel: HotelId) -> Result<Arc<Store>, OpenFault> {
        let (host, key) = (Arc::clone(&self.host), self.key.clone());
        on_blocking(move || {
            let lasting = host.secrets_problem().is_none();
            let kind = if lasting { "copy" } else { SESSION_ONLY };
            let path = host.data_dir().join(format!("{kind}-{hotel}.db"));
            let now = host.now();
            let store = match Store::open(&path, &key) {
                Err(StoreFault::WrongKey(_)) => {
                    // The keyring has another key than the one that it was written with. Nothing can
                    // read it now, but nothing is thrown away either.
                    let aside = path.with_extension(format!("unreadable-{}", now.timestamp()));
                    tracing::error!(name = "copy.unreadable", kept_as = %aside.display());
                    std::fs::rename(&path, &aside)
                        .map_err(|fault| folder_fault(host.data_dir(), fault))?;
                    Store::open(&path, &key)?
                }
                other => other?,
            };
            store.write(|tx| {
                command::restart(tx, now)?;
                command::prune(tx, now - OFFERED_AGAIN)?;
                crate::store::overlaid::refresh(tx)
            })?;
            Ok(Arc::new(store))
        })
        .await
    }

    fn remember(&self, change: impl FnOnce(&mut Settings)) -> RpcResult<()> {
        let mut inner = self.lock();
        change(&mut inner.settings);
        inner.settings.save(self.host.data_dir()).map_err(|fault| {
            let fault = folder_fault(self.host.data_dir(), fault);
            RpcError::from(Problem::new(Code::Internal).detail(fault.to_string()))
        })
    }

    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.lock().session.clone()
    }

    pub(crate) fn session_for_screens(&self) -> ScreenSession {
        let inner = self.lock();
        ScreenSession {
            user: inner
                .session
                .as_ref()
                .map(|session| session.user.for_screens()),
            server: inner.settings.server.clone(),
            last_name: inner.settings.last_name.clone(),
            device_name: inner.settings.device_name.clone(),
            keyring_problem: self.host.secrets_problem(),
        }
    }

    pub(crate) fn feed(&self) -> &Feed {
        &self.feed
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.host.now()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|p| p.into_inner())
    }
}

/// The file name's beginning of a copy whose key ends with the program.
const SESSION_ONLY: &str = "session";

fn folder_fault(path: &Path, fault: std::io::Error) -> OpenFault {
    OpenFault::Folder {
        path: path.to_owned(),
        fault,
    }
}

/// Makes the folder, takes it for this program alone, and clears what nobody can read any more.
fn prepare(data_dir: &Path) -> Result<std::fs::File, OpenFault> {
    let fault = |fault| folder_fault(data_dir, fault);
    std::fs::create_dir_all(data_dir).map_err(fault)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(data_dir, std::fs::Permissions::from_mode(0o700))
            .map_err(fault)?;
    }
    let lock = std::fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(data_dir.join(LOCK))
        .map_err(fault)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => {
            return Err(OpenFault::AlreadyOpen(data_dir.to_owned()));
        }
        Err(std::fs::TryLockError::Error(error)) => return Err(fault(error)),
    }
    for entry in std::fs::read_dir(data_dir).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(&format!("{SESSION_ONLY}-"))
        {
            std::fs::remove_file(entry.path()).map_err(fault)?;
        }
    }
    Ok(lock)
}

/// The key of this folder's copies: the one that is kept, or a new one.
fn key(host: &dyn Host) -> Result<Key, OpenFault> {
    if let Some(key) = host.secret_get(KEY)?.as_deref().and_then(Key::from_hex) {
        return Ok(key);
    }
    let key = Key::random();
    host.secret_set(KEY, &key.to_hex())?;
    Ok(key)
}

async fn on_blocking<T: Send + 'static, E: Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(fault) => match fault.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // A blocking task is only cancelled when the runtime ends, and this future with it.
            Err(_) => std::future::pending().await,
        },
    }
}
