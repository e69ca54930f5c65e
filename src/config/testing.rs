//! A home folder with a configuration file, for tests.

use super::Paths;
use super::edit::{create_private_dir, write_atomically};

/// A home whose configuration file has this text.
pub(crate) fn home_with(text: &str) -> (tempfile::TempDir, Paths) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let dir = home.path().to_string_lossy().into_owned();
    let paths = Paths::from_env(&move |name| (name == "XDG_CONFIG_HOME").then(|| dir.clone()));
    create_private_dir(&paths.config).expect("a folder for the file");
    write_atomically(&paths.config_file(), text).expect("the file is written");
    (home, paths)
}
