//! Imports into PostgreSQL: a file is merged in a temporary SQLite file, by the same code as into
//! any other, and what came of it is copied. If the database knows some of its records, they are
//! copied to the temporary file first, and the permit file is read again.

use std::io::{Read as _, Write};
use std::ops::ControlFlow;

use super::{
    CommitMode, ImportError, ImportOptions, ImportProgress, ImportReport, PermitFile, import_run,
    initial_workspace,
};
use crate::service::Storage;
use crate::service::db::{self, index_copy, project_status};

/// Imports a file into the PostgreSQL database of the options.
///
/// # Errors
/// If the file or the database cannot be used. The database keeps what was copied so far, and
/// reading the file again resumes.
pub(super) fn import_into_postgres(
    options: &ImportOptions,
    permits: &PermitFile<'_>,
    progress: &mut dyn FnMut(ImportProgress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let layout = &options.layout;
    let postgres = db::open_writer(&options.data)?;
    let folder = db::create_temporary_folder()?;
    let create = |name: &str| db::open_writer(&Storage::File(folder.path().join(name)));
    let mut rejects = permits.create_rejects()?;
    let aside = rejects.as_mut().map(|out| out as &mut dyn Write);
    let mut end = u64::MAX;
    let mut watch = |at: ImportProgress| {
        let next = progress(at);
        if next.is_break() {
            end = at.bytes;
        }
        next
    };
    let mut merged = create("merged.db")?;
    let mut report = import_run::read_file(
        &merged,
        layout,
        permits.open()?,
        aside,
        &mut watch,
        CommitMode::Commit,
        options.now,
    )?;
    index_copy::begin_import(&postgres)?;
    if !options.dry_run {
        db::in_transaction(&postgres, project_status::apply_all_signals)?;
    }
    let known = create("known.db")?;
    if index_copy::copy_known_records(&postgres, &merged, &known)? {
        let mut go_on = |_| ControlFlow::Continue(());
        let again = import_run::read_file(
            &known,
            layout,
            permits.open()?.take(end),
            None,
            &mut go_on,
            CommitMode::Commit,
            options.now,
        )?;
        (merged, report) = (
            known,
            ImportReport {
                stopped: report.stopped,
                ..again
            },
        );
    }
    if !options.dry_run {
        index_copy::copy_merged_records(&merged, &postgres)?;
        initial_workspace::create_if_missing(&postgres, layout, options.now)?;
    }
    Ok(report)
}
