//! `nightdesk-bench NAME [--json]`.

fn main() {}
