//! The vocabulary that the authority and the desk share.
//!
//! Nothing here reads a file, a socket or a clock. What both sides must agree on stands here once:
//! identifiers, nights, money, the sell limit, the states of a reservation, the rows that the log
//! carries, and the requests and answers of the API.

pub mod api;
pub mod code;
pub mod command;
pub mod event;
pub mod id;
pub mod money;
pub mod nights;
pub mod number;
pub mod request;
pub mod role;
pub mod row;
pub mod sell_limit;
pub mod state;
pub mod text;

/// Declares plain data that travels: serde always, OpenAPI and TypeScript where asked for.
macro_rules! wire {
    ($(#[$meta:meta])* $vis:vis struct $($rest:tt)*) => {
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        $(#[$meta])*
        $vis struct $($rest)*
    };
    ($(#[$meta:meta])* $vis:vis enum $($rest:tt)*) => {
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        $(#[$meta])*
        $vis enum $($rest)*
    };
}
pub(crate) use wire;

/// A word from a closed list: written in `snake_case` on the wire, in SQL and in TypeScript alike.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        $vis enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every word, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as it is written on the wire and in SQL.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::code::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word { $($word => Ok(Self::$variant),)+ _ => Err(crate::code::UnknownWord(word.to_owned())) }
            }
        }
    };
}
pub(crate) use words;
