//! The front desk without a window: the local copy, its synchronisation, the clerk's commands.

pub mod host;
pub mod rpc;
pub mod store;
pub mod sync;
