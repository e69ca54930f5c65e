//! The files of an import: the permits that are read, and the rejected rows that are written.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use super::layout::PermitLayout;
use super::{ImportError, ImportOptions, import_run};
use crate::platform::files;

/// A permit file that fits its layout.
pub(super) struct PermitFile<'o> {
    options: &'o ImportOptions,
    pub(super) layout: PermitLayout,
    /// Its size in bytes.
    pub(super) length: u64,
}

impl PermitFile<'_> {
    /// Finds the layout, measures the file and checks that they fit, before anything is created.
    pub(super) fn find(options: &ImportOptions) -> Result<PermitFile<'_>, ImportError> {
        let layout = PermitLayout::find(&options.layout, &options.layout_folders)?;
        let mut permits = PermitFile { options, layout, length: 0 };
        let file = permits.open()?;
        permits.length = file.metadata().map_err(|error| permits.unreadable(error))?.len();
        import_run::check_columns(&permits.layout, file)?;
        Ok(permits)
    }

    /// The file from its start.
    pub(super) fn open(&self) -> Result<File, ImportError> {
        File::open(&self.options.file).map_err(|error| self.unreadable(error))
    }

    fn unreadable(&self, error: std::io::Error) -> ImportError {
        ImportError::File(self.options.file.clone(), error)
    }

    /// The file for rejected rows, if one is wanted. Called once the database exists: a new one could be overwritten as well.
    pub(super) fn create_rejects(&self) -> Result<Option<BufWriter<File>>, ImportError> {
        let Some(path) = &self.options.rejects else { return Ok(None) };
        let mut used = [Some(self.options.file.as_path()), self.options.data_file()].into_iter().flatten();
        if used.any(|used| used == path || files::is_same_file(used, path)) {
            return Err(ImportError::RejectsOver(path.clone()));
        }
        Ok(Some(BufWriter::new(create_private_file(path)?)))
    }
}

/// Creates a new, empty file readable only by its owner: rejected rows are still somebody's data.
fn create_private_file(path: &Path) -> Result<File, ImportError> {
    let create = || {
        let file = files::private_file_options().write(true).create(true).truncate(true).open(path)?;
        files::set_permissions(&file, 0o600)?;
        Ok(file)
    };
    create().map_err(|error| ImportError::File(PathBuf::from(path), error))
}
