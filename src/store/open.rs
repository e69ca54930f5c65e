//! Opening the store's file: for its owner alone, one console at a time while tables are made, and never at the price of a start.
//!
//! A file that cannot be read is set aside and a new one begins; a file of a newer version, or of another program, is left as it
//! is. Where there is no file to be had the store is in memory. Each of these is said in one line; that a new file has to do with the
//! older journal is said as well, once.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// `gtry`, so that `file` and we know our own.
const STORE_APPLICATION_ID: i64 = 0x6774_7279;
/// The tables, version by version: `user_version` says how many of these a file has had.
const STORE_MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_ledger.sql"),
    include_str!("migrations/0002_records.sql"),
    include_str!("migrations/0003_journal.sql"),
    include_str!("migrations/0004_drafts.sql"),
    include_str!("migrations/0005_runs.sql"),
    include_str!("migrations/0006_ledger_budgets.sql"),
    include_str!("migrations/0007_acts_applied.sql"),
    include_str!("migrations/0008_indexes.sql"),
    include_str!("migrations/0009_write_counts.sql"),
    include_str!("migrations/0010_write_target.sql"),
];
/// A file up to this size is looked through whenever it is opened: that takes a hundredth of a second.
const INTEGRITY_CHECK_MAX_BYTES: u64 = 8 << 20;
/// How long another process may take with the file, or with one write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a file is not used.
enum Unusable {
    /// It is damaged.
    Corrupt(String),
    /// It is left alone; the words say why.
    Skipped(String),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Unusable::Corrupt(error.to_string()),
            _ => Unusable::Skipped(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Unusable {
    fn from(error: std::io::Error) -> Self {
        Unusable::Skipped(error.to_string())
    }
}

/// A store that was opened.
pub(super) struct OpenedStore {
    /// The file, or memory in its place.
    pub connection: Connection,
    /// What the person should know of it.
    pub notice: Option<String>,
    /// Why it is memory, where it should be a file.
    pub persistence_error: Option<String>,
}

/// The file, or memory in its place, and what the person should know of that.
pub(super) fn open_store(file: Option<&Path>, now: DateTime<Utc>) -> rusqlite::Result<OpenedStore> {
    let unkept = match file.map(|file| open_file(file, now)) {
        Some(Ok((connection, note))) => return Ok(OpenedStore { connection, notice: note, persistence_error: None }),
        Some(Err(Unusable::Corrupt(why) | Unusable::Skipped(why))) => {
            format!("{} is not used ({why})", file.unwrap_or(Path::new("")).display())
        }
        None => "no state directory".to_owned(),
    };
    let note = Some(format!("{unkept}: what was spent and done is not kept"));
    Ok(OpenedStore { connection: open_in_memory()?, notice: note, persistence_error: Some(unkept) })
}

/// A store that is gone with the program.
pub(super) fn open_in_memory() -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    migrate(&mut connection, 0)?;
    Ok(connection)
}

fn open_file(file: &Path, now: DateTime<Utc>) -> Result<(Connection, Option<String>), Unusable> {
    let directory = file.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let beside = file.with_extension("lock");
    // A pipe would be waited for, without an end.
    if [file, &beside].into_iter().any(|path| fs::metadata(path).is_ok_and(|there| !there.is_file())) {
        return Err(Unusable::Skipped("it is no file".to_owned()));
    }
    // Held while the file is looked at: two that start at once must not both set it aside.
    let _lock = lock_file(&beside)?;
    match open_or_create(file) {
        Ok(opened) => Ok(opened),
        Err(Unusable::Corrupt(why)) => {
            let aside = quarantine(file, now)?;
            let (connection, _) = open_or_create(file)?;
            Ok((
                connection,
                Some(format!("{} was damaged ({why}) and is now {}; a new one begins", file.display(), aside.display())),
            ))
        }
        Err(alone) => Err(alone),
    }
}

fn open_or_create(file: &Path) -> Result<(Connection, Option<String>), Unusable> {
    if is_foreign(file)? {
        return Err(Unusable::Skipped("it is another program's".to_owned()));
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    prepare(Connection::open(file)?, file)
}

/// Whether a file is another program's database, by its header and its tables; nothing is written to it or beside it. What is no
/// database at all, or has nothing in it, is not decided here.
fn is_foreign(file: &Path) -> Result<bool, Unusable> {
    let mut header = Vec::new();
    match File::open(file) {
        Ok(file) => file.take(100).read_to_end(&mut header)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let owner = header.get(68..72).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    match owner {
        Some(0) if header.starts_with(b"SQLite format 3\0") => {}
        Some(owner) => return Ok(header.starts_with(b"SQLite format 3\0") && i64::from(owner) != STORE_APPLICATION_ID),
        None => return Ok(false),
    }
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    // our mark and our first table come with one commit
    Ok(connection.query_row("SELECT count(*) > 0 FROM sqlite_schema", [], |row| row.get(0))?)
}

/// Makes a file that was opened fit to be worked with, and answers what the person should know of it.
fn prepare(mut connection: Connection, file: &Path) -> Result<(Connection, Option<String>), Unusable> {
    // A log that is there before anything was read is of somebody who is at work, or who never closed the file.
    let is_checked = fs::metadata(file)?.len() <= INTEGRITY_CHECK_MAX_BYTES || with_suffix(file, "-wal").exists();
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let owner: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let known = STORE_MIGRATIONS.len() as i64;
    if owner != STORE_APPLICATION_ID && (owner != 0 || found != 0) {
        return Err(Unusable::Skipped("it is another program's".to_owned()));
    }
    if found > known {
        return Err(Unusable::Skipped(format!(
            "it is of version {found} and this program knows {known}: a newer gantry made it"
        )));
    }
    if is_checked {
        let health: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if health != "ok" {
            return Err(Unusable::Corrupt(health));
        }
    }
    let journal = set_durability(&connection)?;
    if found > 0 && found < known {
        back_up(&connection, &file.with_extension(format!("v{found}.db")))?;
    }
    migrate(&mut connection, found)?;
    let is_told = found > 0 || journal == "wal";
    let note = || format!("{} is where no write-ahead log can be: its older journal is used, as safe and slower", file.display());
    Ok((connection, (!is_told).then(note)))
}

/// Each commit is on the disk before it is told. Where the file system has no shared memory, as over a network, SQLite stays with its
/// older journal, which is as safe. Answers the journal that is used.
fn set_durability(connection: &Connection) -> rusqlite::Result<String> {
    let journal = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
    Ok(journal)
}

/// A copy as the file was before its tables change: a program that went wrong is gone back from.
fn back_up(connection: &Connection, to: &Path) -> Result<(), Unusable> {
    let _ = fs::remove_file(to);
    OpenOptions::new().append(true).create(true).mode(0o600).open(to)?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(())
}

fn migrate(connection: &mut Connection, found: i64) -> rusqlite::Result<()> {
    for (version, tables) in (1i64..).zip(STORE_MIGRATIONS).skip(found.max(0) as usize) {
        let tx = connection.transaction()?;
        tx.execute_batch(tables)?;
        tx.pragma_update(None, "application_id", STORE_APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
}

/// The kernel's lock on a file beside: gone with the process that holds it.
fn lock_file(path: &Path) -> Result<File, Unusable> {
    const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    for _ in 0..BUSY_TIMEOUT.as_millis() / LOCK_RETRY_INTERVAL.as_millis() {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
            Err(fs::TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(Unusable::Skipped("another console holds it".to_owned()))
}

/// Renames a file, with what SQLite keeps beside it.
fn quarantine(file: &Path, now: DateTime<Utc>) -> Result<PathBuf, Unusable> {
    let aside = with_suffix(file, &format!(".corrupt-{}", now.format("%Y%m%dT%H%M%SZ")));
    fs::rename(file, &aside)?;
    for ending in ["-wal", "-shm"] {
        let _ = fs::rename(with_suffix(file, ending), with_suffix(&aside, ending));
    }
    Ok(aside)
}

fn with_suffix(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_wal_support_the_rollback_journal_is_used_and_reported_once() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("desk.db");
        let mut notes = Vec::new();
        for _ in 0..2 {
            // A way to files that has no shared memory, as a home over a network has none.
            let flags = rusqlite::OpenFlags::default();
            let opened = Connection::open_with_flags_and_vfs(&file, flags, c"unix-dotfile").unwrap();
            let Ok((connection, note)) = prepare(opened, &file) else { panic!("it can be worked with") };
            let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
            let full: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
            assert_eq!((mode.as_str(), full), ("delete", 2));
            notes.push(note.unwrap_or_default());
        }
        assert!(notes[0].contains("older journal") && notes[1].is_empty(), "{notes:?}");
    }

    #[test]
    fn a_file_of_another_program_is_left_untouched() {
        for sql in [
            "CREATE TABLE notes (text TEXT)",
            "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)",
            "PRAGMA application_id = 77; PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)",
        ] {
            let room = tempfile::tempdir().unwrap();
            let file = room.path().join("desk.db");
            Connection::open(&file).unwrap().execute_batch(sql).unwrap();
            let before = fs::read(&file).unwrap();
            let OpenedStore { notice: note, .. } = open_store(Some(&file), Utc::now()).unwrap();
            let note = note.unwrap_or_default();
            assert!(note.contains("desk.db is not used (it is another program's)"), "{sql}: {note}");
            let mut names: Vec<_> = fs::read_dir(room.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["desk.db", "desk.lock"], "{sql}");
            assert!(fs::read(&file).unwrap() == before, "{sql}");
        }
    }

    #[test]
    fn a_file_is_flushed_at_every_commit() {
        let room = tempfile::tempdir().unwrap();
        let OpenedStore { connection, notice: note, .. } = open_store(Some(&room.path().join("desk.db")), Utc::now()).unwrap();
        let full: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        assert_eq!((full, note), (2, None));
    }
}
