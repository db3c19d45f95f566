//! How many long polls one sign-in may have open. Each that waits looks at the log every second, so a
//! desk with thousands of them would take the readers' connections from everybody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::code::Code;
use protocol::id::{DeviceId, HotelId, StaffId};

use crate::db::command::Caller;
use crate::error::ApiError;

/// The most that one person at one desk may have open: a desk needs one, and one that was cut off may
/// not have been noticed yet.
pub(crate) const WAITS_MAX: usize = 8;

type Who = (HotelId, StaffId, Option<DeviceId>);

/// Who waits, and how often. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    counts: Arc<Mutex<HashMap<Who, usize>>>,
}

impl Waiting {
    /// A place to wait, given back when it is dropped.
    ///
    /// # Errors
    ///
    /// `too_many_requests` when as many wait already.
    pub(crate) fn begin(&self, caller: &Caller) -> Result<Place, ApiError> {
        let who = (caller.hotel, caller.staff, caller.device);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(who).or_default();
        if *count >= WAITS_MAX {
            return Err(ApiError::refused(Code::TooManyRequests));
        }
        *count += 1;
        Ok(Place {
            who,
            waiting: self.clone(),
        })
    }

    /// How many wait in all.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.values().sum()
    }
}

/// One poll that waits.
#[derive(Debug)]
pub(crate) struct Place {
    who: Who,
    waiting: Waiting,
}

impl Drop for Place {
    fn drop(&mut self) {
        let counts = &self.waiting.counts;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.who);
            }
        }
    }
}
