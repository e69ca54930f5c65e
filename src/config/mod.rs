//! Profiles, secrets, paths and settings as one plain value.
//!
//! What the person said on the command line beats the environment, which beats the profile, which beats the default. The
//! environment is an argument, so that a test writes its own. A token that a profile keeps goes to that profile's address alone.
//!
//! Never here: a request, a terminal, another layer.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::SecretString;

pub mod duration;
mod edit;
mod file;
mod paths;
mod resolve;
mod secret;

pub use edit::{remove_profile, save_budgets, save_profile};
pub use paths::{Paths, is_file_or_missing};
pub use resolve::resolve;
pub use secret::from_file as token_from_file;

/// What was said on the command line.
#[derive(Clone, Debug, Default)]
pub struct CliOptions {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--demo`.
    pub demo: bool,
    /// `--local`.
    pub local: Option<PathBuf>,
    /// `--as-of`.
    pub as_of: Option<DateTime<Utc>>,
    /// `--projects` and `--book`.
    pub sample: SampleOptions,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--workspace`.
    pub workspace: Option<String>,
    /// `--token-file`.
    pub token_file: Option<PathBuf>,
    /// `--no-color`.
    pub no_color: bool,
    /// `--ascii`.
    pub ascii: bool,
    /// `--poll`.
    pub poll: Option<Duration>,
    /// `--no-mouse`.
    pub no_mouse: bool,
    /// `--read-only`.
    pub read_only: bool,
    /// `--theme`.
    pub theme: Option<String>,
}

/// How large a new sample world is, where that was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleOptions {
    /// About how many projects.
    pub projects: Option<u32>,
    /// Accounts in the book of its first workspace.
    pub book: Option<u32>,
}

/// Everything that is decided before the program begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to work.
    pub location: BackendLocation,
    /// The console's settings.
    pub console: ConsoleSettings,
    /// What the wall shows.
    pub dashboard: DashboardSettings,
    /// What may be spent.
    pub budgets: BudgetSettings,
    /// The console's keys.
    pub keys: KeySettings,
    /// How many colours the terminal has, and may be used.
    pub color_support: ColorSupport,
    /// The terminal's ground is light, as far as the environment tells.
    pub light_background: Option<bool>,
    /// `GANTRY_ACCESSIBLE`: no drawing that a screen reader would spell out.
    pub accessible: bool,
    /// Where files are.
    pub paths: Paths,
    /// What was odd in the configuration and could be passed over, each on one line.
    pub warnings: Vec<String>,
}

/// `[budget]`: credits that may be spent in one run of the program and within 24 hours; soft ones ask, hard ones refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetSettings {
    /// `soft_session`.
    pub soft_session: Option<u64>,
    /// `soft_day`.
    pub soft_day: Option<u64>,
    /// `hard_session`.
    pub hard_session: Option<u64>,
    /// `hard_day`.
    pub hard_day: Option<u64>,
}

/// Where to work.
#[derive(Clone, Debug)]
pub enum BackendLocation {
    /// Nothing is configured: the first screen asks.
    Unconfigured,
    /// The local service inside this process.
    Local {
        /// Its file, or sample data in memory.
        file: Option<PathBuf>,
        /// Its clock starts then.
        as_of: Option<DateTime<Utc>>,
        /// How large its world is, if it is new.
        sample: SampleOptions,
        /// The workspace, when one was asked for.
        workspace: Option<String>,
    },
    /// A service that runs by itself.
    Remote {
        /// The profile's name, or the host.
        label: String,
        /// The address, as given.
        base_url: String,
        /// The token.
        token: SecretString,
        /// The workspace, as given.
        workspace: Option<String>,
    },
}

/// The console's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleSettings {
    /// How often the counts are asked for; 10 s to 5 min.
    pub poll: Duration,
    /// Where the cursor goes after a signal was marked.
    pub advance: AdvanceSetting,
    /// Draw with ASCII alone.
    pub ascii: bool,
    /// Take the mouse.
    pub mouse: bool,
    /// The queue begins with its preview.
    pub preview: bool,
    /// The colours, where somebody said which.
    pub theme: Option<ThemeName>,
    /// Change nothing.
    pub read_only: bool,
}

/// `[watch]`: what the wall may show besides the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DashboardSettings {
    /// Its pages, in turn; the counts alone when there is none.
    pub pages: Vec<DashboardPageKind>,
    /// Names and money are hidden from the start.
    pub hide_names: bool,
}

/// A page of the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardPageKind {
    /// The counts, from the polls alone.
    Counts,
    /// What waits at the top of the queue.
    Waiting,
    /// Who marked how many signals done today.
    Team,
}

/// Where the cursor goes after a signal was marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvanceSetting {
    /// To the next signal.
    Next,
    /// It stays.
    Stay,
    /// To the previous signal.
    Back,
}

/// The colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeName {
    /// As the terminal's ground asks.
    Auto,
    /// For a dark ground.
    Dark,
    /// For a light ground.
    Light,
    /// On a ground of its own.
    HighContrast,
    /// Told apart without telling red from green.
    ColorBlind,
    /// The terminal's own sixteen.
    Terminal,
}

impl ThemeName {
    /// What each is called in `config.toml`, in `--theme` and in `GANTRY_THEME`.
    pub const NAMES: [(&str, ThemeName); 6] = [
        ("auto", ThemeName::Auto),
        ("dark", ThemeName::Dark),
        ("light", ThemeName::Light),
        ("high-contrast", ThemeName::HighContrast),
        ("colour-blind", ThemeName::ColorBlind),
        ("terminal", ThemeName::Terminal),
    ];

    /// The theme of this name.
    pub fn from_name(name: &str) -> Option<ThemeName> {
        ThemeName::NAMES.into_iter().find(|(word, _)| *word == name).map(|(_, theme)| theme)
    }
}

/// `[keys]`: which keys the person wants. What a command is, and whether keys clash, the console knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySettings {
    /// The preset to begin with.
    pub preset: Option<String>,
    /// Commands with keys of their own, in the order of the file.
    pub overrides: Vec<KeyOverrideSetting>,
}

impl KeySettings {
    /// The presets.
    pub const PRESETS: [&str; 4] = ["default", "vim", "gmail", "mutt"];
}

/// A command with keys of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverrideSetting {
    /// The command.
    pub id: String,
    /// Its keys, as they were written.
    pub keys: Vec<String>,
    /// The file and the line.
    pub defined_at: String,
}

/// How many colours there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorSupport {
    /// None, or none are wanted.
    None,
    /// Sixteen.
    Ansi16,
    /// 256.
    Indexed256,
    /// 24 bits.
    TrueColor,
}

/// A configuration that cannot be used: what is wrong, where, and what to do, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// The line.
    pub message: String,
    /// Nothing is wrong but that there is no token.
    pub is_missing_token: bool,
}

impl ConfigError {
    fn new(message: impl Into<String>) -> Self {
        ConfigError { message: message.into(), is_missing_token: false }
    }

    fn missing_token(message: impl Into<String>) -> Self {
        ConfigError { message: message.into(), is_missing_token: true }
    }
}

/// A profile as a list shows it; of its token only where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProfileSummary {
    /// Its name.
    pub name: String,
    /// It is used when none is named.
    pub default: bool,
    /// The address.
    pub base_url: Option<String>,
    /// The workspace.
    pub workspace: Option<String>,
    /// `file`, `command` or nothing.
    pub token: Option<&'static str>,
}

/// The budgets of the configuration file; none where it cannot be read.
pub fn load_budgets(paths: &Paths) -> BudgetSettings {
    file::load_config_file(&paths.config_file()).map(|file| file.budgets).unwrap_or_default()
}

/// Reads a configuration's text as the program would: what is odd in it, each on one line with its place.
///
/// # Errors
/// What it would be refused for.
pub fn validate_config(path: &std::path::Path, text: &str) -> Result<Vec<String>, ConfigError> {
    file::parse_config(path, text).map(|file| file.warnings)
}

/// The profiles of the configuration file.
///
/// # Errors
/// A file that cannot be read.
pub fn load_profiles(paths: &Paths) -> Result<Vec<ProfileSummary>, ConfigError> {
    let file = file::load_config_file(&paths.config_file())?;
    let only = file.profiles.len() == 1;
    let is_default = |name: &String| file.default_profile.as_ref().map_or(only || name == "default", |default| default == name);
    let token = |profile: &file::ProfileSection| {
        profile.token_file.as_ref().map(|_| "file").or(profile.token_command.as_ref().map(|_| "command"))
    };
    let row = |(name, profile): (&String, &file::ProfileSection)| ProfileSummary {
        name: name.clone(),
        default: is_default(name),
        base_url: profile.base_url.clone(),
        workspace: profile.workspace.clone(),
        token: token(profile),
    };
    Ok(file.profiles.iter().map(row).collect())
}

/// The keys of the configuration file.
///
/// # Errors
/// A file that cannot be read.
pub fn load_keys(paths: &Paths) -> Result<KeySettings, ConfigError> {
    Ok(file::load_config_file(&paths.config_file())?.keys)
}

/// `GANTRY_ACCESSIBLE`: nothing is to be drawn that a screen reader would spell out.
pub fn is_accessible(env: EnvLookup<'_>) -> bool {
    env("GANTRY_ACCESSIBLE").is_some_and(|value| value != "0")
}

/// A variable of the environment; one that is set to nothing is not set.
pub type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment of this process.
pub fn process_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
