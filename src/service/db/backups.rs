//! Care of a database file: integrity checks, and backups next to it. Never here: repairs.
//!
//! A backup of `desk.db` is called `desk.db.2026-07-09.backup`, after its day, or
//! `desk.db.schema-4.backup`, after the schema version that is about to be migrated. It is a
//! complete database that can be served as it is. The newest [`MAX_BACKUPS`] are kept.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::NaiveDate;
use rusqlite::Connection;

use super::{DbError, DbErrorKind, open};
use crate::platform::files::path_with_suffix;
use crate::schema;

/// How many backups are kept next to a file.
pub const MAX_BACKUPS: usize = 3;
/// Suffix of the names of backups.
const BACKUP_SUFFIX: &str = ".backup";
/// What the tag of a backup before a migration begins with.
pub const SCHEMA_TAG: &str = "schema-";

/// Creates the backup of a day, after an integrity check, unless it exists; returns whether it was
/// created. `goes_on` is called now and then: when it returns false, the backup is canceled and
/// nothing is left behind.
///
/// # Errors
/// If the file is damaged or the backup cannot be written. Earlier backups are kept in either case.
pub fn create_daily(
    path: &Path,
    today: NaiveDate,
    mut goes_on: impl FnMut() -> bool + Send + 'static,
) -> Result<bool, DbError> {
    let day = today.to_string();
    if backup_path(path, &day).exists() {
        return Ok(false);
    }
    let mut conn = open::open_reader(path)?;
    let Some(conn) = conn.sqlite_mut() else {
        return Ok(false);
    };
    conn.progress_handler(1000, Some(move || !goes_on()))?;
    check_integrity(conn)
        .and_then(|()| write_backup(conn, path, &day))
        .map_err(|error| error.with_file(path))?;
    Ok(true)
}

/// Checks that the database is intact: every page is in its place, and every index has a row for
/// each row of its table.
pub fn check_integrity(conn: &Connection) -> Result<(), DbError> {
    let mut faults = conn.prepare("PRAGMA quick_check(3)")?;
    let faults: Vec<String> = faults
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if faults == ["ok"] {
        return Ok(());
    }
    Err(DbError::Damaged {
        path: PathBuf::new(),
        what: faults.join("; ").replace('\n', " "),
        advice: String::new(),
    })
}

/// Copies the database to a file next to it, and removes surplus backups.
pub fn write_backup(conn: &Connection, path: &Path, tag: &str) -> Result<(), DbError> {
    schema::copy_file::<DbError>(conn, path, &backup_path(path, tag))?;
    for old in list(path)?.into_iter().skip(MAX_BACKUPS) {
        std::fs::remove_file(old)?;
    }
    Ok(())
}

/// The backups of a file, newest first.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, DbError> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let start = format!(
        "{}.",
        path.file_name().unwrap_or_default().to_string_lossy()
    );
    // a copy that somebody made has another name, and is theirs
    let is_ours = |tag: &str| {
        let version = tag
            .strip_prefix(SCHEMA_TAG)
            .map(|version| version.parse::<u32>().is_ok());
        version.unwrap_or_else(|| tag.parse::<NaiveDate>().is_ok())
    };
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name
            .strip_prefix(&start)
            .and_then(|rest| rest.strip_suffix(BACKUP_SUFFIX))
            .is_some_and(is_ours)
        {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().rev().map(|(_, path)| path).collect())
}

impl DbError {
    /// Adds the file and the recovery advice to an error if the file is damaged.
    pub(super) fn with_file(self, path: &Path) -> DbError {
        let what = match self {
            DbError::Damaged { what, .. } => what,
            error if error.kind() == DbErrorKind::Corrupt => error.to_string(),
            error => return error,
        };
        DbError::Damaged {
            what,
            advice: recovery_advice(path),
            path: path.to_owned(),
        }
    }
}

/// What to do about a damaged file, for people.
fn recovery_advice(path: &Path) -> String {
    let file = path.display();
    match list(path).unwrap_or_default().first() {
        Some(copy) => format!(
            "move {file}, {file}-wal and {file}-shm away, copy {} to {file} and start again",
            copy.display()
        ),
        None => format!(
            "it has no backup: run `sqlite3 {file} .recover | sqlite3 saved.db` to save what is readable, or start with a new file"
        ),
    }
}

/// The path of the backup with this tag.
fn backup_path(path: &Path, tag: &str) -> PathBuf {
    path_with_suffix(path, &format!(".{tag}{BACKUP_SUFFIX}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::db::{Storage, open_writer};

    fn test_database() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        open_writer(&Storage::File(path.clone())).unwrap();
        (folder, path)
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn backup_names(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = list(path)
            .unwrap()
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Overwrites a page of a table in the middle of the file.
    fn corrupt(path: &Path) {
        let conn = open_writer(&Storage::File(path.to_owned())).unwrap();
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
        drop(conn);
        let mut bytes = std::fs::read(path).unwrap();
        let from = ((page - 1) * size) as usize;
        bytes[from..from + 64].fill(0xff);
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn each_day_gets_one_backup_and_the_newest_three_are_kept() {
        let (_folder, path) = test_database();
        for (today, made) in [
            ("2026-07-06", true),
            ("2026-07-06", false),
            ("2026-07-07", true),
            ("2026-07-08", true),
            ("2026-07-09", true),
        ] {
            assert_eq!(
                create_daily(&path, date(today), || true).unwrap(),
                made,
                "{today}"
            );
        }
        let kept = [
            "desk.db.2026-07-07.backup",
            "desk.db.2026-07-08.backup",
            "desk.db.2026-07-09.backup",
        ];
        assert_eq!(backup_names(&path), kept);
    }

    #[test]
    fn copies_that_somebody_else_made_are_not_counted_and_never_removed() {
        let (_folder, path) = test_database();
        let own = [
            "before-import",
            "2026-07-06.backup.2026-07-10",
            "schema-new",
        ]
        .map(|tag| backup_path(&path, tag));
        own.iter()
            .for_each(|copy| std::fs::write(copy, "").unwrap());
        for day in ["2026-07-06", "2026-07-07", "2026-07-08", "2026-07-09"] {
            create_daily(&path, date(day), || true).unwrap();
        }
        assert!(own.iter().all(|copy| copy.exists()));
        assert_eq!(backup_names(&path).len(), MAX_BACKUPS);
    }

    #[test]
    fn a_backup_is_a_complete_database_that_only_its_owner_can_read() {
        let (_folder, path) = test_database();
        let conn = open_writer(&Storage::File(path.clone())).unwrap();
        conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", [])
            .unwrap();
        create_daily(&path, date("2026-07-09"), || true).unwrap();
        let copy = list(&path).unwrap().remove(0);
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(
                &std::fs::metadata(&copy).unwrap().permissions()
            ) & 0o777,
            0o600
        );
        let conn = open_writer(&Storage::File(copy)).unwrap();
        let mark = "SELECT value FROM remembered WHERE name = 'a mark'";
        assert_eq!(
            conn.query_row(mark, [], |row| row.get::<_, i64>(0))
                .unwrap(),
            7
        );
    }

    #[test]
    fn an_interrupted_backup_leaves_no_file() {
        let (folder, path) = test_database();
        assert!(create_daily(&path, date("2026-07-09"), || false).is_err());
        let left: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains("backup"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_corrupt_file_is_rejected_naming_the_last_backup_and_no_backup_is_removed() {
        let (_folder, path) = test_database();
        create_daily(&path, date("2026-07-08"), || true).unwrap();
        corrupt(&path);
        let error = open_writer(&Storage::File(path.clone())).unwrap_err();
        assert_eq!(error.kind(), DbErrorKind::Corrupt);
        let words = error.to_string();
        assert!(
            words.contains("desk.db is damaged (")
                && words.contains("copy ")
                && words.contains("desk.db.2026-07-08.backup to "),
            "{words}"
        );
        assert_eq!(
            create_daily(&path, date("2026-07-09"), || true)
                .unwrap_err()
                .kind(),
            DbErrorKind::Corrupt
        );
        assert_eq!(backup_names(&path), ["desk.db.2026-07-08.backup"]);
    }

    #[test]
    fn a_non_database_file_is_untouched_and_only_called_damaged_if_it_has_a_backup() {
        let (_folder, path) = test_database();
        let text = "a letter, not a database ".repeat(100);
        std::fs::write(&path, &text).unwrap();
        let refused = || {
            open_writer(&Storage::File(path.clone()))
                .unwrap_err()
                .to_string()
        };
        let words = refused();
        assert!(
            words.contains("desk.db is not a gantry database: it is not an SQLite file"),
            "{words}"
        );
        let copy = backup_path(&path, "2026-07-08");
        std::fs::write(&copy, "").unwrap();
        let words = refused();
        assert!(
            words.contains("desk.db is damaged (")
                && words.contains(&format!("copy {} to ", copy.display())),
            "{words}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::write(&path, "short").unwrap();
        std::fs::remove_file(copy).unwrap();
        assert!(refused().contains("it is not an SQLite file"));
    }
}
