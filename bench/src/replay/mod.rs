//! A real hotel's operations, day by day, through the API as a desk would.

pub mod compare;
pub mod file;
pub mod play;
pub mod run;
pub mod script;
