//! Guests' profiles, and finding them.

use protocol::id::GuestId;
use protocol::row::GuestRow;
use protocol::text::search_form;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Result;

const COLUMNS: &str =
    "id, version, name, email, phone, company, language, country, notes, vip, erased";

/// Writes the row and what it is found by. One that was forgotten leaves the index too (N13).
pub fn put(db: &Connection, generation: i64, row: &GuestRow) -> Result<()> {
    let no: i64 = db
        .prepare_cached(
            "INSERT INTO guest (id, gen, version, name, email, phone, company, language, country,
                 notes, vip, erased)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (id) DO UPDATE SET gen = excluded.gen, version = excluded.version,
                 name = excluded.name, email = excluded.email, phone = excluded.phone,
                 company = excluded.company, language = excluded.language,
                 country = excluded.country, notes = excluded.notes, vip = excluded.vip,
                 erased = excluded.erased
             RETURNING no",
        )?
        .query_row(
            params![
                row.id.0,
                generation,
                row.version,
                row.name,
                row.email,
                row.phone,
                row.company,
                row.language,
                row.country,
                row.notes,
                row.vip,
                row.erased
            ],
            |found| found.get(0),
        )?;
    let text = if row.erased {
        String::new()
    } else {
        found_by(row)
    };
    let known = text_of(db, no)?;
    if known.as_deref() == Some(text.as_str()) {
        return Ok(());
    }
    if let Some(known) = known {
        unindex(db, no, &known)?;
    }
    db.prepare_cached("INSERT INTO guest_text (no, text) VALUES (?1, ?2)")?
        .execute(params![no, text])?;
    db.prepare_cached("INSERT INTO guest_fts (rowid, text) VALUES (?1, ?2)")?
        .execute(params![no, text])?;
    Ok(())
}

/// Name, company, telephone and e-mail, without accents or case; the telephone also as bare digits,
/// so that it is found however it was written.
fn found_by(row: &GuestRow) -> String {
    let mut text = search_form(&row.name);
    for field in [&row.company, &row.email, &row.phone].into_iter().flatten() {
        text.push('\n');
        text.push_str(&search_form(field));
    }
    if let Some(phone) = &row.phone {
        text.push('\n');
        text.extend(phone.chars().filter(char::is_ascii_digit));
    }
    text
}

fn text_of(db: &Connection, no: i64) -> Result<Option<String>> {
    Ok(db
        .prepare_cached("SELECT text FROM guest_text WHERE no = ?1")?
        .query_row([no], |row| row.get(0))
        .optional()?)
}

fn unindex(db: &Connection, no: i64, text: &str) -> Result<()> {
    db.prepare_cached("INSERT INTO guest_fts (guest_fts, rowid, text) VALUES ('delete', ?1, ?2)")?
        .execute(params![no, text])?;
    db.prepare_cached("DELETE FROM guest_text WHERE no = ?1")?
        .execute([no])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<GuestRow> {
    Ok(GuestRow {
        id: GuestId(row.get("id")?),
        version: row.get("version")?,
        name: row.get("name")?,
        email: row.get("email")?,
        phone: row.get("phone")?,
        company: row.get("company")?,
        language: row.get("language")?,
        country: row.get("country")?,
        notes: row.get("notes")?,
        vip: row.get("vip")?,
        erased: row.get("erased")?,
    })
}

/// One guest.
pub fn get(db: &Connection, id: GuestId) -> Result<Option<GuestRow>> {
    Ok(db
        .prepare_cached(&format!("SELECT {COLUMNS} FROM guest WHERE id = ?1"))?
        .query_row([id.0], read)
        .optional()?)
}

/// Removes the row and what it was found by.
pub fn remove(db: &Connection, id: GuestId) -> Result<()> {
    let no: Option<i64> = db
        .prepare_cached("SELECT no FROM guest WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    if let Some(no) = no {
        if let Some(text) = text_of(db, no)? {
            unindex(db, no, &text)?;
        }
        db.prepare_cached("DELETE FROM guest WHERE no = ?1")?
            .execute([no])?;
    }
    Ok(())
}

/// The index made anew from what stands beside it, after guests were removed by the thousand.
pub fn rebuild_index(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM guest_text WHERE no NOT IN (SELECT no FROM guest);
         INSERT INTO guest_fts (guest_fts) VALUES ('rebuild');",
    )?;
    Ok(())
}

/// A guest that was found, and how well: 1000 is every word exactly as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The profile's number in this copy.
    pub no: i64,
    /// In thousandths; below 800 it is a guess at a typing error.
    pub likeness: i64,
}

/// How alike a text must be, in thousandths, to pass for a typing error.
const LIKE_ENOUGH: i64 = 420;
/// How many candidates are compared for typing errors.
const CANDIDATES: i64 = 1_000;
/// How many guests of a common name are looked at.
const EXACT_MAX: i64 = 5_000;

/// Guests of whom every word of `text` is a part of the name, company, telephone or e-mail; best
/// first. Where they are fewer than `enough`, those who are only alike follow: typing errors are
/// forgiven.
pub fn find(db: &Connection, text: &str, enough: usize) -> Result<Vec<Found>> {
    let wanted = search_form(text);
    let words: Vec<&str> = wanted.split(' ').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = exact(db, &words)?;
    if found.len() < enough {
        for alike in similar(db, &wanted)? {
            if !found.iter().any(|other| other.no == alike.no) {
                found.push(alike);
            }
        }
    }
    found.sort_by_key(|found| (-found.likeness, found.no));
    Ok(found)
}

/// Profiles by their numbers, in that order.
pub fn rows(db: &Connection, numbers: impl IntoIterator<Item = i64>) -> Result<Vec<GuestRow>> {
    let mut get = db.prepare_cached(&format!("SELECT {COLUMNS} FROM guest WHERE no = ?1"))?;
    numbers
        .into_iter()
        .map(|no| Ok(get.query_row([no], read)?))
        .collect()
}

fn exact(db: &Connection, words: &[&str]) -> Result<Vec<Found>> {
    // The index knows parts of three characters and more; shorter words are looked for in the text.
    let long: Vec<String> = words
        .iter()
        .filter(|word| word.chars().count() >= 3)
        .map(|word| quoted(word))
        .collect();
    let rows: Vec<(i64, String)> = if long.is_empty() {
        db.prepare_cached("SELECT no, text FROM guest_text WHERE instr(text, ?1) > 0 LIMIT ?2")?
            .query_map(params![words[0], EXACT_MAX], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<rusqlite::Result<_>>()?
    } else {
        matching(db, &long.join(" AND "), EXACT_MAX)?
    };
    Ok(rows
        .into_iter()
        .filter(|(_, text)| words.iter().all(|word| text.contains(word)))
        .map(|(no, text)| Found {
            no,
            likeness: wholeness(&text, words),
        })
        .collect())
}

fn matching(db: &Connection, query: &str, limit: i64) -> Result<Vec<(i64, String)>> {
    Ok(db
        .prepare_cached(
            "SELECT t.no, t.text FROM guest_fts f JOIN guest_text t ON t.no = f.rowid
             WHERE guest_fts MATCH ?1 LIMIT ?2",
        )?
        .query_map(params![query, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// 1000 where every word is a whole word of the text, 900 where each begins one, 800 otherwise.
fn wholeness(text: &str, words: &[&str]) -> i64 {
    let parts = || text.split([' ', '\n', '-']);
    if words.iter().all(|word| parts().any(|part| part == *word)) {
        1000
    } else if words
        .iter()
        .all(|word| parts().any(|part| part.starts_with(*word)))
    {
        900
    } else {
        800
    }
}

fn similar(db: &Connection, wanted: &str) -> Result<Vec<Found>> {
    let mut counted: Vec<(i64, String)> = Vec::new();
    let mut count = db.prepare_cached("SELECT doc FROM guest_trigram WHERE term = ?1")?;
    for gram in grams(wanted) {
        let gram: String = gram.iter().collect();
        let docs: Option<i64> = count.query_row([&gram], |row| row.get(0)).optional()?;
        counted.extend(docs.map(|docs| (docs, gram)));
    }
    // The rarest parts choose the candidates: a common one would bring half the house.
    counted.sort();
    let mut room = CANDIDATES;
    let any: Vec<String> = counted
        .into_iter()
        .take_while(|(docs, _)| {
            let first = room == CANDIDATES;
            room -= docs;
            first || room >= 0
        })
        .map(|(_, gram)| quoted(&gram))
        .collect();
    if any.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Wanted::new(wanted);
    Ok(matching(db, &any.join(" OR "), CANDIDATES)?
        .into_iter()
        .map(|(no, text)| Found {
            no,
            likeness: wanted.likeness(&text),
        })
        .filter(|found| found.likeness >= LIKE_ENOUGH)
        .collect())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

type Gram = [char; 3];

/// The parts of three characters of a text, each once, in order.
fn grams(text: &str) -> Vec<Gram> {
    let chars: Vec<char> = text.chars().collect();
    let mut grams: Vec<Gram> = chars
        .windows(3)
        .filter_map(|part| part.try_into().ok())
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// A word with its ends marked, so that the first letters weigh more than those in the middle.
fn word_grams(word: &str) -> Vec<Gram> {
    grams(&format!("  {word} "))
}

/// What was typed, ready to be compared with many texts.
struct Wanted(Vec<Vec<Gram>>);

impl Wanted {
    fn new(text: &str) -> Self {
        Self(
            text.split([' ', '-'])
                .filter(|word| !word.is_empty())
                .map(word_grams)
                .collect(),
        )
    }

    /// How alike a text is, in thousandths: for each word typed the word of the text that shares most
    /// with it, twice the parts they share over the parts of both; the mean of that. Below what an
    /// exact part gets.
    fn likeness(&self, text: &str) -> i64 {
        let parts: Vec<Vec<Gram>> = text.split([' ', '\n', '-']).map(word_grams).collect();
        let best = |word: &Vec<Gram>| {
            let alike = parts.iter().map(|part| {
                let shared = word
                    .iter()
                    .filter(|gram| part.binary_search(gram).is_ok())
                    .count();
                shared * 2000 / (word.len() + part.len()).max(1)
            });
            alike.max().unwrap_or(0)
        };
        let sum: usize = self.0.iter().map(best).sum();
        let mean = sum / self.0.len().max(1);
        i64::try_from(mean).unwrap_or(0).min(790)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fresh;
    use uuid::Uuid;

    fn guest(n: u128, name: &str, phone: Option<&str>) -> GuestRow {
        GuestRow {
            id: GuestId(Uuid::from_u128(n)),
            version: 1,
            name: name.to_owned(),
            email: None,
            phone: phone.map(str::to_owned),
            company: None,
            language: None,
            country: None,
            notes: String::new(),
            vip: false,
            erased: false,
        }
    }

    fn names(db: &Connection, text: &str) -> Vec<String> {
        let found = find(db, text, 10).unwrap();
        rows(db, found.iter().map(|found| found.no))
            .unwrap()
            .into_iter()
            .map(|row| row.name)
            .collect()
    }

    #[test]
    fn b94_accents_case_and_composition_are_ignored_and_any_part_finds() {
        let (_dir, store) = fresh();
        store
            .write(|tx| {
                put(
                    tx,
                    1,
                    &guest(1, "José Ángel Müller", Some("+34 600 000 001")),
                )?;
                put(tx, 1, &guest(2, "李明", None))?;
                put(tx, 1, &guest(3, "Þórdís Łukasiewicz", None))?;
                put(tx, 1, &guest(4, "Анна Каренина", None))
            })
            .unwrap();
        store
            .read(|db| {
                for text in [
                    "jose",
                    "MULLER",
                    "mu\u{308}ller",
                    "angel mull",
                    "600000001",
                    "+34 600",
                ] {
                    assert_eq!(names(db, text), ["José Ángel Müller"], "{text}");
                }
                assert_eq!(names(db, "李"), ["李明"]);
                assert_eq!(names(db, "каренина"), ["Анна Каренина"]);
                assert_eq!(names(db, "sie"), ["Þórdís Łukasiewicz"]);
                assert!(names(db, "\" OR *").is_empty());
                Ok::<_, crate::store::StoreFault>(())
            })
            .unwrap();
    }

    #[test]
    fn typing_errors_are_forgiven_after_what_matches() {
        let (_dir, store) = fresh();
        store
            .write(|tx| {
                put(tx, 1, &guest(1, "Katarzyna Wiśniewska", None))?;
                put(tx, 1, &guest(2, "Johnson, Peter", None))?;
                put(tx, 1, &guest(3, "Johnsen, Kari", None))?;
                put(tx, 1, &guest(4, "Zoë Abd-el-Überguest", None))
            })
            .unwrap();
        store
            .read(|db| {
                assert_eq!(names(db, "Wisnievska"), ["Katarzyna Wiśniewska"]);
                assert_eq!(names(db, "johnson"), ["Johnson, Peter", "Johnsen, Kari"]);
                assert_eq!(names(db, "kari jonhsen"), ["Johnsen, Kari"]);
                assert_eq!(names(db, "Abd-el Überguset"), ["Zoë Abd-el-Überguest"]);
                assert!(names(db, "Papadopoulos").is_empty());
                Ok::<_, crate::store::StoreFault>(())
            })
            .unwrap();
    }

    #[test]
    fn n13_a_forgotten_guest_is_found_by_nothing_and_leaves_no_text() {
        let (_dir, store) = fresh();
        store
            .write(|tx| {
                put(tx, 1, &guest(1, "Ekaterina Orlova", Some("123456789")))?;
                let mut gone = guest(1, "", None);
                gone.erased = true;
                put(tx, 1, &gone)?;
                assert!(names(tx, "orlova").is_empty());
                assert!(names(tx, "12345").is_empty());
                let kept: i64 = tx.query_row(
                    "SELECT count(*) FROM guest_trigram WHERE term IN ('orl', '123')",
                    [],
                    |row| row.get(0),
                )?;
                assert_eq!(kept, 0);
                Ok::<_, crate::store::StoreFault>(())
            })
            .unwrap();
    }
}
