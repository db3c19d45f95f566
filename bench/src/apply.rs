//! Events a second into a copy: how fast a desk that was away comes back.

use std::cell::Cell;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use chrono::Days;
use futures::future::try_join_all;
use protocol::request::HoldAnswer;
use uuid::Uuid;

use crate::desks::RunningDesk;
use crate::http::Connection;
use crate::large;
use crate::last_room::hold;
use crate::report::{Report, rounded, say};
use crate::rig::Rig;

/// Reservations that the copy has already.
const RESERVATIONS: u32 = 20_000;
/// Bookings made while the desk is away: a hold and a confirmation each.
const BOOKINGS: usize = 10_000;
const CLIENTS: usize = 32;

/// Runs it and says how it went.
pub async fn run() -> Result<Report> {
    let rig = Rig::start(1).await?;
    let hotel = large::hotel(&rig, RESERVATIONS).await?;
    let address = *rig.addresses().first().context("no server")?;
    let desk = RunningDesk::start(address, large::SLUG, hotel.id).await?;
    desk.has(0).await?;
    let copy = desk.close().await?;

    say(format!("apply: {BOOKINGS} bookings while the desk is away"));
    rig.cluster.run(
        "psql",
        &[
            "-Xq",
            "-d",
            rig.database(),
            "-c",
            "UPDATE room_night SET overbook_rooms = 10000",
        ],
    )?;
    let token = rig.sign_in(large::SLUG).await?.token;
    let kind = *hotel.types.get("STD").context("the type")?;
    let made = Cell::new(0usize);
    let mut clients: Vec<Connection> = (0..CLIENTS)
        .map(|_| Connection::new(address, &token))
        .collect();
    try_join_all(clients.iter_mut().map(|client| {
        let (made, hotel) = (&made, &hotel);
        async move {
            while made.get() < BOOKINGS {
                let nth = made.get();
                made.set(nth + 1);
                let night = hotel.business_date + Days::new(1 + (nth % 300) as u64);
                let body = serde_json::to_vec(&hold(kind, night, night + Days::new(2)))?;
                let path = protocol::api::hotel_path(hotel.id, "/holds");
                let key = Uuid::new_v4().to_string();
                let reply = client.send("POST", &path, Some(&key), &body).await?;
                ensure!(reply.status == 201, "hold: {}", reply.text());
                let held: HoldAnswer = reply.json()?;
                let path = protocol::api::hotel_path(
                    hotel.id,
                    &format!("/bookings/{}/confirm", held.booking_id),
                );
                let key = Uuid::new_v4().to_string();
                let body = br#"{"guarantee":"card"}"#;
                let reply = client.send("POST", &path, Some(&key), body).await?;
                ensure!(reply.status == 200, "confirm: {}", reply.text());
            }
            anyhow::Ok(())
        }
    }))
    .await?;
    let head: i64 = sqlx::query_scalar("SELECT seq FROM hotel_head WHERE hotel_id = $1")
        .bind(hotel.id.0)
        .fetch_one(&mut rig.connect().await?)
        .await?;

    let began = Instant::now();
    let desk = RunningDesk::again(copy, hotel.id).await?;
    desk.has(head).await?;
    let seconds = began.elapsed().as_secs_f64();
    #[allow(clippy::float_arithmetic, reason = "a rate")]
    let rate = rounded(head as f64 / seconds);
    let mut report = Report::new("apply: a desk that was away gets what happened");
    report.figure("events", head, "holds and confirmations");
    report.figure(
        "seconds",
        rounded(seconds),
        "from opening the desk to in sync",
    );
    report.figure(
        "events_per_s",
        rate,
        "through HTTP into the copy; 20,000 is the aim",
    );
    Ok(report)
}
