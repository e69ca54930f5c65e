//! Opening a PostgreSQL database: its connections and its tables. Never here: the data of SQLite
//! files (see [`super::open`]).

use super::DbError;
use super::open::FIRST_VERSION;
use super::sql::{Conn, PostgresConfig, PostgresConn, Result, WriteScope};
use crate::schema;

/// The first creates the tables, the others change them; `schema_version` says which a database has
/// had.
const MIGRATIONS: &[&str] = &[include_str!("migrations_postgres/0001_initial.sql")];

/// Opens a database for writing, and creates or migrates its tables.
///
/// # Errors
/// If it cannot be reached, or was written by a newer version or an unreleased one.
pub fn open_writer(config: &PostgresConfig) -> Result<Conn, DbError> {
    let conn = open_connection(config)?;
    migrate(&conn)?;
    Ok(conn)
}

/// Opens another connection to a database whose tables exist.
pub fn open_connection(config: &PostgresConfig) -> Result<Conn> {
    PostgresConn::connect(config.clone()).map(Conn::from_postgres)
}

/// Whoever migrates is the only writer: other instances wait, and find the tables migrated.
fn migrate(conn: &Conn) -> Result<(), DbError> {
    let tx = conn.begin_write_in(WriteScope::Setup)?;
    tx.execute_batch("CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)")?;
    let sql = "SELECT coalesce(max(version), 0) FROM schema_version";
    let found = tx.query_row(sql, [], |row| row.get(0))?;
    for (version, sql) in schema::pending_migrations(FIRST_VERSION, MIGRATIONS, found)? {
        tx.execute_batch(sql)?;
        tx.execute("INSERT INTO schema_version VALUES (?1)", [version])?;
    }
    Ok(tx.commit()?)
}
