//! The transactions of an import, so short that a service on the same file hardly waits for them.

use std::time::Duration;

use crate::service::clock::Stopwatch;
use crate::service::db::columns;
use crate::service::db::sql::{Conn, Result, Transaction};

/// How long a transaction lasts; other writers of the file wait for it.
const MAX_TIME: Duration = Duration::from_millis(50);
/// The time between two transactions, in which other writers get their turn.
const PAUSE: Duration = Duration::from_millis(2);

pub struct ImportTransaction<'c> {
    conn: &'c Conn,
    transaction: Transaction<'c>,
    age: Stopwatch,
}

impl<'c> ImportTransaction<'c> {
    /// Waits for its turn to write. A transaction that begins as a read would fail when others
    /// write.
    pub fn begin(conn: &'c Conn) -> Result<Self> {
        let transaction = conn.begin_write()?;
        Ok(ImportTransaction {
            conn,
            transaction,
            age: Stopwatch::start(),
        })
    }

    /// Whether it has lasted long enough.
    pub fn is_over(&self) -> bool {
        self.age.elapsed() >= MAX_TIME
    }

    pub fn commit_and_begin(self) -> Result<Self> {
        columns::prune_changes(self.conn)?;
        self.transaction.commit()?;
        std::thread::sleep(PAUSE);
        Self::begin(self.conn)
    }

    /// Goes on in the same transaction, which is not going to be committed.
    pub fn go_on(self) -> Self {
        ImportTransaction {
            age: Stopwatch::start(),
            ..self
        }
    }

    pub fn commit(self) -> Result<()> {
        self.transaction.commit()
    }

    pub fn rollback(self) -> Result<()> {
        self.transaction.rollback()
    }
}
