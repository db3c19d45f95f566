//! For tests: a database of its own for each, a hotel in it, the whole application in this process,
//! and clients that are signed in.
//!
//! The database server is the one that `DATABASE_URL` names. A migrated template is made there once
//! per state of the migrations; each test gets a copy and drops it at its end.

use std::str::FromStr;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use protocol::api::{IDEMPOTENCY_KEY, hotel_path};
use protocol::command::Command;
use protocol::id::{HotelId, RoomTypeId};
use protocol::role::Role;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use tower::ServiceExt;
use uuid::Uuid;

use crate::app::{AppState, router};
use crate::catalog::create::{CreatedHotel, create_hotel};
use crate::catalog::spec::{HotelSpec, RatePlanSpec, StaffSpec, TypeSpec};
use crate::db::{Db, PoolSizes, migrate, sessions};
use crate::staff::token::Token;

/// Names the advisory lock under which the template is made.
const TEMPLATE_LOCK: i64 = 0x6e69_6768_7466;
/// A password hash that no password matches: tests that do not sign in need not wait for Argon2.
const PASSWORD: &str = "only for tests";

/// A database for one test; dropped with it.
#[derive(Debug)]
pub struct TestDatabase {
    /// How to connect to it.
    pub options: PgConnectOptions,
    admin: PgConnectOptions,
    name: String,
}

impl TestDatabase {
    /// A migrated database.
    pub async fn create() -> Self {
        let url = std::env::var("DATABASE_URL").expect("DATABASE_URL names a server for tests");
        let admin = PgConnectOptions::from_str(&url).expect("DATABASE_URL");
        let mut hash = Sha256::new();
        for migration in migrate::migrator().iter() {
            hash.update(&migration.checksum);
        }
        let hash: String = hash.finalize()[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let template = format!("nightdesk_template_{hash}");
        let name = format!("nightdesk_test_{}", Uuid::new_v4().simple());
        let mut conn = admin.connect().await.expect("the server for tests");
        sqlx::query("SELECT pg_advisory_lock($1)")
            .bind(TEMPLATE_LOCK)
            .execute(&mut conn)
            .await
            .unwrap();
        let ready: Option<bool> =
            sqlx::query_scalar("SELECT datistemplate FROM pg_database WHERE datname = $1")
                .bind(&template)
                .fetch_optional(&mut conn)
                .await
                .unwrap();
        if ready != Some(true) {
            let statements = [
                format!("DROP DATABASE IF EXISTS {template} WITH (FORCE)"),
                format!("CREATE DATABASE {template}"),
            ];
            for statement in statements {
                conn.execute(AssertSqlSafe(statement)).await.unwrap();
            }
            migrate::migrate(&admin.clone().database(&template))
                .await
                .expect("the migrations");
            let done = format!("ALTER DATABASE {template} IS_TEMPLATE true");
            conn.execute(AssertSqlSafe(done)).await.unwrap();
        }
        sqlx::query("SELECT pg_advisory_unlock($1)")
            .bind(TEMPLATE_LOCK)
            .execute(&mut conn)
            .await
            .unwrap();
        let copy = format!("CREATE DATABASE {name} TEMPLATE {template}");
        conn.execute(AssertSqlSafe(copy)).await.unwrap();
        let options = admin.clone().database(&name);
        // The template may have been made in another month.
        let mut own = options.connect().await.unwrap();
        migrate::partitions(&mut own).await.unwrap();
        own.close().await.unwrap();
        conn.close().await.unwrap();
        Self {
            options,
            admin,
            name,
        }
    }
}

impl TestDatabase {
    /// A database without a table.
    pub async fn empty() -> Self {
        let url = std::env::var("DATABASE_URL").expect("DATABASE_URL names a server for tests");
        let admin = PgConnectOptions::from_str(&url).expect("DATABASE_URL");
        let name = format!("nightdesk_test_{}", Uuid::new_v4().simple());
        let mut conn = admin.connect().await.expect("the server for tests");
        let create = format!("CREATE DATABASE {name}");
        conn.execute(AssertSqlSafe(create)).await.unwrap();
        conn.close().await.unwrap();
        Self {
            options: admin.clone().database(&name),
            admin,
            name,
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (admin, name) = (self.admin.clone(), self.name.clone());
        // The test's own runtime may be one thread, and that thread is here.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                let mut conn = admin.connect().await?;
                let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                conn.execute(AssertSqlSafe(drop)).await?;
                anyhow::Ok(())
            })
        });
        if !matches!(dropped.join(), Ok(Ok(()))) {
            tracing::warn!("a test's database could not be dropped");
        }
    }
}

/// The application over a database of its own.
#[derive(Debug)]
pub struct TestApp {
    /// The pools.
    pub db: Db,
    /// What handlers see.
    pub state: AppState,
    router: Router,
    /// The database.
    pub database: TestDatabase,
}

impl TestApp {
    /// Over an empty database.
    pub async fn start() -> Self {
        let database = TestDatabase::create().await;
        let db = Db::new(&database.options, PoolSizes::default());
        let state = AppState::new(db.clone());
        Self {
            db,
            router: router(state.clone()),
            state,
            database,
        }
    }

    /// A second server over the same database.
    pub fn second_server(&self) -> (AppState, Router) {
        let state = AppState::new(Db::new(&self.database.options, PoolSizes::default()));
        (state.clone(), router(state))
    }

    /// A hotel from a description.
    pub async fn hotel(&self, spec: &HotelSpec) -> CreatedHotel {
        create_hotel(&self.db, spec).await.expect("a hotel")
    }

    /// A small hotel: see [`small_hotel`].
    pub async fn small_hotel(&self) -> CreatedHotel {
        self.hotel(&small_hotel("small")).await
    }

    /// A client with a session of its own, as a colleague of this role made for it.
    pub async fn sign_in(&self, hotel: HotelId, role: Role) -> Client {
        let staff = Uuid::now_v7();
        sqlx::query(
            "INSERT INTO staff (hotel_id, staff_id, login, display_name, password_hash, role, created_at)
             VALUES ($1, $2, $3, $4, '', $5, clock_timestamp())",
        )
        .bind(hotel.0)
        .bind(staff)
        .bind(format!("{role}-{}", staff.simple()))
        .bind(role.as_str())
        .bind(role.as_str())
        .execute(&self.db.reads)
        .await
        .unwrap();
        let token = Token::random(hotel).unwrap();
        sessions::open(&self.db.reads, hotel, staff.into(), None, &token.hash(), 30)
            .await
            .unwrap();
        Client {
            router: self.router.clone(),
            hotel,
            token: Some(token.text().to_owned()),
        }
    }

    /// A client without a token.
    pub fn stranger(&self, hotel: HotelId) -> Client {
        Client {
            router: self.router.clone(),
            hotel,
            token: None,
        }
    }
}

/// 3 `STD` and 2 `SUP` rooms (101-103, 201-202), open for 60 nights from 2027-06-01, 100.00 and
/// 150.00 EUR in plan `BAR`; colleagues `ana` (front desk) and `marta` (manager).
pub fn small_hotel(slug: &str) -> HotelSpec {
    let rooms = |numbers: &[&str]| {
        numbers
            .iter()
            .map(|number| crate::catalog::spec::RoomSpec {
                number: (*number).to_owned(),
                floor: number[..1].to_owned(),
                ..Default::default()
            })
            .collect()
    };
    let kind = |code: &str, numbers: &[&str]| TypeSpec {
        code: code.to_owned(),
        name: code.to_owned(),
        max_occupancy: 3,
        rooms: rooms(numbers),
        ..TypeSpec::default()
    };
    let person = |login: &str, role| StaffSpec {
        id: None,
        login: login.to_owned(),
        display_name: login.to_owned(),
        role,
        password: PASSWORD.to_owned(),
    };
    HotelSpec {
        business_date: "2027-06-01".parse().ok(),
        window_days: 60,
        types: vec![
            kind("STD", &["101", "102", "103"]),
            kind("SUP", &["201", "202"]),
        ],
        rate_plans: vec![RatePlanSpec {
            code: "BAR".to_owned(),
            name: "Best available".to_owned(),
            prices: [("STD".to_owned(), 10_000), ("SUP".to_owned(), 15_000)].into(),
            ..RatePlanSpec::default()
        }],
        staff: vec![
            person("ana", Role::FrontDesk),
            person("marta", Role::Manager),
        ],
        ..HotelSpec::named(slug, "Small hotel")
    }
}

/// Somebody who sends requests.
#[derive(Clone, Debug)]
pub struct Client {
    router: Router,
    /// The hotel in the addresses.
    pub hotel: HotelId,
    /// What goes as `Authorization: Bearer`.
    pub token: Option<String>,
}

impl Client {
    /// The same colleague at another server.
    #[must_use]
    pub fn at(&self, router: &Router) -> Self {
        Self {
            router: router.clone(),
            ..self.clone()
        }
    }

    /// Sends anything anywhere.
    pub async fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> TestAnswer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).expect("a request");
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a body");
        TestAnswer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).expect("UTF-8"),
        }
    }

    /// Reads, below `/v1/hotels/{hotel}`.
    pub async fn get(&self, path: &str) -> TestAnswer {
        self.raw("GET", &hotel_path(self.hotel, path), &[], "")
            .await
    }

    /// A command under a key, below `/v1/hotels/{hotel}`.
    pub async fn keyed(&self, key: &str, method: &str, path: &str, body: &Value) -> TestAnswer {
        self.raw(
            method,
            &hotel_path(self.hotel, path),
            &[(IDEMPOTENCY_KEY, key)],
            body.to_string(),
        )
        .await
    }

    /// A command under a new key, below `/v1/hotels/{hotel}`.
    pub async fn send(&self, method: &str, path: &str, body: Value) -> TestAnswer {
        let key = Uuid::now_v7().to_string();
        self.keyed(&key, method, path, &body).await
    }

    /// A command of the protocol under a new key.
    pub async fn command(&self, command: &Command) -> TestAnswer {
        let route = command.route();
        self.send(route.method, &route.path, route.body).await
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub struct TestAnswer {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body as text.
    pub text: String,
}

impl TestAnswer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The body as what it should be, after a success.
    #[track_caller]
    pub fn ok<T: DeserializeOwned>(&self) -> T {
        assert!(self.status.is_success(), "{} {}", self.status, self.text);
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Asserts a refusal with this code and the status that belongs to it.
    #[track_caller]
    pub fn refused(&self, code: protocol::code::Code) -> protocol::code::Problem {
        let problem: protocol::code::Problem = serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("no problem document: {} {}", self.status, self.text));
        assert_eq!(problem.code, code, "{}", self.text);
        assert_eq!(self.status.as_u16(), code.status(), "{}", self.text);
        assert_eq!(
            self.headers
                .get("content-type")
                .and_then(|value| value.to_str().ok()),
            Some("application/problem+json")
        );
        problem
    }
}

/// The counter of a night, as `(reserved, total)`.
pub async fn reserved(db: &Db, hotel: HotelId, room_type: RoomTypeId, night: &str) -> (i32, i32) {
    sqlx::query_as(
        "SELECT reserved, total FROM room_night
         WHERE hotel_id = $1 AND room_type_id = $2 AND stay_date = $3::text::date",
    )
    .bind(hotel.0)
    .bind(room_type.0)
    .bind(night)
    .fetch_one(&db.reads)
    .await
    .expect("a night")
}
