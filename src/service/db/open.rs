//! Opening a database: its file, its settings, its tables, and the functions that our SQL calls.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};

use super::{Error, backups, values};
use crate::service::Data;

/// The tables, version by version: `user_version` says how many of these a file has had.
const MIGRATIONS: &[&str] = &[
    include_str!("index.sql"),
    include_str!("workspace.sql"),
    include_str!("search.sql"),
    include_str!("mails.sql"),
    include_str!("signals.sql"),
    include_str!("standing.sql"),
    include_str!("reach.sql"),
    include_str!("natural_keys.sql"),
    include_str!("relations.sql"),
];

/// A file up to this size is checked whenever it is opened: that takes less than a tenth of a second.
const CHECKED: u64 = 64 << 20;

/// Opens a database for writing, and makes or migrates its tables. A new file is for its owner's eyes only. A file that is small, or
/// that nobody closed, is checked first: what is damaged is not written to.
///
/// # Errors
/// When it cannot be opened, is damaged or was written by a later version.
pub fn connect(data: &Data) -> Result<Connection, Error> {
    match data {
        Data::Memory => settled(Connection::open_in_memory()?, None),
        Data::File(path) => {
            make_private(path)?;
            settled(Connection::open(path)?, Some(path)).map_err(|error| error.of_file(path))
        }
    }
}

fn settled(mut conn: Connection, file: Option<&Path>) -> Result<Connection, Error> {
    settle(&conn)?;
    if let Some(path) = file
        && (std::fs::metadata(path)?.len() <= CHECKED || backups::beside(path, "-wal").exists())
    {
        backups::check(&conn)?;
    }
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    migrate(&mut conn, file)?;
    Ok(conn)
}

/// Opens one more connection to a file that [`connect`] has opened; it reads only.
pub(super) fn reader(data: &Data) -> Result<Connection, Error> {
    let Data::File(path) = data else { return Err(Error::Closed) };
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    settle(&conn)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?; // a writer sorts whole indexes: on disk, beyond its cache
    Ok(conn)
}

fn settle(conn: &Connection) -> Result<(), Error> {
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "cache_size", -32 * 1024)?; // KiB
    conn.pragma_update(None, "mmap_size", 256 << 20)?;
    conn.set_prepared_statement_cache_capacity(256);
    // A plan never depends on bound values: a cached statement would be compiled anew whenever other values are bound to it.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("uuid", 1, pure, |context| {
        Ok(context.get_raw(0).as_blob_or_null()?.and_then(|bytes| uuid::Uuid::from_slice(bytes).ok()).map(|id| id.to_string()))
    })?;
    conn.create_scalar_function("moment", 1, pure, |context| Ok(context.get::<Option<i64>>(0)?.map(values::moment)))?;
    conn.create_scalar_function("day", 1, pure, |context| Ok(context.get::<Option<i64>>(0)?.map(values::day)))?;
    crate::service::search::register(conn)
}

/// Brings the tables up to date; a file that holds something is copied before.
fn migrate(conn: &mut Connection, file: Option<&Path>) -> Result<(), Error> {
    let found: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(Error::TooNew { found, known });
    }
    if let Some(path) = file
        && (1..known).contains(&found)
    {
        backups::copy(conn, path, &format!("schema-{found}"))?;
    }
    for (version, sql) in (1i64..).zip(MIGRATIONS).skip(found.max(0) as usize) {
        let tx = conn.transaction()?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
}

/// Makes a file that only its owner may read and write, unless there is one.
pub(super) fn make_private(path: &Path) -> Result<(), Error> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::natural_keys;
    use super::*;

    #[test]
    fn a_file_is_flushed_at_every_commit() {
        let room = tempfile::tempdir().unwrap();
        let conn = connect(&Data::File(room.path().join("desk.db"))).unwrap();
        assert_eq!(conn.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0)).unwrap(), 2);
    }

    /// A file as an earlier version left it, with so many of the migrations.
    fn earlier(path: &Path, versions: usize) -> Connection {
        let old = Connection::open(path).unwrap();
        settle(&old).unwrap();
        for sql in &MIGRATIONS[..versions] {
            old.execute_batch(sql).unwrap();
        }
        old.pragma_update(None, "user_version", versions as i64).unwrap();
        old
    }

    #[test]
    fn a_file_from_before_finds_its_records_by_keys_with_letters_beyond_a_to_z() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let (account, contact) = (uuid::Uuid::from_u128(1), uuid::Uuid::from_u128(2));
        let old = earlier(&path, 7);
        let account_row =
            r#"INSERT INTO accounts (id, name, domains, created_at) VALUES (?1, 'École', '["École.example", "x.example"]', 0)"#;
        old.execute(account_row, [account]).unwrap();
        let contact_row = "INSERT INTO contacts (id, name, email, created_at) VALUES (?1, 'Émile', ' Émile@École.example', 0)";
        old.execute(contact_row, [contact]).unwrap();
        drop(old);
        let conn = connect(&Data::File(path)).unwrap();
        assert_eq!(natural_keys::accounts_with(&conn, "ÉCOLE.example").unwrap(), [account]);
        assert_eq!(natural_keys::accounts_with(&conn, "X.example").unwrap(), [account]);
        assert_eq!(natural_keys::contacts_with(&conn, "émile@école.example").unwrap(), [contact]);
    }

    #[test]
    fn before_the_tables_of_a_file_change_there_is_a_copy_of_it_and_a_new_file_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let before = MIGRATIONS.len() - 1;
        drop(earlier(&path, before));
        connect(&Data::File(path.clone())).unwrap();
        assert_eq!(backups::all(&path).unwrap(), [folder.path().join(format!("desk.db.schema-{before}.backup"))]);

        let new = folder.path().join("new.db");
        connect(&Data::File(new.clone())).unwrap();
        assert!(backups::all(&new).unwrap().is_empty());
    }
}
