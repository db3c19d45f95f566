//! `POST /reservations/{id}/share`: a further guest in a room, with a reservation of their own.
//!
//! A share counts no night of its own and has no room of its own: its nights are marked as shared, its
//! room is that of the reservation it shares with, and goes where that one goes. When the guest whose
//! room it is leaves or does not come, the first who shares takes over the nights ahead and the room,
//! without a counter moving; or they go as well, where the request says so.

use axum::extract::State;
use chrono::NaiveDate;
use protocol::code::{Code, Problem};
use protocol::id::ReservationId;
use protocol::money::MINOR_MAX;
use protocol::nights::dates;
use protocol::request::{ADULTS_MAX, CHILDREN_MAX, ShareRequest, StayAnswer};
use protocol::row::{ReservationNight, ReservationRow};
use protocol::state::ReservationState;
use serde_json::json;
use uuid::Uuid;

use super::moves::wrong_state;
use super::stays_written;
use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::inventory::expect_rows;
use crate::db::rooms::{self, NewUse};
use crate::db::shares::{self, NewShare};
use crate::db::{bookings, images, reservations};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// The most who share one room besides the guest whose room it is.
const SHARES_MAX: usize = 8;

/// A further guest in a room, right in form.
#[derive(Debug)]
pub(crate) struct Share {
    main: ReservationId,
    id: ReservationId,
    body: ShareRequest,
}

impl Share {
    /// Checks the form.
    pub(crate) fn new(main: ReservationId, body: ShareRequest) -> Result<Self, ApiError> {
        let mut problem = Problem::new(Code::Invalid);
        if !(1..=ADULTS_MAX).contains(&body.adults) {
            problem = problem.field("/adults", format!("must be 1 to {ADULTS_MAX}"));
        }
        if body.children.len() > CHILDREN_MAX {
            problem = problem.field("/children", format!("must be at most {CHILDREN_MAX}"));
        }
        for (place, age) in body.children.iter().take(CHILDREN_MAX).enumerate() {
            if !(0..=17).contains(age) {
                problem = problem.field(format!("/children/{place}"), "must be 0 to 17");
            }
        }
        if body
            .price
            .is_some_and(|price| !(0..=MINOR_MAX).contains(&price))
        {
            problem = problem.field("/price", format!("must be 0 to {MINOR_MAX} minor units"));
        }
        if body.reservation_id == Some(main) {
            problem = problem.field("/reservation_id", "is the one whose room it is");
        }
        if !problem.fields.is_empty() {
            return Err(problem.into());
        }
        Ok(Self {
            main,
            id: body
                .reservation_id
                .unwrap_or_else(|| ReservationId(Uuid::now_v7())),
            body,
        })
    }
}

impl Decision for Share {
    const VERB: &'static str = "share";
    const STATUS: u16 = 201;
    type Answer = StayAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<StayAnswer, ApiError> {
        let (today, caller) = (work.business_date, work.caller);
        let main = reservations::need(work, self.main).await?;
        reservations::expect_state(
            &main,
            &[ReservationState::Confirmed, ReservationState::CheckedIn],
        )?;
        if let Some(other) = main.share_of {
            return Err(Problem::new(Code::WrongState)
                .facts(json!({
                    "state": main.state,
                    "reservation_id": main.id,
                    "share_of": other,
                }))
                .into());
        }
        if shares::alive(work, main.id).await?.len() >= SHARES_MAX {
            return Err(invalid(
                "/adults",
                &format!("at most {SHARES_MAX} share a room"),
            ));
        }
        let first = match main.state {
            ReservationState::CheckedIn => main.check_in.max(today),
            _ => main.check_in,
        };
        let check_in = self.body.check_in.unwrap_or(first);
        let check_out = self.body.check_out.unwrap_or(main.check_out);
        if check_in < main.check_in || check_in < today.min(first) || check_in > main.check_out {
            return Err(invalid(
                "/check_in",
                "must lie in the stay of the room, from the open day on",
            ));
        }
        let day = main.day_use && check_in == check_out;
        if check_out > main.check_out || check_out <= check_in && !day {
            return Err(invalid(
                "/check_out",
                "must lie in the stay of the room, after arrival",
            ));
        }
        if let Some(guest) = self.body.guest_id
            && !bookings::unknown_guests(work.conn(), caller, &[guest])
                .await?
                .is_empty()
        {
            return Err(invalid("/guest_id", "is not known in this hotel"));
        }
        let nights: Vec<ReservationNight> = main
            .nights
            .iter()
            .filter(|night| (check_in..check_out).contains(&night.stay_date))
            .map(|night| ReservationNight {
                price: self.body.price.unwrap_or(0),
                counted: false,
                shared: true,
                ..night.clone()
            })
            .collect();
        if nights.len() != dates(check_in, check_out).count() {
            return Err(anyhow::anyhow!("reservation {} lacks nights", main.id).into());
        }
        let new = NewShare {
            id: self.id,
            main: &main,
            guest: self.body.guest_id,
            adults: self.body.adults,
            children: &self.body.children,
            check_in,
            check_out,
            nights: &nights,
        };
        if !shares::create(work, &new).await? {
            return Err(Problem::new(Code::AlreadyExists)
                .field("/reservation_id", "is taken")
                .into());
        }
        stays_written(work, &[self.id]).await
    }
}

fn invalid(pointer: &str, detail: &str) -> ApiError {
    Problem::new(Code::Invalid).field(pointer, detail).into()
}

/// Whoever shares this room and is expected or here.
pub(super) async fn alive(
    work: &mut Work<'_>,
    main: &ReservationRow,
) -> Result<Vec<ReservationRow>, ApiError> {
    if main.share_of.is_some() {
        return Ok(Vec::new());
    }
    let ids = shares::alive(work, main.id).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let hotel = work.hotel();
    images::reservations(work.conn(), hotel, &ids).await
}

/// The guest whose room it is goes, and those who share it stay: the first of them, whoever is in house
/// before whoever is only expected, takes over nights and room from `from` on. No counter moves. Answers
/// whose reservations changed; to be called before anything of the main one is given back.
///
/// # Errors
/// `wrong_state` when nobody who stays covers the nights of all the others.
pub(super) async fn hand_over(
    work: &mut Work<'_>,
    main: &ReservationRow,
    from: NaiveDate,
) -> Result<After, ApiError> {
    let mut alive = alive(work, main).await?;
    // Nights that are left to each; a share that is over by now takes nothing and needs nothing.
    let left = |row: &ReservationRow| (row.check_in.max(from), row.check_out);
    alive.retain(|row| left(row).0 < left(row).1 || row.state == ReservationState::CheckedIn);
    let covers = |heir: &ReservationRow| {
        alive.iter().all(|other| {
            left(heir).0 <= left(other).0 && left(other).1 <= left(heir).1
                || left(other).0 >= left(other).1
        })
    };
    let mut heirs: Vec<&ReservationRow> = alive.iter().filter(|row| covers(row)).collect();
    heirs.sort_by_key(|row| (row.state != ReservationState::CheckedIn, row.id));
    let Some(heir) = heirs.first().copied() else {
        if alive.is_empty() {
            return Ok(After::default());
        }
        let ids: Vec<ReservationId> = alive.iter().map(|row| row.id).collect();
        return Err(Problem::new(Code::WrongState)
            .detail("nobody who shares the room stays as long as all the others")
            .facts(json!({ "reservation_id": main.id, "state": main.state, "shares": ids }))
            .into());
    };
    let (first, until) = left(heir);
    shares::hand_over_nights(work, main.id, heir.id, first, until).await?;
    shares::hand_over_role(work, main.id, heir.id).await?;
    let hotel = work.hotel();
    for used in rooms::uses_of(work.conn(), hotel, main.id).await? {
        let day_end = main.check_in.succ_opt().filter(|_| heir.day_use);
        let (start, end) = (
            used.from.max(first),
            used.until.min(day_end.unwrap_or(until)),
        );
        if start >= end {
            continue;
        }
        // What was slept before stays the main one's.
        let slept = main.state == ReservationState::CheckedIn && used.from < start;
        rooms::remove_use(work, used.id).await?;
        let of = |from, until, reservation| NewUse {
            id: None,
            room: used.room_id,
            from,
            until,
            kind: used.kind,
            reservation: Some(reservation),
            reason: None,
        };
        if slept {
            let mut kept = of(used.from, start, main.id);
            kept.id = Some(used.id);
            rooms::occupy(work, kept).await?;
        }
        rooms::occupy(work, of(start, end, heir.id)).await?;
    }
    Ok(After {
        in_house: heir.state == ReservationState::CheckedIn,
        changed: alive.iter().map(|row| row.id).collect(),
    })
}

/// Those who share go as well when the guest whose room it is leaves: who is in house checks out, who is
/// only expected is given up.
pub(super) async fn leave(work: &mut Work<'_>, main: &ReservationRow) -> Result<After, ApiError> {
    let (hotel, today) = (work.hotel(), work.business_date);
    let mut after = After::default();
    for row in alive(work, main).await? {
        after.changed.push(row.id);
        if row.state == ReservationState::CheckedIn {
            let step = reservations::Move::CheckOut {
                check_out: row.check_out.min(today),
                left_room: None,
                early_departure_fee: None,
            };
            reservations::change_state(work, row.id, step).await?;
        } else {
            let moved = bookings::cancel(work.conn(), hotel, &[row.id]).await?;
            expect_rows(moved, 1)?;
        }
    }
    Ok(after)
}

/// Those who share and are only expected: they are given up together with the room. Somebody in house
/// stands in the way.
pub(super) async fn expected(
    work: &mut Work<'_>,
    main: &ReservationRow,
) -> Result<Vec<ReservationId>, ApiError> {
    let mut ids = Vec::new();
    for row in alive(work, main).await? {
        if row.state == ReservationState::CheckedIn {
            return Err(wrong_state(row.id, row.state));
        }
        ids.push(row.id);
    }
    Ok(ids)
}

/// What became of those who share.
#[derive(Debug, Default)]
pub(super) struct After {
    /// Whether somebody is still in the room.
    pub(super) in_house: bool,
    changed: Vec<ReservationId>,
}

impl After {
    /// Puts their reservations into the event.
    pub(super) async fn written(&self, work: &mut Work<'_>) -> Result<(), ApiError> {
        images::reservations_changed(work, &self.changed).await?;
        Ok(())
    }
}

/// A share that is expected again needs the room that it shares: promised or in house, on all its nights
/// ahead.
pub(super) async fn has_room(work: &mut Work<'_>, row: &ReservationRow) -> Result<(), ApiError> {
    let Some(id) = row.share_of else {
        return Ok(());
    };
    let today = work.business_date;
    let main = reservations::need(work, id).await?;
    let here = matches!(
        main.state,
        ReservationState::Confirmed | ReservationState::CheckedIn
    ) && main.share_of.is_none();
    let covered = dates(row.check_in.max(today), row.check_out).all(|night| {
        let counted = |known: &ReservationNight| known.stay_date == night && known.counted;
        main.nights.iter().any(counted)
    });
    if here && covered {
        return Ok(());
    }
    Err(Problem::new(Code::WrongState)
        .detail("the room that it shared is not there any more")
        .facts(json!({
            "reservation_id": row.id, "state": row.state, "share_of": main.id,
            "main_state": main.state,
        }))
        .into())
}

/// A share has no room of its own to give or take.
pub(super) fn own_room(row: &ReservationRow) -> Result<(), ApiError> {
    match row.share_of {
        None => Ok(()),
        Some(main) => Err(Problem::new(Code::WrongState)
            .facts(json!({ "state": row.state, "reservation_id": row.id, "share_of": main }))
            .into()),
    }
}

/// A further guest in this room, with a reservation of their own: no night is counted for it.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/reservations/{id}/share",
    tag = "reservations",
    operation_id = "share_room",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = ShareRequest,
    responses(
        (status = 201, body = StayAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "wrong_state, also for the room of somebody who shares (`share_of`); already_exists", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(reservation): Id<ReservationId>,
    request: CommandRequest<ShareRequest>,
) -> Result<Answer, ApiError> {
    let decision = Share::new(reservation, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}
