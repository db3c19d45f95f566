//! Plays runs of operations over a few connections, as that many clerks would.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use protocol::command::Command;
use protocol::id::{BookingId, HotelId, ReservationId, RoomId, RoomTypeId};
use protocol::request::{
    AssignRequest, CancelRequest, CheckInRequest, CheckOutRequest, ConfirmRequest, HoldRequest,
    NoShowRequest, RollRequest, RoomRequest, UpgradeRequest,
};
use protocol::state::{Channel, Guarantee, NoShowNights, Segment};
use uuid::Uuid;

use super::file::{Op, Operation};
use super::script::{Day, Step};
use crate::http::{Connection, Reply};

/// How often a command that was not decided is sent again.
const TRIES: u32 = 40;
/// How many refusals are kept in words.
const REFUSALS_SHOWN: usize = 20;

/// What the player needs to know of the hotel that it plays into.
#[derive(Clone, Debug)]
pub struct Target {
    /// The hotel.
    pub hotel: HotelId,
    /// Types by name.
    pub types: std::collections::HashMap<String, RoomTypeId>,
    /// Rooms by type, in order.
    pub rooms: std::collections::HashMap<String, Vec<RoomId>>,
}

/// What was played.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Operations of the file.
    pub operations: u64,
    /// Operations of which a command was refused.
    pub refused: u64,
    /// Commands sent, repetitions left out.
    pub commands: u64,
    /// Commands that had to be sent again because nothing was decided.
    pub repeated: u64,
    /// The first refusals in words.
    pub refusals: Vec<String>,
}

/// Plays into one hotel.
#[derive(Debug)]
pub struct Player<'p> {
    operations: &'p [Operation],
    target: &'p Target,
    ids: std::collections::HashMap<&'p str, (BookingId, ReservationId)>,
    clerks: Vec<Connection>,
    tally: RefCell<Tally>,
}

impl<'p> Player<'p> {
    /// One clerk per connection.
    pub fn new(operations: &'p [Operation], target: &'p Target, clerks: Vec<Connection>) -> Self {
        let ids = operations
            .iter()
            .filter(|operation| operation.op == Op::Book)
            .map(|operation| {
                let ids = (BookingId(Uuid::now_v7()), ReservationId(Uuid::now_v7()));
                (operation.id.as_str(), ids)
            })
            .collect();
        Self {
            operations,
            target,
            ids,
            clerks,
            tally: RefCell::default(),
        }
    }

    /// What was played so far.
    pub fn tally(&self) -> Tally {
        self.tally.borrow().clone()
    }

    /// Plays what happened on one business date.
    pub async fn day(&mut self, day: &Day) -> Result<()> {
        ensure!(!self.clerks.is_empty(), "nobody is at the desk");
        for run in &day.runs {
            let queue: RefCell<VecDeque<&Step>> = RefCell::new(run.iter().collect());
            let mut clerks = std::mem::take(&mut self.clerks);
            let this = &*self;
            try_join_all(clerks.iter_mut().map(|clerk| {
                let queue = &queue;
                async move {
                    loop {
                        let next = queue.borrow_mut().pop_front();
                        match next {
                            Some(step) => this.step(clerk, step).await?,
                            None => return anyhow::Ok(()),
                        }
                    }
                }
            }))
            .await?;
            self.clerks = clerks;
        }
        Ok(())
    }

    /// Closes a business date, by the night audit.
    pub async fn close(&mut self, day: &Day) -> Result<()> {
        let roll = Command::Roll {
            body: RollRequest {
                business_date: day.date,
            },
        };
        let mut clerk = self.clerks.pop().context("nobody is at the desk")?;
        let reply = self
            .command(&mut clerk, &roll, &format!("roll-{}", day.date))
            .await?;
        self.clerks.push(clerk);
        ensure!(
            reply.status == 200,
            "the day {} does not close: {} {}",
            day.date,
            reply.status,
            reply.text()
        );
        Ok(())
    }

    async fn step(&self, clerk: &mut Connection, step: &Step) -> Result<()> {
        let operation = &self.operations[step.operation];
        let mut refused = false;
        for (part, command) in self.commands(operation, step.room).iter().enumerate() {
            let key = format!("{}-{:?}-{part}", operation.id, operation.op);
            let reply = self.command(clerk, command, &key).await?;
            if !(200..300).contains(&reply.status) {
                refused = true;
                let mut tally = self.tally.borrow_mut();
                if tally.refusals.len() < REFUSALS_SHOWN {
                    tally.refusals.push(format!(
                        "{} {:?} {}: {} {}",
                        operation.date,
                        operation.op,
                        operation.id,
                        reply.status,
                        reply.text()
                    ));
                }
                break;
            }
        }
        let mut tally = self.tally.borrow_mut();
        tally.operations += 1;
        tally.refused += u64::from(refused);
        Ok(())
    }

    /// Sends one command until it is decided.
    async fn command(&self, clerk: &mut Connection, command: &Command, key: &str) -> Result<Reply> {
        let route = command.route();
        let path = protocol::api::hotel_path(self.target.hotel, &route.path);
        let body = route.body.to_string();
        self.tally.borrow_mut().commands += 1;
        for tried in 0..TRIES {
            let reply = clerk
                .send(route.method, &path, Some(key), body.as_bytes())
                .await?;
            if !matches!(reply.status, 429 | 503) {
                return Ok(reply);
            }
            self.tally.borrow_mut().repeated += 1;
            tokio::time::sleep(Duration::from_millis(5 << tried.min(6))).await;
        }
        anyhow::bail!(
            "{} {path}: still not decided after {TRIES} tries",
            route.method
        )
    }

    /// What a clerk does for one operation of the file.
    fn commands(&self, operation: &Operation, room: Option<u32>) -> Vec<Command> {
        let Some((booking_id, reservation_id)) = self.ids.get(operation.id.as_str()).copied()
        else {
            return Vec::new();
        };
        match operation.op {
            Op::Book => vec![
                Command::Hold {
                    body: self.hold(operation, booking_id, reservation_id),
                },
                Command::Confirm {
                    booking_id,
                    body: ConfirmRequest {
                        guarantee: guarantee(operation),
                        rooms: Vec::new(),
                    },
                },
            ],
            Op::Cancel => vec![Command::Cancel {
                reservation_id,
                body: CancelRequest {
                    reason: Some("guest".to_owned()),
                    ..CancelRequest::default()
                },
            }],
            Op::CheckIn => self.check_in(operation, reservation_id, room),
            Op::CheckOut => vec![check_out(operation, reservation_id)],
            Op::DayUse => vec![
                Command::CheckIn {
                    reservation_id,
                    body: CheckInRequest {
                        room_id: None,
                        room_not_ready_accepted: true,
                    },
                },
                check_out(operation, reservation_id),
            ],
            Op::NoShow => vec![Command::NoShow {
                reservation_id,
                body: NoShowRequest {
                    keep_first_night: false,
                    // Also of prepaid and group guests: the hotel whose years these are sold them again.
                    later_nights: Some(NoShowNights::Release),
                    ..NoShowRequest::default()
                },
            }],
        }
    }

    fn hold(
        &self,
        operation: &Operation,
        booking_id: BookingId,
        reservation_id: ReservationId,
    ) -> HoldRequest {
        HoldRequest {
            booking_id: Some(booking_id),
            channel: Some(channel(operation)),
            external_id: Some(operation.id.clone()),
            minutes: None,
            rooms: vec![RoomRequest {
                reservation_id: Some(reservation_id),
                room_type_id: self.target.types[&operation.reserved_type],
                check_in: operation.arrival,
                check_out: operation.departure,
                adults: 1,
                children: Vec::new(),
                guest_id: None,
                rate_plan_id: None,
                // Nobody pays for what is given.
                price: Some(match segment(operation) {
                    Segment::Complimentary => 0,
                    _ => operation.price,
                }),
                segment: Some(segment(operation)),
                day_use: operation.arrival == operation.departure,
            }],
        }
    }

    /// Another type than booked is an upgrade; then the room, then the guest is in it.
    fn check_in(
        &self,
        operation: &Operation,
        reservation_id: ReservationId,
        room: Option<u32>,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        if operation.assigned_type != operation.reserved_type {
            commands.push(Command::Upgrade {
                reservation_id,
                body: UpgradeRequest {
                    room_type_id: self.target.types[&operation.assigned_type],
                    reason: Some("replay".to_owned()),
                },
            });
        }
        if let Some(room) = room {
            commands.push(Command::Assign {
                reservation_id,
                body: AssignRequest {
                    room_id: Some(self.target.rooms[&operation.assigned_type][room as usize]),
                },
            });
        }
        commands.push(Command::CheckIn {
            reservation_id,
            body: CheckInRequest {
                room_id: None,
                // The file knows nothing of housekeeping.
                room_not_ready_accepted: true,
            },
        });
        commands
    }
}

fn check_out(operation: &Operation, reservation_id: ReservationId) -> Command {
    Command::CheckOut {
        reservation_id,
        body: CheckOutRequest {
            early: operation.date < operation.departure,
            ..CheckOutRequest::default()
        },
    }
}

/// The words of the files known so far; others are private guests at the desk.
fn segment(operation: &Operation) -> Segment {
    match operation.market_segment.as_str() {
        "Groups" => Segment::Group,
        "Corporate" | "Aviation" => Segment::Corporate,
        "Offline TA/TO" => Segment::Wholesale,
        "Complementary" => Segment::Complimentary,
        _ => Segment::Transient,
    }
}

fn channel(operation: &Operation) -> Channel {
    match operation.market_segment.as_str() {
        "Online TA" => Channel::Ota,
        "Offline TA/TO" | "Groups" => Channel::TourOperator,
        "Corporate" | "Aviation" => Channel::Corporate,
        _ => Channel::Desk,
    }
}

fn guarantee(operation: &Operation) -> Guarantee {
    match operation.deposit_type.as_str() {
        "Non Refund" => Guarantee::Prepaid,
        "Refundable" => Guarantee::Deposit,
        // None would put the guest on the release list, which the file knows nothing of.
        _ => Guarantee::Card,
    }
}
