//! All SQL, and only here. One file per noun; `command` is the frame in which every change runs.

pub(crate) mod audit;
pub(crate) mod availability;
pub(crate) mod bookings;
pub(crate) mod catalog;
pub mod command;
pub(crate) mod demo;
pub(crate) mod events;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod guests;
pub(crate) mod health;
pub(crate) mod holds;
pub(crate) mod images;
pub(crate) mod inventory;
pub mod migrate;
pub(crate) mod new_hotel;
pub(crate) mod nights;
pub(crate) mod rates;
pub(crate) mod releases;
pub(crate) mod reservations;
pub(crate) mod rooms;
pub(crate) mod sessions;
pub(crate) mod shares;
pub(crate) mod snapshot;
pub(crate) mod statistics;
pub(crate) mod stays;
pub(crate) mod verify;
pub(crate) mod window;

use std::sync::Arc;
use std::time::Duration;

use protocol::id::HotelId;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::events::wake::Wakers;

/// How many connections are kept for what.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// For commands. More than the database has cores for costs throughput (measured).
    pub booking: u32,
    /// For everything that only reads.
    pub reads: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self {
            booking: 8,
            reads: 8,
        }
    }
}

/// The database as the rest of the server sees it.
#[derive(Clone, Debug)]
pub struct Db {
    /// For commands only, so that no reader can starve a sale.
    pub(crate) booking: PgPool,
    /// For everything that only reads.
    pub(crate) reads: PgPool,
    /// How to connect, for what needs a connection of its own.
    pub(crate) connect: Arc<PgConnectOptions>,
    /// Who waits for which hotel's log to grow.
    pub(crate) wakers: Wakers,
}

impl Db {
    /// The pools over one database. Connects when first used.
    pub fn new(connect: &PgConnectOptions, sizes: PoolSizes) -> Self {
        // How long a caller waits for a connection before hearing "busy" (N4).
        let pool = |size| {
            PgPoolOptions::new()
                .max_connections(size)
                .acquire_timeout(Duration::from_secs(5))
        };
        // One round trip less per command than `SET LOCAL`, and settings that a statement cannot
        // forget. Over empty tables PostgreSQL would cache sequential scans and stay slow; the
        // booking path always asks by whole keys.
        let booking = connect
            .clone()
            .application_name("nightdesk booking")
            .options([
                ("lock_timeout", "2s"),
                ("statement_timeout", "30s"),
                ("idle_in_transaction_session_timeout", "10s"),
                ("plan_cache_mode", "force_generic_plan"),
                ("enable_seqscan", "off"),
                ("jit", "off"),
            ]);
        let reads = connect
            .clone()
            .application_name("nightdesk reads")
            .options([
                ("statement_timeout", "10s"),
                ("idle_in_transaction_session_timeout", "10s"),
                ("jit", "off"),
            ]);
        Self {
            // No round trip per command only to hear that the connection lives: one that does not
            // answers with an error that means "not decided, try again".
            booking: pool(sizes.booking)
                .test_before_acquire(false)
                .connect_lazy_with(booking),
            reads: pool(sizes.reads).connect_lazy_with(reads),
            connect: Arc::new(connect.clone()),
            wakers: Wakers::default(),
        }
    }

    /// Tells this server's own readers that a hotel's log has grown, and the other servers soon.
    /// After commit, never inside a booking transaction.
    pub(crate) fn committed(&self, hotel: HotelId) {
        self.wakers.wake(hotel);
        self.wakers.tell_others(hotel);
    }

    /// Ends every connection once what runs on it has ended.
    pub async fn close(&self) {
        self.booking.close().await;
        self.reads.close().await;
    }
}

#[cfg(test)]
mod schema_tests;
