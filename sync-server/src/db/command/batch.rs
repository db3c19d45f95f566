//! Many decisions of one hotel in one transaction, for set-up that nobody waits for: the same
//! decisions, each with its own event, without a commit after each.

use chrono::{DateTime, Utc};
use protocol::id::HotelId;
use sqlx::PgTransaction;

use super::{Answer, Caller, Decision, Head, NewEvent, Work, append, lock_head, now_and_stored};
use crate::db::{Db, holds};
use crate::error::ApiError;
use crate::reservations::hold_group::Layout;

/// An open row of decisions. Dropped without [`Batch::commit`], nothing of it has happened.
pub(crate) struct Batch<'d> {
    db: &'d Db,
    tx: PgTransaction<'static>,
    system: Caller,
    head: Head,
    now: DateTime<Utc>,
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
        })
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
            now: self.now,
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
        let event = NewEvent {
            seq,
            verb: D::VERB,
            reason,
            caller,
            business_date,
            at: self.now,
        };
        append(&mut self.tx, &event, &changes).await?;
        self.head.seq = seq;
        Ok(answer)
    }

    /// Decides a group of holds, as [`holds::decide`].
    pub(crate) async fn holds(&mut self, group: &Layout) -> Result<Vec<Answer>, ApiError> {
        let hotel = self.system.hotel;
        let answers = holds::decide(&mut self.tx, hotel, group).await?;
        // The function has written events of its own.
        self.head = lock_head(&mut self.tx, hotel).await?;
        Ok(answers)
    }

    /// Makes it all happen.
    pub(crate) async fn commit(self) -> Result<(), ApiError> {
        self.tx.commit().await?;
        self.db.committed(self.system.hotel);
        Ok(())
    }
}
