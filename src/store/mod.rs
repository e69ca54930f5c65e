//! What must outlive a crash on this machine: one SQLite file a profile, in the state directory.
//!
//! A thread of its own writes, in the order in which it was told; what is told while it writes goes into one transaction. Telling
//! never waits: who tells has a screen to draw. Several consoles share a file: SQLite lets one write at a time.
//!
//! | room | what it keeps |
//! |---|---|
//! | [`ledger`] | what each request took |
//! | [`records`] | records that were paid for |
//! | [`journal`] | what the person did, and what became of it |
//! | [`drafts`] | what was typed and not sent |
//! | [`runs`] | searches that were run, and their rows |
//! | [`queue`] | the queue as it stood on the screen last, in a file beside |
//!
//! Never here: a request, a screen, a clock (time comes with what is told), what a price means.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, TransactionBehavior};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::budgets::Budgets;
use process_lock::ProcessLock;

pub mod drafts;
pub mod journal;
pub mod ledger;
mod open;
mod process_lock;
pub mod queue;
pub mod recorder;
pub mod records;
pub mod runs;
#[cfg(test)]
mod tests;

/// What may wait to be written.
const MAX_PENDING_JOBS: usize = 4096;

/// What the store cannot do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refuses.
    #[error("the store on this machine: {0}")]
    Sql(#[from] rusqlite::Error),
    /// What is told to it is gone with the program.
    #[error("{0}")]
    NotPersisted(String),
    /// More waits to be written than can be held.
    #[error("the disk is too slow: too much waits for the store on this machine")]
    QueueFull,
    /// The thread that writes has ended.
    #[error("the store on this machine is closed")]
    Closed,
}

/// A store. Cheap to clone; nothing is opened before something is told or asked.
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
    /// Why nothing is kept, where it should be.
    persistence_error: OnceLock<String>,
    /// The person wants writes to be sent although they cannot be written down first.
    allows_unjournaled_writes: AtomicBool,
    /// Where there is no file, that is said and writes are sent.
    allows_missing_file: AtomicBool,
    /// Why a write was not sent, until that was told.
    journal_error: Mutex<Option<String>>,
}

impl StoreState {
    /// Why nothing can be written down, where that keeps writes from being sent.
    fn blocking_error(&self) -> Option<String> {
        self.persistence_error.get().filter(|_| !self.allows_missing_file.load(Ordering::Acquire)).cloned()
    }

    /// What could not be written down is not sent, unless the person wants it.
    fn block_write(&self, why: &str) -> bool {
        let is_held = !self.allows_unjournaled_writes.load(Ordering::Acquire);
        if is_held {
            *self.journal_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
        }
        is_held
    }

    /// Keeps a line for the person, once.
    fn add_notice(&self, line: String) {
        let mut notes = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&line) {
            tracing::warn!(line, "the store");
            notes.push(line);
        }
    }
}

type WriteFn = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()> + Send>;

enum StoreJob {
    /// Written with others.
    Write(WriteFn),
    /// Written or read by itself, once all that was told before is on disk.
    Query(Box<dyn FnOnce(&mut Connection) + Send>),
    /// The last one.
    Close(SyncSender<()>),
}

impl Store {
    /// The store in this file; in memory, and said, without one.
    pub fn new(file: Option<PathBuf>, now: DateTime<Utc>) -> Store {
        Store::with_opener(file.clone(), move || open::open_store(file.as_deref(), now))
    }

    /// A store that is gone with the program: nothing is said of that.
    pub fn in_memory() -> Store {
        Store::with_opener(None, || {
            Ok(open::OpenedStore { connection: open::open_in_memory()?, notice: None, persistence_error: None })
        })
    }

    fn with_opener(file: Option<PathBuf>, open: impl FnOnce() -> rusqlite::Result<open::OpenedStore> + Send + 'static) -> Store {
        let (jobs, waiting) = mpsc::sync_channel(MAX_PENDING_JOBS);
        let shared = Arc::new(StoreState {
            process_lock: ProcessLock::new(file),
            is_used: AtomicBool::new(false),
            session: Uuid::new_v4(),
            budgets: Mutex::default(),
            notices: Mutex::default(),
            persistence_error: OnceLock::new(),
            allows_unjournaled_writes: AtomicBool::new(false),
            allows_missing_file: AtomicBool::new(false),
            journal_error: Mutex::default(),
        });
        let told = shared.clone();
        let started = std::thread::Builder::new().name("store".into()).spawn(move || run_writer(open, &waiting, &told));
        if let Err(error) = started {
            shared.add_notice(format!("no thread for the store: {error}"));
        }
        Store { jobs, shared }
    }

    /// What may be spent from now on.
    pub fn set_budgets(&self, budgets: Budgets) {
        *self.shared.budgets.lock().unwrap_or_else(PoisonError::into_inner) = budgets;
    }

    /// What may be spent.
    pub fn budgets(&self) -> Budgets {
        *self.shared.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on writes are sent although they cannot be written down first.
    pub fn allow_unjournaled_writes(&self) {
        self.shared.allows_unjournaled_writes.store(true, Ordering::Release);
    }

    /// Where there is no file to be had, that is said and writes are sent: for who can be asked nothing.
    pub fn allow_missing_file(&self) {
        self.shared.allows_missing_file.store(true, Ordering::Release);
    }

    /// Why a write was not sent: it could not be written down first. Told once.
    pub fn take_journal_error(&self) -> Option<String> {
        self.shared.journal_error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// This run of the program.
    fn session_id(&self) -> Uuid {
        self.shared.session
    }

    /// What the person should know, each line once: where a file could not be used, or written.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until all that was told is on disk and the file is closed, or for so long; what is told later is lost. Blocks: it is for
    /// the end of the program.
    pub fn close(&self, limit: Duration) {
        if self.shared.is_used.load(Ordering::Acquire) {
            let (done, written) = mpsc::sync_channel(1);
            if self.jobs.try_send(StoreJob::Close(done)).is_err() || written.recv_timeout(limit).is_err() {
                self.shared.add_notice("not all that was spent could be written down".to_owned());
            }
            self.shared.process_lock.release();
        }
    }

    fn enqueue_write(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static) {
        self.shared.is_used.store(true, Ordering::Release);
        if let Err(TrySendError::Full(_)) = self.jobs.try_send(StoreJob::Write(Box::new(job))) {
            self.shared.add_notice("the disk is too slow: not all that was spent could be written down".to_owned());
        }
    }

    async fn query<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.shared.is_used.store(true, Ordering::Release);
        let (answer, answered) = oneshot::channel();
        let job = StoreJob::Query(Box::new(move |connection| drop(answer.send(job(connection)))));
        match self.jobs.try_send(job) {
            Ok(()) => Ok(answered.await.map_err(|_| StoreError::Closed)??),
            Err(TrySendError::Full(_)) => Err(StoreError::QueueFull),
            Err(TrySendError::Disconnected(_)) => Err(StoreError::Closed),
        }
    }
}

/// The thread: ends when nobody is left to tell it anything.
fn run_writer(open: impl FnOnce() -> rusqlite::Result<open::OpenedStore>, waiting: &Receiver<StoreJob>, shared: &StoreState) {
    let mut next = waiting.recv().ok();
    if next.is_none() {
        return;
    }
    let mut connection = match open() {
        Ok(open::OpenedStore { connection, notice: note, persistence_error: unkept }) => {
            note.into_iter().for_each(|note| shared.add_notice(note));
            unkept.into_iter().for_each(|why| drop(shared.persistence_error.set(why)));
            connection
        }
        Err(error) => return shared.add_notice(format!("no store on this machine: {error}")),
    };
    while let Some(job) = next.take() {
        match job {
            StoreJob::Query(job) => job(&mut connection),
            StoreJob::Close(done) => {
                drop(connection);
                let _ = done.send(());
                return;
            }
            StoreJob::Write(job) => {
                let (written, after) = write_batch(&mut connection, job, waiting);
                if let Err(error) = written {
                    shared.add_notice(format!("not all that was spent could be written down: {error}"));
                }
                next = after;
            }
        }
        next = next.or_else(|| waiting.recv().ok());
    }
}

/// Writes what waits in one transaction, and each job whole or not at all: one that fails takes no other with it. Answers the first
/// failure, and whatever became of the others the first job that wants a transaction of its own.
fn write_batch(
    connection: &mut Connection,
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
            Ok(StoreJob::Write(job)) => written = written.and(write(job)),
            other => break other.ok(),
        }
    };
    (written.and(tx.commit()), after)
}

/// A moment in a column of milliseconds.
fn timestamp_column(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    row.get(column).map(|millis| DateTime::from_timestamp_millis(millis).unwrap_or_default())
}

/// A value as the text of a column.
fn to_json_text(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// A value from the text of a column.
fn from_json_text<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into()))
}
