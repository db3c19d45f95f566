//! What the screens may ask of the desk: one typed call, the same over Tauri and over loopback HTTP.

pub mod schema;
