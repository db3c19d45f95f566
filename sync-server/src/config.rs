//! What the program is told: subcommands, options, environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use protocol::role::Role;

/// The authority: the only one that may sell a night.
#[derive(Debug, Parser)]
#[command(name = "sync-server", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Which database.
    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Which database: the one that is named, else a private one in the data folder.
#[derive(Args, Clone)]
pub struct DatabaseArgs {
    /// The PostgreSQL to use; without it, a private one is started in the data folder.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<String>,
    /// Where the private PostgreSQL and the demonstration's password are kept.
    #[arg(long, env = "NIGHTDESK_DATA", global = true)]
    pub data_dir: Option<PathBuf>,
}

// The address may hold a password.
impl std::fmt::Debug for DatabaseArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseArgs")
            .field("data_dir", &self.data_dir)
            .finish_non_exhaustive()
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve desks until told to stop.
    Serve(ServeArgs),
    /// Bring the database up to this version.
    Migrate,
    /// Create the demonstration hotel if there is none, and print how to sign in.
    Demo,
    /// Recount everything, print every difference, exit non-zero if there is one.
    Verify,
    /// Colleagues.
    Staff {
        /// What to do with them.
        #[command(subcommand)]
        command: StaffCommand,
    },
    /// Hotels.
    Hotel {
        /// What to do with them.
        #[command(subcommand)]
        command: HotelCommand,
    },
    /// Print the OpenAPI document.
    Openapi,
}

/// How to serve.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7080")]
    pub listen: SocketAddr,
    /// Connections kept for commands.
    #[arg(long, default_value_t = 8)]
    pub booking_connections: u32,
    /// Connections kept for reading.
    #[arg(long, default_value_t = 8)]
    pub read_connections: u32,
}

/// What to do with colleagues.
#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Let somebody in. The password is read from standard input.
    Add {
        /// The hotel's short name.
        #[arg(long)]
        hotel: String,
        /// What is typed at sign-in.
        #[arg(long)]
        name: String,
        /// Name for people; the sign-in name where absent.
        #[arg(long)]
        display_name: Option<String>,
        /// front_desk, housekeeping, revenue, manager, admin or channel.
        #[arg(long)]
        role: Role,
    },
}

/// What to do with hotels.
#[derive(Debug, Subcommand)]
pub enum HotelCommand {
    /// Make a hotel from its description.
    Add {
        /// JSON: see the documentation of `HotelSpec`.
        #[arg(long)]
        file: PathBuf,
    },
}

impl DatabaseArgs {
    /// The data folder: as told, else where programs of this kind keep theirs.
    pub fn data_dir(&self) -> PathBuf {
        if let Some(dir) = &self.data_dir {
            return dir.clone();
        }
        // SAFETY: geteuid reads one number and cannot fail.
        if unsafe { libc::geteuid() } == 0 {
            return PathBuf::from("/var/lib/nightdesk");
        }
        let home = std::env::var_os("XDG_DATA_HOME").map_or_else(
            || {
                std::env::var_os("HOME")
                    .map_or_else(|| PathBuf::from("."), PathBuf::from)
                    .join(".local/share")
            },
            PathBuf::from,
        );
        home.join("nightdesk")
    }
}
