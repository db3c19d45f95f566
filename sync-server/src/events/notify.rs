//! Telling the other servers, and hearing from them.

use std::time::Duration;

use protocol::id::HotelId;
use sqlx::ConnectOptions;
use sqlx::postgres::PgListener;
use uuid::Uuid;

use crate::app::AppState;
use crate::db::events::{self as db, LOG_CHANNEL, SESSIONS_CHANNEL};
use crate::error::ApiError;

/// At most one notice in so long.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait before connecting again.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Tells the other servers which logs have grown, from a connection of its own.
pub(crate) async fn tell_others(app: AppState) {
    loop {
        if let Err(error) = tell(&app).await {
            tracing::warn!(?error, "notify.telling_failed");
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }
}

async fn tell(app: &AppState) -> Result<(), ApiError> {
    // A notice need not survive a crash: whoever missed it polls.
    let mut conn = app
        .db
        .connect
        .as_ref()
        .clone()
        .application_name("nightdesk notify")
        .options([("synchronous_commit", "off")])
        .connect()
        .await?;
    loop {
        let hotels = app.db.wakers.untold().await;
        db::tell(&mut conn, app.server, &hotels).await?;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Hears what the other servers tell.
pub(crate) async fn listen(app: AppState) {
    loop {
        if let Err(error) = hear(&app).await {
            tracing::warn!(error = %error, "notify.listening_failed");
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }
}

async fn hear(app: &AppState) -> Result<(), sqlx::Error> {
    let options = app
        .db
        .connect
        .as_ref()
        .clone()
        .application_name("nightdesk listen");
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.listen_all([LOG_CHANNEL, SESSIONS_CHANNEL]).await?;
    // Whatever was said while nobody listened.
    app.sessions.forget_all();
    loop {
        // `None`: the connection was lost and made again, and notices may be missing.
        let Some(notice) = listener.try_recv().await? else {
            app.sessions.forget_all();
            continue;
        };
        if notice.channel() == SESSIONS_CHANNEL {
            app.sessions.forget_all();
        } else if let Some((teller, hotel)) = notice.payload().split_once(' ')
            && Uuid::try_parse(teller) != Ok(app.server)
            && let Ok(hotel) = hotel.parse::<HotelId>()
        {
            app.db.wakers.wake(hotel);
        }
    }
}
