//! The threads of the database: one that writes, a few that read. Work is sent to them and its result awaited.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::{Conn, Error, open};
use crate::service::Data;

/// How many threads read a file at the same time.
const READERS: usize = 3;

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A queue of work before one or more threads, each with a connection of its own.
struct Lane {
    work: Sender<Work>,
    threads: Vec<JoinHandle<()>>,
}

/// An open database.
pub struct Database {
    writer: Lane,
    readers: Option<Lane>,
}

impl Database {
    /// Opens the database, makes or migrates its tables and starts its threads.
    ///
    /// # Errors
    /// When it cannot be opened or was written by a later version.
    pub fn open(data: &Data) -> Result<Self, Error> {
        let writer = Lane::start("database writer", vec![open::connect(data)?])?;
        let readers = match data {
            Data::Memory => None, // a database in memory is its one connection
            Data::File(_) => {
                let connections = (0..READERS).map(|_| open::reader(data)).collect::<Result<_, _>>()?;
                Some(Lane::start("database reader", connections)?)
            }
        };
        Ok(Database { writer, readers })
    }

    /// Runs `work` over one unchanging picture of the data.
    ///
    /// # Errors
    /// Those of `work`, and the database's own.
    pub async fn read<T, E>(&self, work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let lane = self.readers.as_ref().unwrap_or(&self.writer);
        lane.run(|conn| {
            let tx = conn.transaction().map_err(Error::from)?;
            work(&tx) // and the transaction is dropped: it wrote nothing
        })
        .await
    }

    /// Runs `work` alone; all that it wrote is on disk when this returns, or, when it failed, nothing is.
    ///
    /// # Errors
    /// Those of `work`, and the database's own.
    pub async fn write<T, E>(&self, work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.writer
            .run(|conn| {
                let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Error::from)?;
                let done = work(&tx)?;
                tx.commit().map_err(Error::from)?;
                Ok(done)
            })
            .await
    }

    /// Has `work` done alone after all that waits already; nobody hears how it went but the log.
    pub fn later(&self, name: &'static str, work: impl FnOnce(&Conn) -> Result<(), Error> + Send + 'static) {
        let work: Work = Box::new(move |conn| {
            let done = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Error::from).and_then(|tx| {
                work(&tx)?;
                Ok(tx.commit()?)
            });
            if let Err(error) = done {
                tracing::error!(%error, name, "work on the database failed");
            }
        });
        if self.writer.work.send(work).is_err() {
            tracing::error!(name, "the database is closed");
        }
    }

    /// Ends the threads once their work is done; the last connection folds the write-ahead log into the file.
    pub fn close(self) {
        for lane in [self.readers, Some(self.writer)].into_iter().flatten() {
            drop(lane.work);
            for thread in lane.threads {
                if thread.join().is_err() {
                    tracing::error!("a thread of the database broke");
                }
            }
        }
    }
}

impl Lane {
    fn start(name: &str, connections: Vec<Connection>) -> Result<Lane, Error> {
        let (work, queue) = channel::<Work>();
        let queue = Arc::new(Mutex::new(queue));
        let threads = connections
            .into_iter()
            .map(|conn| {
                let queue = queue.clone();
                std::thread::Builder::new().name(name.to_owned()).spawn(move || serve(&queue, conn))
            })
            .collect::<Result<_, _>>()?;
        Ok(Lane { work, threads })
    }

    async fn run<T, E>(&self, work: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |conn| {
            // whoever asked may have gone away; the work is done all the same
            let _ = reply.send(work(conn));
        });
        self.work.send(work).map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

fn serve(queue: &Mutex<Receiver<Work>>, mut conn: Connection) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        // a piece of work that panics rolls back and costs its own answer, not the thread
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut conn))).is_err() {
            tracing::error!("a piece of work on the database broke");
        }
    }
}
