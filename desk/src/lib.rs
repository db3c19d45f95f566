//! The front desk without a window: the local copy, its synchronisation, the clerk's commands.
//!
//! A window or a browser talks to [`desk::Desk`] through [`rpc::call`]; everything it shows is read
//! from the local copy, and everything it does goes through one queue.

mod client;
mod commands;
pub mod desk;
mod feed;
pub mod host;
pub mod rpc;
mod settings;
pub mod store;
pub mod sync;
pub mod web;

#[cfg(test)]
mod tests;
