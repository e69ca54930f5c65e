//! Edits a text in the person's editor, which has the terminal until it ends.
//!
//! The text is in a private file in the state directory, which is deleted once the text has been
//! read back. A file that is not usable text is kept, and the error names it.
//!
//! Never here: what the text is for.

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::config::editor::find_editor;

/// An editor and the directory of its files.
#[derive(Clone, Debug, Default)]
pub struct ExternalEditor {
    /// The shell command.
    pub command: String,
    /// How to leave it, to be said before it opens for the first time.
    pub manual: Cell<Option<&'static str>>,
    /// The directory of the files; by default the system's.
    pub folder: Option<PathBuf>,
}

impl ExternalEditor {
    /// The editor from the environment.
    pub fn from_env(folder: Option<PathBuf>) -> ExternalEditor {
        let editor = find_editor();
        ExternalEditor {
            command: editor.command,
            manual: Cell::new(editor.manual),
            folder,
        }
    }

    /// Edits a file in place. Blocks until the editor ends.
    pub fn edit_file(&self, file: &Path) -> Result<(), String> {
        if let Some(manual) = self.manual.take() {
            wait_for_reader(manual);
        }
        let command = &self.command;
        let mut editor = Command::new("/bin/sh");
        editor
            .arg("-c")
            .arg(format!("{command} \"$1\""))
            .arg("sh")
            .arg(file);
        super::child_env::remove_gantry_env(&mut editor);
        let status = editor
            .status()
            .map_err(|error| format!("cannot start the editor: {error}"))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the editor {command} failed ({status})"))
        }
    }

    /// Edits a text and returns the result, or why it failed; results longer than `most` bytes are
    /// rejected. Blocks until the editor ends.
    pub fn edit(&self, text: &str, extension: &str, most: usize) -> Result<String, String> {
        let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
        let mut named = tempfile::Builder::new();
        named.prefix("gantry-").suffix(extension);
        let file = match &self.folder {
            Some(folder) => {
                std::fs::create_dir_all(folder).and_then(|()| named.tempfile_in(folder))
            }
            None => named.tempfile(),
        };
        let mut file = file.map_err(failed("cannot create a file for the editor"))?;
        file.write_all(text.as_bytes())
            .map_err(failed("cannot write the editor's file"))?;
        self.edit_file(file.path())
            .map_err(|why| format!("{why}; the text is unchanged"))?;
        let left = std::fs::File::open(file.path()).map_err(failed(
            "the text is unchanged; cannot open the editor's file",
        ))?;
        let mut bytes = Vec::new();
        left.take(most as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed("cannot read the editor's file"))?;
        let refused = match String::from_utf8(bytes) {
            _ if std::fs::metadata(file.path()).is_ok_and(|file| file.len() > most as u64) => {
                format!("longer than {most} bytes")
            }
            Ok(text) => return Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n")),
            Err(_) => "not UTF-8".to_owned(),
        };
        let kept = file
            .into_temp_path()
            .keep()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        Err(format!(
            "the edited text is {refused}; it is saved in {kept} and the text here is unchanged"
        ))
    }
}

/// Prints a text on the terminal, and waits until the person has read it.
fn wait_for_reader(text: &str) {
    let written = writeln!(std::io::stderr(), "{text}\nPress Enter to continue.");
    if written.is_ok() {
        let _ = std::io::stdin().read_line(&mut String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit_with(command: &str, text: &str) -> (Result<String, String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let editor = ExternalEditor {
            command: command.to_owned(),
            manual: Cell::default(),
            folder: Some(folder.path().to_owned()),
        };
        let result = editor.edit(text, ".txt", 65_536);
        (result, std::fs::read_dir(folder.path()).unwrap().count())
    }

    #[test]
    fn the_edited_text_is_returned_and_its_file_is_deleted() {
        assert_eq!(
            edit_with("sh -c 'printf more >> \"$1\"' sh", "some "),
            (Ok("some more".to_owned()), 0)
        );
        assert_eq!(edit_with("true", "some"), (Ok("some".to_owned()), 0));
        assert_eq!(
            edit_with("sh -c 'printf \"\\357\\273\\277a\\r\\nb\" > \"$1\"' sh", ""),
            (Ok("a\nb".to_owned()), 0)
        );
    }

    #[test]
    fn a_failing_editor_changes_nothing_and_is_named() {
        let (result, files) = edit_with("false", "some");
        assert!(result.unwrap_err().contains("the editor false failed") && files == 0);
        assert!(
            edit_with("rm", "some")
                .0
                .unwrap_err()
                .contains("cannot open the editor's file")
        );
    }

    #[test]
    fn an_edited_file_that_is_not_utf8_is_kept() {
        let (result, files) = edit_with("sh -c 'printf \"\\377\" > \"$1\"' sh", "some");
        assert!(result.unwrap_err().contains("not UTF-8") && files == 1);
    }

    #[test]
    fn an_edited_file_that_is_too_long_is_not_read_and_is_kept() {
        let (result, files) = edit_with("sh -c 'head -c 104857600 /dev/zero > \"$1\"' sh", "");
        assert!(
            result
                .unwrap_err()
                .contains("longer than 65536 bytes; it is saved in")
                && files == 1
        );
    }

    #[test]
    fn only_the_owner_can_read_the_file() {
        let (result, _) = edit_with(
            "sh -c 'ls -l \"$1\" > \"$1.x\"; cat \"$1.x\" > \"$1\"; rm \"$1.x\"' sh",
            "",
        );
        assert!(result.unwrap().starts_with("-rw-------"));
    }
}
