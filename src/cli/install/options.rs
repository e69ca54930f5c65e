//! The options of `gantry install`, and the shells that it knows.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InstallShell {
    Bash,
    Zsh,
    Fish,
}

impl From<InstallShell> for Shell {
    fn from(shell: InstallShell) -> Shell {
        match shell {
            InstallShell::Bash => Shell::Bash,
            InstallShell::Zsh => Shell::Zsh,
            InstallShell::Fish => Shell::Fish,
        }
    }
}

#[derive(Debug, Args)]
pub struct InstallOptions {
    /// Install for you only; this is the default
    #[arg(long, conflicts_with_all = ["system", "prefix"])]
    user: bool,
    /// Install for all users, below /usr/local
    #[arg(long, conflicts_with = "prefix")]
    pub(super) system: bool,
    /// Install for all users, below this directory
    #[arg(long, value_name = "DIR")]
    pub(super) prefix: Option<PathBuf>,
    /// Remove what was installed
    #[arg(long)]
    pub(super) remove: bool,
    /// Also replace or remove files that gantry did not write
    #[arg(long)]
    pub(super) force: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl InstallOptions {
    /// Whether files go where they are used, not into a folder that is packed or copied.
    pub(super) fn is_at_its_place(&self) -> bool {
        self.prefix.is_none()
    }
}
