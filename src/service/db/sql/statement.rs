//! Statements and their rows.

use super::postgres::{PostgresConn, Prepared};
use super::values::PostgresValue;
use super::{FromSql, Params, Result, SqlError, ValueRef};

/// A prepared statement.
pub enum Statement<'c> {
    Sqlite(rusqlite::CachedStatement<'c>),
    Postgres(&'c PostgresConn, Prepared),
}

impl Statement<'_> {
    /// Runs the statement, and returns how many rows it changed.
    pub fn execute(&mut self, params: impl Params) -> Result<usize> {
        match self {
            Statement::Sqlite(statement) => Ok(bind(statement, &params)?.raw_execute()?),
            Statement::Postgres(conn, prepared) => conn.execute(prepared, &params),
        }
    }

    pub fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        Ok(match self {
            Statement::Sqlite(statement) => Rows::Sqlite(bind(statement, &params)?.raw_query()),
            Statement::Postgres(conn, prepared) => Rows::Postgres {
                rows: conn.query(prepared, &params)?,
                next: 0,
            },
        })
    }

    /// Reads each row as the result is consumed.
    pub fn query_map<T, F>(&mut self, params: impl Params, read: F) -> Result<MappedRows<'_, F>>
    where
        F: FnMut(&Row<'_>) -> Result<T>,
    {
        Ok(MappedRows {
            rows: self.query(params)?,
            read,
        })
    }

    /// Reads the first row, which must exist.
    pub fn query_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.find_row(params, read)?
            .ok_or(SqlError::Sqlite(rusqlite::Error::QueryReturnedNoRows))
    }

    /// Reads the first row, if there is one.
    pub fn find_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.query(params)?
            .next()?
            .map(|row| read(&row))
            .transpose()
    }

    /// Whether there is a row.
    pub fn exists(&mut self, params: impl Params) -> Result<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }

    pub fn column_names(&self) -> Vec<String> {
        match self {
            Statement::Sqlite(statement) => statement.column_names().map(str::to_owned).collect(),
            Statement::Postgres(_, prepared) => prepared
                .statement
                .columns()
                .iter()
                .map(|column| column.name().to_owned())
                .collect(),
        }
    }
}

/// Sets the parameters.
fn bind<'s, 'c>(
    statement: &'s mut rusqlite::Statement<'c>,
    params: &dyn Params,
) -> Result<&'s mut rusqlite::Statement<'c>> {
    let mut bound = 0;
    params.for_each(&mut |value| {
        bound += 1;
        Ok(statement.raw_bind_parameter(bound, value)?)
    })?;
    let expected = statement.parameter_count();
    if bound != expected {
        return Err(rusqlite::Error::InvalidParameterCount(bound, expected).into());
    }
    Ok(statement)
}

/// The rows of a statement, one after another.
pub enum Rows<'s> {
    Sqlite(rusqlite::Rows<'s>),
    Postgres {
        rows: Vec<tokio_postgres::Row>,
        next: usize,
    },
}

impl Rows<'_> {
    /// The next row; `None` after the last one.
    #[expect(
        clippy::should_implement_trait,
        reason = "a row is borrowed from the statement until the next one is read"
    )]
    pub fn next(&mut self) -> Result<Option<Row<'_>>> {
        Ok(match self {
            Rows::Sqlite(rows) => rows.next()?.map(Row::Sqlite),
            Rows::Postgres { rows, next } => {
                *next += 1;
                rows.get(*next - 1).map(Row::Postgres)
            }
        })
    }
}

/// See [`Statement::query_map`].
pub struct MappedRows<'s, F> {
    rows: Rows<'s>,
    read: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for MappedRows<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next() {
            Ok(row) => row.map(|row| (self.read)(&row)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// A row of a result.
#[derive(Clone, Copy)]
pub enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

/// The number of a column.
pub trait ColumnIndex {
    fn column_index(self) -> usize;
}

impl ColumnIndex for usize {
    fn column_index(self) -> usize {
        self
    }
}

impl<'r> Row<'r> {
    /// The value of a column.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn get<I: ColumnIndex, T: FromSql>(&self, column: I) -> Result<T> {
        let column = column.column_index();
        match self {
            Row::Sqlite(row) => Ok(row.get(column)?),
            Row::Postgres(_) => {
                let value = self.get_ref(column)?;
                T::column_result(value).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(
                        column,
                        value.data_type(),
                        error.into(),
                    )
                    .into()
                })
            }
        }
    }

    /// The value of a column as it is stored.
    pub fn get_ref(&self, column: usize) -> Result<ValueRef<'r>> {
        Ok(match self {
            Row::Sqlite(row) => row.get_ref(column)?,
            Row::Postgres(row) => row.try_get::<_, PostgresValue<'r>>(column)?.0,
        })
    }
}
