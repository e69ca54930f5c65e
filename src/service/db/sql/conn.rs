//! A connection and its transactions.

use std::ops::Deref;

use uuid::Uuid;

use super::postgres::{PostgresConn, TransactionKind};
use super::statement::{Row, Rows, Statement};
use super::write_scope::WriteScope;
use super::{Params, Result, SqlError, Value};

/// A connection inside a transaction.
#[derive(Debug)]
pub struct Conn(Engine);

#[derive(Debug)]
enum Engine {
    Sqlite(rusqlite::Connection),
    Postgres(Box<PostgresConn>),
}

/// An open transaction: rolled back unless it is committed.
#[derive(Debug)]
pub struct Transaction<'c> {
    conn: &'c Conn,
}

impl Conn {
    pub fn from_sqlite(sqlite: rusqlite::Connection) -> Conn {
        Conn(Engine::Sqlite(sqlite))
    }

    pub fn from_postgres(postgres: PostgresConn) -> Conn {
        Conn(Engine::Postgres(Box::new(postgres)))
    }

    /// The connection to a file, for what only SQLite has; `None` for PostgreSQL.
    pub fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match &self.0 {
            Engine::Sqlite(sqlite) => Some(sqlite),
            Engine::Postgres(_) => None,
        }
    }

    /// The same for settings that exclude statements.
    pub fn sqlite_mut(&mut self) -> Option<&mut rusqlite::Connection> {
        match &mut self.0 {
            Engine::Sqlite(sqlite) => Some(sqlite),
            Engine::Postgres(_) => None,
        }
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Engine::Postgres(_))
    }

    /// Begins a transaction that sees one state of the data, from its first statement on.
    pub fn begin_read(&self) -> Result<Transaction<'_>> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch("BEGIN")?,
            Engine::Postgres(postgres) => postgres.begin(TransactionKind::Read)?,
        }
        Ok(Transaction { conn: self })
    }

    /// Begins a transaction that writes, when no other does: PostgreSQL waits with its first
    /// statement.
    pub fn begin_write(&self) -> Result<Transaction<'_>> {
        self.begin_write_in(WriteScope::All)
    }

    /// The same, when no other writes within this scope. An SQLite file has one writer, whatever it
    /// writes.
    pub fn begin_write_in(&self, scope: WriteScope) -> Result<Transaction<'_>> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch("BEGIN IMMEDIATE")?,
            Engine::Postgres(postgres) => postgres.begin(TransactionKind::Write(scope))?,
        }
        Ok(Transaction { conn: self })
    }

    /// Waits until nobody else writes in a workspace, for a transaction within
    /// [`WriteScope::Unlocked`].
    pub fn lock_workspace(&self, id: Uuid) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(_) => {}
            Engine::Postgres(postgres) => {
                postgres.defer(&WriteScope::Workspace(id).lock_statements())
            }
        }
        Ok(())
    }

    /// Lets the transaction see the present state of the data. It must not have written anything.
    pub fn renew_snapshot(&self) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch("COMMIT; BEGIN"),
            Engine::Postgres(postgres) => {
                postgres.commit()?;
                postgres.begin(TransactionKind::Read)
            }
        }
    }

    /// Whether no transaction is open: each statement is one.
    pub fn is_autocommit(&self) -> bool {
        match &self.0 {
            Engine::Sqlite(sqlite) => sqlite.is_autocommit(),
            Engine::Postgres(postgres) => postgres.transaction().is_none(),
        }
    }

    /// Whether the transaction may have changed the index. Who writes in a workspace does not, and
    /// nobody else does meanwhile.
    pub fn may_change_index(&self) -> Result<bool> {
        match &self.0 {
            Engine::Sqlite(sqlite) => Ok(!sqlite.is_autocommit() && !sqlite.is_readonly("main")?),
            Engine::Postgres(postgres) => Ok(matches!(
                postgres.transaction(),
                Some(TransactionKind::Write(WriteScope::All | WriteScope::Setup))
            )),
        }
    }

    /// Whether the transaction only reads, all of it one state of the data.
    pub fn is_snapshot(&self) -> bool {
        match &self.0 {
            Engine::Sqlite(sqlite) => !sqlite.is_autocommit(),
            Engine::Postgres(postgres) => postgres.transaction() == Some(TransactionKind::Read),
        }
    }

    /// Interrupts statements once a condition holds, which is tested now and then.
    pub fn interrupt_when(&mut self, is_over: impl FnMut() -> bool + Send + 'static) -> Result<()> {
        match &mut self.0 {
            Engine::Sqlite(sqlite) => sqlite.progress_handler(10_000, Some(is_over))?,
            Engine::Postgres(postgres) => postgres.interrupt_when(is_over),
        }
        Ok(())
    }

    /// Undoes [`Conn::interrupt_when`].
    pub fn interrupt_never(&mut self) -> Result<()> {
        const NEVER: Option<fn() -> bool> = None;
        match &mut self.0 {
            Engine::Sqlite(sqlite) => sqlite.progress_handler(0, NEVER)?,
            Engine::Postgres(postgres) => postgres.interrupt_never(),
        }
        Ok(())
    }

    /// Prepares a statement, which the connection keeps for the next time.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        match &self.0 {
            Engine::Sqlite(sqlite) => Ok(Statement::Sqlite(sqlite.prepare_cached(sql)?)),
            Engine::Postgres(postgres) => Ok(Statement::Postgres(postgres, postgres.prepare(sql)?)),
        }
    }

    /// Runs a statement, and returns how many rows it changed.
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare(sql)?.execute(params)
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(sqlite) => Ok(sqlite.execute_batch(sql)?),
            Engine::Postgres(postgres) => postgres.execute_batch(sql),
        }
    }

    /// Whether a statement finds a row.
    pub fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        self.prepare(sql)?.exists(params)
    }

    /// Reads the first row of a statement.
    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.prepare(sql)?.query_row(params, read)
    }

    /// Reads the first row of a statement, if it finds one.
    pub fn find_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.prepare(sql)?.find_row(params, read)
    }

    /// Reads all rows of a statement.
    pub fn query_rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C> {
        self.prepare(sql)?.query_map(params, read)?.collect()
    }

    /// Copies rows of another connection to a table of PostgreSQL (`table (columns)`), and returns
    /// their number.
    pub fn copy_rows(&self, target: &str, columns: usize, rows: &mut Rows<'_>) -> Result<u64> {
        match &self.0 {
            Engine::Sqlite(_) => Err(SqlError::CopyToSqlite),
            Engine::Postgres(postgres) => postgres.copy_rows(target, columns, rows),
        }
    }

    /// The same for rows in memory.
    pub fn copy_values(&self, target: &str, rows: &[Vec<Value>]) -> Result<u64> {
        match &self.0 {
            Engine::Sqlite(_) => Err(SqlError::CopyToSqlite),
            Engine::Postgres(postgres) => postgres.copy_values(target, rows),
        }
    }

    /// Begins a part of the transaction that can be undone by itself.
    pub fn begin_savepoint(&self) -> Result<()> {
        self.run_soon("SAVEPOINT item")
    }

    /// Keeps what was written since [`Conn::begin_savepoint`].
    pub fn release_savepoint(&self) -> Result<()> {
        self.run_soon("RELEASE item")
    }

    /// Undoes what was written since [`Conn::begin_savepoint`].
    pub fn undo_savepoint(&self) -> Result<()> {
        self.execute_batch("ROLLBACK TO item")?;
        self.release_savepoint()
    }

    /// Runs a statement whose result nobody waits for.
    fn run_soon(&self, sql: &str) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch(sql),
            Engine::Postgres(postgres) => {
                postgres.defer(sql);
                Ok(())
            }
        }
    }

    fn commit(&self) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch("COMMIT"),
            Engine::Postgres(postgres) => postgres.commit(),
        }
    }

    fn rollback(&self) -> Result<()> {
        match &self.0 {
            Engine::Sqlite(_) => self.execute_batch("ROLLBACK"),
            Engine::Postgres(postgres) => postgres.rollback(),
        }
    }
}

impl Transaction<'_> {
    pub fn commit(self) -> Result<()> {
        self.conn.commit()
    }

    pub fn rollback(self) -> Result<()> {
        self.conn.rollback()
    }
}

impl Deref for Transaction<'_> {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        self.conn
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // committed, rolled back, or on a full disk rolled back by the engine
        if self.conn.is_autocommit() {
            return;
        }
        if let Err(error) = self.conn.rollback() {
            tracing::error!(%error, "a transaction was not rolled back");
        }
    }
}
