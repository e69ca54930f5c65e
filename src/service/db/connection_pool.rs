//! The threads of the database: one writer, a few readers. Work is sent to them, and callers await the result.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Conn, DbError, Storage, backups, open};

/// How many threads can read a file at the same time.
const READER_THREADS: usize = 3;

const NO_PROGRESS_HANDLER: Option<fn() -> bool> = None;

type DatabaseJob = Box<dyn FnOnce(&mut Connection) + Send>;

/// A queue of work for one or more threads, each with its own connection.
struct ConnectionPool {
    jobs: Sender<DatabaseJob>,
    threads: Vec<JoinHandle<()>>,
}

pub struct Database {
    writer: ConnectionPool,
    readers: Option<ConnectionPool>,
    wal: Option<Arc<WriteAheadLog>>,
}

/// Size of the write-ahead log that triggers a checkpoint.
const WAL_CHECKPOINT_BYTES: u64 = 32 << 20;

/// The write-ahead log of a file. Without forced checkpoints, overlapping reads would keep SQLite from ever resetting it.
struct WriteAheadLog {
    path: PathBuf,
    /// The size at which the next checkpoint is due.
    checkpoint_size: AtomicU64,
}

impl WriteAheadLog {
    /// Checkpoints a large log, waiting for current readers. If one of them does not finish in time, the next attempt is at twice
    /// the size.
    fn checkpoint_if_large(&self, conn: &Conn) -> Result<(), DbError> {
        let limit = self.checkpoint_size.load(Ordering::Relaxed);
        if std::fs::metadata(&self.path).map_or(0, |log| log.len()) > limit {
            let busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            self.checkpoint_size.store(if busy { 2 * limit } else { WAL_CHECKPOINT_BYTES }, Ordering::Relaxed);
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
        let writer = ConnectionPool::start("database writer", vec![open::open_writer(data)?])?;
        let readers = match data {
            Storage::Memory => None, // a database in memory only exists within its connection
            Storage::File(_) => {
                let connections = (0..READER_THREADS).map(|_| open::open_reader(data)).collect::<Result<_, _>>()?;
                Some(ConnectionPool::start("database reader", connections)?)
            }
        };
        let log = match data {
            Storage::Memory => None,
            Storage::File(path) => Some(Arc::new(WriteAheadLog {
                path: backups::path_with_suffix(path, "-wal"),
                checkpoint_size: AtomicU64::new(WAL_CHECKPOINT_BYTES),
            })),
        };
        Ok(Database { writer, readers, wal: log })
    }

    /// Runs `work` on a consistent snapshot of the data. It is interrupted when the caller no longer waits for it, because the
    /// log cannot be reset while somebody reads an old snapshot.
    pub async fn read<T, E>(&self, work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let lane = self.readers.as_ref().unwrap_or(&self.writer);
        let gone = CancellationToken::new();
        let _guard = gone.clone().drop_guard();
        lane.run(move |conn| {
            conn.progress_handler(10_000, Some(move || gone.is_cancelled())).map_err(DbError::from)?;
            let done = conn.transaction().map_err(|error| DbError::from(error).into()).and_then(|tx| work(&tx));
            // the transaction was dropped: it wrote nothing
            conn.progress_handler(0, NO_PROGRESS_HANDLER).map_err(DbError::from)?;
            done
        })
        .await
    }

    /// Runs `work` as the only writer. When it returns, everything it wrote is on disk, or nothing is if it failed.
    pub async fn write<T, E>(&self, work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let log = self.wal.clone();
        self.writer
            .run(move |conn| {
                let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(DbError::from)?;
                let done = work(&tx)?;
                tx.commit().map_err(DbError::from)?;
                if let Some(error) = log.and_then(|log| log.checkpoint_if_large(conn).err()) {
                    tracing::warn!(%error, "the write-ahead log was not checkpointed");
                }
                Ok(done)
            })
            .await
    }

    /// Queues `work` for the writer without waiting for it; errors are only logged.
    pub fn enqueue_write(&self, name: &'static str, work: impl FnOnce(&Conn) -> Result<(), DbError> + Send + 'static) {
        let work: DatabaseJob = Box::new(move |conn| {
            let done = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(DbError::from).and_then(|tx| {
                work(&tx)?;
                Ok(tx.commit()?)
            });
            if let Err(error) = done {
                tracing::error!(%error, name, "a background write failed");
            }
        });
        if self.writer.jobs.send(work).is_err() {
            tracing::error!(name, "the database is closed");
        }
    }

    /// Stops the threads once their work is done; closing the last connection checkpoints the log.
    pub fn close(self) {
        for lane in [self.readers, Some(self.writer)].into_iter().flatten() {
            drop(lane.jobs);
            for thread in lane.threads {
                if thread.join().is_err() {
                    tracing::error!("a database thread panicked");
                }
            }
        }
    }
}

impl ConnectionPool {
    fn start(name: &str, connections: Vec<Connection>) -> Result<ConnectionPool, DbError> {
        let (work, queue) = channel::<DatabaseJob>();
        let queue = Arc::new(Mutex::new(queue));
        let threads = connections
            .into_iter()
            .map(|conn| {
                let queue = queue.clone();
                std::thread::Builder::new().name(name.to_owned()).spawn(move || run_worker(&queue, conn))
            })
            .collect::<Result<_, _>>()?;
        Ok(ConnectionPool { jobs: work, threads })
    }

    async fn run<T, E>(&self, work: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let work: DatabaseJob = Box::new(move |conn| {
            // the caller may be gone; the work is done all the same
            let _ = reply.send(work(conn));
        });
        self.jobs.send(work).map_err(|_| DbError::Closed)?;
        answer.await.map_err(|_| DbError::Closed)?
    }
}

fn run_worker(queue: &Mutex<Receiver<DatabaseJob>>, mut conn: Connection) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        // work that panics is rolled back and loses its own result, but does not end the thread
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut conn))).is_err() {
            tracing::error!("a database operation panicked");
            let _ = conn.progress_handler(0, NO_PROGRESS_HANDLER);
        }
    }
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

    fn count_rows(conn: &Conn) -> Result<i64, DbError> {
        Ok(conn.query_row("SELECT count(*) FROM remembered", [], |row| row.get(0))?)
    }

    /// Writes about one MiB in one transaction.
    async fn write_rows(database: &Database, name: i64) {
        let sql = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 256)
            INSERT INTO remembered SELECT ?1 || '-' || value, zeroblob(4000) FROM n";
        database.write(move |conn| Ok::<_, DbError>(conn.execute(sql, [name])?)).await.unwrap();
    }

    #[tokio::test]
    async fn a_long_read_makes_the_wal_grow_and_once_it_ends_the_wal_is_reset() {
        let (_folder, path, database) = test_database();
        let log = || std::fs::metadata(path.with_extension("db-wal")).unwrap().len() >> 20;
        for nth in 0..24 {
            write_rows(&database, nth).await;
        }
        let alone = log();
        assert!(alone < 8, "the log is checkpointed every few MiB: {alone} MiB");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN").unwrap();
        let seen = count_rows(&other).unwrap();
        for nth in 24..48 {
            write_rows(&database, nth).await;
        }
        assert_eq!(count_rows(&other).unwrap(), seen, "it sees its own snapshot");
        assert!(database.read(count_rows).await.unwrap() > seen, "and others see newer data");
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
        let log = std::fs::metadata(path.with_extension("db-wal")).unwrap().len() >> 20;
        assert!(log < 64, "{log} MiB");
    }

    #[tokio::test]
    async fn a_read_that_nobody_waits_for_is_interrupted() {
        let (_folder, _path, database) = test_database();
        let endless = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT count(*) FROM n";
        let read = || database.read(move |conn| Ok::<i64, DbError>(conn.query_row(endless, [], |row| row.get(0))?));
        for _ in 0..2 * READER_THREADS {
            assert!(tokio::time::timeout(std::time::Duration::from_millis(1), read()).await.is_err());
        }
        assert!(database.read(count_rows).await.is_ok(), "no thread is blocked");
    }
}
