//! The arrows of the house, checked: `protocol <- sync-server`, `protocol <- desk <- src-tauri`, SQL of
//! the authority in one folder, the window's library in one folder of the screens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ stands in the root")
        .to_path_buf()
}

/// The workspace members that a member's `[dependencies]` names.
fn arrows_of(member: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(member).join("Cargo.toml")).expect("manifest");
    let section = text.split("\n[dependencies]").nth(1).expect("dependencies");
    let section = section.split("\n[").next().expect("a section");
    let members = [
        "protocol",
        "sync-server",
        "desk",
        "nightdesk",
        "bench",
        "xtask",
    ];
    section
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| members.contains(name))
        .map(str::to_owned)
        .collect()
}

fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path
                .file_name()
                .is_some_and(|name| name != "node_modules" && name != "dist")
            {
                files(&path, extensions, found);
            }
        } else if path
            .extension()
            .is_some_and(|e| extensions.iter().any(|x| e == *x))
        {
            found.push(path);
        }
    }
}

/// Files below `folder` that hold one of the words, less those below `allowed`.
fn offenders(folder: &str, extensions: &[&str], words: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    files(&root().join(folder), extensions, &mut found);
    assert!(
        !found.is_empty(),
        "{folder} holds no such file: the check would see nothing"
    );
    found
        .iter()
        .filter_map(|path| {
            let shown = path
                .strip_prefix(root())
                .ok()?
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(path).ok()?;
            // Tests may look behind the curtain.
            let text = text.split("#[cfg(test)]").next()?;
            let guilty = !allowed.iter().any(|place| shown.starts_with(place))
                && words.iter().any(|word| text.contains(word));
            guilty.then_some(shown)
        })
        .collect()
}

#[test]
fn crates_point_one_way() {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(arrows_of("protocol"), set(&[]));
    assert_eq!(arrows_of("sync-server"), set(&["protocol"]));
    assert_eq!(arrows_of("desk"), set(&["protocol"]));
    assert!(arrows_of("src-tauri").is_subset(&set(&["desk", "protocol"])));
    assert_eq!(arrows_of("xtask"), set(&[]));
}

#[test]
fn the_vocabulary_does_no_io_and_reads_no_clock() {
    let words = [
        "std::fs",
        "std::net",
        "std::env",
        "Utc::now",
        "SystemTime",
        "tokio",
        "sqlx",
        "rusqlite",
    ];
    assert_eq!(offenders("protocol/src", &["rs"], &words, &[]), [""; 0]);
}

#[test]
fn the_servers_sql_stands_in_one_folder() {
    let words = ["sqlx::query", "query_as!", "query_scalar!", "query!("];
    let found = offenders("sync-server/src", &["rs"], &words, &["sync-server/src/db/"]);
    let found: Vec<_> = found
        .into_iter()
        .filter(|path| !path.contains("test") && !path.ends_with("random_walk.rs"))
        .collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_desk_knows_nothing_of_the_window_and_the_screens_see_it_in_one_folder() {
    assert_eq!(
        offenders("desk/src", &["rs"], &["tauri::", "use tauri"], &[]),
        [""; 0]
    );
    let found = offenders(
        "ui/src",
        &["ts", "tsx"],
        &["@tauri-apps"],
        &["ui/src/platform/", "ui/src/app/borders.test.ts"],
    );
    assert_eq!(found, [""; 0]);
}
