//! Files that gantry installs: written, compared and removed. A marker in each shows that gantry
//! wrote it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::super::error::{CliError, Context};

/// A text that every installed file contains.
pub(in super::super) const INSTALL_MARKER: &str = "Written by gantry install";

/// One thing to install or remove: a file, or a folder with many.
pub(super) struct Plan {
    pub(super) what: String,
    /// The file or the folder.
    pub(super) shown_path: PathBuf,
    files: Vec<(PathBuf, String)>,
    /// Files that an earlier version may have installed.
    outdated: Vec<PathBuf>,
    /// What the user has to do once it is installed.
    pub(super) next_steps: Vec<String>,
}

/// What happened to the files of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InstallResult {
    Written,
    /// Written over a file that gantry did not write.
    Replaced,
    UpToDate,
    Removed,
    NotInstalled,
}

impl InstallResult {
    /// The words between what it is and where it is.
    pub(super) fn phrase(self, dry_run: bool) -> &'static str {
        match (self, dry_run) {
            (InstallResult::Written, false) => "written to",
            (InstallResult::Written, true) => "would be written to",
            (InstallResult::Replaced, false) => "written over what gantry had not written:",
            (InstallResult::Replaced, true) => "would be written over what gantry did not write:",
            (InstallResult::UpToDate, _) => "up to date in",
            (InstallResult::Removed, false) => "removed from",
            (InstallResult::Removed, true) => "would be removed from",
            (InstallResult::NotInstalled, _) => "not installed in",
        }
    }
}

/// What is at the path of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    /// The same text.
    Same,
    /// Another text that gantry wrote.
    Ours,
    /// Something that gantry did not write.
    Foreign,
}

impl Plan {
    pub(super) fn of_file(
        what: String,
        path: PathBuf,
        text: String,
        next_steps: Vec<String>,
    ) -> Plan {
        Plan {
            what,
            shown_path: path.clone(),
            files: vec![(path, text)],
            outdated: Vec::new(),
            next_steps,
        }
    }

    /// Files of a folder; others in it whose names match were installed by another version, if they
    /// have the marker.
    pub(super) fn of_folder(
        what: String,
        folder: PathBuf,
        files: Vec<(String, String)>,
        is_ours: fn(&str) -> bool,
        next_steps: Vec<String>,
    ) -> Plan {
        let files: Vec<_> = files
            .into_iter()
            .map(|(name, text)| (folder.join(name), text))
            .collect();
        let there = fs::read_dir(&folder).into_iter().flatten().flatten();
        let named = there
            .filter(|entry| is_ours(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path());
        let outdated = named
            .filter(|path| {
                files.iter().all(|(file, _)| file != path) && find(path, "") == Found::Ours
            })
            .collect();
        Plan {
            what: format!("{} {what}", files.len()),
            shown_path: folder,
            files,
            outdated,
            next_steps,
        }
    }

    /// Fails if a file would be replaced or removed that gantry did not write.
    pub(super) fn check(&self, removes: bool, force: bool) -> Result<(), CliError> {
        let foreign = self
            .files
            .iter()
            .find(|(path, text)| !force && find(path, text) == Found::Foreign);
        foreign.map_or(Ok(()), |(path, _)| {
            let verb = if removes { "remove" } else { "replace" };
            let line = format!(
                "gantry did not write {}; nothing was changed",
                path.display()
            );
            Err(CliError::failed(line).with_hint(format!("add --force to {verb} it")))
        })
    }

    /// Writes what is missing or different, and returns what was done.
    pub(super) fn write(&self, dry_run: bool) -> Result<InstallResult, CliError> {
        let mut result = if self.outdated.is_empty() {
            InstallResult::UpToDate
        } else {
            InstallResult::Written
        };
        for (path, text) in &self.files {
            let found = find(path, text);
            if found == Found::Same {
                continue;
            }
            let is_replaced = found == Found::Foreign || result == InstallResult::Replaced;
            result = if is_replaced {
                InstallResult::Replaced
            } else {
                InstallResult::Written
            };
            if !dry_run {
                let written = path
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .and_then(|()| fs::write(path, text));
                written.context(&format!("write {}", path.display()))?;
            }
        }
        self.outdated
            .iter()
            .try_for_each(|path| remove_file(path, dry_run))?;
        Ok(result)
    }

    /// Removes the files, and returns what was done.
    pub(super) fn remove(&self, dry_run: bool) -> Result<InstallResult, CliError> {
        let there: Vec<&PathBuf> = self
            .files
            .iter()
            .map(|(path, _)| path)
            .filter(|path| path.exists())
            .chain(&self.outdated)
            .collect();
        there
            .iter()
            .try_for_each(|path| remove_file(path, dry_run))?;
        Ok(if there.is_empty() {
            InstallResult::NotInstalled
        } else {
            InstallResult::Removed
        })
    }
}

/// Compares the file at a path with a text.
fn find(path: &Path, text: &str) -> Found {
    match fs::read(path) {
        Ok(bytes) if bytes == text.as_bytes() => Found::Same,
        Ok(bytes)
            if bytes
                .windows(INSTALL_MARKER.len())
                .any(|part| part == INSTALL_MARKER.as_bytes()) =>
        {
            Found::Ours
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Found::Nothing,
        Ok(_) | Err(_) => Found::Foreign,
    }
}

fn remove_file(path: &Path, dry_run: bool) -> Result<(), CliError> {
    if dry_run {
        Ok(())
    } else {
        fs::remove_file(path).context(&format!("remove {}", path.display()))
    }
}
