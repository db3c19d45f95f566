//! The authority: the only one that may sell a night.

pub mod app;
pub mod catalog;
pub mod db;
pub mod demo;
pub mod error;
pub mod events;
pub mod guests;
pub(crate) mod reservations;
pub mod staff;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub(crate) mod web;
