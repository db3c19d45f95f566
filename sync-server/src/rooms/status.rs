//! `POST /rooms/{id}/status`: what housekeeping sees.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::id::RoomId;
use protocol::request::{CommandAnswer, RoomStatusRequest};

use crate::app::AppState;
use crate::db::command::{Answer, Decision, Work, run};
use crate::db::rooms;
use crate::error::ApiError;
use crate::reservations::answer;
use crate::web::{CommandRequest, Id};

/// Sets a room clean, dirty or inspected; whoever is in it.
#[derive(Debug)]
pub(crate) struct SetStatus {
    /// Which.
    pub(crate) room: RoomId,
    /// What is seen.
    pub(crate) body: RoomStatusRequest,
}

impl Decision for SetStatus {
    const VERB: &'static str = "room_status";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let hotel = work.hotel();
        rooms::room(work.conn(), hotel, self.room)
            .await?
            .ok_or_else(|| ApiError::refused(Code::NotFound))?;
        rooms::set_status(work, self.room, self.body.status).await?;
        Ok(answer(work, &[]))
    }
}

/// Writes what housekeeping sees.
#[utoipa::path(
    post,
    path = "/v1/hotels/{hotel}/rooms/{id}/status",
    tag = "rooms",
    operation_id = "set_room_status",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = RoomStatusRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 404, description = "not_found", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "none", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(room): Id<RoomId>,
    request: CommandRequest<RoomStatusRequest>,
) -> Result<Answer, ApiError> {
    let decision = SetStatus {
        room,
        body: request.body,
    };
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use protocol::role::Role;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::reservations::testbed::Bed;

    #[tokio::test]
    async fn housekeeping_says_what_it_sees() {
        let bed = Bed::new().await;
        let hana = bed.app.sign_in(bed.hotel.id, Role::Housekeeping).await;
        let path = format!("/rooms/{}/status", bed.room("101"));
        for status in ["dirty", "inspected", "clean"] {
            let _: CommandAnswer = hana
                .send("POST", &path, json!({"status": status}))
                .await
                .ok();
            assert_eq!(bed.status("101").await, status);
        }
        bed.invalid(
            "POST",
            &path,
            &[
                (json!({}), "/status"),
                (json!({"status": "tidy"}), "/status"),
            ],
        )
        .await;
        let path = format!("/rooms/{}/status", Uuid::now_v7());
        hana.send("POST", &path, json!({"status": "clean"}))
            .await
            .refused(Code::NotFound);
    }
}
