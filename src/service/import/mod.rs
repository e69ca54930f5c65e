//! Real permits: a city's public permit file (CSV) read into the index. Places become projects, permits become signals, firms and
//! people named in them become accounts and contacts.
//!
//! What the columns of a file mean is a [`layout::Layout`], a table in TOML; there is no code for a city. Ids are made from natural keys
//! (UUID version 5), so that the same file read again changes nothing and a newer one adds what is new. Permit files carry local times
//! without a zone: the local day is taken as the same day in UTC, and the time of day is dropped.
//! Never here: SQL (see [`crate::service::db::index_import`]), a clock, a print.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use self::layout::Layout;
use super::{Data, db};

pub mod columns;
pub mod desk;
pub mod fold;
pub mod layout;
pub mod read;
pub mod values;

/// What to import, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The permit file.
    pub file: PathBuf,
    /// Its layout: a name or the path of a `.toml` file.
    pub layout: String,
    /// Where `NAME.toml` is looked for besides.
    pub layout_folders: Vec<PathBuf>,
    /// The database; made when it does not exist.
    pub data: PathBuf,
    /// Say what would be done, and keep nothing.
    pub dry_run: bool,
    /// Where to write the rows that cannot be used.
    pub rejects: Option<PathBuf>,
    /// The moment of the import.
    pub now: DateTime<Utc>,
}

/// Imports a file. `progress` is asked every few thousand rows whether to go on; what was read until then stays.
///
/// # Errors
/// When layout, file or database cannot be used. What was read before stays in the database, and reading the file again goes on.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Report, ImportError> {
    let layout = Layout::find(&options.layout, &options.layout_folders)?;
    let unreadable = |error| ImportError::File(options.file.clone(), error);
    let file = File::open(&options.file).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let mut rejects = match &options.rejects {
        Some(path) if [&options.file, &options.data].into_iter().any(|used| is_same(used, path)) => {
            return Err(ImportError::RejectsOver(path.clone()));
        }
        Some(path) => Some(BufWriter::new(File::create(path).map_err(|error| ImportError::File(path.clone(), error))?)),
        None => None,
    };
    let aside = rejects.as_mut().map(|out| out as &mut dyn Write);
    let mut progress = |at: Progress| progress(Progress { of: Some(length), ..at });
    if options.dry_run && !options.data.exists() {
        let folder = tempfile::tempdir().map_err(db::Error::from)?;
        let conn = db::connect(&Data::File(folder.path().join("dry-run.db")))?;
        return read::read(&conn, &layout, file, aside, &mut progress, Keep::Nothing);
    }
    let conn = db::connect(&Data::File(options.data.clone()))?;
    if options.dry_run {
        return read::read(&conn, &layout, file, aside, &mut progress, Keep::Nothing);
    }
    let report = read::read(&conn, &layout, file, aside, &mut progress, Keep::All)?;
    desk::open(&conn, &layout, options.now)?;
    Ok(report)
}

/// Whether two paths lead to one file, by whatever links.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok());
    one.is_some() && one == other
}

/// What stays of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything that was read.
    All,
    /// Nothing: only the report.
    Nothing,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Rows of the file, without its header.
    pub rows: u64,
    /// Permits that were used: one row each.
    pub permits: u64,
    /// Further rows of permits that were used: other addresses, or the same row twice.
    pub further: u64,
    /// Projects: places.
    pub projects: Tally,
    /// Signals.
    pub signals: Tally,
    /// Accounts: firms, once for each time they are named.
    pub accounts: Tally,
    /// Contacts: people.
    pub contacts: Tally,
    /// Rows that could not be used, by reason.
    pub rejected: BTreeMap<&'static str, Refused>,
    /// What was odd in rows that were used.
    pub remarks: BTreeMap<&'static str, Refused>,
    /// The reading was stopped before the end of the file.
    pub stopped: bool,
}

/// How many records of a kind were new, changed, or as before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Were not there.
    pub new: u64,
    /// Said something else before.
    pub changed: u64,
    /// Were there as they are.
    pub same: u64,
}

/// How often a reason was met, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Refused {
    /// How many rows.
    pub rows: u64,
    /// The line of the file where the first of them begins.
    pub first_line: u64,
}

impl Report {
    /// Rows that could not be used.
    pub fn refused(&self) -> u64 {
        self.rejected.values().map(|refused| refused.rows).sum()
    }

    fn reject(&mut self, reason: &'static str, line: u64) {
        note(&mut self.rejected, reason, line);
    }

    fn remark(&mut self, reason: &'static str, line: u64) {
        note(&mut self.remarks, reason, line);
    }
}

fn note(map: &mut BTreeMap<&'static str, Refused>, reason: &'static str, line: u64) {
    map.entry(reason).or_insert(Refused { rows: 0, first_line: line }).rows += 1;
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows read.
    pub rows: u64,
    /// Bytes of the file read.
    pub bytes: u64,
    /// Bytes of the whole file, where it is known.
    pub of: Option<u64>,
}

/// Why an import cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The layout.
    #[error(transparent)]
    Layout(#[from] layout::LayoutError),
    /// The file holds nothing.
    #[error("the file is empty: there is no header to read")]
    Empty,
    /// The layout is for another file.
    #[error("the file does not have the columns of the layout: {list} not found", list = .0.join(", "))]
    MissingColumns(Vec<String>),
    /// The file cannot be read.
    #[error("{path}: {1}", path = .0.display())]
    File(PathBuf, #[source] std::io::Error),
    /// The file is no CSV.
    #[error("the file cannot be read as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// The database refuses.
    #[error("the database: {0}")]
    Database(#[from] db::Error),
    /// The rejects would go over what is read, or read into.
    #[error("the rejects would go over {path}, which this import uses: name another file", path = .0.display())]
    RejectsOver(PathBuf),
    /// The rejects cannot be written.
    #[error("the rejects cannot be written: {0}")]
    Rejects(#[source] std::io::Error),
}

impl From<rusqlite::Error> for ImportError {
    fn from(error: rusqlite::Error) -> Self {
        ImportError::Database(error.into())
    }
}
