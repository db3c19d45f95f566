//! Money is whole minor units of the hotel's one currency, never a fraction.

/// The largest amount taken anywhere, in minor units: far above any bill, far below overflow when
/// 365 nights of 50 rooms are added up.
pub const MINOR_MAX: i64 = 1_000_000_000_000;

/// How many digits a currency writes after the point (ISO 4217), for showing and reading amounts.
/// Amounts themselves are whole minor units: 10000 JPY is `10000`, 18.600 KWD is `18600` (B52).
pub fn minor_digits(currency: &str) -> u32 {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

/// Whether the text is a currency code in form: three capital letters.
pub fn is_currency_code(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}
