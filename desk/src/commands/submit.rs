//! Recording a command, showing it, and waiting a while for the server's word.

use std::sync::Arc;
use std::time::Duration;

use protocol::code::{Code, Problem};
use tokio::time::Instant;

use super::touches;
use crate::feed::tags_of_key;
use crate::rpc::RpcResult;
use crate::rpc::schema::{CommandOutcome, CommandSubmit, RpcError, Tag};
use crate::store::command::{self, CommandRow, CommandState, NewCommand};
use crate::store::overlaid::{self, Touched};
use crate::store::{StoreFault, hotel};
use crate::sync::plan::needs_server;
use crate::sync::{Session, blocking};

/// The longest that a screen may wait.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// How long a command that only the server can decide is waited for at least.
const WAIT_FOR_SERVER: Duration = Duration::from_secs(10);

enum Recorded {
    New(Touched),
    Known,
    Other,
    NoCopy,
}

/// Records the command before anything else happens, shows its effect, sends it, and waits for the
/// answer as long as asked.
pub(crate) async fn submit(
    session: &Arc<Session>,
    request: CommandSubmit,
) -> RpcResult<CommandOutcome> {
    let CommandSubmit {
        id,
        command,
        wait_ms,
    } = request;
    let asked = Duration::from_millis(u64::try_from(wait_ms).unwrap_or(0)).min(WAIT_MAX);
    let server_only = needs_server(&command);
    let wait = if server_only {
        asked.max(WAIT_FOR_SERVER)
    } else {
        asked
    };
    let mut settled = session.settled();

    let (store, user, now) = (
        Arc::clone(&session.store),
        session.user.staff_id,
        session.host.now(),
    );
    let recorded = blocking(move || {
        store.write(|tx| {
            if let Some(known) = command::get(tx, id)? {
                let same = known.command == command;
                return Ok(if same {
                    Recorded::Known
                } else {
                    Recorded::Other
                });
            }
            let Some(hotel) = hotel::get(tx)? else {
                return Ok(Recorded::NoCopy);
            };
            let new = NewCommand {
                id,
                command: &command,
                made_at: now,
                business_date: hotel.business_date,
                made_by: user,
                needs_server: server_only,
                touches: &touches::of(tx, &command)?,
            };
            if !command::record(tx, &new)? {
                return Ok(Recorded::Other);
            }
            Ok::<_, StoreFault>(Recorded::New(overlaid::refresh(tx)?))
        })
    })
    .await?;
    match recorded {
        Recorded::New(touched) => {
            let tags = touched.iter().flat_map(|key| tags_of_key(key)).copied();
            session.feed.tell(tags.chain([Tag::Commands]), []);
            session.wake_push();
        }
        Recorded::Known => {}
        Recorded::Other => return Err(RpcError::from(Problem::new(Code::KeyReused))),
        Recorded::NoCopy => return Err(crate::rpc::no_copy_yet()),
    }

    let deadline = Instant::now() + wait;
    loop {
        let store = Arc::clone(&session.store);
        let row = blocking(move || store.read(|db| command::get(db, id))).await?;
        if let Some(outcome) = outcome(session, row).await? {
            return Ok(outcome);
        }
        let changed = tokio::time::timeout_at(deadline, settled.changed()).await;
        if !matches!(changed, Ok(Ok(()))) {
            break;
        }
    }
    if !server_only {
        return Ok(CommandOutcome::Queued {});
    }
    // Nobody will wait for it any more: it must not be decided behind the clerk's back.
    let (store, now) = (Arc::clone(&session.store), session.host.now());
    let row = blocking(move || {
        store.write(|tx| {
            command::withdraw(tx, id, now)?;
            command::get(tx, id)
        })
    })
    .await?;
    session.feed.tell([Tag::Commands], []);
    Ok(outcome(session, row)
        .await?
        .unwrap_or(CommandOutcome::Refused {
            problem: Problem::new(Code::Offline),
        }))
}

async fn outcome(
    session: &Arc<Session>,
    row: Option<CommandRow>,
) -> Result<Option<CommandOutcome>, StoreFault> {
    let Some(row) = row else {
        return Ok(None);
    };
    match row.state {
        CommandState::Waiting | CommandState::Sent => Ok(None),
        CommandState::Answered => Ok(Some(CommandOutcome::Done {
            seq: row.seq.unwrap_or(0),
            answer: row.answer.unwrap_or_default(),
        })),
        CommandState::Refused => {
            // The clerk who asked is told here and now: no task is left of it.
            let (store, id) = (Arc::clone(&session.store), row.id);
            blocking(move || store.write(|tx| command::mark_done(tx, id))).await?;
            session.feed.tell([Tag::Commands], []);
            let problem = row.problem.unwrap_or_else(|| Problem::new(Code::Internal));
            Ok(Some(CommandOutcome::Refused { problem }))
        }
    }
}
