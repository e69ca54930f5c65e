//! Data that must survive a crash: one SQLite file per profile, in the state directory.
//!
//! A background thread applies jobs in order and batches pending ones into one transaction.
//! Enqueueing never blocks, because callers are on the UI thread. Several consoles may share the
//! file: SQLite allows one writer at a time.
//!
//! | module | contents |
//! |---|---|
//! | [`ledger`] | what each request cost |
//! | [`records`] | records that were paid for |
//! | `record_versions` | what these records were in earlier reads |
//! | [`journal`] | changes and their results |
//! | `handoff` | all of it since some time |
//! | [`drafts`] | text that was typed but not sent |
//! | [`record_lists`] | lists of records and searches, with their rows |
//! | [`cache`] | what was read from the service, of every kind |
//! | `clock_skew` | when it was on the service's clock |
//! | [`cache_owner`] | whose data it is that was read |
//! | [`snoozes`] | signals put aside on this machine |
//! | [`queue`] | the last queue shown, in a separate file |
//!
//! Never here: a request, a screen, a clock (times are arguments), what a price means.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Row, TransactionBehavior};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::budgets::Budgets;
use crate::domain::request_error::RequestError;
use process_lock::ProcessLock;

pub(crate) mod cache;
pub mod cache_owner;
mod clock_skew;
pub(crate) mod descriptions;
pub(crate) mod drafts;
mod handoff;
mod interrupted;
pub(crate) mod journal;
mod journal_rows;
pub(crate) mod ledger;
pub(crate) mod named_searches;
mod open;
mod process_lock;
pub(crate) mod promises;
pub(crate) mod queue;
pub(crate) mod record_lists;
mod record_versions;
pub(crate) mod recorder;
pub(crate) mod records;
pub(crate) mod snoozes;
#[cfg(test)]
mod tests;

/// Maximum number of pending jobs.
const MAX_PENDING_JOBS: usize = 4096;

/// The version of the built-in SQLite.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("local database: {0}")]
    Sql(#[from] rusqlite::Error),
    /// The data is lost when the program ends.
    #[error("{0}")]
    NotPersisted(String),
    /// Too many jobs are pending.
    #[error("the disk is too slow: too many writes to the local database are pending")]
    QueueFull,
    /// The writer thread has ended.
    #[error("the local database is closed")]
    Closed,
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> RequestError {
        RequestError::new_not_sent(error.to_string())
    }
}

/// A store. Cheap to clone; the file is opened on first use.
#[derive(Clone)]
pub struct Store {
    jobs: SyncSender<StoreJob>,
    shared: Arc<StoreState>,
}

struct StoreState {
    process_lock: ProcessLock,
    is_used: AtomicBool,
    session: Uuid,
    budgets: Mutex<Budgets>,
    notices: Mutex<Vec<String>>,
    /// Why changes must not be sent: they could not be journaled.
    blocked: OnceLock<String>,
    /// The person allows writes to be sent without being journaled.
    allows_unjournaled_writes: AtomicBool,
    /// Why a write was not sent, until that has been reported.
    journal_error: Mutex<Option<String>>,
    /// How far the service's clock is ahead, once it has responded.
    clock_skew: Mutex<Option<TimeDelta>>,
}

impl StoreState {
    /// Whether a write is blocked because it could not be journaled; remembers the reason.
    fn block_write(&self, why: &str) -> bool {
        let is_held = !self.allows_unjournaled_writes.load(Ordering::Acquire);
        if is_held {
            *self
                .journal_error
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
        }
        is_held
    }

    /// Adds a notice for the person, once.
    fn add_notice(&self, line: String) {
        let mut notes = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&line) {
            tracing::warn!(line, "store notice");
            notes.push(line);
        }
    }
}

type WriteFn = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()> + Send>;

/// What a write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// The end of the program, however it ends. Until the next synced write, a power failure may
    /// lose it.
    Program,
    /// A power failure: the write waits for the disk.
    Machine,
}

enum StoreJob {
    /// Applied in a batch with others of the same durability.
    Write(Durability, WriteFn),
    /// Applied on its own, once all earlier jobs are on disk.
    Query(Box<dyn FnOnce(&mut Connection) + Send>),
    /// The last job.
    Close(SyncSender<()>),
}

impl Store {
    /// The store in this file; without a file it is in memory and a notice says so.
    pub fn new(file: Option<PathBuf>, now: DateTime<Utc>) -> Store {
        Store::with_opener(file.clone(), move || open::open_store(file.as_deref(), now))
    }

    /// A store that is intentionally in memory, without a notice.
    pub fn in_memory() -> Store {
        Store::with_opener(None, || {
            Ok(open::OpenedStore {
                connection: open::open_in_memory()?,
                notice: None,
                blocked: None,
            })
        })
    }

    fn with_opener(
        file: Option<PathBuf>,
        open: impl FnOnce() -> rusqlite::Result<open::OpenedStore> + Send + 'static,
    ) -> Store {
        let (jobs, waiting) = mpsc::sync_channel(MAX_PENDING_JOBS);
        let shared = Arc::new(StoreState {
            process_lock: ProcessLock::new(file),
            is_used: AtomicBool::new(false),
            session: Uuid::new_v4(),
            budgets: Mutex::default(),
            notices: Mutex::default(),
            blocked: OnceLock::new(),
            allows_unjournaled_writes: AtomicBool::new(false),
            journal_error: Mutex::default(),
            clock_skew: Mutex::default(),
        });
        let told = shared.clone();
        let started = std::thread::Builder::new()
            .name("store".into())
            .spawn(move || run_writer(open, &waiting, &told));
        if let Err(error) = started {
            shared.add_notice(format!("cannot start the database thread: {error}"));
        }
        Store { jobs, shared }
    }

    pub fn set_budgets(&self, budgets: Budgets) {
        *self
            .shared
            .budgets
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = budgets;
    }

    pub fn budgets(&self) -> Budgets {
        *self
            .shared
            .budgets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows writes to be sent without being journaled.
    pub fn allow_unjournaled_writes(&self) {
        self.shared
            .allows_unjournaled_writes
            .store(true, Ordering::Release);
    }

    /// Why a write was not sent: it could not be journaled. Returned once.
    pub fn take_journal_error(&self) -> Option<String> {
        self.shared
            .journal_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Adds a notice for the person, once.
    pub fn add_notice(&self, line: String) {
        self.shared.add_notice(line);
    }

    fn session_id(&self) -> Uuid {
        self.shared.session
    }

    /// Notices for the person, each once: a file that could not be used or written.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(
            &mut *self
                .shared
                .notices
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Waits until all pending jobs are on disk and the file is closed, at most for `limit`; later
    /// jobs are lost. Blocks, because it is called at exit.
    pub fn close(&self, limit: Duration) {
        if self.shared.is_used.load(Ordering::Acquire) {
            let (done, written) = mpsc::sync_channel(1);
            if self.jobs.try_send(StoreJob::Close(done)).is_err()
                || written.recv_timeout(limit).is_err()
            {
                self.shared
                    .add_notice("some spent credits could not be saved".to_owned());
            }
            self.shared.process_lock.release();
        }
    }

    fn enqueue_write(
        &self,
        job: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) {
        self.enqueue_write_as(Durability::Machine, job);
    }

    fn enqueue_write_as(
        &self,
        durability: Durability,
        job: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) {
        self.shared.is_used.store(true, Ordering::Release);
        if let Err(TrySendError::Full(_)) = self
            .jobs
            .try_send(StoreJob::Write(durability, Box::new(job)))
        {
            self.shared.add_notice(
                "the disk is too slow: some spent credits could not be saved".to_owned(),
            );
        }
    }

    async fn query<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.shared.is_used.store(true, Ordering::Release);
        let (answer, answered) = oneshot::channel();
        let job = StoreJob::Query(Box::new(move |connection| {
            drop(answer.send(job(connection)))
        }));
        match self.jobs.try_send(job) {
            Ok(()) => Ok(answered.await.map_err(|_| StoreError::Closed)??),
            Err(TrySendError::Full(_)) => Err(StoreError::QueueFull),
            Err(TrySendError::Disconnected(_)) => Err(StoreError::Closed),
        }
    }
}

/// The writer thread; ends when all senders are gone.
fn run_writer(
    open: impl FnOnce() -> rusqlite::Result<open::OpenedStore>,
    waiting: &Receiver<StoreJob>,
    shared: &StoreState,
) {
    let mut next = waiting.recv().ok();
    if next.is_none() {
        return;
    }
    let mut connection = match open() {
        Ok(open::OpenedStore {
            connection,
            notice,
            blocked,
        }) => {
            notice
                .into_iter()
                .for_each(|notice| shared.add_notice(notice));
            blocked
                .into_iter()
                .for_each(|why| drop(shared.blocked.set(why)));
            connection
        }
        Err(error) => return shared.add_notice(format!("local database unavailable: {error}")),
    };
    // Only a write-ahead log stays consistent without waiting for the disk.
    let has_write_ahead_log = connection
        .pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0))
        .is_ok_and(|mode| mode == "wal");
    let (mut current, mut is_synced) = (Durability::Machine, false);
    while let Some(job) = next.take() {
        let wanted = match &job {
            StoreJob::Write(durability, _) if has_write_ahead_log => *durability,
            StoreJob::Write(..) | StoreJob::Query(_) => Durability::Machine,
            StoreJob::Close(_) => current,
        };
        if wanted != current {
            let level = if wanted == Durability::Machine {
                "FULL"
            } else {
                "NORMAL"
            };
            if connection.pragma_update(None, "synchronous", level).is_ok() {
                current = wanted;
            }
        }
        is_synced |= matches!(job, StoreJob::Write(Durability::Machine, _));
        match job {
            StoreJob::Query(job) => job(&mut connection),
            StoreJob::Close(done) => {
                if has_write_ahead_log && !is_synced {
                    // The log is short, and the next synced write brings it into the file.
                    let _ =
                        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
                }
                drop(connection);
                let _ = done.send(());
                return;
            }
            StoreJob::Write(durability, job) => {
                let (written, after) = write_batch(&mut connection, durability, job, waiting);
                if let Err(error) = written {
                    shared.add_notice(format!("some spent credits could not be saved: {error}"));
                }
                next = after;
            }
        }
        next = next.or_else(|| waiting.recv().ok());
    }
}

/// Applies pending jobs in one transaction, each as a whole or not at all, so that one that fails
/// does not undo the others. Returns the first failure, and the first job that needs its own
/// transaction.
fn write_batch(
    connection: &mut Connection,
    durability: Durability,
    first: WriteFn,
    waiting: &Receiver<StoreJob>,
) -> (rusqlite::Result<()>, Option<StoreJob>) {
    let mut tx = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(error) => return (Err(error), None),
    };
    let mut write = |job: WriteFn| {
        let item = tx.savepoint()?;
        job(&item)?;
        item.commit()
    };
    let mut written = write(first);
    let after = loop {
        match waiting.try_recv() {
            Ok(StoreJob::Write(same, job)) if same == durability => {
                written = written.and(write(job))
            }
            other => break other.ok(),
        }
    };
    (written.and(tx.commit()), after)
}

/// A time from a column of milliseconds.
fn timestamp_column(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    row.get(column)
        .map(|millis| DateTime::from_timestamp_millis(millis).unwrap_or_default())
}

/// A value as JSON text for a column.
fn to_json_text(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// The values of a query's column of JSON text. One that can no longer be read is left out.
fn read_json_column<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let texts = statement.query_map(params, |row| row.get::<_, String>(0))?;
    let values = texts.map(|text| text.map(|text| serde_json::from_str(&text).ok()));
    values.filter_map(Result::transpose).collect()
}

/// A value from a column of JSON text.
fn from_json_text<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}
