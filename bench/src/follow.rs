//! A desk that pulls all the while, and at the end must hold what the server holds, row for row.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::NaiveDate;
use desk::store::{self, Store, StoreFault};
use futures::future::try_join_all;
use protocol::event::{Change, SnapshotPage, Subject};
use protocol::id::{BookingId, HotelId, RoomTypeId};
use protocol::request::BookingView;
use protocol::row::NightRow;
use sqlx::Row;
use uuid::Uuid;

use crate::desks::RunningDesk;
use crate::http::Connection;
use crate::rig::Rig;

/// How many connections read the server's rows at the end.
const READERS: usize = 8;

/// A desk that follows.
pub struct Follower {
    desk: RunningDesk,
    slug: String,
}

/// What the comparison came to.
#[derive(Debug)]
pub struct Compared {
    /// Rows compared.
    pub rows: u64,
    /// Rows that differ, in words.
    pub differences: Vec<String>,
    /// How long the desk needed to get the last event.
    pub caught_up_after: Duration,
}

impl Follower {
    /// Signs a desk in and waits until it has its first copy.
    pub async fn start(rig: &Rig, slug: &str, hotel: HotelId) -> Result<Self> {
        let address = *rig.addresses().first().context("no server")?;
        let desk = RunningDesk::start(address, slug, hotel).await?;
        desk.has(0).await?;
        Ok(Self {
            desk,
            slug: slug.to_owned(),
        })
    }

    /// Waits until the desk has everything, closes it, and compares.
    pub async fn finish(self, rig: &Rig, hotel: HotelId) -> Result<Compared> {
        let began = Instant::now();
        let mut conn = rig.connect().await?;
        let head: i64 = sqlx::query_scalar("SELECT seq FROM hotel_head WHERE hotel_id = $1")
            .bind(hotel.0)
            .fetch_one(&mut conn)
            .await?;
        self.desk.has(head).await?;
        let caught_up_after = began.elapsed();
        let file = self.desk.close().await?;
        let store = file.open()?;
        let token = rig.sign_in(&self.slug).await?.token;
        let address = *rig.addresses().first().context("no server")?;

        let comparison = RefCell::new(Comparison::default());
        let mut readers: Vec<Connection> = (0..READERS)
            .map(|_| Connection::new(address, &token))
            .collect();
        let snapshot = snapshot(&mut readers[0], hotel, &store, &comparison).await?;
        bookings(&mut readers, hotel, &store, &snapshot, &comparison).await?;
        nights(&mut conn, hotel, &store, &comparison).await?;
        let comparison = comparison.into_inner();
        ensure!(comparison.rows > 0, "nothing was compared");
        Ok(Compared {
            rows: comparison.rows,
            differences: comparison.differences,
            caught_up_after,
        })
    }
}

#[derive(Default)]
struct Comparison {
    rows: u64,
    differences: Vec<String>,
}

impl Comparison {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, server: &T, desk: Option<&T>) {
        self.rows += 1;
        if desk != Some(server) {
            self.differences
                .push(format!("server {server:?}, desk {desk:?}"));
        }
    }
}

/// Every row of the server's snapshot, looked up at the desk. Returns the bookings among them.
async fn snapshot(
    reader: &mut Connection,
    hotel: HotelId,
    store: &Store,
    comparison: &RefCell<Comparison>,
) -> Result<HashSet<BookingId>> {
    let mut bookings = HashSet::new();
    let mut path = protocol::api::hotel_path(hotel, "/snapshot");
    loop {
        let reply = reader.send("GET", &path, None, b"").await?;
        ensure!(reply.status == 200, "snapshot: {}", reply.text());
        let page: SnapshotPage = reply.json()?;
        for change in &page.changes {
            if let Change::Booking { row } = change {
                bookings.insert(row.id);
            }
            let desk = store.read(|db| image(db, change))?;
            comparison.borrow_mut().same(change, desk.as_ref());
        }
        match page.cursor {
            Some(cursor) => {
                path = protocol::api::hotel_path(hotel, &format!("/snapshot?cursor={cursor}"));
            }
            None => return Ok(bookings),
        }
    }
}

/// The desk's row of the thing that a change is about.
fn image(
    db: &rusqlite::Connection,
    change: &Change,
) -> std::result::Result<Option<Change>, StoreFault> {
    Ok(match change {
        Change::RoomType { row } => {
            store::room_type::get(db, row.id)?.map(|row| Change::RoomType { row })
        }
        Change::Staff { row } => store::staff::get(db, row.id)?.map(|row| Change::Staff { row }),
        Change::Rate { row } => store::rate::of_night(db, row.room_type_id, row.stay_date)?
            .into_iter()
            .find(|rate| rate.rate_plan_id == row.rate_plan_id)
            .map(|row| Change::Rate { row }),
        other => store::copy::image(db, other.subject())?,
    })
}

/// Every booking of the desk with its reservations and their rooms, asked of the server; also those
/// that are too old for a snapshot.
async fn bookings(
    readers: &mut [Connection],
    hotel: HotelId,
    store: &Store,
    snapshot: &HashSet<BookingId>,
    comparison: &RefCell<Comparison>,
) -> Result<()> {
    let ids: Vec<BookingId> = store
        .read(|db| {
            let mut statement = db.prepare("SELECT id FROM booking")?;
            let ids = statement.query_map([], |row| row.get::<_, Uuid>(0))?;
            Ok::<_, StoreFault>(ids.collect::<rusqlite::Result<Vec<_>>>()?)
        })?
        .into_iter()
        .map(BookingId)
        .collect();
    let known: HashSet<BookingId> = ids.iter().copied().collect();
    for missing in snapshot.difference(&known) {
        let line = format!("booking {missing} is not at the desk");
        comparison.borrow_mut().differences.push(line);
    }
    let queue = RefCell::new(ids.into_iter());
    try_join_all(readers.iter_mut().map(|reader| {
        let queue = &queue;
        async move {
            loop {
                let Some(id) = queue.borrow_mut().next() else {
                    return anyhow::Ok(());
                };
                let path = protocol::api::hotel_path(hotel, &format!("/bookings/{id}"));
                let reply = reader.send("GET", &path, None, b"").await?;
                let mut comparison = comparison.borrow_mut();
                if reply.status != 200 {
                    let line = format!("booking {id} of the desk: {}", reply.text());
                    comparison.differences.push(line);
                    continue;
                }
                let view: BookingView = reply.json()?;
                compare_booking(store, &view, &mut comparison)?;
            }
        }
    }))
    .await?;
    Ok(())
}

fn compare_booking(store: &Store, view: &BookingView, comparison: &mut Comparison) -> Result<()> {
    store.read(|db| {
        let booking = store::booking::get(db, view.booking.id)?;
        comparison.same(&view.booking, booking.as_ref());
        for server in &view.reservations {
            let id = server.reservation.id;
            let reservation = store::copy::image(db, Subject::Reservation(id))?;
            let expected = Change::Reservation {
                row: Box::new(server.reservation.clone()),
            };
            comparison.same(&expected, reservation.as_ref());
            let mut expected = server.room_uses.clone();
            expected.sort_by_key(|used| used.id);
            let mut uses = store::room_use::of_reservation(db, id)?;
            uses.sort_by_key(|used| used.id);
            comparison.same(&expected, Some(&uses));
        }
        Ok::<_, StoreFault>(())
    })?;
    Ok(())
}

/// Every counter, past nights too.
async fn nights(
    conn: &mut sqlx::PgConnection,
    hotel: HotelId,
    store: &Store,
    comparison: &RefCell<Comparison>,
) -> Result<()> {
    let rows = sqlx::query(
        "SELECT room_type_id, stay_date, total, out_of_order, reserved, over_limit, overbook_pct,
                overbook_rooms
         FROM room_night WHERE hotel_id = $1",
    )
    .bind(hotel.0)
    .fetch_all(conn)
    .await?;
    let mut server: BTreeMap<(NaiveDate, RoomTypeId), NightRow> = BTreeMap::new();
    for row in rows {
        let night = NightRow {
            room_type_id: RoomTypeId(row.try_get("room_type_id")?),
            stay_date: row.try_get("stay_date")?,
            total: row.try_get("total")?,
            out_of_order: row.try_get("out_of_order")?,
            reserved: row.try_get("reserved")?,
            over_limit: row.try_get("over_limit")?,
            overbook_pct: row.try_get("overbook_pct")?,
            overbook_rooms: row.try_get("overbook_rooms")?,
        };
        server.insert((night.stay_date, night.room_type_id), night);
    }
    let desk = store.read(|db| store::night::between(db, NaiveDate::MIN, far_away()))?;
    let mut comparison = comparison.borrow_mut();
    for night in desk {
        match server.get(&(night.stay_date, night.room_type_id)) {
            Some(known) => comparison.same(known, Some(&night)),
            None => comparison
                .differences
                .push(format!("{night:?} is not at the server")),
        }
    }
    Ok(())
}

/// After every night that can be sold.
fn far_away() -> NaiveDate {
    NaiveDate::from_ymd_opt(9_000, 1, 1).unwrap_or(NaiveDate::MAX)
}
