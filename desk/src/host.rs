//! The few things that the desk needs from outside: the clock, a place for secrets, a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use chrono::{DateTime, Utc};

/// Why a secret could not be kept or read, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretFault(pub String);

/// What a desk needs from the program that it runs in. It grows only when the desk needs more.
pub trait Host: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> DateTime<Utc>;

    /// The folder in which the desk keeps its copy; made if it is not there.
    fn data_dir(&self) -> &Path;

    /// Why secrets do not outlast this session, if they do not: no keyring, or a locked one.
    fn secrets_problem(&self) -> Option<String>;

    /// A secret kept before; `None` where there is none. May block for a while: never called on a
    /// thread that serves screens.
    fn secret_get(&self, name: &str) -> Result<Option<String>, SecretFault>;

    /// Keeps a secret, for this session at least.
    fn secret_set(&self, name: &str, value: &str) -> Result<(), SecretFault>;

    /// Forgets a secret; it is no fault if there is none.
    fn secret_delete(&self, name: &str) -> Result<(), SecretFault>;
}

/// The machine's clock.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place of this crate where the clock is read"
)]
pub fn system_now() -> DateTime<Utc> {
    Utc::now()
}

/// A host that keeps secrets for this session only, or in a file for tests.
pub struct PlainHost {
    data_dir: PathBuf,
    secrets: Mutex<HashMap<String, String>>,
    file: Option<PathBuf>,
}

impl PlainHost {
    /// Secrets live in memory and end with the program; nothing secret reaches the disk.
    pub fn session_only(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            secrets: Mutex::default(),
            file: None,
        }
    }

    /// Secrets live in a file in clear, readable by its owner only. For tests, which must open a copy
    /// again without a keyring; never for a hotel.
    pub fn with_secrets_file(
        data_dir: impl Into<PathBuf>,
        file: impl Into<PathBuf>,
    ) -> std::io::Result<Self> {
        let file = file.into();
        let secrets = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)?,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => HashMap::new(),
            Err(fault) => return Err(fault),
        };
        Ok(Self {
            data_dir: data_dir.into(),
            secrets: Mutex::new(secrets),
            file: Some(file),
        })
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<String, String>)) -> Result<(), SecretFault> {
        let mut secrets = self.secrets.lock().unwrap_or_else(|p| p.into_inner());
        change(&mut secrets);
        match &self.file {
            None => Ok(()),
            Some(file) => write_private(file, &serde_json::to_vec(&*secrets).unwrap_or_default())
                .map_err(|fault| {
                    SecretFault(format!("{} cannot be written: {fault}", file.display()))
                }),
        }
    }
}

impl Host for PlainHost {
    fn now(&self) -> DateTime<Utc> {
        system_now()
    }

    fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    fn secrets_problem(&self) -> Option<String> {
        match self.file {
            Some(_) => None,
            None => Some("Secrets are kept for this session only.".to_owned()),
        }
    }

    fn secret_get(&self, name: &str) -> Result<Option<String>, SecretFault> {
        let secrets = self.secrets.lock().unwrap_or_else(|p| p.into_inner());
        Ok(secrets.get(name).cloned())
    }

    fn secret_set(&self, name: &str, value: &str) -> Result<(), SecretFault> {
        self.change(|secrets| {
            secrets.insert(name.to_owned(), value.to_owned());
        })
    }

    fn secret_delete(&self, name: &str) -> Result<(), SecretFault> {
        self.change(|secrets| {
            secrets.remove(name);
        })
    }
}

/// Writes a file that only its owner may read, whole or not at all.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_a_file_outlast_the_host_and_session_secrets_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("secrets.json");
        let host = PlainHost::with_secrets_file(dir.path(), &file).unwrap();
        host.secret_set("token", "t").unwrap();
        assert_eq!(host.secrets_problem(), None);
        let again = PlainHost::with_secrets_file(dir.path(), &file).unwrap();
        assert_eq!(again.secret_get("token").unwrap().as_deref(), Some("t"));
        again.secret_delete("token").unwrap();
        assert_eq!(again.secret_get("token").unwrap(), None);

        let host = PlainHost::session_only(dir.path());
        host.secret_set("token", "t").unwrap();
        assert!(host.secrets_problem().is_some());
        assert_eq!(
            PlainHost::session_only(dir.path())
                .secret_get("token")
                .unwrap(),
            None
        );
    }
}
