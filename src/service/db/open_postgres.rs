//! Opening a PostgreSQL database: its connections and its tables. Never here: the data of SQLite
//! files (see [`super::open`]).

use super::sql::{Conn, PostgresConfig, PostgresConn, Result, SqlError, WriteScope};

/// The migrations: `schema_version` counts how many of them a database has had.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations_postgres/0001_initial.sql"),
    include_str!("migrations_postgres/0002_many_instances.sql"),
    include_str!("migrations_postgres/0003_inlined_functions.sql"),
    include_str!("migrations_postgres/0004_token_workspace.sql"),
];

/// Opens a database for writing, and creates or migrates its tables.
///
/// # Errors
/// If it cannot be reached, or was written by a newer version.
pub fn open_writer(config: &PostgresConfig) -> Result<Conn> {
    let conn = open_connection(config)?;
    migrate(&conn)?;
    Ok(conn)
}

/// Opens another connection to a database whose tables exist.
pub fn open_connection(config: &PostgresConfig) -> Result<Conn> {
    PostgresConn::connect(config.clone()).map(Conn::from_postgres)
}

/// Whoever migrates is the only writer: other instances wait, and find the tables migrated.
fn migrate(conn: &Conn) -> Result<()> {
    let tx = conn.begin_write_in(WriteScope::Setup)?;
    tx.execute_batch("CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)")?;
    let found: Option<i64> =
        tx.query_row("SELECT max(version) FROM schema_version", [], |row| {
            row.get(0)
        })?;
    let (found, known) = (found.unwrap_or(0), MIGRATIONS.len() as i64);
    if found > known {
        return Err(SqlError::TooNew { found, known });
    }
    for (version, sql) in (1i64..).zip(MIGRATIONS).skip(found.max(0) as usize) {
        tx.execute_batch(sql)?;
        tx.execute("INSERT INTO schema_version VALUES (?1)", [version])?;
    }
    tx.commit()
}
