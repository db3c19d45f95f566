//! `desk-web`: the front desk without a window, at a loopback address for a browser or a test.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use desk::desk::{Desk, DeskConfig};
use desk::host::PlainHost;
use desk::web::WebHost;

const HELP: &str = "desk-web: the front desk at a loopback address

  --listen ADDRESS      where to listen; 127.0.0.1:0 takes any free port (the default)
  --ui DIR              the built screens; without it only the rpc is served
  --data DIR            the data folder; else NIGHTDESK_DESK_DATA, else a folder of your account
  --name NAME           what people call a new desk (default: desk 1)
  --secrets-file FILE   keep the token and the key in this file, in clear: for tests only. Without it
                        they end with the program, and the next start loads a new copy

NIGHTDESK_SERVER, NIGHTDESK_NAME and NIGHTDESK_PASSWORD sign in at the start.
";

struct Options {
    listen: SocketAddr,
    ui: Option<PathBuf>,
    data: PathBuf,
    name: String,
    secrets: Option<PathBuf>,
}

fn options() -> anyhow::Result<Option<Options>> {
    let mut options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        ui: None,
        data: default_data(),
        name: "desk 1".to_owned(),
        secrets: None,
    };
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let name = word.to_string_lossy().into_owned();
        let value = words
            .next()
            .with_context(|| format!("{name} wants a value; see --help"))?;
        match name.as_str() {
            "--listen" => {
                let text = value.to_string_lossy();
                options.listen = text
                    .parse()
                    .with_context(|| format!("{text} is no address such as 127.0.0.1:0"))?;
            }
            "--ui" => options.ui = Some(value.into()),
            "--data" => options.data = value.into(),
            "--name" => options.name = value.to_string_lossy().into_owned(),
            "--secrets-file" => options.secrets = Some(value.into()),
            _ => anyhow::bail!("{name} is not known; see --help"),
        }
    }
    Ok(Some(options))
}

fn default_data() -> PathBuf {
    let said = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty());
    if let Some(dir) = said("NIGHTDESK_DESK_DATA") {
        return dir.into();
    }
    let base = said("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| said("HOME").map(|home| PathBuf::from(home).join(".local").join("share")));
    base.unwrap_or_default().join("nightdesk").join("desk")
}

#[tokio::main]
#[allow(
    clippy::print_stderr,
    reason = "one sentence for whoever started this, whatever RUST_BACKTRACE says"
)]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("desk-web: {fault:#}");
            ExitCode::FAILURE
        }
    }
}

#[allow(
    clippy::print_stdout,
    reason = "the address is what this program is started for"
)]
async fn run() -> anyhow::Result<()> {
    let Some(options) = options()? else {
        print!("{HELP}");
        return Ok(());
    };
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env()
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn")),
        )
        .with_writer(std::io::stderr)
        .init();
    let host = match &options.secrets {
        None => PlainHost::session_only(&options.data),
        Some(file) => PlainHost::with_secrets_file(&options.data, file)
            .with_context(|| format!("{} cannot be read", file.display()))?,
    };
    let config = DeskConfig {
        device_name: options.name,
    };
    let desk = Arc::new(Desk::open(Arc::new(host), config).await?);
    if let Err(fault) = desk.sign_in_from_env().await {
        // The screens show the sign-in form, with this server filled in once it answers.
        tracing::warn!(name = "sign_in.failed", code = %fault.code, detail = fault.problem.detail);
    }
    let web = WebHost::bind(desk, options.listen, options.ui.as_deref()).await?;
    println!("desk-web ready {}", web.address());
    web.serve(ended()).await?;
    Ok(())
}

/// Ctrl-C, or a polite end from whoever started this.
async fn ended() {
    let interrupted = async {
        // Without this signal there is the other one, and kill.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    interrupted.await;
}
