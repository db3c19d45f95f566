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
/// of what follows (B94). Text of which nothing is seen becomes an empty string; [`required`] refuses
/// it. Line breaks stay, as in notes; [`line()`] refuses them.
pub fn clean(text: &str, chars_max: usize) -> Result<String, TextFault> {
    let kept: String = text.nfc().filter(|c| !turns_direction(*c)).collect();
    // After the marks are gone: white space may stand between them.
    let kept = kept.trim().to_owned();
    if kept
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return Err(TextFault::Control);
    }
    if kept.chars().all(is_unseen) {
        return Ok(String::new());
    }
    if kept.chars().count() > chars_max {
        return Err(TextFault::TooLong(chars_max));
    }
    if holds_card_number(&kept) {
        return Err(TextFault::CardNumber);
    }
    Ok(kept)
}

/// As [`clean`], for what stands on one line: names, codes, numbers.
pub fn line(text: &str, chars_max: usize) -> Result<String, TextFault> {
    let kept = clean(text, chars_max)?;
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if kept.chars().any(breaks) {
        Err(TextFault::Control)
    } else {
        Ok(kept)
    }
}

/// As [`line()`], and not empty.
pub fn required(text: &str, chars_max: usize) -> Result<String, TextFault> {
    let kept = line(text, chars_max)?;
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

/// White space and marks that have no shape of their own.
fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether 13 to 19 digits, with what people write between groups of them, pass Luhn's check and begin
/// as payment cards do. A run glued to a longer row of digits is looked at as a whole.
pub fn holds_card_number(text: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut group = 0;
    let mut found = false;
    for c in text.chars().chain(std::iter::once('\n')) {
        if let Some(digit) = digit_of_any_script(c) {
            digits.push(digit);
            group += 1;
            continue;
        }
        let between = match c {
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => true,
            // Between the parts of a date these stand too; a card's groups are longer.
            '.' | '/' | '_' => group >= 4,
            '\n' => false,
            _ => is_unseen(c),
        };
        group = 0;
        if !between {
            found |= is_card_number(&digits);
            digits.clear();
        }
    }
    found
}

/// Latin, Arabic, Persian, Devanagari, full-width.
fn digit_of_any_script(c: char) -> Option<u32> {
    let zeros = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'];
    zeros
        .into_iter()
        .filter_map(|zero| u32::from(c).checked_sub(u32::from(zero)))
        .find(|digit| *digit < 10)
}

fn is_card_number(digits: &[u32]) -> bool {
    if !(13..=19).contains(&digits.len()) || !matches!(digits[0], 2..=6) {
        return false;
    }
    // Of those with a 2, cards have only these; years and days begin with a 2 as well.
    let first_four = digits[..4]
        .iter()
        .fold(0, |number, digit| number * 10 + digit);
    if digits[0] == 2 && (digits.len() != 16 || !(2221..=2720).contains(&first_four)) {
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
        for written in [
            "4242.4242.4242.4242",
            "4242/4242/4242/4242",
            "4242_4242_4242_4242",
            "3782.822463.10005",
            "2223-0031-2200-3222",
            "4242\u{2011}4242\u{2011}4242\u{2011}4242",
            "4242\u{200b}4242\u{2003}4242\u{202f}4242",
            "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢",
        ] {
            assert!(holds_card_number(written), "{written:?}");
        }
        // Luhn's check holds for each of these, were it asked.
        for date in ["24.12.2026 - 22.12.2026", "2026-12-24 2026-12-22"] {
            assert!(!holds_card_number(date), "{date}");
        }
        assert!(!holds_card_number("call +34 600 000 001"));
        assert!(!holds_card_number("4242 4242 4242 4243"));
    }

    #[test]
    fn b94_what_nobody_can_see_is_empty_and_a_name_is_one_line() {
        for unseen in [
            "\u{202e} \u{202e}",
            "\u{200b}",
            "\u{feff}",
            "\u{3164}\u{200d}",
        ] {
            assert_eq!(required(unseen, 200), Err(TextFault::Empty), "{unseen:?}");
        }
        assert_eq!(clean("\u{202e} a \u{202c}", 200).unwrap(), "a");
        for broken in ["a\nb", "a\tb", "a\u{2028}b", "a\u{85}b"] {
            assert_eq!(required(broken, 200), Err(TextFault::Control), "{broken:?}");
        }
        assert_eq!(clean("first\nsecond", 200).unwrap(), "first\nsecond");
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
