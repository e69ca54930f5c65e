//! Moving all data of a service to another database, between SQLite and PostgreSQL: table by table,
//! in the order of their keys. A move that was interrupted continues after the last row. What
//! triggers derive from other tables is derived again. At the end, the rows of both databases are
//! counted and compared.
//!
//! Never here: the tables themselves; both databases are migrated to the present version when they
//! are opened.

use ring::digest::{Context, SHA256};

use super::sql::{Conn, SqlError, Value, params_from_iter, storable_text};
use super::{DbError, Storage, index_write, open_writer, remembered};

/// The tables in an order in which references point backwards, each with its key.
const TABLES: &[(&str, &[&str])] = &[
    ("sources", &["id"]),
    ("accounts", &["rowid"]),
    ("contacts", &["rowid"]),
    ("projects", &["rowid"]),
    ("source_rows", &["rowid"]),
    ("signals", &["rowid"]),
    ("project_accounts", &["project_id", "account_id", "role"]),
    ("project_contacts", &["project_id", "contact_id"]),
    ("projects_ahead", &["project_id"]),
    ("workspaces", &["rowid"]),
    ("users", &["id"]),
    ("members", &["workspace_id", "user_id"]),
    ("api_keys", &["digest"]),
    ("access_tokens", &["digest"]),
    ("spending", &["workspace_id", "minute"]),
    ("subscriptions", &["workspace_id", "signal_type"]),
    ("triage", &["workspace_id", "signal_id"]),
    ("queue", &["workspace_id", "signal_id"]),
    ("book", &["workspace_id", "dataset", "record_id"]),
    ("atlas_due", &["workspace_id", "record_id"]),
    ("views", &["workspace_id", "id"]),
    ("view_records", &["workspace_id", "view_id", "record_id"]),
    ("favorites", &["workspace_id", "user_id", "view_id"]),
    ("invitations", &["workspace_id", "id"]),
    ("skills", &["workspace_id", "id"]),
    ("skill_revisions", &["workspace_id", "skill_id", "revision"]),
    ("skill_receipts", &["workspace_id", "caller", "key"]),
    ("mails", &["workspace_id", "id"]),
    ("join_codes", &["digest"]),
    ("walls", &["workspace_id", "id"]),
    ("invitation_mails", &["workspace_id", "invitation_id"]),
];
/// How many of them are the index. PostgreSQL derives other tables from these at the end and not
/// row by row.
const INDEX_TABLES: usize = 9;
/// What the service keeps for itself, moved last: with it the move is complete.
const REMEMBERED: (&str, &[&str]) = ("remembered", &["name"]);
/// The value that says which database is being moved here.
const MARK: &str = "moving_from";
/// A column that triggers count up as the rows of other tables arrive.
const COUNTED_COLUMN: &str = "projects_count";

/// How many rows are read, and written in one transaction.
const ROWS_PER_TRANSACTION: usize = 2_000;
/// How many rows are written by one statement.
const ROWS_PER_INSERT: usize = 50;

/// A table whose rows are in both databases.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MovedTable {
    pub table: &'static str,
    pub rows: u64,
    /// SHA-256 of all values, in hexadecimal digits.
    pub checksum: String,
}

/// Why data was not moved.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    #[error(transparent)]
    Database(#[from] DbError),
    #[error("{0} does not exist")]
    Missing(String),
    #[error("{0} has no workspace: there is nothing to move")]
    Empty(String),
    #[error("{0} has data already: name an empty database, or a new file")]
    InUse(String),
    #[error("the tables {0} of the two databases have different columns")]
    Columns(&'static str),
    #[error(
        "the rows of {0} differ: the source has changed since an interrupted move began, or the target was written to. Stop the services that \
         use them, and move to an empty database"
    )]
    Differ(&'static str),
}

impl From<SqlError> for MigrationError {
    fn from(error: SqlError) -> Self {
        MigrationError::Database(error.into())
    }
}

/// Moves everything. `progress` gets each table and how many of its rows are there. It must not be
/// called on a thread of an asynchronous runtime.
///
/// # Errors
/// If a database cannot be used, the source has nothing or the target something else, or their rows
/// differ in the end.
pub fn move_data(
    source: &Storage,
    target: &Storage,
    progress: &mut dyn FnMut(&'static str, u64),
) -> Result<Vec<MovedTable>, MigrationError> {
    if matches!(source, Storage::File(path) if !path.exists()) {
        return Err(MigrationError::Missing(source.to_string()));
    }
    let (from, to) = (open_writer(source)?, open_writer(target)?);
    if from.is_postgres() {
        // its transaction waits while the target derives tables
        from.execute_batch("SET idle_in_transaction_session_timeout = 0")?;
    }
    // one state of the source, even if a service uses it
    let from = from.begin_read()?;
    if super::workspaces::is_empty(&from)? {
        return Err(MigrationError::Empty(source.to_string()));
    }
    mark_target(&from, &to, target)?;
    let (index, workspaces) = TABLES.split_at(INDEX_TABLES);
    if to.is_postgres() {
        index_write::pause_triggers(&to)?;
    }
    index
        .iter()
        .try_for_each(|table| copy_table(&from, &to, table, progress))?;
    if to.is_postgres() {
        let tx = to.begin_write()?;
        index_write::resume_triggers(&tx)?;
        tx.commit()?;
    }
    workspaces
        .iter()
        .try_for_each(|table| copy_table(&from, &to, table, progress))?;
    let mut moved = Vec::new();
    for table in TABLES {
        moved.push(compare_table(&from, &to, table)?);
    }
    copy_remembered(&from, &to)?;
    moved.push(compare_table(&from, &to, &REMEMBERED)?);
    to.execute_batch("ANALYZE")?;
    Ok(moved)
}

/// Fails if a move to this database has begun and not ended.
pub fn check_complete(conn: &Conn) -> Result<(), DbError> {
    if remembered::load::<Value>(conn, MARK)?.is_some() {
        Err(DbError::Incomplete)
    } else {
        Ok(())
    }
}

/// Makes sure that the target is empty, or has a part of this source.
fn mark_target(from: &Conn, to: &Conn, target: &Storage) -> Result<(), MigrationError> {
    let identity = as_text(remembered::load(from, "cursor_key")?.unwrap_or(Value::Null));
    match remembered::load(to, MARK)?.map(as_text) {
        Some(mark) if mark == identity => Ok(()),
        None if super::workspaces::is_empty(to)? && count_rows(to, "projects")? == 0 => {
            let tx = to.begin_write()?;
            remembered::save(&tx, MARK, identity)?;
            Ok(tx.commit()?)
        }
        _ => Err(MigrationError::InUse(target.to_string())),
    }
}

type KeyedTable = (&'static str, &'static [&'static str]);

/// Copies the rows that the target does not have yet.
fn copy_table(
    from: &Conn,
    to: &Conn,
    table: &KeyedTable,
    progress: &mut dyn FnMut(&'static str, u64),
) -> Result<(), MigrationError> {
    let columns = columns_of_both(from, to, table)?;
    let mut done = count_rows(to, table.0)?;
    let mut reader = TableReader {
        table,
        columns: &columns,
        next: Next::Row(done),
    };
    loop {
        let mut rows = reader.read_rows(from)?;
        if rows.is_empty() {
            break;
        }
        if let Some(counted) = columns.iter().position(|column| column == COUNTED_COLUMN) {
            rows.iter_mut()
                .for_each(|row| row[counted] = Value::Integer(0));
        }
        let tx = to.begin_write()?;
        write_rows(&tx, table.0, &columns, &rows)?;
        tx.commit()?;
        done += rows.len() as u64;
        progress(table.0, done);
    }
    if to.is_postgres() && table.1 == ["rowid"] {
        let name = table.0;
        to.execute_batch(&format!(
            "SELECT setval(pg_get_serial_sequence('{name}', 'rowid'), (SELECT coalesce(max(rowid), 0) + 1 FROM {name}), false)"
        ))?;
    }
    Ok(())
}

/// Replaces what the target remembers, and with it the mark of an incomplete move.
fn copy_remembered(from: &Conn, to: &Conn) -> Result<(), MigrationError> {
    let columns = columns_of_both(from, to, &REMEMBERED)?;
    let mut rows = TableReader {
        table: &REMEMBERED,
        columns: &columns,
        next: Next::Row(0),
    }
    .read_rows(from)?;
    if !to.is_postgres() && from.is_postgres() {
        rows.iter_mut()
            .flatten()
            .for_each(|value| *value = from_text(std::mem::replace(value, Value::Null)));
    }
    let tx = to.begin_write()?;
    tx.execute_batch("DELETE FROM remembered")?;
    insert_rows(&tx, REMEMBERED.0, &columns, &rows)?;
    Ok(tx.commit()?)
}

fn write_rows(
    to: &Conn,
    table: &str,
    columns: &[String],
    rows: &[Vec<Value>],
) -> Result<(), SqlError> {
    if to.is_postgres() {
        return to
            .copy_values(&format!("{table} ({})", quote(columns)), rows)
            .map(drop);
    }
    rows.chunks(ROWS_PER_INSERT)
        .try_for_each(|rows| insert_rows(to, table, columns, rows))
}

fn insert_rows(
    to: &Conn,
    table: &str,
    columns: &[String],
    rows: &[Vec<Value>],
) -> Result<(), SqlError> {
    let numbers =
        |row: usize| (1..=columns.len()).map(move |nth| format!("?{}", row * columns.len() + nth));
    let values: Vec<String> = (0..rows.len())
        .map(|row| format!("({})", numbers(row).collect::<Vec<_>>().join(", ")))
        .collect();
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES {}",
        quote(columns),
        values.join(", ")
    );
    to.execute(&sql, params_from_iter(rows.iter().flatten()))
        .map(drop)
}

/// Counts and digests the rows of both databases.
fn compare_table(from: &Conn, to: &Conn, table: &KeyedTable) -> Result<MovedTable, MigrationError> {
    let columns = columns_of_both(from, to, table)?;
    let [source, target] = [from, to].map(|conn| digest_rows(conn, table, &columns));
    let (source, target) = (source?, target?);
    if source != target {
        return Err(MigrationError::Differ(table.0));
    }
    let (rows, checksum) = source;
    Ok(MovedTable {
        table: table.0,
        rows,
        checksum,
    })
}

fn digest_rows(
    conn: &Conn,
    table: &KeyedTable,
    columns: &[String],
) -> Result<(u64, String), SqlError> {
    let (mut digest, mut count) = (Context::new(&SHA256), 0);
    let mut reader = TableReader {
        table,
        columns,
        next: Next::Row(0),
    };
    loop {
        let rows = reader.read_rows(conn)?;
        if rows.is_empty() {
            break;
        }
        count += rows.len() as u64;
        for value in rows.into_iter().flatten() {
            // PostgreSQL keeps these values as text
            let value = if table.0 == REMEMBERED.0 {
                as_text(value)
            } else {
                value
            };
            let (kind, bytes) = match value {
                Value::Null => (0u8, Vec::new()),
                Value::Integer(number) => (1, number.to_be_bytes().to_vec()),
                Value::Real(number) => (2, number.to_bits().to_be_bytes().to_vec()),
                Value::Text(text) => (3, storable_text(&text).into_owned().into_bytes()),
                Value::Blob(bytes) => (4, bytes),
            };
            digest.update(&[kind]);
            digest.update(&(bytes.len() as u64).to_be_bytes());
            digest.update(&bytes);
        }
    }
    Ok((
        count,
        digest
            .finish()
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    ))
}

/// Reads a table in the order of its key.
struct TableReader<'t> {
    table: &'t KeyedTable,
    columns: &'t [String],
    next: Next,
}

/// Where the next rows begin.
enum Next {
    Row(u64),
    After(Vec<Value>),
}

impl TableReader<'_> {
    fn read_rows(&mut self, conn: &Conn) -> Result<Vec<Vec<Value>>, SqlError> {
        let (name, key) = self.table;
        let key_names: Vec<String> = key.iter().map(|&column| column.to_owned()).collect();
        let (after, start, values) = match &self.next {
            Next::Row(row) => (String::new(), format!(" OFFSET {row}"), &[][..]),
            Next::After(values) => {
                let numbers: Vec<String> =
                    (1..=values.len()).map(|nth| format!("?{nth}")).collect();
                (
                    format!(" WHERE ({}) > ({})", quote(&key_names), numbers.join(", ")),
                    String::new(),
                    values.as_slice(),
                )
            }
        };
        let sql = format!(
            "SELECT {} FROM {name}{after} ORDER BY {} LIMIT {ROWS_PER_TRANSACTION}{start}",
            quote(self.columns),
            quote(&key_names)
        );
        let read = |row: &super::sql::Row<'_>| {
            (0..self.columns.len())
                .map(|column| row.get(column))
                .collect()
        };
        let rows: Vec<Vec<Value>> = conn.query_rows(&sql, params_from_iter(values), read)?;
        if let Some(last) = rows.last() {
            let place = |column: &&str| self.columns.iter().position(|name| name == *column);
            self.next = Next::After(
                key.iter()
                    .filter_map(place)
                    .map(|at| last[at].clone())
                    .collect(),
            );
        }
        Ok(rows)
    }
}

/// The columns of a table, which are the same in both databases.
fn columns_of_both(
    from: &Conn,
    to: &Conn,
    table: &KeyedTable,
) -> Result<Vec<String>, MigrationError> {
    let (source, target) = (columns(from, table)?, columns(to, table)?);
    if source == target {
        Ok(source)
    } else {
        Err(MigrationError::Columns(table.0))
    }
}

fn columns(conn: &Conn, (table, key): &KeyedTable) -> Result<Vec<String>, SqlError> {
    let sql = match conn.is_postgres() {
        true => {
            "SELECT CAST(column_name AS text) FROM information_schema.columns WHERE table_schema = current_schema() AND CAST(table_name AS text) = ?1"
        }
        false => "SELECT name FROM pragma_table_info(?1)",
    };
    let mut names: Vec<String> = conn.query_rows(sql, [table], |row| row.get(0))?;
    // SQLite has it without a definition
    if *key == ["rowid"] && !names.iter().any(|name| name == "rowid") {
        names.push("rowid".to_owned());
    }
    names.sort();
    Ok(names)
}

fn count_rows(conn: &Conn, table: &str) -> Result<u64, SqlError> {
    conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get::<_, i64>(0)
    })
    .map(|count| count.unsigned_abs())
}

fn quote(columns: &[String]) -> String {
    columns
        .iter()
        .map(|column| format!("\"{column}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A value of `remembered` as PostgreSQL keeps it.
fn as_text(value: Value) -> Value {
    match value {
        Value::Integer(number) => Value::Text(number.to_string()),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::Text(format!("\\x{digits}"))
        }
        other => other,
    }
}

/// A value of `remembered` as SQLite keeps it.
fn from_text(value: Value) -> Value {
    let Value::Text(text) = value else {
        return value;
    };
    if let Ok(number) = text.parse() {
        return Value::Integer(number);
    }
    let bytes = text
        .strip_prefix("\\x")
        .filter(|digits| digits.len() % 2 == 0)
        .and_then(|digits| {
            let byte = |at: usize| {
                digits
                    .get(at..at + 2)
                    .and_then(|two| u8::from_str_radix(two, 16).ok())
            };
            (0..digits.len()).step_by(2).map(byte).collect()
        });
    bytes.map_or(Value::Text(text), Value::Blob)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::service::sample;

    /// What triggers or this module derive from the other tables.
    const DERIVED_TABLES: &[&str] = &[
        "account_domains",
        "contact_emails",
        "index_changes",
        "queue_counts",
    ];

    fn sample_file(folder: &std::path::Path) -> Storage {
        let source = Storage::File(folder.join("source.db"));
        let conn = open_writer(&source).unwrap();
        let now = "2026-07-09T16:20:00Z".parse().unwrap();
        super::super::in_transaction(&conn, |tx| {
            sample::fill_database(tx, 7, 60, None, now)?;
            super::super::queue::advance(tx, now)
        })
        .unwrap();
        source
    }

    #[test]
    fn every_table_is_moved_or_derived_from_those_that_are() {
        let conn = open_writer(&Storage::Memory).unwrap();
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut read = conn.prepare(sql).unwrap();
        let found: BTreeSet<String> = read
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let known = TABLES
            .iter()
            .chain([&REMEMBERED])
            .map(|(name, _)| *name)
            .chain(DERIVED_TABLES.iter().copied());
        assert_eq!(found, known.map(str::to_owned).collect());
    }

    #[test]
    fn a_move_that_was_interrupted_continues_and_both_databases_have_the_same_rows() {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (
            sample_file(folder.path()),
            Storage::File(folder.path().join("target.db")),
        );
        {
            let (from, to) = (open_writer(&source).unwrap(), open_writer(&target).unwrap());
            mark_target(&from, &to, &target).unwrap();
            for table in &TABLES[..4] {
                copy_table(&from, &to, table, &mut |_, _| ()).unwrap();
            }
            assert!(
                matches!(check_complete(&to), Err(DbError::Incomplete)),
                "nobody serves a part"
            );
            to.execute("DELETE FROM projects WHERE rowid > 20", [])
                .unwrap();
        }
        let moved = move_data(&source, &target, &mut |_, _| ()).unwrap();
        let rows = |table: &str| {
            moved
                .iter()
                .find(|moved| moved.table == table)
                .unwrap()
                .rows
        };
        assert!(
            rows("projects") >= 50
                && rows("book") > 0
                && rows("queue") > 0
                && rows("remembered") > 0,
            "{moved:?}"
        );
        for counted in ["queue_counts", "account_domains", "contact_emails"] {
            let conns = [&source, &target].map(|data| open_writer(data).unwrap());
            let [from, to] = conns.map(|conn| count_rows(&conn, counted).unwrap());
            assert_eq!(from, to, "{counted}");
        }
        check_complete(&open_writer(&target).unwrap()).unwrap();
        let again = move_data(&source, &target, &mut |_, _| ())
            .unwrap_err()
            .to_string();
        assert!(again.contains("target.db has data already"), "{again}");
    }

    #[test]
    fn a_target_that_was_written_to_during_a_move_is_not_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (
            sample_file(folder.path()),
            Storage::File(folder.path().join("target.db")),
        );
        {
            let (from, to) = (open_writer(&source).unwrap(), open_writer(&target).unwrap());
            mark_target(&from, &to, &target).unwrap();
            copy_table(&from, &to, &TABLES[0], &mut |_, _| ()).unwrap();
            to.execute("UPDATE sources SET display_name = 'another one'", [])
                .unwrap();
        }
        let said = move_data(&source, &target, &mut |_, _| ())
            .unwrap_err()
            .to_string();
        assert!(said.contains("the rows of sources differ"), "{said}");
        let missing = Storage::File(folder.path().join("missing.db"));
        assert!(
            move_data(&missing, &target, &mut |_, _| ())
                .unwrap_err()
                .to_string()
                .contains("missing.db does not exist")
        );
        let empty = Storage::File(folder.path().join("empty.db"));
        open_writer(&empty).unwrap();
        assert!(
            move_data(&empty, &target, &mut |_, _| ())
                .unwrap_err()
                .to_string()
                .contains("has no workspace")
        );
    }
}
