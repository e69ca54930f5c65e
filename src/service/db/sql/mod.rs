//! The database engine as the service sees it: a connection inside a transaction, statements,
//! parameters, rows and errors. The names are those of rusqlite, and so are the types of values.
//!
//! Never here: what a statement says.

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

mod conn;
mod dialect;
mod params;
mod postgres;
mod postgres_config;
mod postgres_tls;
mod statement;
mod values;
mod write_scope;

pub use conn::{Conn, Transaction};
pub use params::{Params, params_from_iter};
pub use postgres::PostgresConn;
pub use postgres_config::{InvalidPostgresUrl, PostgresConfig};
pub use rusqlite::types::{FromSql, FromSqlError, ToSql, Value, ValueRef};
pub use statement::{Row, Rows, Statement};
pub use values::storable_text;
pub use write_scope::WriteScope;

pub(crate) use params::params;

pub type Result<T, E = SqlError> = std::result::Result<T, E>;

/// Why a statement failed, or its result could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{}", describe_postgres_error(.0))]
    Postgres(#[from] tokio_postgres::Error),
    #[error("{address}: {}{}", describe_postgres_error(.source), advise_on_connecting(.source))]
    Connect {
        address: String,
        source: tokio_postgres::Error,
    },
    /// A statement that PostgreSQL does not accept.
    #[error("{}: {sql}", describe_postgres_error(.source))]
    Statement {
        source: tokio_postgres::Error,
        sql: String,
    },
    /// The connection was lost before the answer to a COMMIT.
    #[error("the server did not confirm a commit: {}", describe_postgres_error(.0))]
    CommitUnknown(tokio_postgres::Error),
    /// The server accepts connections, or statements, and stays silent.
    #[error("{address}: the server accepts connections but does not answer")]
    Silent { address: String },
    /// A statement of the transaction failed, so nothing of it was kept.
    #[error("the transaction was not committed, because one of its statements failed")]
    NotCommitted,
    /// The check of a file in use found damage.
    #[error("the file is damaged: nothing more is written to it")]
    FoundDamaged,
    /// The database thread has ended.
    #[error("the database is closed")]
    Closed,
    /// The certificates that a server is verified by cannot be used.
    #[error("cannot verify the server's certificate: {0}")]
    Certificates(String),
    #[error("rows are copied to PostgreSQL only")]
    CopyToSqlite,
    #[error("cannot wait for the database: {0}")]
    Runtime(#[source] std::io::Error),
    /// Text that should be JSON is not.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The kinds of errors that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbErrorKind {
    /// Another process holds a lock on the file, or the server does not answer; retry later.
    Busy,
    /// Nobody knows whether the transaction was committed.
    CommitUnknown,
    /// The disk is full, or a limit on file sizes (`ulimit -f`) is reached.
    DiskFull,
    /// The file is damaged.
    Corrupt,
    Other,
}

/// What SQLite reports when a file may not grow.
const GROWTH_ERRORS: [i32; 3] = [
    rusqlite::ffi::SQLITE_IOERR_WRITE,
    rusqlite::ffi::SQLITE_IOERR_TRUNCATE,
    rusqlite::ffi::SQLITE_IOERR_SHMSIZE,
];

impl SqlError {
    pub fn kind(&self) -> DbErrorKind {
        match self {
            SqlError::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DbErrorKind::Busy,
                ErrorCode::DiskFull => DbErrorKind::DiskFull,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => DbErrorKind::Corrupt,
                _ if GROWTH_ERRORS.contains(&failure.extended_code) => DbErrorKind::DiskFull,
                _ => DbErrorKind::Other,
            },
            SqlError::Postgres(source)
            | SqlError::Connect { source, .. }
            | SqlError::Statement { source, .. } => {
                match source.code() {
                    None if matches!(self, SqlError::Connect { .. }) || self.is_disconnected() => {
                        DbErrorKind::Busy
                    }
                    None => DbErrorKind::Other,
                    Some(code) => match code.code() {
                        // 57014: canceled, here for the request before, or by the server's own time
                        // limit
                        "40001" | "40P01" | "53300" | "55P03" | "57014" | "57P01" | "57P02"
                        | "57P03" => DbErrorKind::Busy,
                        "53100" => DbErrorKind::DiskFull,
                        "XX001" | "XX002" => DbErrorKind::Corrupt,
                        _ => DbErrorKind::Other,
                    },
                }
            }
            SqlError::Silent { .. } => DbErrorKind::Busy,
            SqlError::FoundDamaged => DbErrorKind::Corrupt,
            SqlError::CommitUnknown(_) => DbErrorKind::CommitUnknown,
            _ => DbErrorKind::Other,
        }
    }

    /// Whether the connection was lost, or the server ended it.
    fn is_disconnected(&self) -> bool {
        match self {
            SqlError::Postgres(source)
            | SqlError::Connect { source, .. }
            | SqlError::Statement { source, .. } => SqlError::is_connection_lost(source),
            _ => false,
        }
    }

    fn is_connection_lost(source: &tokio_postgres::Error) -> bool {
        let is_ended = |code: &SqlState| matches!(code.code(), "57P01" | "57P02" | "57P03");
        let is_lost = || {
            std::error::Error::source(source).is_some_and(|reason| reason.is::<std::io::Error>())
        };
        source.is_closed() || source.code().map_or_else(is_lost, is_ended)
    }

    /// Names the statement, for those who change it.
    fn with_statement(self, sql: &str) -> SqlError {
        match self {
            SqlError::Postgres(source) => SqlError::Statement {
                source,
                sql: sql.to_owned(),
            },
            error => error,
        }
    }
}

/// The message of the server, which is more than that of the driver.
fn describe_postgres_error(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(reply), _) => format!("{} ({})", reply.message(), reply.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// What to do about a connection that cannot be made.
fn advise_on_connecting(error: &tokio_postgres::Error) -> &'static str {
    let reason = describe_postgres_error(error);
    match error.code().map(SqlState::code) {
        Some("28P01" | "28000") => "; check the user and the password",
        Some("3D000") => "; create it with createdb",
        _ if reason.contains("password missing") => {
            "; give it with --database-password-file, PGPASSWORD, ~/.pgpass or GANTRY_DATABASE_URL"
        }
        _ if reason.contains("invalid peer certificate") => {
            "; name the file of its authority with sslrootcert, or accept any certificate with sslmode=require"
        }
        _ => "",
    }
}

impl From<FromSqlError> for SqlError {
    fn from(error: FromSqlError) -> Self {
        SqlError::Sqlite(error.into())
    }
}
