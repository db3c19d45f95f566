//! The authority: the only one that may sell a night.

pub mod db;
pub mod demo;
pub mod error;
