//! How many rooms of a type, or of the house, may be sold for one night.

/// The lowest overbooking percentage: nothing is sold.
pub const OVERBOOK_PCT_MIN: i32 = -100;
/// The highest overbooking percentage; screens warn far below it.
pub const OVERBOOK_PCT_MAX: i32 = 1000;
/// The widest correction in rooms, either way.
pub const OVERBOOK_ROOMS_MAX: i32 = 10_000;

/// `max(0, floor((total - out_of_order) * (100 + pct) / 100) + rooms)`, in whole 64-bit numbers.
///
/// The percentage never rounds up: one room at 10 percent is one room, not two (B05). The rooms may
/// be negative, and small types need them rather than a percentage.
pub fn sell_limit(total: i32, out_of_order: i32, overbook_pct: i32, overbook_rooms: i32) -> i64 {
    let rooms = i64::from(total) - i64::from(out_of_order);
    let with_percent = (rooms * (100 + i64::from(overbook_pct))).div_euclid(100);
    (with_percent + i64::from(overbook_rooms)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn b05_a_percentage_never_rounds_up() {
        assert_eq!(sell_limit(1, 0, 10, 0), 1);
        assert_eq!(sell_limit(3, 0, 10, 0), 3);
        assert_eq!(sell_limit(4, 0, 25, 0), 5);
        assert_eq!(sell_limit(100, 0, 5, 0), 105);
    }

    #[test]
    fn rooms_may_go_below_the_percentage_but_never_below_nothing() {
        assert_eq!(sell_limit(4, 1, 0, -1), 2);
        assert_eq!(sell_limit(2, 0, 0, -5), 0);
        assert_eq!(sell_limit(10, 0, -100, 0), 0);
    }

    proptest! {
        #[test]
        fn more_rooms_or_percent_never_lower_the_limit(
            total in 0i32..100_000, out in 0i32..100_000,
            pct in OVERBOOK_PCT_MIN..OVERBOOK_PCT_MAX, rooms in -OVERBOOK_ROOMS_MAX..OVERBOOK_ROOMS_MAX,
        ) {
            prop_assume!(out <= total);
            let limit = sell_limit(total, out, pct, rooms);
            prop_assert!(limit >= 0);
            prop_assert!(sell_limit(total, out, pct + 1, rooms) >= limit);
            prop_assert!(sell_limit(total, out, pct, rooms + 1) >= limit);
            prop_assert!(sell_limit(total + 1, out, pct, rooms) >= limit);
        }
    }
}
