//! The database engine as the service sees it: a connection inside a transaction, statements, parameters, rows and errors. The
//! names are those of rusqlite, and so are the types of values.
//!
//! Never here: what a statement says.

use rusqlite::ErrorCode;

mod conn;
mod params;
mod statement;

pub use conn::{Conn, Transaction};
pub use params::{Params, params_from_iter};
pub use rusqlite::types::{FromSql, FromSqlError, ToSql, Value, ValueRef};
pub use statement::{Row, Rows, Statement};

pub(crate) use params::params;

pub type Result<T, E = SqlError> = std::result::Result<T, E>;

/// Why a statement failed, or its result could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// Text that should be JSON is not.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The kinds of errors that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbErrorKind {
    /// Another process holds a lock on the file; retry later.
    Busy,
    /// The disk is full.
    DiskFull,
    /// The file is damaged.
    Corrupt,
    Other,
}

impl SqlError {
    pub fn kind(&self) -> DbErrorKind {
        let SqlError::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) = self else { return DbErrorKind::Other };
        match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DbErrorKind::Busy,
            ErrorCode::DiskFull => DbErrorKind::DiskFull,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => DbErrorKind::Corrupt,
            _ => DbErrorKind::Other,
        }
    }
}

impl From<FromSqlError> for SqlError {
    fn from(error: FromSqlError) -> Self {
        SqlError::Sqlite(error.into())
    }
}

/// For statements that may return no row.
pub trait OptionalExtension<T> {
    /// `None` instead of the error that there is no row.
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(SqlError::Sqlite(rusqlite::Error::QueryReturnedNoRows)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
