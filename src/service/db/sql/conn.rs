//! A connection and its transactions.

use std::ops::Deref;

use super::statement::{Row, Statement};
use super::{Params, Result};

/// A connection inside a transaction.
#[derive(Debug)]
pub struct Conn {
    sqlite: rusqlite::Connection,
}

/// An open transaction: rolled back unless it is committed.
#[derive(Debug)]
pub struct Transaction<'c> {
    conn: &'c Conn,
}

impl Conn {
    pub fn from_sqlite(sqlite: rusqlite::Connection) -> Conn {
        Conn { sqlite }
    }

    /// For what only SQLite has.
    pub fn sqlite(&self) -> &rusqlite::Connection {
        &self.sqlite
    }

    /// The same for settings that exclude statements.
    pub fn sqlite_mut(&mut self) -> &mut rusqlite::Connection {
        &mut self.sqlite
    }

    /// Begins a transaction that sees one state of the data, from its first statement on.
    pub fn begin_read(&self) -> Result<Transaction<'_>> {
        self.execute_batch("BEGIN")?;
        Ok(Transaction { conn: self })
    }

    /// Begins a transaction that writes, when no other does.
    pub fn begin_write(&self) -> Result<Transaction<'_>> {
        self.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Transaction { conn: self })
    }

    /// Lets the transaction see the present state of the data. It must not have written anything.
    pub fn renew_snapshot(&self) -> Result<()> {
        self.execute_batch("COMMIT; BEGIN")
    }

    /// Whether no transaction is open: each statement is one.
    pub fn is_autocommit(&self) -> bool {
        self.sqlite.is_autocommit()
    }

    /// Whether the transaction may have written something.
    pub fn is_writing(&self) -> Result<bool> {
        Ok(!self.is_autocommit() && !self.sqlite.is_readonly("main")?)
    }

    /// Interrupts statements once a condition holds, which is tested now and then.
    pub fn interrupt_when(&mut self, is_over: impl FnMut() -> bool + Send + 'static) -> Result<()> {
        Ok(self.sqlite.progress_handler(10_000, Some(is_over))?)
    }

    /// Undoes [`Conn::interrupt_when`].
    pub fn interrupt_never(&mut self) -> Result<()> {
        const NEVER: Option<fn() -> bool> = None;
        Ok(self.sqlite.progress_handler(0, NEVER)?)
    }

    /// Prepares a statement for one use.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        Ok(Statement::from(self.sqlite.prepare(sql)?))
    }

    /// Prepares a statement that will be needed again.
    pub fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        Ok(Statement::from(self.sqlite.prepare_cached(sql)?))
    }

    /// Runs a statement, and returns how many rows it changed.
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare(sql)?.execute(params)
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        Ok(self.sqlite.execute_batch(sql)?)
    }

    /// Reads the first row of a statement.
    pub fn query_row<T>(&self, sql: &str, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        self.prepare(sql)?.query_row(params, read)
    }
}

impl Transaction<'_> {
    pub fn commit(self) -> Result<()> {
        self.conn.execute_batch("COMMIT")
    }

    pub fn rollback(self) -> Result<()> {
        self.conn.execute_batch("ROLLBACK")
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
        if let Err(error) = self.conn.execute_batch("ROLLBACK") {
            tracing::error!(%error, "a transaction was not rolled back");
        }
    }
}
