//! What a clerk does: every change goes through one queue (design section 6).

pub(crate) mod submit;
pub(crate) mod touches;
