//! Applying the log: rows, history, cursor and overlay of a page change in one transaction (B61, B64).

use std::collections::{BTreeSet, HashSet};

use protocol::event::Event;
use protocol::id::{DeviceId, StaffId};

use super::plan::Outcome;
use crate::client::{RawPage, decode};
use crate::feed;
use crate::rpc::schema::Tag;
use crate::store::meta::{self, CopyState};
use crate::store::{Result, Store, StoreFault, copy, history, overlaid, staff};

/// What a page did.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) outcome: Outcome,
    pub(crate) tags: HashSet<Tag>,
    pub(crate) by: BTreeSet<String>,
}

/// Applies a page as far as it is understood and follows on what is known. A page that was applied
/// before changes nothing.
pub(crate) fn apply(store: &Store, page: RawPage, device: DeviceId) -> Result<Applied> {
    let known = store.read(meta::copy_state)?;
    if let Some(outcome) = wrong_past(&known, &page) {
        return Ok(ended(outcome));
    }
    let mut events = Vec::new();
    let mut outcome = Outcome::Fine;
    let mut next = known.cursor + 1;
    for raw in page.events {
        if raw.seq < next {
            continue;
        }
        if raw.seq > next {
            tracing::error!(name = "log.gap", wanted = next, seq = raw.seq);
            outcome = Outcome::WrongPast;
            break;
        }
        let changes = match decode(&raw.changes) {
            Ok(changes) => changes,
            Err(unknown) => {
                tracing::warn!(name = "log.unknown", seq = raw.seq, %unknown);
                outcome = Outcome::Unknown;
                break;
            }
        };
        next += 1;
        events.push(Event {
            seq: raw.seq,
            id: raw.id,
            at: raw.at,
            business_date: raw.business_date,
            actor: raw.actor,
            device: raw.device,
            verb: raw.verb,
            reason: raw.reason,
            changes,
        });
    }
    if events.is_empty() {
        return Ok(ended(outcome));
    }
    match write(store, &events, known.loading.is_some(), device) {
        Ok((tags, by)) => Ok(Applied { outcome, tags, by }),
        Err(fault) if fault.is_broken_key() => {
            tracing::error!(name = "log.broken_key", after = known.cursor);
            Ok(ended(Outcome::BrokenKeys))
        }
        Err(fault) => Err(fault),
    }
}

fn ended(outcome: Outcome) -> Applied {
    Applied {
        outcome,
        tags: HashSet::new(),
        by: BTreeSet::new(),
    }
}

/// The server checks this too; a desk that is told nothing must still notice.
fn wrong_past(known: &CopyState, page: &RawPage) -> Option<Outcome> {
    let other_epoch = known.epoch.is_some_and(|epoch| epoch != page.epoch);
    let set_back = page.head < known.cursor;
    let other_head = page.head == known.cursor
        && known.last_id.is_some()
        && page.head_id.is_some()
        && page.head_id != known.last_id;
    (other_epoch || set_back || other_head).then_some(Outcome::WrongPast)
}

type Written = (HashSet<Tag>, BTreeSet<String>);

fn write(store: &Store, events: &[Event], loading: bool, device: DeviceId) -> Result<Written> {
    let work = |tx: &rusqlite::Transaction<'_>| -> Result<Written> {
        let mut state = meta::copy_state(tx)?;
        let mut touched = overlaid::rewind(tx)?;
        let mut tags = HashSet::new();
        let mut by = BTreeSet::new();
        for event in events {
            // Another pull may have been faster: what is known is passed over, nothing is skipped.
            if event.seq != state.cursor + 1 {
                continue;
            }
            copy::put_all(tx, state.generation, &event.changes)?;
            history::add(tx, event)?;
            state.cursor = event.seq;
            state.last_id = Some(event.id);
            tags.extend(feed::tags_of_changes(&event.changes));
            if event.device != Some(device) && event.actor != StaffId::SYSTEM {
                by.insert(staff::name_of(tx, event.actor)?);
            }
        }
        meta::set_copy_state(tx, &state)?;
        touched.extend(overlaid::replay(tx, state.generation, state.cursor)?);
        tags.extend(
            touched
                .iter()
                .flat_map(|key| feed::tags_of_key(key))
                .copied(),
        );
        Ok::<_, StoreFault>((tags, by))
    };
    if loading {
        store.write_unchecked(work)
    } else {
        store.write(work)
    }
}

/// The server sends what this build does not know: written down, so that only a newer build goes on.
pub(crate) fn update_needed(store: &Store, build: &str) -> Result<CopyState> {
    store.write(|tx| {
        let mut state = meta::copy_state(tx)?;
        state.update_needed = Some(build.to_owned());
        meta::set_copy_state(tx, &state)?;
        Ok(state)
    })
}
