//! What changed, for screens that wait: numbered tags of the reads to ask again.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use protocol::event::{Change, Subject};
use tokio::sync::watch;

use crate::rpc::schema::{Changes, Tag};

/// How many changes are remembered; who is further behind asks everything again.
const REMEMBERED: usize = 512;

/// Every tag there is.
pub(crate) const ALL: [Tag; 8] = [
    Tag::Session,
    Tag::Status,
    Tag::Catalogue,
    Tag::Positions,
    Tag::Stays,
    Tag::Guests,
    Tag::Rates,
    Tag::Commands,
];

struct Entry {
    number: i64,
    tags: HashSet<Tag>,
    by: BTreeSet<String>,
}

/// The changes since the desk was opened.
pub(crate) struct Feed {
    entries: Mutex<VecDeque<Entry>>,
    newest: watch::Sender<i64>,
    first: i64,
}

impl Feed {
    /// Numbers begin at `first`, which differs from start to start, so that a screen that outlives
    /// the desk does not take old numbers for new ones.
    pub(crate) fn new(first: i64) -> Self {
        Self {
            entries: Mutex::default(),
            newest: watch::channel(first).0,
            first,
        }
    }

    /// Something changed; `by` names colleagues at other desks.
    pub(crate) fn tell(
        &self,
        tags: impl IntoIterator<Item = Tag>,
        by: impl IntoIterator<Item = String>,
    ) {
        let tags: HashSet<Tag> = tags.into_iter().collect();
        if tags.is_empty() {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(|p| p.into_inner());
        let number = *self.newest.borrow() + 1;
        if entries.len() == REMEMBERED {
            entries.pop_front();
        }
        entries.push_back(Entry {
            number,
            tags,
            by: by.into_iter().filter(|name| !name.is_empty()).collect(),
        });
        self.newest.send_replace(number);
    }

    /// Waits until there is something after `after`, at most `wait`.
    pub(crate) async fn wait(&self, after: i64, wait: Duration) -> Changes {
        let mut newest = self.newest.subscribe();
        if (self.first..=*newest.borrow()).contains(&after) {
            let news = newest.wait_for(|number| *number > after);
            // An end of time is an empty answer; the sender lives as long as the desk.
            let _ = tokio::time::timeout(wait, news).await;
        }
        self.since(after)
    }

    fn since(&self, after: i64) -> Changes {
        let entries = self.entries.lock().unwrap_or_else(|p| p.into_inner());
        let now = *self.newest.borrow();
        let oldest = entries.front().map_or(now + 1, |entry| entry.number);
        if after < self.first || after > now || after + 1 < oldest {
            return Changes {
                now,
                tags: ALL.to_vec(),
                by: Vec::new(),
            };
        }
        let news = entries.iter().filter(|entry| entry.number > after);
        let mut tags: HashSet<Tag> = HashSet::new();
        let mut by = BTreeSet::new();
        for entry in news {
            tags.extend(&entry.tags);
            by.extend(entry.by.iter().cloned());
        }
        Changes {
            now,
            tags: ALL.into_iter().filter(|tag| tags.contains(tag)).collect(),
            by: by.into_iter().collect(),
        }
    }
}

/// The reads that a change of this thing touches.
pub(crate) fn tags_of(subject: Subject) -> &'static [Tag] {
    match subject {
        Subject::Hotel => &[Tag::Catalogue, Tag::Status, Tag::Stays],
        Subject::RoomType(_) | Subject::Staff(_) => &[Tag::Catalogue],
        Subject::Room(_) => &[Tag::Catalogue, Tag::Stays],
        Subject::Rate(..) => &[Tag::Rates],
        Subject::Night(..) => &[Tag::Positions],
        Subject::Booking(_) | Subject::Reservation(_) | Subject::RoomUse(_) => &[Tag::Stays],
        Subject::Guest(_) => &[Tag::Guests],
    }
}

/// The reads that a thing written as `kind:id` touches.
pub(crate) fn tags_of_key(key: &str) -> &'static [Tag] {
    match key.split(':').next() {
        Some("hotel") => &[Tag::Catalogue, Tag::Status, Tag::Stays],
        Some("room") => &[Tag::Catalogue, Tag::Stays],
        Some("night") => &[Tag::Positions],
        Some("booking" | "reservation" | "room_use") => &[Tag::Stays],
        Some("guest") => &[Tag::Guests],
        _ => &[],
    }
}

/// The reads that these changes touch.
pub(crate) fn tags_of_changes<'a>(changes: impl IntoIterator<Item = &'a Change>) -> HashSet<Tag> {
    changes
        .into_iter()
        .flat_map(|change| tags_of(change.subject()))
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_waiting_screen_is_told_what_to_ask_again() {
        let feed = Feed::new(1_000);
        let first = feed.wait(0, Duration::from_secs(5)).await;
        assert_eq!((first.now, first.tags.len()), (1_000, ALL.len()));
        let (told, ()) = tokio::join!(feed.wait(1_000, Duration::from_secs(5)), async {
            feed.tell([Tag::Stays], ["Ana".to_owned()]);
        });
        assert_eq!(told.tags, [Tag::Stays]);
        assert_eq!((told.now, told.by), (1_001, vec!["Ana".to_owned()]));
        let nothing = feed.wait(1_001, Duration::from_millis(1)).await;
        assert_eq!((nothing.now, nothing.tags), (1_001, vec![]));
    }

    #[tokio::test]
    async fn who_is_too_far_behind_or_from_another_start_asks_everything() {
        let feed = Feed::new(1_000);
        for _ in 0..REMEMBERED + 10 {
            feed.tell([Tag::Guests], []);
        }
        for after in [0, 1_000, 1_005, 99_999] {
            let told = feed.wait(after, Duration::from_secs(5)).await;
            assert_eq!(told.tags.len(), ALL.len(), "{after}");
        }
        let told = feed.wait(1_500, Duration::from_secs(5)).await;
        assert_eq!(told.tags, [Tag::Guests]);
    }
}
