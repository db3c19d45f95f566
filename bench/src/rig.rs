//! What a bench measures: server processes over one private database, hotels, and people signed in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use protocol::request::{SignIn, SignedIn};
use protocol::role::Role;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use sync_server::catalog::create::{CreatedHotel, create_hotel};
use sync_server::catalog::spec::{HotelSpec, StaffSpec};
use sync_server::db::{Db, PoolSizes};

use crate::cluster::Cluster;
use crate::http::Connection;
use crate::process::{Process, free_port};

/// How long a server may take to come up.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Every hotel of a bench has this person, who may do everything.
const LOGIN: &str = "bench";
const PASSWORD: &str = "a password for benches only";

/// Servers over one database.
#[derive(Debug)]
pub struct Rig {
    // Servers before the database, so that they end first.
    servers: Vec<Server>,
    /// For making hotels and for asking the database itself.
    pub db: Db,
    /// The database server.
    pub cluster: Cluster,
    url: String,
}

#[derive(Debug)]
struct Server {
    process: Process,
    address: SocketAddr,
}

impl Rig {
    /// Brings up a database and so many servers over it.
    pub async fn start(servers: usize) -> Result<Self> {
        let cluster = Cluster::start()?;
        let url = cluster.database("nightdesk")?;
        let options = PgConnectOptions::from_str(&url)?;
        let db = Db::new(
            &options,
            PoolSizes {
                booking: 2,
                reads: 2,
            },
        );
        let mut rig = Self {
            servers: Vec::new(),
            db,
            cluster,
            url,
        };
        for _ in 0..servers {
            rig.add_server().await?;
        }
        Ok(rig)
    }

    /// Where the servers' database is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection of the bench's own, for asking the tables themselves.
    pub async fn connect(&self) -> Result<PgConnection> {
        Ok(PgConnection::connect(&self.url).await?)
    }

    /// The name of the servers' database.
    pub fn database(&self) -> &'static str {
        "nightdesk"
    }

    /// Starts one more server.
    pub async fn add_server(&mut self) -> Result<()> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let process = self.spawn(address)?;
        self.servers.push(Server { process, address });
        self.wait(self.servers.len() - 1).await
    }

    fn spawn(&self, address: SocketAddr) -> Result<Process> {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.log(address))?;
        let mut command = Command::new(server_program()?);
        command
            .args(["serve", "--listen", &address.to_string()])
            .env("DATABASE_URL", &self.url)
            .env("NIGHTDESK_DATA", self.cluster.folder())
            .env("RUST_LOG", "warn")
            .stdout(log.try_clone()?)
            .stderr(log);
        Process::start(&mut command, libc::SIGTERM)
    }

    fn log(&self, address: SocketAddr) -> PathBuf {
        self.cluster
            .folder()
            .join(format!("server-{}.log", address.port()))
    }

    async fn wait(&mut self, place: usize) -> Result<()> {
        let since = Instant::now();
        let address = self.servers[place].address;
        loop {
            let mut connection = Connection::new(address, "");
            if let Ok(reply) = connection.send("GET", "/readyz", None, b"").await
                && reply.status == 200
            {
                return Ok(());
            }
            let ended = self.servers[place].process.has_ended();
            if ended || since.elapsed() > START_TIMEOUT {
                let log = std::fs::read_to_string(self.log(address)).unwrap_or_default();
                bail!("the server at {address} does not start: {log}");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Kills a server as a power cut would, and starts it again at the same address.
    pub async fn crash_server(&mut self, place: usize) -> Result<()> {
        self.servers[place].process.kill();
        self.servers[place].process = self.spawn(self.servers[place].address)?;
        self.wait(place).await
    }

    /// The addresses of the servers.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.servers.iter().map(|server| server.address).collect()
    }

    /// What the first server used so far of the processor and of memory, for people.
    pub fn server_id(&self, place: usize) -> Option<u32> {
        self.servers.get(place).map(|server| server.process.id())
    }

    /// Makes a hotel, with one person who may do everything.
    pub async fn hotel(&self, mut spec: HotelSpec) -> Result<CreatedHotel> {
        spec.staff.push(StaffSpec {
            id: None,
            login: LOGIN.to_owned(),
            display_name: "Bench".to_owned(),
            role: Role::Admin,
            password: PASSWORD.to_owned(),
        });
        create_hotel(&self.db, &spec)
            .await
            .map_err(|error| anyhow::anyhow!("the hotel cannot be made: {error:?}"))
    }

    /// The name and password of the person in a hotel that was made here.
    pub fn credentials(slug: &str) -> (String, String) {
        (format!("{LOGIN}@{slug}"), PASSWORD.to_owned())
    }

    /// Signs that person in.
    pub async fn sign_in(&self, slug: &str) -> Result<SignedIn> {
        let (name, password) = Self::credentials(slug);
        let body = serde_json::to_vec(&SignIn {
            name,
            password,
            device_id: None,
            device_name: None,
        })?;
        let address = self.addresses().first().copied().context("no server")?;
        let reply = Connection::new(address, "")
            .send("POST", "/v1/sign-in", None, &body)
            .await?;
        ensure!(
            reply.status == 200,
            "sign-in: {} {}",
            reply.status,
            reply.text()
        );
        reply.json()
    }

    /// Recounts everything by `sync-server verify`, and returns the differences that it prints.
    pub fn verify(&self) -> Result<Vec<String>> {
        let done = Command::new(server_program()?)
            .arg("verify")
            .env("DATABASE_URL", &self.url)
            .env("NIGHTDESK_DATA", self.cluster.folder())
            .env("RUST_LOG", "error")
            .output()?;
        if done.status.success() {
            return Ok(Vec::new());
        }
        let mut lines: Vec<String> = String::from_utf8_lossy(&done.stdout)
            .lines()
            .chain(String::from_utf8_lossy(&done.stderr).lines())
            .filter(|line| !line.trim().is_empty())
            .map(str::to_owned)
            .collect();
        if lines.is_empty() {
            lines.push(format!("verify ended with {}", done.status));
        }
        Ok(lines)
    }
}

/// The server's program: `NIGHTDESK_SERVER_BIN`, or next to this program (or its tests' folder).
pub fn server_program() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("NIGHTDESK_SERVER_BIN") {
        return Ok(named.into());
    }
    let own = std::env::current_exe()?;
    let found = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("sync-server"))
        .find(|program| program.is_file());
    found.with_context(|| {
        format!(
            "no sync-server next to {}: build it with `cargo build -p sync-server`",
            own.display()
        )
    })
}
