//! Serving: from the address to the last answer.

use std::future::IntoFuture;
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use sqlx::postgres::PgConnectOptions;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::{AppState, router};
use crate::config::ServeArgs;
use crate::db::{Db, PoolSizes, migrate};
use crate::doors::{self, Doors, Peer};
use crate::jobs;
use crate::observe::Metrics;

/// How long what is being answered may take after a stop was asked for.
const DRAIN_WITHIN: Duration = Duration::from_secs(20);

/// Takes the address before anything else is begun: two servers on one port is the commonest mistake.
pub async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => bail!(
            "{address} is in use: another program listens there (perhaps another sync-server); stop it or give another address with --listen"
        ),
        Err(error) => Err(error).with_context(|| {
            format!("cannot listen on {address}: give another address with --listen")
        }),
    }
}

/// Serves until SIGTERM or SIGINT, then finishes what runs.
pub async fn serve(
    listener: TcpListener,
    connect: &PgConnectOptions,
    args: &ServeArgs,
) -> anyhow::Result<()> {
    migrate::migrate(connect)
        .await
        .context("the database could not be brought up to date")?;
    let sizes = PoolSizes {
        booking: args.booking_connections,
        reads: args.read_connections,
    };
    let db = Db::new(connect, sizes);
    let app = AppState::with_metrics(db.clone(), Metrics::install()?);
    let jobs = jobs::start(&app);
    let address = listener.local_addr()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;

    doors::widen();
    let service = router(app.clone()).into_make_service_with_connect_info::<Peer>();
    let stop = app.stop.clone();
    let server = axum::serve(Doors::new(listener), service)
        .with_graceful_shutdown(async move { stop.asked().await })
        .into_future();
    let mut server = tokio::spawn(server);

    // Whoever started this program waits for the line.
    let mut out = std::io::stdout();
    writeln!(out, "sync-server ready http://{address}")?;
    out.flush()?;
    tracing::info!(%address, "server.ready");

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        ended = &mut server => {
            ended??;
            bail!("the server ended by itself");
        }
    }
    tracing::info!("server.stopping");
    app.stop.ask();
    match tokio::time::timeout(DRAIN_WITHIN, server).await {
        Ok(ended) => ended??,
        Err(_) => tracing::warn!("server.drain_timed_out"),
    }
    drop(jobs);
    // Bounded: a connection that is stuck must not keep the process.
    let _ = tokio::time::timeout(Duration::from_secs(5), db.close()).await;
    tracing::info!("server.stopped");
    Ok(())
}
