//! What the window stands on: a server with the demonstration hotel, a display, a driver.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::extensions::query::ElementPollerWithTimeout;
use thirtyfour::prelude::*;

use crate::support::{Running, program, read};

const LIMIT: Duration = Duration::from_secs(120);

/// A server with the demonstration hotel.
pub(crate) struct Hotel {
    _server: Running,
    _data: tempfile::TempDir,
    pub(crate) address: String,
    pub(crate) name: String,
    pub(crate) password: String,
}

impl Hotel {
    pub(crate) fn open() -> Self {
        // Not below a folder of root's own: PostgreSQL runs as somebody else.
        let data = folder("nd-hotel-");
        let sync_server = || {
            let mut command = Command::new(program("sync-server"));
            command
                .env("NIGHTDESK_DATA", data.path())
                .env_remove("DATABASE_URL");
            command
        };
        let mut command = sync_server();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        let mut server = Running::spawn(&mut command, data.path().join("server.log"));
        server.wait_for(" ready http://", LIMIT);
        let output = server.output();
        let line = output
            .lines()
            .find(|line| line.contains(" ready http://"))
            .expect("a line");
        let address = line
            .split_whitespace()
            .last()
            .expect("an address")
            .to_owned();
        let mut demo = Running::spawn(sync_server().arg("demo"), data.path().join("demo.log"));
        assert!(demo.wait_end(LIMIT).success(), "{}", demo.output());
        let book: Value =
            serde_json::from_str(&read(&data.path().join("demo.json"))).expect("demo.json");
        let users = book["users"].as_array().expect("users");
        let user = users
            .iter()
            .find(|user| user["role"] == "front_desk")
            .expect("a front desk");
        let text = |name: &str| user[name].as_str().expect("text").to_owned();
        Self {
            address,
            name: text("name"),
            password: text("password"),
            _server: server,
            _data: data,
        }
    }
}

/// A folder under `/tmp` that goes with the test. Everybody may pass: as root, the server's PostgreSQL
/// runs as somebody else.
pub(crate) fn folder(prefix: &str) -> tempfile::TempDir {
    let passable = std::os::unix::fs::PermissionsExt::from_mode(0o711);
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(prefix)
        .permissions(passable)
        .tempdir_in("/tmp")
        .expect("a folder")
}

/// A display without a screen.
pub(crate) struct Display {
    _running: Running,
    pub(crate) name: String,
}

impl Display {
    pub(crate) fn open(data: &Path) -> Self {
        let mut command = Command::new("Xvfb");
        command.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1400x900x24",
            "-nolisten",
            "tcp",
        ]);
        let mut running = Running::spawn(&mut command, data.join("display.log"));
        running.wait_for("\n", LIMIT);
        let output = running.output();
        let number = output
            .lines()
            .find_map(|line| line.trim().parse::<u32>().ok());
        let name = format!(
            ":{}",
            number.unwrap_or_else(|| panic!("no display:\n{output}"))
        );
        Self {
            _running: running,
            name,
        }
    }
}

/// Where the window keeps its secrets.
pub(crate) enum Keyring {
    /// There is no service that keeps any.
    None,
    /// An unlocked keyring of its own, in the desk's folder.
    Unlocked,
}

/// Starts a session bus with an unlocked keyring around a command.
const WITH_KEYRING: &str = "printf test | gnome-keyring-daemon --unlock --components=secrets \
    >/dev/null 2>&1; exec \"$@\"";

/// The window under a driver.
pub(crate) struct Window {
    pub(crate) driver: WebDriver,
    _process: Running,
}

impl Window {
    /// Opens the window of the desk in that folder, with more of its environment.
    pub(crate) async fn open(
        display: &Display,
        folder: &Path,
        keyring: Keyring,
        more: &[(&str, &str)],
    ) -> Self {
        // The driver has no port 0: take a free one and let it go. Two tests that meet here fail loudly.
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let (home, runtime) = (folder.join("home"), folder.join("runtime"));
        for made in [&home, &runtime] {
            std::fs::create_dir_all(made).expect("a folder");
        }
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&runtime, private).expect("a private folder");
        let mut command = match keyring {
            Keyring::None => Command::new("WebKitWebDriver"),
            Keyring::Unlocked => {
                let mut command = Command::new("dbus-run-session");
                command.args(["--", "sh", "-c", WITH_KEYRING, "sh", "WebKitWebDriver"]);
                command
            }
        };
        command
            .arg(format!("--port={port}"))
            .arg("--host=127.0.0.1");
        command.env("TAURI_WEBVIEW_AUTOMATION", "true");
        command.env("NIGHTDESK_DESK_DATA", folder.join("desk"));
        command
            .env("DISPLAY", &display.name)
            .env("GDK_BACKEND", "x11")
            .env_remove("WAYLAND_DISPLAY");
        command
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", runtime)
            .env("NO_AT_BRIDGE", "1");
        for own in [
            "DBUS_SESSION_BUS_ADDRESS",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(own);
        }
        command.envs(more.iter().copied());
        let process = Running::spawn(&mut command, folder.join("window.log"));
        let mut wanted = Capabilities::new();
        let window = json!({"binary": program("nightdesk"), "args": []});
        wanted
            .set("webkitgtk:browserOptions", window)
            .expect("capabilities");
        let address = format!("http://127.0.0.1:{port}");
        let start = std::time::Instant::now();
        let driver = loop {
            match WebDriver::new(&address, wanted.clone()).await {
                Ok(driver) => break driver,
                Err(error) => {
                    assert!(start.elapsed() < LIMIT, "{error}\n{}", process.output());
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        };
        Self {
            driver,
            _process: process,
        }
    }

    /// The element of that test id, once it is shown.
    pub(crate) async fn shown(&self, id: &str) -> WebElement {
        let poller = ElementPollerWithTimeout::new(LIMIT, Duration::from_millis(50));
        let query = self.driver.query(By::Css(format!("[data-testid='{id}']")));
        let found = query
            .with_poller(Arc::new(poller))
            .and_displayed()
            .first()
            .await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{id} is not shown: {error}\n{}", self.page().await),
        }
    }

    /// The page's text, for messages.
    pub(crate) async fn page(&self) -> String {
        match self.driver.find(By::Tag("body")).await {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }

    /// Calls the desk as the screens do, through Tauri.
    pub(crate) async fn rpc(&self, method: &str, body: Value) -> Value {
        let script = "const [method, body, done] = arguments;\
            window.__TAURI_INTERNALS__.invoke('rpc', {method, body})\
              .then((value) => done({value}), (error) => done({error}));";
        let answer = self
            .driver
            .execute_async(script, vec![json!(method), body])
            .await;
        let answer = answer.expect("the script runs").json().clone();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["value"].clone()
    }

    pub(crate) async fn close(self) {
        self.driver.quit().await.expect("the window closes");
    }
}
