//! Opening a database: its file, its settings, its tables, and our SQL functions. A file of another
//! program is detected before SQLite opens it for writing, and left as it is.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Conn, DbError, Storage, backups, open_postgres, sqlite_functions};
use crate::platform::files::private_file_options;
use crate::schema::{self, FileOwner, SqliteSchema, TableState};

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        DbError::Sql(error.into())
    }
}

/// The version of the tables that the first migration makes, in both engines.
pub(super) const FIRST_VERSION: i64 = 101;

/// The tables. Files are marked `gtrs`; the console's store has another mark.
const SCHEMA: SqliteSchema = SqliteSchema {
    application_id: 0x6774_7273,
    first_version: FIRST_VERSION,
    migrations: &[include_str!("migrations/0001_initial.sql")],
};

/// Files up to this size are checked whenever they are opened: that takes less than a tenth of a
/// second.
const MAX_INTEGRITY_CHECK_BYTES: u64 = 64 << 20;

/// Opens a database for writing, and creates or migrates its tables. A new file is readable only by
/// its owner. A file that is small or was not closed cleanly is checked first, so that damaged
/// files are not written to.
///
/// # Errors
/// If it cannot be opened, belongs to another program, is damaged, or was written by a newer version
/// or an unreleased one.
pub fn open_writer(data: &Storage) -> Result<Conn, DbError> {
    match data {
        Storage::Memory => {
            let mut conn = Connection::open_in_memory()?;
            configure(&mut conn)?;
            SCHEMA.create(&conn)?;
            Ok(Conn::from_sqlite(conn))
        }
        Storage::File(path) => Ok(Conn::from_sqlite(open_file(path, CheckTime::First)?.0)),
        Storage::Postgres(config) => Ok(open_postgres::open_writer(config)?),
    }
}

/// When a large file is checked that was not closed cleanly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckTime {
    First,
    /// By the caller, who may use it meanwhile.
    Later,
}

/// Opens a file for writing. Returns whether it must be checked now.
fn open_file(path: &Path, time: CheckTime) -> Result<(Connection, bool), DbError> {
    reject_foreign_file(path).map_err(|error| error.with_file(path))?;
    // looked at before SQLite opens the file, because the first read creates a log
    let was_closed = schema::was_closed_cleanly(path);
    let is_small =
        std::fs::metadata(path).map_or(0, |file| file.len()) <= MAX_INTEGRITY_CHECK_BYTES;
    create_private_file(path)?;
    let open = || {
        let mut conn = Connection::open(path)?;
        configure(&mut conn)?;
        let is_current = SCHEMA.table_state::<DbError>(&conn)? == TableState::Current;
        let is_later = time == CheckTime::Later && !is_small && is_current;
        if is_small || !was_closed && !is_later {
            backups::check_integrity(&conn)?;
        }
        write_ahead(&conn, "FULL")?;
        migrate(&mut conn, path, &SCHEMA)?;
        if is_later && !was_closed {
            set_check_due(&conn, true)?;
        }
        let is_due = is_later && is_check_due(&conn)?;
        Ok((conn, is_due))
    };
    open().map_err(|error: DbError| error.with_file(path))
}

/// Whether the check of a large file that was not closed cleanly has not been finished yet, maybe
/// for several starts.
fn is_check_due(conn: &Connection) -> Result<bool, DbError> {
    Ok(conn
        .prepare("SELECT 1 FROM remembered WHERE name = 'check_due'")?
        .exists([])?)
}

pub(super) fn set_check_due(conn: &Connection, is_due: bool) -> Result<(), DbError> {
    conn.execute_batch(match is_due {
        true => "INSERT INTO remembered VALUES ('check_due', 1) ON CONFLICT DO NOTHING",
        false => "DELETE FROM remembered WHERE name = 'check_due'",
    })?;
    Ok(())
}

/// Rejects files of other programs without writing anything to them or next to them.
fn reject_foreign_file(path: &Path) -> Result<(), DbError> {
    let foreign = |what: &str| {
        Err(DbError::Foreign {
            path: path.to_owned(),
            what: what.to_owned(),
        })
    };
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return foreign("it is not a regular file");
    }
    match SCHEMA.find_owner::<DbError>(path)? {
        FileOwner::Nobody | FileOwner::Us => Ok(()),
        FileOwner::OtherProgram => foreign("it is another program's database"),
        FileOwner::Unknown if backups::list(path)?.is_empty() => {
            foreign("it is not an SQLite file")
        }
        // it has backups: it was ours
        FileOwner::Unknown => Err(DbError::Damaged {
            path: path.to_owned(),
            what: "it is not an SQLite file".to_owned(),
            advice: String::new(),
        }),
    }
}

/// The connections of a service.
pub(super) struct OpenedDatabase {
    /// One for a file, which has one writer at a time.
    pub writers: Vec<Conn>,
    pub readers: Vec<Conn>,
    /// The file, if it must be checked while it is in use.
    pub unchecked: Option<PathBuf>,
}

/// Opens as many writers, if there can be more than one, and readers. A large file is not checked
/// before it is used.
pub(super) fn open_connections(
    data: &Storage,
    writers_count: usize,
    readers_count: usize,
) -> Result<OpenedDatabase, DbError> {
    let readers = |path: &Path| {
        (0..readers_count)
            .map(|_| open_reader(path))
            .collect::<Result<Vec<_>, _>>()
    };
    match data {
        Storage::File(path) => {
            let (writer, is_due) = open_file(path, CheckTime::Later)?;
            Ok(OpenedDatabase {
                writers: vec![Conn::from_sqlite(writer)],
                readers: readers(path)?,
                unchecked: is_due.then(|| path.clone()),
            })
        }
        Storage::Postgres(config) => {
            let mut writers = vec![open_postgres::open_writer(config)?];
            let connect = |count: usize| {
                (0..count)
                    .map(|_| open_postgres::open_connection(config))
                    .collect::<Result<Vec<_>, _>>()
            };
            writers.extend(connect(writers_count.saturating_sub(1))?);
            Ok(OpenedDatabase {
                writers,
                readers: connect(readers_count)?,
                unchecked: None,
            })
        }
        // A database in SQLite's own memory only exists within one connection. This one is in a
        // file that is deleted as soon as all connections have opened it and its log, and that is
        // never flushed.
        Storage::Memory => {
            let folder = create_temporary_folder()?;
            let path = folder.path().join("memory.db");
            create_private_file(&path)?;
            let mut writer = Connection::open(&path)?;
            configure(&mut writer)?;
            write_ahead(&writer, "OFF")?;
            // Before there are tables: each connection would read their definitions now, and again
            // once they are filled.
            let readers = readers(&path)?;
            for conn in readers.iter().filter_map(Conn::sqlite).chain([&writer]) {
                SCHEMA.table_state::<DbError>(conn)?;
            }
            folder.close()?;
            SCHEMA.migrate::<DbError>(&mut writer)?;
            Ok(OpenedDatabase {
                writers: vec![Conn::from_sqlite(writer)],
                readers,
                unchecked: None,
            })
        }
    }
}

/// Has a connection write to a log, and flush it as `synchronous` says.
fn write_ahead(conn: &Connection, synchronous: &str) -> Result<(), DbError> {
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", synchronous)?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    Ok(())
}

/// Opens another, read-only connection to a file that [`open_writer`] has opened.
pub fn open_reader(path: &Path) -> Result<Conn, DbError> {
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    configure(&mut conn)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?; // not for the writer, which sorts whole indexes: those go to disk
    Ok(Conn::from_sqlite(conn))
}

fn configure(conn: &mut Connection) -> Result<(), DbError> {
    conn.busy_handler(Some(wait_for_lock))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "cache_size", -32 * 1024)?; // KiB
    conn.pragma_update(None, "mmap_size", 256 << 20)?;
    conn.set_prepared_statement_cache_capacity(256);
    // Keeps plans independent of bound values: otherwise cached statements would be recompiled for
    // every new value.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(sqlite_functions::register_functions(conn)?)
}

/// Creates a folder for the files of one run, which is deleted with the value.
pub fn create_temporary_folder() -> Result<tempfile::TempDir, DbError> {
    let advise = |error: io::Error| {
        io::Error::new(
            error.kind(),
            format!("{error}; set TMPDIR to a folder that can be written"),
        )
    };
    Ok(tempfile::tempdir().map_err(advise)?)
}

/// Waits a moment for a lock of another connection, for five seconds in all. SQLite's own timeout
/// waits longer each time, and misses the pauses of an import.
fn wait_for_lock(attempts: i32) -> bool {
    std::thread::sleep(std::time::Duration::from_millis(1));
    attempts < 5000
}

/// Creates or migrates the tables of a file; one that has some is backed up first.
fn migrate(conn: &mut Connection, path: &Path, schema: &SqliteSchema) -> Result<(), DbError> {
    if let TableState::Outdated { version } = schema.table_state::<DbError>(conn)? {
        backups::write_backup(conn, path, &format!("{}{version}", backups::SCHEMA_TAG))?;
    }
    schema.migrate(conn)
}

/// Creates a file that only its owner may read and write, unless it exists.
pub(super) fn create_private_file(path: &Path) -> Result<(), DbError> {
    let opened = private_file_options().create(true).append(true).open(path);
    opened.map(drop).map_err(|error| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let why = match folder {
            Some(folder) => format!("the folder {} does not exist", folder.display()),
            None => format!("{}: {error}", path.display()),
        };
        std::io::Error::new(error.kind(), why).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::files::path_with_suffix;
    use crate::service::db::sql::SqlError;

    #[test]
    fn a_file_is_flushed_at_every_commit() {
        let room = tempfile::tempdir().unwrap();
        let conn = open_writer(&Storage::File(room.path().join("desk.db"))).unwrap();
        assert_eq!(
            conn.sqlite()
                .unwrap()
                .pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0))
                .unwrap(),
            2
        );
    }

    /// The files of a folder with their content.
    fn folder_contents(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let mut files: Vec<_> = entries
            .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn a_foreign_file_is_rejected_in_one_line_and_nothing_is_written_to_its_folder() {
        let marked = "PRAGMA application_id = 77; CREATE TABLE notes (text TEXT);";
        for (what, sql) in [
            (
                "another program's tables",
                "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine');",
            ),
            (
                "a write-ahead log",
                "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT);",
            ),
            ("another program's application id", marked),
            (
                "a version",
                "PRAGMA user_version = 3; CREATE TABLE projects (name TEXT);",
            ),
            (
                "the console's store",
                "PRAGMA application_id = 0x67747279; PRAGMA user_version = 8; CREATE TABLE ledger (at INTEGER);",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("notes 50%#1?.db");
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let before = folder_contents(folder.path());
            let error = open_writer(&Storage::File(path.clone()))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("notes 50%#1?.db is not a gantry database") && !error.contains('\n'),
                "{what}: {error}"
            );
            assert_eq!(folder_contents(folder.path()), before, "{what}");
        }
    }

    #[test]
    fn a_foreign_file_in_use_is_rejected_and_its_wal_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT);")
            .unwrap();
        let before = folder_contents(folder.path());
        let error = open_writer(&Storage::File(path.clone()))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("notes.db is not a gantry database"),
            "{error}"
        );
        let names = |files: &[(std::ffi::OsString, Vec<u8>)]| {
            files
                .iter()
                .map(|(name, _)| name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&folder_contents(folder.path())), names(&before));
        assert_eq!(folder_contents(folder.path())[0], before[0]);
        other
            .execute_batch("INSERT INTO notes VALUES ('mine')")
            .unwrap();
    }

    #[test]
    fn a_file_that_an_earlier_build_made_is_refused_in_one_line_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let earlier = "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x67747273;
            CREATE TABLE accounts (id BLOB); PRAGMA user_version = 100;";
        Connection::open(&path)
            .unwrap()
            .execute_batch(earlier)
            .unwrap();
        let before = folder_contents(folder.path());
        let error = open_writer(&Storage::File(path)).unwrap_err().to_string();
        assert_eq!(
            error,
            "it was made by an earlier build of gantry, schema 100; export what you need with that \
             build, and import it with this one into a new file or database"
        );
        assert_eq!(folder_contents(folder.path()), before);
    }

    /// A file too large to be checked at every start, with a damaged page, that its last user has
    /// not closed.
    fn large_corrupt_file(path: &Path) -> Conn {
        let conn = open_writer(&Storage::File(path.to_owned())).unwrap();
        let pad = MAX_INTEGRITY_CHECK_BYTES as i64 + (1 << 20);
        conn.execute("INSERT INTO remembered VALUES ('pad', zeroblob(?1))", [pad])
            .unwrap();
        let page: i64 = conn
            .query_row(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'members'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        let size: i64 = conn
            .query_row("PRAGMA page_size", [], |row| row.get(0))
            .unwrap();
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        std::io::Seek::seek(
            &mut file,
            std::io::SeekFrom::Start(((page - 1) * size) as u64),
        )
        .unwrap();
        std::io::Write::write_all(&mut file, &[0xff; 64]).unwrap();
        conn
    }

    #[test]
    fn a_large_file_is_checked_only_if_it_was_not_closed_cleanly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        drop(large_corrupt_file(&path));
        assert!(!path_with_suffix(&path, "-wal").exists(), "it was closed");
        for _ in 0..2 {
            open_writer(&Storage::File(path.clone()))
                .expect("a file that was closed cleanly is not checked");
        }

        let path = folder.path().join("killed.db");
        let conn = large_corrupt_file(&path);
        conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", [])
            .unwrap();
        assert!(path_with_suffix(&path, "-wal").exists(), "it is open");
        assert!(matches!(
            open_writer(&Storage::File(path.clone())),
            Err(DbError::Damaged { .. })
        ));
    }

    #[tokio::test]
    async fn a_large_file_in_use_is_checked_until_the_check_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let [path, sound] = ["killed.db", "sound.db"].map(|name| folder.path().join(name));
        let is_due = |path: &Path| is_check_due(&Connection::open(path).unwrap()).unwrap();
        // closed by a first service before the check is done, or after it
        for _ in 0..2 {
            let conn = (!path.exists()).then(|| large_corrupt_file(&path));
            if let Some(conn) = &conn {
                conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", [])
                    .unwrap();
            }
            let database = super::super::Database::open(&Storage::File(path.clone())).unwrap();
            assert!(is_due(&path));
            drop(conn);
            database.close();
        }
        let database = super::super::Database::open(&Storage::File(path.clone())).unwrap();
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let write = || {
            database.write(|conn| conn.execute("DELETE FROM remembered WHERE name = 'a mark'", []))
        };
        while !matches!(write().await, Err(SqlError::FoundDamaged)) {
            assert!(std::time::Instant::now() < limit, "the damage is not found");
        }
        assert!(is_due(&path));
        database.close();

        let conn = open_writer(&Storage::File(sound.clone())).unwrap();
        let pad = MAX_INTEGRITY_CHECK_BYTES as i64 + (1 << 20);
        conn.execute("INSERT INTO remembered VALUES ('pad', zeroblob(?1))", [pad])
            .unwrap();
        conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            .unwrap();
        let database = super::super::Database::open(&Storage::File(sound.clone())).unwrap();
        while is_due(&sound) {
            assert!(std::time::Instant::now() < limit, "the check does not end");
        }
        drop(conn);
        database.close();
        assert!(!is_due(&sound));
    }

    #[test]
    fn a_file_is_backed_up_before_a_migration_and_a_new_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        drop(open_writer(&Storage::File(path.clone())).unwrap());
        assert!(backups::list(&path).unwrap().is_empty());

        const NEXT: SqliteSchema = SqliteSchema {
            migrations: &[
                SCHEMA.migrations[0],
                "ALTER TABLE users ADD COLUMN pronouns TEXT",
            ],
            ..SCHEMA
        };
        let mut conn = Connection::open(&path).unwrap();
        for _ in 0..2 {
            migrate(&mut conn, &path, &NEXT).unwrap();
        }
        conn.prepare("SELECT pronouns FROM users").unwrap();
        let copy = folder
            .path()
            .join(format!("desk.db.schema-{FIRST_VERSION}.backup"));
        assert_eq!(backups::list(&path).unwrap(), std::slice::from_ref(&copy));
        open_writer(&Storage::File(copy)).expect("a copy can be served as it is");
        let error = open_writer(&Storage::File(path)).unwrap_err().to_string();
        assert!(error.contains("install the newer version"), "{error}");
    }
}
