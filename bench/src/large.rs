//! A large hotel, filled by one script instead of by its desks: for measuring what reads it.

use anyhow::{Context, Result};
use chrono::{Days, NaiveDate};
use sync_server::catalog::create::CreatedHotel;
use sync_server::catalog::spec::{HotelSpec, RatePlanSpec, TypeSpec};

use crate::rig::Rig;

/// Its short name.
pub const SLUG: &str = "large";
/// Rooms of each of its types.
const ROOMS_PER_TYPE: u32 = 80;
const TYPES: [&str; 5] = ["STD", "TWN", "SUP", "FAM", "STE"];
/// Nights before and after the business date that a desk's copy holds.
const DAYS_BEFORE: u64 = 30;
const WINDOW_DAYS: u64 = 500;

/// Makes the hotel and fills it with (nearly) so many reservations.
pub async fn hotel(rig: &Rig, reservations: u32) -> Result<CreatedHotel> {
    let today = NaiveDate::from_ymd_opt(2027, 5, 10).context("a date")?;
    let first = today - Days::new(DAYS_BEFORE);
    let hotel = rig.hotel(spec(today, first)).await?;
    let rooms = ROOMS_PER_TYPE * TYPES.len() as u32;
    let script = rig.cluster.folder().join("fill.sql");
    std::fs::write(&script, include_str!("../sql/fill.sql"))?;
    let set = |name: &str, value: String| format!("--set={name}={value}");
    let arguments = [
        "-Xq".to_owned(),
        "--single-transaction".to_owned(),
        set("ON_ERROR_STOP", "1".to_owned()),
        set("hotel", hotel.id.to_string()),
        set("first", first.to_string()),
        set("today", today.to_string()),
        set("nights", (DAYS_BEFORE + WINDOW_DAYS).to_string()),
        set("per_room", (reservations / rooms).max(1).to_string()),
        format!("--dbname={}", rig.database()),
        format!("--file={}", script.display()),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    rig.cluster.run("psql", &arguments)?;
    Ok(hotel)
}

fn spec(today: NaiveDate, first: NaiveDate) -> HotelSpec {
    HotelSpec {
        business_date: Some(today),
        nights_from: Some(first),
        window_days: WINDOW_DAYS as i32,
        types: TYPES
            .iter()
            .map(|code| TypeSpec {
                code: (*code).to_owned(),
                name: format!("Type {code}"),
                max_occupancy: 4,
                count: ROOMS_PER_TYPE,
                ..TypeSpec::default()
            })
            .collect(),
        rate_plans: vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best available rate".to_owned(),
            prices: TYPES
                .iter()
                .map(|code| ((*code).to_owned(), 9_000))
                .collect(),
            ..RatePlanSpec::default()
        }],
        ..HotelSpec::named(SLUG, "A large hotel")
    }
}
