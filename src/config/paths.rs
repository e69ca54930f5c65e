//! File locations: the `gantry` folder in each XDG base directory.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::config_error::ConfigError;
use super::{BackendLocation, EnvLookup};

/// The program's directories. They may not exist yet; without a home directory there may be none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `$XDG_CONFIG_HOME/gantry`: `config.toml` and token files.
    config: Option<PathBuf>,
    /// `$XDG_STATE_HOME/gantry`: the log and state that survives a crash.
    pub state: Option<PathBuf>,
    /// `$XDG_CACHE_HOME/gantry`.
    pub cache: Option<PathBuf>,
}

impl Paths {
    /// The directories of this environment. A relative path in a variable is ignored, as the XDG
    /// specification requires: what is below the current directory may be anybody's.
    pub fn from_env(env: EnvLookup<'_>) -> Paths {
        let home = home_folder(env);
        let dir = |variable: &str, below_home: &str| {
            let from_env = env(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute());
            Some(
                from_env
                    .or_else(|| Some(home.as_ref()?.join(below_home)))?
                    .join("gantry"),
            )
        };
        Paths {
            config: dir("XDG_CONFIG_HOME", ".config"),
            state: dir("XDG_STATE_HOME", ".local/state"),
            cache: dir("XDG_CACHE_HOME", ".cache"),
        }
    }

    /// The folder of the configuration.
    ///
    /// # Errors
    /// The environment names none.
    pub fn config_folder(&self) -> Result<&Path, ConfigError> {
        let missing = || {
            ConfigError::new(
                "there is no folder for the configuration; set HOME or XDG_CONFIG_HOME to an absolute path",
            )
        };
        self.config.as_deref().ok_or_else(missing)
    }

    /// The configuration file.
    ///
    /// # Errors
    /// As for [`Paths::config_folder`].
    pub fn config_file(&self) -> Result<PathBuf, ConfigError> {
        Ok(self.config_folder()?.join("config.toml"))
    }

    /// The folder of the user's layouts of permit files.
    pub fn layouts_folder(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("layouts"))
    }

    pub fn log_file(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.join("gantry.log"))
    }

    /// Preferences set in the console, shared by all services.
    pub fn preferences_file(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.join("preferences.toml"))
    }

    /// The store of a location: one file per profile, and one shared by all demo runs. `None`
    /// without a state directory.
    pub fn store_file(&self, location: &BackendLocation) -> Option<PathBuf> {
        let name = match location {
            BackendLocation::Unconfigured => return None,
            BackendLocation::Local { file: None, .. } => "demo".to_owned(),
            BackendLocation::Local {
                file: Some(file), ..
            } => {
                let id = Uuid::new_v5(
                    &Uuid::NAMESPACE_URL,
                    absolute_path(file).as_os_str().as_encoded_bytes(),
                )
                .simple()
                .to_string();
                format!(
                    "local-{}-{}",
                    to_file_name(&file.file_stem().unwrap_or_default().to_string_lossy()),
                    id.get(..8)?
                )
            }
            BackendLocation::Remote { label, .. } => format!("profile-{}", to_file_name(label)),
        };
        Some(self.state.as_ref()?.join(format!("{name}.db")))
    }
}

impl BackendLocation {
    /// Identifies whose credits, changes and drafts the store keeps: an address, a file (however
    /// its path is typed), or one demo run. Empty if unconfigured.
    pub fn meter_id(&self) -> String {
        match self {
            BackendLocation::Unconfigured => String::new(),
            BackendLocation::Local { file: None, .. } => format!("demo {}", Uuid::now_v7()),
            BackendLocation::Local {
                file: Some(file), ..
            } => absolute_path(file).display().to_string(),
            BackendLocation::Remote { base_url, .. } => base_url.clone(),
        }
    }
}

fn absolute_path(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

/// The home directory. A relative one is ignored.
pub fn home_folder(env: EnvLookup<'_>) -> Option<PathBuf> {
    env("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}

/// Whether a path is a regular file or does not exist yet. Opening anything else, such as a pipe,
/// could block forever.
pub fn is_file_or_missing(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |file| file.is_file())
}

/// Rejects a database that does not exist yet: only the commands that are named create one.
pub fn check_local_file(file: &Path) -> Result<(), ConfigError> {
    let what = match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "does not exist",
        Ok(found) if found.is_file() && found.len() == 0 => "is empty",
        _ => return Ok(()),
    };
    Err(ConfigError::new(format!(
        "{} {what}; create it with: gantry import PERMITS --data FILE (a city's permits), gantry team up --data FILE (an empty one), or \
         gantry serve --data FILE (sample data)",
        file.display()
    )))
}

/// Makes a text safe as a part of a file name.
fn to_file_name(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '-'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SampleOptions;

    #[test]
    fn each_location_has_its_own_store_and_unconfigured_has_none() {
        let paths = Paths::from_env(&|name| (name == "HOME").then(|| "/home/ana".to_owned()));
        let local = |file: Option<&str>| BackendLocation::Local {
            file: file.map(PathBuf::from),
            as_of: None,
            sample: SampleOptions::default(),
            workspace: None,
        };
        let service = |label: &str| BackendLocation::Remote {
            label: label.to_owned(),
            base_url: String::new(),
            token: String::new().into(),
            workspace: None,
            certificate: None,
        };
        let name = |location: &BackendLocation| {
            paths.store_file(location).map(|file| {
                file.strip_prefix("/home/ana/.local/state/gantry")
                    .unwrap()
                    .display()
                    .to_string()
            })
        };
        assert_eq!(name(&local(None)).unwrap(), "demo.db");
        assert_eq!(
            name(&service("127.0.0.1:8484")).unwrap(),
            "profile-127.0.0.1-8484.db"
        );
        assert_ne!(
            name(&local(Some("/a/desk.db"))),
            name(&local(Some("/b/desk.db")))
        );
        assert_eq!(name(&BackendLocation::Unconfigured), None);
        assert_eq!(
            Paths::from_env(&|_| None).store_file(&local(None)),
            None,
            "no home"
        );
    }

    #[test]
    fn no_directory_is_below_a_relative_path() {
        for home in [None, Some(""), Some("."), Some("home/ana")] {
            for base in [None, Some(""), Some("xdg")] {
                let env = |name: &str| {
                    if name == "HOME" {
                        home.map(str::to_owned)
                    } else {
                        base.map(str::to_owned)
                    }
                };
                let paths = Paths::from_env(&env);
                assert_eq!(
                    paths,
                    Paths {
                        config: None,
                        state: None,
                        cache: None
                    },
                    "{home:?} {base:?}"
                );
                let missing = paths.config_file().unwrap_err().message;
                assert!(
                    missing.contains("; set HOME or XDG_CONFIG_HOME to an absolute path"),
                    "{missing}"
                );
            }
        }
        let paths =
            Paths::from_env(&|name| (name == "XDG_STATE_HOME").then(|| "/var/lib/ana".to_owned()));
        assert_eq!(
            paths,
            Paths {
                config: None,
                state: Some("/var/lib/ana/gantry".into()),
                cache: None
            }
        );
    }

    #[test]
    fn a_file_is_one_meter_for_any_spelling_of_its_path_and_each_demo_is_new() {
        let local = |file: Option<&Path>| BackendLocation::Local {
            file: file.map(Path::to_owned),
            as_of: None,
            sample: SampleOptions::default(),
            workspace: None,
        };
        let here = std::env::current_dir().unwrap().join("desk.db");
        let meters = ["desk.db", "./desk.db"].map(|typed| local(Some(Path::new(typed))).meter_id());
        assert!(
            meters
                .iter()
                .all(|meter| *meter == here.display().to_string()),
            "{meters:?}"
        );
        assert_ne!(local(None).meter_id(), local(None).meter_id());
    }
}
