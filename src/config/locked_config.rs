//! The configuration file while it is changed: no other process changes it meanwhile, and what does
//! not change stays as it was written.
//!
//! Never here: what is changed.

use std::io;
use std::path::{Path, PathBuf};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::config_error::ConfigError;
use super::file;
use super::paths::Paths;
use super::settings::ConfigFile;
use crate::platform::files::{self, ChangeLock};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The file, read and locked until this value is dropped.
pub(super) struct LockedConfig {
    pub(super) path: PathBuf,
    /// The folder of the file, and of the token files.
    pub(super) folder: PathBuf,
    /// Its text with plain line ends and without a byte order mark.
    pub(super) text: String,
    as_written: String,
    _lock: ChangeLock,
}

impl LockedConfig {
    /// Waits for other processes, locks the file and reads it; a missing one counts as empty.
    pub(super) fn open(paths: &Paths) -> Result<LockedConfig, ConfigError> {
        let (path, folder) = (paths.config_file()?, paths.config_folder()?.to_owned());
        create_private_folder(&folder)?;
        let lock = ChangeLock::take(&path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => ConfigError::new(format!(
                "{} is being changed by another gantry; nothing was changed: try again",
                path.display()
            )),
            _ => cannot_write(&path, &error),
        })?;
        let as_written = file::read_text(&path)?;
        let text = as_written
            .trim_start_matches(BYTE_ORDER_MARK)
            .replace("\r\n", "\n");
        Ok(LockedConfig {
            path,
            folder,
            text,
            as_written,
            _lock: lock,
        })
    }

    /// The file as it is before the change.
    pub(super) fn parse(&self) -> Result<ConfigFile, ConfigError> {
        file::parse_config(&self.path, &self.text)
    }

    /// Writes the changed text.
    ///
    /// # Errors
    /// Also fails if gantry could not read the text: nothing is changed then.
    pub(super) fn write(&self, changed: &str) -> Result<(), ConfigError> {
        file::parse_config(&self.path, changed)?;
        let written = restore_form(&self.as_written, changed);
        if written == self.as_written {
            Ok(())
        } else {
            write_private_file(&self.path, &written)
        }
    }
}

pub(super) fn create_private_folder(folder: &Path) -> Result<(), ConfigError> {
    let cannot =
        |error: io::Error| ConfigError::new(format!("cannot create {}: {error}", folder.display()));
    files::create_private_folder(folder).map_err(cannot)
}

/// Writes a file as a whole, readable only by its owner.
pub(super) fn write_private_file(path: &Path, text: &str) -> Result<(), ConfigError> {
    files::replace_file(path, text.as_bytes()).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> ConfigError {
    ConfigError::new(format!("cannot write {}: {error}", path.display()))
}

/// A changed text with the byte order mark of the original, and with the line ends of its lines;
/// new lines end as its first one does.
fn restore_form(original: &str, changed: &str) -> String {
    let (mark, original) = match original.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (&original[..BYTE_ORDER_MARK.len_utf8()], rest),
        None => ("", original),
    };
    let before: Vec<&str> = original.split_inclusive('\n').collect();
    let plain: Vec<String> = before
        .iter()
        .map(|line| line.replace("\r\n", "\n"))
        .collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let after: Vec<&str> = changed.split_inclusive('\n').collect();
    let line_end = if before.first().is_some_and(|line| line.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let parts = capture_diff_slices(Algorithm::Myers, &plain, &after)
        .into_iter()
        .map(|part| match part {
            DiffOp::Equal { .. } => before[part.old_range()].concat(),
            _ => after[part.new_range()].concat().replace('\n', line_end),
        });
    std::iter::once(mark.to_owned()).chain(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::testing::home_with;

    /// The file after a line was added at its end and one was replaced.
    fn changed(text: &str) -> String {
        let (_home, paths) = home_with(text);
        let file = LockedConfig::open(&paths).unwrap();
        file.write(&format!(
            "{}[queue]\n",
            file.text.replace("mouse = false", "mouse = true")
        ))
        .unwrap();
        std::fs::read_to_string(paths.config_file().unwrap()).unwrap()
    }

    #[test]
    fn line_ends_and_byte_order_mark_stay_as_the_editor_wrote_them() {
        let text = "\u{feff}# mine\r\n[console]\r\nmouse = false\r\n";
        assert_eq!(
            changed(text),
            "\u{feff}# mine\r\n[console]\r\nmouse = true\r\n[queue]\r\n"
        );
        assert_eq!(
            changed("# mine\n[console]\nmouse = false\n"),
            "# mine\n[console]\nmouse = true\n[queue]\n"
        );
        let mixed = "# mine\n[console]\r\nascii = true\r\nmouse = false # \n[watch]\r\n";
        assert_eq!(
            changed(mixed),
            "# mine\n[console]\r\nascii = true\r\nmouse = true # \n[watch]\r\n[queue]\n"
        );
    }
}
