//! Preferences set on the screen: a small file of names and values in the state directory.
//!
//! It is read once, at start-up, and rewritten at each change, while other consoles wait. An
//! unreadable file counts as empty; a preference that cannot be saved applies to this session, and
//! the log has the reason.
//!
//! Never here: what a preference means.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config;
use crate::platform::files::{self, ChangeLock};

/// The file, if there is one.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    file: Option<PathBuf>,
}

impl Preferences {
    /// The preferences in this file; without a file they last for this session.
    pub fn new(file: Option<PathBuf>) -> Preferences {
        Preferences { file }
    }

    pub fn read(&self) -> BTreeMap<String, String> {
        let Some(file) = self
            .file
            .as_ref()
            .filter(|file| config::is_file_or_missing(file))
        else {
            return BTreeMap::new();
        };
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, "cannot read the preferences");
                }
                return BTreeMap::new();
            }
        };
        let table: toml::Table = text.parse().unwrap_or_default();
        table
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect()
    }

    /// Saves a preference, keeping those that other consoles have saved meanwhile; an empty one is
    /// removed.
    pub fn set(&self, name: &str, value: String) {
        if let Some(file) = &self.file
            && let Err(error) = self.rewrite(file, name, value)
        {
            tracing::warn!(%error, "cannot save a preference");
        }
    }

    fn rewrite(&self, file: &Path, name: &str, value: String) -> io::Result<()> {
        if let Some(directory) = file.parent() {
            files::create_private_folder(directory)?;
        }
        let _lock = ChangeLock::take(file)?;
        let mut kept = self.read();
        if value.is_empty() {
            kept.remove(name)
        } else {
            kept.insert(name.to_owned(), value)
        };
        let table: toml::Table = kept
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        files::replace_file(file, table.to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferences(folder: &tempfile::TempDir) -> Preferences {
        Preferences::new(Some(folder.path().join("state/preferences.toml")))
    }

    #[test]
    fn a_preference_survives_a_restart_in_a_private_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        preferences(&folder).set("columns.book.accounts", "name tags".to_owned());
        preferences(&folder).set("columns.view.projects", "name".to_owned());
        preferences(&folder).set("columns.view.projects", String::new());
        let kept = preferences(&folder).read();
        assert_eq!(
            kept.into_iter().collect::<Vec<_>>(),
            [("columns.book.accounts".to_owned(), "name tags".to_owned())]
        );
        let file = folder.path().join("state/preferences.toml");
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            fs::read_dir(folder.path().join("state")).unwrap().count(),
            1,
            "no other file is left"
        );
    }

    #[test]
    fn an_invalid_preferences_file_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("preferences.toml");
        for text in ["\u{0}\u{1}", "[columns", "columns = 3", ""] {
            fs::write(&file, text).unwrap();
            assert!(
                Preferences::new(Some(file.clone())).read().is_empty(),
                "{text:?}"
            );
        }
        assert!(Preferences::new(None).read().is_empty());
    }

    #[test]
    fn an_unwritable_preferences_file_is_not_an_error() {
        Preferences::new(Some(PathBuf::from("/dev/null/preferences.toml")))
            .set("a", "b".to_owned());
    }
}
