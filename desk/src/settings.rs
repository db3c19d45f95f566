//! What the desk remembers outside the copy: nothing secret and nothing personal but a sign-in name.

use std::path::{Path, PathBuf};

use protocol::id::{DeviceId, HotelId, StaffId};
use protocol::role::Role;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::host::write_private;
use crate::rpc::schema::SessionUser;

/// The file in the data folder.
const FILE: &str = "desk.json";

/// Kept in `desk.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Made once when the desk was installed.
    pub(crate) device_id: DeviceId,
    /// What people call the desk.
    pub(crate) device_name: String,
    /// The server used last.
    #[serde(default)]
    pub(crate) server: Option<String>,
    /// The name used last.
    #[serde(default)]
    pub(crate) last_name: Option<String>,
    /// Who is signed in; the token is kept elsewhere.
    #[serde(default)]
    pub(crate) user: Option<SignedInUser>,
}

/// Who is signed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SignedInUser {
    pub(crate) staff_id: StaffId,
    pub(crate) display_name: String,
    pub(crate) role: Role,
    pub(crate) hotel_id: HotelId,
    pub(crate) hotel_name: String,
}

impl SignedInUser {
    pub(crate) fn for_screens(&self) -> SessionUser {
        SessionUser {
            staff_id: self.staff_id,
            display_name: self.display_name.clone(),
            role: self.role,
            hotel_id: self.hotel_id,
            hotel_name: self.hotel_name.clone(),
        }
    }
}

impl Settings {
    /// Reads the file, or makes a desk that has never been used.
    pub(crate) fn load(data_dir: &Path, device_name: &str) -> std::io::Result<Self> {
        match std::fs::read(path(data_dir)) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => {
                let new = Self {
                    device_id: DeviceId(Uuid::now_v7()),
                    device_name: device_name.to_owned(),
                    server: None,
                    last_name: None,
                    user: None,
                };
                new.save(data_dir)?;
                Ok(new)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn save(&self, data_dir: &Path) -> std::io::Result<()> {
        write_private(&path(data_dir), &serde_json::to_vec_pretty(self)?)
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}
