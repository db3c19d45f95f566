//! Clerks who do anything in any order in a very small hotel: whatever is granted or refused, what
//! must always be true stays true after every step.

use std::collections::BTreeMap;

use protocol::id::{BookingId, ReservationId, RoomUseId};
use protocol::nights::dates;
use protocol::request::{BookingView, HoldAnswer};
use protocol::role::Role;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::reservations::test_support::let_holds_run_out;
use crate::reservations::testbed::{Bed, june};
use crate::testing::{Client, TestAnswer};

/// The nights that everything happens in; so few that most things meet.
const NIGHTS: u32 = 9;
const STEPS: usize = 160;

struct Walk {
    bed: Bed,
    clerks: [Client; 2],
    dice: ChaCha8Rng,
    bookings: Vec<BookingId>,
    stays: Vec<ReservationId>,
    periods: Vec<RoomUseId>,
    today: u32,
    granted: BTreeMap<&'static str, usize>,
    refused: BTreeMap<String, usize>,
}

impl Walk {
    async fn begin(seed: u64) -> Self {
        let bed = Bed::new().await;
        let (_, other) = bed.app.second_server();
        let second = bed.app.sign_in(bed.hotel.id, Role::Admin).await.at(&other);
        Self {
            clerks: [bed.boss.clone(), second],
            bed,
            dice: ChaCha8Rng::seed_from_u64(seed),
            bookings: Vec::new(),
            stays: Vec::new(),
            periods: Vec::new(),
            today: 1,
            granted: BTreeMap::new(),
            refused: BTreeMap::new(),
        }
    }

    fn kind(&mut self) -> Value {
        let code = ["STD", "SUP"].choose(&mut self.dice).expect("a type");
        json!(self.bed.kind(code))
    }

    fn room(&mut self) -> Value {
        let numbers = ["101", "102", "103", "201", "202"];
        json!(
            self.bed
                .room(numbers.choose(&mut self.dice).expect("a room"))
        )
    }

    /// Some nights from today on; now and then from yesterday or of no night.
    fn period(&mut self) -> (Value, Value) {
        let ahead = [0, 1, 1, 1, 1, 2, 3].choose(&mut self.dice).copied();
        let from = (self.today + ahead.unwrap_or(1)).saturating_sub(1).max(1);
        let until = from + self.dice.random_range(0..5);
        (json!(june(from)), json!(june(until)))
    }

    fn yes(&mut self) -> bool {
        self.dice.random()
    }

    async fn send(
        &mut self,
        verb: &'static str,
        method: &str,
        path: &str,
        body: Value,
    ) -> TestAnswer {
        let clerk = self.clerks.choose(&mut self.dice).expect("a clerk").clone();
        let answer = clerk.send(method, path, body.clone()).await;
        let status = answer.status.as_u16();
        assert!(
            matches!(status, 200 | 201 | 409 | 422)
                || status == 404 && matches!(verb, "block" | "unblock"),
            "{verb} {path} {body}: {status} {}",
            answer.text
        );
        if status < 300 {
            *self.granted.entry(verb).or_default() += 1;
        } else {
            let code = answer.json()["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            *self.refused.entry(code).or_default() += 1;
        }
        answer
    }

    async fn hold(&mut self) {
        let (check_in, check_out) = self.period();
        let rooms = self.dice.random_range(1..3);
        let room = json!({
            "room_type_id": self.kind(), "check_in": check_in, "check_out": check_out, "adults": 1,
            "day_use": check_in == check_out,
        });
        let body = json!({ "rooms": vec![room; rooms] });
        let answer = self.send("hold", "POST", "/holds", body).await;
        if answer.status == 201 {
            let held: HoldAnswer = answer.ok();
            self.bookings.push(held.booking_id);
            self.stays
                .extend(held.rooms.iter().map(|room| room.reservation_id));
        }
    }

    /// A move of some reservation: mostly of one in the state that the move leaves, newer ones first,
    /// now and then of any.
    async fn act(&mut self, verb: &'static str, state: &str, body: Value) {
        let mut stays: Vec<Uuid> = sqlx::query_scalar(
            "SELECT reservation_id FROM reservation WHERE hotel_id = $1 AND state = $2
             ORDER BY reservation_id DESC LIMIT 8",
        )
        .bind(self.bed.hotel.id.0)
        .bind(state)
        .fetch_all(&self.bed.app.db.reads)
        .await
        .expect("the states");
        if stays.is_empty() || self.dice.random_range(0..10) == 0 {
            stays = self.stays.iter().map(|stay| stay.0).collect();
        }
        if let Some(stay) = stays.choose(&mut self.dice).copied() {
            let path = format!("/reservations/{stay}/{verb}");
            self.send(verb, "POST", &path, body).await;
        }
    }

    async fn booking(&mut self, verb: &'static str, body: Value) {
        let newest = self.bookings.len().saturating_sub(4);
        if let Some(booking) = self.bookings[newest..].choose(&mut self.dice).copied() {
            let path = format!("/bookings/{booking}/{verb}");
            self.send(verb, "POST", &path, body).await;
        }
    }

    async fn details(&mut self) {
        if let Some(stay) = self.stays.choose(&mut self.dice).copied() {
            let version = match self.dice.random_range(0..4) {
                0 => 1,
                _ => self.bed.row(stay).await.version,
            };
            let body = json!({"version": version, "notes": "x", "do_not_move": self.yes()});
            let path = format!("/reservations/{stay}");
            self.send("details", "PATCH", &path, body).await;
        }
    }

    /// Other dates or another type, of one that is expected or here.
    async fn change(&mut self) {
        let stays: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT reservation_id, version FROM reservation
             WHERE hotel_id = $1 AND state IN ('confirmed', 'checked_in')
             ORDER BY reservation_id DESC LIMIT 10",
        )
        .bind(self.bed.hotel.id.0)
        .fetch_all(&self.bed.app.db.reads)
        .await
        .expect("the stays");
        let Some((stay, version)) = stays.choose(&mut self.dice).copied() else {
            return;
        };
        let (check_in, check_out) = self.period();
        let mut body = json!({
            "version": version, "check_out": check_out, "give_up_room": self.yes(),
            "displace": self.yes(),
        });
        if self.yes() {
            body["check_in"] = check_in;
        }
        if self.dice.random_range(0..3) == 0 {
            body["room_type_id"] = self.kind();
        }
        if self.dice.random_range(0..3) == 0 {
            body["room_id"] = self.room();
        }
        if self.dice.random_range(0..4) == 0 {
            body["exceed"] = json!("service");
        }
        let path = format!("/reservations/{stay}/change");
        self.send("change", "POST", &path, body).await;
    }

    /// A move backward of somebody who has ended, or is here.
    async fn put_right(&mut self) {
        let (from, to) = [
            ("checked_in", "confirmed"),
            ("checked_out", "checked_in"),
            ("checked_out", "checked_in"),
            ("no_show", "confirmed"),
            ("cancelled", "confirmed"),
            ("no_show", "checked_in"),
            ("no_show", "checked_in"),
        ]
        .choose(&mut self.dice)
        .copied()
        .expect("a move");
        let mut body =
            json!({"from": from, "to": to, "reason": "mistake", "without_room": self.yes()});
        if (from, to) == ("no_show", "checked_in") && self.yes() {
            body["room_id"] = self.room();
        }
        if self.dice.random_range(0..3) == 0 {
            body["exceed"] = json!("error");
        }
        self.act("put-right", from, body).await;
    }

    /// Somebody shares a room, or the room of one who shares it goes.
    async fn share(&mut self) {
        let state = if self.yes() {
            "confirmed"
        } else {
            "checked_in"
        };
        self.act("share", state, json!({"adults": 1})).await;
    }

    /// A party as a whole.
    async fn party(&mut self) {
        let mode = if self.yes() { "all" } else { "each" };
        if self.dice.random_range(0..3) == 0 {
            let early = self.yes();
            self.booking("check-out", json!({"mode": mode, "early": early}))
                .await;
        } else {
            self.booking("check-in", json!({"mode": mode})).await;
        }
    }

    async fn block(&mut self) {
        let id = RoomUseId(Uuid::now_v7());
        let (from, until) = self.period();
        let kind = if self.yes() {
            "out_of_order"
        } else {
            "out_of_service"
        };
        let path = format!("/rooms/{}/block", self.room().as_str().expect("an id"));
        let body = json!({"room_use_id": id, "kind": kind, "from": from, "until": until, "reason": "paint"});
        if self.send("block", "POST", &path, body).await.status == 200 {
            self.periods.push(id);
        }
    }

    async fn unblock(&mut self) {
        if let Some(id) = self.periods.choose(&mut self.dice).copied() {
            let path = format!("/room-uses/{id}");
            self.send("unblock", "DELETE", &path, json!({})).await;
        }
    }

    async fn overbooking(&mut self) {
        let (from, until) = self.period();
        let of = match self.dice.random_range(0..3) {
            0 => json!(Uuid::nil()),
            _ => self.kind(),
        };
        let pct = [-100, -50, 0, 0, 0, 50].choose(&mut self.dice).copied();
        let above = if self.yes() { "wash_down" } else { "refuse" };
        let body = json!({
            "room_type_id": of, "from": from, "until": until, "overbook_pct": pct,
            "overbook_rooms": self.dice.random_range(-1..2), "above_limit": above, "reason": "season",
        });
        self.send("overbooking", "POST", "/overbooking", body).await;
    }

    async fn status(&mut self) {
        let status = ["clean", "dirty", "inspected"]
            .choose(&mut self.dice)
            .copied();
        let path = format!("/rooms/{}/status", self.room().as_str().expect("an id"));
        self.send("status", "POST", &path, json!({"status": status}))
            .await;
    }

    /// A room is built, pulled down or turned into another type.
    async fn rebuild(&mut self) {
        let number = ["101", "102", "103", "201", "202"]
            .choose(&mut self.dice)
            .copied();
        let number = number.expect("a room");
        let version: i64 = sqlx::query_scalar("SELECT version FROM room WHERE room_id = $1")
            .bind(self.bed.room(number).0)
            .fetch_one(&self.bed.app.db.reads)
            .await
            .expect("a room");
        let body = json!({
            "version": version, "number": number, "floor": "1", "features": [],
            "room_type_id": self.kind(), "active": self.dice.random_range(0..4) > 0,
        });
        let path = format!("/rooms/{}", self.bed.room(number));
        self.send("rebuild", "PUT", &path, body).await;
    }

    /// Everybody's holds run out at once, and either the sweeper or the next sale finds them.
    async fn run_out(&mut self) {
        let_holds_run_out(&self.bed.app.db, self.bed.hotel.id).await;
        let swept = crate::reservations::expire::sweep(&self.bed.app.db)
            .await
            .unwrap();
        *self.granted.entry("expire").or_default() += swept;
    }

    /// Closes the day the way a hotel does, unless the walk's last night has come.
    async fn roll(&mut self) {
        if self.today + 4 >= NIGHTS {
            return;
        }
        let body = json!({ "business_date": june(self.today) });
        let answer = self
            .send("roll", "POST", "/night-audit/roll", body.clone())
            .await;
        if answer.status == 409 && answer.json()["code"] == "day_open" {
            let facts = &answer.json()["facts"];
            for id in facts["arrivals"].as_array().expect("a list") {
                let path = format!("/reservations/{}/no-show", id.as_str().expect("an id"));
                let keep = self.yes();
                self.send("no-show", "POST", &path, json!({"keep_first_night": keep}))
                    .await;
            }
            for id in facts["departures"].as_array().expect("a list") {
                let path = format!("/reservations/{}/check-out", id.as_str().expect("an id"));
                self.send("check-out", "POST", &path, json!({})).await;
            }
            self.bed.clean().await;
            let again = self.send("roll", "POST", "/night-audit/roll", body).await;
            assert_eq!(again.status, 200, "{}", again.text);
            self.today += 1;
        } else if answer.status == 200 {
            self.today += 1;
        }
    }

    async fn step(&mut self) {
        match self.dice.random_range(0..100) {
            0..18 => self.hold().await,
            18..32 => self.booking("confirm", json!({"guarantee": "card"})).await,
            32..34 => self.booking("renew", json!({})).await,
            34..35 => self.booking("cancel", json!({})).await,
            35..36 => self.party().await,
            36..40 => {
                let sharers = self.yes().then_some("leave");
                self.act(
                    "cancel",
                    "confirmed",
                    json!({"reason": "guest", "sharers": sharers}),
                )
                .await
            }
            40..48 => {
                let body = json!({ "room_id": self.room() });
                self.act("assign", "confirmed", body).await;
            }
            48..53 => {
                let body = json!({ "room_id": self.room() });
                self.act("assign", "checked_in", body).await;
            }
            53..55 => self.share().await,
            55..70 => {
                let room = self.yes().then(|| self.room());
                let accepted = self.yes();
                let body = json!({"room_id": room, "room_not_ready_accepted": accepted});
                self.act("check-in", "confirmed", body).await;
            }
            70..77 => {
                let early = self.yes();
                let sharers = self.yes().then_some("leave");
                let body = json!({ "early": early, "sharers": sharers });
                self.act("check-out", "checked_in", body).await;
            }
            77..79 => {
                let later = ["keep", "release"].choose(&mut self.dice);
                let body = json!({ "keep_first_night": self.yes(), "later_nights": later });
                self.act("no-show", "confirmed", body).await;
            }
            79..82 => self.change().await,
            82..84 => self.put_right().await,
            84..86 => {
                let body = json!({"room_type_id": self.kind(), "reason": "courtesy"});
                let state = if self.yes() {
                    "confirmed"
                } else {
                    "checked_in"
                };
                self.act("upgrade", state, body).await;
            }
            86..88 => self.block().await,
            88..91 => self.unblock().await,
            91..93 => self.overbooking().await,
            93..94 => self.status().await,
            94..96 => self.rebuild().await,
            96..97 => self.details().await,
            97..98 if self.yes() => self.act("release-nights", "no_show", json!({})).await,
            97..98 => self.run_out().await,
            _ => self.roll().await,
        }
    }
}

impl Walk {
    /// What is read over the API is what was counted.
    async fn compare_reads(&mut self) {
        let mut counted: BTreeMap<(Uuid, chrono::NaiveDate), i32> = BTreeMap::new();
        for booking in &self.bookings {
            let view: BookingView = self.clerks[0]
                .get(&format!("/bookings/{booking}"))
                .await
                .ok();
            for stay in view.reservations {
                for night in stay.reservation.nights.iter().filter(|night| night.counted) {
                    *counted
                        .entry((night.room_type_id.0, night.stay_date))
                        .or_default() += 1;
                }
            }
        }
        for kind in ["STD", "SUP"] {
            for night in dates(june(1), june(NIGHTS + 4)) {
                let (reserved, _) = crate::testing::reserved(
                    &self.bed.app.db,
                    self.bed.hotel.id,
                    self.bed.kind(kind),
                    &night.to_string(),
                )
                .await;
                let expected = counted.get(&(self.bed.kind(kind).0, night)).copied();
                assert_eq!(reserved, expected.unwrap_or_default(), "{kind} {night}");
            }
        }
    }
}

async fn walk(seed: u64) -> Walk {
    let mut walk = Walk::begin(seed).await;
    for _ in 0..STEPS {
        walk.step().await;
        walk.bed.clean().await;
    }
    walk.compare_reads().await;
    walk
}

/// What a walk must have met: one in which nothing happened would prove nothing.
const GRANTED: [&str; 20] = [
    "hold",
    "share",
    "put-right",
    "change",
    "renew",
    "confirm",
    "cancel",
    "assign",
    "check-in",
    "check-out",
    "no-show",
    "upgrade",
    "block",
    "unblock",
    "overbooking",
    "status",
    "details",
    "expire",
    "rebuild",
    "roll",
];
const REFUSED: [&str; 5] = [
    "sold_out",
    "wrong_state",
    "room_taken",
    "wrong_type",
    "not_due",
];

#[tokio::test]
async fn n1_n2_n3_n9_n11_hold_after_every_step_of_any_walk() {
    let mut granted: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    // More walks than in every run: NIGHTDESK_WALKS=100.
    let walks =
        std::env::var("NIGHTDESK_WALKS").map_or(2, |walks| walks.parse().expect("a number"));
    for seed in 1.. {
        let walk = walk(seed).await;
        for (verb, times) in walk.granted {
            *granted.entry(verb).or_default() += times;
        }
        for (code, times) in walk.refused {
            *refused.entry(code).or_default() += times;
        }
        let met = GRANTED.iter().all(|verb| granted.contains_key(verb))
            && REFUSED.iter().all(|code| refused.contains_key(*code));
        if seed >= walks && met {
            break;
        }
        assert!(
            seed < walks + 10,
            "something never happens: granted {granted:?}, refused {refused:?}"
        );
    }
    eprintln!("granted {granted:?} and refused {refused:?}");
}
