//! The front-desk window: Tauri around the desk. It holds no rules; what it adds is a window, the keyring
//! of the system and an end that always comes.

mod args;
mod closing;
mod host;
mod place;
mod rpc;
mod secrets;
mod window;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use args::Args;
use desk::desk::{Desk, DeskConfig};
use desk::web::WebHost;
use host::WindowHost;
use window::Page;

fn main() -> ExitCode {
    log_to_stderr();
    match start() {
        Ok(code) => code,
        Err(sentence) => {
            complain(&sentence);
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode, String> {
    let args = Args::read(std::env::args_os().skip(1))?;
    let data = place::data_dir()?;
    need_display()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("The program cannot start its threads: {error}."))?;
    tauri::async_runtime::set(runtime.handle().clone());
    let inside = runtime.enter();
    let (page, code) = match runtime.block_on(open_desk(&args, &data)) {
        Ok(desk) => (Page::Screens(desk), ExitCode::SUCCESS),
        Err(sentence) => {
            complain(&sentence);
            (Page::Sentence(sentence), ExitCode::FAILURE)
        }
    };
    let shown = window::show(page, &data);
    drop(inside);
    // A long poll may be under way; it has nothing to say any more.
    runtime.shutdown_background();
    shown.map_err(|error| format!("The window cannot be opened: {error}."))?;
    Ok(code)
}

/// Opens the desk of that folder, signs in where the environment says so, and serves a browser if asked.
async fn open_desk(args: &Args, data: &Path) -> Result<Arc<Desk>, String> {
    let host = WindowHost::open(data.to_path_buf());
    let desk = Desk::open(Arc::new(host), DeskConfig::default()).await;
    let desk = Arc::new(desk.map_err(|fault| sentence(&fault.to_string()))?);
    if let Err(fault) = desk.sign_in_from_env().await {
        // The screens show the form, with the server filled in.
        tracing::warn!(code = %fault.code, "sign-in from the environment");
    }
    if let Some(address) = args.web {
        let web = WebHost::bind(Arc::clone(&desk), address, args.ui.as_deref());
        let web = web.await.map_err(|fault| sentence(&fault.to_string()))?;
        say(&format!("desk-web ready {}", web.address()));
        tokio::spawn(async move {
            // It ends with the program.
            if let Err(fault) = web.serve(std::future::pending()).await {
                tracing::error!(%fault, "the browser's address ended");
            }
        });
    }
    Ok(desk)
}

/// What is wrong, as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>());
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), letters.as_str())
}

/// A line for whoever started us.
pub(crate) fn say(line: &str) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Without this, the toolkit ends the program with a panic that helps nobody.
fn need_display() -> Result<(), String> {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        return Err(
            "There is no display here: start it from a desktop, or in a virtual one with `xvfb-run \
             nightdesk`."
                .to_owned(),
        );
    }
    Ok(())
}

/// Structured lines, for machines and for whoever helps from afar. Never a guest's name, never a token.
fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}

/// Says a sentence to a person at a terminal, beside the log.
fn complain(sentence: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "nightdesk: {sentence}");
}
