//! `gantry import --follow`: imports files again when they change, until ^C.
//!
//! Never here: how a file is imported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::service::import::layout::KnownLayout;
use crate::service::import::source::TableSource;
use crate::service::import::{self, layout};

use super::error::CliError;
use super::import_file::{ImportRun, Imported, Stop, find_layout, import_file};
use super::{print, stdin};

/// What a directory has: anything else, such as a download in progress, is left alone.
const ENDINGS: &[&str] = &[
    "csv", "tsv", "txt", "gz", "json", "jsonl", "ndjson", "geojson",
];

/// The size and time of a file.
type FileStamp = (u64, Option<SystemTime>);

/// A file as it was seen last.
#[derive(Default)]
struct FollowedFile {
    stamp: FileStamp,
    is_imported: bool,
    /// Why its last import failed.
    failure: Option<String>,
}

/// The files that were seen.
#[derive(Default)]
struct FollowedFiles(BTreeMap<PathBuf, FollowedFile>);

impl FollowedFiles {
    /// The files to import: those that changed, but not since the last look, so that nobody is
    /// still writing them.
    fn take_ready(&mut self, files: Vec<(PathBuf, FileStamp)>) -> Vec<PathBuf> {
        let mut ready = Vec::new();
        for (path, stamp) in files {
            let known = self.0.entry(path.clone()).or_default();
            if known.stamp != stamp {
                *known = FollowedFile {
                    stamp,
                    ..FollowedFile::default()
                };
            } else if !known.is_imported {
                known.is_imported = true;
                ready.push(path);
            }
        }
        ready
    }

    /// Has a file imported again at the next look: a layout may be there by then, or the database
    /// free. Returns whether the reason is another one than before.
    fn retry(&mut self, path: &Path, why: &str) -> bool {
        let known = self.0.entry(path.to_owned()).or_default();
        known.is_imported = false;
        known.failure.replace(why.to_owned()).as_deref() != Some(why)
    }
}

/// The files of a directory, or the file itself.
fn list_files(path: &Path) -> Vec<(PathBuf, FileStamp)> {
    let is_table = |path: &PathBuf| {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) && !is_hidden
    };
    let paths = match std::fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| entry.path())
            .filter(is_table)
            .collect(),
        Err(_) => vec![path.to_owned()],
    };
    let stamped = paths.into_iter().filter_map(|path| {
        let known = std::fs::metadata(&path)
            .ok()
            .filter(std::fs::Metadata::is_file)?;
        Some((path, (known.len(), known.modified().ok())))
    });
    stamped.collect()
}

/// Imports what is there and what changes, until ^C.
pub(super) async fn follow(run: &ImportRun<'_>) -> Result<(), CliError> {
    let args = run.args;
    if !args.file.exists() {
        return Err(CliError::usage(format!(
            "cannot follow {}: no such file or directory",
            args.file.display()
        )));
    }
    let stop = Stop::on_interrupt();
    print::write_note(&format!("following {}; ^C ends it", args.file.display()));
    let mut followed = FollowedFiles::default();
    while !stop.is_requested() {
        for path in followed.take_ready(list_files(&args.file)) {
            if stop.is_requested() {
                break;
            }
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            match pick_up(run, &path, &format!("{name}: "), &stop).await {
                Ok(problem) => {
                    let why = problem.and_then(|problem| problem.to_line());
                    why.iter()
                        .for_each(|why| print::write_error(&format!("{name}: {why}")));
                }
                Err(error) => {
                    let why = error.to_line().unwrap_or_default();
                    if followed.retry(&path, &why) {
                        print::write_note(&format!("{name}: {why}"));
                    }
                }
            }
        }
        stop.wait(args.follow_interval).await;
    }
    Ok(())
}

/// Imports a file with the given layout, or the one that is known for its header; returns why it
/// is not imported as a whole.
async fn pick_up(
    run: &ImportRun<'_>,
    path: &Path,
    lead: &str,
    stop: &Stop,
) -> Result<Option<CliError>, CliError> {
    let opened = path.to_owned();
    let source = stdin::run_blocking(move || TableSource::open(&opened)).await?;
    if let Some(more) = &source.further_records {
        print::write_note(&format!("{lead}{more}"));
    }
    let folder = run.folder;
    let layout = match &run.args.layout {
        Some(name) => find_layout(name, folder)?,
        None => {
            let sample = import::open_sample(source.path(), None).map_err(CliError::failed)?;
            let known = layout::find_by_header(&sample.header, folder);
            match known.as_slice() {
                [
                    KnownLayout {
                        place: (city, _),
                        is_place_asked: true,
                        name,
                        ..
                    },
                ] => {
                    return Err(CliError::usage(format!(
                        "this header is known from {city}, and another city's file may have the same: if it is from there, pass --layout {name}"
                    )));
                }
                [KnownLayout { name, .. }] => find_layout(name, folder)?,
                [] => {
                    let line = format!(
                        "no layout has this header: run gantry import {} once without --follow",
                        path.display()
                    );
                    return Err(CliError::usage(line));
                }
                _ => {
                    return Err(CliError::usage(
                        "several layouts have this header: choose one with --layout",
                    ));
                }
            }
        }
    };
    match import_file(run, source.path(), layout, lead, stop).await? {
        Imported::Read(_, problem) => Ok(problem),
        Imported::Undecided(questions) => {
            let texts: Vec<&str> = questions
                .iter()
                .map(|question| question.text.as_str())
                .collect();
            Err(CliError::usage(format!(
                "{}: run gantry import {} once without --follow",
                texts.join("; "),
                path.display()
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_imported_once_its_size_is_stable_and_again_after_it_changed() {
        let mut followed = FollowedFiles::default();
        let file = |size: u64| {
            vec![(
                PathBuf::from("may.csv"),
                (size, Some(SystemTime::UNIX_EPOCH)),
            )]
        };
        let counts: Vec<usize> = [10, 20, 20, 20, 30, 40, 40]
            .into_iter()
            .map(|size| followed.take_ready(file(size)).len())
            .collect();
        assert_eq!(counts, [0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_file_that_failed_is_tried_again_and_each_reason_is_reported_once() {
        let mut followed = FollowedFiles::default();
        let mut look = |failure: Option<&str>| {
            let ready = followed.take_ready(vec![(PathBuf::from("may.csv"), (10, None))]);
            ready
                .first()
                .map(|path| failure.map(|why| followed.retry(path, why)))
        };
        assert_eq!(look(None), None, "its size may still change");
        assert_eq!(look(Some("no layout")), Some(Some(true)));
        assert_eq!(look(Some("no layout")), Some(Some(false)));
        assert_eq!(look(Some("the disk is full")), Some(Some(true)));
        assert_eq!(
            (look(None), look(None)),
            (Some(None), None),
            "it is imported"
        );
    }
}
