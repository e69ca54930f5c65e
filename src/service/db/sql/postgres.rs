//! A connection to PostgreSQL, used like one to SQLite: by one thread, which waits for each result.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::runtime::Runtime;
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::values::Parameter;
use super::{Params, PostgresConfig, Result, SqlError, Value, dialect, postgres_tls};

/// How often it is checked whether a statement is still needed.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);
/// How many statements are kept prepared.
const MAX_STATEMENTS: usize = 512;
/// The lock of whoever writes: writers take turns, in all instances of the service, as those of an SQLite file do.
const WRITER_LOCK: i64 = 0x6774_7273;

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    Read,
    Write,
}

pub struct PostgresConn {
    runtime: Runtime,
    config: PostgresConfig,
    tls: MakeRustlsConnect,
    client: RefCell<Client>,
    statements: RefCell<HashMap<String, Prepared>>,
    transaction: Cell<Option<TransactionKind>>,
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
            TransactionKind::Write => format!("BEGIN; SELECT pg_advisory_xact_lock({WRITER_LOCK})"),
        };
        self.has_failed.set(false);
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
        self.wait(&client, client.batch_execute(&dialect::translate(sql).sql))?;
        if sql.starts_with("ROLLBACK") {
            self.has_failed.set(false);
        }
        Ok(())
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

    /// Waits for a result. If nobody needs it any more, the statement is canceled.
    fn wait<T>(&self, client: &Client, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
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
