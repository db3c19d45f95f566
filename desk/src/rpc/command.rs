//! Doing something, the queue and its tasks, and waiting for news.

use std::sync::Arc;
use std::time::Duration;

use protocol::command::Command;
use rusqlite::Connection;

use super::schema::{
    Changes, ChangesRequest, CommandLine, CommandList, CommandOutcome, CommandSubmit, Empty, Tag,
    TaskDone,
};
use super::{RpcResult, not_signed_in, reading};
use crate::commands::submit::submit as record;
use crate::desk::Desk;
use crate::store::command::{self, CommandRow};
use crate::store::{Result, booking, guest, reservation, room, room_use};
use crate::sync::blocking;
use crate::sync::plan::{booking_of, reservation_of};

/// The longest that a screen waits for news.
const NEWS_WAIT_MAX: Duration = Duration::from_secs(25);

/// `command.submit`.
pub(super) async fn submit(desk: &Desk, request: CommandSubmit) -> RpcResult<CommandOutcome> {
    let session = desk.session().ok_or_else(not_signed_in)?;
    record(&session, request).await
}

/// `command.list`.
pub(super) async fn list(desk: &Desk, _request: Empty) -> RpcResult<CommandList> {
    reading(desk, |db| {
        Ok(CommandList {
            unsent: lines(db, command::unsent(db)?)?,
            tasks: lines(db, command::tasks(db)?)?,
        })
    })
    .await
}

/// `task.done`.
pub(super) async fn task_done(desk: &Desk, request: TaskDone) -> RpcResult<CommandList> {
    let session = desk.session().ok_or_else(not_signed_in)?;
    let store = Arc::clone(&session.store);
    blocking(move || store.write(|tx| command::mark_done(tx, request.id))).await?;
    session.feed.tell([Tag::Commands], []);
    list(desk, Empty {}).await
}

/// `changes.wait`: also answers when nobody is signed in, so that a sign-in elsewhere is noticed.
pub(super) async fn changes_wait(desk: &Desk, request: ChangesRequest) -> RpcResult<Changes> {
    let wait = Duration::from_millis(u64::try_from(request.wait_ms).unwrap_or(0));
    Ok(desk
        .feed()
        .wait(request.after, wait.min(NEWS_WAIT_MAX))
        .await)
}

fn lines(db: &Connection, rows: Vec<CommandRow>) -> RpcResult<Vec<CommandLine>> {
    rows.into_iter()
        .map(|row| {
            Ok(CommandLine {
                about: about(db, &row.command)?,
                id: row.id,
                made_at: row.made_at,
                command: row.command,
                problem: row.problem,
                attempts: row.attempts,
            })
        })
        .collect()
}

/// Guest and room, for people; empty where the command is about neither.
fn about(db: &Connection, command: &Command) -> Result<String> {
    let mut parts: Vec<String> = Vec::new();
    let stay = match (reservation_of(command), booking_of(command)) {
        (Some(id), _) => Some(id),
        (None, Some(id)) => booking::reservations(db, id)?.first().copied(),
        (None, None) => None,
    };
    if let Some(id) = stay {
        if let Some(guest_id) = reservation::get(db, id)?.and_then(|row| row.guest_id) {
            parts.extend(guest::get(db, guest_id)?.map(|row| row.name));
        }
        for place in room_use::of_reservation(db, id)? {
            parts.extend(room::get(db, place.room_id)?.map(|row| row.number));
        }
    }
    match command {
        Command::PutGuest { body, .. } => parts.push(body.name.clone()),
        Command::RoomStatus { room_id, .. } | Command::Block { room_id, .. } => {
            parts.extend(room::get(db, *room_id)?.map(|row| row.number));
        }
        Command::CheckIn { body, .. } => {
            if let Some(id) = body.room_id {
                parts.extend(room::get(db, id)?.map(|row| row.number));
            }
        }
        Command::Assign { body, .. } => {
            if let Some(id) = body.room_id {
                parts.extend(room::get(db, id)?.map(|row| row.number));
            }
        }
        _ => {}
    }
    parts.retain(|part| !part.is_empty());
    parts.dedup();
    Ok(parts.join(" · "))
}
