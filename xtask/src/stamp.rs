//! Stamps: a digest of what a step reads, kept where the step writes, so that it runs again only when
//! something changed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A digest of files and of everything below folders, names included. What is missing counts as such.
/// It tells changes apart; it is no defence against anybody.
pub(crate) fn digest(paths: &[PathBuf], extra: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    extra.hash(&mut hasher);
    for path in paths {
        add(path, &mut hasher)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    path.hash(hasher);
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        entries.sort();
        for entry in entries {
            add(&entry, hasher)?;
        }
    } else if path.is_file() {
        let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        bytes.hash(hasher);
    }
    Ok(())
}

/// Whether the stamp says that this digest was done.
pub(crate) fn done(stamp: &Path, digest: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|text| text.trim() == digest)
}

/// Says that this digest is done.
pub(crate) fn set(stamp: &Path, digest: &str) -> Result<()> {
    std::fs::write(stamp, digest).with_context(|| format!("cannot write {}", stamp.display()))
}
