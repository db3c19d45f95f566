//! The real window, in a virtual display. `cargo xtask test` builds the programs and runs these.

mod check_in;
mod page;
mod run;
mod stage;
mod support;
