//! Servers and database are killed in the middle of work, and nothing that was answered is lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bench::follow::Follower;
use bench::http::Connection;
use bench::rig::Rig;
use chrono::{Days, NaiveDate};
use protocol::api::hotel_path;
use protocol::command::Command;
use protocol::id::{BookingId, CommandId, HotelId, ReservationId, RoomTypeId};
use protocol::request::{CancelRequest, ConfirmRequest, HoldRequest, RoomRequest};
use protocol::state::{Guarantee, ReservationState};
use sync_server::catalog::spec::{HotelSpec, RatePlanSpec, TypeSpec};
use uuid::Uuid;

/// How often something is killed (issue 2 asks for 20 times).
const KILLS: usize = 20;
/// How many clients work all the while.
const CLIENTS: usize = 8;
/// Answers that must have come between two kills, so that each falls into the middle of work.
const ANSWERS_BETWEEN: u64 = 60;
/// Nights that are fought for; few, so that sold out and cancelled nights meet.
const NIGHTS: u64 = 20;
/// A command that is not answered by then is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a client was told last of a reservation.
struct Told {
    reservation: ReservationId,
    state: ReservationState,
}

/// One client of the hotel, that sends every command until it is answered.
struct Client {
    servers: Vec<SocketAddr>,
    place: usize,
    token: String,
    connection: Connection,
    hotel: HotelId,
    answers: Arc<AtomicU64>,
}

impl Client {
    async fn until_answered(&mut self, command: &Command) -> Result<(u16, String)> {
        let route = command.route();
        let path = hotel_path(self.hotel, &route.path);
        let body = serde_json::to_vec(&route.body)?;
        let key = CommandId(Uuid::now_v7()).to_string();
        let answered = tokio::time::timeout(PATIENCE, async {
            loop {
                let sent = self
                    .connection
                    .send(route.method, &path, Some(&key), &body)
                    .await;
                match sent {
                    Ok(reply) if reply.status < 500 && reply.status != 429 => {
                        return Ok((reply.status, reply.text()));
                    }
                    // Not decided: the same key again.
                    Ok(reply) if reply.status == 503 || reply.status == 429 => {}
                    Ok(reply) => anyhow::bail!("{} {path}: {}", reply.status, reply.text()),
                    Err(_) => {
                        self.place = (self.place + 1) % self.servers.len();
                        self.connection = Connection::new(self.servers[self.place], &self.token);
                    }
                }
                tokio::time::sleep(Duration::from_millis(15)).await;
            }
        })
        .await;
        let answer = answered.with_context(|| format!("{path} was not answered in time"))??;
        self.answers.fetch_add(1, Ordering::Relaxed);
        Ok(answer)
    }

    /// Holds, then confirms, cancels or leaves: what the last answer said.
    async fn one_guest(
        &mut self,
        turn: u64,
        room_type: RoomTypeId,
        first: NaiveDate,
    ) -> Result<Option<Told>> {
        let check_in = first + Days::new(turn * 7 % NIGHTS);
        let booking_id = BookingId(Uuid::now_v7());
        let reservation = ReservationId(Uuid::now_v7());
        let hold = Command::Hold {
            body: HoldRequest {
                booking_id: Some(booking_id),
                channel: None,
                external_id: None,
                minutes: None,
                rooms: vec![RoomRequest {
                    reservation_id: Some(reservation),
                    room_type_id: room_type,
                    check_in,
                    check_out: check_in + Days::new(1 + turn % 3),
                    adults: 2,
                    children: Vec::new(),
                    guest_id: None,
                    rate_plan_id: None,
                    price: None,
                    segment: None,
                    day_use: false,
                }],
            },
        };
        let (status, text) = self.until_answered(&hold).await?;
        match status {
            201 => {}
            409 => return Ok(None),
            _ => anyhow::bail!("hold: {status} {text}"),
        }
        let (next, state) = match turn % 5 {
            0 => {
                return Ok(Some(Told {
                    reservation,
                    state: ReservationState::Held,
                }));
            }
            1 | 2 => (
                Command::Confirm {
                    booking_id,
                    body: ConfirmRequest {
                        guarantee: Guarantee::Card,
                        rooms: Vec::new(),
                    },
                },
                ReservationState::Confirmed,
            ),
            _ => (
                Command::CancelBooking {
                    booking_id,
                    body: CancelRequest::default(),
                },
                ReservationState::Cancelled,
            ),
        };
        let (status, text) = self.until_answered(&next).await?;
        ensure!(status == 200, "{}: {status} {text}", next.route().path);
        Ok(Some(Told { reservation, state }))
    }
}

fn spec() -> HotelSpec {
    serde_json::from_value(serde_json::json!({
        "name": "Faults", "slug": "faults", "time_zone": "Europe/Madrid", "currency": "EUR",
        "window_days": NIGHTS + 10, "types": [],
    }))
    .map(|mut spec: HotelSpec| {
        spec.types = vec![TypeSpec {
            code: "STD".to_owned(),
            name: "Standard".to_owned(),
            max_occupancy: 2,
            count: 40,
            ..TypeSpec::default()
        }];
        spec.rate_plans = vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best rate".to_owned(),
            prices: [("STD".to_owned(), 10_000)].into(),
            ..RatePlanSpec::default()
        }];
        spec
    })
    .expect("a description of a hotel")
}

/// Waits until the clients have had so many answers.
async fn answers_reach(answers: &AtomicU64, wanted: u64) -> Result<()> {
    let reached = tokio::time::timeout(PATIENCE, async {
        while answers.load(Ordering::Relaxed) < wanted {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    reached
        .await
        .context("the clients are not answered any more")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n5_n9_twenty_kills_of_servers_and_database_lose_nothing() -> Result<()> {
    let mut rig = Rig::start(2).await?;
    let hotel = rig.hotel(spec()).await?;
    let follower = Follower::start(&rig, "faults", hotel.id).await?;
    let token = rig.sign_in("faults").await?.token;
    let room_type = *hotel.types.get("STD").context("the type")?;
    let answers = Arc::new(AtomicU64::new(0));
    let stop = Arc::new(AtomicBool::new(false));

    let clients: Vec<_> = (0..CLIENTS)
        .map(|place| {
            let servers = rig.addresses();
            let place = place % servers.len();
            let mut client = Client {
                connection: Connection::new(servers[place], &token),
                servers,
                place,
                token: token.clone(),
                hotel: hotel.id,
                answers: answers.clone(),
            };
            let (stop, first) = (stop.clone(), hotel.business_date);
            let start = place as u64 * 1_000;
            tokio::spawn(async move {
                let mut told = Vec::new();
                for turn in start.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    told.extend(client.one_guest(turn, room_type, first).await?);
                }
                anyhow::Ok(told)
            })
        })
        .collect();

    for kill in 0..KILLS {
        let before = answers.load(Ordering::Relaxed);
        answers_reach(&answers, before + ANSWERS_BETWEEN).await?;
        match kill % 4 {
            0 => rig.crash_server(0).await?,
            1 => rig.cluster.crash()?,
            2 => rig.crash_server(1).await?,
            _ => {
                rig.cluster.crash()?;
                rig.crash_server(0).await?;
            }
        }
    }
    let before = answers.load(Ordering::Relaxed);
    answers_reach(&answers, before + ANSWERS_BETWEEN).await?;
    stop.store(true, Ordering::Relaxed);

    let mut told = Vec::new();
    for client in clients {
        told.extend(client.await??);
    }
    assert!(
        told.len() as u64 > KILLS as u64 * ANSWERS_BETWEEN / 4,
        "too little was going on"
    );
    assert_eq!(rig.verify()?, [""; 0]);
    for Told { reservation, state } in &told {
        let path = hotel_path(hotel.id, &format!("/reservations/{reservation}"));
        let reply = Connection::new(rig.addresses()[0], &token)
            .send("GET", &path, None, b"")
            .await?;
        ensure!(
            reply.status == 200,
            "{reservation} was answered {state} and is lost"
        );
        let row: serde_json::Value = reply.json()?;
        let found = row
            .pointer("/state")
            .or_else(|| row.pointer("/reservation/state"));
        assert_eq!(
            found.and_then(|state| state.as_str()),
            Some(state.as_str()),
            "{reservation}"
        );
    }
    let desk = follower.finish(&rig, hotel.id).await?;
    assert!(
        desk.rows > told.len() as u64,
        "the desk holds next to nothing"
    );
    assert_eq!(desk.differences, [""; 0], "the desk does not converge");
    Ok(())
}
