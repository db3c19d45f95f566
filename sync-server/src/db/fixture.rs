//! For tests: reservations that stand confirmed without anybody having held them, and any open day.

use chrono::NaiveDate;
use protocol::id::{BookingId, ReservationId, RoomTypeId};
use protocol::nights::dates;
use protocol::request::CommandAnswer;
use uuid::Uuid;

use crate::db::command::{Decision, Work};
use crate::db::images;
use crate::db::inventory::{self, CountedNight, Full};
use crate::error::ApiError;

/// A promise to a guest, counted under the limit like any other.
#[derive(Debug)]
pub(crate) struct Promise {
    pub(crate) id: ReservationId,
    pub(crate) room_type: RoomTypeId,
    pub(crate) check_in: NaiveDate,
    pub(crate) check_out: NaiveDate,
    /// Above the limit where there is no room, instead of refused.
    pub(crate) over: Full,
}

impl Decision for Promise {
    const VERB: &'static str = "confirm";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let (hotel, now) = (work.hotel().0, work.now);
        let booking = BookingId(Uuid::now_v7());
        sqlx::query(
            "INSERT INTO booking (hotel_id, booking_id, number, channel, created_at)
             VALUES ($1, $2, $2::text, 'desk', $3)",
        )
        .bind(hotel)
        .bind(booking.0)
        .bind(now)
        .execute(work.conn())
        .await?;
        sqlx::query(
            "INSERT INTO reservation (hotel_id, reservation_id, booking_id, state, check_in, check_out,
                 room_type_id, adults, day_use, created_at)
             VALUES ($1, $2, $3, 'confirmed', $4, $5, $6, 2, $4 = $5, $7)",
        )
        .bind(hotel)
        .bind(self.id.0)
        .bind(booking.0)
        .bind(self.check_in)
        .bind(self.check_out)
        .bind(self.room_type.0)
        .bind(now)
        .execute(work.conn())
        .await?;
        let mut nights = Vec::new();
        for night in dates(self.check_in, self.check_out) {
            sqlx::query(
                "INSERT INTO reservation_night (hotel_id, reservation_id, stay_date, room_type_id,
                     charged_type_id, price, counted)
                 VALUES ($1, $2, $3, $4, $4, 10000, false)",
            )
            .bind(hotel)
            .bind(self.id.0)
            .bind(night)
            .bind(self.room_type.0)
            .execute(work.conn())
            .await?;
            nights.push(CountedNight {
                reservation: self.id,
                night,
                room_type: self.room_type,
            });
        }
        inventory::take(work, &nights, self.over).await?;
        images::reservations_changed(work, &[self.id]).await?;
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

/// Opens any day, as if the days between had been rolled.
pub(crate) async fn set_business_date(db: &crate::db::Db, hotel: Uuid, date: NaiveDate) {
    sqlx::query("UPDATE hotel_head SET business_date = $2 WHERE hotel_id = $1")
        .bind(hotel)
        .bind(date)
        .execute(&db.booking)
        .await
        .unwrap();
}
