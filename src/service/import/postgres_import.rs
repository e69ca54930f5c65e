//! Imports into PostgreSQL: a file is merged in a temporary SQLite file, by the same code as into any other, and what came of it is
//! copied. If the database knows some of its records, they are copied to the temporary file first, and the permit file is read again.

use std::fs::File;
use std::io::{BufWriter, Read as _, Write};
use std::ops::ControlFlow;

use super::layout::PermitLayout;
use super::{
    CommitMode, ImportError, ImportOptions, ImportProgress, ImportReport, create_private_file, import_run, initial_workspace,
};
use crate::platform::files;
use crate::service::Storage;
use crate::service::db::sql::PostgresConfig;
use crate::service::db::{self, index_copy, project_status};

/// Imports a file like [`super::run_import`], into this database instead of `options.data`. It must not be called on a thread of an
/// asynchronous runtime.
///
/// # Errors
/// If the layout, the file or the database cannot be used. The database keeps what was copied so far, and reading the file again
/// resumes.
pub fn import_into_postgres(
    options: &ImportOptions,
    database: &PostgresConfig,
    progress: &mut dyn FnMut(ImportProgress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let layout = PermitLayout::find(&options.layout, &options.layout_folders)?;
    let unreadable = |error| ImportError::File(options.file.clone(), error);
    let open = || File::open(&options.file).map_err(unreadable);
    let length = open()?.metadata().map_err(unreadable)?.len();
    import_run::check_columns(&layout, open()?)?;
    let postgres = db::open_writer(&Storage::Postgres(Box::new(database.clone())))?;
    let folder = tempfile::tempdir().map_err(db::DbError::from)?;
    let create = |name: &str| db::open_writer(&Storage::File(folder.path().join(name)));
    let mut rejects = match &options.rejects {
        Some(path) if files::is_same_file(path, &options.file) => return Err(ImportError::RejectsOver(path.clone())),
        Some(path) => Some(BufWriter::new(create_private_file(path).map_err(|error| ImportError::File(path.clone(), error))?)),
        None => None,
    };
    let aside = rejects.as_mut().map(|out| out as &mut dyn Write);
    let mut end = u64::MAX;
    let mut watch = |at: ImportProgress| {
        let next = progress(ImportProgress { total_bytes: Some(length), ..at });
        if next.is_break() {
            end = at.bytes;
        }
        next
    };
    let mut merged = create("merged.db")?;
    let mut report = import_run::read_file(&merged, &layout, open()?, aside, &mut watch, CommitMode::Commit)?;
    index_copy::begin_import(&postgres)?;
    if !options.dry_run {
        db::in_transaction(&postgres, project_status::apply_all_signals)?;
    }
    let known = create("known.db")?;
    if index_copy::copy_known_records(&postgres, &merged, &known)? {
        let mut go_on = |_| ControlFlow::Continue(());
        let again = import_run::read_file(&known, &layout, open()?.take(end), None, &mut go_on, CommitMode::Commit)?;
        (merged, report) = (known, ImportReport { stopped: report.stopped, ..again });
    }
    if !options.dry_run {
        index_copy::copy_merged_records(&merged, &postgres)?;
        initial_workspace::create_if_missing(&postgres, &layout, options.now)?;
    }
    Ok(report)
}
