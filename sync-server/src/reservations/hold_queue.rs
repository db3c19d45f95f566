//! Holds of one hotel that arrive together are decided together.
//!
//! A queue per hotel and server. Whoever finds it idle spawns the task that drains it; a handler only
//! waits, because it is dropped when its caller hangs up. The task takes a connection first and then
//! what has queued meanwhile: under load groups grow by themselves, and without load nobody waits.
//! One connection per hotel at a time, so that a hot hotel cannot drain the pool.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::id::HotelId;
use sqlx::PgConnection;
use tokio::sync::oneshot;

use super::hold_group::{GroupNames, Layout, ReadyHold};
use crate::db::Db;
use crate::db::command::Answer;
use crate::db::holds;
use crate::error::ApiError;

/// More holds than this do not wait for one hotel: they are told to come again (N4).
const WAITING_MAX: usize = 10_000;

/// The queues of this server. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct HoldQueue {
    hotels: Arc<Mutex<Hotels>>,
}

/// A hotel has an entry for as long as a task drains it.
type Hotels = HashMap<HotelId, VecDeque<Waiting>>;

#[derive(Debug)]
struct Waiting {
    hold: ReadyHold,
    answer: oneshot::Sender<Result<Answer, ApiError>>,
}

impl HoldQueue {
    /// Waits until the hold is decided. Whoever drops this before gets no answer; the hold is decided
    /// all the same, and its key remembers how.
    pub(crate) async fn decide(&self, db: &Db, hold: ReadyHold) -> Result<Answer, ApiError> {
        let hotel = hold.hotel();
        let (answer, decided) = oneshot::channel();
        let waiting = Waiting { hold, answer };
        {
            let mut hotels = self.lock();
            if let Some(queue) = hotels.get_mut(&hotel) {
                if queue.len() >= WAITING_MAX {
                    return Err(ApiError::Busy);
                }
                queue.push_back(waiting);
            } else {
                hotels.insert(hotel, VecDeque::from([waiting]));
                let drain = Drain {
                    queue: self.clone(),
                    db: db.clone(),
                    hotel,
                    owns_entry: true,
                };
                tokio::spawn(drain.run());
            }
        }
        // The task is gone without an answer only if it panicked: nothing is known to have happened.
        decided.await.unwrap_or(Err(ApiError::Busy))
    }

    /// How many holds of a hotel wait to be taken into a group.
    #[cfg(test)]
    pub(crate) fn waiting(&self, hotel: HotelId) -> usize {
        self.lock().get(&hotel).map_or(0, VecDeque::len)
    }

    fn lock(&self) -> MutexGuard<'_, Hotels> {
        self.hotels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that drains one hotel's queue. Should it panic, it leaves no entry behind that nobody
/// drains.
struct Drain {
    queue: HoldQueue,
    db: Db,
    hotel: HotelId,
    /// Whether the hotel's entry is this task's. Once it has let go, a new entry is another's.
    owns_entry: bool,
}

impl Drop for Drain {
    fn drop(&mut self) {
        if self.owns_entry {
            self.queue.lock().remove(&self.hotel);
        }
    }
}

impl Drain {
    async fn run(mut self) {
        while self.owns_entry {
            match self.db.booking.acquire().await {
                Ok(mut conn) => {
                    let group = self.next_group();
                    if !group.is_empty() {
                        decide_group(&mut conn, &self.db, self.hotel, group).await;
                    }
                }
                Err(error) => {
                    tracing::warn!(hotel = %self.hotel, %error, "hold.no_connection");
                    self.refuse_all();
                }
            }
        }
    }

    /// What has queued, as far as it can be decided together. Lets go of the entry when that was all,
    /// in the same breath: whoever comes next finds the hotel idle.
    fn next_group(&mut self) -> Vec<Waiting> {
        let mut hotels = self
            .queue
            .hotels
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = hotels.get_mut(&self.hotel) else {
            self.owns_entry = false;
            return Vec::new();
        };
        let mut names = GroupNames::default();
        let mut group = Vec::new();
        let mut later = VecDeque::new();
        while let Some(waiting) = queue.pop_front() {
            if names.admit(&waiting.hold) {
                group.push(waiting);
            } else {
                later.push_back(waiting);
                if names.is_full() {
                    break;
                }
            }
        }
        later.append(queue);
        *queue = later;
        if group.is_empty() {
            hotels.remove(&self.hotel);
            self.owns_entry = false;
        }
        group
    }

    fn refuse_all(&mut self) {
        let waiting = self.queue.lock().remove(&self.hotel);
        self.owns_entry = false;
        for waiting in waiting.into_iter().flatten() {
            answer(waiting.answer, Err(ApiError::Busy));
        }
    }
}

/// Decides a group; should it fail for a reason that nobody foresaw, each of its holds by itself, so
/// that one cannot spoil the others.
async fn decide_group(conn: &mut PgConnection, db: &Db, hotel: HotelId, group: Vec<Waiting>) {
    let (holds, answers): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|waiting| (waiting.hold, waiting.answer))
        .unzip();
    metrics::histogram!("nightdesk_hold_group_size").record(holds.len() as u32);
    match decide_twice(conn, hotel, &holds).await {
        Ok(decided) => {
            db.committed(hotel);
            for (to, decided) in answers.into_iter().zip(decided) {
                answer(to, Ok(decided));
            }
        }
        Err(ApiError::Internal(cause)) if holds.len() > 1 => {
            tracing::error!(%hotel, holds = holds.len(), cause = format!("{cause:#}"), "hold.group_failed");
            for (to, hold) in answers.into_iter().zip(&holds) {
                let alone = decide_twice(conn, hotel, std::slice::from_ref(hold)).await;
                if alone.is_ok() {
                    db.committed(hotel);
                }
                answer(to, alone.and_then(only));
            }
        }
        Err(error) => {
            let mut error = Some(error);
            for to in answers {
                // An unforeseen error has one hold to go to; the others are told as often as needed.
                let told = match &error {
                    Some(ApiError::Internal(_)) => error.take().unwrap_or(ApiError::Busy),
                    Some(ApiError::Refused(problem)) => ApiError::Refused(problem.clone()),
                    _ => ApiError::Busy,
                };
                answer(to, Err(told));
            }
        }
    }
}

/// A deadlock or a failed serialization is tried once more.
async fn decide_twice(
    conn: &mut PgConnection,
    hotel: HotelId,
    holds: &[ReadyHold],
) -> Result<Vec<Answer>, ApiError> {
    let group = Layout::new(holds);
    let decided = match holds::decide(conn, hotel, &group).await {
        Err(ApiError::Again) => match holds::decide(conn, hotel, &group).await {
            Err(ApiError::Again) => Err(ApiError::Busy),
            other => other,
        },
        other => other,
    }?;
    if decided.len() != holds.len() {
        return Err(
            anyhow::anyhow!("{} holds were decided of {}", decided.len(), holds.len()).into(),
        );
    }
    Ok(decided)
}

fn only(decided: Vec<Answer>) -> Result<Answer, ApiError> {
    decided
        .into_iter()
        .next()
        .ok_or_else(|| anyhow::anyhow!("no hold was decided of one").into())
}

fn answer(to: oneshot::Sender<Result<Answer, ApiError>>, decided: Result<Answer, ApiError>) {
    // Whoever hung up finds the answer under the key.
    drop(to.send(decided));
}
