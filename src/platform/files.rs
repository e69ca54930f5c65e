//! Permissions and identity of files. Where files have no Unix permissions, those of their folder apply.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};

/// Options that create a file which only its owner may read and write.
pub fn private_file_options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "there is nothing to set"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Creates a folder, and those above it, that only its owner may use.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.recursive(true).create(folder)
}

/// Sets the permissions of an open file, as in `0o600`.
pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    return file.set_permissions(std::fs::Permissions::from_mode(mode));
    #[cfg(not(unix))]
    {
        let _ = (file, mode);
        Ok(())
    }
}

/// Whether a file has any of these permissions, as in `0o022`: the group or others can change it.
pub fn has_permissions(file: &Metadata, bits: u32) -> bool {
    #[cfg(unix)]
    return file.permissions().mode() & bits != 0;
    #[cfg(not(unix))]
    {
        let _ = (file, bits);
        false
    }
}

/// Whether two paths lead to the same file, through links too.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    let ids = [one, other].map(|path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok());
    #[cfg(not(unix))]
    let ids = [one, other].map(|path| std::fs::canonicalize(path).ok());
    ids[0].is_some() && ids[0] == ids[1]
}
