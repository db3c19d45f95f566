//! Reading columns that hold words of closed lists, ids and small lists.

use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;
use serde::de::DeserializeOwned;

/// A column that holds a word of a closed list.
pub(crate) fn word<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let place = row.as_ref().column_index(column)?;
    parse(row.get_ref(place)?.as_str()?, place)
}

/// A column, by its place, that holds a word of a closed list.
pub(crate) fn word_at<T>(row: &Row<'_>, place: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    parse(row.get_ref(place)?.as_str()?, place)
}

fn parse<T>(text: &str, place: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse().map_err(|fault| {
        rusqlite::Error::FromSqlConversionFailure(place, Type::Text, Box::new(fault))
    })
}

/// A text that holds JSON.
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|fault| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(fault)))
}
