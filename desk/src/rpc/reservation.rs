//! One reservation in full.

use protocol::code::{Code, Problem};
use rusqlite::Connection;

use super::chart::bar;
use super::lines::Lines;
use super::schema::{HistoryLine, ReservationDetail, ReservationRequest};
use super::{RpcResult, hotel_of, reading};
use crate::desk::Desk;
use crate::store::{booking, guest, history, reservation, room_use, staff};

/// `reservation.get`.
pub(super) async fn get(desk: &Desk, request: ReservationRequest) -> RpcResult<ReservationDetail> {
    reading(desk, move |db| detail(db, request)).await
}

fn detail(db: &Connection, request: ReservationRequest) -> RpcResult<ReservationDetail> {
    let missing = || Problem::new(Code::NotFound);
    let hotel = hotel_of(db)?;
    let lines = Lines::new(db, hotel.business_date)?;
    let row = reservation::get(db, request.id)?.ok_or_else(missing)?;
    let line = lines.one(request.id)?.ok_or_else(missing)?;
    let party = lines.select(
        "WHERE r.booking_id = ?1 AND r.id <> ?2 ORDER BY r.created_at, r.id",
        rusqlite::params![row.booking_id.0, row.id.0],
    )?;
    let mut further_guests = Vec::new();
    for id in &row.further_guest_ids {
        further_guests.extend(guest::get(db, *id)?);
    }
    let history = history::of_reservation(db, row.id)?
        .into_iter()
        .map(|seen| {
            Ok(HistoryLine {
                seq: seen.seq,
                at: seen.at,
                verb: seen.verb,
                by: staff::name_of(db, seen.actor)?,
                reason: seen.reason,
            })
        })
        .collect::<RpcResult<_>>()?;
    Ok(ReservationDetail {
        booking: booking::get(db, row.booking_id)?.ok_or_else(missing)?,
        guest: match row.guest_id {
            Some(id) => guest::get(db, id)?,
            None => None,
        },
        further_guests,
        party,
        rooms: room_use::of_reservation(db, row.id)?
            .into_iter()
            .map(|place| bar(place, None))
            .collect(),
        history,
        line,
        row,
    })
}
