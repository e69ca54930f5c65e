//! A home folder with a configuration file, for tests.

use super::Paths;
use super::locked_config::{create_private_folder, write_private_file};

/// A home whose configuration file has this text.
pub(crate) fn home_with(text: &str) -> (tempfile::TempDir, Paths) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let dir = home.path().to_string_lossy().into_owned();
    let paths = Paths::from_env(&move |name| (name == "XDG_CONFIG_HOME").then(|| dir.clone()));
    create_private_folder(paths.config_folder().expect("a folder")).expect("a folder for the file");
    write_private_file(&paths.config_file().expect("a file"), text).expect("the file is written");
    (home, paths)
}
