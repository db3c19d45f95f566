//! The rooms of changed stays: they follow the dates, and where somebody else is in the way the request
//! says what then.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use protocol::id::{ReservationId, RoomId, RoomTypeId};
use protocol::nights::dates;
use protocol::request::ChangeStayRequest;
use protocol::row::{ReservationRow, RoomRow, RoomUseRow};
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};

use super::plan::After;
use crate::db::command::Work;
use crate::db::reservations;
use crate::db::rooms::{self, NewUse};
use crate::error::ApiError;
use crate::reservations::room;

/// A changed stay with the rooms it had.
#[derive(Debug)]
pub(super) struct Stay<'r> {
    /// As it was.
    pub(super) row: &'r ReservationRow,
    /// Its rooms, as they were.
    pub(super) uses: Vec<RoomUseRow>,
    /// As it will be.
    pub(super) after: &'r After,
    /// What is asked.
    pub(super) ask: &'r ChangeStayRequest,
}

/// Which room on which night.
type Places = BTreeMap<NaiveDate, RoomId>;

impl Stay<'_> {
    fn in_house(&self) -> bool {
        self.row.state == ReservationState::CheckedIn
    }

    /// The first night whose room can still be another one.
    fn first(&self, today: NaiveDate) -> NaiveDate {
        self.after.check_in.max(today)
    }

    /// The day until which a room is needed. Day use needs the room to itself on its day.
    fn until(&self) -> NaiveDate {
        if self.after.check_in == self.after.check_out {
            self.after
                .check_in
                .checked_add_days(Days::new(1))
                .unwrap_or(self.after.check_in)
        } else {
            self.after.check_out
        }
    }

    fn type_on(&self, night: NaiveDate) -> RoomTypeId {
        self.after
            .nights
            .iter()
            .find(|known| known.stay_date == night)
            .map_or(self.after.room_type, |known| known.room_type_id)
    }

    /// Every night in the room that it had, new nights in the room next to them.
    fn wanted(&self) -> Places {
        let (Some(first), Some(last)) = (self.uses.first(), self.uses.last()) else {
            return Places::new();
        };
        let apart = self.after.check_in >= last.until || self.until() <= first.from;
        dates(self.after.check_in, self.until())
            .filter_map(|night| {
                let had = room::on(&self.uses, night).map(|used| used.room_id);
                let beside = if apart || night >= last.until {
                    // A guest who stood without a room on the last night is given none by this.
                    (apart || last.until >= self.row.check_out).then_some(last.room_id)
                } else {
                    (night < first.from && first.from <= self.row.check_in).then_some(first.room_id)
                };
                had.or(beside).map(|room| (night, room))
            })
            .collect()
    }
}

/// Moves the rooms of these stays to their new nights. What one of them leaves is there for another.
/// Answers who has lost a room by it.
pub(super) async fn follow(
    work: &mut Work<'_>,
    stays: &[Stay<'_>],
) -> Result<Vec<ReservationId>, ApiError> {
    let mut displaced = Vec::new();
    let mut wanted = Vec::new();
    for stay in stays {
        let mut places = stay.wanted();
        let lost = off_type(work, stay, &mut places).await?;
        let same = lost.is_none() && stay.ask.room_id.is_none() && as_it_was(&places, &stay.uses);
        wanted.push((places, lost, same));
    }
    for (stay, (_, _, same)) in stays.iter().zip(&wanted) {
        if !same {
            for used in &stay.uses {
                rooms::remove_use(work, used.id).await?;
            }
        }
    }
    for (stay, (places, lost, same)) in stays.iter().zip(wanted) {
        if !same {
            settle(work, stay, places, lost, &mut displaced).await?;
        }
    }
    Ok(displaced)
}

/// Takes the rooms that are not of the type in which a night ahead is counted out of the places, and
/// answers the first such night.
async fn off_type(
    work: &mut Work<'_>,
    stay: &Stay<'_>,
    places: &mut Places,
) -> Result<Option<NaiveDate>, ApiError> {
    let (hotel, first) = (work.hotel(), stay.first(work.business_date));
    let mut known: BTreeMap<RoomId, RoomRow> = BTreeMap::new();
    let mut lost = None;
    for (night, id) in places.clone() {
        if night < first {
            continue;
        }
        if let std::collections::btree_map::Entry::Vacant(place) = known.entry(id)
            && let Some(found) = rooms::room(work.conn(), hotel, id).await?
        {
            place.insert(found);
        }
        let fits = known
            .get(&id)
            .is_some_and(|room| room.room_type_id == stay.type_on(night));
        if !fits {
            places.remove(&night);
            lost = lost.or(Some(night));
        }
    }
    // A guest who has not come yet has one room for the whole stay or none.
    if lost.is_some() && !stay.in_house() {
        places.retain(|night, _| *night < first);
    }
    Ok(lost)
}

fn as_it_was(places: &Places, uses: &[RoomUseRow]) -> bool {
    let had: Places = uses
        .iter()
        .flat_map(|used| dates(used.from, used.until).map(|night| (night, used.room_id)))
        .collect();
    had == *places
}

/// Runs of nights in one room.
fn runs(places: &Places) -> Vec<(RoomId, NaiveDate, NaiveDate)> {
    let mut runs: Vec<(RoomId, NaiveDate, NaiveDate)> = Vec::new();
    for (night, id) in places {
        let after = night.checked_add_days(Days::new(1)).unwrap_or(*night);
        match runs.last_mut() {
            Some((room, _, until)) if room == id && until == night => *until = after,
            _ => runs.push((*id, *night, after)),
        }
    }
    runs
}

async fn settle(
    work: &mut Work<'_>,
    stay: &Stay<'_>,
    mut places: Places,
    lost: Option<NaiveDate>,
    displaced: &mut Vec<ReservationId>,
) -> Result<(), ApiError> {
    let today = work.business_date;
    let first = stay.first(today);
    let tonight = room::on(&stay.uses, today).map(|used| used.room_id);
    let mut needs_room = lost.or_else(|| {
        let bare = |night: &NaiveDate| !places.contains_key(night);
        dates(first, stay.until()).find(|night| stay.ask.room_id.is_some() && bare(night))
    });
    if needs_room.is_none() {
        needs_room = clear(work, stay, &places, displaced).await?;
    }
    if let Some(from) = needs_room {
        // The room that was promised is not given up lightly.
        room::may_move(stay.row, &stay.uses)?;
        let from = if stay.in_house() {
            from.max(first)
        } else {
            first
        };
        places.retain(|night, _| *night < from);
        if let Some(id) = stay.ask.room_id {
            let other = room::named(work, id).await?;
            for night in dates(from, stay.until()) {
                if other.room_type_id != stay.type_on(night) {
                    return Err(room::wrong_type(&other, stay.type_on(night)));
                }
                places.insert(night, id);
            }
            if let Some(still) = clear(work, stay, &places, displaced).await? {
                return Err(match blocked(work, stay, &places, still).await? {
                    Some(blocker) => rooms::taken(&blocker).into(),
                    None => anyhow::anyhow!("a room was taken and is free").into(),
                });
            }
            if from == today
                && stay.in_house()
                && let Some(guest) = rooms::not_yet_gone(work, id, stay.row.id).await?
            {
                return Err(rooms::taken(&guest).into());
            }
        }
    }
    write(work, stay, &places).await?;
    if stay.in_house()
        && let Some(left) = tonight
        && places.get(&today) != Some(&left)
        && dates(first, stay.until()).any(|night| night == today)
    {
        rooms::set_status(work, left, RoomStatus::Dirty).await?;
    }
    Ok(())
}

/// Makes the way free where the request allows it. Answers the first night that stays blocked and on
/// which the request says what then; refuses where it says nothing.
async fn clear(
    work: &mut Work<'_>,
    stay: &Stay<'_>,
    places: &Places,
    displaced: &mut Vec<ReservationId>,
) -> Result<Option<NaiveDate>, ApiError> {
    for (id, from, until) in runs(places) {
        while let Some(blocker) = rooms::blocker(work, &new_use(stay, id, from, until)).await? {
            if stay.ask.displace
                && let Some(other) = displace(work, stay, &blocker).await?
            {
                displaced.push(other);
                continue;
            }
            let another = stay.ask.room_id.is_some_and(|other| other != id);
            if another || stay.ask.give_up_room {
                return Ok(Some(blocker.from.max(from)));
            }
            return Err(rooms::taken(&blocker).into());
        }
    }
    Ok(None)
}

async fn blocked(
    work: &mut Work<'_>,
    stay: &Stay<'_>,
    places: &Places,
    night: NaiveDate,
) -> Result<Option<RoomUseRow>, ApiError> {
    let Some(id) = places.get(&night).copied() else {
        return Ok(None);
    };
    let until = night.checked_add_days(Days::new(1)).unwrap_or(night);
    rooms::blocker(work, &new_use(stay, id, night, until)).await
}

/// Takes the room from a stay that is only assigned to it; who is in house, out of order or promised
/// stays. Answers from whom.
async fn displace(
    work: &mut Work<'_>,
    stay: &Stay<'_>,
    blocker: &RoomUseRow,
) -> Result<Option<ReservationId>, ApiError> {
    let (hotel, today) = (work.hotel(), work.business_date);
    let Some(other) = blocker.reservation_id else {
        return Ok(None);
    };
    let row = reservations::need(work, other).await?;
    if row.state != ReservationState::Confirmed || row.do_not_move {
        return Ok(None);
    }
    let uses = rooms::uses_of(work.conn(), hotel, other).await?;
    room::take_away(work, &row, &uses).await?;
    if let Some(id) = stay.ask.displace_to
        && let Some(ahead) = room::ahead(&row, today)
    {
        let to = room::named_at(work, id, "/displace_to").await?;
        room::give(work, &row, &[], &to, ahead).await?;
    }
    Ok(Some(other))
}

fn new_use(stay: &Stay<'_>, room: RoomId, from: NaiveDate, until: NaiveDate) -> NewUse {
    NewUse {
        id: None,
        room,
        from,
        until,
        kind: RoomUseKind::Stay,
        reservation: Some(stay.row.id),
        reason: None,
    }
}

/// Writes the places. A use that goes on in its room keeps its id.
async fn write(work: &mut Work<'_>, stay: &Stay<'_>, places: &Places) -> Result<(), ApiError> {
    let mut had = stay.uses.clone();
    for (id, from, until) in runs(places) {
        let known = had.iter().position(|used| used.room_id == id);
        let kept = known.map(|place| had.swap_remove(place).id);
        let mut new = new_use(stay, id, from, until);
        new.id = kept;
        rooms::occupy(work, new).await?;
    }
    Ok(())
}
