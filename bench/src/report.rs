//! What a bench says at its end: a table for people, one JSON object for programs.

use serde_json::{Map, Value};

/// Figures by name, in the order in which they were added, and what fell short.
#[derive(Debug, Default)]
pub struct Report {
    title: String,
    rows: Vec<(String, Value, String)>,
    short: Vec<String>,
}

impl Report {
    /// An empty report.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// A figure under its stable name, with a word on what it means.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>, meaning: impl Into<String>) {
        self.rows
            .push((name.to_owned(), value.into(), meaning.into()));
    }

    /// Says what fell short unless it holds.
    pub fn demand(&mut self, holds: bool, otherwise: impl Into<String>) {
        if !holds {
            self.short.push(otherwise.into());
        }
    }

    /// Whether every demand held.
    pub fn passed(&self) -> bool {
        self.short.is_empty()
    }

    /// What fell short.
    pub fn shortcomings(&self) -> &[String] {
        &self.short
    }

    /// One figure.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.rows
            .iter()
            .find(|(known, ..)| known == name)
            .map(|(_, value, _)| value)
    }

    /// The table.
    pub fn table(&self) -> String {
        let width = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let names = width(&mut self.rows.iter().map(|row| row.0.clone()));
        let values = width(&mut self.rows.iter().map(|row| shown(&row.1)));
        let mut text = format!("\n{}\n", self.title);
        for (name, value, meaning) in &self.rows {
            let value = shown(value);
            text.push_str(&format!("  {name:<names$}  {value:>values$}  {meaning}\n"));
        }
        for short in &self.short {
            text.push_str(&format!("  FALLS SHORT: {short}\n"));
        }
        if self.passed() {
            text.push_str("  passes\n");
        }
        text
    }

    /// The object.
    pub fn json(&self) -> String {
        let mut object: Map<String, Value> = self
            .rows
            .iter()
            .map(|(name, value, _)| (name.clone(), value.clone()))
            .collect();
        object.insert("passed".to_owned(), self.passed().into());
        Value::Object(object).to_string()
    }

    /// Prints the table, and the object as the last line where asked.
    #[allow(clippy::print_stdout, reason = "this is the program's output")]
    pub fn print(&self, json: bool) {
        println!("{}", self.table());
        if json {
            println!("{}", self.json());
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A line on what is being done, for the person who waits; on the error stream, so that it never
/// mixes with what programs read.
pub fn say(line: impl AsRef<str>) {
    eprintln!("{}", line.as_ref());
}

/// Two places after the point.
#[allow(clippy::float_arithmetic, reason = "a figure for people")]
pub fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The `permille`-th thousandth of the sorted durations, in milliseconds.
pub fn percentile_ms(sorted_micros: &[u64], permille: usize) -> f64 {
    let Some(last) = sorted_micros.len().checked_sub(1) else {
        return 0.0;
    };
    #[allow(clippy::float_arithmetic, reason = "a figure for people")]
    let ms = sorted_micros[(last * permille).div_ceil(1_000).min(last)] as f64 / 1_000.0;
    rounded(ms)
}

/// The middle of the values; the lower of the two middle ones.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_median() {
        let sorted: Vec<u64> = (1..=100).map(|ms| ms * 1_000).collect();
        assert_eq!(percentile_ms(&sorted, 500), 51.0);
        assert_eq!(percentile_ms(&sorted, 990), 100.0);
        assert_eq!(percentile_ms(&[], 990), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_report_that_falls_short_says_so() {
        let mut report = Report::new("x");
        report.figure("ratio", 0.5, "of bare");
        report.demand(false, "ratio below 0.6");
        assert!(!report.passed());
        assert!(report.table().contains("FALLS SHORT: ratio below 0.6"));
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json, serde_json::json!({"passed": false, "ratio": 0.5}));
    }
}
