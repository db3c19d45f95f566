//! Many decisions of one hotel in one transaction, for set-up that nobody waits for: the same
//! decisions, each with its own event, without a commit after each.

use chrono::{DateTime, NaiveDate, Utc};
use protocol::id::HotelId;
use sqlx::PgTransaction;
use uuid::Uuid;

use super::{Answer, Caller, Decision, Head, Work, lock_head, now_and_stored};
use crate::db::{Db, holds};
use crate::error::ApiError;
use crate::reservations::hold_group::Layout;

/// An open row of decisions. Dropped without [`Batch::commit`], nothing of it has happened.
///
/// Keep it short: a row that is changed again and again in one transaction leaves a chain of versions
/// that every later look at it has to walk.
pub(crate) struct Batch<'d> {
    db: &'d Db,
    tx: PgTransaction<'static>,
    system: Caller,
    head: Head,
    now: DateTime<Utc>,
    /// What the decisions take for the present, where that is another time.
    hour: Option<DateTime<Utc>>,
    /// Decided and not yet in the log: written together, with one move of the head.
    events: Events,
}

/// Events in columns.
#[derive(Default)]
struct Events {
    seq: Vec<i64>,
    id: Vec<Uuid>,
    business_date: Vec<NaiveDate>,
    actor: Vec<Uuid>,
    device: Vec<Option<Uuid>>,
    verb: Vec<&'static str>,
    reason: Vec<Option<String>>,
    changes: Vec<String>,
}

impl<'d> Batch<'d> {
    /// Locks the hotel's head until the end.
    pub(crate) async fn begin(db: &'d Db, hotel: HotelId) -> Result<Self, ApiError> {
        let system = Caller::system(hotel);
        let mut tx = db.booking.begin().await?;
        let head = lock_head(&mut tx, hotel).await?;
        let (now, _) = now_and_stored(&mut tx, &system, None).await?;
        Ok(Self {
            db,
            tx,
            system,
            head,
            now,
            events: Events::default(),
            hour: None,
        })
    }

    /// When it was begun, by the database's clock.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Lets the decisions that follow happen at another hour, for a past that is made up; `None` for
    /// the present. The log says all the same when they were written.
    pub(crate) fn set_hour(&mut self, hour: Option<DateTime<Utc>>) {
        self.hour = hour;
    }

    /// Runs one decision. After a refusal or an error the batch can only be dropped: what the
    /// decision wrote before is not undone by itself.
    pub(crate) async fn run<D: Decision>(
        &mut self,
        caller: &Caller,
        decision: &D,
    ) -> Result<D::Answer, ApiError> {
        let mut work = Work {
            conn: &mut self.tx,
            caller,
            now: self.hour.unwrap_or(self.now),
            business_date: self.head.business_date,
            seq: self.head.seq + 1,
            reason: None,
            changes: Vec::new(),
            places: std::collections::HashMap::new(),
        };
        let answer = decision.decide(&mut work).await?;
        let Work {
            seq,
            reason,
            changes,
            business_date,
            ..
        } = work;
        let changes = serde_json::to_string(&changes).map_err(|error| anyhow::anyhow!(error))?;
        self.events.seq.push(seq);
        self.events.id.push(Uuid::new_v4());
        self.events.business_date.push(business_date);
        self.events.actor.push(caller.staff.0);
        self.events
            .device
            .push(caller.device.map(|device| device.0));
        self.events.verb.push(D::VERB);
        self.events.reason.push(reason);
        self.events.changes.push(changes);
        self.head.seq = seq;
        Ok(answer)
    }

    /// Decides a group of holds, as [`holds::decide`].
    pub(crate) async fn holds(&mut self, group: &Layout) -> Result<Vec<Answer>, ApiError> {
        let hotel = self.system.hotel;
        self.write_events().await?;
        let answers = holds::decide(&mut self.tx, hotel, group).await?;
        // The function has written events of its own.
        self.head = lock_head(&mut self.tx, hotel).await?;
        Ok(answers)
    }

    /// Reads which day is open, after a decision that may have closed one.
    pub(crate) async fn look_again(&mut self) -> Result<(), ApiError> {
        self.write_events().await?;
        self.head = lock_head(&mut self.tx, self.system.hotel).await?;
        Ok(())
    }

    async fn write_events(&mut self) -> Result<(), ApiError> {
        let events = std::mem::take(&mut self.events);
        let Some(last) = events.id.last() else {
            return Ok(());
        };
        sqlx::query!(
            "INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device, verb, reason, changes)
             SELECT $1, $2, e.seq, e.id, e.business_date, e.actor, e.device, e.verb, e.reason, e.changes
             FROM unnest($3::bigint[], $4::uuid[], $5::date[], $6::uuid[], $7::uuid[], $8::text[], $9::text[],
                 $10::text[]) AS e(seq, id, business_date, actor, device, verb, reason, changes)",
            self.system.hotel.0,
            self.now,
            &events.seq,
            &events.id,
            &events.business_date,
            &events.actor,
            &events.device as &[Option<Uuid>],
            &events.verb as &[&str],
            &events.reason as &[Option<String>],
            &events.changes,
        )
        .execute(&mut *self.tx)
        .await?;
        sqlx::query!(
            "UPDATE hotel_head SET seq = $2, last_event_id = $3 WHERE hotel_id = $1",
            self.system.hotel.0,
            self.head.seq,
            last,
        )
        .execute(&mut *self.tx)
        .await?;
        Ok(())
    }

    /// Makes it all happen.
    pub(crate) async fn commit(mut self) -> Result<(), ApiError> {
        self.write_events().await?;
        self.tx.commit().await?;
        self.db.committed(self.system.hotel);
        Ok(())
    }
}
