//! What the desk needs from outside, as the window gives it.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use desk::host::{Host, SecretFault, system_now};

use crate::secrets::Secrets;

/// The clock of the machine, the keyring of the system, one folder.
pub(crate) struct WindowHost {
    data: PathBuf,
    secrets: Secrets,
}

impl WindowHost {
    /// Tries the keyring; may wait for a person to unlock it.
    pub(crate) fn open(data: PathBuf) -> Self {
        let secrets = Secrets::open(&data);
        if let Some(reason) = secrets.problem() {
            tracing::warn!(reason, "secrets are kept for this session only");
        }
        Self { data, secrets }
    }
}

impl Host for WindowHost {
    fn now(&self) -> DateTime<Utc> {
        system_now()
    }

    fn data_dir(&self) -> &Path {
        &self.data
    }

    fn secrets_problem(&self) -> Option<String> {
        self.secrets.problem().map(str::to_owned)
    }

    fn secret_get(&self, name: &str) -> Result<Option<String>, SecretFault> {
        self.secrets.get(name).map_err(SecretFault)
    }

    fn secret_set(&self, name: &str, value: &str) -> Result<(), SecretFault> {
        self.secrets.set(name, value).map_err(SecretFault)
    }

    fn secret_delete(&self, name: &str) -> Result<(), SecretFault> {
        self.secrets.delete(name).map_err(SecretFault)
    }
}
