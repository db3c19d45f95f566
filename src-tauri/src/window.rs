//! The window itself: one page, which may ask the desk and nothing else.

use std::path::Path;
use std::sync::Arc;

use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Manager as _, RunEvent, WebviewUrl, WebviewWindowBuilder, WindowEvent};

use crate::closing;
use crate::place::Size;

/// Name of the only window; the capability names it too.
const LABEL: &str = "desk";
/// Scheme of the page that says one sentence.
const SENTENCE: &str = "sentence";

/// What the window shows.
pub(crate) enum Page {
    /// The screens, over this desk.
    Screens(Arc<desk::desk::Desk>),
    /// One sentence, because there is no desk to show.
    Sentence(String),
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// The window could not be made.
pub(crate) fn show(page: Page, data: &Path) -> tauri::Result<()> {
    let mut builder = tauri::Builder::default();
    // A sentence keeps nothing: the folder may be the very thing that cannot be used.
    let folder = match page {
        Page::Screens(_) => Some(data.to_path_buf()),
        Page::Sentence(_) => None,
    };
    let url = match page {
        Page::Screens(desk) => {
            builder = builder
                .manage(desk)
                .invoke_handler(tauri::generate_handler![crate::rpc::rpc]);
            WebviewUrl::App("index.html".into())
        }
        Page::Sentence(sentence) => {
            let html = sentence_page(&sentence);
            builder = builder.register_uri_scheme_protocol(SENTENCE, move |_, _| {
                tauri::http::Response::builder()
                    .header("content-type", "text/html; charset=utf-8")
                    .body(html.clone().into_bytes())
                    .unwrap_or_default()
            });
            let url = format!("{SENTENCE}://localhost/")
                .parse()
                .map_err(tauri::Error::InvalidUrl)?;
            WebviewUrl::CustomProtocol(url)
        }
    };
    let kept = folder.clone();
    let app = builder
        .setup(move |app| {
            open(app.handle(), url, kept.as_deref())?;
            tauri::async_runtime::spawn(close_on_signal(app.handle().clone()));
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run_return(move |app, event| match event {
        RunEvent::WindowEvent {
            event: WindowEvent::CloseRequested { .. },
            ..
        } => {
            if let Some(folder) = &folder {
                remember(app, folder);
            }
            closing::begin();
        }
        RunEvent::ExitRequested { .. } | RunEvent::Exit => closing::begin(),
        _ => {}
    });
    Ok(())
}

fn open(app: &AppHandle, url: WebviewUrl, folder: Option<&Path>) -> tauri::Result<()> {
    let size = folder.map_or(Size::FIRST, Size::load);
    let mut window = WebviewWindowBuilder::new(app, LABEL, url)
        .title("Nightdesk")
        .icon(tauri::include_image!("../icons/icon.png"))?
        .inner_size(size.width, size.height)
        .min_inner_size(Size::LEAST.width, Size::LEAST.height)
        .maximized(size.maximized)
        .disable_drag_drop_handler()
        // Our page never leaves itself, whatever a link or a note says.
        .on_navigation(is_ours)
        .on_new_window(|_, _| tauri::webview::NewWindowResponse::Deny)
        .on_page_load(|_, payload| {
            if payload.event() == PageLoadEvent::Finished {
                crate::say("window ready");
            }
        });
    window = match folder {
        // What the page keeps, a theme at most, stays with this desk and not with the user's account.
        Some(folder) => window.data_directory(folder.join("page")),
        None => window.incognito(true),
    };
    window.build()?;
    Ok(())
}

fn is_ours(url: &tauri::Url) -> bool {
    // On Windows the page has an http address; while the screens are written, vite serves them.
    let named = matches!(
        url.host_str(),
        Some("tauri.localhost" | "sentence.localhost")
    );
    let development = tauri::is_dev() && url.host_str() == Some("127.0.0.1");
    matches!(url.scheme(), "tauri" | SENTENCE) || named || development
}

fn remember(app: &AppHandle, data: &Path) {
    let read = || {
        let window = app.get_webview_window(LABEL)?;
        let size = window
            .inner_size()
            .ok()?
            .to_logical::<f64>(window.scale_factor().ok()?);
        let maximized = window.is_maximized().ok()?;
        Some((size, maximized))
    };
    if let Some((size, maximized)) = read() {
        // The size of a maximized window is the screen's; the one before is worth more.
        let before = Size::load(data);
        let size = if maximized {
            Size {
                maximized,
                ..before
            }
        } else {
            Size {
                width: size.width,
                height: size.height,
                maximized,
            }
        };
        size.save(data);
    }
}

/// A request to end from outside is as good as a click on the cross.
async fn close_on_signal(app: AppHandle) {
    wait_for_signal().await;
    closing::begin();
    app.exit(0);
}

#[cfg(unix)]
async fn wait_for_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = Vec::new();
    for kind in [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ] {
        match signal(kind) {
            Ok(signal) => signals.push(signal),
            Err(error) => tracing::warn!(%error, "a signal cannot be waited for"),
        }
    }
    let mut waits: Vec<_> = signals
        .iter_mut()
        .map(|signal| Box::pin(signal.recv()))
        .collect();
    std::future::poll_fn(|context| {
        let any = waits
            .iter_mut()
            .any(|wait| wait.as_mut().poll(context).is_ready());
        if any {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

#[cfg(not(unix))]
async fn wait_for_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A page with one sentence, in the system's colours.
fn sentence_page(sentence: &str) -> String {
    let escaped = sentence.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Nightdesk</title>\
         <style>:root{{color-scheme:light dark}}body{{font:17px/1.5 system-ui,sans-serif;\
         max-width:34em;margin:20vh auto;padding:0 2em}}</style>\
         <h1>Nightdesk</h1><p data-testid=\"sentence\">{escaped}</p></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_cannot_become_markup() {
        let page = sentence_page("the folder <script>x</script> & more");
        assert!(
            page.contains("&lt;script>x&lt;/script> &amp; more"),
            "{page}"
        );
    }
}
