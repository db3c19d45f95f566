//! `cargo xtask run`: from a fresh clone to the open front desk.

use std::fs::{File, TryLockError};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::node::Node;
use crate::packages::{self, Needs};
use crate::process::{self, Running};
use crate::{cargo, place, say};

/// The port that the server takes when nothing else is said.
const PORT: u16 = 7080;
/// A debug server makes its tables, its cluster and its start in a few seconds; a machine under load in more.
const START_LIMIT: Duration = Duration::from_secs(90);

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    window: bool,
    data: Option<PathBuf>,
    port: u16,
}

impl Options {
    fn read(args: &[String]) -> Result<Self> {
        let mut options = Self {
            window: true,
            data: None,
            port: PORT,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--no-window" => options.window = false,
                "--data" => {
                    options.data = Some(
                        args.next()
                            .context("--data wants a folder after it")?
                            .into(),
                    );
                }
                "--port" => {
                    let text = args.next().context("--port wants a number after it")?;
                    options.port = text
                        .parse()
                        .with_context(|| format!("{text} is not a port (0 to 65535)"))?;
                }
                other => bail!("{other} is not understood: --no-window, --data DIR, --port N"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let options = Options::read(args)?;
    let data = place::data(options.data.as_deref())?;
    let _alone = only_run_on(&data)?;
    check_port(options.port)?;
    let display = has_display();
    let virtual_display = options.window && !display;
    packages::ensure(Needs {
        database: true,
        window: options.window,
        virtual_display,
        node: true,
        browser: false,
    })?;
    let dist = Node::ensure()?.screens()?;
    build(options.window)?;

    // Stopped in the opposite order of this list: what stands on another goes first.
    let (mut server, address) = serve(&data, options.port)?;
    make_hotel(&data)?;
    let sign_in = SignIn::read(&data)?;
    let xvfb = if virtual_display {
        Some(Xvfb::start(&data)?)
    } else {
        None
    };
    let mut desk = open_desk(&options, &data, &dist, &address, &sign_in, xvfb.as_ref())?;

    let said = desk.output();
    let browser = said
        .split_whitespace()
        .skip_while(|word| *word != "ready")
        .nth(1);
    if options.window {
        say::line(&format!(
            "the front desk is open{}, signed in as {}",
            if virtual_display {
                " in a virtual display"
            } else {
                ""
            },
            sign_in.name
        ));
    } else {
        say::line(&format!(
            "the front desk is ready, signed in as {}",
            sign_in.name
        ));
    }
    if let Some(browser) = browser {
        say::more(&format!("in a browser  {browser}"));
    }
    say::more(&format!(
        "sign-in       {}  {}",
        sign_in.name, sign_in.password
    ));
    say::more(&format!(
        "others        {}",
        data.join("demo.json").display()
    ));
    say::more(&format!(
        "server        {address}  (its API is described at {address}/docs)"
    ));
    say::more("Ctrl-C stops everything");

    let code = loop {
        if process::stopping() {
            break ExitCode::SUCCESS;
        }
        if let Some(status) = desk.ended() {
            if !status.success() {
                bail!("the front desk ended ({status}):\n{}", last_words(&desk));
            }
            say::line("the window was closed");
            break ExitCode::SUCCESS;
        }
        if let Some(status) = server.ended() {
            bail!("the server ended ({status}):\n{}", last_words(&server));
        }
        process::tick();
    };
    say::line("stopping the window, the server and its database");
    drop(desk);
    drop(xvfb);
    drop(server);
    process::sweep();
    say::line("everything is stopped");
    Ok(code)
}

fn last_words(running: &Running) -> String {
    let all = running.output();
    let lines: Vec<&str> = all.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}

fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Holds the data folder until it is dropped: two runs on one would share a database and a desk.
fn only_run_on(data: &Path) -> Result<File> {
    let path = data.join("run.lock");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!(
            "another `cargo xtask run` uses {}: stop it with Ctrl-C, or give this one another folder with \
             --data DIR and another port with --port N",
            data.display()
        ),
        Err(TryLockError::Error(why)) => {
            Err(why).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Says that a port is in use before anything is built. The server takes it later, so this is a courtesy.
fn check_port(port: u16) -> Result<()> {
    if let Err(why) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        bail!(
            "port {port} cannot be used ({why}): stop what uses it, or choose another with --port N (0 \
             takes any free one)"
        );
    }
    Ok(())
}

fn build(window: bool) -> Result<()> {
    // The server in release mode: it makes 20,000 reservations before the first window opens. The window
    // in debug mode, which builds in a third of the time and shares its libraries with the tests.
    say::line("building the server (about 3 minutes the first time, then seconds)");
    cargo::build("build-server", &["--release", "-p", "sync-server"])?;
    if window {
        say::line("building the window (about 4 minutes the first time, then seconds)");
        cargo::build(
            "build-window",
            &["-p", "nightdesk", "--features", "nightdesk/custom-protocol"],
        )
    } else {
        say::line("building the desk (about 2 minutes the first time, then seconds)");
        cargo::build("build-desk", &["-p", "desk"])
    }
}

/// Starts the server on its own private PostgreSQL and waits until it is ready. Gives its address too.
fn serve(data: &Path, port: u16) -> Result<(Running, String)> {
    say::line("starting the server and its own PostgreSQL");
    let mut command = server(data);
    command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]);
    let mut server = Running::spawn("the server", &mut command, &data.join("server.log"))?;
    server.wait_until(START_LIMIT, |server| address_in(&server.output()).is_some())?;
    let address =
        address_in(&server.output()).context("the server did not say where it listens")?;
    Ok((server, address))
}

/// The address in a line `... ready http://...`.
fn address_in(output: &str) -> Option<String> {
    let line = output
        .lines()
        .find(|line| line.contains(" ready http://"))?;
    line.split_whitespace().last().map(str::to_owned)
}

fn server(data: &Path) -> Command {
    let mut command = Command::new(place::program("release", "sync-server"));
    // A database named for tests or for building is not the one to fill with a demonstration.
    command
        .env_remove("DATABASE_URL")
        .env("NIGHTDESK_DATA", data);
    command
}

/// Makes the demonstration hotel, when there is none.
fn make_hotel(data: &Path) -> Result<()> {
    let sheet = std::fs::read_to_string(data.join("demo.json")).unwrap_or_default();
    let sheet: serde_json::Value = serde_json::from_str(&sheet).unwrap_or_default();
    if sheet["complete"] != true {
        say::line("making a demonstration hotel: 120 rooms, 14 months, about 20,000 reservations");
    }
    process::must(
        "sync-server demo",
        server(data).arg("demo"),
        &data.join("demo.log"),
    )
}

/// A name and its password of the demonstration hotel.
struct SignIn {
    name: String,
    password: String,
}

impl SignIn {
    fn read(data: &Path) -> Result<Self> {
        let file = data.join("demo.json");
        let text = std::fs::read_to_string(&file).with_context(|| {
            format!(
                "{} is missing: remove {} to make the hotel anew",
                file.display(),
                data.display()
            )
        })?;
        let book: serde_json::Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged", file.display()))?;
        let users = book["users"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let desk = users.iter().find(|user| user["role"] == "front_desk");
        match desk.map(|user| (user["name"].as_str(), user["password"].as_str())) {
            Some((Some(name), Some(password))) => Ok(Self {
                name: name.to_owned(),
                password: password.to_owned(),
            }),
            _ => bail!("{} names nobody of the front desk", file.display()),
        }
    }
}

/// A display without a screen.
struct Xvfb {
    _running: Running,
    display: String,
}

impl Xvfb {
    fn start(data: &Path) -> Result<Self> {
        say::line("there is no display here: starting a virtual one");
        let mut command = Command::new("Xvfb");
        // It picks a free number itself and says which.
        command.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1400x900x24",
            "-nolisten",
            "tcp",
        ]);
        let mut running = Running::spawn("Xvfb", &mut command, &data.join("display.log"))?;
        let number = |running: &Running| {
            running
                .output()
                .lines()
                .find_map(|line| line.trim().parse::<u32>().ok())
        };
        running.wait_until(Duration::from_secs(20), |running| number(running).is_some())?;
        let display = format!(":{}", number(&running).unwrap_or_default());
        Ok(Self {
            _running: running,
            display,
        })
    }
}

/// Opens the window, or serves its screens where no window is wanted.
fn open_desk(
    options: &Options,
    data: &Path,
    dist: &Path,
    address: &str,
    sign_in: &SignIn,
    xvfb: Option<&Xvfb>,
) -> Result<Running> {
    let mut command = if options.window {
        say::line("opening the window");
        Command::new(place::program("debug", "nightdesk"))
    } else {
        Command::new(place::program("debug", "desk-web"))
    };
    command.env("NIGHTDESK_DESK_DATA", data.join("desk"));
    command.env("NIGHTDESK_SERVER", address);
    command.env("NIGHTDESK_NAME", &sign_in.name);
    command.env("NIGHTDESK_PASSWORD", &sign_in.password);
    let web = !options.window || xvfb.is_some();
    if !options.window {
        command.args(["--listen", "127.0.0.1:0"]);
    } else if web {
        command.args(["--web", "127.0.0.1:0"]);
    }
    if web {
        command.arg("--ui").arg(dist);
    }
    if let Some(xvfb) = xvfb {
        command
            .env("DISPLAY", &xvfb.display)
            .env("GDK_BACKEND", "x11");
    }
    let mut desk = Running::spawn("the front desk", &mut command, &data.join("desk.log"))?;
    let word = if web {
        "desk-web ready "
    } else {
        "window ready"
    };
    desk.wait_until(START_LIMIT, |desk| desk.output().contains(word))?;
    Ok(desk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_do_not_share_a_data_folder() {
        let folder = std::env::temp_dir().join(format!("nightdesk-run-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let first = only_run_on(&folder).unwrap();
        let second = only_run_on(&folder).unwrap_err().to_string();
        assert!(second.contains("--data DIR"), "{second}");
        drop(first);
        only_run_on(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }

    fn read(args: &[&str]) -> Result<Options> {
        Options::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_or_refused_with_a_sentence() {
        let all = read(&["--no-window", "--data", "/x", "--port", "0"]).expect("valid");
        assert_eq!(
            all,
            Options {
                window: false,
                data: Some("/x".into()),
                port: 0
            }
        );
        let error = |args: &[&str]| read(args).expect_err("must be refused").to_string();
        assert!(error(&["--port", "70000"]).contains("70000 is not a port"));
        assert!(error(&["--data"]).contains("wants a folder"));
        assert!(error(&["--frobnicate"]).contains("--frobnicate is not understood"));
    }

    #[test]
    fn a_port_in_use_is_one_sentence_with_what_to_do() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = taken.local_addr().expect("bound").port();
        let error = check_port(port).expect_err("must be refused").to_string();
        assert!(
            error.contains(&port.to_string()) && error.contains("--port N"),
            "{error}"
        );
    }
}
