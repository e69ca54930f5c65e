//! Looking after a database's file: whether it is sound, and copies of it beside it. Never here: a repair.
//!
//! A copy of `desk.db` is called `desk.db.2026-07-09.backup`, after its day, or `desk.db.schema-4.backup`, after the tables that it has
//! and that are about to change. It is a whole database that can be served as it is. The newest [`KEPT`] stay.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::NaiveDate;

use super::{Conn, Error, open};
use crate::service::Data;

/// How many copies stay beside a file.
pub const KEPT: usize = 3;
/// What the name of a copy ends in.
const ENDING: &str = ".backup";

/// Makes the copy of a day, of a file that is sound, unless it is there; says whether it made one. `goes_on` is asked now and then:
/// when it says no, nothing is left.
///
/// # Errors
/// When the file is damaged or the copy cannot be written: those of earlier days stay.
pub fn daily(path: &Path, today: NaiveDate, mut goes_on: impl FnMut() -> bool + Send + 'static) -> Result<bool, Error> {
    let day = today.to_string();
    if of(path, &day).exists() {
        return Ok(false);
    }
    let mut conn = open::reader(&Data::File(path.to_owned()))?;
    conn.progress_handler(1000, Some(move || !goes_on()))?;
    check(&conn).and_then(|()| copy(&conn, path, &day)).map_err(|error| error.of_file(path))?;
    Ok(true)
}

/// Whether the database is sound: every page is in its place, and every index has a row for each row of its table.
///
/// # Errors
/// When it is not.
pub fn check(conn: &Conn) -> Result<(), Error> {
    let mut faults = conn.prepare("PRAGMA quick_check(3)")?;
    let faults: Vec<String> = faults.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if faults == ["ok"] {
        return Ok(());
    }
    Err(Error::Damaged { path: PathBuf::new(), what: faults.join("; ").replace('\n', " "), advice: String::new() })
}

/// Copies the database to a file beside its own, and removes copies that are too many. What is called a copy is one: it is written
/// under another name first.
///
/// # Errors
/// When it cannot be written.
pub fn copy(conn: &Conn, path: &Path, tag: &str) -> Result<(), Error> {
    let part = beside(path, ".backup-part");
    match std::fs::remove_file(&part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    open::make_private(&part)?;
    let written = conn.execute("VACUUM INTO ?1", [part.to_string_lossy()]).map_err(Error::from).and_then(|_| {
        std::fs::File::open(&part)?.sync_all()?; // SQLite does not
        Ok(std::fs::rename(&part, of(path, tag))?)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
        return written;
    }
    for old in all(path)?.into_iter().skip(KEPT) {
        std::fs::remove_file(old)?;
    }
    Ok(())
}

/// The copies of a file, the newest first.
///
/// # Errors
/// When its folder cannot be read.
pub fn all(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let start = format!("{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&start) && name.ends_with(ENDING) {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().rev().map(|(_, path)| path).collect())
}

/// What to do with a damaged file, in words.
pub(super) fn advice(path: &Path) -> String {
    let file = path.display();
    match all(path).unwrap_or_default().first() {
        Some(copy) => format!("move {file}, {file}-wal and {file}-shm away, copy {} to {file} and start again", copy.display()),
        None => format!(
            "there is no copy beside it: `sqlite3 {file} .recover | sqlite3 saved.db` saves what can be read, and a service over a new file starts afresh"
        ),
    }
}

/// The copy of a file with this tag.
fn of(path: &Path, tag: &str) -> PathBuf {
    beside(path, &format!(".{tag}{ENDING}"))
}

/// A path with something after its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::db::{Trouble, connect};

    fn desk() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.db");
        connect(&Data::File(path.clone())).unwrap();
        (folder, path)
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            all(path).unwrap().iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Writes over a page of a table in the middle of the file.
    fn damage(path: &Path) {
        let conn = connect(&Data::File(path.to_owned())).unwrap();
        let page: i64 =
            conn.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'members'", [], |row| row.get(0)).unwrap();
        let size: i64 = conn.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
        drop(conn);
        let mut bytes = std::fs::read(path).unwrap();
        let from = ((page - 1) * size) as usize;
        bytes[from..from + 64].fill(0xff);
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_day_has_one_copy_and_three_stay() {
        let (_folder, path) = desk();
        for (today, made) in
            [("2026-07-06", true), ("2026-07-06", false), ("2026-07-07", true), ("2026-07-08", true), ("2026-07-09", true)]
        {
            assert_eq!(daily(&path, day(today), || true).unwrap(), made, "{today}");
        }
        let kept = ["desk.db.2026-07-07.backup", "desk.db.2026-07-08.backup", "desk.db.2026-07-09.backup"];
        assert_eq!(names(&path), kept);
    }

    #[test]
    fn a_copy_is_a_whole_database_for_its_owners_eyes_only() {
        let (_folder, path) = desk();
        let conn = connect(&Data::File(path.clone())).unwrap();
        conn.execute("INSERT INTO remembered VALUES ('a mark', 7)", []).unwrap();
        daily(&path, day("2026-07-09"), || true).unwrap();
        let copy = all(&path).unwrap().remove(0);
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions()) & 0o777, 0o600);
        let conn = connect(&Data::File(copy)).unwrap();
        let mark = "SELECT value FROM remembered WHERE name = 'a mark'";
        assert_eq!(conn.query_row(mark, [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn a_copy_that_is_broken_off_leaves_nothing() {
        let (folder, path) = desk();
        assert!(daily(&path, day("2026-07-09"), || false).is_err());
        let left: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains("backup"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_damaged_file_is_not_opened_and_pushes_no_copy_out_and_the_words_name_the_last_copy() {
        let (_folder, path) = desk();
        daily(&path, day("2026-07-08"), || true).unwrap();
        damage(&path);
        let error = connect(&Data::File(path.clone())).unwrap_err();
        assert_eq!(error.trouble(), Trouble::Damage);
        let words = error.to_string();
        assert!(
            words.contains("desk.db is damaged (") && words.contains("copy ") && words.contains("desk.db.2026-07-08.backup to "),
            "{words}"
        );
        assert_eq!(daily(&path, day("2026-07-09"), || true).unwrap_err().trouble(), Trouble::Damage);
        assert_eq!(names(&path), ["desk.db.2026-07-08.backup"]);
    }

    #[test]
    fn a_file_that_is_no_database_is_left_as_it_is_and_is_called_damaged_only_where_there_is_a_copy_of_it() {
        let (_folder, path) = desk();
        let text = "a letter, not a database ".repeat(100);
        std::fs::write(&path, &text).unwrap();
        let refused = || connect(&Data::File(path.clone())).unwrap_err().to_string();
        let words = refused();
        assert!(words.contains("desk.db is not a gantry database: it is not an SQLite file"), "{words}");
        let copy = of(&path, "2026-07-08");
        std::fs::write(&copy, "").unwrap();
        let words = refused();
        assert!(words.contains("desk.db is damaged (") && words.contains(&format!("copy {} to ", copy.display())), "{words}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::write(&path, "short").unwrap();
        std::fs::remove_file(copy).unwrap();
        assert!(refused().contains("it is not an SQLite file"));
    }
}
