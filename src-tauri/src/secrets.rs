//! Token and database key in the keyring of the system; where there is none that works, in memory for
//! this session, and never on disk in clear.
//!
//! A keyring may be missing, locked, or wait for a password in a dialog that nobody sees. So every call
//! happens on a thread of its own with a time limit, and a trial decides once, at the start, whether it
//! can be trusted with anything: reading alone does not show that it will keep what it is given.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// The service under which entries stand.
const SERVICE: &str = "Nightdesk";
/// A person may have to type the keyring's password within this.
const LIMIT: Duration = Duration::from_secs(20);

/// What goes wrong with secrets, as a clause for people.
pub(crate) type Reason = String;

/// Keeps secrets by name.
pub(crate) struct Secrets {
    /// Names several desks of one computer apart.
    scope: String,
    store: Store,
}

enum Store {
    Keyring(Mutex<Sender<Job>>),
    Session {
        secrets: Mutex<HashMap<String, String>>,
        reason: Reason,
    },
}

struct Job {
    account: String,
    what: What,
    answer: Sender<Result<Option<String>, Reason>>,
}

enum What {
    Trial,
    Get,
    Set(String),
    Delete,
}

impl Secrets {
    /// Tries the keyring, for the desk in that data folder.
    pub(crate) fn open(data: &Path) -> Self {
        Self::with(data, LIMIT, keyring_thread())
    }

    fn with(data: &Path, limit: Duration, jobs: Sender<Job>) -> Self {
        let scope = data.display().to_string();
        let trial = ask(&jobs, format!("{scope}#trial"), What::Trial, limit);
        let store = match trial {
            Ok(_) => Store::Keyring(Mutex::new(jobs)),
            Err(reason) => Store::Session {
                secrets: Mutex::default(),
                reason,
            },
        };
        Self { scope, store }
    }

    /// Why secrets are kept for this session only; nothing when the keyring keeps them.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.store {
            Store::Keyring(_) => None,
            Store::Session { reason, .. } => Some(reason),
        }
    }

    /// The secret of that name, if there is one.
    ///
    /// # Errors
    /// The keyring no longer answers.
    pub(crate) fn get(&self, name: &str) -> Result<Option<String>, Reason> {
        match &self.store {
            Store::Keyring(jobs) => self.ask(jobs, name, What::Get),
            Store::Session { secrets, .. } => Ok(locked(secrets).get(name).cloned()),
        }
    }

    /// Keeps a secret.
    ///
    /// # Errors
    /// The keyring no longer answers.
    pub(crate) fn set(&self, name: &str, secret: &str) -> Result<(), Reason> {
        match &self.store {
            Store::Keyring(jobs) => self
                .ask(jobs, name, What::Set(secret.to_owned()))
                .map(|_| ()),
            Store::Session { secrets, .. } => {
                locked(secrets).insert(name.to_owned(), secret.to_owned());
                Ok(())
            }
        }
    }

    /// Forgets a secret. None of that name is as good.
    ///
    /// # Errors
    /// The keyring no longer answers.
    pub(crate) fn delete(&self, name: &str) -> Result<(), Reason> {
        match &self.store {
            Store::Keyring(jobs) => self.ask(jobs, name, What::Delete).map(|_| ()),
            Store::Session { secrets, .. } => {
                locked(secrets).remove(name);
                Ok(())
            }
        }
    }

    fn ask(
        &self,
        jobs: &Mutex<Sender<Job>>,
        name: &str,
        what: What,
    ) -> Result<Option<String>, Reason> {
        ask(&locked(jobs), format!("{}#{name}", self.scope), what, LIMIT)
    }
}

/// The guarded value; a panic elsewhere has not half-changed a map or a channel.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn ask(
    jobs: &Sender<Job>,
    account: String,
    what: What,
    limit: Duration,
) -> Result<Option<String>, Reason> {
    let (answer, answered) = mpsc::channel();
    let gone = || "the keyring's thread has ended".to_owned();
    jobs.send(Job {
        account,
        what,
        answer,
    })
    .map_err(|_| gone())?;
    match answered.recv_timeout(limit) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(format!(
            "the keyring did not answer within {} seconds; it may be waiting to be unlocked",
            limit.as_secs()
        )),
        Err(RecvTimeoutError::Disconnected) => Err(gone()),
    }
}

/// Starts the thread that talks to the keyring.
fn keyring_thread() -> Sender<Job> {
    let (jobs, work) = mpsc::channel::<Job>();
    std::thread::spawn(move || {
        for job in work {
            // Whoever asked may have stopped waiting.
            let _ = job.answer.send(serve(&job.account, &job.what));
        }
    });
    jobs
}

fn serve(account: &str, what: &What) -> Result<Option<String>, Reason> {
    let entry = keyring::Entry::new(SERVICE, account).map_err(|error| in_words(&error))?;
    let result = match what {
        What::Trial => entry
            .set_password("trial")
            .and_then(|()| entry.get_password())
            .and_then(|_| entry.delete_credential())
            .map(|()| None),
        What::Get => entry.get_password().map(Some),
        What::Set(secret) => entry.set_password(secret).map(|()| None),
        What::Delete => entry.delete_credential().map(|()| None),
    };
    match result {
        Err(keyring::Error::NoEntry) => Ok(None),
        other => other.map_err(|error| in_words(&error)),
    }
}

fn in_words(error: &keyring::Error) -> Reason {
    match error {
        keyring::Error::NoDefaultStore => "this computer has no keyring service".to_owned(),
        keyring::Error::NoStorageAccess(_) => "the keyring is locked".to_owned(),
        keyring::Error::PlatformFailure(_) => "the keyring service does not answer".to_owned(),
        _ => "the keyring refused".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A keyring that answers so; the receiving end decides.
    fn with(
        answers: impl Fn(&What) -> Option<Result<Option<String>, Reason>> + Send + 'static,
    ) -> Secrets {
        let (jobs, work) = mpsc::channel::<Job>();
        std::thread::spawn(move || {
            let mut unanswered = Vec::new();
            for job in work {
                match answers(&job.what) {
                    Some(answer) => drop(job.answer.send(answer)),
                    // Dropping it would be an answer of a kind.
                    None => unanswered.push(job),
                }
            }
        });
        Secrets::with(Path::new("/d"), Duration::from_millis(50), jobs)
    }

    #[test]
    fn b82_without_a_keyring_secrets_last_for_the_session_and_it_says_so() {
        let secrets = with(|_| Some(Err("this computer has no keyring service".to_owned())));
        assert_eq!(
            secrets.problem(),
            Some("this computer has no keyring service")
        );
        secrets.set("token", "s").expect("kept in memory");
        assert_eq!(secrets.get("token"), Ok(Some("s".to_owned())));
        secrets.delete("token").expect("forgotten");
        assert_eq!(secrets.get("token"), Ok(None));
    }

    #[test]
    fn b82_a_keyring_that_never_answers_does_not_stop_the_program() {
        let secrets = with(|_| None);
        let problem = secrets.problem().expect("a reason");
        assert!(problem.contains("did not answer"), "{problem}");
        secrets.set("token", "s").expect("kept in memory");
        assert_eq!(secrets.get("token"), Ok(Some("s".to_owned())));
    }

    #[test]
    fn a_keyring_that_works_is_asked_each_time() {
        let secrets = with(|what| match what {
            What::Get => Some(Ok(Some("from the keyring".to_owned()))),
            What::Set(_) => Some(Err("the keyring is locked".to_owned())),
            What::Trial | What::Delete => Some(Ok(None)),
        });
        assert_eq!(secrets.problem(), None);
        assert_eq!(
            secrets.get("token"),
            Ok(Some("from the keyring".to_owned()))
        );
        assert_eq!(
            secrets.set("token", "s"),
            Err("the keyring is locked".to_owned())
        );
    }
}
