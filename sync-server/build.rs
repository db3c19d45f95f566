//! A migration that is added must be built in, which cargo does not notice by itself.

fn main() {
    println!("cargo:rerun-if-changed=../migrations/server");
}
