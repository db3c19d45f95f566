//! Text that people type: what is kept, and what is refused.

use unicode_normalization::UnicodeNormalization;

/// The longest name, in characters.
pub const NAME_CHARS_MAX: usize = 200;
/// The longest note, in characters.
pub const NOTE_CHARS_MAX: usize = 4_000;
/// The longest short word such as a code or a room number, in characters.
pub const CODE_CHARS_MAX: usize = 20;

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    /// Nothing but white space where something is needed.
    #[error("must not be empty")]
    Empty,
    /// Longer than the field allows.
    #[error("must have at most {0} characters")]
    TooLong(usize),
    /// NUL or another control character.
    #[error("must not contain control characters")]
    Control,
    /// A payment card's number: never accepted in any field (N13).
    #[error("looks like a payment card number, which is never stored")]
    CardNumber,
}

/// The text as it is kept: trimmed, in Unicode form C, without marks that turn the writing direction
/// of what follows (B94). Empty text becomes an empty string; [`required`] refuses it.
pub fn clean(text: &str, chars_max: usize) -> Result<String, TextFault> {
    let kept: String = text.trim().nfc().filter(|c| !turns_direction(*c)).collect();
    if kept
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return Err(TextFault::Control);
    }
    if kept.chars().count() > chars_max {
        return Err(TextFault::TooLong(chars_max));
    }
    if holds_card_number(&kept) {
        return Err(TextFault::CardNumber);
    }
    Ok(kept)
}

/// As [`clean`], and not empty.
pub fn required(text: &str, chars_max: usize) -> Result<String, TextFault> {
    let kept = clean(text, chars_max)?;
    if kept.is_empty() {
        Err(TextFault::Empty)
    } else {
        Ok(kept)
    }
}

/// The form in which texts are compared when searching: no accents, no case, one space.
pub fn search_form(text: &str) -> String {
    let plain: String = text
        .nfkd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether 13 to 19 digits in a row, spaces and hyphens between them ignored, pass Luhn's check and
/// begin as payment cards do. A run glued to a longer row of digits is looked at as a whole.
pub fn holds_card_number(text: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut found = false;
    for c in text.chars().chain(std::iter::once('.')) {
        match c {
            ' ' | '-' | '\u{a0}' => {}
            _ => match char::to_digit(c, 10).or_else(|| full_width_digit(c)) {
                Some(digit) => digits.push(digit),
                None => {
                    found |= is_card_number(&digits);
                    digits.clear();
                }
            },
        }
    }
    found
}

fn full_width_digit(c: char) -> Option<u32> {
    ('\u{ff10}'..='\u{ff19}')
        .contains(&c)
        .then(|| u32::from(c) - 0xff10)
}

fn is_card_number(digits: &[u32]) -> bool {
    if !(13..=19).contains(&digits.len()) || !matches!(digits[0], 2..=6) {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b94_emoji_round_trips_and_control_is_refused() {
        let family = "👨\u{200d}👩\u{200d}👧 🇪🇸";
        assert_eq!(clean(family, 200).unwrap(), family);
        assert_eq!(clean("a\u{0}b", 200), Err(TextFault::Control));
        assert_eq!(clean("evil\u{202e}txt", 200).unwrap(), "eviltxt");
        assert_eq!(clean("e\u{301}", 200).unwrap(), "é");
        assert_eq!(search_form("Müller  É"), search_form("mu\u{308}ller e"));
    }

    #[test]
    fn n13_card_numbers_are_refused_and_telephones_are_not() {
        assert!(holds_card_number("card 4242 4242 4242 4242, exp 12/30"));
        assert!(holds_card_number("5555-5555-5555-4444"));
        assert!(holds_card_number("４２４２４２４２４２４２４２４２"));
        assert!(!holds_card_number("call +34 600 000 001"));
        assert!(!holds_card_number("4242 4242 4242 4243"));
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(clean(&"字".repeat(200), 200).is_ok());
        assert_eq!(
            clean(&"a".repeat(10_000), 200),
            Err(TextFault::TooLong(200))
        );
        assert_eq!(required("  ", 200), Err(TextFault::Empty));
    }
}
