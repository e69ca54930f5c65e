//! The log: what the program did, for the person who has to find out why. One file of its owner's alone, cut off by size.
//!
//! Lines hold times, places, counts and kinds of failure. Never here: what a request or an answer said, a search, a name, a
//! credential. Without a directory for it there is no log, and nothing else changes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config;

/// A file is put aside when it has grown to this.
const FULL: u64 = 2 * 1024 * 1024;
/// Files that are kept, the one being written among them.
const KEPT: usize = 5;

/// Starts the log in this directory, which is made if it is missing. Where that cannot be, there is no log.
pub fn start(directory: &Path) {
    let Ok(file) = Rotating::open(directory.join("gantry.log"), FULL) else { return };
    // Other crates' lines may hold addresses with a search in them.
    let ours = Targets::new().with_target(env!("CARGO_PKG_NAME"), tracing::Level::INFO);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Shared(Mutex::new(file)));
    let _ = tracing_subscriber::registry().with(lines.with_filter(ours)).try_init();
}

/// A file that is put aside when it is full: `gantry.log`, `gantry.log.1`, …
struct Rotating {
    path: PathBuf,
    file: File,
    size: u64,
    full: u64,
}

impl Rotating {
    fn open(path: PathBuf, full: u64) -> io::Result<Rotating> {
        if let Some(directory) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        if !config::is_file_or_missing(&path) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = append(&path)?;
        let size = file.metadata()?.len();
        Ok(Rotating { path, file, size, full })
    }

    fn aside(&self, n: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if n > 0 {
            name.push(format!(".{n}"));
        }
        name.into()
    }

    fn rotate(&mut self) -> io::Result<()> {
        for n in (0..KEPT - 1).rev() {
            match fs::rename(self.aside(n), self.aside(n + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = append(&self.path)?;
        self.size = 0;
        Ok(())
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

impl Write for Rotating {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.size > 0 && self.size + length > self.full {
            self.rotate()?;
        }
        self.size += length;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Shared(Mutex<Rotating>);

impl<'a> MakeWriter<'a> for Shared {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(&self.0)
    }
}

/// One line on its way to the file. A disk that is full loses the line and nothing else.
struct Line<'a>(&'a Mutex<Rotating>);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes);
        Ok(bytes.len())
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
    fn a_full_log_is_put_aside_and_only_a_few_are_kept_for_their_owner_alone() {
        let room = tempfile::tempdir().unwrap();
        let directory = room.path().join("state/gantry");
        let mut log = Rotating::open(directory.join("gantry.log"), 100).unwrap();
        for n in 0..40 {
            writeln!(log, "line {n:060}").unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap()).collect();
        names.sort_by_key(fs::DirEntry::file_name);
        assert_eq!(names.len(), KEPT);
        assert!(names.iter().all(|entry| entry.metadata().unwrap().permissions().mode() & 0o777 == 0o600));
        assert!(fs::read_to_string(directory.join("gantry.log")).unwrap().contains("39"));
    }
}
