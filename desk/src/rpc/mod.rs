//! What the screens may ask of the desk: one typed call, the same over Tauri and over loopback HTTP.

#[cfg(feature = "ts")]
pub mod codegen;
pub mod schema;
