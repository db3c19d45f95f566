//! The frame in which every change runs: lock the hotel's head, look for the key, decide, write the
//! event, store the answer, commit (design section 4; N5, N6, N9).

pub(crate) mod batch;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, NaiveDate, Utc};
use protocol::code::{Code, Problem};
use protocol::event::{Change, Subject};
use protocol::id::{DeviceId, HotelId, StaffId};
use protocol::role::Role;
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::{Acquire, PgConnection, PgTransaction};
use uuid::Uuid;

use crate::db::Db;
use crate::error::ApiError;

/// Who asks. Comes from the token, never from the request (N12).
#[derive(Clone, Debug)]
pub struct Caller {
    /// The one hotel that the token opens.
    pub hotel: HotelId,
    /// Who.
    pub staff: StaffId,
    /// At which desk.
    pub device: Option<DeviceId>,
    /// With which role.
    pub role: Role,
}

impl Caller {
    /// Whether what needs a manager's right is theirs to do.
    pub(crate) fn is_manager(&self) -> bool {
        matches!(self.role, Role::Manager | Role::Admin)
    }

    /// Whose things alone it may touch: a channel's key opens only what was made with it, and all else
    /// is to it as if it were not there. The hotel's own people share everything.
    pub(crate) fn only_of(&self) -> Option<uuid::Uuid> {
        (self.role == Role::Channel).then_some(self.staff.0)
    }

    /// The server itself: timers and set-up, which need no key.
    pub fn system(hotel: HotelId) -> Self {
        Self {
            hotel,
            staff: StaffId::SYSTEM,
            device: None,
            role: Role::Admin,
        }
    }
}

/// An `Idempotency-Key` with the hash of what it was used for: method, path and body (N5).
#[derive(Clone, Debug)]
pub struct Key {
    /// As sent, 1 to 128 characters.
    pub key: String,
    /// SHA-256 over method, path and body.
    pub hash: [u8; 32],
}

impl Key {
    /// The key of one request. Each part is preceded by its length, so that no two requests run
    /// into the same bytes.
    pub fn new(key: String, method: &str, path: &str, body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), body] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self {
            key,
            hash: hash.finalize().into(),
        }
    }
}

/// The answer as it goes out and as it is stored, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: String,
}

/// One kind of change. Plain data, so that it can be run again when the database asks for it.
pub trait Decision: Sync {
    /// The event's verb.
    const VERB: &'static str;
    /// The status of success.
    const STATUS: u16 = 200;
    /// What the caller is told.
    type Answer: Serialize + Send;

    /// Decides and writes, under the head lock. A refusal undoes everything that this wrote.
    fn decide(
        &self,
        work: &mut Work<'_>,
    ) -> impl Future<Output = Result<Self::Answer, ApiError>> + Send;
}

/// A change in progress: the open transaction, the hotel's head, and what has changed so far.
pub struct Work<'t> {
    conn: &'t mut PgConnection,
    /// Who asks.
    pub caller: &'t Caller,
    /// The database's clock, read after the head lock was had (N7).
    pub now: DateTime<Utc>,
    /// The open day.
    pub business_date: NaiveDate,
    seq: i64,
    reason: Option<String>,
    changes: Vec<Change>,
    /// Where in `changes` each thing stands.
    places: HashMap<Subject, usize>,
}

impl std::fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work")
            .field("seq", &self.seq)
            .finish_non_exhaustive()
    }
}

impl Work<'_> {
    /// The connection, inside the transaction.
    pub fn conn(&mut self) -> &mut PgConnection {
        self.conn
    }

    /// The hotel.
    pub fn hotel(&self) -> HotelId {
        self.caller.hotel
    }

    /// The number that this command's event will have; goes into the answer.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// Puts the whole new state of one thing into the event. A later state of the same thing
    /// replaces an earlier one.
    pub fn changed(&mut self, change: Change) {
        match self.places.entry(change.subject()) {
            Entry::Occupied(place) => self.changes[*place.get()] = change,
            Entry::Vacant(place) => {
                place.insert(self.changes.len());
                self.changes.push(change);
            }
        }
    }

    /// A word on why, from a fixed list.
    pub fn because(&mut self, reason: Option<&str>) {
        self.reason = reason.map(str::to_owned);
    }

    /// Runs a decision of its own within this one, such as one room of a party: what it wrote is undone
    /// where it is refused, and this one goes on. Only for moves that take no night: what has expired
    /// must be released before anything of this command is written.
    pub(crate) async fn attempt<D: Decision>(
        &mut self,
        decision: &D,
    ) -> Result<Result<(), Problem>, ApiError> {
        let mut inner = self.conn.begin().await?;
        let mut work = Work {
            conn: &mut inner,
            caller: self.caller,
            now: self.now,
            business_date: self.business_date,
            seq: self.seq,
            reason: self.reason.clone(),
            changes: self.changes.clone(),
            places: self.places.clone(),
        };
        match decision.decide(&mut work).await {
            Ok(_) => {
                let Work {
                    seq,
                    changes,
                    places,
                    ..
                } = work;
                inner.commit().await?;
                if seq != self.seq {
                    return Err(anyhow::anyhow!("{} released holds within another", D::VERB).into());
                }
                (self.changes, self.places) = (changes, places);
                Ok(Ok(()))
            }
            Err(ApiError::Refused(problem)) => {
                inner.rollback().await?;
                Ok(Err(*problem))
            }
            Err(error) => Err(error),
        }
    }

    /// Writes an event of its own, by the system, before this command's own: what was released on
    /// the way because its time had run out (N7).
    pub async fn event_before(
        &mut self,
        verb: &'static str,
        changes: Vec<Change>,
    ) -> Result<(), ApiError> {
        let event = NewEvent {
            seq: self.seq,
            verb,
            reason: None,
            caller: &Caller::system(self.caller.hotel),
            business_date: self.business_date,
            at: self.now,
        };
        append(self.conn, &event, &changes).await?;
        self.seq += 1;
        Ok(())
    }
}

/// Runs a decision to its end. Without a key (timers, set-up) nothing is stored for repetition.
///
/// A deadlock or a failed serialization is run once more, then reported as busy.
pub async fn run<D: Decision>(
    db: &Db,
    caller: &Caller,
    key: Option<&Key>,
    decision: &D,
) -> Result<Answer, ApiError> {
    match run_once(db, caller, key, decision).await {
        Err(ApiError::Again) => match run_once(db, caller, key, decision).await {
            Err(ApiError::Again) => Err(ApiError::Busy),
            other => other,
        },
        other => other,
    }
}

async fn run_once<D: Decision>(
    db: &Db,
    caller: &Caller,
    key: Option<&Key>,
    decision: &D,
) -> Result<Answer, ApiError> {
    let mut tx: PgTransaction<'_> = db.booking.begin().await?;
    let head = lock_head(&mut tx, caller.hotel).await?;
    let (now, stored) = now_and_stored(&mut tx, caller, key).await?;
    if let Some(answer) = stored {
        return Ok(answer);
    }
    let mut inner = tx.begin().await?;
    let mut work = Work {
        conn: &mut inner,
        caller,
        now,
        business_date: head.business_date,
        seq: head.seq + 1,
        reason: None,
        changes: Vec::new(),
        places: HashMap::new(),
    };
    let answer = match decision.decide(&mut work).await {
        Ok(answer) => {
            let Work {
                seq,
                reason,
                changes,
                business_date,
                ..
            } = work;
            let event = NewEvent {
                seq,
                verb: D::VERB,
                reason,
                caller,
                business_date,
                at: now,
            };
            append(&mut inner, &event, &changes).await?;
            inner.commit().await?;
            Answer {
                status: D::STATUS,
                body: serde_json::to_string(&answer).map_err(|error| anyhow::anyhow!(error))?,
            }
        }
        Err(ApiError::Refused(problem)) => {
            inner.rollback().await?;
            Answer {
                status: problem.status,
                body: serde_json::to_string(&problem).map_err(|error| anyhow::anyhow!(error))?,
            }
        }
        Err(error) => return Err(error),
    };
    if let Some(key) = key {
        store_answer(&mut tx, caller, key, &answer, now).await?;
    }
    tx.commit().await?;
    // A refusal leaves the log as it was.
    if answer.status < 400 {
        db.committed(caller.hotel);
    }
    Ok(answer)
}

struct Head {
    seq: i64,
    business_date: NaiveDate,
}

/// The first lock of every writing transaction.
async fn lock_head(conn: &mut PgConnection, hotel: HotelId) -> Result<Head, ApiError> {
    sqlx::query_as!(
        Head,
        "SELECT seq, business_date FROM hotel_head WHERE hotel_id = $1 FOR NO KEY UPDATE",
        hotel.0,
    )
    .fetch_optional(conn)
    .await?
    .ok_or_else(|| ApiError::refused(Code::NotFound))
}

/// The clock, and what the key was answered before. A statement of its own after the lock: a time
/// read while waiting would be too early, and a snapshot taken before the wait would not see the key
/// of the one waited for.
async fn now_and_stored(
    conn: &mut PgConnection,
    caller: &Caller,
    key: Option<&Key>,
) -> Result<(DateTime<Utc>, Option<Answer>), ApiError> {
    let row = sqlx::query!(
        r#"SELECT clock_timestamp() AS "now!", stored.request_hash AS "request_hash?",
                  stored.status AS "status?", stored.answer AS "answer?"
           FROM (SELECT) AS one
           LEFT JOIN idempotency_key AS stored
             ON stored.hotel_id = $1 AND stored.actor = $2 AND stored.key = $3"#,
        caller.hotel.0,
        caller.staff.0,
        key.map(|key| key.key.as_str()),
    )
    .fetch_one(conn)
    .await?;
    let (Some(hash), Some(status), Some(body), Some(key)) =
        (row.request_hash, row.status, row.answer, key)
    else {
        return Ok((row.now, None));
    };
    if hash != key.hash {
        return Err(Problem::new(Code::KeyReused).into());
    }
    let status = u16::try_from(status).unwrap_or(500);
    Ok((row.now, Some(Answer { status, body })))
}

async fn store_answer(
    conn: &mut PgConnection,
    caller: &Caller,
    key: &Key,
    answer: &Answer,
    now: DateTime<Utc>,
) -> Result<(), ApiError> {
    sqlx::query!(
        "INSERT INTO idempotency_key (hotel_id, actor, key, request_hash, status, answer, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        caller.hotel.0,
        caller.staff.0,
        key.key,
        &key.hash[..],
        i32::from(answer.status),
        answer.body,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct NewEvent<'e> {
    seq: i64,
    verb: &'static str,
    reason: Option<String>,
    caller: &'e Caller,
    business_date: NaiveDate,
    at: DateTime<Utc>,
}

async fn append(
    conn: &mut PgConnection,
    event: &NewEvent<'_>,
    changes: &[Change],
) -> Result<(), ApiError> {
    let id = Uuid::new_v4();
    let changes = serde_json::to_string(changes).map_err(|error| anyhow::anyhow!(error))?;
    // The number and the event are one: a single statement, a single round trip.
    sqlx::query!(
        "WITH head AS (
             UPDATE hotel_head SET seq = $3, last_event_id = $4 WHERE hotel_id = $1
         )
         INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device, verb, reason, changes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        event.caller.hotel.0,
        event.at,
        event.seq,
        id,
        event.business_date,
        event.caller.staff.0,
        event.caller.device.map(|device| device.0),
        event.verb,
        event.reason,
        changes,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes keys that no desk can still repeat: older than 40 days, where 35 are promised (N5).
pub(crate) async fn forget_old_keys(pool: &sqlx::PgPool) -> Result<u64, ApiError> {
    let gone =
        sqlx::query!("DELETE FROM idempotency_key WHERE created_at < now() - interval '40 days'")
            .execute(pool)
            .await?;
    Ok(gone.rows_affected())
}
