//! The program: reads what it is told and calls the library.

use std::io::Read;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context;
use clap::Parser;
use sqlx::postgres::PgConnectOptions;
use sync_server::catalog::create::create_hotel;
use sync_server::catalog::spec::{HotelSpec, StaffSpec};
use sync_server::config::{Cli, Command, DatabaseArgs, HotelCommand, StaffCommand};
use sync_server::db::migrate::migrate;
use sync_server::db::{Db, PoolSizes};
use sync_server::postgres::PrivateCluster;
use sync_server::{app, demo, serve, staff, verify};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    // What asks the database one thing after the other loses a quarter of its time by waking another
    // thread for every answer.
    let mut runtime = match cli.command {
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("sync-server: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(error) => {
            // One sentence, with what led to it.
            eprintln!("sync-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Openapi => {
            let text = app::openapi().to_pretty_json()?;
            print(&text)?;
        }
        Command::Serve(args) => {
            let listener = serve::bind(args.listen).await?;
            let database = Database::open(&cli.database)?;
            serve::serve(listener, &database.connect, &args).await?;
            database.close().await?;
        }
        Command::Migrate => {
            let database = Database::open(&cli.database)?;
            migrate(&database.connect).await?;
            database.close().await?;
        }
        Command::Demo => {
            let data = cli.database.data_dir();
            std::fs::create_dir_all(&data)
                .with_context(|| format!("the data folder {} cannot be written: give another with --data-dir or NIGHTDESK_DATA", data.display()))?;
            let database = Database::open(&cli.database)?;
            migrate(&database.connect).await?;
            let db = Db::new(&database.connect, PoolSizes::default());
            let mut told = 0;
            let made = demo::run(&db, &data, |done, all| {
                // Every twentieth part: enough to see that it moves.
                if done * 20 / all.max(1) > told {
                    told = done * 20 / all.max(1);
                    eprintln!("making the demonstration hotel: {} %", told * 5);
                }
            })
            .await;
            db.close().await;
            database.close().await?;
            let sheet = made?;
            print(&format!(
                "The demonstration hotel `{}` is ready. Sign in as one of:",
                sheet.hotel
            ))?;
            for user in &sheet.users {
                print(&format!(
                    "  {}  {}  ({})",
                    user.name, user.password, user.role
                ))?;
            }
        }
        Command::Verify => {
            let database = Database::open(&cli.database)?;
            migrate(&database.connect).await?;
            let db = Db::new(&database.connect, PoolSizes::default());
            let found = verify::verify(&db).await;
            db.close().await;
            database.close().await?;
            let found = readable(found)?;
            for difference in &found {
                print(&difference.to_string())?;
            }
            print(&format!("{} differences", found.len()))?;
            if !found.is_empty() {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Staff {
            command:
                StaffCommand::Add {
                    hotel,
                    name,
                    display_name,
                    role,
                },
        } => {
            let mut password = String::new();
            std::io::stdin().read_to_string(&mut password)?;
            let person = StaffSpec {
                id: None,
                display_name: display_name.unwrap_or_else(|| name.clone()),
                login: name,
                role,
                password: password.trim_end_matches(['\r', '\n']).to_owned(),
            };
            let database = Database::open(&cli.database)?;
            migrate(&database.connect).await?;
            let db = Db::new(&database.connect, PoolSizes::default());
            let added = staff::add::add(&db, &hotel, &person).await;
            db.close().await;
            database.close().await?;
            print(&readable(added)?)?;
        }
        Command::Hotel {
            command: HotelCommand::Add { file },
        } => {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            let spec: HotelSpec = serde_json::from_str(&text)
                .with_context(|| format!("{} is no description of a hotel", file.display()))?;
            let database = Database::open(&cli.database)?;
            migrate(&database.connect).await?;
            let db = Db::new(&database.connect, PoolSizes::default());
            let made = create_hotel(&db, &spec).await;
            db.close().await;
            database.close().await?;
            print(&readable(made)?.id.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A refusal as one sentence.
fn readable<T>(result: Result<T, sync_server::error::ApiError>) -> anyhow::Result<T> {
    result.map_err(|error| match error {
        sync_server::error::ApiError::Internal(cause) => cause,
        other => {
            let problem = other.problem();
            let fields: Vec<String> = problem
                .fields
                .iter()
                .map(|field| format!("{}: {}", field.pointer, field.detail))
                .collect();
            anyhow::anyhow!("{} {}", problem.title, fields.join("; "))
        }
    })
}

fn print(line: &str) -> anyhow::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

/// The database that is meant: the named one, or a private one that is started for it.
struct Database {
    connect: PgConnectOptions,
    private: Option<PrivateCluster>,
}

impl Database {
    fn open(args: &DatabaseArgs) -> anyhow::Result<Self> {
        if let Some(url) = args.database_url.as_deref().filter(|url| !url.is_empty()) {
            return Ok(Self {
                connect: PgConnectOptions::from_str(url)
                    .context("DATABASE_URL is no address of a PostgreSQL")?,
                private: None,
            });
        }
        let private = PrivateCluster::start(&args.data_dir())?;
        Ok(Self {
            connect: private.options().clone(),
            private: Some(private),
        })
    }

    async fn close(self) -> anyhow::Result<()> {
        if let Some(private) = self.private {
            tokio::task::spawn_blocking(move || private.stop()).await?;
        }
        Ok(())
    }
}
