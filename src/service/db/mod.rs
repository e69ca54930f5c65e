//! The only module, with [`super::search`], that knows SQL: its interface is functions over domain
//! types and records. The engine is behind [`sql`].
//!
//! One thread writes (on PostgreSQL a few), and others read: some of them only searches. Each unit
//! of work is one transaction, and a write is on disk before its result is returned. Functions that
//! take a [`Conn`] run inside such a transaction and never begin or end one; batches use a
//! savepoint per item ([`with_savepoint`]).

pub(crate) mod advance;
pub(crate) mod atlas;
pub(crate) mod backups;
pub(crate) mod book;
pub(crate) mod columns;
mod connection_pool;
pub(crate) mod credits;
pub(crate) mod favorites;
mod file_check;
pub(crate) mod idempotency;
pub(crate) mod index_copy;
pub(crate) mod index_import;
pub(crate) mod index_write;
pub(crate) mod invitation_mails;
pub(crate) mod invitations;
mod job_queue;
pub(crate) mod join_codes;
pub(crate) mod members;
pub mod migrate;
pub(crate) mod natural_keys;
pub(crate) mod new_records;
mod open;
mod open_postgres;
pub(crate) mod outbox;
mod pending_charges;
pub(crate) mod project_status;
pub(crate) mod projection;
pub(crate) mod queue;
mod record_json;
pub(crate) mod remembered;
pub(crate) mod replica;
pub(crate) mod secrets;
pub(crate) mod service_clock;
pub(crate) mod signals;
pub(crate) mod skills;
pub mod sql;
mod sqlite_functions;
pub(crate) mod subscriptions;
pub(crate) mod values;
pub(crate) mod views;
pub(crate) mod walls;
pub(crate) mod workspaces;

use std::path::PathBuf;

pub use connection_pool::{Database, PoolLoad};
pub use open::{create_temporary_folder, open_reader, open_writer};
use sql::SqlError;

use crate::schema::VersionError;

pub use sql::{Conn, DbErrorKind};

/// Where the service keeps its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a temporary file that nobody else can open: lost when the service stops.
    Memory,
    /// In an SQLite file: created with sample data if it does not exist, used as is if it contains
    /// a workspace.
    File(PathBuf),
    /// In a PostgreSQL database, which other instances of the service may use at the same time.
    Postgres(Box<sql::PostgresConfig>),
}

impl std::fmt::Display for Storage {
    /// As `--data` names it, without a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Storage::Memory => f.write_str(":memory:"),
            Storage::File(path) => path.display().fmt(f),
            Storage::Postgres(config) => config.fmt(f),
        }
    }
}

/// Runs work in a transaction of its own, outside a service.
pub fn in_transaction<T, E: From<SqlError>>(
    conn: &Conn,
    work: impl FnOnce(&Conn) -> Result<T, E>,
) -> Result<T, E> {
    let tx = conn.begin_write()?;
    let done = work(&tx)?;
    tx.commit()?;
    Ok(done)
}

/// A database error.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// An error of the engine.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The file cannot be created or accessed.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The file is damaged.
    #[error("{} is damaged ({what}) and was not changed; {advice}", path.display())]
    Damaged {
        path: PathBuf,
        /// SQLite's diagnosis.
        what: String,
        /// What the user can do.
        advice: String,
    },
    /// The file does not belong to gantry.
    #[error("{} is not a gantry database: {what}. Nothing was written to it", path.display())]
    Foreign { path: PathBuf, what: String },
    /// Its tables are not those of this version.
    #[error("{}{}", .0, advise_on_version(*.0))]
    Version(#[from] VersionError),
    /// A move to this database was interrupted, or goes on.
    #[error("its data is not complete: run the same gantry migrate again, or use another database")]
    Incomplete,
    /// It was created, but never filled.
    #[error(
        "it has no workspace yet; import permits with gantry import PERMITS --data FILE, or set up a team with gantry team up --data FILE"
    )]
    NoWorkspace,
}

impl DbError {
    pub fn kind(&self) -> DbErrorKind {
        match self {
            DbError::Sql(error) => error.kind(),
            DbError::Damaged { .. } => DbErrorKind::Corrupt,
            _ => DbErrorKind::Other,
        }
    }

    /// What to do about it, behind its message.
    pub fn advice(&self) -> &'static str {
        match self.kind() {
            DbErrorKind::DiskFull => {
                "; free some space, or raise the limit on the size of a file (ulimit -f)"
            }
            _ => "",
        }
    }
}

fn advise_on_version(error: VersionError) -> &'static str {
    match error {
        VersionError::TooOld { .. } => {
            "; export what you need with that build, and import it with this one into a new file or database"
        }
        VersionError::TooNew { .. } => "", // it says what to do
    }
}

/// Runs `work` so that everything it wrote is kept or, if it fails, nothing is: an item of a batch
/// fails by itself.
pub fn with_savepoint<T, E: From<SqlError>>(
    conn: &Conn,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    conn.begin_savepoint()?;
    let done = work();
    if done.is_ok() {
        conn.release_savepoint()?;
    } else if !conn.is_autocommit() {
        // on a full disk SQLite itself rolls back the whole transaction
        conn.undo_savepoint()?;
    }
    done
}
