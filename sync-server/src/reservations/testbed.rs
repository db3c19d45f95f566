//! What the tests of moves share: a small hotel with somebody who may do everything.

use chrono::NaiveDate;
use protocol::code::Code;
use protocol::id::{ReservationId, RoomId, RoomTypeId};
use protocol::request::{CommandAnswer, ReservationView};
use protocol::role::Role;
use protocol::row::{NightRow, ReservationRow};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::catalog::create::CreatedHotel;
use crate::db::command::{Caller, run};
use crate::db::fixture::{Promise, set_business_date};
use crate::db::inventory::Full;
use crate::db::verify;
use crate::testing::{Client, TestAnswer, TestApp};

/// The hotel of [`crate::testing::small_hotel`]: STD 101-103, SUP 201-202, open day 2027-06-01.
pub(crate) struct Bed {
    pub(crate) app: TestApp,
    pub(crate) hotel: CreatedHotel,
    pub(crate) boss: Client,
}

/// A day of June 2027.
pub(crate) fn june(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2027, 6, day).expect("a day of June")
}

impl Bed {
    pub(crate) async fn new() -> Self {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let boss = app.sign_in(hotel.id, Role::Admin).await;
        Self { app, hotel, boss }
    }

    pub(crate) fn kind(&self, code: &str) -> RoomTypeId {
        match code {
            "HOUSE" => RoomTypeId::HOUSE,
            code => self.hotel.types[code],
        }
    }

    pub(crate) fn room(&self, number: &str) -> RoomId {
        self.hotel.rooms[number]
    }

    async fn promised(&self, kind: &str, from: u32, until: u32, over: Full) -> ReservationId {
        let promise = Promise {
            id: ReservationId(Uuid::now_v7()),
            room_type: self.kind(kind),
            check_in: june(from),
            check_out: june(until),
            over,
        };
        let caller = Caller::system(self.hotel.id);
        let answer = run(&self.app.db, &caller, None, &promise).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
        promise.id
    }

    /// A confirmed reservation over nights of June 2027; for day use both days are the same.
    pub(crate) async fn confirmed(&self, kind: &str, from: u32, until: u32) -> ReservationId {
        self.promised(kind, from, until, Full::Refuse).await
    }

    /// The same above the limit.
    pub(crate) async fn over(&self, kind: &str, from: u32, until: u32) -> ReservationId {
        self.promised(kind, from, until, Full::GoOver).await
    }

    /// Opens a day of June without closing those before.
    pub(crate) async fn open(&self, day: u32) {
        set_business_date(&self.app.db, self.hotel.id.0, june(day)).await;
    }

    /// A move of a reservation.
    pub(crate) async fn act(&self, id: ReservationId, verb: &str, body: Value) -> TestAnswer {
        self.boss
            .send("POST", &format!("/reservations/{id}/{verb}"), body)
            .await
    }

    pub(crate) async fn assign(&self, id: ReservationId, number: &str) -> TestAnswer {
        self.act(id, "assign", json!({ "room_id": self.room(number) }))
            .await
    }

    pub(crate) async fn check_in(&self, id: ReservationId) -> CommandAnswer {
        self.act(id, "check-in", json!({})).await.ok()
    }

    pub(crate) async fn room_status(&self, number: &str, status: &str) {
        let _: CommandAnswer = self
            .boss
            .send(
                "POST",
                &format!("/rooms/{}/status", self.room(number)),
                json!({ "status": status }),
            )
            .await
            .ok();
    }

    pub(crate) async fn view(&self, id: ReservationId) -> ReservationView {
        self.boss.get(&format!("/reservations/{id}")).await.ok()
    }

    pub(crate) async fn row(&self, id: ReservationId) -> ReservationRow {
        self.view(id).await.reservation
    }

    /// The rooms of a reservation as `101 06-01 06-03`.
    pub(crate) async fn rooms(&self, id: ReservationId) -> Vec<String> {
        let uses = self.view(id).await.room_uses;
        uses.iter()
            .map(|used| {
                let (number, _) = self
                    .hotel
                    .rooms
                    .iter()
                    .find(|(_, room)| **room == used.room_id)
                    .expect("a room");
                format!(
                    "{number} {} {}",
                    used.from.format("%m-%d"),
                    used.until.format("%m-%d")
                )
            })
            .collect()
    }

    pub(crate) async fn night(&self, kind: &str, day: u32) -> NightRow {
        let mut conn = self.app.db.reads.acquire().await.unwrap();
        verify::counters(&mut conn, self.hotel.id)
            .await
            .unwrap()
            .into_iter()
            .find(|row| row.room_type_id == self.kind(kind) && row.stay_date == june(day))
            .expect("a night")
    }

    /// How many are reserved in a type (or the house) over some days of June.
    pub(crate) async fn reserved(&self, kind: &str, days: std::ops::Range<u32>) -> Vec<i32> {
        let mut reserved = Vec::new();
        for day in days {
            reserved.push(self.night(kind, day).await.reserved);
        }
        reserved
    }

    pub(crate) async fn status(&self, number: &str) -> String {
        sqlx::query_scalar("SELECT status FROM room WHERE hotel_id = $1 AND room_id = $2")
            .bind(self.hotel.id.0)
            .bind(self.room(number).0)
            .fetch_one(&self.app.db.reads)
            .await
            .unwrap()
    }

    /// Number of the newest event.
    pub(crate) async fn seq(&self) -> i64 {
        sqlx::query_scalar("SELECT seq FROM hotel_head WHERE hotel_id = $1")
            .bind(self.hotel.id.0)
            .fetch_one(&self.app.db.reads)
            .await
            .unwrap()
    }

    /// Nothing that must always be true is broken.
    #[track_caller]
    pub(crate) fn clean(&self) -> impl Future<Output = ()> {
        let at = std::panic::Location::caller();
        async move {
            let found = crate::verify::verify(&self.app.db).await.unwrap();
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert!(found.is_empty(), "{at}: {found:#?}");
        }
    }

    /// Each bad body is refused with `invalid` at the named field, and leaves nothing behind.
    pub(crate) async fn invalid(&self, method: &str, path: &str, cases: &[(Value, &str)]) {
        let before = self.seq().await;
        for (body, pointer) in cases {
            let answer = self.boss.send(method, path, body.clone()).await;
            let problem = answer.refused(Code::Invalid);
            assert!(
                problem.fields.iter().any(|field| field.pointer == *pointer),
                "{body}: {}",
                answer.text
            );
        }
        assert_eq!(self.seq().await, before, "a refusal writes nothing");
        self.clean().await;
    }
}

/// The facts of a refusal.
#[track_caller]
pub(crate) fn facts(answer: &TestAnswer, code: Code) -> Value {
    answer.refused(code).facts.unwrap_or_default()
}
