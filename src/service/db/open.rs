//! Opening a database: its file, its settings, its tables, and our SQL functions. A file of another
//! program is detected before SQLite opens it for writing, and left as it is.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Conn, DbError, Storage, backups, open_postgres, sqlite_functions};
use crate::platform::files::private_file_options;

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        DbError::Sql(error.into())
    }
}

/// The migrations: `user_version` counts how many of them a file has had.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_index.sql"),
    include_str!("migrations/0002_workspace.sql"),
    include_str!("migrations/0003_search.sql"),
    include_str!("migrations/0004_outbox.sql"),
    include_str!("migrations/0005_signals.sql"),
    include_str!("migrations/0006_project_status.sql"),
    include_str!("migrations/0007_rare_filter_indexes.sql"),
    include_str!("migrations/0008_natural_keys.sql"),
    include_str!("migrations/0009_relation_index.sql"),
    include_str!("migrations/0010_source_rows.sql"),
    include_str!("migrations/0011_index_changes.sql"),
    include_str!("migrations/0012_queue_signals.sql"),
    include_str!("migrations/0013_join_codes.sql"),
    include_str!("migrations/0014_token_use.sql"),
    include_str!("migrations/0015_token_workspace.sql"),
];

/// `gtrs`, the application id of the service's files. The console's store has another.
const APPLICATION_ID: u32 = 0x6774_7273;
/// The header of every SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// The tables of the first version, which identify files from before the application id.
const FIRST_TABLES: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

/// Files up to this size are checked whenever they are opened: that takes less than a tenth of a
/// second.
const MAX_INTEGRITY_CHECK_BYTES: u64 = 64 << 20;

/// Opens a database for writing, and creates or migrates its tables. A new file is readable only by
/// its owner. A file that is small or was not closed cleanly is checked first, so that damaged
/// files are not written to.
///
/// # Errors
/// If it cannot be opened, belongs to another program, is damaged, or was written by a newer
/// version.
pub fn open_writer(data: &Storage) -> Result<Conn, DbError> {
    match data {
        Storage::Memory => {
            let mut conn = Connection::open_in_memory()?;
            configure(&mut conn)?;
            migrate(&mut conn, None)?;
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
    let was_closed = was_closed_cleanly(path);
    let is_small =
        std::fs::metadata(path).map_or(0, |file| file.len()) <= MAX_INTEGRITY_CHECK_BYTES;
    create_private_file(path)?;
    let open = || {
        let mut conn = Connection::open(path)?;
        configure(&mut conn)?;
        let is_current = schema_version(&conn).is_ok_and(|found| found == MIGRATIONS.len() as i64);
        let is_later = time == CheckTime::Later && !is_small && is_current;
        if is_small || !was_closed && !is_later {
            backups::check_integrity(&conn)?;
        }
        write_ahead(&conn, "FULL")?;
        migrate(&mut conn, Some(path))?;
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

fn schema_version(conn: &Connection) -> Result<i64, DbError> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Whether the last user of the file closed it.
fn was_closed_cleanly(path: &Path) -> bool {
    !backups::path_with_suffix(path, "-wal").exists()
        && !backups::path_with_suffix(path, "-journal").exists()
}

/// Rejects files of other programs without writing anything next to them: the header is read as a
/// plain file, and the tables without the log unless there is one.
fn reject_foreign_file(path: &Path) -> Result<(), DbError> {
    let foreign = |what: &str| {
        Err(DbError::Foreign {
            path: path.to_owned(),
            what: what.to_owned(),
        })
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(file) if !file.is_file() => return foreign("it is not a regular file"),
        Ok(file) if file.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let mut header = Vec::new();
    std::fs::File::open(path)?
        .take(100)
        .read_to_end(&mut header)?;
    let number = |at: usize| {
        header
            .get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u32::from_be_bytes)
    };
    if !header.starts_with(SQLITE_MAGIC) {
        // if it has backups, it was ours
        if backups::list(path)?.is_empty() {
            return foreign("it is not an SQLite file");
        }
        return Err(DbError::Damaged {
            path: path.to_owned(),
            what: "it is not an SQLite file".to_owned(),
            advice: String::new(),
        });
    }
    match number(68) {
        APPLICATION_ID => Ok(()),
        0 if is_unmarked_gantry_file(path)? => Ok(()),
        _ => foreign("it is another program's database"),
    }
}

/// Whether a file without an application id is ours: created by an earlier version, or never
/// written to.
fn is_unmarked_gantry_file(path: &Path) -> Result<bool, DbError> {
    let look = |suffix: &str| -> Result<(bool, bool), DbError> {
        let path = path
            .to_string_lossy()
            .replace('%', "%25")
            .replace('?', "%3f")
            .replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(format!("file:{path}{suffix}"), flags)?;
        let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let tables: Vec<String> = tables
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok((
            tables.is_empty(),
            FIRST_TABLES
                .iter()
                .all(|ours| tables.iter().any(|table| table == ours)),
        ))
    };
    match look("?immutable=1")? {
        // all tables may still be in the log
        (true, _) if !was_closed_cleanly(path) => {
            look("").map(|(is_empty, is_ours)| is_empty || is_ours)
        }
        (is_empty, is_ours) => Ok(is_empty || is_ours),
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
                schema_version(conn)?;
            }
            folder.close()?;
            migrate(&mut writer, None)?;
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

/// Migrates the tables; a file with content is backed up first.
fn migrate(conn: &mut Connection, file: Option<&Path>) -> Result<(), DbError> {
    let found = schema_version(conn)?;
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(DbError::TooNew { found, known });
    }
    if let Some(path) = file
        && (1..known).contains(&found)
    {
        backups::write_backup(conn, path, &format!("{}{found}", backups::SCHEMA_TAG))?;
    }
    let mark: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if mark != i64::from(APPLICATION_ID) {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    for (version, sql) in (1i64..).zip(MIGRATIONS).skip(found.max(0) as usize) {
        let tx = conn.transaction()?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
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
    use super::super::natural_keys;
    use super::*;

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

    /// A file as an earlier version left it, with this many migrations.
    fn make_earlier_version(path: &Path, versions: usize) -> Connection {
        let mut old = Connection::open(path).unwrap();
        configure(&mut old).unwrap();
        for sql in &MIGRATIONS[..versions] {
            old.execute_batch(sql).unwrap();
        }
        old.pragma_update(None, "user_version", versions as i64)
            .unwrap();
        old
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
    fn our_files_carry_an_application_id_and_older_files_without_one_receive_it() {
        let folder = tempfile::tempdir().unwrap();
        let mark = |path: &Path| {
            let conn = open_writer(&Storage::File(path.to_owned())).unwrap();
            conn.sqlite()
                .unwrap()
                .pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0))
                .unwrap()
        };
        let new = folder.path().join("new.db");
        assert_eq!(mark(&new), i64::from(APPLICATION_ID));
        assert_eq!(&std::fs::read(&new).unwrap()[68..72], b"gtrs");
        for versions in [1, 7, MIGRATIONS.len()] {
            let old = folder.path().join(format!("old-{versions}.db"));
            drop(make_earlier_version(&old, versions));
            assert_eq!(mark(&old), i64::from(APPLICATION_ID), "{versions}");
        }
        // killed before its log was checkpointed
        let (killed, copy) = (
            folder.path().join("killed.db"),
            folder.path().join("copy.db"),
        );
        Connection::open(&killed)
            .unwrap()
            .pragma_update(None, "journal_mode", "WAL")
            .unwrap();
        let running = make_earlier_version(&killed, 2);
        for ending in ["", "-wal"] {
            std::fs::copy(
                backups::path_with_suffix(&killed, ending),
                backups::path_with_suffix(&copy, ending),
            )
            .unwrap();
        }
        drop(running);
        assert_eq!(mark(&copy), i64::from(APPLICATION_ID));
    }

    #[test]
    fn tokens_of_an_older_file_count_as_used_when_they_were_issued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let rows = "INSERT INTO users (id, email) VALUES (x'01', 'ann@example.com');
                    INSERT INTO access_tokens (digest, user_id, created_at) VALUES (x'02', x'01', 77);";
        make_earlier_version(&path, 13).execute_batch(rows).unwrap();
        let conn = open_writer(&Storage::File(path)).unwrap();
        let used: i64 = conn
            .query_row("SELECT used_at FROM access_tokens", [], |row| row.get(0))
            .unwrap();
        assert_eq!(used, 77);
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
        assert!(
            !backups::path_with_suffix(&path, "-wal").exists(),
            "it was closed"
        );
        for _ in 0..2 {
            open_writer(&Storage::File(path.clone()))
                .expect("a file that was closed cleanly is not checked");
        }

        let path = folder.path().join("killed.db");
        let conn = large_corrupt_file(&path);
        conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", [])
            .unwrap();
        assert!(
            backups::path_with_suffix(&path, "-wal").exists(),
            "it is open"
        );
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
            database.write(|conn| {
                Ok::<_, DbError>(conn.execute("DELETE FROM remembered WHERE name = 'a mark'", [])?)
            })
        };
        while !matches!(write().await, Err(DbError::FoundDamaged)) {
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
    fn an_older_file_finds_records_by_keys_with_non_ascii_letters() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let (account, contact) = (uuid::Uuid::from_u128(1), uuid::Uuid::from_u128(2));
        let old = make_earlier_version(&path, 7);
        let account_row = r#"INSERT INTO accounts (id, name, domains, created_at) VALUES (?1, 'École', '["École.example", "x.example"]', 0)"#;
        old.execute(account_row, [account]).unwrap();
        let contact_row = "INSERT INTO contacts (id, name, email, created_at) VALUES (?1, 'Émile', ' Émile@École.example', 0)";
        old.execute(contact_row, [contact]).unwrap();
        drop(old);
        let conn = open_writer(&Storage::File(path)).unwrap();
        assert_eq!(
            natural_keys::accounts_by_domain(&conn, "ÉCOLE.example").unwrap(),
            [account]
        );
        assert_eq!(
            natural_keys::accounts_by_domain(&conn, "X.example").unwrap(),
            [account]
        );
        assert_eq!(
            natural_keys::contacts_by_email(&conn, "émile@école.example").unwrap(),
            [contact]
        );
    }

    #[test]
    fn a_file_is_backed_up_before_a_migration_and_a_new_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        let before = MIGRATIONS.len() - 1;
        drop(make_earlier_version(&path, before));
        open_writer(&Storage::File(path.clone())).unwrap();
        assert_eq!(
            backups::list(&path).unwrap(),
            [folder
                .path()
                .join(format!("desk.db.schema-{before}.backup"))]
        );

        let new = folder.path().join("new.db");
        open_writer(&Storage::File(new.clone())).unwrap();
        assert!(backups::list(&new).unwrap().is_empty());
    }
}
