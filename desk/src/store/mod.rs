//! The local copy: one encrypted SQLite file for one hotel, one writer, several readers.
//!
//! Each table has a file of its own here, and only these files hold SQL about it. Whatever changes
//! the copy does so in one transaction, cursor included, so that a stop at any moment leaves a state
//! that was true (B61, B64).

pub mod booking;
pub(crate) mod columns;
pub mod command;
pub mod copy;
pub mod guest;
pub mod history;
pub mod hotel;
pub mod meta;
pub mod night;
pub mod overlaid;
pub mod rate;
pub mod reservation;
pub mod room;
pub mod room_type;
pub mod room_use;
pub mod staff;

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

/// How long a statement waits for another process or reader.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections that read at the same time.
const READERS: usize = 3;
/// How many statements each connection keeps prepared.
const STATEMENTS: usize = 128;

const STEPS: &[M<'static>] = &[
    M::up(include_str!("../../../migrations/desk/0001_copy.sql")),
    M::up(include_str!("../../../migrations/desk/0002_stays.sql")),
];
const MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// What went wrong with the copy.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// SQLite refused.
    #[error("the local copy could not be read or written")]
    Sqlite(#[from] rusqlite::Error),
    /// The tables could not be brought up to date.
    #[error("the local copy could not be brought up to date")]
    Migration(#[from] rusqlite_migration::Error),
    /// A row holds what this program did not write.
    #[error("the local copy holds what this program does not understand: {0}")]
    Content(String),
    /// The file was written with another key, or is no copy.
    #[error("the local copy at {0} cannot be opened with the key of this desk")]
    WrongKey(PathBuf),
}

impl StoreFault {
    /// Whether a key between tables did not hold at commit: the copy lacks a row that the server
    /// takes for known, so it must be loaded anew.
    pub fn is_broken_key(&self) -> bool {
        matches!(
            self,
            Self::Sqlite(rusqlite::Error::SqliteFailure(fault, _))
                if fault.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY
        )
    }
}

impl From<serde_json::Error> for StoreFault {
    fn from(fault: serde_json::Error) -> Self {
        Self::Content(fault.to_string())
    }
}

/// What comes of work on the store.
pub type Result<T, E = StoreFault> = std::result::Result<T, E>;

/// 32 bytes that encrypt the file.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// A key from the machine's source of randomness.
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        // Without randomness nothing here is safe; there is nothing to fall back on.
        #[allow(
            clippy::expect_used,
            reason = "no operating system leaves this without randomness"
        )]
        getrandom::fill(&mut bytes).expect("the operating system gives no randomness");
        Self(bytes)
    }

    /// As 64 hexadecimal digits, for the keyring.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads what [`Self::to_hex`] wrote.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[place * 2..place * 2 + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The open copy.
pub struct Store {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    reader_free: Condvar,
}

impl Store {
    /// Opens the file, makes it where it is not there, and brings its tables up to date.
    pub fn open(path: &Path, key: &Key) -> Result<Self> {
        let mut writer = connect(path, key)?;
        MIGRATIONS.to_latest(&mut writer)?;
        let readers = (0..READERS)
            .map(|_| {
                let reader = connect(path, key)?;
                reader.pragma_update(None, "query_only", true)?;
                Ok(reader)
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::new(readers),
            reader_free: Condvar::new(),
        })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does all of `work` in one transaction, or nothing of it.
    pub fn write<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.write_with(true, work)
    }

    /// As [`Self::write`], with the keys between tables unchecked: for a copy that is still being
    /// loaded, whose keys are checked at its end.
    pub fn write_unchecked<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.write_with(false, work)
    }

    fn write_with<T, E: From<StoreFault>>(
        &self,
        keys: bool,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        // A panic while writing has rolled back with the transaction: the connection is still good.
        let mut writer = self.writer.lock().unwrap_or_else(|p| p.into_inner());
        let run = |writer: &mut Connection| -> Result<T, E> {
            writer
                .pragma_update(None, "foreign_keys", keys)
                .map_err(StoreFault::from)?;
            let tx = writer
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(StoreFault::from)?;
            let done = work(&tx)?;
            tx.commit().map_err(StoreFault::from)?;
            Ok(done)
        };
        run(&mut writer)
    }

    /// Reads one state of the copy: nothing that is written meanwhile is seen.
    pub fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let reader = Reader {
            connection: Some(self.take_reader()),
            store: self,
        };
        let connection = reader.connection();
        let tx = connection
            .unchecked_transaction()
            .map_err(StoreFault::from)?;
        work(&tx)
    }

    fn take_reader(&self) -> Connection {
        let mut readers = self.readers.lock().unwrap_or_else(|p| p.into_inner());
        loop {
            if let Some(reader) = readers.pop() {
                return reader;
            }
            readers = self
                .reader_free
                .wait(readers)
                .unwrap_or_else(|p| p.into_inner());
        }
    }

    /// Writes everything from the log file beside the copy into the copy itself, after a large load.
    pub fn checkpoint(&self) -> Result<()> {
        let writer = self.writer.lock().unwrap_or_else(|p| p.into_inner());
        writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        writer.execute_batch("PRAGMA optimize")?;
        Ok(())
    }
}

/// A connection on loan; given back also when the work panics.
struct Reader<'a> {
    connection: Option<Connection>,
    store: &'a Store,
}

impl Reader<'_> {
    fn connection(&self) -> &Connection {
        #[allow(clippy::expect_used, reason = "taken only by drop")]
        self.connection
            .as_ref()
            .expect("a reader holds its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            let mut readers = self.store.readers.lock().unwrap_or_else(|p| p.into_inner());
            readers.push(connection);
            self.store.reader_free.notify_one();
        }
    }
}

fn connect(path: &Path, key: &Key) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // A raw key needs no derivation; pragma_update would quote it as a pass phrase.
    connection.execute_batch(&format!("PRAGMA key = \"x'{}'\"", key.to_hex()))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let readable: rusqlite::Result<i64> =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
    if let Err(rusqlite::Error::SqliteFailure(fault, _)) = &readable
        && fault.code == rusqlite::ErrorCode::NotADatabase
    {
        return Err(StoreFault::WrongKey(path.to_owned()));
    }
    readable?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // 64 MiB: the copy of a large hotel stays decrypted in memory.
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn fresh() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("copy.db"), &Key::random()).unwrap();
        (dir, store)
    }

    #[test]
    fn the_file_is_encrypted_and_opens_with_its_key_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("copy.db");
        let key = Key::random();
        let store = Store::open(&path, &key).unwrap();
        store
            .write(|tx| meta::set(tx, "probe", &"Hayashi Tsukiko".to_owned()))
            .unwrap();
        store.checkpoint().unwrap();
        drop(store);
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.starts_with(b"SQLite format 3"));
        assert!(!bytes.windows(7).any(|part| part == b"Hayashi"));
        assert!(matches!(
            Store::open(&path, &Key::random()),
            Err(StoreFault::WrongKey(_))
        ));
        let again = Store::open(&path, &Key::from_hex(&key.to_hex()).unwrap()).unwrap();
        let probe: Option<String> = again.read(|db| meta::get(db, "probe")).unwrap();
        assert_eq!(probe.as_deref(), Some("Hayashi Tsukiko"));
    }

    #[test]
    fn a_refused_transaction_leaves_nothing_and_readers_come_back() {
        let (_dir, store) = fresh();
        let refused: Result<()> = store.write(|tx| {
            meta::set(tx, "probe", &1)?;
            Err(StoreFault::Content("no".to_owned()))
        });
        assert!(refused.is_err());
        for _ in 0..2 * READERS {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                store.read::<(), StoreFault>(|_| panic!("a reader that panics"))
            }));
            assert!(caught.is_err());
        }
        let probe: Option<i64> = store.read(|db| meta::get(db, "probe")).unwrap();
        assert_eq!(probe, None);
    }
}
