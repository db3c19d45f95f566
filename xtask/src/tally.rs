//! Counting what passed and what failed over parts that each report in their own way.

use std::fmt;

use anyhow::Result;

use crate::{process, say};

/// How many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Passed.
    pub(crate) passed: u64,
    /// Failed.
    pub(crate) failed: u64,
    /// Not run, and said so.
    pub(crate) skipped: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

impl Tally {
    /// One thing that passed.
    pub(crate) const PASS: Self = Self {
        passed: 1,
        failed: 0,
        skipped: 0,
    };
    /// One thing that failed.
    pub(crate) const FAIL: Self = Self {
        passed: 0,
        failed: 1,
        skipped: 0,
    };

    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The parts of a run.
#[derive(Default)]
pub(crate) struct Report {
    sum: Tally,
    failed: Vec<String>,
}

impl Report {
    /// Runs one part and counts it. A part that breaks counts as one failure and does not stop the
    /// others, so that one run tells everything.
    ///
    /// # Errors
    /// Only when somebody asked us to stop.
    pub(crate) fn part(&mut self, name: &str, part: impl FnOnce() -> Result<Tally>) -> Result<()> {
        process::check_stop()?;
        say::line(name);
        let tally = match part() {
            Ok(tally) => tally,
            Err(error) => {
                process::check_stop()?;
                say::plain(&format!("{error:#}"));
                Tally::FAIL
            }
        };
        self.sum.add(tally);
        if tally.failed > 0 {
            self.failed.push(name.to_owned());
        }
        let word = if tally.failed > 0 { "FAILED" } else { "ok" };
        say::line(&format!("{name}: {word} ({tally})"));
        Ok(())
    }

    /// The closing line, last of all output. True when nothing failed.
    pub(crate) fn close(self) -> bool {
        if !self.failed.is_empty() {
            say::line(&format!("failed: {}", self.failed.join(", ")));
        }
        say::plain(&self.sum.to_string());
        self.sum.failed == 0
    }
}

/// Reads nextest's closing line: `Summary [ 1.2s] 35 tests run: 33 passed (1 slow), 2 failed, 1 skipped`.
/// Nothing when there is none, as after a failed build.
pub(crate) fn of_nextest(output: &str) -> Option<Tally> {
    let line = output
        .lines()
        .rev()
        .find(|line| line.trim_start().starts_with("Summary ["))?;
    let (head, counts) = line.split_once("run:")?;
    let run = head.split(']').nth(1)?.split_whitespace().next()?;
    // `33/35 tests run` when the run was cut short.
    let run = run.split('/').next_back()?.parse::<u64>().ok()?;
    let passed = count_before(counts, "passed").unwrap_or(0);
    let skipped = count_before(counts, "skipped").unwrap_or(0);
    Some(Tally {
        passed,
        failed: run.saturating_sub(passed),
        skipped,
    })
}

/// Reads all `test result: ok. 5 passed; 0 failed; 1 ignored; ...` lines of libtest.
pub(crate) fn of_libtest(output: &str) -> Option<Tally> {
    let mut sum = None;
    for line in output
        .lines()
        .filter(|line| line.starts_with("test result:"))
    {
        let sum = sum.get_or_insert_with(Tally::default);
        sum.add(Tally {
            passed: count_before(line, "passed").unwrap_or(0),
            failed: count_before(line, "failed").unwrap_or(0),
            skipped: count_before(line, "ignored").unwrap_or(0),
        });
    }
    sum
}

/// Reads the JSON report of vitest.
pub(crate) fn of_vitest(report: &str) -> Option<Tally> {
    let report: serde_json::Value = serde_json::from_str(report).ok()?;
    let count = |name: &str| report[name].as_u64();
    let failed_files = report["testResults"]
        .as_array()?
        .iter()
        // A file that does not even load has no tests to count.
        .filter(|file| {
            file["status"] == "failed"
                && file["assertionResults"]
                    .as_array()
                    .is_some_and(Vec::is_empty)
        })
        .count() as u64;
    Some(Tally {
        passed: count("numPassedTests")?,
        failed: count("numFailedTests")? + failed_files,
        skipped: count("numPendingTests")? + count("numTodoTests").unwrap_or(0),
    })
}

/// Reads the JSON report of Playwright.
pub(crate) fn of_playwright(report: &str) -> Option<Tally> {
    let report: serde_json::Value = serde_json::from_str(report).ok()?;
    let stats = &report["stats"];
    let errors = report["errors"].as_array().map_or(0, Vec::len) as u64;
    Some(Tally {
        passed: stats["expected"].as_u64()?,
        // A test that passes only at the second try is one that fails.
        failed: stats["unexpected"].as_u64()? + stats["flaky"].as_u64()? + errors,
        skipped: stats["skipped"].as_u64()?,
    })
}

/// The number in front of a word.
fn count_before(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .find(|pair| pair[1] == word)
        .and_then(|pair| pair[0].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64, skipped: u64) -> Option<Tally> {
        Some(Tally {
            passed,
            failed,
            skipped,
        })
    }

    #[test]
    fn nextest_lines_are_read() {
        let line = "     Summary [   0.012s] 35 tests run: 35 passed, 0 skipped";
        assert_eq!(of_nextest(line), tally(35, 0, 0));
        let line = "     Summary [  12.3s] 35 tests run: 33 passed (1 slow), 1 failed, 1 timed out, 4 skipped\nFAIL x";
        assert_eq!(of_nextest(line), tally(33, 2, 4));
        let line = "     Summary [  12.3s] 3/35 tests run: 2 passed, 1 failed, 4 skipped";
        assert_eq!(
            of_nextest(line),
            tally(2, 33, 4),
            "tests that were not reached did not pass"
        );
        let line = "     Summary [   0.1s] 1 test run: 1 passed, 2 skipped";
        assert_eq!(of_nextest(line), tally(1, 0, 2));
        assert_eq!(of_nextest("error: could not compile `desk`"), None);
    }

    #[test]
    fn libtest_lines_are_added_up() {
        let text = "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(of_libtest(text), tally(7, 3, 1));
        assert_eq!(of_libtest("error: no"), None);
    }

    #[test]
    fn a_screen_test_file_that_does_not_load_is_a_failure() {
        let report = r#"{"numPassedTests":4,"numFailedTests":1,"numPendingTests":0,"numTodoTests":2,
            "testResults":[{"status":"passed","assertionResults":[{}]},
                           {"status":"failed","assertionResults":[{}]},
                           {"status":"failed","assertionResults":[]}]}"#;
        assert_eq!(of_vitest(report), tally(4, 2, 2));
        assert_eq!(of_vitest(""), None);
    }

    #[test]
    fn a_flaky_flow_is_a_failure() {
        let report = r#"{"stats":{"expected":4,"unexpected":1,"flaky":1,"skipped":3},"errors":[]}"#;
        assert_eq!(of_playwright(report), tally(4, 2, 3));
        let report =
            r#"{"stats":{"expected":0,"unexpected":0,"flaky":0,"skipped":0},"errors":[{}]}"#;
        assert_eq!(
            of_playwright(report),
            tally(0, 1, 0),
            "no test found is no success"
        );
    }

    #[test]
    fn the_closing_line_names_skipped_only_when_there_are_some() {
        assert_eq!(
            Tally {
                passed: 3,
                failed: 0,
                skipped: 0
            }
            .to_string(),
            "3 passed, 0 failed"
        );
        assert_eq!(
            Tally {
                passed: 3,
                failed: 1,
                skipped: 2
            }
            .to_string(),
            "3 passed, 1 failed, 2 skipped"
        );
    }
}
