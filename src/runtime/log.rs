//! The log for troubleshooting: a file that is private to its owner and rotated by size, or
//! standard error.
//!
//! Lines contain times, places, counts and kinds of failure. Never here: the content of requests or
//! responses, searches, names, credentials. Without a directory there is no log, and nothing else
//! changes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{self, LogFormat, LogLevel};
use crate::platform::files;

/// Maximum size of a file before it is rotated.
const MAX_LOG_BYTES: u64 = 2 * 1024 * 1024;
/// Number of files kept, including the current one.
const MAX_LOG_FILES: usize = 5;

/// Starts the log in this directory, creating it if necessary. If that fails, there is no log.
pub fn init(directory: &Path, level: LogLevel) {
    let Ok(file) = RotatingFile::open(directory.join("gantry.log"), MAX_LOG_BYTES) else {
        return;
    };
    let file = Arc::new(Mutex::new(file));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        // A full disk only loses the line.
        .log_internal_errors(false)
        .with_writer(move || LogFile(file.clone()));
    let _ = tracing_subscriber::registry()
        .with(lines.with_filter(own_lines(level)))
        .try_init();
}

/// The file as all threads write to it, also after one of them has panicked.
struct LogFile(Arc<Mutex<RotatingFile>>);

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts the log on standard error.
pub fn init_stderr(format: LogFormat, level: LogLevel) {
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(io::stderr);
    let registry = tracing_subscriber::registry();
    let _ = match format {
        LogFormat::Text => registry
            .with(lines.with_filter(own_lines(level)))
            .try_init(),
        LogFormat::Json => registry
            .with(
                lines
                    .json()
                    .flatten_event(true)
                    .with_filter(own_lines(level)),
            )
            .try_init(),
    };
}

/// Lines of other crates are left out: they may contain URLs with searches.
fn own_lines(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Warn => tracing::Level::WARN,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Debug => tracing::Level::DEBUG,
    };
    Targets::new().with_target(env!("CARGO_PKG_NAME"), level)
}

/// A rotated file: `gantry.log`, `gantry.log.1`, …
struct RotatingFile {
    path: PathBuf,
    file: File,
    size: u64,
    max_size: u64,
}

impl RotatingFile {
    fn open(path: PathBuf, full: u64) -> io::Result<RotatingFile> {
        if let Some(directory) = path.parent() {
            files::create_private_folder(directory)?;
        }
        if !config::is_file_or_missing(&path) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = open_append(&path)?;
        let size = file.metadata()?.len();
        Ok(RotatingFile {
            path,
            file,
            size,
            max_size: full,
        })
    }

    fn rotated_path(&self, n: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if n > 0 {
            name.push(format!(".{n}"));
        }
        name.into()
    }

    fn rotate(&mut self) -> io::Result<()> {
        for n in (0..MAX_LOG_FILES - 1).rev() {
            match fs::rename(self.rotated_path(n), self.rotated_path(n + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = open_append(&self.path)?;
        self.size = 0;
        Ok(())
    }
}

fn open_append(path: &Path) -> io::Result<File> {
    files::private_file_options()
        .append(true)
        .create(true)
        .open(path)
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.size > 0 && self.size + length > self.max_size {
            self.rotate()?;
        }
        self.size += length;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_full_log_is_rotated_and_a_few_private_files_are_kept() {
        let room = tempfile::tempdir().unwrap();
        let directory = room.path().join("state/gantry");
        let mut log = RotatingFile::open(directory.join("gantry.log"), 100).unwrap();
        for n in 0..40 {
            writeln!(log, "line {n:060}").unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .collect();
        names.sort_by_key(fs::DirEntry::file_name);
        assert_eq!(names.len(), MAX_LOG_FILES);
        assert!(
            names
                .iter()
                .all(|entry| entry.metadata().unwrap().permissions().mode() & 0o777 == 0o600)
        );
        assert!(
            fs::read_to_string(directory.join("gantry.log"))
                .unwrap()
                .contains("39")
        );
    }
}
