//! Where files are: the XDG base directories, each with `gantry` in it.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::{Env, Place};

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

    /// What the person chose on the screen, for all places. None without a state directory.
    pub fn preferences_file(&self) -> Option<PathBuf> {
        self.state.is_absolute().then(|| self.state.join("preferences.toml"))
    }

    /// The store of a place: one file a profile, and one for all runs of the sample world. None without a state directory.
    pub fn store_file(&self, place: &Place) -> Option<PathBuf> {
        let name = match place {
            Place::Nowhere => return None,
            Place::Local { file: None, .. } => "demo".to_owned(),
            Place::Local { file: Some(file), .. } => {
                let id = Uuid::new_v5(&Uuid::NAMESPACE_URL, whole(file).as_os_str().as_encoded_bytes()).simple().to_string();
                format!("local-{}-{}", plain(&file.file_stem().unwrap_or_default().to_string_lossy()), id.get(..8)?)
            }
            Place::Service { label, .. } => format!("profile-{}", plain(label)),
        };
        self.state.is_absolute().then(|| self.state.join(format!("{name}.db")))
    }
}

impl Place {
    /// Whose credits, acts and drafts those of this place are: an address, a file however its path is typed, or a new run of the sample
    /// world. Empty for nowhere.
    pub fn meter(&self) -> String {
        match self {
            Place::Nowhere => String::new(),
            Place::Local { file: None, .. } => format!("demo {}", Uuid::now_v7()),
            Place::Local { file: Some(file), .. } => whole(file).display().to_string(),
            Place::Service { base_url, .. } => base_url.clone(),
        }
    }
}

fn whole(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

/// Whether a path can be read and written as a file: it is one, or nothing yet. A pipe would be waited for, without an end.
pub fn is_usable(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |file| file.is_file())
}

/// A text as a part of a file's name.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sample;

    #[test]
    fn each_place_has_a_store_of_its_own_and_nowhere_has_none() {
        let paths = Paths::of(&|name| (name == "HOME").then(|| "/home/ana".to_owned()));
        let local = |file: Option<&str>| Place::Local {
            file: file.map(PathBuf::from),
            as_of: None,
            sample: Sample::default(),
            workspace: None,
        };
        let service = |label: &str| Place::Service {
            label: label.to_owned(),
            base_url: String::new(),
            token: String::new().into(),
            workspace: None,
        };
        let name = |place: &Place| {
            paths.store_file(place).map(|file| file.strip_prefix("/home/ana/.local/state/gantry").unwrap().display().to_string())
        };
        assert_eq!(name(&local(None)).unwrap(), "demo.db");
        assert_eq!(name(&service("127.0.0.1:8484")).unwrap(), "profile-127.0.0.1-8484.db");
        assert_ne!(name(&local(Some("/a/desk.db"))), name(&local(Some("/b/desk.db"))));
        assert_eq!(name(&Place::Nowhere), None);
        assert_eq!(Paths::of(&|_| None).store_file(&local(None)), None, "no home");
    }

    #[test]
    fn a_file_is_one_place_however_its_path_is_typed_and_each_sample_world_is_another() {
        let local = |file: Option<&Path>| Place::Local {
            file: file.map(Path::to_owned),
            as_of: None,
            sample: Sample::default(),
            workspace: None,
        };
        let here = std::env::current_dir().unwrap().join("desk.db");
        let meters = ["desk.db", "./desk.db"].map(|typed| local(Some(Path::new(typed))).meter());
        assert!(meters.iter().all(|meter| *meter == here.display().to_string()), "{meters:?}");
        assert_ne!(local(None).meter(), local(None).meter());
    }
}
