//! The same rpc over loopback HTTP, with the screens beside it: for tests, and for a browser where
//! there is no window.
//!
//! Whoever reaches this port can do what the clerk can. So it binds loopback only; the address holds
//! a random token; and requests are refused whose `Host` or `Origin` is not this one, so that no page
//! of another site can reach it by a name that resolves here.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path as PathParam, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use tower_http::services::ServeDir;

use crate::desk::Desk;
use crate::rpc;

/// The largest request of a screen, in bytes.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// What a page may load and where it may talk to: its own address and nothing else.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; \
    frame-ancestors 'none'; object-src 'none'";

/// Why the address cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebFault {
    /// Another machine could reach it.
    #[error("{0} can be reached from other machines; choose 127.0.0.1 or [::1]")]
    NotLoopback(IpAddr),
    /// The port is taken, for one.
    #[error("{address} cannot be listened on: {fault}. Choose another port, or 0 for any.")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system says.
        fault: std::io::Error,
    },
    /// No screens there.
    #[error("{0} holds no index.html; build the screens first: npm --prefix ui run build")]
    NoScreens(PathBuf),
    /// The connection ended.
    #[error("the loopback address can no longer be served")]
    Serve(#[from] std::io::Error),
}

/// A desk at a loopback address.
pub struct WebHost {
    listener: tokio::net::TcpListener,
    router: Router,
    address: String,
}

#[derive(Clone)]
struct Web {
    desk: Arc<Desk>,
    ui: Option<Arc<PathBuf>>,
    base: Arc<str>,
    hosts: Arc<[String]>,
}

impl WebHost {
    /// Listens; nothing is answered before [`Self::serve`]. Without screens, only the rpc is served.
    pub async fn bind(
        desk: Arc<Desk>,
        listen: SocketAddr,
        ui: Option<&Path>,
    ) -> Result<Self, WebFault> {
        if !listen.ip().is_loopback() {
            return Err(WebFault::NotLoopback(listen.ip()));
        }
        if let Some(ui) = ui
            && !ui.join("index.html").is_file()
        {
            return Err(WebFault::NoScreens(ui.to_owned()));
        }
        let listener = tokio::net::TcpListener::bind(listen)
            .await
            .map_err(|fault| WebFault::Listen {
                address: listen,
                fault,
            })?;
        let bound = listener.local_addr()?;
        let base = format!("/t/{}/", token());
        let web = Web {
            desk,
            ui: ui.map(|ui| Arc::new(ui.to_owned())),
            base: base.clone().into(),
            hosts: hosts(bound).into(),
        };
        Ok(Self {
            router: router(web),
            address: format!("http://{bound}{base}"),
            listener,
        })
    }

    /// The address to open, token included.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers until `end` is ready.
    pub async fn serve(
        self,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), WebFault> {
        // Long polls would hold up the end: they are dropped with the program instead.
        let serving = axum::serve(self.listener, self.router).into_future();
        tokio::select! {
            done = serving => Ok(done?),
            () = end => Ok(()),
        }
    }
}

fn token() -> String {
    crate::store::Key::random().to_hex()[..32].to_owned()
}

fn hosts(bound: SocketAddr) -> Vec<String> {
    let port = bound.port();
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .map(|name| format!("{name}:{port}"))
        .collect()
}

fn router(web: Web) -> Router {
    let base = web.base.trim_end_matches('/').to_owned();
    let mut inside = Router::new().route("/rpc/{method}", post(call));
    if let Some(ui) = &web.ui {
        inside = inside
            .route("/", any(index))
            .nest_service("/assets", ServeDir::new(ui.join("assets")))
            .fallback(file_or_index);
    }
    Router::new()
        .nest(&base, inside)
        // Router::nest leaves the bare prefix with its slash to us.
        .route(&format!("{base}/"), any(index))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(web.clone(), guard))
        .with_state(web)
}

/// Refuses what another site's page may have sent, and says what this one's may do.
async fn guard(State(web): State<Web>, request: Request, next: Next) -> Response {
    if !is_own(request.headers(), &web.hosts) {
        return (StatusCode::FORBIDDEN, "not this address").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed: [(HeaderName, &str); 5] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn is_own(headers: &HeaderMap, hosts: &[String]) -> bool {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let host = text(header::HOST).is_some_and(|host| hosts.iter().any(|own| own == host));
    let origin = text(header::ORIGIN).is_none_or(|origin| {
        origin
            .strip_prefix("http://")
            .is_some_and(|host| hosts.iter().any(|own| own == host))
    });
    let site = headers
        .get("sec-fetch-site")
        .is_none_or(|site| site == "same-origin" || site == "none");
    host && origin && site
}

async fn call(
    State(web): State<Web>,
    PathParam(method): PathParam<String>,
    request: Bytes,
) -> Response {
    let json = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    match rpc::call_bytes(&web.desk, &method, &request).await {
        Ok(answer) => (json, answer).into_response(),
        Err(fault) => {
            let status = StatusCode::from_u16(fault.code.status())
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let body = serde_json::to_vec(&fault).unwrap_or_default();
            (status, json, body).into_response()
        }
    }
}

/// A file of the screens; any other address below ours is a place inside the program.
async fn file_or_index(State(web): State<Web>, request: Request) -> Response {
    let Some(ui) = &web.ui else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut files = ServeDir::new(ui.as_path());
    match tower_service(&mut files, request).await {
        response if response.status() == StatusCode::NOT_FOUND => index(State(web)).await,
        response => response,
    }
}

async fn tower_service(files: &mut ServeDir, request: Request) -> Response {
    match files.try_call(request).await {
        Ok(response) => response.into_response(),
        Err(fault) => {
            tracing::warn!(name = "web.file", %fault);
            StatusCode::NOT_FOUND.into_response()
        }
    }
}

/// The page, told where it lives: its addresses are relative to that, however deep a place is.
async fn index(State(web): State<Web>) -> Response {
    let Some(ui) = &web.ui else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match tokio::fs::read_to_string(ui.join("index.html")).await {
        Ok(page) => {
            let base = format!("<head><base href=\"{}\">", web.base);
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (headers, page.replacen("<head>", &base, 1)).into_response()
        }
        Err(fault) => {
            tracing::error!(name = "web.index", %fault);
            StatusCode::NOT_FOUND.into_response()
        }
    }
}
