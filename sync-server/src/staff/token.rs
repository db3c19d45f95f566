//! What a signed-in caller carries: opaque, hashed at rest. The hotel is a part of it, so that the
//! look-up names the hotel and stays on one shard.

use protocol::id::HotelId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Marks a text as a token of this kind, for whoever finds one where it does not belong.
const PREFIX: &str = "nd1";

/// A token as it travels. Its `Debug` says nothing.
#[derive(Clone)]
pub(crate) struct Token {
    text: String,
    /// The hotel that it opens, if it opens any.
    pub(crate) hotel: HotelId,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// A new one, from 32 bytes of the system's randomness.
    pub(crate) fn random(hotel: HotelId) -> anyhow::Result<Self> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
        let secret: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            text: format!("{PREFIX}.{}.{secret}", hotel.0.simple()),
            hotel,
        })
    }

    /// Reads what a caller sent; `None` when it cannot be one of ours.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (prefix, hotel, secret) = (parts.next()?, parts.next()?, parts.next()?);
        if prefix != PREFIX || secret.len() != 64 || parts.next().is_some() {
            return None;
        }
        Some(Self {
            text: text.to_owned(),
            hotel: HotelId(Uuid::try_parse(hotel).ok()?),
        })
    }

    /// As it travels.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// As it is kept. 256 random bits need no salt and no slow hash.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.text.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_hotel_and_hides_in_debug() {
        let hotel = HotelId(Uuid::now_v7());
        let token = Token::random(hotel).unwrap();
        let read = Token::parse(token.text()).unwrap();
        assert_eq!(read.hotel, hotel);
        assert_eq!(read.hash(), token.hash());
        assert_ne!(token.hash(), Token::random(hotel).unwrap().hash());
        assert_eq!(format!("{token:?}"), "Token(..)");
        for bad in [
            "",
            "nd1",
            "nd1.x.y",
            &format!("nd2{}", &token.text()[3..]),
            &format!("{}.", token.text()),
        ] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
    }
}
