//! Letting somebody in: `sync-server staff add`.

use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::id::StaffId;
use protocol::request::CommandAnswer;
use protocol::row::StaffRow;
use uuid::Uuid;

use super::password;
use crate::catalog::spec::{Faults, StaffSpec};
use crate::db::command::{Caller, Decision, Work, run};
use crate::db::{self, Db};
use crate::error::ApiError;

struct AddStaff<'s> {
    id: StaffId,
    person: &'s StaffSpec,
    login: String,
    password_hash: String,
}

impl Decision for AddStaff<'_> {
    const VERB: &'static str = "staff_add";
    type Answer = CommandAnswer;

    async fn decide(&self, work: &mut Work<'_>) -> Result<CommandAnswer, ApiError> {
        let hotel = work.hotel();
        if db::sessions::login_taken(work.conn(), hotel, &self.login).await? {
            let problem = Problem::new(Code::AlreadyExists);
            return Err(problem.field("/login", "somebody has this name").into());
        }
        let new = db::new_hotel::NewStaff {
            id: self.id,
            login: &self.login,
            display_name: &self.person.display_name,
            role: self.person.role,
            password_hash: &self.password_hash,
        };
        db::new_hotel::insert_staff(work.conn(), hotel, &new).await?;
        work.changed(Change::Staff {
            row: StaffRow {
                id: self.id,
                display_name: self.person.display_name.clone(),
                role: self.person.role,
                active: true,
            },
        });
        Ok(CommandAnswer {
            seq: work.seq(),
            reservations: Vec::new(),
        })
    }
}

/// Adds a colleague to the hotel of this short name. Returns a sentence that says so.
pub async fn add(db: &Db, slug: &str, person: &StaffSpec) -> Result<String, ApiError> {
    let mut faults = Faults(Problem::new(Code::Invalid));
    person.check("", &mut faults);
    faults.done()?;
    let hotel = db::new_hotel::hotel_by_slug(&db.reads, slug)
        .await?
        .ok_or_else(|| {
            Problem::new(Code::NotFound).field("/hotel", "no hotel has this short name")
        })?;
    let password = person.password.clone();
    let password_hash = tokio::task::spawn_blocking(move || password::hash(&password))
        .await
        .map_err(anyhow::Error::from)??;
    let decision = AddStaff {
        id: person.id.unwrap_or_else(|| StaffId(Uuid::now_v7())),
        person,
        login: person.login.to_lowercase(),
        password_hash,
    };
    let answer = run(db, &Caller::system(hotel), None, &decision).await?;
    if answer.status >= 400 {
        let problem: Problem = serde_json::from_str(&answer.body).map_err(anyhow::Error::from)?;
        return Err(problem.into());
    }
    Ok(format!(
        "{}@{slug} may sign in as {}",
        decision.login, person.role
    ))
}
