//! Opens the store's file: private to its owner, one process at a time while tables are created,
//! and never at the cost of a start-up.
//!
//! A corrupt file is set aside and a new one is created; a file from another version or program is
//! left alone. If no file can be used, the store is in memory. Each case is reported in
//! one line, as is a new file on a file system without write-ahead logging.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, ErrorCode};

use crate::platform::files::{self, path_with_suffix};
use crate::schema::{self, FileOwner, SqliteSchema, TableState, VersionError};

/// The tables. Files are marked `gtry`, so that `file` and gantry recognize them.
const SCHEMA: SqliteSchema = SqliteSchema {
    application_id: 0x6774_7279,
    first_version: 100,
    migrations: &[
        include_str!("migrations/0001_initial.sql"),
        include_str!("migrations/0002_promises.sql"),
    ],
};
/// Files up to this size are integrity-checked at every start, which takes about 10 ms.
const INTEGRITY_CHECK_MAX_BYTES: u64 = 8 << 20;
/// How much of the file is mapped into memory, so that long lists are read without copying pages.
/// Only with a write-ahead log: that is on this machine, and nothing truncates it while it is read.
const MAX_MAPPED_BYTES: i64 = 256 << 20;
/// How long another process may lock the file, or one write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a file is not used.
enum Unusable {
    Corrupt(String),
    /// Nothing can be written where it belongs.
    NoPlace(String),
    /// It is left alone, for this reason.
    Skipped(String),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Unusable::Corrupt(error.to_string())
            }
            Some(ErrorCode::ReadOnly) => Unusable::NoPlace(error.to_string()),
            _ => Unusable::Skipped(error.to_string()),
        }
    }
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                Unusable::NoPlace(error.to_string())
            }
            _ => Unusable::Skipped(error.to_string()),
        }
    }
}

impl From<VersionError> for Unusable {
    fn from(error: VersionError) -> Self {
        Unusable::Skipped(match error {
            VersionError::TooOld { .. } => {
                format!("{error}; move it away, and a new one is created")
            }
            VersionError::TooNew { .. } => error.to_string(),
        })
    }
}

pub(super) struct OpenedStore {
    /// The file, or memory in its place.
    pub connection: Connection,
    /// A notice for the person.
    pub notice: Option<String>,
    /// Why changes must not be sent: there is a file that should have them, and it cannot be used.
    pub blocked: Option<String>,
}

/// Opens the file, or memory in its place with a notice.
pub(super) fn open_store(file: Option<&Path>, now: DateTime<Utc>) -> rusqlite::Result<OpenedStore> {
    let (message, is_blocked) = match file.map(|file| (file, open_file(file, now))) {
        Some((_, Ok((connection, notice)))) => {
            return Ok(OpenedStore {
                connection,
                notice,
                blocked: None,
            });
        }
        Some((file, Err(Unusable::Corrupt(why) | Unusable::Skipped(why)))) => {
            (format!("{} cannot be used ({why})", file.display()), true)
        }
        Some((file, Err(Unusable::NoPlace(why)))) => {
            (format!("cannot write {} ({why})", file.display()), false)
        }
        None => ("no state directory".to_owned(), false),
    };
    let notice = Some(format!("{message}: credits and changes are not saved"));
    Ok(OpenedStore {
        connection: open_in_memory()?,
        notice,
        blocked: is_blocked.then_some(message),
    })
}

/// An intentionally temporary store.
pub(super) fn open_in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    SCHEMA.create(&connection)?;
    Ok(connection)
}

fn open_file(file: &Path, now: DateTime<Utc>) -> Result<(Connection, Option<String>), Unusable> {
    let directory = file.parent().unwrap_or(Path::new("/"));
    files::create_private_folder(directory)
        .map_err(|error| Unusable::NoPlace(error.to_string()))?;
    let beside = file.with_extension("lock");
    // Opening a pipe would block forever.
    if [file, &beside]
        .into_iter()
        .any(|path| fs::metadata(path).is_ok_and(|there| !there.is_file()))
    {
        return Err(Unusable::Skipped("it is not a file".to_owned()));
    }
    // Held while the file is checked: two processes starting at once must not both set it aside.
    let _lock = files::lock_file(&beside, BUSY_TIMEOUT).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Unusable::Skipped("another console is using it".to_owned()),
        _ => error.into(),
    })?;
    match open_or_create(file) {
        Ok(opened) => Ok(opened),
        Err(Unusable::Corrupt(why)) => {
            let aside = quarantine(file, now)?;
            let (connection, _) = open_or_create(file)?;
            Ok((
                connection,
                Some(format!(
                    "{} was damaged ({why}) and moved to {}; a new file was created",
                    file.display(),
                    aside.display()
                )),
            ))
        }
        Err(alone) => Err(alone),
    }
}

fn open_or_create(file: &Path) -> Result<(Connection, Option<String>), Unusable> {
    if SCHEMA.find_owner::<Unusable>(file)? == FileOwner::OtherProgram {
        return Err(Unusable::Skipped(
            "it belongs to another program".to_owned(),
        ));
    }
    files::private_file_options()
        .append(true)
        .create(true)
        .open(file)?;
    prepare(Connection::open(file)?, file, &SCHEMA)
}

/// Migrates an opened file and returns a notice for the person.
fn prepare(
    mut connection: Connection,
    file: &Path,
    schema: &SqliteSchema,
) -> Result<(Connection, Option<String>), Unusable> {
    // A log that exists before the first read means that the file is in use or was not closed
    // properly.
    let is_checked = fs::metadata(file)?.len() <= INTEGRITY_CHECK_MAX_BYTES
        || path_with_suffix(file, "-wal").exists();
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let tables = schema.table_state::<Unusable>(&connection)?;
    if is_checked {
        let health: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if health != "ok" {
            return Err(Unusable::Corrupt(health));
        }
    }
    let journal = set_durability(&connection)?;
    if let TableState::Outdated { version } = tables {
        let copy = file.with_extension(format!("v{version}.db"));
        schema::copy_file::<Unusable>(&connection, file, &copy)?;
    }
    schema.migrate::<Unusable>(&mut connection)?;
    let is_told = tables != TableState::Missing || journal == "wal";
    let note = || {
        format!(
            "{} does not support write-ahead logging: the older journal is used, which is as safe but slower",
            file.display()
        )
    };
    Ok((connection, (!is_told).then(note)))
}

/// Makes each commit durable before it returns. On file systems without shared memory, such as
/// network mounts, SQLite keeps its older journal, which is as safe. Returns the journal mode.
fn set_durability(connection: &Connection) -> rusqlite::Result<String> {
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
    if journal == "wal" {
        connection.pragma_update(None, "mmap_size", MAX_MAPPED_BYTES)?;
    }
    Ok(journal)
}

/// Renames a corrupt file together with SQLite's own files next to it.
fn quarantine(file: &Path, now: DateTime<Utc>) -> Result<PathBuf, Unusable> {
    let aside = path_with_suffix(file, &format!(".corrupt-{}", now.format("%Y%m%dT%H%M%SZ")));
    fs::rename(file, &aside)?;
    for ending in ["-wal", "-shm"] {
        let _ = fs::rename(
            path_with_suffix(file, ending),
            path_with_suffix(&aside, ending),
        );
    }
    Ok(aside)
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
            // A VFS without shared memory, like a home directory on a network mount.
            let flags = rusqlite::OpenFlags::default();
            let opened =
                Connection::open_with_flags_and_vfs(&file, flags, c"unix-dotfile").unwrap();
            let Ok((connection, note)) = prepare(opened, &file, &SCHEMA) else {
                panic!("the file is usable")
            };
            let mode: String = connection
                .pragma_query_value(None, "journal_mode", |row| row.get(0))
                .unwrap();
            let full: i64 = connection
                .pragma_query_value(None, "synchronous", |row| row.get(0))
                .unwrap();
            assert_eq!((mode.as_str(), full), ("delete", 2));
            notes.push(note.unwrap_or_default());
        }
        assert!(
            notes[0].contains("older journal") && notes[1].is_empty(),
            "{notes:?}"
        );
    }

    #[test]
    fn a_file_of_the_version_before_is_copied_and_keeps_its_rows() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("desk.db");
        const NEXT: SqliteSchema = SqliteSchema {
            migrations: &[
                SCHEMA.migrations[0],
                SCHEMA.migrations[1],
                "ALTER TABLE readings ADD COLUMN note TEXT",
            ],
            ..SCHEMA
        };
        for (schema, notes) in [(&SCHEMA, 0), (&NEXT, 1), (&NEXT, 1)] {
            let opened = prepare(Connection::open(&file).unwrap(), &file, schema);
            let Ok((connection, None)) = opened else {
                panic!("the file is usable")
            };
            let count = "SELECT count(*) FROM pragma_table_info('readings') WHERE name = 'note'";
            let found: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(found, notes);
            connection
                .execute(
                    "INSERT INTO readings (at, meter, used) VALUES (7, 'm', 1)",
                    [],
                )
                .unwrap();
        }
        let rows = |file: &Path| -> i64 {
            Connection::open(file)
                .unwrap()
                .query_row("SELECT count(*) FROM readings", [], |row| row.get(0))
                .unwrap()
        };
        let copy = file.with_extension("v101.db");
        assert_eq!((rows(&copy), rows(&file)), (1, 3));
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&copy).unwrap().permissions())
                & 0o777,
            0o600
        );
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
            let OpenedStore { notice, .. } = open_store(Some(&file), Utc::now()).unwrap();
            let notice = notice.unwrap_or_default();
            assert!(
                notice.contains("desk.db cannot be used (it belongs to another program)"),
                "{sql}: {notice}"
            );
            let mut names: Vec<_> = fs::read_dir(room.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            names.sort();
            assert_eq!(names, ["desk.db", "desk.lock"], "{sql}");
            assert!(fs::read(&file).unwrap() == before, "{sql}");
        }
    }

    #[test]
    fn a_file_is_flushed_at_every_commit() {
        let room = tempfile::tempdir().unwrap();
        let OpenedStore {
            connection,
            notice: note,
            ..
        } = open_store(Some(&room.path().join("desk.db")), Utc::now()).unwrap();
        let full: i64 = connection
            .pragma_query_value(None, "synchronous", |row| row.get(0))
            .unwrap();
        assert_eq!((full, note), (2, None));
    }
}
