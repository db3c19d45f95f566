//! The authority: the only one that may sell a night.

pub mod app;
pub(crate) mod audit;
pub mod catalog;
pub mod config;
pub mod db;
pub mod demo;
pub(crate) mod document;
mod doors;
pub mod error;
pub mod events;
pub mod guests;
pub(crate) mod health;
pub(crate) mod inventory;
pub(crate) mod jobs;
pub mod observe;
pub mod postgres;
pub(crate) mod reservations;
pub(crate) mod rooms;
pub mod serve;
pub mod staff;
pub(crate) mod stop;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod verify;
pub(crate) mod web;
