//! A connection to PostgreSQL, used like one to SQLite: by one thread, which waits for each result.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use futures_util::{SinkExt as _, TryStreamExt as _};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::statement::Rows;
use super::values::{Parameter, encode_copy_value};
use super::write_scope::WriteScope;
use super::{Params, PostgresConfig, Result, SqlError, Value, ValueRef, dialect, postgres_tls};
use crate::platform::tasks;

/// How often it is checked whether a statement is still needed.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);
/// How long a server may take to end a statement that is not needed any more.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// How much of the rows of a COPY is sent at a time.
const COPY_CHUNK_BYTES: usize = 64 << 10;
/// How many statements are kept prepared.
const MAX_STATEMENTS: usize = 512;
/// What every connection is set to. Nobody waits longer for a lock than for that of an SQLite file.
/// The second limit frees the locks of an instance whose machine is gone. Statements are few and
/// run often, so each is planned once, and not for each of its parameters.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '60s'; SET plan_cache_mode = force_generic_plan";

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    Read,
    Write(WriteScope),
}

pub struct PostgresConn {
    runtime: Runtime,
    config: PostgresConfig,
    tls: MakeRustlsConnect,
    session: RefCell<Session>,
    /// The server did not answer on the present connection.
    is_silent: Cell<bool>,
    /// How many connections there were before.
    connections: Cell<u32>,
    statements: RefCell<HashMap<String, Prepared>>,
    transaction: Cell<Option<TransactionKind>>,
    /// The server has heard of the transaction.
    has_begun: Cell<bool>,
    /// Statements that are sent with the next one.
    deferred: RefCell<String>,
    /// A statement of the transaction failed: the server will not commit it.
    has_failed: Cell<bool>,
    is_over: RefCell<Option<IsOver>>,
}

type IsOver = Box<dyn FnMut() -> bool + Send>;

/// A connection, which is closed when it is dropped, even if the server is silent.
struct Session {
    client: Client,
    connection: JoinHandle<()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

/// A prepared statement.
#[derive(Clone)]
pub struct Prepared {
    pub statement: tokio_postgres::Statement,
    sql: Arc<str>,
    /// The number of the connection that knows it.
    connection: u32,
}

impl std::fmt::Debug for PostgresConn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresConn")
            .field("transaction", &self.transaction)
            .finish_non_exhaustive()
    }
}

impl PostgresConn {
    /// Connects. It must not be called on a thread of an asynchronous runtime.
    pub fn connect(config: PostgresConfig) -> Result<PostgresConn> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SqlError::Runtime)?;
        let tls = postgres_tls::connector(&config.verification)?;
        let session = connect(&runtime, &config, &tls)?;
        Ok(PostgresConn {
            runtime,
            config,
            tls,
            session: RefCell::new(session),
            is_silent: Cell::default(),
            connections: Cell::default(),
            statements: RefCell::default(),
            transaction: Cell::default(),
            has_begun: Cell::default(),
            deferred: RefCell::default(),
            has_failed: Cell::default(),
            is_over: RefCell::default(),
        })
    }

    /// Connects again if the connection was lost.
    fn reconnect(&self) -> Result<()> {
        if self.is_silent.get() || self.session.borrow().client.is_closed() {
            self.connect_again()
        } else {
            Ok(())
        }
    }

    fn connect_again(&self) -> Result<()> {
        self.statements.borrow_mut().clear();
        self.connections.set(self.connections.get() + 1);
        self.has_failed.set(false);
        self.has_begun.set(false);
        let session = connect(&self.runtime, &self.config, &self.tls)?;
        self.session.replace(session);
        self.is_silent.set(false);
        Ok(())
    }

    /// Begins a transaction, of which the server hears with its first statement.
    pub fn begin(&self, kind: TransactionKind) -> Result<()> {
        self.reconnect()?;
        self.has_failed.set(false);
        *self.deferred.borrow_mut() = match kind {
            TransactionKind::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ".to_owned(),
            TransactionKind::Write(scope) => scope.begin_statements() + "; ",
        };
        self.has_begun.set(false);
        self.transaction.set(Some(kind));
        Ok(())
    }

    pub fn commit(&self) -> Result<()> {
        if self.has_failed.get() {
            self.rollback()?;
            return Err(SqlError::NotCommitted);
        }
        if self.transaction.get() == Some(TransactionKind::Read) || !self.has_begun.get() {
            return self.rollback(); // nothing was written
        }
        self.transaction.set(None);
        let done = self.execute_batch("COMMIT");
        if done.is_err() {
            self.rollback()?; // a statement that was sent with it failed
        }
        done.map_err(|error| match error {
            SqlError::Postgres(source) if SqlError::is_connection_lost(&source) => {
                SqlError::CommitUnknown(source)
            }
            error => error,
        })
    }

    /// Nobody waits for its result: the next transaction begins after it.
    pub fn rollback(&self) -> Result<()> {
        self.transaction.set(None);
        self.has_failed.set(false);
        self.deferred.take();
        if self.has_begun.get() {
            let session = self.session.borrow();
            self.runtime.block_on(async {
                let mut rollback = std::pin::pin!(session.client.batch_execute("ROLLBACK"));
                // hands it to the connection
                std::future::poll_fn(|context| {
                    std::task::Poll::Ready(rollback.as_mut().poll(context).is_ready())
                })
                .await;
                tokio::task::yield_now().await; // which sends it
            });
        }
        Ok(())
    }

    /// Runs the first exchange of a transaction once more if the connection turns out to have been
    /// cut while it was idle, as by a restart of the server. Anything else runs once.
    fn with_reconnection<T>(&self, run: impl Fn() -> Result<T>) -> Result<T> {
        let is_first = self.transaction.get().is_some() && !self.has_begun.get();
        let begin = if is_first {
            self.deferred.borrow().clone()
        } else {
            String::new()
        };
        match run() {
            Err(error) if is_first && error.is_disconnected() => {
                self.connect_again()?;
                *self.deferred.borrow_mut() = begin;
                run()
            }
            done => done,
        }
    }

    pub fn transaction(&self) -> Option<TransactionKind> {
        self.transaction.get()
    }

    pub fn interrupt_when(&self, is_over: impl FnMut() -> bool + Send + 'static) {
        *self.is_over.borrow_mut() = Some(Box::new(is_over));
    }

    pub fn interrupt_never(&self) {
        *self.is_over.borrow_mut() = None;
    }

    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        self.with_reconnection(|| {
            let client = &self.session.borrow().client;
            let statements = self.deferred.take() + &dialect::translate(sql);
            self.wait(client, client.batch_execute(&statements))
        })?;
        if sql.starts_with("ROLLBACK") {
            self.has_failed.set(false);
        }
        Ok(())
    }

    /// Runs a statement together with the next one: nobody waits for its own result.
    pub fn defer(&self, sql: &str) {
        self.deferred.borrow_mut().push_str(&format!("{sql}; "));
    }

    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let translated = dialect::translate(sql);
        let statement = self.with_reconnection(|| {
            let client = &self.session.borrow().client;
            self.wait(client, client.prepare(&translated))
        });
        let statement = statement.map_err(|error| error.with_statement(&translated))?;
        let prepared = Prepared {
            statement,
            sql: sql.into(),
            connection: self.connections.get(),
        };
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// The statement for the present connection.
    fn renew(&self, prepared: &Prepared) -> Result<tokio_postgres::Statement> {
        match prepared.connection == self.connections.get() {
            true => Ok(prepared.statement.clone()),
            false => Ok(self.prepare(&prepared.sql)?.statement),
        }
    }

    pub fn execute(&self, prepared: &Prepared, params: &dyn Params) -> Result<usize> {
        let values = collect_parameters(params)?;
        let changed = self.with_reconnection(|| {
            let statement = self.renew(prepared)?;
            let client = &self.session.borrow().client;
            self.wait(client, client.execute_raw(&statement, values.iter()))
        })?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub fn query(
        &self,
        prepared: &Prepared,
        params: &dyn Params,
    ) -> Result<Vec<tokio_postgres::Row>> {
        let values = collect_parameters(params)?;
        self.with_reconnection(|| {
            let statement = self.renew(prepared)?;
            let client = &self.session.borrow().client;
            self.wait(client, async {
                client
                    .query_raw(&statement, values.iter())
                    .await?
                    .try_collect()
                    .await
            })
        })
    }

    /// See [`super::Conn::copy_rows`].
    pub fn copy_rows(&self, target: &str, columns: usize, rows: &mut Rows<'_>) -> Result<u64> {
        self.copy_lines(target, &mut |line| {
            let Some(row) = rows.next()? else {
                return Ok(false);
            };
            for column in 0..columns {
                encode_copy_column(row.get_ref(column)?, column, line);
            }
            Ok(true)
        })
    }

    /// See [`super::Conn::copy_values`].
    pub fn copy_values(&self, target: &str, rows: &[Vec<Value>]) -> Result<u64> {
        let mut rows = rows.iter();
        self.copy_lines(target, &mut |line| {
            let Some(row) = rows.next() else {
                return Ok(false);
            };
            row.iter()
                .enumerate()
                .for_each(|(column, value)| encode_copy_column(value.into(), column, line));
            Ok(true)
        })
    }

    /// Copies lines, each of which `write_line` adds without its end until it returns false. They
    /// are sent as they are written.
    fn copy_lines(
        &self,
        target: &str,
        write_line: &mut dyn FnMut(&mut Vec<u8>) -> Result<bool>,
    ) -> Result<u64> {
        if !self.deferred.borrow().is_empty() {
            self.execute_batch("")?;
        }
        let client = &self.session.borrow().client;
        let copied = self.runtime.block_on(async {
            let sink = client
                .copy_in::<_, Cursor<Vec<u8>>>(&format!("COPY {target} FROM STDIN"))
                .await?;
            let mut sink = std::pin::pin!(sink);
            loop {
                let mut chunk = Vec::with_capacity(COPY_CHUNK_BYTES + 1024);
                while chunk.len() < COPY_CHUNK_BYTES && write_line(&mut chunk)? {
                    chunk.push(b'\n');
                }
                if chunk.is_empty() {
                    return Ok::<_, SqlError>(sink.finish().await?);
                }
                sink.send(Cursor::new(chunk)).await?;
            }
        });
        if copied.is_err() {
            self.has_failed.set(true);
        }
        copied
    }

    /// Waits for a result. If nobody needs it any more, the statement is canceled; and if the
    /// server does not answer to that either, the connection is given up.
    fn wait<T>(
        &self,
        client: &Client,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let deferred = self.deferred.take();
        self.has_begun.set(true);
        let before = async {
            if deferred.is_empty() {
                Ok(())
            } else {
                client.batch_execute(&deferred).await
            }
        };
        let work = async {
            let (before, done) = join(before, work).await; // sent in this order
            before.and(done)
        };
        let done = self.runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            loop {
                match tokio::time::timeout(INTERRUPT_INTERVAL, &mut work).await {
                    Ok(done) => return Ok(done),
                    Err(_)
                        if self
                            .is_over
                            .borrow_mut()
                            .as_mut()
                            .is_some_and(|is_over| is_over()) =>
                    {
                        break;
                    }
                    Err(_) => {}
                }
            }
            let cancel = async {
                if let Err(error) = client.cancel_token().cancel_query(self.tls.clone()).await {
                    tracing::debug!(%error, "a statement was not canceled");
                }
            };
            // both: a request to cancel could arrive during the next statement
            tokio::time::timeout(CANCEL_TIMEOUT, join(work, cancel))
                .await
                .map(|(done, ())| done)
        });
        let done = done.map_or_else(
            |_| Err(self.config.silence()),
            |done| done.map_err(SqlError::from),
        );
        if let Err(error) = &done {
            self.has_failed.set(true);
            self.is_silent.set(matches!(error, SqlError::Silent { .. }));
        }
        done
    }
}

fn encode_copy_column(value: ValueRef<'_>, column: usize, line: &mut Vec<u8>) {
    if column > 0 {
        line.push(b'\t');
    }
    encode_copy_value(value, line);
}

/// Connects within the time that the address allows: the driver itself waits for ever for the
/// answer of a server that has accepted.
fn connect(runtime: &Runtime, config: &PostgresConfig, tls: &MakeRustlsConnect) -> Result<Session> {
    let connect = async {
        let connected = config.connect(tls.clone()).await;
        let (client, connection) = connected.map_err(|source| SqlError::Connect {
            address: config.to_string(),
            source,
        })?;
        let connection = tasks::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(%error, "the connection to the database was lost");
            }
        });
        let session = Session { client, connection };
        session.client.batch_execute(SETTINGS).await?;
        Ok(session)
    };
    let connected =
        runtime.block_on(async { tokio::time::timeout(config.connect_limit(), connect).await });
    connected.unwrap_or_else(|_| Err(config.silence()))
}

fn collect_parameters(params: &dyn Params) -> Result<Vec<Parameter>> {
    let mut values = Vec::new();
    params.for_each(&mut |value| {
        let value = match value.to_sql()? {
            rusqlite::types::ToSqlOutput::Borrowed(value) => {
                Value::try_from(value).map_err(rusqlite::Error::from)?
            }
            rusqlite::types::ToSqlOutput::Owned(value) => value,
            _ => Value::Null,
        };
        values.push(Parameter(value));
        Ok(())
    })?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_accepts_and_stays_silent_is_given_up_with_its_address() {
        let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = mute.local_addr().unwrap();
        let config: PostgresConfig = format!("postgres://ann@{address}/desk?connect_timeout=1")
            .parse()
            .unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(PostgresConn::connect(config).map(drop)));
        let error = told
            .recv_timeout(Duration::from_secs(20))
            .expect("it does not wait for ever")
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "postgres://ann@{address}/desk: the server accepts connections but does not answer"
            )
        );
        assert_eq!(error.kind(), super::super::DbErrorKind::Busy);
    }
}
