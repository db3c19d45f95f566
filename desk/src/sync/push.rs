//! Sending the clerk's commands: in order where they touch the same, side by side where they do not,
//! again and again with the same key until the server has decided.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use protocol::code::{Code, Problem};
use protocol::id::CommandId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::plan::{self, Queued};
use super::{Session, blocking};
use crate::client::{Advice, Done, Fault};
use crate::feed::tags_of_key;
use crate::rpc::schema::Tag;
use crate::store::command::{self, CommandRow};
use crate::store::overlaid::{self, Touched};
use crate::store::{Result, Store, StoreFault};

/// Commands on their way at the same time.
const PLACES: usize = 4;
/// How soon a command that a person waits for is tried again when the server is busy.
const BUSY: Duration = Duration::from_millis(300);
/// The least time between two attempts to reach a server that is not there.
const LEAST: Duration = Duration::from_secs(1);

/// Sends until the token is refused.
pub(super) async fn run(session: Arc<Session>) {
    let mut sender = Sender {
        flying: JoinSet::new(),
        on_their_way: HashSet::new(),
        pausing: HashMap::new(),
        unreachable: None,
        times: 0,
        session,
    };
    loop {
        if sender.session.live().sign_in_again {
            return;
        }
        if let Err(fault) = sender.send().await {
            tracing::error!(
                name = "queue.fault",
                fault = &fault as &dyn std::error::Error
            );
            tokio::time::sleep(LEAST).await;
        }
        let due = sender.due();
        tokio::select! {
            Some(back) = sender.flying.join_next(), if !sender.flying.is_empty() => {
                let Ok((row, result)) = back else { continue };
                let fault = sender.settle(row, result).await;
                if let Err(fault) = fault {
                    tracing::error!(name = "queue.fault", fault = &fault as &dyn std::error::Error);
                }
            }
            () = sender.session.wake_push.notified() => sender.woken(),
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
        }
    }
}

struct Sender {
    session: Arc<Session>,
    flying: JoinSet<(CommandRow, Result<Done, Fault>)>,
    on_their_way: HashSet<CommandId>,
    pausing: HashMap<CommandId, (u32, Instant)>,
    /// The server was not reached: when that was, and when to try again.
    unreachable: Option<(Instant, Instant)>,
    times: u32,
}

impl Sender {
    /// A screen waits, or the server was reached by the other loop: try now, but not without end.
    fn woken(&mut self) {
        if let Some((at, until)) = &mut self.unreachable {
            *until = (*until).min(*at + LEAST);
        }
    }

    /// When there is something to try again.
    fn due(&self) -> Option<Instant> {
        let pauses = self.pausing.values().map(|(_, until)| *until);
        let all = self.unreachable.map(|(_, until)| until);
        let now = Instant::now();
        pauses.chain(all).filter(|until| *until > now).min()
    }

    async fn send(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.unreachable.is_some_and(|(_, until)| until > now) || self.flying.len() >= PLACES {
            return Ok(());
        }
        let store = Arc::clone(&self.session.store);
        let mut rows = blocking(move || store.read(queue)).await?;
        let queue: Vec<Queued> = rows
            .iter()
            .map(|(row, touches)| Queued {
                id: row.id,
                touches: touches.clone(),
                busy: self.on_their_way.contains(&row.id)
                    || self
                        .pausing
                        .get(&row.id)
                        .is_some_and(|(_, until)| *until > now),
            })
            .collect();
        // A server that was not there is knocked at with one command, not with all.
        let places = if self.unreachable.is_some() {
            usize::from(self.flying.is_empty())
        } else {
            PLACES - self.flying.len()
        };
        for id in plan::sendable(&queue, places) {
            let Some(place) = rows.iter().position(|(row, _)| row.id == id) else {
                continue;
            };
            let (row, _) = rows.swap_remove(place);
            let api = self.session.api.clone();
            self.on_their_way.insert(id);
            self.flying.spawn(async move {
                let result = api.command(row.id, &row.command).await;
                (row, result)
            });
            let store = Arc::clone(&self.session.store);
            blocking(move || store.write(|tx| command::mark_sent(tx, id))).await?;
        }
        Ok(())
    }

    async fn settle(&mut self, row: CommandRow, result: Result<Done, Fault>) -> Result<()> {
        let id = row.id;
        self.on_their_way.remove(&id);
        let (store, now) = (Arc::clone(&self.session.store), self.session.host.now());
        let touched = match result {
            Ok(done) => {
                self.reached(id);
                blocking(move || answered(&store, id, &done, now)).await?
            }
            Err(Fault::Unreachable(why)) => {
                tracing::info!(name = "command.unreachable", %id, why);
                self.times = self.times.saturating_add(1);
                let now_here = Instant::now();
                self.unreachable = Some((now_here, now_here + plan::pause(self.times)));
                self.session.not_reached();
                blocking(move || not_reached(&store, now)).await?
            }
            Err(fault @ Fault::Refused { .. }) => {
                let advice = advice(&fault);
                let Fault::Refused {
                    problem,
                    retry_after,
                } = fault
                else {
                    return Ok(());
                };
                self.reached(id);
                tracing::info!(name = "command.refused", %id, code = %problem.code, ?advice);
                match advice {
                    Advice::Final => blocking(move || refused(&store, &row, &problem, now)).await?,
                    Advice::Retry => {
                        self.pause(&row, retry_after);
                        blocking(move || {
                            store.write(|tx| {
                                command::mark_waiting(tx, id)?;
                                Ok(Touched::new())
                            })
                        })
                        .await?
                    }
                    Advice::SignIn => {
                        self.session.change_live(|live| live.sign_in_again = true);
                        blocking(move || not_reached(&store, now)).await?
                    }
                }
            }
        };
        let tags = touched.iter().flat_map(|key| tags_of_key(key)).copied();
        self.session.feed.tell(tags.chain([Tag::Commands]), []);
        self.session.settled.send_modify(|count| *count += 1);
        Ok(())
    }

    fn reached(&mut self, id: CommandId) {
        self.unreachable = None;
        self.times = 0;
        self.pausing.remove(&id);
        self.session.reached();
    }

    fn pause(&mut self, row: &CommandRow, retry_after: Option<Duration>) {
        let times = self.pausing.get(&row.id).map_or(0, |(times, _)| *times) + 1;
        let pause = if row.needs_server {
            BUSY
        } else {
            plan::pause(times)
        };
        // A server may ask for more patience, within reason (B62).
        let asked = retry_after.unwrap_or_default().min(Duration::from_secs(30));
        self.pausing
            .insert(row.id, (times, Instant::now() + pause.max(asked)));
    }
}

/// As the fault says, but for what concerns the desk and not the command.
fn advice(fault: &Fault) -> Advice {
    match fault {
        Fault::Refused { problem, .. }
            if matches!(problem.code, Code::UpdateNeeded | Code::EpochChanged) =>
        {
            Advice::Retry
        }
        _ => fault.advice(),
    }
}

fn queue(db: &rusqlite::Connection) -> Result<Vec<(CommandRow, Vec<String>)>> {
    command::unsent(db)?
        .into_iter()
        .map(|row| {
            let touches = command::touches(db, row.no)?;
            Ok((row, touches))
        })
        .collect()
}

fn answered(
    store: &Store,
    id: CommandId,
    done: &Done,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<Touched> {
    store.write(|tx| {
        command::mark_answered(tx, id, done.seq, &done.answer, now)?;
        overlaid::refresh(tx)
    })
}

/// Nothing is known of what was on its way: it waits. What only the server could decide is withdrawn,
/// and whoever asked is told that the server was not there.
fn not_reached(store: &Store, now: chrono::DateTime<chrono::Utc>) -> Result<Touched> {
    store.write(|tx| {
        for row in command::unsent(tx)? {
            if row.needs_server {
                command::withdraw(tx, row.id, now)?;
            } else {
                command::mark_waiting(tx, row.id)?;
            }
        }
        Ok::<_, StoreFault>(Touched::new())
    })
}

/// Decided: no. The command and all that need it become tasks, and the screens go back to what the
/// server says.
fn refused(
    store: &Store,
    row: &CommandRow,
    problem: &Problem,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<Touched> {
    store.write(|tx| {
        command::mark_refused(tx, row.id, problem, now, None)?;
        let mut parked = vec![row.clone()];
        for later in command::unsent(tx)?
            .into_iter()
            .filter(|later| later.no > row.no)
        {
            if parked
                .iter()
                .any(|earlier| plan::depends_on(&later.command, &earlier.command))
            {
                command::mark_refused(tx, later.id, problem, now, Some(row.id))?;
                parked.push(later);
            }
        }
        overlaid::refresh(tx)
    })
}
