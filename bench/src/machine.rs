//! How much of the machine others used while something was measured.
//!
//! A figure taken while somebody else compiles is no figure: the bench compares what the whole
//! machine worked with what it and its children worked, and measures again.

use std::collections::HashMap;

/// Clock ticks worked so far, by everybody and by this program with all that it started.
#[derive(Clone, Copy, Debug)]
pub struct Worked {
    all: u64,
    own: u64,
    capacity: u64,
}

impl Worked {
    /// Reads `/proc`.
    pub fn now() -> Self {
        let (all, capacity) = machine();
        Self {
            all,
            own: own_tree(),
            capacity,
        }
    }

    /// What others took since `earlier`, in permille of the whole machine.
    pub fn others_since(&self, earlier: &Self) -> u64 {
        let all = self.all.saturating_sub(earlier.all);
        let own = self.own.saturating_sub(earlier.own);
        let capacity = self.capacity.saturating_sub(earlier.capacity).max(1);
        all.saturating_sub(own) * 1_000 / capacity
    }
}

/// Busy ticks and all ticks of every core together.
fn machine() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<u64> = text
        .lines()
        .next()
        .unwrap_or("")
        .split_whitespace()
        .skip(1)
        // Guest time stands in user time already.
        .take(8)
        .filter_map(|word| word.parse().ok())
        .collect();
    let capacity: u64 = ticks.iter().sum();
    // Of user, nice, system, idle, iowait, irq, softirq, steal: idle and iowait are no work.
    let idle = ticks.get(3).unwrap_or(&0) + ticks.get(4).unwrap_or(&0);
    (capacity.saturating_sub(idle), capacity)
}

/// Ticks of this process and its descendants, those that have ended included.
fn own_tree() -> u64 {
    let mut parents: HashMap<u32, (u32, u64)> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        if let Some(line) = parse(&stat) {
            parents.insert(pid, line);
        }
    }
    let own = std::process::id();
    parents
        .iter()
        .filter(|(pid, _)| descends(**pid, own, &parents))
        .map(|(_, (_, ticks))| ticks)
        .sum()
}

/// Parent, and ticks with those of children that were waited for.
fn parse(stat: &str) -> Option<(u32, u64)> {
    // The name in parentheses may hold spaces: fields are counted from its end.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = (11..15)
        .filter_map(|field| fields.get(field)?.parse::<u64>().ok())
        .sum();
    Some((parent, ticks))
}

fn descends(mut pid: u32, from: u32, parents: &HashMap<u32, (u32, u64)>) -> bool {
    while pid != from {
        match parents.get(&pid) {
            Some((parent, _)) if *parent != 0 => pid = *parent,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_works_is_our_own() {
        let before = own_tree();
        let done = std::process::Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"])
            .status()
            .unwrap();
        assert!(done.success());
        assert!(own_tree() > before);
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse() {
        let stat = "42 (a b) c) S 7 42 42 0 -1 0 0 0 0 0 10 20 1 2 20 0 1 0";
        assert_eq!(parse(stat), Some((7, 33)));
    }
}
