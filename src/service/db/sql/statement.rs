//! Statements and their rows.

use super::{FromSql, Params, Result, ValueRef};

/// A prepared statement.
pub struct Statement<'c>(SqliteStatement<'c>);

enum SqliteStatement<'c> {
    Single(rusqlite::Statement<'c>),
    Cached(rusqlite::CachedStatement<'c>),
}

impl<'c> From<rusqlite::Statement<'c>> for Statement<'c> {
    fn from(statement: rusqlite::Statement<'c>) -> Self {
        Statement(SqliteStatement::Single(statement))
    }
}

impl<'c> From<rusqlite::CachedStatement<'c>> for Statement<'c> {
    fn from(statement: rusqlite::CachedStatement<'c>) -> Self {
        Statement(SqliteStatement::Cached(statement))
    }
}

impl<'c> Statement<'c> {
    fn sqlite(&mut self) -> &mut rusqlite::Statement<'c> {
        match &mut self.0 {
            SqliteStatement::Single(statement) => statement,
            SqliteStatement::Cached(statement) => statement,
        }
    }

    /// Sets the parameters.
    fn bind(&mut self, params: impl Params) -> Result<&mut rusqlite::Statement<'c>> {
        let statement = self.sqlite();
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

    /// Runs the statement, and returns how many rows it changed.
    pub fn execute(&mut self, params: impl Params) -> Result<usize> {
        Ok(self.bind(params)?.raw_execute()?)
    }

    pub fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        Ok(Rows(self.bind(params)?.raw_query()))
    }

    /// Reads each row as the result is consumed.
    pub fn query_map<T, F>(&mut self, params: impl Params, read: F) -> Result<MappedRows<'_, F>>
    where
        F: FnMut(&Row<'_>) -> Result<T>,
    {
        Ok(MappedRows { rows: self.query(params)?, read })
    }

    /// Reads the first row.
    ///
    /// # Errors
    /// Also if there is no row; see [`super::OptionalExtension`].
    pub fn query_row<T>(&mut self, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        let mut rows = self.query(params)?;
        let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        read(&row)
    }

    /// Whether there is a row.
    pub fn exists(&mut self, params: impl Params) -> Result<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }

    pub fn column_names(&mut self) -> Vec<String> {
        self.sqlite().column_names().map(str::to_owned).collect()
    }
}

/// The rows of a statement, one after another.
pub struct Rows<'s>(rusqlite::Rows<'s>);

impl Rows<'_> {
    /// The next row; `None` after the last one.
    #[expect(clippy::should_implement_trait, reason = "a row is borrowed from the statement until the next one is read")]
    pub fn next(&mut self) -> Result<Option<Row<'_>>> {
        Ok(self.0.next()?.map(Row))
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
pub struct Row<'r>(&'r rusqlite::Row<'r>);

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
        Ok(self.0.get(column.column_index())?)
    }

    /// The value of a column as it is stored.
    pub fn get_ref(&self, column: usize) -> Result<ValueRef<'r>> {
        Ok(self.0.get_ref(column)?)
    }
}
