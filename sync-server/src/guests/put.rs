//! `PUT /guests/{id}`: makes a profile or replaces it.

use axum::extract::State;
use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::id::GuestId;
use protocol::request::{CommandAnswer, GuestRequest};
use protocol::row::GuestRow;
use protocol::text::{NAME_CHARS_MAX, NOTE_CHARS_MAX, TextFault, clean, line, required};

use crate::app::AppState;
use crate::db;
use crate::db::command::{Answer, Decision, Work, run};
use crate::error::ApiError;
use crate::web::{CommandRequest, Id};

/// A profile that is fit to be written.
#[derive(Debug)]
pub(crate) struct PutGuest {
    /// The version that the caller read; absent for a new guest.
    read: Option<i64>,
    /// The profile, its version still to be set.
    row: GuestRow,
}

impl PutGuest {
    /// Tidies what was typed. Every fault is named.
    pub(crate) fn new(id: GuestId, request: GuestRequest) -> Result<Self, Problem> {
        let mut problem = Problem::new(Code::Invalid);
        let mut keep = |field: &str, kept: Result<String, TextFault>| match kept {
            Ok(text) => text,
            Err(fault) => {
                let so_far = std::mem::replace(&mut problem, Problem::new(Code::Invalid));
                problem = so_far.field(format!("/{field}"), fault.to_string());
                String::new()
            }
        };
        let name = keep("name", required(&request.name, NAME_CHARS_MAX));
        let notes = keep("notes", clean(&request.notes, NOTE_CHARS_MAX));
        let mut optional = |field: &str, text: Option<String>| {
            let kept = keep(field, line(&text?, NAME_CHARS_MAX));
            (!kept.is_empty()).then_some(kept)
        };
        let email = optional("email", request.email);
        let phone = optional("phone", request.phone);
        let company = optional("company", request.company);
        let language = optional("language", request.language);
        let country = optional("country", request.country);
        if language.as_deref().is_some_and(|code| !letters(code)) {
            problem = problem.field("/language", "two letters, such as es (ISO 639-1)");
        }
        if country.as_deref().is_some_and(|code| !letters(code)) {
            problem = problem.field("/country", "two letters, such as ES (ISO 3166-1)");
        }
        if !problem.fields.is_empty() {
            return Err(problem);
        }
        Ok(Self {
            read: request.version,
            row: GuestRow {
                id,
                version: 0,
                name,
                email,
                phone,
                company,
                language: language.map(|code| code.to_ascii_lowercase()),
                country: country.map(|code| code.to_ascii_uppercase()),
                notes,
                vip: request.vip,
                erased: false,
            },
        })
    }
}

fn letters(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic())
}

impl Decision for PutGuest {
    const VERB: &'static str = "put_guest";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let caller = work.caller;
        let version = match (
            db::guests::version(work.conn(), caller, self.row.id).await?,
            self.read,
        ) {
            (None, None) => 1,
            // Erased, never made, or of somebody whose profiles this caller does not see: a profile is
            // not brought back by writing to it.
            (None, Some(_)) | (Some((_, true)), _) => {
                return Err(ApiError::refused(Code::NotFound));
            }
            (Some(_), None) => return Err(ApiError::refused(Code::AlreadyExists)),
            (Some((now, false)), Some(read)) if now == read => now + 1,
            (Some((now, false)), Some(_)) => {
                return Err(Problem::new(Code::StaleVersion)
                    .facts(serde_json::json!({ "version": now }))
                    .into());
            }
        };
        let row = GuestRow {
            version,
            ..self.row.clone()
        };
        let now = work.now;
        db::guests::put(work.conn(), caller, &row, now).await?;
        work.changed(Change::GuestRef {
            id: row.id,
            version,
        });
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

/// Makes a guest's profile, or replaces it as a whole.
///
/// Without `version` the guest is new; with it, the profile is the one that was read with that
/// version.
#[utoipa::path(
    put,
    path = "/v1/hotels/{hotel}/guests/{id}",
    tag = "guests",
    operation_id = "put_guest",
    params(
        ("hotel" = String, Path, format = Uuid),
        ("id" = String, Path, format = Uuid),
        ("Idempotency-Key" = String, Header, max_length = 128),
    ),
    request_body = GuestRequest,
    responses(
        (status = 200, body = CommandAnswer),
        (status = 409, description = "already_exists, stale_version", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "invalid", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn handler(
    State(app): State<AppState>,
    Id(guest): Id<GuestId>,
    request: CommandRequest<GuestRequest>,
) -> Result<Answer, ApiError> {
    let decision = PutGuest::new(guest, request.body)?;
    run(&app.db, &request.caller, Some(&request.key), &decision).await
}

#[cfg(test)]
mod tests {
    use protocol::role::Role;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::testing::TestApp;

    fn path(guest: Uuid) -> String {
        format!("/guests/{guest}")
    }

    #[tokio::test]
    async fn a_profile_is_made_replaced_and_guarded_by_its_version() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
        let guest = Uuid::now_v7();
        let made: CommandAnswer = ana
            .send(
                "PUT",
                &path(guest),
                json!({"name": " Ana  Müller ", "phone": "+34 600 000 001", "country": "es"}),
            )
            .await
            .ok();
        assert_eq!(made.seq, 1);
        let row: GuestRow = ana.get(&path(guest)).await.ok();
        assert_eq!(
            (row.version, row.name.as_str(), row.country.as_deref()),
            (1, "Ana  Müller", Some("ES"))
        );
        ana.send("PUT", &path(guest), json!({"name": "Twice"}))
            .await
            .refused(Code::AlreadyExists);
        ana.send("PUT", &path(guest), json!({"name": "Old", "version": 7}))
            .await
            .refused(Code::StaleVersion);
        ana.send(
            "PUT",
            &path(Uuid::now_v7()),
            json!({"name": "None", "version": 1}),
        )
        .await
        .refused(Code::NotFound);
        let again: CommandAnswer = ana
            .send("PUT", &path(guest), json!({"name": "New", "version": 1}))
            .await
            .ok();
        assert_eq!(again.seq, 2, "refusals take no number");
        let row: GuestRow = ana.get(&path(guest)).await.ok();
        assert_eq!((row.version, row.phone), (2, None));
        ana.get(&path(Uuid::now_v7())).await.refused(Code::NotFound);
        ana.get("/guests/none").await.refused(Code::NotFound);
    }
}
