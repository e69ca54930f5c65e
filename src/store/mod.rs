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
use alive::Alive;

mod alive;
pub mod drafts;
pub mod journal;
pub mod ledger;
mod open;
pub mod queue;
pub mod recorder;
pub mod records;
pub mod runs;
#[cfg(test)]
mod tests;

/// What may wait to be written.
const WAITING: usize = 4096;

/// What the store cannot do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite refuses.
    #[error("the store on this machine: {0}")]
    Sql(#[from] rusqlite::Error),
    /// What is told to it is gone with the program.
    #[error("{0}")]
    Unkept(String),
    /// More waits to be written than can be held.
    #[error("the disk is too slow: too much waits for the store on this machine")]
    Full,
    /// The thread that writes has ended.
    #[error("the store on this machine is closed")]
    Closed,
}

/// A store. Cheap to clone; nothing is opened before something is told or asked.
#[derive(Clone)]
pub struct Store {
    jobs: SyncSender<Job>,
    shared: Arc<Shared>,
}

struct Shared {
    alive: Alive,
    used: AtomicBool,
    session: Uuid,
    budgets: Mutex<Budgets>,
    notes: Mutex<Vec<String>>,
    /// Why nothing is kept, where it should be.
    unkept: OnceLock<String>,
    /// The person wants writes to be sent although they cannot be written down first.
    sends_unkept: AtomicBool,
    /// Where there is no file, that is said and writes are sent.
    sends_without_file: AtomicBool,
    /// Why a write was not sent, until that was told.
    held: Mutex<Option<String>>,
}

impl Shared {
    /// Why nothing can be written down, where that keeps writes from being sent.
    fn lacks(&self) -> Option<String> {
        self.unkept.get().filter(|_| !self.sends_without_file.load(Ordering::Acquire)).cloned()
    }

    /// What could not be written down is not sent, unless the person wants it.
    fn hold(&self, why: &str) -> bool {
        let is_held = !self.sends_unkept.load(Ordering::Acquire);
        if is_held {
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
        }
        is_held
    }

    /// Keeps a line for the person, once.
    fn note(&self, line: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&line) {
            tracing::warn!(line, "the store");
            notes.push(line);
        }
    }
}

type Tell = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()> + Send>;

enum Job {
    /// Written with others.
    Tell(Tell),
    /// Written or read by itself, once all that was told before is on disk.
    Ask(Box<dyn FnOnce(&mut Connection) + Send>),
    /// The last one.
    Close(SyncSender<()>),
}

impl Store {
    /// The store in this file; in memory, and said, without one.
    pub fn new(file: Option<PathBuf>, now: DateTime<Utc>) -> Store {
        Store::over(file.clone(), move || open::open(file.as_deref(), now))
    }

    /// A store that is gone with the program: nothing is said of that.
    pub fn in_memory() -> Store {
        Store::over(None, || Ok(open::Opened { connection: open::in_memory()?, note: None, unkept: None }))
    }

    fn over(file: Option<PathBuf>, open: impl FnOnce() -> rusqlite::Result<open::Opened> + Send + 'static) -> Store {
        let (jobs, waiting) = mpsc::sync_channel(WAITING);
        let shared = Arc::new(Shared {
            alive: Alive::new(file),
            used: AtomicBool::new(false),
            session: Uuid::new_v4(),
            budgets: Mutex::default(),
            notes: Mutex::default(),
            unkept: OnceLock::new(),
            sends_unkept: AtomicBool::new(false),
            sends_without_file: AtomicBool::new(false),
            held: Mutex::default(),
        });
        let told = shared.clone();
        let started = std::thread::Builder::new().name("store".into()).spawn(move || work(open, &waiting, &told));
        if let Err(error) = started {
            shared.note(format!("no thread for the store: {error}"));
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
    pub fn send_unkept(&self) {
        self.shared.sends_unkept.store(true, Ordering::Release);
    }

    /// Where there is no file to be had, that is said and writes are sent: for who can be asked nothing.
    pub fn send_without_file(&self) {
        self.shared.sends_without_file.store(true, Ordering::Release);
    }

    /// Why a write was not sent: it could not be written down first. Told once.
    pub fn held(&self) -> Option<String> {
        self.shared.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// This run of the program.
    fn session(&self) -> Uuid {
        self.shared.session
    }

    /// What the person should know, each line once: where a file could not be used, or written.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until all that was told is on disk and the file is closed, or for so long; what is told later is lost. Blocks: it is for
    /// the end of the program.
    pub fn close(&self, limit: Duration) {
        if self.shared.used.load(Ordering::Acquire) {
            let (done, written) = mpsc::sync_channel(1);
            if self.jobs.try_send(Job::Close(done)).is_err() || written.recv_timeout(limit).is_err() {
                self.shared.note("not all that was spent could be written down".to_owned());
            }
            self.shared.alive.end();
        }
    }

    fn tell(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static) {
        self.shared.used.store(true, Ordering::Release);
        if let Err(TrySendError::Full(_)) = self.jobs.try_send(Job::Tell(Box::new(job))) {
            self.shared.note("the disk is too slow: not all that was spent could be written down".to_owned());
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.shared.used.store(true, Ordering::Release);
        let (answer, answered) = oneshot::channel();
        let job = Job::Ask(Box::new(move |connection| drop(answer.send(job(connection)))));
        match self.jobs.try_send(job) {
            Ok(()) => Ok(answered.await.map_err(|_| Error::Closed)??),
            Err(TrySendError::Full(_)) => Err(Error::Full),
            Err(TrySendError::Disconnected(_)) => Err(Error::Closed),
        }
    }
}

/// The thread: ends when nobody is left to tell it anything.
fn work(open: impl FnOnce() -> rusqlite::Result<open::Opened>, waiting: &Receiver<Job>, shared: &Shared) {
    let mut next = waiting.recv().ok();
    if next.is_none() {
        return;
    }
    let mut connection = match open() {
        Ok(open::Opened { connection, note, unkept }) => {
            note.into_iter().for_each(|note| shared.note(note));
            unkept.into_iter().for_each(|why| drop(shared.unkept.set(why)));
            connection
        }
        Err(error) => return shared.note(format!("no store on this machine: {error}")),
    };
    while let Some(job) = next.take() {
        match job {
            Job::Ask(job) => job(&mut connection),
            Job::Close(done) => {
                drop(connection);
                let _ = done.send(());
                return;
            }
            Job::Tell(job) => {
                let (written, after) = together(&mut connection, job, waiting);
                if let Err(error) = written {
                    shared.note(format!("not all that was spent could be written down: {error}"));
                }
                next = after;
            }
        }
        next = next.or_else(|| waiting.recv().ok());
    }
}

/// Writes what waits in one transaction, and each job whole or not at all: one that fails takes no other with it. Answers the first
/// failure, and whatever became of the others the first job that wants a transaction of its own.
fn together(connection: &mut Connection, first: Tell, waiting: &Receiver<Job>) -> (rusqlite::Result<()>, Option<Job>) {
    let mut tx = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(error) => return (Err(error), None),
    };
    let mut write = |job: Tell| {
        let item = tx.savepoint()?;
        job(&item)?;
        item.commit()
    };
    let mut written = write(first);
    let after = loop {
        match waiting.try_recv() {
            Ok(Job::Tell(job)) => written = written.and(write(job)),
            other => break other.ok(),
        }
    };
    (written.and(tx.commit()), after)
}

/// A moment in a column of milliseconds.
fn at(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    row.get(column).map(|millis| DateTime::from_timestamp_millis(millis).unwrap_or_default())
}

/// A value as the text of a column.
fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// A value from the text of a column.
fn parsed<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into()))
}
