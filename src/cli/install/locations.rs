//! Where shells, man and systemd look for files.

use std::path::PathBuf;

use crate::config::{EnvLookup, home_folder};

use super::super::error::{CliError, Context};
use super::options::{InstallOptions, InstallShell};

/// Where `--system` installs.
const SYSTEM_PREFIX: &str = "/usr/local";

/// The directories below which everything is installed.
pub(super) enum InstallRoot {
    /// The user's own directories.
    User { data: PathBuf, config: PathBuf },
    /// A prefix, with `share` and `lib` below it.
    Prefix(PathBuf),
}

impl InstallRoot {
    pub(super) fn from_options(
        options: &InstallOptions,
        env: EnvLookup<'_>,
    ) -> Result<InstallRoot, CliError> {
        if options.system {
            return Ok(InstallRoot::Prefix(SYSTEM_PREFIX.into()));
        }
        if let Some(prefix) = &options.prefix {
            return Ok(InstallRoot::Prefix(
                std::path::absolute(prefix).context("find the directory of --prefix")?,
            ));
        }
        let home = home_folder(env);
        let dir = |set: Option<String>, below_home: &str| {
            let set = set.map(PathBuf::from).filter(|path| path.is_absolute());
            set.or_else(|| home.as_ref().map(|home| home.join(below_home)))
        };
        let data = dir(env("XDG_DATA_HOME"), ".local/share");
        let config = dir(env("XDG_CONFIG_HOME"), ".config");
        data.zip(config)
            .map(|(data, config)| InstallRoot::User { data, config })
            .ok_or_else(|| {
                CliError::usage("cannot find your home directory: set HOME, or use --prefix DIR")
            })
    }

    /// The directory of files that do not depend on the machine.
    fn share(&self) -> PathBuf {
        match self {
            InstallRoot::User { data, .. } => data.clone(),
            InstallRoot::Prefix(prefix) => prefix.join("share"),
        }
    }

    /// The file from which a shell loads the completions when it first needs them.
    pub(super) fn completion_file(&self, shell: InstallShell) -> PathBuf {
        match (shell, self) {
            (InstallShell::Bash, _) => self.share().join("bash-completion/completions/gantry"),
            (InstallShell::Zsh, _) => self.share().join("zsh/site-functions/_gantry"),
            (InstallShell::Fish, InstallRoot::User { config, .. }) => {
                config.join("fish/completions/gantry.fish")
            }
            (InstallShell::Fish, InstallRoot::Prefix(_)) => {
                self.share().join("fish/vendor_completions.d/gantry.fish")
            }
        }
    }

    /// The folder of manual pages of commands.
    pub(super) fn man_folder(&self) -> PathBuf {
        self.share().join("man/man1")
    }

    /// Whether man looks into that folder by itself: it does for a `share` beside a `bin` in
    /// `PATH`.
    pub(super) fn is_man_folder_known(&self, env: EnvLookup<'_>) -> bool {
        let bin = self.share().parent().map(|base| base.join("bin"));
        let path = env("PATH").unwrap_or_default();
        bin.is_some_and(|bin| {
            self.share().ends_with("share")
                && std::env::split_paths(&path).any(|folder| folder == bin)
        })
    }

    /// The unit: of the user's systemd, or of the system's.
    pub(super) fn unit_file(&self) -> PathBuf {
        match self {
            InstallRoot::User { config, .. } => config.join("systemd/user/gantry.service"),
            InstallRoot::Prefix(prefix) => prefix.join("lib/systemd/system/gantry.service"),
        }
    }
}
