//! `sync-server demo`: makes the demonstration hotel where there is none, and says how to sign in.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use chrono::NaiveDate;
use protocol::role::Role;
use serde::{Deserialize, Serialize};

use super::play::{Team, kinds, play};
use super::{Plan, plan};
use crate::catalog::create::{CreatedHotel, create_hotel};
use crate::catalog::spec::StaffSpec;
use crate::db::Db;
use crate::db::{demo as sql, new_hotel};

/// The hotel's short name.
pub const SLUG: &str = "miramar";
pub(super) const TIME_ZONE: &str = "Europe/Madrid";
/// The same for everybody, so that people can talk about what they see.
const SEED: u64 = 20_141_017;

/// `demo.json` in the data folder: how to sign in, and from what the hotel was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sheet {
    /// The hotel's short name.
    pub hotel: String,
    /// Who can sign in.
    pub users: Vec<User>,
    /// What the hotel is made from.
    pub seed: u64,
    /// The business date at the end of its making.
    pub today: NaiveDate,
    /// Whether the making has come to its end.
    pub complete: bool,
}

/// Somebody who can sign in.
#[derive(Clone, Serialize, Deserialize)]
pub struct User {
    /// What is typed.
    pub name: String,
    /// What is typed.
    pub password: String,
    /// What they may do.
    pub role: Role,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Makes the hotel where there is none; one whose making was interrupted is made to its end.
/// `progress` hears how many of how many commands are done.
///
/// # Errors
/// When the database or the data folder cannot be used, or there is a hotel of that name whose
/// passwords are not in this data folder.
pub async fn run(db: &Db, data: &Path, mut progress: impl FnMut(usize, usize)) -> Result<Sheet> {
    let begun = Instant::now();
    let file = data.join("demo.json");
    let known = read(&file)?;
    let hotel = sql::find(&mut *db.reads.acquire().await?, SLUG).await?;
    let sheet = match (hotel, known) {
        (Some(_), Some(sheet)) if sheet.complete => return Ok(sheet),
        (Some(_), Some(sheet)) => sheet,
        (Some(_), None) => bail!(
            "there is a hotel `{SLUG}`, but {} does not say how to sign in: use the data folder in \
             which it was made, or add a colleague with `sync-server staff add`",
            file.display()
        ),
        (None, _) => {
            let sheet = new_sheet(today(db).await?)?;
            write(&file, &sheet)?;
            sheet
        }
    };
    let plan = plan(sheet.seed, sheet.today);
    let (hotel, played) = match hotel {
        None => (create(db, &plan, &sheet).await?.id, 0),
        Some(found) => (found.hotel, played(&plan, found)?),
    };
    let staff = sql::staff(&mut *db.reads.acquire().await?, hotel).await?;
    let team = Team::new(hotel, &staff)?;
    let left = &plan.commands[played..];
    play(db, &team, left, |done| {
        progress(played + done, plan.commands.len());
    })
    .await?;
    let sheet = Sheet {
        complete: true,
        ..sheet
    };
    write(&file, &sheet)?;
    tracing::info!(
        reservations = plan.tally.reservations,
        commands = left.len(),
        kinds = ?kinds(left),
        elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        "demo.created"
    );
    Ok(sheet)
}

/// Makes the hotel itself, empty, on its first business date.
pub async fn create(db: &Db, plan: &Plan, sheet: &Sheet) -> Result<CreatedHotel> {
    let staff = sheet
        .users
        .iter()
        .map(|user| StaffSpec {
            id: None,
            login: user.name.clone(),
            display_name: display_name(&user.name),
            role: user.role,
            password: user.password.clone(),
        })
        .collect();
    let spec = plan.house.spec(plan.first, plan.today, staff);
    create_hotel(db, &spec)
        .await
        .map_err(|error| anyhow::anyhow!("the demonstration hotel cannot be made: {error:?}"))
}

/// How many commands have been carried out: every one has written one event.
fn played(plan: &Plan, found: sql::Found) -> Result<usize> {
    let played = usize::try_from(found.seq)?;
    let open = plan
        .commands
        .get(played)
        .map_or(plan.today, |next| next.day);
    ensure!(
        played <= plan.commands.len() && open == found.business_date,
        "the hotel `{SLUG}` is open on {}, and {played} things have happened to it: that is not how \
         the demonstration goes",
        found.business_date
    );
    Ok(played)
}

async fn today(db: &Db) -> Result<NaiveDate> {
    new_hotel::today(&mut *db.reads.acquire().await?, TIME_ZONE)
        .await
        .map_err(|error| anyhow::anyhow!("the database cannot be read: {error:?}"))
}

/// One password for all: it is a demonstration, and people change roles to see.
pub(super) fn new_sheet(today: NaiveDate) -> Result<Sheet> {
    let password = password()?;
    let users = [
        ("ana", Role::FrontDesk),
        ("marta", Role::Manager),
        ("rui", Role::Revenue),
        ("hana", Role::Housekeeping),
        ("adm", Role::Admin),
    ];
    Ok(Sheet {
        hotel: SLUG.to_owned(),
        users: users
            .map(|(name, role)| User {
                name: name.to_owned(),
                password: password.clone(),
                role,
            })
            .to_vec(),
        seed: SEED,
        today,
        complete: false,
    })
}

fn display_name(login: &str) -> String {
    let mut letters = login.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Three groups of five letters that are not taken for one another: 72 random bits.
fn password() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0u8; 15];
    getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
    let letters: String = random
        .iter()
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    Ok(format!(
        "{}-{}-{}",
        &letters[..5],
        &letters[5..10],
        &letters[10..]
    ))
}

fn read(file: &PathBuf) -> Result<Option<Sheet>> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).with_context(|| {
            format!("{} is not what `sync-server demo` wrote", file.display())
        })?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// Readable by its owner only, and whole or not at all.
fn write(file: &Path, sheet: &Sheet) -> Result<()> {
    let said = || format!("cannot write {}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(said)?;
    }
    let beside = file.with_extension("json.new");
    let mut open = std::fs::OpenOptions::new();
    open.write(true).create(true).truncate(true).mode(0o600);
    let mut out = open.open(&beside).with_context(said)?;
    out.write_all(&serde_json::to_vec_pretty(sheet)?)
        .with_context(said)?;
    out.sync_all().with_context(said)?;
    std::fs::rename(&beside, file).with_context(said)?;
    Ok(())
}
