//! Carries a plan out: every command by the decision that a desk's request would reach.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use chrono::{DateTime, NaiveDate, TimeZone as _, Utc};
use chrono_tz::Tz;
use protocol::command::Command;
use protocol::id::{HotelId, ReservationId, StaffId};
use protocol::role::Role;

use super::Timed;
use super::run::TIME_ZONE;
use crate::audit::roll::Roll;
use crate::db::command::batch::Batch;
use crate::db::command::{Caller, Decision};
use crate::db::{Db, statistics};
use crate::error::ApiError;
use crate::guests::put::PutGuest;
use crate::inventory::overbooking::Overbooking;
use crate::reservations::assign::Assign;
use crate::reservations::cancel::Cancel;
use crate::reservations::check_in::CheckIn;
use crate::reservations::check_out::CheckOut;
use crate::reservations::confirm::Confirm;
use crate::reservations::hold_form;
use crate::reservations::hold_group::{GroupNames, Layout, ReadyHold};
use crate::reservations::no_show::NoShow;
use crate::reservations::upgrade::Upgrade;
use crate::rooms::block::Block;
use crate::rooms::status::SetStatus;

/// Who does what at the demonstration hotel.
#[derive(Debug)]
pub(super) struct Team {
    desk: Caller,
    housekeeping: Caller,
    revenue: Caller,
    manager: Caller,
}

impl Team {
    /// By their sign-in names.
    pub(super) fn new(hotel: HotelId, staff: &BTreeMap<String, StaffId>) -> Result<Self> {
        let caller = |login: &str, role| -> Result<Caller> {
            let staff = staff.get(login);
            Ok(Caller {
                hotel,
                staff: *staff.with_context(|| format!("nobody is called `{login}`"))?,
                device: None,
                role,
            })
        };
        Ok(Self {
            desk: caller("ana", Role::FrontDesk)?,
            housekeeping: caller("hana", Role::Housekeeping)?,
            revenue: caller("rui", Role::Revenue)?,
            manager: caller("marta", Role::Manager)?,
        })
    }
}

/// Commands in one transaction. More would save little and make every later look at a row that is
/// changed often (the head, a night's counter) walk over more of its versions.
const TOGETHER: usize = 96;
/// After so many commands, and each time there are so many times more, the planner is told anew what
/// the tables hold: over tables that it believes empty it takes any index that begins with the hotel.
const ANALYZE_AFTER: usize = 250;
const ANALYZE_AGAIN: usize = 4;

/// Carries the commands out; `progress` hears how many are done. What is done when this is stopped
/// stays done: every command has its event, so the length of the log tells where to go on.
pub(super) async fn play(
    db: &Db,
    team: &Team,
    commands: &[Timed],
    mut progress: impl FnMut(usize),
) -> Result<()> {
    let mut done = 0;
    let mut analyze_at = ANALYZE_AFTER;
    for part in commands.chunks(TOGETHER) {
        let mut play = Part {
            day: part[0].day,
            batch: Batch::begin(db, team.desk.hotel).await.map_err(told)?,
            team,
            holds: Vec::new(),
        };
        for timed in part {
            play.day = timed.day;
            play.command(&timed.command)
                .await
                .with_context(|| said(timed.day, &timed.command))?;
        }
        play.decide_holds().await?;
        play.batch.commit().await.map_err(told)?;
        done += part.len();
        progress(done);
        if done >= analyze_at {
            statistics::analyze(&mut *db.reads.acquire().await?).await?;
            analyze_at *= ANALYZE_AGAIN;
        }
    }
    Ok(())
}

struct Part<'d> {
    day: NaiveDate,
    batch: Batch<'d>,
    team: &'d Team,
    /// Holds that are decided together, as those that arrive together are.
    holds: Vec<ReadyHold>,
}

impl Part<'_> {
    async fn command(&mut self, command: &Command) -> Result<()> {
        if let Command::Hold { body } = command {
            let body = hold_form::check(body.clone()).map_err(told)?;
            let hold = ReadyHold::new(self.team.desk.clone(), None, body)?;
            self.holds.push(hold);
            return Ok(());
        }
        self.decide_holds().await?;
        self.decide(command).await
    }

    /// Decides the holds that have gathered, in groups as the queue would.
    async fn decide_holds(&mut self) -> Result<()> {
        let mut holds = std::mem::take(&mut self.holds).into_iter().peekable();
        while holds.peek().is_some() {
            let mut names = GroupNames::default();
            let mut group = Vec::new();
            while let Some(hold) = holds.next_if(|hold| names.admit(hold)) {
                group.push(hold);
            }
            ensure!(!group.is_empty(), "a hold that fits into no group");
            let answers = self.batch.holds(&Layout::new(&group)).await.map_err(told)?;
            for answer in answers {
                ensure!(answer.status == 201, "a hold was refused: {}", answer.body);
            }
        }
        Ok(())
    }

    async fn decide(&mut self, command: &Command) -> Result<()> {
        let team = self.team;
        match command.clone() {
            Command::PutGuest { guest_id, body } => {
                let decision =
                    PutGuest::new(guest_id, body).map_err(|problem| told(problem.into()))?;
                self.run(&team.desk, &decision).await
            }
            Command::Confirm { booking_id, body } => {
                let decision = Confirm::new(booking_id, body).map_err(told)?;
                self.run(&team.desk, &decision).await
            }
            Command::CancelBooking { booking_id, body } => {
                let decision = Cancel::booking(booking_id, body).map_err(told)?;
                self.run(&team.desk, &decision).await
            }
            Command::Cancel {
                reservation_id,
                body,
            } => {
                let decision = Cancel::room(reservation_id, body).map_err(told)?;
                self.run(&team.desk, &decision).await
            }
            Command::Assign {
                reservation_id: reservation,
                body,
            } => self.run(&team.desk, &Assign { reservation, body }).await,
            Command::CheckIn {
                reservation_id: reservation,
                body,
            } => {
                self.at(reservation, ARRIVALS);
                self.run(&team.desk, &CheckIn { reservation, body }).await
            }
            Command::CheckOut {
                reservation_id: reservation,
                body,
            } => {
                self.at(reservation, DEPARTURES);
                self.run(&team.desk, &CheckOut { reservation, body }).await
            }
            Command::NoShow {
                reservation_id: reservation,
                body,
            } => self.run(&team.manager, &NoShow { reservation, body }).await,
            Command::Upgrade {
                reservation_id: reservation,
                body,
            } => self.run(&team.desk, &Upgrade { reservation, body }).await,
            Command::RoomStatus {
                room_id: room,
                body,
            } => {
                self.run(&team.housekeeping, &SetStatus { room, body })
                    .await
            }
            Command::Block {
                room_id: room,
                body,
            } => self.run(&team.manager, &Block { room, body }).await,
            Command::Overbooking { body } => self.run(&team.revenue, &Overbooking { body }).await,
            Command::Roll { body } => {
                self.run(&team.manager, &Roll { body }).await?;
                self.batch.look_again().await.map_err(told)
            }
            other => bail!("no plan says {other:?}"),
        }
    }

    async fn run<D: Decision>(&mut self, caller: &Caller, decision: &D) -> Result<()> {
        self.batch.run(caller, decision).await.map_err(told)?;
        self.batch.set_hour(None);
        Ok(())
    }

    /// Fourteen months are played in seconds: without an hour of their own day, everybody would have
    /// come and left in one minute of today.
    fn at(&mut self, reservation: ReservationId, hours: Hours) {
        let hour = hour_of(self.day, reservation, hours);
        self.batch
            .set_hour(hour.filter(|hour| *hour < self.batch.now()));
    }
}

/// From which hour on, and for how many minutes, by the hotel's clock.
type Hours = (u32, u32);
pub(super) const ARRIVALS: Hours = (14, 8 * 60);
pub(super) const DEPARTURES: Hours = (7, 4 * 60);

/// An hour of the day, always the same for the same stay.
pub(super) fn hour_of(
    day: NaiveDate,
    reservation: ReservationId,
    (first, minutes): Hours,
) -> Option<DateTime<Utc>> {
    let minute = u32::try_from(reservation.0.as_u128() % u128::from(minutes)).ok()?;
    let local = day.and_hms_opt(first + minute / 60, minute % 60, 0)?;
    let zone: Tz = TIME_ZONE.parse().ok()?;
    Some(zone.from_local_datetime(&local).earliest()?.to_utc())
}

/// What stood in the way, for whoever has to find the fault.
fn told(error: ApiError) -> anyhow::Error {
    match error {
        ApiError::Internal(cause) => cause,
        ApiError::Refused(problem) => anyhow::anyhow!("{problem:?}"),
        ApiError::Busy | ApiError::Again => anyhow::anyhow!("the database is busy"),
    }
}

/// A command in a few words. The guests of a demonstration are invented, so they may be shown.
fn said(day: NaiveDate, command: &Command) -> String {
    let words: String = format!("{command:?}").chars().take(300).collect();
    format!("on {day}: {words}")
}

/// How many commands of each kind there are, for the log.
pub(super) fn kinds(commands: &[Timed]) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for timed in commands {
        let kind = match timed.command {
            Command::Hold { .. } => "hold",
            Command::Confirm { .. } => "confirm",
            Command::PutGuest { .. } => "guest",
            Command::Cancel { .. } | Command::CancelBooking { .. } => "cancel",
            Command::CheckIn { .. } => "check_in",
            Command::CheckOut { .. } => "check_out",
            _ => "other",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}
