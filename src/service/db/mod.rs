//! The only room, with [`super::search`], that knows SQLite: its public face is functions over domain types and records.
//!
//! One thread writes, a few read; each piece of work is one transaction, and a write is on disk before its answer is known. A
//! database in memory has one thread for both. Functions that take a [`Conn`] run inside such a transaction and never begin or
//! end one; a batch gives each item a [`savepoint`].

pub mod atlas;
pub mod backups;
pub mod book;
mod connection_pool;
pub mod credits;
pub mod favorites;
pub mod idempotency;
pub mod index_import;
pub mod index_write;
pub mod invitations;
pub mod members;
pub mod natural_keys;
pub mod new_records;
mod open;
pub mod outbox;
pub mod project_status;
pub mod queue;
pub mod secrets;
pub mod seed_workspace;
pub mod signals;
pub mod skills;
pub mod subscriptions;
pub mod values;
pub mod views;
pub mod workspaces;

use std::path::{Path, PathBuf};

pub use connection_pool::Database;
pub use open::open_writer;

/// A connection inside a transaction.
pub type Conn = rusqlite::Connection;

/// What went wrong in the database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// SQLite refused.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The file cannot be made.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The file does not hold what was written to it.
    #[error("{} is damaged ({what}) and was left as it is; {advice}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite found.
        what: String,
        /// What to do now.
        advice: String,
    },
    /// The file is not ours.
    #[error("{} is not a gantry database: {what}. Nothing was written to it", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: String,
    },
    /// The file was written by a later version of this program.
    #[error("the file was written by a later version (schema {found}, this one knows {known})")]
    TooNew {
        /// The file's version.
        found: i64,
        /// The last one that this program knows.
        known: i64,
    },
    /// The thread of the database is gone.
    #[error("the database is closed")]
    Closed,
}

/// The kinds of trouble that a caller treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbErrorKind {
    /// Somebody else holds the file; later it will do.
    Busy,
    /// No room to write.
    DiskFull,
    /// The file does not hold what was written to it.
    Corrupt,
    /// Anything else.
    Other,
}

impl DbError {
    /// The same error, with the file and what to do when it is damaged.
    fn with_file(self, path: &Path) -> DbError {
        match self {
            DbError::Damaged { what, .. } => {
                DbError::Damaged { what, advice: backups::recovery_advice(path), path: path.to_owned() }
            }
            error if error.kind() == DbErrorKind::Corrupt => {
                DbError::Damaged { what: error.to_string(), advice: backups::recovery_advice(path), path: path.to_owned() }
            }
            error => error,
        }
    }

    /// Which kind of trouble it is.
    pub fn kind(&self) -> DbErrorKind {
        use rusqlite::ErrorCode;
        match self {
            DbError::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DbErrorKind::Busy,
                ErrorCode::DiskFull => DbErrorKind::DiskFull,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => DbErrorKind::Corrupt,
                _ => DbErrorKind::Other,
            },
            DbError::Damaged { .. } => DbErrorKind::Corrupt,
            _ => DbErrorKind::Other,
        }
    }
}

/// Runs `work` so that all it wrote is kept or, when it fails, none: an item of a batch fails alone.
///
/// # Errors
/// Those of `work`, and the database's own.
pub fn with_savepoint<T, E: From<DbError>>(conn: &Conn, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let sql = |text| conn.execute_batch(text).map_err(|error| E::from(error.into()));
    sql("SAVEPOINT item")?;
    let done = work();
    if done.is_err() {
        if conn.is_autocommit() {
            return done; // without room SQLite itself takes the whole transaction back
        }
        sql("ROLLBACK TO item")?;
    }
    sql("RELEASE item")?;
    done
}
