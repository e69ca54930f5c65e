//! Opening a database: its file, its settings, its tables, and the functions that our SQL calls. A file that is another program's is
//! found out before SQLite opens it for writing, and left as it is.

use std::io::Read;
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

/// `gtrs`, the service's mark in the header of its files. The console's store has another.
const APPLICATION_ID: u32 = 0x6774_7273;
/// What every SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The first version's tables, by which a file from before the mark is known.
const FIRST_TABLES: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

/// A file up to this size is checked whenever it is opened: that takes less than a tenth of a second.
const CHECKED: u64 = 64 << 20;

/// Opens a database for writing, and makes or migrates its tables. A new file is for its owner's eyes only. A file that is small, or
/// that nobody closed, is checked first: what is damaged is not written to.
///
/// # Errors
/// When it cannot be opened, is another program's, is damaged or was written by a later version.
pub fn connect(data: &Data) -> Result<Connection, Error> {
    match data {
        Data::Memory => settled(Connection::open_in_memory()?, None),
        Data::File(path) => {
            refuse_foreign(path).map_err(|error| error.of_file(path))?;
            // asked before SQLite opens the file: the first read makes a log where there is none
            let is_checked = !was_closed(path) || std::fs::metadata(path).map_or(0, |file| file.len()) <= CHECKED;
            make_private(path)?;
            settled(Connection::open(path)?, Some((path, is_checked))).map_err(|error| error.of_file(path))
        }
    }
}

fn settled(mut conn: Connection, file: Option<(&Path, bool)>) -> Result<Connection, Error> {
    settle(&conn)?;
    if file.is_some_and(|(_, is_checked)| is_checked) {
        backups::check(&conn)?;
    }
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    migrate(&mut conn, file.map(|(path, _)| path))?;
    Ok(conn)
}

/// Whether whoever used the file last closed it.
fn was_closed(path: &Path) -> bool {
    !backups::beside(path, "-wal").exists() && !backups::beside(path, "-journal").exists()
}

/// Refuses a file that is not ours. Nothing is written beside it, neither: its header is read as a file, and its tables without its
/// log, unless there is one.
fn refuse_foreign(path: &Path) -> Result<(), Error> {
    let foreign = |what: &str| Err(Error::Foreign { path: path.to_owned(), what: what.to_owned() });
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(file) if !file.is_file() => return foreign("it is not a regular file"),
        Ok(file) if file.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let mut header = Vec::new();
    std::fs::File::open(path)?.take(100).read_to_end(&mut header)?;
    let number = |at: usize| header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes);
    if !header.starts_with(MAGIC) {
        // with a copy beside it, it was ours
        if backups::all(path)?.is_empty() {
            return foreign("it is not an SQLite file");
        }
        return Err(Error::Damaged { path: path.to_owned(), what: "it is not an SQLite file".to_owned(), advice: String::new() });
    }
    match number(68) {
        APPLICATION_ID => Ok(()),
        0 if is_from_before(path)? => Ok(()),
        _ => foreign("it is another program's database"),
    }
}

/// Whether a file without a mark is ours: an earlier version made it, or nothing was ever written to it.
fn is_from_before(path: &Path) -> Result<bool, Error> {
    let look = |suffix: &str| -> Result<(bool, bool), Error> {
        let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(format!("file:{path}{suffix}"), flags)?;
        let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok((tables.is_empty(), FIRST_TABLES.iter().all(|ours| tables.iter().any(|table| table == ours))))
    };
    match look("?immutable=1")? {
        // all that was written may be in the log alone
        (true, _) if !was_closed(path) => look("").map(|(is_empty, is_ours)| is_empty || is_ours),
        (is_empty, is_ours) => Ok(is_empty || is_ours),
    }
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

    /// The files of a folder with what is in them.
    fn contents(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let mut files: Vec<_> = entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect();
        files.sort();
        files
    }

    #[test]
    fn a_file_of_another_program_is_refused_in_one_line_and_nothing_is_written_to_it_or_beside_it() {
        let marked = "PRAGMA application_id = 77; CREATE TABLE notes (text TEXT);";
        for (what, sql) in [
            ("another program's tables", "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine');"),
            ("a log of writes", "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT);"),
            ("another program's mark", marked),
            ("a version", "PRAGMA user_version = 3; CREATE TABLE projects (name TEXT);"),
            (
                "the console's store",
                "PRAGMA application_id = 0x67747279; PRAGMA user_version = 8; CREATE TABLE ledger (at INTEGER);",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("notes 50%#1?.db");
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let before = contents(folder.path());
            let error = connect(&Data::File(path.clone())).unwrap_err().to_string();
            assert!(error.contains("notes 50%#1?.db is not a gantry database") && !error.contains('\n'), "{what}: {error}");
            assert_eq!(contents(folder.path()), before, "{what}");
        }
    }

    #[test]
    fn a_file_of_another_program_that_is_in_use_is_refused_and_its_log_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT);").unwrap();
        let before = contents(folder.path());
        let error = connect(&Data::File(path.clone())).unwrap_err().to_string();
        assert!(error.contains("notes.db is not a gantry database"), "{error}");
        let names = |files: &[(std::ffi::OsString, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&contents(folder.path())), names(&before));
        assert_eq!(contents(folder.path())[0], before[0]);
        other.execute_batch("INSERT INTO notes VALUES ('mine')").unwrap();
    }

    #[test]
    fn our_files_are_marked_and_a_file_of_an_earlier_version_without_a_mark_is_opened_and_marked() {
        let folder = tempfile::tempdir().unwrap();
        let mark = |path: &Path| {
            let conn = connect(&Data::File(path.to_owned())).unwrap();
            conn.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0)).unwrap()
        };
        let new = folder.path().join("new.db");
        assert_eq!(mark(&new), i64::from(APPLICATION_ID));
        assert_eq!(&std::fs::read(&new).unwrap()[68..72], b"gtrs");
        for versions in [1, 7, MIGRATIONS.len()] {
            let old = folder.path().join(format!("old-{versions}.db"));
            drop(earlier(&old, versions));
            assert_eq!(mark(&old), i64::from(APPLICATION_ID), "{versions}");
        }
        // killed before its log was folded into the file
        let (killed, copy) = (folder.path().join("killed.db"), folder.path().join("copy.db"));
        Connection::open(&killed).unwrap().pragma_update(None, "journal_mode", "WAL").unwrap();
        let running = earlier(&killed, 2);
        for ending in ["", "-wal"] {
            std::fs::copy(backups::beside(&killed, ending), backups::beside(&copy, ending)).unwrap();
        }
        drop(running);
        assert_eq!(mark(&copy), i64::from(APPLICATION_ID));
    }

    /// A sound file, too large to be checked at every start, whose last user has not closed it; with a damaged page.
    fn large_and_damaged(path: &Path) -> Connection {
        let conn = connect(&Data::File(path.to_owned())).unwrap();
        let pad = CHECKED as i64 + (1 << 20);
        conn.execute("INSERT INTO remembered VALUES ('pad', zeroblob(?1))", [pad]).unwrap();
        let page: i64 =
            conn.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'members'", [], |row| row.get(0)).unwrap();
        let size: i64 = conn.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(((page - 1) * size) as u64)).unwrap();
        std::io::Write::write_all(&mut file, &[0xff; 64]).unwrap();
        conn
    }

    #[test]
    fn a_large_file_is_checked_when_nobody_closed_it_and_only_then() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        drop(large_and_damaged(&path));
        assert!(!backups::beside(&path, "-wal").exists(), "it was closed");
        for _ in 0..2 {
            connect(&Data::File(path.clone())).expect("a file that was closed is not read through");
        }

        let path = folder.path().join("killed.db");
        let conn = large_and_damaged(&path);
        conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", []).unwrap();
        assert!(backups::beside(&path, "-wal").exists(), "it is open");
        assert!(matches!(connect(&Data::File(path.clone())), Err(Error::Damaged { .. })));
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
