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
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::statement::Rows;
use super::values::{Parameter, encode_copy_value};
use super::write_scope::WriteScope;
use super::{Params, PostgresConfig, Result, SqlError, Value, dialect, postgres_tls};

/// How often it is checked whether a statement is still needed.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);
/// How much of the rows of a COPY is sent at a time.
const COPY_CHUNK_BYTES: usize = 64 << 10;
/// How many statements are kept prepared.
const MAX_STATEMENTS: usize = 512;
/// What every connection is set to. Nobody waits longer for a lock than for that of an SQLite file. The second limit frees the locks
/// of an instance whose machine is gone.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '60s'";

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
    client: RefCell<Client>,
    statements: RefCell<HashMap<String, Prepared>>,
    transaction: Cell<Option<TransactionKind>>,
    /// Statements that are sent with the next one.
    deferred: RefCell<String>,
    /// A statement of the transaction failed: the server will not commit it.
    has_failed: Cell<bool>,
    is_over: RefCell<Option<IsOver>>,
}

type IsOver = Box<dyn FnMut() -> bool + Send>;

/// A prepared statement.
#[derive(Clone)]
pub struct Prepared {
    pub statement: tokio_postgres::Statement,
    /// The parameters that are full-text expressions, by index.
    expressions: Arc<[usize]>,
}

impl std::fmt::Debug for PostgresConn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresConn").field("transaction", &self.transaction).finish_non_exhaustive()
    }
}

impl PostgresConn {
    /// Connects. It must not be called on a thread of an asynchronous runtime.
    pub fn connect(config: PostgresConfig) -> Result<PostgresConn> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(SqlError::Runtime)?;
        let tls = postgres_tls::connector(&config.verification)?;
        let client = connect(&runtime, &config, &tls)?;
        Ok(PostgresConn {
            runtime,
            config,
            tls,
            client: RefCell::new(client),
            statements: RefCell::default(),
            transaction: Cell::default(),
            deferred: RefCell::default(),
            has_failed: Cell::default(),
            is_over: RefCell::default(),
        })
    }

    /// Connects again if the connection was lost.
    fn reconnect(&self) -> Result<()> {
        if self.client.borrow().is_closed() { self.connect_again() } else { Ok(()) }
    }

    fn connect_again(&self) -> Result<()> {
        self.statements.borrow_mut().clear();
        self.has_failed.set(false);
        *self.client.borrow_mut() = connect(&self.runtime, &self.config, &self.tls)?;
        Ok(())
    }

    pub fn begin(&self, kind: TransactionKind) -> Result<()> {
        self.reconnect()?;
        let begin = match kind {
            TransactionKind::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned(),
            TransactionKind::Write(scope) => scope.begin_statements(),
        };
        self.has_failed.set(false);
        self.deferred.take();
        let mut begun = self.execute_batch(&begin);
        if begun.as_ref().is_err_and(SqlError::is_disconnected) {
            // cut while it was idle, as by a restart of the server, which is noticed only now
            self.connect_again()?;
            begun = self.execute_batch(&begin);
        }
        if let Err(error) = begun {
            let _ = self.execute_batch("ROLLBACK");
            return Err(error);
        }
        self.has_failed.set(false);
        self.transaction.set(Some(kind));
        Ok(())
    }

    pub fn commit(&self) -> Result<()> {
        if self.has_failed.get() {
            self.rollback()?;
            return Err(SqlError::NotCommitted);
        }
        self.transaction.set(None);
        self.execute_batch("COMMIT")
    }

    pub fn rollback(&self) -> Result<()> {
        self.transaction.set(None);
        self.deferred.take();
        self.execute_batch("ROLLBACK")
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
        let client = self.client.borrow();
        let statements = self.deferred.take() + &dialect::translate(sql).sql;
        self.wait(&client, client.batch_execute(&statements))?;
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
        let translation = dialect::translate(sql);
        let client = self.client.borrow();
        let statement =
            self.wait(&client, client.prepare(&translation.sql)).map_err(|error| error.with_statement(&translation.sql))?;
        let prepared = Prepared { statement, expressions: translation.expressions.into() };
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    pub fn execute(&self, prepared: &Prepared, params: impl Params) -> Result<usize> {
        let values = prepared.collect_parameters(params)?;
        let client = self.client.borrow();
        let changed = self.wait(&client, client.execute_raw(&prepared.statement, values))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub fn query(&self, prepared: &Prepared, params: impl Params) -> Result<Vec<tokio_postgres::Row>> {
        let values = prepared.collect_parameters(params)?;
        let client = self.client.borrow();
        self.wait(&client, async { client.query_raw(&prepared.statement, values).await?.try_collect().await })
    }

    /// See [`super::Conn::copy_rows`]. The rows are sent as they are read.
    pub fn copy_rows(&self, target: &str, columns: usize, rows: &mut Rows<'_>) -> Result<u64> {
        let client = self.client.borrow();
        debug_assert!(self.deferred.borrow().is_empty(), "a copy is not within a savepoint");
        let copied = self.runtime.block_on(async {
            let sink = client.copy_in::<_, Cursor<Vec<u8>>>(&format!("COPY {target} FROM STDIN")).await?;
            let mut sink = std::pin::pin!(sink);
            loop {
                let mut chunk = Vec::with_capacity(COPY_CHUNK_BYTES + 1024);
                while chunk.len() < COPY_CHUNK_BYTES
                    && let Some(row) = rows.next()?
                {
                    for column in 0..columns {
                        encode_copy_value(row.get_ref(column)?, &mut chunk);
                        chunk.push(if column + 1 == columns { b'\n' } else { b'\t' });
                    }
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

    /// Waits for a result. If nobody needs it any more, the statement is canceled.
    fn wait<T>(&self, client: &Client, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
        let deferred = self.deferred.take();
        let before = async { if deferred.is_empty() { Ok(()) } else { client.batch_execute(&deferred).await } };
        let work = async {
            let (before, done) = join(before, work).await; // sent in this order
            before.and(done)
        };
        let done = self.runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            loop {
                tokio::select! {
                    biased;
                    done = &mut work => return done,
                    () = tokio::time::sleep(INTERRUPT_INTERVAL) => {
                        let is_over = self.is_over.borrow_mut().as_mut().is_some_and(|is_over| is_over());
                        if is_over && let Err(error) = client.cancel_token().cancel_query(self.tls.clone()).await {
                            tracing::debug!(%error, "a statement was not canceled");
                        }
                    }
                }
            }
        });
        if done.is_err() {
            self.has_failed.set(true);
        }
        Ok(done?)
    }
}

fn connect(runtime: &Runtime, config: &PostgresConfig, tls: &MakeRustlsConnect) -> Result<Client> {
    let connected = runtime.block_on(config.connect(tls.clone()));
    let (client, connection) = connected.map_err(|source| SqlError::Connect { address: config.to_string(), source })?;
    runtime.spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(%error, "the connection to the database was lost");
        }
    });
    runtime.block_on(client.batch_execute(SETTINGS))?;
    Ok(client)
}

impl Prepared {
    fn collect_parameters(&self, params: impl Params) -> Result<Vec<Parameter>> {
        let mut values = Vec::new();
        params.for_each(&mut |value| {
            let value = match value.to_sql()? {
                rusqlite::types::ToSqlOutput::Borrowed(value) => Value::try_from(value).map_err(rusqlite::Error::from)?,
                rusqlite::types::ToSqlOutput::Owned(value) => value,
                _ => Value::Null,
            };
            let value = match value {
                Value::Text(text) if self.expressions.contains(&values.len()) => Value::Text(dialect::full_text_query(&text)),
                value => value,
            };
            values.push(Parameter(value));
            Ok(())
        })?;
        Ok(values)
    }
}
