//! The person's own editor (`$VISUAL`, `$EDITOR`, else vi) on a text: the terminal is lent to it until it ends.
//!
//! The text stands in a file that only the person can read, in the state directory; it is gone once the text is back. What the
//! editor left that is no text stays in its file, and the line that says so names it.
//!
//! Never here: what the text is for.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Command;

/// An editor, and where its files stand.
#[derive(Clone, Debug, Default)]
pub struct ExternalEditor {
    /// The command as the shell reads it; vi where it is empty.
    pub command: String,
    /// The folder of the files; the system's own where there is none.
    pub folder: Option<PathBuf>,
}

impl ExternalEditor {
    /// The editor of the environment.
    pub fn from_env(folder: Option<PathBuf>) -> ExternalEditor {
        let named = |name: &str| std::env::var(name).ok().filter(|command| !command.trim().is_empty());
        ExternalEditor { command: named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_default(), folder }
    }

    /// Edits a text and answers what became of it, or why nothing did: a text of more than `most` bytes is not taken back. Waits for
    /// the editor.
    pub fn edit(&self, text: &str, most: usize) -> Result<String, String> {
        let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
        let mut named = tempfile::Builder::new();
        named.prefix("note-").suffix(".txt");
        let file = match &self.folder {
            Some(folder) => std::fs::create_dir_all(folder).and_then(|()| named.tempfile_in(folder)),
            None => named.tempfile(),
        };
        let mut file = file.map_err(failed("no file for the editor"))?;
        file.write_all(text.as_bytes()).map_err(failed("the file for the editor could not be written"))?;
        let command = if self.command.trim().is_empty() { "vi" } else { &self.command };
        let mut editor = Command::new("/bin/sh");
        editor.arg("-c").arg(format!("{command} \"$1\"")).arg("sh").arg(file.path());
        super::remove_gantry_env(&mut editor);
        let status = editor.status();
        let status = status.map_err(failed("the editor could not be started"))?;
        if !status.success() {
            return Err(format!("the editor {command} failed ({status}); the text is as it was"));
        }
        let left = std::fs::File::open(file.path()).map_err(failed("the editor left no file; the text is as it was"))?;
        let mut bytes = Vec::new();
        left.take(most as u64 + 1).read_to_end(&mut bytes).map_err(failed("the editor's file could not be read"))?;
        let refused = match String::from_utf8(bytes) {
            _ if std::fs::metadata(file.path()).is_ok_and(|file| file.len() > most as u64) => {
                format!("more than {most} bytes, which is too long")
            }
            Ok(text) => return Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n")),
            Err(_) => "a text that is not UTF-8".to_owned(),
        };
        let kept = file.into_temp_path().keep().map(|path| path.display().to_string()).unwrap_or_default();
        Err(format!("the editor left {refused}, kept in {kept}; the text here is as it was"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit_with(command: &str, text: &str) -> (Result<String, String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let editor = ExternalEditor { command: command.to_owned(), folder: Some(folder.path().to_owned()) };
        let result = editor.edit(text, 65_536);
        (result, std::fs::read_dir(folder.path()).unwrap().count())
    }

    #[test]
    fn the_edited_text_is_returned_and_its_file_is_deleted() {
        assert_eq!(edit_with("sh -c 'printf more >> \"$1\"' sh", "some "), (Ok("some more".to_owned()), 0));
        assert_eq!(edit_with("true", "some"), (Ok("some".to_owned()), 0));
        assert_eq!(edit_with("sh -c 'printf \"\\357\\273\\277a\\r\\nb\" > \"$1\"' sh", ""), (Ok("a\nb".to_owned()), 0));
    }

    #[test]
    fn a_failing_editor_changes_nothing_and_is_named() {
        let (result, files) = edit_with("false", "some");
        assert!(result.unwrap_err().contains("the editor false failed") && files == 0);
        assert!(edit_with("rm", "some").0.unwrap_err().contains("left no file"));
    }

    #[test]
    fn an_edited_file_that_is_not_utf8_is_kept() {
        let (result, files) = edit_with("sh -c 'printf \"\\377\" > \"$1\"' sh", "some");
        assert!(result.unwrap_err().contains("not UTF-8") && files == 1);
    }

    #[test]
    fn an_edited_file_that_is_too_long_is_not_read_and_is_kept() {
        let (result, files) = edit_with("sh -c 'head -c 104857600 /dev/zero > \"$1\"' sh", "");
        assert!(result.unwrap_err().contains("more than 65536 bytes, which is too long, kept in") && files == 1);
    }

    #[test]
    fn only_the_owner_can_read_the_file() {
        let (result, _) = edit_with("sh -c 'ls -l \"$1\" > \"$1.x\"; cat \"$1.x\" > \"$1\"; rm \"$1.x\"' sh", "");
        assert!(result.unwrap().starts_with("-rw-------"));
    }
}
