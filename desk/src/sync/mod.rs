//! Following the server's log, and sending the clerk's commands.
//!
//! `plan` says what to do next and does nothing; `snapshot`, `pull` and `push` do it; `overlay` says
//! what a command looks like before the log brings it.

pub mod overlay;
