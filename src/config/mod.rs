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
mod file;
mod paths;
mod resolve;
mod save;
mod secret;

pub use paths::{Paths, is_usable};
pub use resolve::resolve;
pub use save::{forget_profile, save_budgets, save_profile};
pub use secret::from_file as token_from_file;

/// What was said on the command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--demo`.
    pub demo: bool,
    /// `--local`.
    pub local: Option<PathBuf>,
    /// `--as-of`.
    pub as_of: Option<DateTime<Utc>>,
    /// `--projects` and `--book`.
    pub sample: Sample,
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
pub struct Sample {
    /// About how many projects.
    pub projects: Option<u32>,
    /// Accounts in the book of its first workspace.
    pub book: Option<u32>,
}

/// Everything that is decided before the program begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to work.
    pub place: Place,
    /// The console's settings.
    pub console: Console,
    /// What the wall shows.
    pub watch: Watch,
    /// What may be spent.
    pub budgets: Budgets,
    /// The console's keys.
    pub keys: Keys,
    /// How many colours the terminal has, and may be used.
    pub colours: Colours,
    /// The terminal's ground is light, as far as the environment tells.
    pub light: Option<bool>,
    /// `GANTRY_ACCESSIBLE`: no drawing that a screen reader would spell out.
    pub accessible: bool,
    /// Where files are.
    pub paths: Paths,
    /// What was odd in the configuration and could be passed over, each on one line.
    pub notes: Vec<String>,
}

/// `[budget]`: credits that may be spent in one run of the program and within 24 hours; soft ones ask, hard ones refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
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
pub enum Place {
    /// Nothing is configured: the first screen asks.
    Nowhere,
    /// The local service inside this process.
    Local {
        /// Its file, or sample data in memory.
        file: Option<PathBuf>,
        /// Its clock starts then.
        as_of: Option<DateTime<Utc>>,
        /// How large its world is, if it is new.
        sample: Sample,
        /// The workspace, when one was asked for.
        workspace: Option<String>,
    },
    /// A service that runs by itself.
    Service {
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
pub struct Console {
    /// How often the counts are asked for; 10 s to 5 min.
    pub poll: Duration,
    /// Where the cursor goes after a signal was marked.
    pub advance: Advance,
    /// Draw with ASCII alone.
    pub ascii: bool,
    /// Take the mouse.
    pub mouse: bool,
    /// The queue begins with its preview.
    pub preview: bool,
    /// The colours, where somebody said which.
    pub theme: Option<Theme>,
    /// Change nothing.
    pub read_only: bool,
}

/// `[watch]`: what the wall may show besides the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Its pages, in turn; the counts alone when there is none.
    pub pages: Vec<Page>,
    /// Names and money are hidden from the start.
    pub hide_names: bool,
}

/// A page of the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The counts, from the polls alone.
    Counts,
    /// What waits at the top of the queue.
    Waiting,
    /// Who marked how many signals done today.
    Team,
}

/// Where the cursor goes after a signal was marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// To the next signal.
    Next,
    /// It stays.
    Stay,
    /// To the previous signal.
    Back,
}

/// The colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the terminal's ground asks.
    Auto,
    /// For a dark ground.
    Dark,
    /// For a light ground.
    Light,
    /// On a ground of its own.
    HighContrast,
    /// Told apart without telling red from green.
    ColourBlind,
    /// The terminal's own sixteen.
    Terminal,
}

impl Theme {
    /// What each is called in `config.toml`, in `--theme` and in `GANTRY_THEME`.
    pub const WORDS: [(&str, Theme); 6] = [
        ("auto", Theme::Auto),
        ("dark", Theme::Dark),
        ("light", Theme::Light),
        ("high-contrast", Theme::HighContrast),
        ("colour-blind", Theme::ColourBlind),
        ("terminal", Theme::Terminal),
    ];

    /// The theme of this name.
    pub fn named(name: &str) -> Option<Theme> {
        Theme::WORDS.into_iter().find(|(word, _)| *word == name).map(|(_, theme)| theme)
    }
}

/// `[keys]`: which keys the person wants. What a command is, and whether keys clash, the console knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// The preset to begin with.
    pub preset: Option<String>,
    /// Commands with keys of their own, in the order of the file.
    pub rebound: Vec<Rebound>,
}

impl Keys {
    /// The presets.
    pub const PRESETS: [&str; 4] = ["default", "vim", "gmail", "mutt"];
}

/// A command with keys of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebound {
    /// The command.
    pub id: String,
    /// Its keys, as they were written.
    pub keys: Vec<String>,
    /// The file and the line.
    pub at: String,
}

/// How many colours there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// None, or none are wanted.
    None,
    /// Sixteen.
    Sixteen,
    /// 256.
    Many,
    /// 24 bits.
    Full,
}

/// A configuration that cannot be used: what is wrong, where, and what to do, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    /// The line.
    pub message: String,
    /// Nothing is wrong but that there is no token.
    pub is_signed_out: bool,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Self {
        Wrong { message: message.into(), is_signed_out: false }
    }

    fn signed_out(message: impl Into<String>) -> Self {
        Wrong { message: message.into(), is_signed_out: true }
    }
}

/// A profile as a list shows it; of its token only where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Profile {
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
pub fn budgets(paths: &Paths) -> Budgets {
    file::read(&paths.config_file()).map(|file| file.budgets).unwrap_or_default()
}

/// Reads a configuration's text as the program would: what is odd in it, each on one line with its place.
///
/// # Errors
/// What it would be refused for.
pub fn check(path: &std::path::Path, text: &str) -> Result<Vec<String>, Wrong> {
    file::parse(path, text).map(|file| file.notes)
}

/// The profiles of the configuration file.
///
/// # Errors
/// A file that cannot be read.
pub fn profiles(paths: &Paths) -> Result<Vec<Profile>, Wrong> {
    let file = file::read(&paths.config_file())?;
    let only = file.profiles.len() == 1;
    let is_default = |name: &String| file.default.as_ref().map_or(only || name == "default", |default| default == name);
    let token = |profile: &file::Profile| {
        profile.token_file.as_ref().map(|_| "file").or(profile.token_command.as_ref().map(|_| "command"))
    };
    let row = |(name, profile): (&String, &file::Profile)| Profile {
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
pub fn keys(paths: &Paths) -> Result<Keys, Wrong> {
    Ok(file::read(&paths.config_file())?.keys)
}

/// `GANTRY_ACCESSIBLE`: nothing is to be drawn that a screen reader would spell out.
pub fn is_accessible(env: Env<'_>) -> bool {
    env("GANTRY_ACCESSIBLE").is_some_and(|value| value != "0")
}

/// A variable of the environment; one that is set to nothing is not set.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment of this process.
pub fn process_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
