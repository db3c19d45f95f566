//! All SQL, and only here. One file per noun; `command` is the frame in which every change runs.

pub mod command;
pub(crate) mod images;
pub(crate) mod inventory;

use sqlx::PgPool;

/// The database as the rest of the server sees it.
#[derive(Clone, Debug)]
pub struct Db {
    /// For commands only, so that no reader can starve a sale.
    pub(crate) booking: PgPool,
    /// For everything that only reads.
    pub(crate) reads: PgPool,
}

impl Db {
    /// Tells this server's own readers that a hotel's log has grown. After commit, never inside a
    /// booking transaction.
    pub(crate) fn committed(&self, _hotel: protocol::id::HotelId) {}
}
