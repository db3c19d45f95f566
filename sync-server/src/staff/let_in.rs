//! `POST /staff/{id}/access`: shutting a colleague or a channel's key out, and letting them in again.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::id::StaffId;
use protocol::request::{CommandAnswer, StaffAccessRequest};

use crate::app::AppState;
use crate::db;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::{CommandRequest, Id};

/// Lets somebody in or shuts them out.
#[derive(Debug)]
struct LetIn {
    staff: StaffId,
    body: StaffAccessRequest,
}

impl Decision for LetIn {
    const VERB: &'static str = "staff_access";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        if self.staff == work.caller.staff && !self.body.active {
            // Whoever shuts themselves out may be the last who could let anybody in.
            return Err(Problem::new(Code::Invalid)
                .field("/active", "nobody shuts themselves out")
                .into());
        }
        let (hotel, now) = (work.hotel(), work.now);
        let row = db::sessions::set_active(work.conn(), hotel, self.staff, self.body.active, now)
            .await?
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        work.changed(Change::Staff { row });
        Ok(answer(work, &[]))
    }
}

/// Shuts a colleague out, or lets them in again.
///
/// Whoever is shut out is signed out everywhere at once, and stays so when let in again: they sign in
/// anew. What they did stays in the log under their name.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/staff/{id}/access",
    tag = "staff",
    operation_id = "set_staff_access",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = StaffAccessRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(staff): Id<StaffId>,
    request: CommandRequest<StaffAccessRequest>,
) -> Result<Answer, ApiError> {
    let decision = LetIn {
        staff,
        body: request.body,
    };
    let answer = run(&app.db, &request.caller, Some(&request.key), &decision).await?;
    app.sessions.forget_all();
    db::sessions::tell_others(&app.db.reads).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use protocol::request::Me;
    use protocol::role::Role;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::testing::TestApp;

    #[tokio::test]
    async fn who_is_shut_out_is_out_at_once_and_signs_in_anew() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let admin = app.sign_in(hotel.id, Role::Admin).await;
        let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
        let who = ana.raw("GET", "/v1/me", &[], "").await.ok::<Me>();
        let path = format!("/staff/{}/access", who.staff_id);
        let _: CommandAnswer = admin
            .send("POST", &path, json!({"active": false}))
            .await
            .ok();
        ana.get("/rooms").await.refused(Code::Unauthenticated);
        let _: CommandAnswer = admin
            .send("POST", &path, json!({"active": true}))
            .await
            .ok();
        ana.get("/rooms").await.refused(Code::Unauthenticated);
    }

    #[tokio::test]
    async fn nobody_shuts_themselves_out_and_nobody_is_nobody() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let admin = app.sign_in(hotel.id, Role::Admin).await;
        let me = admin.raw("GET", "/v1/me", &[], "").await.ok::<Me>();
        let own = format!("/staff/{}/access", me.staff_id);
        let refused = admin
            .send("POST", &own, json!({"active": false}))
            .await
            .refused(Code::Invalid);
        assert_eq!(refused.fields[0].pointer, "/active");
        admin
            .send("POST", &own, json!({"active": "no"}))
            .await
            .refused(Code::Invalid);
        admin
            .send(
                "POST",
                &format!("/staff/{}/access", Uuid::now_v7()),
                json!({"active": false}),
            )
            .await
            .refused(Code::NotFound);
    }
}
