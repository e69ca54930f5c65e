//! A read replica: a copy of the database that answers searches and may be a moment behind.
//! Searches that it does not answer are run on the database itself, as if there were none.
//!
//! It has columns in memory of its own: those of the database are as of later transactions, and the
//! two must not mix.
//!
//! Never here: which requests may read it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;

use super::columns::ColumnCache;
use super::connection_pool::{ConnectionPool, PoolLoad};
use super::sql::{PostgresConfig, SqlError};
use super::{Conn, DbError, open_postgres};
use crate::domain::WorkspaceId;
use crate::platform::tasks;
use crate::service::clock::Stopwatch;

/// How many searches run on the replica at the same time, and how many of one workspace.
const REPLICA_THREADS: usize = 3;
const MAX_SEARCHES_PER_WORKSPACE: usize = REPLICA_THREADS - 1;
/// How long a search may take there. Half of the time that a read has is left for the database.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);
/// How long connecting may take: less, so that the log says why there was no answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a replica that did not answer is left alone.
const PAUSE: Duration = Duration::from_secs(10);

pub struct ReadReplica {
    connections: Arc<ReplicaConnections>,
    columns: Arc<ColumnCache>,
}

struct ReplicaConnections {
    config: PostgresConfig,
    /// Connected by the first search that can.
    pool: OnceCell<ConnectionPool>,
    /// When it did not answer last, if it has not answered since.
    silent_since: Mutex<Option<Stopwatch>>,
}

impl ReadReplica {
    pub fn new(mut config: PostgresConfig) -> ReadReplica {
        let limit = config
            .get_connect_timeout()
            .copied()
            .unwrap_or(CONNECT_TIMEOUT);
        config.connect_timeout(limit.min(CONNECT_TIMEOUT));
        let connections = ReplicaConnections {
            config,
            pool: OnceCell::new(),
            silent_since: Mutex::default(),
        };
        ReadReplica {
            connections: Arc::new(connections),
            columns: Arc::default(),
        }
    }

    /// The columns of the index as of the replica.
    pub fn columns(&self) -> Arc<ColumnCache> {
        self.columns.clone()
    }

    /// Runs a search. `None` if the replica does not answer in time, or `failure` says why the
    /// result is no answer.
    pub async fn search<T: Send + 'static, E: From<SqlError> + Send + 'static>(
        &self,
        workspace: WorkspaceId,
        work: impl FnOnce(&Conn) -> Result<T, E> + Send + 'static,
        failure: impl FnOnce(&E) -> Option<String>,
    ) -> Option<Result<T, E>> {
        let connections = &self.connections;
        if connections.is_paused() {
            return None;
        }
        let search = async { Some(connections.pool().await?.read(Some(workspace), work).await) };
        let Ok(done) = tokio::time::timeout(SEARCH_TIMEOUT, search).await else {
            connections.record_silence("a search took too long");
            return None;
        };
        let done = done?;
        match done.as_ref().err().and_then(failure) {
            Some(reason) => {
                connections.record_silence(&reason);
                None
            }
            None => {
                connections.record_answer();
                Some(done)
            }
        }
    }

    /// What the threads do; `None` if there was no connection yet.
    pub fn load(&self) -> Option<PoolLoad> {
        self.connections.pool.get().map(|pool| pool.load("replica"))
    }
}

impl ReplicaConnections {
    /// The connections; `None` if they cannot be made. Whoever waits for them may give up: one
    /// attempt goes on, and others wait for it.
    async fn pool(self: &Arc<Self>) -> Option<&ConnectionPool> {
        if !self.pool.initialized() {
            let this = self.clone();
            let connecting =
                tasks::spawn(
                    async move { this.pool.get_or_try_init(|| this.connect()).await.is_ok() },
                );
            connecting.await.ok()?;
        }
        self.pool.get()
    }

    async fn connect(&self) -> Result<ConnectionPool, ()> {
        if self.is_paused() {
            return Err(());
        }
        let config = self.config.clone();
        let connect = move || -> Result<ConnectionPool, DbError> {
            let open = |_| open_postgres::open_connection(&config);
            let connections = (0..REPLICA_THREADS)
                .map(open)
                .collect::<Result<Vec<_>, _>>()?;
            ConnectionPool::start("replica search", connections, MAX_SEARCHES_PER_WORKSPACE, 0)
        };
        let error = match tasks::run_blocking(connect).await {
            Ok(Ok(pool)) => return Ok(pool),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.record_silence(&error);
        Err(())
    }

    fn is_paused(&self) -> bool {
        let silent = self
            .silent_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        silent.as_ref().is_some_and(|since| since.elapsed() < PAUSE)
    }

    /// Logged once until it answers again.
    fn record_silence(&self, error: &str) {
        let before = self
            .silent_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(Stopwatch::start());
        if before.is_none() {
            tracing::warn!(
                error,
                "the read replica does not answer: searches are run on the database itself"
            );
        }
    }

    fn record_answer(&self) {
        let before = self
            .silent_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if before.is_some() {
            tracing::info!("the read replica answers again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Storage;
    use crate::service::db::open_writer;

    #[tokio::test(start_paused = true)]
    async fn a_search_that_a_replica_does_not_answer_in_time_is_left_to_the_database() {
        let connections = vec![open_writer(&Storage::Memory).unwrap()];
        let pool = ConnectionPool::start("replica search", connections, 1, 0).unwrap();
        let replica = ReadReplica::new("postgres://ann@replica.example/desk".parse().unwrap());
        assert!(replica.connections.pool.set(pool).is_ok());
        let endless = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT count(*) FROM n";
        let search = |conn: &Conn| conn.query_row(endless, [], |row| row.get::<_, i64>(0));
        let began = tokio::time::Instant::now();
        assert!(
            replica
                .search(WorkspaceId(uuid::Uuid::from_u128(1)), search, |_| None)
                .await
                .is_none()
        );
        assert_eq!(began.elapsed(), SEARCH_TIMEOUT);
        assert!(
            replica.connections.is_paused(),
            "and the next one does not wait for it"
        );
    }

    #[tokio::test]
    async fn a_replica_that_cannot_be_reached_answers_nothing_and_is_left_alone_for_a_while() {
        // a port of this machine on which nobody listens
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let replica = ReadReplica::new(format!("postgres://ann@{free}/desk").parse().unwrap());
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        for _ in 0..2 {
            let found = replica
                .search(workspace, |_| Ok::<_, SqlError>(7), |_| None)
                .await;
            assert!(found.is_none());
            assert!(replica.connections.is_paused() && replica.load().is_none());
        }
    }

    #[tokio::test]
    async fn a_replica_that_accepts_and_stays_silent_is_left_to_the_database_and_asked_once_in_a_while()
     {
        let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        mute.set_nonblocking(true).unwrap();
        let url = format!(
            "postgres://ann@{}/desk?connect_timeout=1",
            mute.local_addr().unwrap()
        );
        let replica = ReadReplica::new(url.parse().unwrap());
        let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
        let searches =
            (0..20).map(|_| replica.search(workspace, |_| Ok::<_, SqlError>(7), |_| None));
        let limit = std::time::Duration::from_secs(9); // a read has ten seconds, and the database has not been asked
        let found = tokio::time::timeout(limit, futures_util::future::join_all(searches))
            .await
            .expect("it is given up");
        assert!(found.iter().all(Option::is_none) && replica.connections.is_paused());
        assert!(
            replica
                .search(workspace, |_| Ok::<_, SqlError>(7), |_| None)
                .await
                .is_none()
        );
        let connections: Vec<_> = std::iter::from_fn(|| mute.accept().ok()).collect();
        assert_eq!(connections.len(), 1, "none more for each search");
        for (mut connection, _) in connections {
            connection.set_nonblocking(false).unwrap();
            assert!(
                std::io::Read::read_to_end(&mut connection, &mut Vec::new()).is_ok(),
                "it is closed"
            );
        }
    }
}
