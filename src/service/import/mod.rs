//! Real permits: reads a city's public permit file (CSV) into the index. Places become projects,
//! permits become signals, and the firms and people named in them become accounts and contacts.
//!
//! A [`layout::PermitLayout`], a table in TOML, says what the columns of a file mean; there is no
//! code for any city. Ids are derived from natural keys (UUID version 5), so that reading the same
//! file again changes nothing and a newer file adds what is new. Permit files have local times
//! without a zone: the local day is taken as the same day in UTC, and the time of day is dropped.
//! Never here: SQL (see [`crate::service::db::index_import`]), a clock, printing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use self::layout::PermitLayout;
use self::postgres_import::import_into_postgres;
use self::rejected_rows::Rejection;
use super::{Storage, db};
use crate::platform::files;
use crate::platform::processes::return_free_memory;
use crate::text;

mod address_cell;
pub(crate) mod columns;
pub mod dates;
mod file_check;
mod firm_cell;
mod firms;
pub mod import_run;
pub(crate) mod initial_workspace;
pub mod inspect;
mod json_survey;
pub mod layout;
mod layout_mistakes;
mod list_cell;
pub(crate) mod merge;
mod permit_rows;
pub(crate) mod permit_signals;
pub mod permit_state;
mod postgres_import;
pub mod questions;
mod rejected_rows;
pub mod source;
pub mod table;
mod transactions;
pub(crate) mod values;
pub mod words;

/// What to import, and where.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    pub file: PathBuf,
    /// What its columns mean.
    pub layout: PermitLayout,
    /// The database; a file is created if it does not exist.
    pub data: Storage,
    /// Only report what would be done.
    pub dry_run: bool,
    /// Where to write the rejected rows.
    pub rejects: Option<PathBuf>,
    /// The time of the import.
    pub now: DateTime<Utc>,
}

impl ImportOptions {
    /// The database, if it is a file.
    fn data_file(&self) -> Option<&Path> {
        match &self.data {
            Storage::File(path) => Some(path),
            Storage::Memory | Storage::Postgres(_) => None,
        }
    }
}

/// Imports a file. `progress` is called many times a second and decides whether to continue; what
/// was read until then is kept. It must not be called on a thread of an asynchronous runtime if the
/// database is PostgreSQL.
///
/// # Errors
/// If the file or the database cannot be used. A new file is then removed. An existing database
/// keeps the rows read so far, and reading the file again resumes; a file that does not fit the
/// layout leaves it unchanged.
pub fn run_import(
    options: &ImportOptions,
    progress: &mut dyn FnMut(ImportProgress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let permits = PermitFile::find(options)?;
    // the inspection before this needed much and freed it in small pieces
    return_free_memory();
    let mut progress = |at: ImportProgress| {
        progress(ImportProgress {
            total_bytes: Some(permits.length),
            ..at
        })
    };
    match &options.data {
        Storage::Postgres(_) => import_into_postgres(options, &permits, &mut progress),
        Storage::Memory | Storage::File(_) => import_into_file(options, &permits, &mut progress),
    }
}

fn import_into_file(
    options: &ImportOptions,
    permits: &PermitFile<'_>,
    progress: &mut dyn FnMut(ImportProgress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let path = options.data_file();
    let new_file = path.filter(|path| std::fs::metadata(path).map_or(true, |file| file.len() == 0));
    let folder = db::create_temporary_folder()?;
    let is_unsaved = options.dry_run && new_file.is_some();
    let data = if is_unsaved {
        Storage::File(folder.path().join("dry-run.db"))
    } else {
        options.data.clone()
    };
    let done = db::open_writer(&data)
        .map_err(ImportError::from)
        .and_then(|conn| {
            let mut rejects = permits.create_rejects()?;
            let aside = rejects.as_mut().map(|out| out as &mut dyn Write);
            let keep = if options.dry_run {
                CommitMode::Discard
            } else {
                CommitMode::Commit
            };
            let report = import_run::read_file(
                &conn,
                &options.layout,
                permits.open()?,
                aside,
                progress,
                keep,
                options.now,
            )?;
            if keep == CommitMode::Commit {
                initial_workspace::create_if_missing(&conn, &options.layout, options.now)?;
            }
            Ok(report)
        });
    if let (Err(_), Some(path)) = (&done, new_file) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(files::path_with_suffix(path, ending));
        }
    }
    done
}

/// A permit file that fits its layout.
struct PermitFile<'o> {
    options: &'o ImportOptions,
    /// Its size in bytes.
    length: u64,
}

impl PermitFile<'_> {
    /// Measures the file and checks that it fits the layout and leaves no question, before
    /// anything is created.
    fn find(options: &ImportOptions) -> Result<PermitFile<'_>, ImportError> {
        let mut permits = PermitFile { options, length: 0 };
        let file = permits.open()?;
        permits.length = file
            .metadata()
            .map_err(|error| permits.unreadable(error))?
            .len();
        match import_run::find_questions(&options.layout, file)? {
            questions if questions.is_empty() => Ok(permits),
            questions => Err(ImportError::Undecided(questions)),
        }
    }

    /// The file from its start.
    fn open(&self) -> Result<File, ImportError> {
        File::open(&self.options.file).map_err(|error| self.unreadable(error))
    }

    fn unreadable(&self, error: std::io::Error) -> ImportError {
        ImportError::File(self.options.file.clone(), error)
    }

    /// The file for rejected rows, if one is wanted. Called once the database exists: a new one
    /// could be overwritten as well.
    fn create_rejects(&self) -> Result<Option<BufWriter<File>>, ImportError> {
        let Some(path) = &self.options.rejects else {
            return Ok(None);
        };
        let mut used = [Some(self.options.file.as_path()), self.options.data_file()]
            .into_iter()
            .flatten();
        if used.any(|used| used == path || files::is_same_file(used, path)) {
            return Err(ImportError::RejectsOver(path.clone()));
        }
        Ok(Some(BufWriter::new(create_private_file(path)?)))
    }
}

/// Creates a new, empty file readable only by its owner: rejected rows are still somebody's data.
fn create_private_file(path: &Path) -> Result<File, ImportError> {
    let create = || {
        let file = files::private_file_options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        files::set_permissions(&file, 0o600)?;
        Ok(file)
    };
    create().map_err(|error| ImportError::NotCreated(PathBuf::from(path), error))
}

/// The day with the fullest queue of a database, if all of its signals are too old for today's. It
/// must not be called on a thread of an asynchronous runtime if that is PostgreSQL.
///
/// # Errors
/// If the database cannot be read.
pub fn fullest_day_of_old_signals(
    data: &Storage,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, ImportError> {
    // a file that was just written need not be checked again, which maps all of it
    let conn = match data {
        Storage::File(path) => db::open_reader(path)?,
        Storage::Memory | Storage::Postgres(_) => db::open_writer(data)?,
    };
    // without the pages of the whole file in memory
    db::index_import::configure_for_import(&conn)?;
    Ok(db::service_clock::fullest_day_of_old_signals(&conn, now)?)
}

/// Reads sample rows of a file, for its inspection, in an encoding if somebody said which.
///
/// # Errors
/// If the file cannot be read, or is not a table.
pub fn open_sample(
    path: &Path,
    encoding: Option<table::Encoding>,
) -> Result<inspect::TableSample, ImportError> {
    let unreadable = |error| ImportError::File(path.to_owned(), error);
    let mut file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    inspect::sample::read_sample(&mut file, length, encoding)
}

/// What an import keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// Everything that was read.
    Commit,
    /// Nothing: only report.
    Discard,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportReport {
    /// Rows of the file, without its header.
    pub rows: u64,
    /// Imported permits, one row each.
    pub permits: u64,
    /// Further rows of imported permits: other addresses, or the same row again.
    pub further: u64,
    /// Projects: places.
    pub projects: MergeCounts,
    pub signals: MergeCounts,
    /// Accounts: firms, counted each time they are named.
    pub accounts: MergeCounts,
    /// Contacts: people.
    pub contacts: MergeCounts,
    /// Rejected rows, by reason.
    pub rejected: BTreeMap<&'static str, ReasonCount>,
    /// Oddities in imported rows.
    pub remarks: BTreeMap<&'static str, ReasonCount>,
    /// Numbers that may have another decimal sign than the layout's, by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub doubts: BTreeMap<&'static str, AmbiguousNumbers>,
    /// The import was stopped before the end of the file.
    pub stopped: bool,
    /// Rows that were put off and not looked at again before the import was stopped.
    pub skipped: u64,
}

/// How many records of a kind were new, changed or unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct MergeCounts {
    /// Did not exist before.
    pub new: u64,
    /// Had other values before.
    pub changed: u64,
    /// Were the same before.
    pub same: u64,
}

/// How often a reason occurred, where first, and with which values.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ReasonCount {
    pub rows: u64,
    /// The line where the first of these rows begins.
    pub first_line: u64,
    /// The first different values, shortened.
    pub values: Vec<String>,
}

impl ReasonCount {
    fn add(&mut self, line: u64, value: &str) {
        if self.rows == 0 {
            self.first_line = line;
        }
        self.rows += 1;
        if self.values.len() < MAX_VALUES_LISTED {
            let value = text::truncate(value.trim(), MAX_VALUE_WIDTH, "…").into_owned();
            if !value.is_empty() && !self.values.contains(&value) {
                self.values.push(value);
            }
        }
    }
}

/// Rows with an ambiguous number.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct AmbiguousNumbers {
    pub rows: u64,
    /// Out of this many rows with such a number.
    pub of: u64,
    /// The lines where the first of these rows begin.
    pub lines: Vec<u64>,
    /// The decimal sign they appear to use.
    pub decimal: char,
}

/// How many lines are listed for ambiguous numbers.
const MAX_LINES_LISTED: usize = 5;
/// How many values are listed for a reason, and how much of each.
const MAX_VALUES_LISTED: usize = 3;
const MAX_VALUE_WIDTH: usize = 40;

impl ImportReport {
    /// Number of rejected rows.
    pub fn rejected_rows(&self) -> u64 {
        self.rejected.values().map(|refused| refused.rows).sum()
    }

    /// Whether every row of the file is accounted for. Rows are counted where the file is split,
    /// not where they are sorted.
    pub fn is_balanced(&self) -> bool {
        self.rows == self.permits + self.further + self.rejected_rows() + self.skipped
    }

    /// How many rows are damaged: their quotes or their number of fields are wrong, so that they
    /// may stand for others.
    pub fn damaged_rows(&self) -> u64 {
        let found = self
            .rejected
            .iter()
            .chain(&self.remarks)
            .filter(|(reason, _)| rejected_rows::DAMAGES.contains(reason));
        found.map(|(_, count)| count.rows).sum()
    }

    /// Whether permits were imported and nothing is wrong with the file itself: its layout may
    /// serve for the next one.
    pub fn is_sound(&self) -> bool {
        self.permits + self.further > 0 && self.damaged_rows() == 0 && self.is_balanced()
    }

    fn add_rejection(&mut self, rejection: &Rejection, line: u64) {
        self.rejected
            .entry(rejection.reason)
            .or_default()
            .add(line, &rejection.value);
    }

    /// Counts a number of a row, and lists the row if the number appears to use the other decimal
    /// sign.
    fn check_decimal_sign(
        &mut self,
        what: &'static str,
        text: &str,
        decimal: Option<layout::DecimalSign>,
        line: u64,
    ) {
        let other = decimal.unwrap_or_default().opposite().as_char();
        let doubt = self.doubts.entry(what).or_insert_with(|| AmbiguousNumbers {
            decimal: other,
            ..AmbiguousNumbers::default()
        });
        doubt.of += 1;
        if values::seems_other_decimal_sign(text, decimal) {
            doubt.rows += 1;
            doubt
                .lines
                .extend((doubt.lines.len() < MAX_LINES_LISTED).then_some(line));
        }
    }

    fn add_remark(&mut self, reason: &'static str, line: u64, value: &str) {
        self.remarks.entry(reason).or_default().add(line, value);
    }
}

/// Progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportProgress {
    pub rows: u64,
    pub bytes: u64,
    /// Size of the file in bytes, if it is known.
    pub total_bytes: Option<u64>,
}

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Layout(#[from] layout::LayoutError),
    /// The file has no content.
    #[error("the file is empty: it has no header")]
    Empty,
    /// The file is something else.
    #[error("the file is {kind}, not a table: {instead}")]
    NotATable {
        kind: Cow<'static, str>,
        instead: &'static str,
    },
    #[error(
        "the file has 1 column: gantry reads tables with commas, semicolons, tabs or vertical bars between the columns"
    )]
    OneColumn,
    #[error("the file has no header: its first lines have values instead of the names of columns")]
    NoHeader,
    #[error("the first line has more than 256 KB: it is no header of a table of permits")]
    LongHeader,
    #[error("the file has a header and no rows")]
    NoRows,
    /// The first row is cut in each place that was looked at.
    #[error(
        "the first row has more than 1 MB, and no other one could be looked at: remove it, or the long cell in it"
    )]
    LongRow,
    /// All rows have another number of fields than the header.
    #[error(
        "the rows have {rows} fields, the header on line {line} has {header}: name the missing column there, or remove it from the rows"
    )]
    UnevenHeader {
        line: u64,
        header: usize,
        rows: usize,
    },
    /// The layout is for another file.
    #[error("the file does not fit the layout: missing columns {list}", list = .0.join(", "))]
    MissingColumns(Vec<String>),
    /// Its layout does not say what to do with the file.
    #[error("{}", list_questions(.0))]
    Undecided(Vec<questions::Question>),
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}", path = .0.display(), reason = files::describe_read_failure(.1))]
    File(PathBuf, #[source] std::io::Error),
    #[error("cannot create {path}: {reason}", path = .0.display(), reason = .1)]
    NotCreated(PathBuf, #[source] std::io::Error),
    /// The file is not valid CSV.
    #[error("the file is not valid CSV: {0}")]
    Csv(#[from] csv::Error),
    #[error("database error: {0}")]
    Database(#[from] db::DbError),
    /// The rejects file is one of the files that the import uses.
    #[error("rejected rows would overwrite {path}, which this import uses: name another file", path = .0.display())]
    RejectsOver(PathBuf),
    /// The rejects file cannot be written.
    #[error("cannot write the rejected rows: {0}")]
    Rejects(#[source] std::io::Error),
}

fn list_questions(questions: &[questions::Question]) -> String {
    let texts: Vec<&str> = questions
        .iter()
        .map(|question| question.text.as_str())
        .collect();
    texts.join("; ")
}

impl From<db::sql::SqlError> for ImportError {
    fn from(error: db::sql::SqlError) -> Self {
        ImportError::Database(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_LAYOUT: &str = r#"
        name = "town"
        city = "Town"
        state = "TX"
        dates = ["%d.%m.%Y"]
        [source]
        slug = "town"
        display_name = "Town"
        [permit]
        id = "id"
        [place]
        key = [["street"]]
        address = ["street"]
        [project]
        cost = ["cost"]
        [[signal]]
        type = "permit_issued"
        on = ["issued"]
    "#;

    /// A folder with a permit file and its layout, and the options to import it.
    fn test_layout(layout: &str, permits: &str) -> (tempfile::TempDir, ImportOptions) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("permits.csv"), permits).unwrap();
        let options = ImportOptions {
            file: at("permits.csv"),
            layout: PermitLayout::parse("town", layout).unwrap(),
            data: Storage::File(at("town.db")),
            dry_run: false,
            rejects: None,
            now: "2026-07-09T16:20:00Z".parse().unwrap(),
        };
        (folder, options)
    }

    fn import_text(options: &ImportOptions) -> Result<ImportReport, ImportError> {
        run_import(options, &mut |_| ControlFlow::Continue(()))
    }

    fn reported_costs(options: &ImportOptions) -> Vec<Option<f64>> {
        let conn = db::open_writer(&options.data).unwrap();
        let mut read = conn
            .prepare("SELECT cost_of_construction_usd FROM projects ORDER BY name")
            .unwrap();
        read.query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    fn file_names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    const TEST_PERMITS: &str = "id,street,issued,cost\r\n1,1 A St,01.02.2026,\"780,50\"\r\n2,2 B St,01.02.2026,\"95.000,00\"\r\n\
        3,3 C St,01.02.2026,\"4.250.000,00\"\r\n4,4 D St,01.02.2026,12\r\n5,5 E St,soon,1\r\n";

    #[test]
    fn amounts_with_a_decimal_comma_are_read_if_the_layout_says_so() {
        let (_folder, options) =
            test_layout(&format!("decimal = \",\"\n{TEST_LAYOUT}"), TEST_PERMITS);
        let report = import_text(&options).unwrap();
        assert_eq!(
            reported_costs(&options),
            [Some(780.5), Some(95_000.0), Some(4_250_000.0), Some(12.0)]
        );
        assert_eq!(report.doubts, BTreeMap::new());
        assert_eq!(
            report.rejected["no readable date"],
            ReasonCount {
                rows: 1,
                first_line: 6,
                values: vec!["soon".to_owned()]
            }
        );
    }

    #[test]
    fn amounts_with_the_other_decimal_sign_are_skipped_and_reported_by_row() {
        let (_folder, options) = test_layout(TEST_LAYOUT, TEST_PERMITS);
        let report = import_text(&options).unwrap();
        assert_eq!(reported_costs(&options), [None, None, None, Some(12.0)]);
        let doubt = AmbiguousNumbers {
            rows: 3,
            of: 4,
            lines: vec![2, 3, 4],
            decimal: ',',
        };
        assert_eq!(report.doubts, BTreeMap::from([("cost", doubt)]));
    }

    #[test]
    fn a_failed_import_leaves_no_new_file_and_an_existing_database_unchanged() {
        for permits in ["number,street\n1,2\n", ""] {
            let (folder, mut options) = test_layout(TEST_LAYOUT, permits);
            options.rejects = Some(folder.path().join("rejects.csv"));
            let before = file_names(folder.path());
            import_text(&options).unwrap_err();
            assert_eq!(file_names(folder.path()), before, "{permits}");

            drop(db::open_writer(&options.data).unwrap());
            let existing = std::fs::read(options.data_file().unwrap()).unwrap();
            import_text(&options).unwrap_err();
            assert!(
                std::fs::read(options.data_file().unwrap()).unwrap() == existing,
                "{permits}"
            );
        }
        let (folder, mut options) = test_layout(TEST_LAYOUT, TEST_PERMITS);
        let before = file_names(folder.path());
        options.rejects = options.data_file().map(Path::to_owned);
        assert!(matches!(
            import_text(&options),
            Err(ImportError::RejectsOver(_))
        ));
        options.rejects = Some(folder.path().join("no/folder/rejects.csv"));
        import_text(&options).unwrap_err();
        assert_eq!(
            file_names(folder.path()),
            before,
            "a failure after the database was created"
        );
    }
}
