//! Loading a copy page by page: the rows of some pages and the place where the next begins are
//! written in one transaction, so that a load goes on where it stopped (B70).

use protocol::event::Change;
use protocol::id::EventId;
use uuid::Uuid;

use super::plan::Outcome;
use crate::client::RawSnapshot;
use crate::store::meta::{self, CopyState, Loading};
use crate::store::{Result, Store, StoreFault, command, copy, history, overlaid};
use crate::sync::OFFERED_AGAIN;

/// A page whose changes are understood.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) from: i64,
    pub(crate) from_id: Option<EventId>,
    pub(crate) epoch: Uuid,
    pub(crate) rows_total: Option<i64>,
    pub(crate) until: Option<i64>,
    pub(crate) changes: Vec<Change>,
    pub(crate) cursor: Option<String>,
}

impl Page {
    pub(crate) fn decode(raw: RawSnapshot) -> Result<Self, crate::client::Unknown> {
        Ok(Self {
            changes: crate::client::decode(&raw.changes)?,
            from: raw.from,
            from_id: raw.from_id,
            epoch: raw.epoch,
            rows_total: raw.rows_total,
            until: raw.until,
            cursor: raw.cursor,
        })
    }
}

/// Begins a load over whatever is there. The old rows stay readable until the new ones are complete.
pub(crate) fn begin(store: &Store, offer_again: bool) -> Result<CopyState> {
    store.write(|tx| {
        let mut state = meta::copy_state(tx)?;
        state.generation += 1;
        state.loading = Some(Loading::default());
        state.offer_again |= offer_again;
        state.update_needed = None;
        meta::set_copy_state(tx, &state)?;
        Ok(state)
    })
}

/// Writes some pages that follow each other, and where the next begins.
pub(crate) fn store_pages(
    store: &Store,
    pages: &[Page],
    now: chrono::DateTime<chrono::Utc>,
) -> Result<(CopyState, Outcome)> {
    store.write_unchecked(|tx| {
        let mut state = meta::copy_state(tx)?;
        let Some(mut load) = state.loading.clone() else {
            return Ok((state, Outcome::Fine));
        };
        overlaid::rewind(tx)?;
        for page in pages {
            if load.begun && state.epoch != Some(page.epoch) {
                // Restored between two pages: the rows so far are another past's.
                overlaid::replay(tx, state.generation, state.cursor)?;
                return Ok((state, Outcome::WrongPast));
            }
            if !load.begun {
                let other_past = state.epoch.is_some_and(|epoch| epoch != page.epoch);
                if state.offer_again || other_past {
                    let offered = command::offer_again(tx, now - OFFERED_AGAIN)?;
                    history::clear(tx)?;
                    state.offer_again = false;
                    tracing::warn!(name = "copy.other_past", offered);
                }
                state.epoch = Some(page.epoch);
                load.begun = true;
                load.from = page.from;
                load.from_id = page.from_id;
                load.total = page.rows_total;
            }
            copy::load_all(tx, state.generation, &page.changes)?;
            load.done += i64::try_from(page.changes.len()).unwrap_or(0);
            load.page.clone_from(&page.cursor);
            if page.cursor.is_none() {
                load.until = Some(page.until.unwrap_or(page.from));
                state.cursor = load.from;
                state.last_id = load.from_id;
            }
        }
        state.loading = Some(load);
        meta::set_copy_state(tx, &state)?;
        overlaid::replay(tx, state.generation, state.cursor)?;
        Ok((state, Outcome::Fine))
    })
}

/// All rows are there and the log is read up to the end of the load: removes what the server no
/// longer has, checks the keys, and opens the copy.
pub(crate) fn finish(store: &Store) -> Result<(CopyState, Outcome)> {
    let done = store.write_unchecked(|tx| {
        let mut state = meta::copy_state(tx)?;
        overlaid::rewind(tx)?;
        copy::finish_load(tx, state.generation)?;
        let broken = copy::broken_keys(tx)?;
        if !broken.is_empty() {
            tracing::error!(name = "copy.broken_keys", ?broken);
            if state.broken_loads == 0 {
                // Once more from the beginning. A second time would not mend what the server itself
                // sends, and a desk that shows most of the house beats one that shows nothing.
                state.broken_loads += 1;
                meta::set_copy_state(tx, &state)?;
                overlaid::replay(tx, state.generation, state.cursor)?;
                return Ok((state, Outcome::BrokenKeys));
            }
        }
        state.broken_loads = 0;
        state.usable = true;
        state.loading = None;
        meta::set_copy_state(tx, &state)?;
        overlaid::replay(tx, state.generation, state.cursor)?;
        Ok::<_, StoreFault>((state, Outcome::Fine))
    })?;
    store.checkpoint()?;
    Ok(done)
}
