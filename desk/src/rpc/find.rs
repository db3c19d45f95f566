//! Finding a guest, a number, a room.

use std::collections::{HashMap, HashSet};

use chrono::{Days, NaiveDate};
use protocol::id::ReservationId;
use protocol::row::GuestRow;
use protocol::state::ReservationState;
use protocol::text::search_form;
use rusqlite::{Connection, params};

use super::lines::Lines;
use super::schema::{FindAnswer, FindReason, FindRequest, StayLine};
use super::{RpcResult, hotel_of, invalid, reading};
use crate::desk::Desk;
use crate::store::{Result, booking, guest, room, room_use};

/// The longest text that is looked for, in characters.
const TEXT_CHARS_MAX: usize = 200;
/// Stays this near to today are looked at for everybody who was found; of others, only the best found.
const NEAR_DAYS: u64 = 14;

/// `find`.
pub(super) async fn find(desk: &Desk, request: FindRequest) -> RpcResult<FindAnswer> {
    if !(1..=100).contains(&request.limit) {
        return Err(invalid("/limit", "must be 1 to 100"));
    }
    reading(desk, move |db| {
        let limit = usize::try_from(request.limit).unwrap_or(1);
        let text: String = request.text.chars().take(TEXT_CHARS_MAX).collect();
        found(db, &text, limit)
    })
    .await
}

fn found(db: &Connection, text: &str, limit: usize) -> RpcResult<FindAnswer> {
    let today = hotel_of(db)?.business_date;
    if search_form(text).is_empty() {
        return Ok(FindAnswer {
            stays: Vec::new(),
            reasons: Vec::new(),
            guests: Vec::new(),
        });
    }
    let lines = Lines::new(db, today)?;
    let guests = guest::find(db, text, limit)?;
    let likeness: HashMap<i64, i64> = guests
        .iter()
        .map(|found| (found.no, found.likeness))
        .collect();

    let mut through: HashMap<ReservationId, i64> = HashMap::new();
    let mut stays: Vec<(ReservationId, i64)> = Vec::new();
    stays.extend(in_room(db, text, today)?.into_iter().map(|id| (id, 1_000)));
    stays.extend(
        with_number(db, text, limit)?
            .into_iter()
            .map(|id| (id, 1_000)),
    );
    for (id, guest) in near(db, today)? {
        if let Some(likeness) = likeness.get(&guest) {
            through.entry(id).or_insert(guest);
            stays.push((id, *likeness));
        }
    }
    for found in guests.iter().take(limit) {
        for id in of_guest(db, found.no, limit)? {
            through.entry(id).or_insert(found.no);
            stays.push((id, found.likeness));
        }
    }

    let mut seen = HashSet::new();
    let mut shown: Vec<(i64, StayLine)> = Vec::new();
    for (id, likeness) in stays {
        if seen.insert(id)
            && let Some(line) = lines.select_bare("WHERE r.id = ?1", [id.0])?.pop()
        {
            shown.push((likeness, line));
        }
    }
    shown.sort_by_cached_key(|(likeness, line)| {
        // A guess at a typing error never stands before what was typed.
        (
            *likeness < 800,
            nearness(line, today),
            line.guest_name.to_lowercase(),
            line.id,
        )
    });
    shown.truncate(limit);
    let stays: Vec<StayLine> = shown
        .iter()
        .filter_map(|(_, line)| lines.one(line.id).transpose())
        .collect::<Result<_>>()?;
    let mut reasons = Vec::new();
    for line in &stays {
        if let Some(no) = through.get(&line.id)
            && let Some(profile) = guest::rows(db, [*no])?.pop()
            && let Some(text) = reason(line, profile, text)
        {
            reasons.push(FindReason {
                reservation_id: line.id,
                text,
            });
        }
    }
    Ok(FindAnswer {
        stays,
        reasons,
        guests: guest::rows(db, guests.iter().take(limit).map(|found| found.no))?,
    })
}

/// In house first, then by the days to arrival, those ahead before those behind; what will not happen
/// comes last.
fn nearness(line: &StayLine, today: NaiveDate) -> (u8, i64) {
    let days = (line.check_in - today).num_days();
    match line.state {
        ReservationState::CheckedIn => (0, 0),
        ReservationState::Confirmed | ReservationState::Held if days >= 0 => (1, days),
        ReservationState::Confirmed | ReservationState::Held => (1, -days),
        ReservationState::CheckedOut => (2, (today - line.check_out).num_days().abs()),
        _ => (3, days.abs()),
    }
}

/// What of a profile was found, where the line of the stay does not show it.
fn reason(line: &StayLine, profile: GuestRow, text: &str) -> Option<String> {
    let room = line.room_number.as_deref().unwrap_or_default();
    let seen = search_form(&format!("{} {} {room}", line.guest_name, line.number));
    let wanted = search_form(text);
    let hidden: Vec<&str> = wanted
        .split(' ')
        .filter(|word| !word.is_empty() && !seen.contains(word))
        .collect();
    [
        Some(profile.name),
        profile.company,
        profile.phone,
        profile.email,
    ]
    .into_iter()
    .flatten()
    .find(|field| {
        let field = search_form(field);
        hidden.iter().any(|word| field.contains(word))
    })
}

/// Who is in the room that is called so, or comes into it next.
fn in_room(db: &Connection, text: &str, today: NaiveDate) -> Result<Vec<ReservationId>> {
    let wanted = search_form(text);
    // Dates are compared as text, and text beyond four digits of a year does not sort.
    let until = today.checked_add_days(Days::new(2_000)).unwrap_or(today);
    let mut found = Vec::new();
    for room in room::all(db)?
        .iter()
        .filter(|room| search_form(&room.number) == wanted)
    {
        // Who leaves today is still to be found by the room.
        let since = today.pred_opt().unwrap_or(today);
        let uses = room_use::of_room(db, room.id, since, until)?;
        found.extend(uses.iter().filter_map(|place| place.reservation_id).take(5));
    }
    Ok(found)
}

/// Whose confirmation number holds this, or whose number at a channel.
fn with_number(db: &Connection, text: &str, limit: usize) -> Result<Vec<ReservationId>> {
    let part = text.trim().to_uppercase();
    // One number in forty has no digit at all: letters alone are one where they are as many as a
    // number or its half has.
    let letters = part.chars().filter(char::is_ascii_alphabetic).count();
    let number_like = part.chars().count() >= 3
        && part
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-/._".contains(c))
        && (part.chars().any(|c| c.is_ascii_digit()) || [5, 10].contains(&letters));
    if !number_like {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for id in booking::with_number(db, &part, limit)? {
        found.extend(booking::reservations(db, id)?);
    }
    Ok(found)
}

/// In house or arriving within days, each with its guests' numbers.
fn near(db: &Connection, today: NaiveDate) -> Result<Vec<(ReservationId, i64)>> {
    let from = today
        .checked_sub_days(Days::new(NEAR_DAYS))
        .unwrap_or(today);
    let until = today
        .checked_add_days(Days::new(NEAR_DAYS))
        .unwrap_or(today);
    const STAYS: &str = "(SELECT id, no, guest_id FROM reservation WHERE state = 'checked_in'
        UNION SELECT id, no, guest_id FROM reservation
        WHERE live = 1 AND check_in >= ?1 AND check_in <= ?2)";
    Ok(db
        .prepare_cached(&format!(
            "SELECT r.id, g.no FROM {STAYS} r JOIN guest g ON g.id = r.guest_id
             UNION ALL
             SELECT r.id, g.no FROM {STAYS} r JOIN further_guest f ON f.reservation_no = r.no
                 JOIN guest g ON g.id = f.guest_id"
        ))?
        .query_map(params![from, until], |row| {
            Ok((ReservationId(row.get(0)?), row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?)
}

fn of_guest(db: &Connection, no: i64, limit: usize) -> Result<Vec<ReservationId>> {
    let limit = i64::try_from(limit).unwrap_or(100);
    Ok(db
        .prepare_cached(
            "SELECT r.id, r.check_in FROM guest g JOIN reservation r ON r.guest_id = g.id
             WHERE g.no = ?1
             UNION
             SELECT r.id, r.check_in FROM guest g JOIN further_guest f ON f.guest_id = g.id
                 JOIN reservation r ON r.no = f.reservation_no
             WHERE g.no = ?1
             ORDER BY 2 DESC LIMIT ?2",
        )?
        .query_map(params![no, limit], |row| Ok(ReservationId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?)
}
