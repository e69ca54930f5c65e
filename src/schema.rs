//! The versions of gantry's databases: whose an SQLite file is, which version its tables have, and
//! how they become those of the present one. The service and the local store share this, and each
//! has tables of its own.
//!
//! Never here: what the tables are, and what is said about a file that cannot be used.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::platform::files::{path_with_suffix, private_file_options};

/// The header of every SQLite file, and where it has the application id.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: u64 = 100;
const APPLICATION_ID_BYTES: std::ops::Range<usize> = 68..72;

/// Why tables cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    #[error("it was made by an earlier build of gantry, schema {found}")]
    TooOld { found: i64 },
    #[error(
        "it was written by a newer gantry (schema {found}, this version supports up to {known}); install the newer version"
    )]
    TooNew { found: i64, known: i64 },
}

/// The migrations that tables of this version have not had, each with the version that it makes. A
/// database without tables has version 0. Builds from before the first release had other tables:
/// versions before the first tell their databases apart.
///
/// # Errors
/// If the version is one that this program does not know.
pub fn pending_migrations<'m>(
    first_version: i64,
    migrations: &'m [&'m str],
    found: i64,
) -> Result<impl Iterator<Item = (i64, &'m str)>, VersionError> {
    let versions = first_version..first_version + migrations.len() as i64;
    let done = match found {
        0 => 0,
        _ if versions.contains(&found) => found - first_version + 1,
        _ if found < first_version => return Err(VersionError::TooOld { found }),
        _ => {
            let known = versions.end - 1;
            return Err(VersionError::TooNew { found, known });
        }
    };
    Ok(versions.zip(migrations.iter().copied()).skip(done as usize))
}

/// The tables of a kind of SQLite file.
pub struct SqliteSchema {
    /// The number in the file that says whose it is.
    pub application_id: u32,
    /// The version that the first migration makes.
    pub first_version: i64,
    /// The first creates the tables, the others change them; `user_version` says how many a file
    /// has had.
    pub migrations: &'static [&'static str],
}

/// The tables of a file, compared with those of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableState {
    Missing,
    Outdated { version: i64 },
    Current,
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOwner {
    /// Nothing was written to it, or it does not exist.
    Nobody,
    /// Whoever has this application id.
    Us,
    OtherProgram,
    /// It is not an SQLite file.
    Unknown,
}

impl SqliteSchema {
    /// Finds out whose a file is, without writing to it or next to it: the header is read as a
    /// plain file, and the tables without the log unless they can only be there.
    pub fn find_owner<E>(&self, path: &Path) -> Result<FileOwner, E>
    where
        E: From<io::Error> + From<rusqlite::Error>,
    {
        let mut header = Vec::new();
        match File::open(path) {
            Ok(file) => file.take(HEADER_BYTES).read_to_end(&mut header)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileOwner::Nobody),
            Err(error) => return Err(error.into()),
        };
        if header.is_empty() {
            return Ok(FileOwner::Nobody);
        }
        let marked = header
            .get(APPLICATION_ID_BYTES)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u32::from_be_bytes);
        let (mut marked, mut tables) = match marked {
            Some(id) if header.starts_with(SQLITE_MAGIC) => (id, 0),
            _ => return Ok(FileOwner::Unknown),
        };
        if marked == 0 {
            // without locks, a file into which another process moves its log looks damaged
            (marked, tables) = match read_mark(path, "?immutable=1") {
                Ok(found) if found.1 > 0 || was_closed_cleanly(path) => found,
                _ => read_mark(path, "")?,
            };
        }
        Ok(match marked {
            id if id == self.application_id => FileOwner::Us,
            0 if tables == 0 => FileOwner::Nobody,
            _ => FileOwner::OtherProgram,
        })
    }

    /// Compares the tables of an open file with those of this program.
    ///
    /// # Errors
    /// If their version is one that this program does not know.
    pub fn table_state<E>(&self, conn: &Connection) -> Result<TableState, E>
    where
        E: From<rusqlite::Error> + From<VersionError>,
    {
        let version = read_version(conn)?;
        let pending = self.pending_migrations(version)?.count();
        Ok(match (version, pending) {
            (0, _) => TableState::Missing,
            (_, 0) => TableState::Current,
            _ => TableState::Outdated { version },
        })
    }

    /// Creates the tables of an empty database.
    pub fn create(&self, conn: &Connection) -> rusqlite::Result<()> {
        let first = self.first_version;
        self.apply(conn, (first..).zip(self.migrations.iter().copied()))
    }

    /// Creates the tables of an open file, or changes them to those of this program: all or
    /// nothing.
    ///
    /// # Errors
    /// If their version is one that this program does not know, or the file cannot be written.
    pub fn migrate<E>(&self, conn: &mut Connection) -> Result<(), E>
    where
        E: From<rusqlite::Error> + From<VersionError>,
    {
        if self.table_state::<E>(conn)? == TableState::Current {
            return Ok(());
        }
        // looked at again by the only writer: another process may have migrated meanwhile
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let pending = self.pending_migrations(read_version(&tx)?)?;
        self.apply(&tx, pending)?;
        Ok(tx.commit()?)
    }

    fn pending_migrations(
        &self,
        found: i64,
    ) -> Result<impl Iterator<Item = (i64, &'static str)>, VersionError> {
        pending_migrations(self.first_version, self.migrations, found)
    }

    fn apply<'m>(
        &self,
        conn: &Connection,
        migrations: impl Iterator<Item = (i64, &'m str)>,
    ) -> rusqlite::Result<()> {
        conn.pragma_update(None, "application_id", self.application_id)?;
        for (version, sql) in migrations {
            conn.execute_batch(sql)?;
            conn.pragma_update(None, "user_version", version)?;
        }
        Ok(())
    }
}

fn read_version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The application id and the number of tables and indexes of a file. Both are on the first page
/// and are read together: another process may write that page at any moment.
fn read_mark(path: &Path, parameters: &str) -> rusqlite::Result<(u32, i64)> {
    let path = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(format!("file:{path}{parameters}"), flags)?;
    let sql =
        "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id";
    conn.query_row(sql, [], |row| {
        Ok((row.get::<_, i32>(0)?.cast_unsigned(), row.get(1)?))
    })
}

/// Whether the last user of the file closed it.
pub fn was_closed_cleanly(path: &Path) -> bool {
    ["-wal", "-journal"]
        .iter()
        .all(|log| !path_with_suffix(path, log).exists())
}

/// Copies an open file to another that only its owner may read. It is written under a temporary
/// name first, so that a file with the name of a copy is complete.
pub fn copy_file<E>(conn: &Connection, path: &Path, copy: &Path) -> Result<(), E>
where
    E: From<io::Error> + From<rusqlite::Error>,
{
    let part = path_with_suffix(path, ".backup-part");
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let write = || -> Result<(), E> {
        let name = part.to_str().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "SQLite copies only to paths that are UTF-8",
            )
        })?;
        private_file_options()
            .create(true)
            .append(true)
            .open(&part)?;
        conn.execute("VACUUM INTO ?1", [name])?;
        File::open(&part)?.sync_all()?; // SQLite does not sync it
        Ok(fs::rename(&part, copy)?)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD_COLUMN: &str = "ALTER TABLE notes ADD COLUMN at INTEGER NOT NULL DEFAULT 7";

    #[derive(Debug, thiserror::Error)]
    enum TestError {
        #[error(transparent)]
        File(#[from] io::Error),
        #[error(transparent)]
        Sqlite(#[from] rusqlite::Error),
        #[error(transparent)]
        Version(#[from] VersionError),
    }

    const FIRST_VERSION: i64 = 100;

    fn schema(migrations: &'static [&'static str]) -> SqliteSchema {
        SqliteSchema {
            application_id: 0x6e6f_7465,
            first_version: FIRST_VERSION,
            migrations,
        }
    }

    const FIRST: &[&str] = &["CREATE TABLE notes (text TEXT NOT NULL)"];
    const SECOND: &[&str] = &[FIRST[0], ADD_COLUMN];
    const BROKEN: &[&str] = &[FIRST[0], ADD_COLUMN, "ALTER TABLE nowhere ADD COLUMN at"];

    fn open(path: &Path, schema: &SqliteSchema) -> Result<Connection, TestError> {
        let mut conn = Connection::open(path)?;
        schema.migrate::<TestError>(&mut conn)?;
        Ok(conn)
    }

    #[test]
    fn a_file_of_the_version_before_keeps_its_rows_and_gets_the_new_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        open(&path, &schema(FIRST))
            .unwrap()
            .execute("INSERT INTO notes VALUES ('mine')", [])
            .unwrap();
        let state = |schema: &SqliteSchema| {
            schema
                .table_state::<TestError>(&Connection::open(&path).unwrap())
                .unwrap()
        };
        assert_eq!(state(&schema(FIRST)), TableState::Current);
        let version = FIRST_VERSION;
        assert_eq!(state(&schema(SECOND)), TableState::Outdated { version });
        for _ in 0..2 {
            let conn = open(&path, &schema(SECOND)).unwrap();
            let row = conn.query_row("SELECT text, at FROM notes", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            });
            assert_eq!(row.unwrap(), ("mine".to_owned(), 7));
        }
        assert_eq!(state(&schema(SECOND)), TableState::Current);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        drop(open(&path, &schema(FIRST)).unwrap());
        let before = fs::read(&path).unwrap();
        assert!(open(&path, &schema(BROKEN)).is_err());
        assert!(fs::read(&path).unwrap() == before);
    }

    #[test]
    fn tables_of_a_newer_version_or_of_a_build_before_the_first_release_are_refused() {
        let schema = schema(SECOND);
        let refused = |found| schema.pending_migrations(found).err();
        let known = FIRST_VERSION + 1;
        assert_eq!(
            refused(102),
            Some(VersionError::TooNew { found: 102, known })
        );
        for found in [1, 2, 18, FIRST_VERSION - 1] {
            assert_eq!(refused(found), Some(VersionError::TooOld { found }));
        }
        for (found, pending) in [(0, 2), (FIRST_VERSION, 1), (known, 0)] {
            assert_eq!(schema.pending_migrations(found).unwrap().count(), pending);
        }
    }

    #[test]
    fn a_file_is_ours_by_its_mark_even_while_all_of_it_is_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let [running, killed] = ["running.db", "killed.db"].map(|name| folder.path().join(name));
        let owner = |path: &Path| schema(FIRST).find_owner::<TestError>(path).unwrap();
        assert_eq!(owner(&running), FileOwner::Nobody);
        let mut conn = Connection::open(&running).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        assert_eq!(owner(&running), FileOwner::Nobody);
        schema(FIRST).migrate::<TestError>(&mut conn).unwrap();
        for ending in ["", "-wal"] {
            let [from, to] = [&running, &killed].map(|path| path_with_suffix(path, ending));
            fs::copy(from, to).unwrap();
        }
        assert_eq!(owner(&running), FileOwner::Us);
        assert_eq!(owner(&killed), FileOwner::Us);
        drop(conn);
        assert_eq!(&fs::read(&running).unwrap()[APPLICATION_ID_BYTES], b"note");
        fs::write(&running, "no database").unwrap();
        assert_eq!(owner(&running), FileOwner::Unknown);
    }

    #[test]
    fn a_file_into_which_another_process_moves_its_log_is_ours_and_not_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let [path, whole] = ["notes.db", "whole.db"].map(|name| folder.path().join(name));
        let mut conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        schema(FIRST).migrate::<TestError>(&mut conn).unwrap();
        drop(open(&whole, &schema(FIRST)).unwrap());
        // the first of two pages has arrived, as it was before it was marked
        let pages = fs::read(&whole).unwrap();
        let mut first = pages[..4096].to_vec();
        assert!(pages.len() > first.len());
        first[APPLICATION_ID_BYTES].fill(0);
        fs::write(&path, first).unwrap();
        assert!(read_mark(&path, "?immutable=1").is_err());
        let owner = schema(FIRST).find_owner::<TestError>(&path).unwrap();
        assert_eq!(owner, FileOwner::Us);
    }

    #[test]
    fn a_file_of_another_program_is_not_ours_even_while_its_tables_are_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE letters (text TEXT)")
            .unwrap();
        let owner = schema(FIRST).find_owner::<TestError>(&path).unwrap();
        assert_eq!(owner, FileOwner::OtherProgram);
    }
}
