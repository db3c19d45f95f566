//! The real window, in a virtual display. `cargo xtask test` builds the programs and runs these.

mod run;
mod support;
