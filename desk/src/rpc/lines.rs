//! Stays as lists, panels and the chart show them: one query, one form.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use protocol::id::{BookingId, ReservationId, RoomId, RoomTypeId};
use protocol::row::{RoomRow, RoomTypeRow, RoomUseRow};
use protocol::state::RoomUseKind;
use rusqlite::{Connection, Row};

use super::schema::StayLine;
use crate::store::columns::word_at;
use crate::store::{Result, command, night, reservation, room, room_type, room_use};

/// What every query of stays selects, so that [`Lines::read`] can read it.
pub(super) const SELECT: &str = "SELECT r.no, r.id, r.booking_id, b.number, b.rooms, r.state,
        g.name, g.vip, r.check_in, r.check_out, r.nights, r.room_type_id, r.night_type_id,
        r.adults, r.children, r.guarantee, r.expected_time, r.hold_expires_at, r.total,
        r.notes <> '', r.do_not_move, r.version, coalesce(r.share_of, r.id)
    FROM reservation r
    JOIN booking b ON b.id = r.booking_id
    LEFT JOIN guest g ON g.id = r.guest_id";

/// What lines need beside the reservation: read once for a whole list.
pub(super) struct Lines<'a> {
    db: &'a Connection,
    today: NaiveDate,
    codes: HashMap<RoomTypeId, String>,
    rooms: HashMap<RoomId, RoomRow>,
    over: HashSet<i64>,
    unsent: HashSet<ReservationId>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(db: &'a Connection, today: NaiveDate) -> Result<Self> {
        let types: Vec<RoomTypeRow> = room_type::all(db)?;
        Ok(Self {
            db,
            today,
            codes: types.into_iter().map(|row| (row.id, row.code)).collect(),
            rooms: room::all(db)?
                .into_iter()
                .map(|row| (row.id, row))
                .collect(),
            over: night::over_limit(db, today)?,
            unsent: command::unsent_reservations(db)?.into_iter().collect(),
        })
    }

    /// The stays that `filter` names, each with its room.
    pub(super) fn select(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<StayLine>> {
        let read = self.read_all(filter, values)?;
        read.into_iter()
            .map(|(room_of, mut line)| {
                // Whoever shares a room is in the room of the one whose it is.
                let uses = room_use::of_reservation(self.db, room_of)?;
                self.set_room(&mut line, &uses);
                Ok(line)
            })
            .collect()
    }

    /// As [`Self::select`], without the rooms.
    pub(super) fn select_bare(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<StayLine>> {
        let read = self.read_all(filter, values)?;
        Ok(read.into_iter().map(|(_, line)| line).collect())
    }

    fn read_all(
        &self,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<(ReservationId, StayLine)>> {
        let mut statement = self.db.prepare_cached(&format!("{SELECT} {filter}"))?;
        let read: Vec<(i64, bool, ReservationId, StayLine)> = statement
            .query_map(values, |row| {
                let (no, mixed, line) = self.read(row)?;
                Ok((no, mixed, ReservationId(row.get(22)?), line))
            })?
            .collect::<rusqlite::Result<_>>()?;
        read.into_iter()
            .map(|(no, mixed, room_of, mut line)| {
                if mixed
                    && let Some(type_id) =
                        reservation::type_on(self.db, no, self.today.max(line.check_in))?
                {
                    line.room_type_id = type_id;
                }
                line.over_limit = self.over.contains(&no);
                Ok((room_of, line))
            })
            .collect()
    }

    /// One stay with its room.
    pub(super) fn one(&self, id: ReservationId) -> Result<Option<StayLine>> {
        Ok(self.select("WHERE r.id = ?1", [id.0])?.pop())
    }

    fn read(&self, row: &Row<'_>) -> rusqlite::Result<(i64, bool, StayLine)> {
        let id = ReservationId(row.get(1)?);
        let booked = RoomTypeId(row.get(11)?);
        let night_type: Option<RoomTypeId> = row.get::<_, Option<_>>(12)?.map(RoomTypeId);
        let nights: i32 = row.get(10)?;
        let children = row.get_ref(14)?.as_str()?;
        let total: i64 = row.get(18)?;
        let line = StayLine {
            id,
            booking_id: BookingId(row.get(2)?),
            number: row.get(3)?,
            party_rooms: row.get(4)?,
            state: word_at(row, 5)?,
            guest_name: row.get::<_, Option<_>>(6)?.unwrap_or_default(),
            vip: row.get::<_, Option<_>>(7)?.unwrap_or_default(),
            check_in: row.get(8)?,
            check_out: row.get(9)?,
            nights,
            type_code: self.codes.get(&booked).cloned().unwrap_or_default(),
            room_type_id: night_type.unwrap_or(booked),
            adults: row.get(13)?,
            // The list holds an age for each: a comma more than there are ages, but for none.
            children: if children == "[]" {
                0
            } else {
                i32::try_from(children.matches(',').count()).unwrap_or(0) + 1
            },
            room_number: None,
            room_id: None,
            room_status: None,
            guarantee: word_at(row, 15)?,
            expected_time: row.get(16)?,
            hold_expires_at: row.get(17)?,
            total,
            balance: total,
            has_notes: row.get(19)?,
            do_not_move: row.get(20)?,
            over_limit: false,
            unsent: self.unsent.contains(&id),
            version: row.get(21)?,
        };
        Ok((row.get(0)?, night_type.is_none() && nights > 0, line))
    }

    /// The room of tonight or of the first night, from the rooms of the stay in their order.
    pub(super) fn set_room(&self, line: &mut StayLine, uses: &[RoomUseRow]) {
        let night = self.today.max(line.check_in);
        let stays = || uses.iter().filter(|place| place.kind == RoomUseKind::Stay);
        let place = stays()
            .find(|place| place.from <= night && night < place.until)
            .or_else(|| {
                if night >= line.check_out {
                    stays().next_back()
                } else {
                    None
                }
            })
            .or_else(|| stays().next());
        let room = place.and_then(|place| self.rooms.get(&place.room_id));
        line.room_id = room.map(|room| room.id);
        line.room_number = room.map(|room| room.number.clone());
        line.room_status = room.map(|room| room.status);
    }
}

/// Orders room numbers as people count: 9 before 10, 101A after 101.
pub(super) fn room_order(number: &str) -> (u64, String) {
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u64::MAX), number.to_owned())
}
