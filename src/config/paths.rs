//! Where files are: the XDG base directories, each with `gantry` in it.

use std::path::PathBuf;

use super::Env;

/// The program's own directories. They need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `$XDG_CONFIG_HOME/gantry`: `config.toml` and token files.
    pub config: PathBuf,
    /// `$XDG_STATE_HOME/gantry`: the log and what must outlive a crash.
    pub state: PathBuf,
    /// `$XDG_CACHE_HOME/gantry`.
    pub cache: PathBuf,
}

impl Paths {
    /// The directories of this environment. A relative path in a variable is passed over, as the specification says.
    pub fn of(env: Env<'_>) -> Paths {
        let home = env("HOME").map(PathBuf::from).unwrap_or_default();
        let dir = |variable: &str, below_home: &str| {
            let said = env(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            said.unwrap_or_else(|| home.join(below_home)).join("gantry")
        };
        Paths {
            config: dir("XDG_CONFIG_HOME", ".config"),
            state: dir("XDG_STATE_HOME", ".local/state"),
            cache: dir("XDG_CACHE_HOME", ".cache"),
        }
    }

    /// The configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}
