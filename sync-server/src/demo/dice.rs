//! Chance from a seed, in whole numbers, so that every machine makes the same hotel.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

/// A source of chance.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    rng: ChaCha8Rng,
}

impl Dice {
    /// The same seed gives the same throws.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// True in `chance` of a thousand throws.
    pub(super) fn permille(&mut self, chance: u32) -> bool {
        self.rng.random_range(0..1_000u32) < chance
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.rng.random_range(low..=high)
    }

    /// One of the list, each as likely.
    pub(super) fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.rng.random_range(0..list.len())]
    }

    /// A place in the list, each as likely as its weight.
    pub(super) fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.rng.random_range(0..weights.iter().sum::<u32>());
        weights
            .iter()
            .position(|weight| match left.checked_sub(*weight) {
                Some(rest) => {
                    left = rest;
                    false
                }
                None => true,
            })
            .unwrap_or(0)
    }

    /// A version 7 id as a desk would make it at that instant.
    pub(super) fn id<T: From<Uuid>>(&mut self, millis: u64) -> T {
        let mut random = [0; 10];
        self.rng.fill_bytes(&mut random);
        uuid::Builder::from_unix_timestamp_millis(millis, &random)
            .into_uuid()
            .into()
    }
}
