//! Slowing down whoever tries passwords: so many failures for one name from one address, and so many
//! from one address, in so much time. Kept in memory: each server counts for itself.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures for one name from one address.
const PER_NAME_MAX: u32 = 8;
/// Failures from one address, whatever the name: a reception has one address and many names.
const PER_ADDRESS_MAX: u32 = 60;
/// In how long.
const WINDOW: Duration = Duration::from_secs(5 * 60);
/// More counters than this are not kept.
const COUNTERS_MAX: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Name(String, Option<IpAddr>),
    Address(Option<IpAddr>),
}

/// The counters. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Throttle {
    counters: Arc<Mutex<HashMap<Subject, (u32, Instant)>>>,
}

impl Throttle {
    /// Counts an attempt as failed until [`Throttle::succeeded`] says otherwise, so that a thousand
    /// at once do not slip through together. Whether it may go on.
    pub(crate) fn attempt(&self, name: &str, address: Option<IpAddr>, now: Instant) -> bool {
        let address = address.map(network);
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= COUNTERS_MAX {
            counters.retain(|_, (_, since)| now.duration_since(*since) < WINDOW);
            if counters.len() >= COUNTERS_MAX {
                return false;
            }
        }
        // The address first: one that is shut out leaves no counter per name behind, or it could fill
        // them all and shut out everybody.
        let mut count = |subject: Subject, max: u32| {
            let counter = counters.entry(subject).or_insert((0, now));
            if now.duration_since(counter.1) >= WINDOW {
                *counter = (0, now);
            }
            counter.0 = counter.0.saturating_add(1);
            counter.0 <= max
        };
        count(Subject::Address(address), PER_ADDRESS_MAX)
            && count(Subject::Name(name.to_owned(), address), PER_NAME_MAX)
    }

    /// The attempt was no guess.
    pub(crate) fn succeeded(&self, name: &str, address: Option<IpAddr>) {
        let address = address.map(network);
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters.remove(&Subject::Name(name.to_owned(), address));
        if let Some(counter) = counters.get_mut(&Subject::Address(address)) {
            counter.0 = counter.0.saturating_sub(1);
        }
    }
}

/// The addresses that one caller has: with IPv6 that is a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shut_for_a_while_and_others_are_not() {
        let throttle = Throttle::default();
        let (here, now) = (Some(IpAddr::from([127, 0, 0, 1])), Instant::now());
        for _ in 0..PER_NAME_MAX {
            assert!(throttle.attempt("ana", here, now));
        }
        assert!(!throttle.attempt("ana", here, now));
        assert!(throttle.attempt("marta", here, now));
        assert!(throttle.attempt("ana", Some(IpAddr::from([127, 0, 0, 2])), now));
        assert!(throttle.attempt("ana", here, now + WINDOW));
    }

    #[test]
    fn one_address_cannot_shut_out_the_others() {
        let throttle = Throttle::default();
        let now = Instant::now();
        let address = |last| Some(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]));
        for name in 0..COUNTERS_MAX + 1_000 {
            throttle.attempt(
                &format!("flood{name}"),
                address((name % 60_000) as u16),
                now,
            );
        }
        assert!(!throttle.attempt("ana", address(1), now));
        assert!(throttle.attempt("ana", Some(IpAddr::from([127, 0, 0, 1])), now));
    }

    #[test]
    fn right_passwords_are_not_counted() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..PER_ADDRESS_MAX * 2 {
            assert!(throttle.attempt("ana", None, now));
            throttle.succeeded("ana", None);
        }
    }
}
