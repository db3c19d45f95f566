//! The files of a real hotel: its operations, and what its nights came to.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use chrono::NaiveDate;

/// What happened to a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// It was made.
    Book,
    /// It was given up.
    Cancel,
    /// The guest came.
    CheckIn,
    /// The guest left.
    CheckOut,
    /// The guest came and left on one day: takes no night.
    DayUse,
    /// The guest did not come.
    NoShow,
}

impl Op {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "book" => Self::Book,
            "cancel" => Self::Cancel,
            "checkin" => Self::CheckIn,
            "checkout" => Self::CheckOut,
            "dayuse" => Self::DayUse,
            "noshow" => Self::NoShow,
            _ => return None,
        })
    }

    /// Operations of one day that may be played side by side: arrivals of both kinds.
    pub fn together(self, other: Self) -> bool {
        let arrival = |op| matches!(op, Self::CheckIn | Self::DayUse);
        self == other || arrival(self) && arrival(other)
    }
}

/// One line of the operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The business date.
    pub date: NaiveDate,
    /// What.
    pub op: Op,
    /// Whose: the hotel's own number.
    pub id: String,
    /// The type that was booked.
    pub reserved_type: String,
    /// The type that was given.
    pub assigned_type: String,
    /// Day of arrival.
    pub arrival: NaiveDate,
    /// Day of departure; the day of arrival for day use.
    pub departure: NaiveDate,
    /// As the hotel calls it.
    pub market_segment: String,
    /// As the hotel calls it.
    pub deposit_type: String,
    /// The price of a night in minor units.
    pub price: i64,
}

/// What a night came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Rooms in which somebody slept.
    pub in_house: i64,
    /// Rooms counted after the audit.
    pub on_books: i64,
    /// Rooms slept in, by the type that was given; types without any are left out.
    pub by_type: BTreeMap<String, i64>,
}

/// Reads the operations; `limit` keeps the first so many.
pub fn operations(path: &Path, limit: Option<usize>) -> Result<Vec<Operation>> {
    let text = read(path)?;
    let table = Table::new(&text)?;
    let mut operations: Vec<Operation> = Vec::new();
    for (line, row) in table.rows().take(limit.unwrap_or(usize::MAX)) {
        let operation = table
            .operation(&row)
            .with_context(|| format!("{}:{line}", path.display()))?;
        if let Some(last) = operations.last() {
            ensure!(
                last.date <= operation.date,
                "{}:{line}: goes back from {} to {}",
                path.display(),
                last.date,
                operation.date
            );
        }
        operations.push(operation);
    }
    check_lives(&operations)?;
    Ok(operations)
}

/// Every reservation is made once and before anything else happens to it.
fn check_lives(operations: &[Operation]) -> Result<()> {
    let mut ended: HashMap<&str, bool> = HashMap::new();
    for operation in operations {
        let id = operation.id.as_str();
        match (operation.op, ended.get(id)) {
            (Op::Book, None) => {
                ended.insert(id, false);
            }
            (Op::Book, Some(_)) => bail!("{id} is booked twice"),
            (_, None) => bail!("{id}: {:?} before it is booked", operation.op),
            (_, Some(true)) => bail!("{id}: {:?} after its end", operation.op),
            (op, Some(false)) => {
                ended.insert(id, op != Op::CheckIn);
            }
        }
    }
    Ok(())
}

/// Reads what each night came to.
pub fn expected(path: &Path) -> Result<BTreeMap<NaiveDate, Expected>> {
    let text = read(path)?;
    let table = Table::new(&text)?;
    let types: Vec<(usize, String)> = table
        .columns
        .iter()
        .filter_map(|(name, place)| Some((*place, name.strip_prefix("assigned_")?.to_owned())))
        .collect();
    let mut nights = BTreeMap::new();
    for (line, row) in table.rows() {
        let read = || -> Result<_> {
            let mut by_type = BTreeMap::new();
            for (place, name) in &types {
                let rooms: i64 = row.get(*place).context("short line")?.parse()?;
                if rooms != 0 {
                    by_type.insert(name.clone(), rooms);
                }
            }
            Ok((
                table.field(&row, "night")?.parse()?,
                Expected {
                    in_house: table.field(&row, "in_house")?.parse()?,
                    on_books: table.field(&row, "on_books_after_night_audit")?.parse()?,
                    by_type,
                },
            ))
        };
        let (night, expected) = read().with_context(|| format!("{}:{line}", path.display()))?;
        nights.insert(night, expected);
    }
    Ok(nights)
}

fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    }
    .with_context(|| format!("{} is no text", path.display()))?;
    Ok(text)
}

struct Table<'t> {
    columns: HashMap<String, usize>,
    body: &'t str,
}

impl<'t> Table<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let (head, body) = text.split_once('\n').context("an empty file")?;
        Ok(Self {
            columns: split(head.trim_end_matches('\r'))
                .into_iter()
                .enumerate()
                .map(|(place, name)| (name, place))
                .collect(),
            body,
        })
    }

    /// Lines with their number in the file.
    fn rows(&self) -> impl Iterator<Item = (usize, Vec<String>)> {
        self.body
            .lines()
            .zip(2..)
            .filter(|(line, _)| !line.trim().is_empty())
            .map(|(line, number)| (number, split(line.trim_end_matches('\r'))))
    }

    fn field<'r>(&self, row: &'r [String], name: &str) -> Result<&'r str> {
        let place = self
            .columns
            .get(name)
            .with_context(|| format!("no column `{name}`"))?;
        row.get(*place)
            .map(String::as_str)
            .with_context(|| format!("no `{name}`"))
    }

    fn optional<'r>(&self, row: &'r [String], name: &str) -> &'r str {
        self.field(row, name).unwrap_or("")
    }

    fn operation(&self, row: &[String]) -> Result<Operation> {
        let op = self.field(row, "op")?;
        let reserved_type = self.field(row, "reserved_type")?.to_owned();
        let operation = Operation {
            date: self.field(row, "date")?.parse().context("date")?,
            op: Op::parse(op).with_context(|| format!("unknown operation `{op}`"))?,
            id: self.field(row, "id")?.to_owned(),
            assigned_type: match self.optional(row, "assigned_type") {
                "" => reserved_type.clone(),
                assigned => assigned.to_owned(),
            },
            reserved_type,
            arrival: self.field(row, "arrival")?.parse().context("arrival")?,
            departure: self.field(row, "departure")?.parse().context("departure")?,
            market_segment: self.optional(row, "market_segment").to_owned(),
            deposit_type: self.optional(row, "deposit_type").to_owned(),
            price: minor_units(self.optional(row, "adr"))?,
        };
        ensure!(
            operation.departure >= operation.arrival,
            "{} departs before it arrives",
            operation.id
        );
        Ok(operation)
    }
}

/// `62.8` is 6280; nothing is nothing.
fn minor_units(text: &str) -> Result<i64> {
    if text.is_empty() {
        return Ok(0);
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let cents: String = part.chars().chain("00".chars()).take(2).collect();
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let price = whole.parse::<i64>()? * 100 + sign * cents.parse::<i64>()?;
    // A correction of a bill may stand as a negative price in such files; a night costs nothing then.
    Ok(price.max(0))
}

/// Fields between commas; in quotes a comma is a letter and a doubled quote is one.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.len() - 1;
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields[field].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields[field].push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "date,op,id,reserved_type,assigned_type,arrival,departure,nights,market_segment,deposit_type,adr\n";

    fn read_lines(lines: &str, limit: Option<usize>) -> Result<Vec<Operation>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{HEAD}{lines}")).unwrap();
        operations(file.path(), limit)
    }

    #[test]
    fn operations_are_read_and_limited() {
        let lines = "2016-01-01,book,\"a,1\",A,B,2016-01-02,2016-01-04,2,\"Offline \"\"TA\"\"\",No Deposit,62.8\n\
                     2016-01-02,checkin,\"a,1\",A,B,2016-01-02,2016-01-04,2,Groups,No Deposit,5400\r\n";
        let read = read_lines(lines, None).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].id.as_str(), read[0].price), ("a,1", 6_280));
        assert_eq!(read[0].market_segment, "Offline \"TA\"");
        assert_eq!((read[1].op, read[1].price), (Op::CheckIn, 540_000));
        assert_eq!(read_lines(lines, Some(1)).unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_refused_with_its_line() {
        let early = "2016-01-02,checkin,a,A,A,2016-01-02,2016-01-04,2,x,y,1\n";
        assert!(read_lines(early, None).is_err());
        let back = "2016-01-02,book,a,A,A,2016-01-02,2016-01-04,2,x,y,1\n\
                    2016-01-01,book,b,A,A,2016-01-02,2016-01-04,2,x,y,1\n";
        let error = format!("{:#}", read_lines(back, None).unwrap_err());
        assert!(error.contains(":3: goes back"), "{error}");
        let word = "2016-01-02,shout,a,A,A,2016-01-02,2016-01-04,2,x,y,1\n";
        assert!(format!("{:#}", read_lines(word, None).unwrap_err()).contains("shout"));
    }

    #[test]
    fn prices_become_whole_cents() {
        for (text, cents) in [
            ("0.0", 0),
            ("62.8", 6_280),
            ("1.239", 123),
            ("5400", 540_000),
            ("-6.38", 0),
            ("", 0),
        ] {
            assert_eq!(minor_units(text).unwrap(), cents, "{text}");
        }
    }
}
