//! What is fast, what is not, and real hotels played through the API.
//!
//! Every bench brings up its own servers over its own private PostgreSQL, with `fsync` and
//! `synchronous_commit` on, and ends everything that it started. Figures are ratios against a floor
//! measured in the same run (design section 9).

pub mod apply;
pub mod cluster;
pub mod desks;
pub mod first_sync;
pub mod follow;
pub mod http;
pub mod large;
pub mod last_room;
pub mod machine;
pub mod process;
pub mod replay;
pub mod report;
pub mod rig;
pub mod see_it;
pub mod throughput;
