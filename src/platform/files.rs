//! Permissions and identity of files, and how one is replaced or locked. Where files have no Unix
//! permissions, those of their folder apply.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(unix)]
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};

/// Options that create a file which only its owner may read and write.
pub fn private_file_options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "there is nothing to set"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Why a file cannot be read, as people say it.
pub fn describe_read_failure(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// A path with a suffix after its name.
pub fn path_with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates a folder, and those above it, that only its owner may use.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.recursive(true).create(folder)
}

/// Creates a private folder if there is none, and finds out whether files can be created in it;
/// leaves none behind.
pub fn check_writable_folder(folder: &Path) -> io::Result<()> {
    create_private_folder(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// Replaces the content of a file, as a whole or not at all; only its owner may read it. A symbolic
/// link stays: the file that it leads to is replaced, or created.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = follow_links(path)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(folder)?; // created with mode 0600
    beside.write_all(content)?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    Ok(())
}

/// Where a path leads, also if there is no file yet.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match path.read_link() {
            Ok(target) => {
                path = path
                    .parent()
                    .map_or_else(|| target.clone(), |folder| folder.join(&target))
            }
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Keeps other processes from changing a file while it is read and replaced. The lock is a file
/// beside it, and is left behind only by a process that is killed.
#[derive(Debug)]
pub struct ChangeLock {
    path: PathBuf,
    _file: File,
}

impl ChangeLock {
    /// Takes the lock.
    ///
    /// # Errors
    /// `WouldBlock` if another process still has it after five seconds.
    pub fn take(changed: &Path) -> io::Result<ChangeLock> {
        let path = changed.with_extension("lock");
        loop {
            let file = lock_file(&path, Duration::from_secs(5))?;
            // Whoever had it before removed the file: it keeps nobody else away.
            if is_file_at(&file, &path)? {
                return Ok(ChangeLock { path, _file: file });
            }
        }
    }
}

impl Drop for ChangeLock {
    fn drop(&mut self) {
        // Still locked: who waits for it looks whether it is there.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether an open file is the one at this path.
fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        let opened = file.metadata()?;
        Ok(std::fs::metadata(path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (opened.dev(), opened.ino())))
    }
    // Elsewhere a file that is open is not removed.
    #[cfg(not(unix))]
    file.metadata().and_then(|_| path.try_exists())
}

/// Creates a file and locks it against other processes, which wait for at most `limit`. The lock
/// ends with the file that is returned, and with the process.
///
/// # Errors
/// `WouldBlock` if another process keeps the lock for longer.
pub fn lock_file(path: &Path, limit: Duration) -> io::Result<File> {
    const RETRY_INTERVAL: Duration = Duration::from_millis(10);
    let file = private_file_options()
        .append(true)
        .create(true)
        .open(path)?;
    for _ in 0..limit.as_millis() / RETRY_INTERVAL.as_millis() {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_INTERVAL),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
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
    let ids = [one, other].map(|path| {
        std::fs::metadata(path)
            .map(|file| (file.dev(), file.ino()))
            .ok()
    });
    #[cfg(not(unix))]
    let ids = [one, other].map(|path| std::fs::canonicalize(path).ok());
    ids[0].is_some() && ids[0] == ids[1]
}
