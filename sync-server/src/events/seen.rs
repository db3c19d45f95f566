//! How far each desk has read, kept in memory between writes: a poll must not cost a write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::id::{DeviceId, HotelId};

use crate::db::sessions::Seen;

/// What was seen since it was last written down. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenDevices {
    seen: Arc<Mutex<HashMap<(HotelId, DeviceId), Seen>>>,
}

impl SeenDevices {
    /// Notes that a desk has everything up to this number.
    pub(crate) fn note(&self, hotel: HotelId, device: DeviceId, seen: Seen) {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((hotel, device), seen);
    }

    /// Takes what there is to write down.
    pub(crate) fn take(&self) -> Vec<(HotelId, DeviceId, Seen)> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .map(|((hotel, device), seen)| (hotel, device, seen))
            .collect()
    }
}
