//! `POST /v1/sign-in`.

use std::net::IpAddr;
use std::time::Instant;

use axum::Json;
use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::request::Parts;
use protocol::code::{Code, Problem};
use protocol::request::{SignIn, SignedIn};
use protocol::text::{NAME_CHARS_MAX, line, required};

use super::password::{self, PASSWORD_BYTES_MAX};
use super::token::Token;
use crate::app::AppState;
use crate::db;
use crate::doors::Peer;
use crate::error::ApiError;
use crate::web::JsonBody;

/// How long a session lasts.
const SESSION_DAYS: i32 = 30;

/// Where a request came from, when it came over the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address(Option<IpAddr>);

impl FromRequestParts<AppState> for Address {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        let info = parts.extensions.get::<ConnectInfo<Peer>>();
        Ok(Self(info.map(|ConnectInfo(Peer(address))| address.ip())))
    }
}

/// Lets a colleague in for 30 days and names their hotel.
#[utoipa::path(
    post,
    path = "/v1/sign-in",
    tag = "staff",
    operation_id = "sign_in",
    security(()),
    request_body = SignIn,
    responses(
        (status = 200, body = SignedIn),
        (status = 401, description = "bad_credentials", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "hotel_needed, invalid", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "too_many_requests", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Address(address): Address,
    JsonBody(request): JsonBody<SignIn>,
) -> Result<Json<SignedIn>, ApiError> {
    let name = required(&request.name, NAME_CHARS_MAX)
        .map_err(|fault| Problem::new(Code::Invalid).field("/name", fault.to_string()))?
        .to_lowercase();
    if request.password.len() > PASSWORD_BYTES_MAX {
        let problem = Problem::new(Code::Invalid);
        return Err(problem.field("/password", "at most 200 bytes").into());
    }
    let device_name = request.device_name.as_deref().unwrap_or_default();
    let device_name = line(device_name, 60)
        .map_err(|fault| Problem::new(Code::Invalid).field("/device_name", fault.to_string()))?;
    if !app.throttle.attempt(&name, address, Instant::now()) {
        tracing::warn!(?address, "sign_in.throttled");
        return Err(ApiError::refused(Code::TooManyRequests));
    }
    let (login, slug) = match name.split_once('@') {
        Some((login, slug)) => (login, Some(slug)),
        None => (name.as_str(), None),
    };
    let mut found = db::sessions::find_staff(&app.db.reads, login, slug).await?;
    let several = found.len() > 1;
    let person = found.pop().filter(|_| !several);
    // Nobody by that name costs as much as a wrong password: time must not tell them apart.
    let kept = person.as_ref().map_or_else(
        || app.no_password.to_owned(),
        |person| person.password_hash.clone(),
    );
    let right = verify(&app, request.password, kept).await?;
    if several {
        return Err(ApiError::refused(Code::HotelNeeded));
    }
    let Some(person) = person.filter(|_| right) else {
        return Err(ApiError::refused(Code::BadCredentials));
    };
    app.throttle.succeeded(&name, address);

    let token = Token::random(person.hotel)?;
    if let Some(device) = request.device_id
        && !db::sessions::put_device(&app.db.reads, person.hotel, device, &device_name).await?
    {
        tracing::warn!(hotel = %person.hotel, %device, "sign_in.device_revoked");
        return Err(ApiError::refused(Code::Forbidden));
    }
    let expires_at = db::sessions::open(
        &app.db.reads,
        person.hotel,
        person.staff,
        request.device_id,
        &token.hash(),
        SESSION_DAYS,
    )
    .await?;
    tracing::info!(hotel = %person.hotel, staff = %person.staff, "sign_in.done");
    Ok(Json(SignedIn {
        token: token.text().to_owned(),
        expires_at,
        hotel_id: person.hotel,
        hotel_name: person.hotel_name,
        staff_id: person.staff,
        display_name: person.display_name,
        role: person.role,
    }))
}

/// Argon2 takes 19 MiB and some 20 ms: few at a time, off the async threads.
async fn verify(app: &AppState, password: String, kept: String) -> Result<bool, ApiError> {
    let _place = app.hashing.acquire().await.map_err(|_| ApiError::Busy)?;
    tokio::task::spawn_blocking(move || password::matches(&password, &kept))
        .await
        .map_err(|error| ApiError::Internal(error.into()))
}

#[cfg(test)]
mod tests {
    use protocol::request::Me;
    use protocol::role::Role;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::testing::{Client, TestAnswer, TestApp, small_hotel};

    const PASSWORD: &str = "only for tests";

    async fn sign_in(client: &Client, body: Value) -> TestAnswer {
        client
            .raw("POST", "/v1/sign-in", &[], body.to_string())
            .await
    }

    #[tokio::test]
    async fn a_colleague_comes_in_is_known_and_leaves_at_once() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let mut client = app.stranger(hotel.id);
        let device = Uuid::now_v7();
        let body = json!({"name": " Ana ", "password": PASSWORD, "device_id": device, "device_name": "desk 1"});
        let signed: SignedIn = sign_in(&client, body.clone()).await.ok();
        assert_eq!((signed.hotel_id, signed.role), (hotel.id, Role::FrontDesk));
        client.token = Some(signed.token.clone());
        let me: Me = client.raw("GET", "/v1/me", &[], "").await.ok();
        assert_eq!(
            (me.staff_id, me.device_id),
            (signed.staff_id, Some(device.into()))
        );

        // At rest there is only a hash.
        let kept: Vec<Vec<u8>> = sqlx::query_scalar("SELECT token_hash FROM session")
            .fetch_all(&app.db.reads)
            .await
            .unwrap();
        assert_eq!(kept.len(), 1);
        assert!(!String::from_utf8_lossy(&kept[0]).contains(&signed.token));

        // Out, and at once, on a second server as well once it was told.
        assert_eq!(
            client.raw("POST", "/v1/sign-out", &[], "").await.status,
            204
        );
        client
            .raw("GET", "/v1/me", &[], "")
            .await
            .refused(Code::Unauthenticated);
        client.get("").await.refused(Code::Unauthenticated);
    }

    #[tokio::test]
    async fn expired_dismissed_and_shut_out_sessions_open_nothing() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        for change in [
            "UPDATE session SET expires_at = clock_timestamp()",
            "UPDATE staff SET active = false",
            "UPDATE device SET revoked_at = clock_timestamp()",
        ] {
            let mut client = app.stranger(hotel.id);
            sqlx::query("UPDATE staff SET active = true")
                .execute(&app.db.reads)
                .await
                .unwrap();
            let body = json!({"name": "ana", "password": PASSWORD, "device_id": Uuid::now_v7()});
            let signed: SignedIn = sign_in(&client, body).await.ok();
            client.token = Some(signed.token);
            sqlx::query(change).execute(&app.db.reads).await.unwrap();
            client
                .raw("GET", "/v1/me", &[], "")
                .await
                .refused(Code::Unauthenticated);
        }
    }

    #[tokio::test]
    async fn wrong_names_and_passwords_look_alike_and_are_slowed_down() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let client = app.stranger(hotel.id);
        let wrong = sign_in(&client, json!({"name": "ana", "password": "wrong"})).await;
        let nobody = sign_in(&client, json!({"name": "nobody", "password": "wrong"})).await;
        wrong.refused(Code::BadCredentials);
        assert_eq!(wrong.text, nobody.text);
        for _ in 0..20 {
            sign_in(&client, json!({"name": "ana", "password": "wrong"})).await;
        }
        let slowed = sign_in(&client, json!({"name": "ana", "password": PASSWORD})).await;
        slowed.refused(Code::TooManyRequests);
        assert_eq!(slowed.headers["retry-after"], "1");
    }

    #[tokio::test]
    async fn n12_a_name_known_to_several_hotels_must_say_which() {
        let app = TestApp::start().await;
        let one = app.small_hotel().await;
        let two = app.hotel(&small_hotel("other")).await;
        let client = app.stranger(one.id);
        sign_in(&client, json!({"name": "ana", "password": PASSWORD}))
            .await
            .refused(Code::HotelNeeded);
        let signed: SignedIn = sign_in(&client, json!({"name": "ANA@other", "password": PASSWORD}))
            .await
            .ok();
        assert_eq!(signed.hotel_id, two.id);
        sign_in(&client, json!({"name": "ana@none", "password": PASSWORD}))
            .await
            .refused(Code::BadCredentials);
    }

    #[tokio::test]
    async fn bad_input_is_refused() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let client = app.stranger(hotel.id);
        for (body, code) in [
            ("", Code::Invalid),
            ("nothing", Code::BadRequest),
            ("[]", Code::Invalid),
            (r#"{"name":"ana"}"#, Code::Invalid),
            (r#"{"name":"","password":"x"}"#, Code::Invalid),
            (r#"{"name":"a\u0000","password":"x"}"#, Code::Invalid),
            (r#"{"name":"\ud83d","password":"x"}"#, Code::Invalid),
            (r#"{"name":7,"password":"x"}"#, Code::Invalid),
            (
                r#"{"name":"ana","password":"x","role":"admin"}"#,
                Code::Invalid,
            ),
            (
                r#"{"name":"ana","password":"x","device_id":"1"}"#,
                Code::Invalid,
            ),
        ] {
            client
                .raw("POST", "/v1/sign-in", &[], body)
                .await
                .refused(code);
        }
        let long = json!({"name": "ana", "password": "x".repeat(10_000)});
        sign_in(&client, long).await.refused(Code::Invalid);
        let huge = json!({"name": "ana", "password": "x".repeat(300_000)});
        sign_in(&client, huge).await.refused(Code::TooLarge);
    }
}
