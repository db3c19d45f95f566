//! Passwords: Argon2id with the library's defaults (19 MiB, two passes).

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// The longest password taken, in bytes: hashing reads all of it.
pub const PASSWORD_BYTES_MAX: usize = 200;
/// The shortest password that may be set, in characters.
pub const PASSWORD_CHARS_MIN: usize = 8;

/// A password as it is kept. Slow on purpose: call it off the async threads.
pub fn hash(password: &str) -> anyhow::Result<String> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(|error| anyhow::anyhow!("hashing a password: {error}"))
}

/// Whether this is the password that was kept. Slow on purpose: call it off the async threads.
pub fn matches(password: &str, kept: &str) -> bool {
    PasswordHash::new(kept).is_ok_and(|kept| {
        Argon2::default()
            .verify_password(password.as_bytes(), &kept)
            .is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_matches() {
        let kept = hash("correct horse").unwrap();
        assert!(kept.starts_with("$argon2id$"));
        assert!(matches("correct horse", &kept));
        assert!(!matches("correct horsf", &kept));
        assert!(!matches("correct horse", "not a hash"));
        assert_ne!(kept, hash("correct horse").unwrap());
    }
}
