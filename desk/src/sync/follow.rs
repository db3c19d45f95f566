//! The loop that follows the log: asks the plan, does the step, looks how it ended.

use std::sync::Arc;
use std::time::Duration;

use protocol::id::EventId;
use tokio::sync::mpsc;

use super::plan::{self, Outcome, Step};
use super::{BUILD, Session, blocking, pull, snapshot};
use crate::client::{Advice, Api, Fault, Unknown};
use crate::feed::ALL;
use crate::rpc::schema::Tag;
use crate::store::{StoreFault, meta};

/// How long the server may wait for something to happen.
const LONG_POLL: Duration = Duration::from_secs(25);
/// How often a server that is waited for is asked whether it is there.
const BEAT: Duration = Duration::from_secs(3);
/// The longest that it may take to say so.
const BEAT_ANSWER: Duration = Duration::from_secs(2);
/// Events asked for at once.
const EVENTS: i64 = 1_000;
/// Rows written in one transaction while loading: with fewer, encryption and `fsync` cost ten times
/// as much.
const ROWS: usize = 20_000;
/// Pages of a snapshot that may have been read and wait to be written.
const PAGES_AHEAD: usize = 5;

/// Follows the log until the token is refused or the server sends what this build does not know.
pub(super) async fn run(session: Arc<Session>) {
    let mut outcome = Outcome::Fine;
    // Attempts in a row that did not reach the server, and loads in a row that had to be begun anew
    // before the copy followed the log again: each has pauses of its own.
    let (mut unreached, mut reloads) = (0_u32, 0_u32);
    loop {
        let times = if outcome == Outcome::Unreachable {
            unreached
        } else {
            reloads
        };
        let ended = match step(&session, outcome, times).await {
            Ok(Next::Go(ended)) => ended,
            Ok(Next::Following(ended)) => {
                if ended == Outcome::Fine {
                    reloads = 0;
                }
                ended
            }
            Ok(Next::Wait(pause)) => {
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = session.wake_follow.notified() => {}
                }
                outcome = Outcome::Fine;
                continue;
            }
            Ok(Next::Stop) => return,
            Err(fault) => {
                // A full disk, for one: nothing was half done, and it may have room again.
                tracing::error!(
                    name = "copy.fault",
                    fault = &fault as &dyn std::error::Error
                );
                Outcome::Unreachable
            }
        };
        match ended {
            Outcome::Fine => unreached = 0,
            Outcome::Unreachable => unreached = unreached.saturating_add(1),
            _ => reloads = reloads.saturating_add(1),
        }
        outcome = ended;
    }
}

enum Next {
    Go(Outcome),
    /// The copy is open and was up to date.
    Following(Outcome),
    Wait(Duration),
    Stop,
}

async fn step(session: &Arc<Session>, outcome: Outcome, times: u32) -> Result<Next, StoreFault> {
    let store = Arc::clone(&session.store);
    let state = blocking(move || store.read(meta::copy_state)).await?;
    let store = Arc::clone(&session.store);
    match plan::next(&state, outcome, times, BUILD) {
        Step::Pause(pause) => Ok(Next::Wait(pause)),
        Step::SignIn => {
            session.change_live(|live| live.sign_in_again = true);
            Ok(Next::Stop)
        }
        Step::UpdateNeeded => {
            blocking(move || pull::update_needed(&store, BUILD)).await?;
            session.change_live(|live| live.update_needed = true);
            Ok(Next::Stop)
        }
        Step::BeginLoad { offer_again } => {
            blocking(move || snapshot::begin(&store, offer_again)).await?;
            session.feed.tell([Tag::Status], []);
            Ok(Next::Go(Outcome::Fine))
        }
        Step::Load { page } => Ok(Next::Go(load(session, page).await?)),
        Step::Pull {
            after,
            last_id,
            wait,
        } => {
            let ended = read_on(session, after, last_id, wait).await?;
            Ok(if wait {
                Next::Following(ended)
            } else {
                Next::Go(ended)
            })
        }
        Step::FinishLoad => {
            let (state, outcome) = blocking(move || snapshot::finish(&store)).await?;
            tracing::info!(name = "copy.loaded", cursor = state.cursor, ?outcome);
            session.feed.tell(ALL, []);
            session.wake_push();
            Ok(Next::Go(outcome))
        }
    }
}

fn ended(session: &Session, fault: &Fault) -> Outcome {
    match (fault.advice(), fault) {
        (Advice::Retry, _) | (_, Fault::Unreachable(_)) => {
            tracing::info!(name = "server.unreachable", %fault);
            session.not_reached();
            Outcome::Unreachable
        }
        (_, Fault::Refused { problem, .. }) => {
            tracing::warn!(name = "server.refused", code = %problem.code);
            session.reached();
            Outcome::Refused(problem.code)
        }
    }
}

async fn read_on(
    session: &Arc<Session>,
    after: i64,
    last_id: Option<EventId>,
    wait: bool,
) -> Result<Outcome, StoreFault> {
    // The first pull after a fault does not wait: it shows at once that the server is back.
    let offline = session.live().offline_since.is_some();
    let wait = if wait && !offline {
        LONG_POLL
    } else {
        Duration::ZERO
    };
    let asked = async {
        tokio::select! {
            page = session.api.events(after, last_id, EVENTS, wait) => page,
            fault = silence(&session.api) => Err(fault),
        }
    };
    let page = match asked.await {
        Ok(page) => page,
        Err(fault) => return Ok(ended(session, &fault)),
    };
    session.reached();
    let (store, device) = (Arc::clone(&session.store), session.device);
    let applied = blocking(move || pull::apply(&store, page, device)).await?;
    session.feed.tell(applied.tags, applied.by);
    Ok(applied.outcome)
}

/// Ends when the server no longer answers. A question that waits for news cannot tell a quiet hotel from
/// a server that hangs, and a clerk is to know within five seconds.
async fn silence(api: &Api) -> Fault {
    loop {
        tokio::time::sleep(BEAT).await;
        if let Err(fault) = api.alive(BEAT_ANSWER).await {
            return fault;
        }
    }
}

/// Why no page comes after those that came.
enum Cut {
    Fault(Fault),
    Unknown(Unknown),
}

/// Fetches pages from `first` on and reads them: the next one travels while one is read, and both
/// while earlier ones are written.
async fn fetch(api: Api, first: Option<String>, into: mpsc::Sender<Result<snapshot::Page, Cut>>) {
    let ask = |cursor: Option<String>| {
        let api = api.clone();
        tokio::spawn(async move { api.snapshot(cursor.as_deref()).await })
    };
    let mut coming = Some(ask(first));
    while let Some(asked) = coming.take() {
        let Ok(answer) = asked.await else { return };
        let page = match answer {
            Ok(raw) => {
                coming = raw.cursor.clone().map(|cursor| ask(Some(cursor)));
                let read = tokio::task::spawn_blocking(|| snapshot::Page::decode(raw));
                let Ok(page) = read.await else { return };
                page.map_err(Cut::Unknown)
            }
            Err(fault) => Err(Cut::Fault(fault)),
        };
        if page.is_err() {
            coming = None;
        }
        // Nobody reads any more: the load has ended otherwise.
        if into.send(page).await.is_err() {
            return;
        }
    }
}

/// Loads pages from `first` on.
async fn load(session: &Arc<Session>, first: Option<String>) -> Result<Outcome, StoreFault> {
    let (into, mut arriving) = mpsc::channel(PAGES_AHEAD);
    tokio::spawn(fetch(session.api.clone(), first, into));
    let mut pages: Vec<snapshot::Page> = Vec::new();
    loop {
        let page = match arriving.recv().await {
            Some(Ok(page)) => page,
            Some(Err(Cut::Unknown(unknown))) => {
                tracing::warn!(name = "snapshot.unknown", %unknown);
                return Ok(Outcome::Unknown);
            }
            Some(Err(Cut::Fault(fault))) => {
                // What has arrived is not thrown away.
                let stored = store_pages(session, pages).await?;
                let fault = ended(session, &fault);
                return Ok(if stored == Outcome::Fine {
                    fault
                } else {
                    stored
                });
            }
            None => return Ok(Outcome::Unreachable),
        };
        session.reached();
        let last = page.cursor.is_none();
        pages.push(page);
        let rows: usize = pages.iter().map(|page| page.changes.len()).sum();
        if rows >= ROWS || last {
            let outcome = store_pages(session, std::mem::take(&mut pages)).await?;
            if last || outcome != Outcome::Fine {
                return Ok(outcome);
            }
        }
    }
}

async fn store_pages(
    session: &Arc<Session>,
    pages: Vec<snapshot::Page>,
) -> Result<Outcome, StoreFault> {
    if pages.is_empty() {
        return Ok(Outcome::Fine);
    }
    let (store, now) = (Arc::clone(&session.store), session.host.now());
    let (_, outcome) = blocking(move || snapshot::store_pages(&store, &pages, now)).await?;
    session.feed.tell([Tag::Status, Tag::Commands], []);
    session.wake_push();
    Ok(outcome)
}
