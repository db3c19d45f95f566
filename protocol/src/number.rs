//! The confirmation number that a guest is told.

use crate::id::BookingId;

/// Crockford's alphabet: no I, L, O, U, so nothing is misread aloud or on paper.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Ten characters, `K7Q2M-9TXBC`, taken from the random end of the booking's own id.
///
/// Both sides know it without asking, and it cannot be counted up (B110): it holds 50 random bits.
pub fn confirmation_number(booking: BookingId) -> String {
    let mut bits = booking.0.as_u128() & ((1 << 50) - 1);
    let mut number = [b'0'; 11];
    for place in (0..11).rev() {
        if place == 5 {
            number[place] = b'-';
            continue;
        }
        number[place] = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    number.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_number_is_ten_characters_and_only_the_booking_s() {
        let one = confirmation_number(BookingId(Uuid::from_u128(1)));
        assert_eq!(one, "00000-00001");
        assert_ne!(one, confirmation_number(BookingId(Uuid::from_u128(2))));
        assert_eq!(confirmation_number(BookingId(Uuid::max())), "ZZZZZ-ZZZZZ");
    }
}
