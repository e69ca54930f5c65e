//! The threads of the database: one writes (on PostgreSQL a few), a few answer quick reads, and a
//! few others searches. Work is sent to them, and callers await the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::credits::{self, CreditMeter, CreditsExhausted};
use super::file_check::FileCheck;
use super::job_queue::{DatabaseJob, JobQueue};
use super::pending_charges::PendingCharges;
use super::sql::{self, SqlError, WriteScope};
use super::{Conn, DbError, Storage, open};
use crate::domain::WorkspaceId;
use crate::platform::processes::lower_thread_priority;

/// How many quick reads of a file run at the same time.
const READER_THREADS: usize = 2;
/// How many searches of a file run at the same time.
const SEARCH_THREADS: usize = 3;
/// The same for PostgreSQL, and how many writes: its threads mostly wait for the server.
const SHARED_READER_THREADS: usize = 6;
const SHARED_SEARCH_THREADS: usize = 4;
const SHARED_WRITER_THREADS: usize = 6;
/// How many writes of a workspace run at the same time: one writes, and the next one is authorized.
const MAX_WRITES_PER_WORKSPACE: usize = 2;
/// How many threads charge reads on PostgreSQL: no read waits for the writes of a workspace.
const SHARED_CHARGE_THREADS: usize = 2;
/// How much lower the priority of searches is for the operating system: quick reads do not wait for
/// a processor.
pub(super) const SEARCH_NICENESS: i32 = 5;

/// What the threads of a pool do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLoad {
    pub pool: &'static str,
    pub threads: usize,
    pub running: usize,
    pub waiting: usize,
}

/// A queue of work for one or more threads, each with its own connection.
pub(super) struct ConnectionPool {
    queue: Arc<JobQueue>,
    threads: Vec<JoinHandle<()>>,
}

pub struct Database {
    writer: ConnectionPool,
    quick_reads: ConnectionPool,
    searches: ConnectionPool,
    wal: Arc<WriteAheadLog>,
    /// The charges of a file that are still to be written.
    charges: Arc<PendingCharges>,
    /// Writes charges at once, if other instances use the database as well: nothing that they need
    /// is kept here.
    shared_charges: Option<ConnectionPool>,
    check: FileCheck,
}

/// Size of the write-ahead log that triggers a checkpoint, in pages: 32 MiB.
const WAL_CHECKPOINT_PAGES: i64 = 8 << 10;

/// The write-ahead log. Without forced checkpoints, overlapping reads would keep SQLite from ever
/// resetting it.
struct WriteAheadLog {
    /// The size at which the next checkpoint is due.
    checkpoint_pages: AtomicI64,
}

impl WriteAheadLog {
    /// Checkpoints a large log, waiting for current readers. If one of them does not finish in
    /// time, the next attempt is at twice the size.
    fn checkpoint_if_large(&self, conn: &Conn) -> sql::Result<()> {
        if conn.is_postgres() {
            return Ok(());
        }
        let limit = self.checkpoint_pages.load(Ordering::Relaxed);
        let pages: i64 = conn.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
        if pages > limit {
            let busy: bool =
                conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            self.checkpoint_pages.store(
                if busy {
                    2 * limit
                } else {
                    WAL_CHECKPOINT_PAGES
                },
                Ordering::Relaxed,
            );
        }
        Ok(())
    }
}

impl Database {
    /// Opens the database, creates or migrates its tables, and starts its threads.
    ///
    /// # Errors
    /// If it cannot be opened or was written by a newer version.
    pub fn open(data: &Storage) -> Result<Self, DbError> {
        let is_shared = matches!(data, Storage::Postgres(_));
        let (writers, charges, readers, searches) = match is_shared {
            true => (
                SHARED_WRITER_THREADS,
                SHARED_CHARGE_THREADS,
                SHARED_READER_THREADS,
                SHARED_SEARCH_THREADS,
            ),
            false => (1, 0, READER_THREADS, SEARCH_THREADS),
        };
        let workspace_searches = searches - 1;
        let open::OpenedDatabase {
            writers: mut all_writers,
            readers: mut all_readers,
            unchecked,
        } = open::open_connections(data, writers + charges, readers + searches)?;
        let (charges, searches) = (
            all_writers.split_off(writers),
            all_readers.split_off(readers),
        );
        let charge_pool = || ConnectionPool::start("database charge", charges, 1, 0);
        let mut database = Database {
            writer: ConnectionPool::start(
                "database writer",
                all_writers,
                MAX_WRITES_PER_WORKSPACE,
                0,
            )?,
            quick_reads: ConnectionPool::start("database reader", all_readers, readers, 0)?,
            searches: ConnectionPool::start(
                "database search",
                searches,
                workspace_searches,
                SEARCH_NICENESS,
            )?,
            wal: Arc::new(WriteAheadLog {
                checkpoint_pages: AtomicI64::new(WAL_CHECKPOINT_PAGES),
            }),
            charges: Arc::default(),
            shared_charges: is_shared.then(charge_pool).transpose()?,
            check: FileCheck::default(),
        };
        if let Some(path) = unchecked {
            database.check.start(path, database.writer.queue.clone())?;
        }
        Ok(database)
    }

    /// Runs quick `work` on a consistent snapshot of the data. It is interrupted when the caller no
    /// longer waits for it, because the log cannot be reset while somebody reads an old snapshot.
    pub async fn read<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.quick_reads.read(None, work).await
    }

    /// The same for `work` that may take long: it never delays [`Database::read`], and workspaces
    /// take turns.
    pub async fn search<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        workspace: WorkspaceId,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.searches.read(Some(workspace), work).await
    }

    /// Charges a read, unless the limit is reached. The charge counts at once and is written as
    /// soon as the writer is free.
    pub async fn charge(
        &self,
        workspace: WorkspaceId,
        credits: u32,
        now: DateTime<Utc>,
    ) -> sql::Result<Result<(), CreditsExhausted>> {
        if let Some(pool) = &self.shared_charges {
            let gone = CancellationToken::new();
            let _guard = gone.clone().drop_guard();
            let charge = move |conn: &Conn| {
                // nobody gets the answer, so nobody pays for it
                let check = || {
                    if gone.is_cancelled() {
                        Err(SqlError::Closed)
                    } else {
                        Ok(())
                    }
                };
                check()?;
                let tx = conn.begin_write_in(WriteScope::Meter(workspace.0))?;
                let done = credits::charge(&tx, workspace, credits, now)?;
                check()?;
                tx.commit()?;
                Ok(done)
            };
            return pool.write(Some(workspace), charge).await;
        }
        let (charges, writer, damage) = (
            self.charges.clone(),
            self.writer.queue.clone(),
            self.check.damage.clone(),
        );
        self.read(move |tx| {
            let done = charges.charge(tx, workspace, credits, now)?;
            if done == Ok(true) {
                writer.push(None, damage.unless_found(move |conn| charges.write(conn)));
            }
            Ok(done.map(drop))
        })
        .await
    }

    /// Reads the meter of a workspace, with the charges that are still to be written.
    pub async fn read_meter(
        &self,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
    ) -> sql::Result<CreditMeter> {
        let charges = self.charges.clone();
        self.read(move |tx| charges.read_meter(tx, workspace, now))
            .await
    }

    /// Runs `work` as the only writer. When it returns, everything it wrote is on disk, or nothing
    /// is if it failed.
    pub async fn write<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.write_in(WriteScope::All, work).await
    }

    /// The same, as the only writer within a scope.
    pub async fn write_in<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        scope: WriteScope,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.run_write(None, scope, work).await
    }

    /// The same, as the only writer in the workspace that `authorize` returns, which sees the data
    /// before. If that is known to be `expected`, workspaces take turns.
    pub async fn write_workspace<A, T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        expected: Option<WorkspaceId>,
        authorize: impl FnOnce(&Conn) -> Result<(WorkspaceId, A), E> + Send + 'static,
        work: impl FnOnce(&Conn, A) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let work = move |tx: &Conn| {
            let (workspace, authorized) = authorize(tx)?;
            tx.lock_workspace(workspace.0)?;
            work(tx, authorized)
        };
        self.run_write(expected, WriteScope::Unlocked, work).await
    }

    async fn run_write<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        turn: Option<WorkspaceId>,
        scope: WriteScope,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (log, damage) = (self.wal.clone(), self.check.damage.clone());
        self.writer
            .write(turn, move |conn| {
                damage.check()?;
                let tx = conn.begin_write_in(scope)?;
                let done = work(&tx)?;
                tx.commit()?;
                if let Err(error) = log.checkpoint_if_large(conn) {
                    tracing::warn!(%error, "the write-ahead log was not checkpointed");
                }
                Ok(done)
            })
            .await
    }

    /// Queues `work` in a workspace for a writer without waiting for it; errors are only logged.
    pub fn enqueue_write(
        &self,
        name: &'static str,
        workspace: WorkspaceId,
        work: impl FnOnce(&Conn) -> sql::Result<()> + Send + 'static,
    ) {
        let work = self.check.damage.unless_found(move |conn| {
            let done = conn
                .begin_write_in(WriteScope::Workspace(workspace.0))
                .map_err(DbError::from)
                .and_then(|tx| {
                    work(&tx)?;
                    Ok(tx.commit()?)
                });
            if let Err(error) = done {
                tracing::error!(%error, name, "a background write failed");
            }
        });
        if !self.writer.queue.push(None, work) {
            tracing::error!(name, "the database is closed");
        }
    }

    /// What the threads do.
    pub fn loads(&self) -> Vec<PoolLoad> {
        let charges = self.shared_charges.iter().map(|pool| pool.load("charge"));
        [
            self.writer.load("writer"),
            self.quick_reads.load("reader"),
            self.searches.load("search"),
        ]
        .into_iter()
        .chain(charges)
        .collect()
    }

    /// Stops the threads once their work is done; closing the last connection checkpoints the log.
    pub fn close(mut self) {
        self.check.stop();
        let charges = self.charges.clone();
        self.writer.queue.push(
            None,
            self.check
                .damage
                .unless_found(move |conn| charges.write(conn)),
        );
        for mut pool in [self.quick_reads, self.searches, self.writer]
            .into_iter()
            .chain(self.shared_charges)
        {
            pool.queue.close();
            for thread in std::mem::take(&mut pool.threads) {
                if thread.join().is_err() {
                    tracing::error!("a database thread panicked");
                }
            }
        }
    }
}

impl Drop for ConnectionPool {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl ConnectionPool {
    pub(super) fn start(
        name: &str,
        connections: Vec<Conn>,
        max_running: usize,
        niceness: i32,
    ) -> Result<ConnectionPool, DbError> {
        let queue = Arc::new(JobQueue::new(max_running));
        let threads = connections
            .into_iter()
            .map(|conn| {
                let queue = queue.clone();
                std::thread::Builder::new()
                    .name(name.to_owned())
                    .spawn(move || {
                        lower_thread_priority(niceness);
                        run_worker(&queue, conn);
                    })
            })
            .collect::<Result<_, _>>()?;
        Ok(ConnectionPool { queue, threads })
    }

    pub(super) fn load(&self, pool: &'static str) -> PoolLoad {
        let (running, waiting) = self.queue.count_jobs();
        PoolLoad {
            pool,
            threads: self.threads.len(),
            running,
            waiting,
        }
    }

    pub(super) async fn read<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        turn: Option<WorkspaceId>,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let gone = CancellationToken::new();
        let _guard = gone.clone().drop_guard();
        let (reply, answer) = oneshot::channel();
        let job: DatabaseJob = Box::new(move |conn| {
            if gone.is_cancelled() {
                return;
            }
            let run = || {
                conn.interrupt_when(move || gone.is_cancelled())?;
                let done = conn.begin_read().map_err(E::from).and_then(|tx| work(&tx));
                // the transaction was dropped: it wrote nothing
                conn.interrupt_never()?;
                done
            };
            let _ = reply.send(run());
        });
        self.submit(turn, job, answer).await
    }

    async fn write<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        turn: Option<WorkspaceId>,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (reply, answer) = oneshot::channel();
        let job: DatabaseJob = Box::new(move |conn| {
            // the caller may be gone; the work is done all the same
            let _ = reply.send(work(conn));
        });
        self.submit(turn, job, answer).await
    }

    async fn submit<T, E: From<SqlError>>(
        &self,
        turn: Option<WorkspaceId>,
        job: DatabaseJob,
        answer: oneshot::Receiver<Result<T, E>>,
    ) -> Result<T, E> {
        if !self.queue.push(turn, job) {
            return Err(SqlError::Closed.into());
        }
        answer.await.map_err(|_| SqlError::Closed)?
    }
}

fn run_worker(queue: &JobQueue, mut conn: Conn) {
    while queue.run_next(|job| {
        // work that panics is rolled back and loses its own result, but does not end the thread
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(&mut conn))).is_err() {
            tracing::error!("a database operation panicked");
            let _ = conn.interrupt_never();
        }
    }) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_database() -> (tempfile::TempDir, std::path::PathBuf, Database) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let database = Database::open(&Storage::File(path.clone())).unwrap();
        (folder, path, database)
    }

    fn count_rows(conn: &Conn) -> sql::Result<i64> {
        conn.query_row("SELECT count(*) FROM remembered", [], |row| row.get(0))
    }

    /// Writes about one MiB in one transaction.
    async fn write_rows(database: &Database, name: i64) {
        let sql =
            "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 256)
            INSERT INTO remembered SELECT ?1 || '-' || value, zeroblob(4000) FROM n";
        database
            .write(move |conn| conn.execute(sql, [name]))
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_long_read_makes_the_wal_grow_and_once_it_ends_the_wal_is_reset() {
        let (_folder, path, database) = test_database();
        let log = || {
            std::fs::metadata(path.with_extension("db-wal"))
                .unwrap()
                .len()
                >> 20
        };
        for nth in 0..24 {
            write_rows(&database, nth).await;
        }
        let alone = log();
        assert!(
            alone < 8,
            "the log is checkpointed every few MiB: {alone} MiB"
        );
        let other = Conn::from_sqlite(rusqlite::Connection::open(&path).unwrap());
        other.execute_batch("BEGIN").unwrap();
        let seen = count_rows(&other).unwrap();
        for nth in 24..48 {
            write_rows(&database, nth).await;
        }
        assert_eq!(
            count_rows(&other).unwrap(),
            seen,
            "it sees its own snapshot"
        );
        assert!(
            database.read(count_rows).await.unwrap() > seen,
            "and others see newer data"
        );
        let grown = log();
        assert!(grown > 20, "{grown} MiB");
        drop(other);
        for nth in 48..96 {
            write_rows(&database, nth).await;
        }
        assert!(log() <= grown + 8, "{} MiB after {grown}", log());
    }

    #[tokio::test]
    async fn overlapping_short_reads_never_keep_the_wal_from_being_reset() {
        let (_folder, path, database) = test_database();
        let database = Arc::new(database);
        let done = CancellationToken::new();
        let readers: Vec<_> = (0..50)
            .map(|_| {
                let (database, done) = (database.clone(), done.clone());
                tokio::spawn(async move {
                    while !done.is_cancelled() {
                        database.read(count_rows).await.unwrap();
                    }
                })
            })
            .collect();
        for nth in 0..150 {
            write_rows(&database, nth).await;
        }
        done.cancel();
        for reader in readers {
            reader.await.unwrap();
        }
        let log = std::fs::metadata(path.with_extension("db-wal"))
            .unwrap()
            .len()
            >> 20;
        assert!(log < 64, "{log} MiB");
    }

    #[tokio::test]
    async fn nothing_is_written_to_a_file_that_is_known_to_be_damaged_and_reads_are_still_charged()
    {
        let (_folder, path, database) = test_database();
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        database.check.damage.report();
        let write = |conn: &Conn| conn.execute("INSERT INTO remembered VALUES ('a mark', 1)", []);
        assert!(matches!(
            database.write(write).await,
            Err(SqlError::FoundDamaged)
        ));
        database.enqueue_write("a mark", workspace, move |conn| write(conn).map(drop));
        database
            .charge(workspace, 7, Utc::now())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            database
                .read_meter(workspace, Utc::now())
                .await
                .unwrap()
                .used,
            7
        );
        database.close();
        let conn = Conn::from_sqlite(rusqlite::Connection::open(path).unwrap());
        let rows = "SELECT (SELECT count(*) FROM spending) + (SELECT count(*) FROM remembered WHERE name = 'a mark')";
        assert_eq!(
            conn.query_row(rows, [], |row| row.get::<_, i64>(0))
                .unwrap(),
            0
        );
    }

    #[tokio::test]
    async fn searches_never_keep_a_quick_read_waiting_and_one_workspace_leaves_a_thread_to_others()
    {
        let (_folder, _path, database) = test_database();
        let database = Arc::new(database);
        let endless = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT count(*) FROM n";
        let [busy, other] = [1, 2].map(|nth| WorkspaceId(uuid::Uuid::from_u128(nth)));
        let searches: Vec<_> = (0..8)
            .map(|_| {
                let database = database.clone();
                let search =
                    move |conn: &Conn| conn.query_row(endless, [], |row| row.get::<_, i64>(0));
                tokio::spawn(async move { database.search(busy, search).await })
            })
            .collect();
        tokio::task::yield_now().await;
        database.read(count_rows).await.unwrap();
        database.search(other, count_rows).await.unwrap();
        searches.iter().for_each(tokio::task::JoinHandle::abort);
        assert!(
            database.search(busy, count_rows).await.is_ok(),
            "no thread is blocked"
        );
    }

    #[tokio::test]
    async fn a_read_that_nobody_waits_for_is_interrupted() {
        let (_folder, _path, database) = test_database();
        let endless = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT count(*) FROM n";
        let read =
            || database.read(move |conn| conn.query_row(endless, [], |row| row.get::<_, i64>(0)));
        for _ in 0..2 * READER_THREADS {
            assert!(
                tokio::time::timeout(std::time::Duration::from_millis(1), read())
                    .await
                    .is_err()
            );
        }
        assert!(
            database.read(count_rows).await.is_ok(),
            "no thread is blocked"
        );
    }
}
