//! `gantry import --follow`: imports files again when they change, until ^C.
//!
//! Never here: how a file is imported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::domain::exit_status;
use crate::service::import::{self, layout};

use super::error::CliError;
use super::import_args::ImportArgs;
use super::import_file::{Stop, import_file, summary};
use super::output::Output;
use super::print;

/// What a directory has: anything else, such as a download in progress, is left alone.
const ENDINGS: &[&str] = &["csv", "tsv", "txt"];

/// The size and time of a file.
type FileStamp = (u64, Option<SystemTime>);

/// The files that were seen.
#[derive(Default)]
struct FollowedFiles(BTreeMap<PathBuf, (FileStamp, bool)>);

impl FollowedFiles {
    /// The files to import: those that changed, but not since the last look, so that nobody is still writing them.
    fn take_ready(&mut self, files: Vec<(PathBuf, FileStamp)>) -> Vec<PathBuf> {
        let mut ready = Vec::new();
        for (path, stamp) in files {
            let (known, is_imported) = self.0.entry(path.clone()).or_insert(((0, None), false));
            if *known != stamp {
                (*known, *is_imported) = (stamp, false);
            } else if !*is_imported {
                *is_imported = true;
                ready.push(path);
            }
        }
        ready
    }
}

/// The files of a directory, or the file itself.
fn list_files(path: &Path) -> Vec<(PathBuf, FileStamp)> {
    let is_table = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) && !is_hidden
    };
    let paths = match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).filter(is_table).collect(),
        Err(_) => vec![path.to_owned()],
    };
    let stamped = paths.into_iter().filter_map(|path| {
        let known = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        Some((path, (known.len(), known.modified().ok())))
    });
    stamped.collect()
}

/// Imports what is there and what changes, until ^C.
pub(super) async fn follow(args: &ImportArgs, folder: &Path, every: Duration, output: Output) -> Result<(), CliError> {
    if !args.file.exists() {
        return Err(CliError::usage(format!("cannot follow {}: no such file or directory", args.file.display())));
    }
    let stop = Stop::on_interrupt();
    print::write_note(&format!("following {}; ^C ends it", args.file.display()));
    let mut followed = FollowedFiles::default();
    while !stop.is_requested() {
        for path in followed.take_ready(list_files(&args.file)) {
            if stop.is_requested() {
                break;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match pick_up(args, &path, folder, &stop).await {
                Ok(report) => output.print_summary(&format!("{name}: {}", summary(false, &report)), &report)?,
                Err(error) => print::write_note(&format!("{name}: {}", error.message.unwrap_or_default())),
            }
        }
        stop.wait(every).await;
    }
    Ok(())
}

/// Imports a file with the given layout, or the one that is known for its header.
async fn pick_up(args: &ImportArgs, path: &Path, folder: &Path, stop: &Stop) -> Result<import::ImportReport, CliError> {
    let layout = match &args.layout {
        Some(layout) => layout.clone(),
        None => {
            let sample = import::open_sample(path).map_err(|error| CliError::new(exit_status::FAILED, error.to_string()))?;
            let known = layout::find_by_header(&sample.header, folder);
            match known.as_slice() {
                [(name, _)] => name.clone(),
                [] => {
                    let line = format!("no layout has this header: run gantry import {} once without --follow", path.display());
                    return Err(CliError::usage(line));
                }
                _ => return Err(CliError::usage("several layouts have this header: choose one with --layout")),
            }
        }
    };
    import_file(args, path, &layout, folder, stop).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_imported_once_its_size_is_stable_and_again_after_it_changed() {
        let mut followed = FollowedFiles::default();
        let file = |size: u64| vec![(PathBuf::from("may.csv"), (size, Some(SystemTime::UNIX_EPOCH)))];
        let counts: Vec<usize> =
            [10, 20, 20, 20, 30, 40, 40].into_iter().map(|size| followed.take_ready(file(size)).len()).collect();
        assert_eq!(counts, [0, 0, 1, 0, 0, 0, 1]);
    }
}
