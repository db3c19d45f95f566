//! Where this desk keeps its things, and the size its window had.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The folder: `$NIGHTDESK_DESK_DATA`, else the user's data folder.
///
/// # Errors
/// A sentence, where there is no home either.
pub(crate) fn data_dir() -> Result<PathBuf, String> {
    if let Some(dir) = std::env::var_os("NIGHTDESK_DESK_DATA").filter(|dir| !dir.is_empty()) {
        return Ok(dir.into());
    }
    let base = match std::env::var_os("XDG_DATA_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => Some(PathBuf::from(dir)),
        None => std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share")),
    };
    match base {
        Some(base) => Ok(base.join("nightdesk/desk")),
        None => Err(
            "There is no home folder: say where to keep data with NIGHTDESK_DESK_DATA.".to_owned(),
        ),
    }
}

/// The window's size in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) maximized: bool,
}

impl Size {
    /// What most front desks have on their table.
    pub(crate) const FIRST: Self = Self {
        width: 1366.0,
        height: 768.0,
        maximized: false,
    };
    /// Below this the screens no longer fit.
    pub(crate) const LEAST: Self = Self {
        width: 1024.0,
        height: 700.0,
        maximized: false,
    };

    /// The size kept in the folder; the first one where there is none, or none that makes sense.
    pub(crate) fn load(dir: &Path) -> Self {
        let read = || {
            let text = std::fs::read_to_string(file(dir)).ok()?;
            let value: Value = serde_json::from_str(&text).ok()?;
            let side = |name: &str, least: f64| {
                value[name]
                    .as_f64()
                    .filter(|side| (least..=20_000.0).contains(side))
            };
            Some(Self {
                width: side("width", Self::LEAST.width)?,
                height: side("height", Self::LEAST.height)?,
                maximized: value["maximized"].as_bool()?,
            })
        };
        read().unwrap_or(Self::FIRST)
    }

    /// Keeps it. A full disk is no reason to bother anybody about a size.
    pub(crate) fn save(self, dir: &Path) {
        let text = json!({
            "width": self.width, "height": self.height, "maximized": self.maximized,
        });
        if let Err(error) = std::fs::write(file(dir), text.to_string()) {
            tracing::warn!(%error, "the window's size was not kept");
        }
    }
}

fn file(dir: &Path) -> PathBuf {
    dir.join("window.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_kept_and_nonsense_is_not_used() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(Size::load(dir.path()), Size::FIRST);
        let size = Size {
            width: 1500.5,
            height: 900.0,
            maximized: true,
        };
        size.save(dir.path());
        assert_eq!(Size::load(dir.path()), size);
        for nonsense in [
            "",
            "{}",
            r#"{"width":1e9,"height":900,"maximized":false}"#,
            r#"{"width":1,"height":1,"maximized":false}"#,
        ] {
            std::fs::write(file(dir.path()), nonsense).expect("written");
            assert_eq!(Size::load(dir.path()), Size::FIRST, "{nonsense}");
        }
    }
}
