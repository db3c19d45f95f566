//! Whole-system tests, in one binary so that they are linked once.

mod architecture;
mod faults;
mod last_room;
mod replay;
