//! Profiles, secrets, paths and settings as one plain value.
//!
//! The command line beats the environment, which beats the profile, which beats the default. The
//! environment is passed as an argument, so that tests can supply their own. A profile's token is
//! sent only to that profile's address.
//!
//! Never here: requests, the terminal.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::SecretString;

use crate::domain::budgets::Budgets;
use crate::domain::call_outcomes::{CallOutcome, MAX_OUTCOMES};
use crate::domain::display_format::DisplayFormat;

mod config_error;
mod day_span;
pub(crate) mod duration;
mod edit;
pub mod editor;
mod file;
mod keywords;
mod locked_config;
mod log_level;
pub mod passfile;
mod paths;
mod reader;
mod resolve;
mod secret;
mod setting;
pub mod setting_changes;
mod setting_keys;
mod setting_kinds;
mod setting_tables;
pub mod setting_values;
mod settings;
mod template;
#[cfg(test)]
pub(crate) mod testing;
mod themes;
mod time_zone;
mod words;

pub use config_error::ConfigError;
pub use edit::{
    NewProfile, ProfileName, ProfileToken, SavedProfile, change_budgets, create_config_file,
    find_replaced_pin, prepare_profiles, remove_profile, save_profile, save_queue_tabs,
    set_default_profile,
};
use keywords::Keyword as _;
pub use keywords::{AdvanceSetting, DashboardPageKind, ProfileColor, ThemeName};
pub use log_level::{LogFormat, LogLevel};
pub use paths::{Paths, check_local_file, home_folder, is_file_or_missing};
pub use resolve::{describe_token_source, read_only_profile, reload, resolve, resolve_for_console};
pub use secret::{password_from_file, token_from_command, token_from_file};
pub use setting::{Setting, SettingType, TextFormat};
pub use setting_tables::{AliasSetting, KeyOverrideSetting, KeySettings, check_profile_name};
pub use settings::{
    CallOutcomeSettings, ConsoleSettings, ConsoleTexts, CustomCommandSettings, DashboardSettings,
    QueueTabSettings, SETTINGS,
};
pub use themes::{ThemeColor, ThemeSettings};
pub use words::split_words;

/// The options from the command line.
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
    /// `--poll`; zero is off.
    pub poll: Option<Duration>,
    /// `--no-mouse`.
    pub no_mouse: bool,
    /// `--read-only`.
    pub read_only: bool,
    /// `--theme`.
    pub theme: Option<String>,
}

/// The size of new sample data, where given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleOptions {
    /// Approximate number of projects.
    pub projects: Option<u32>,
    /// Accounts in the book of the first workspace.
    pub book: Option<u32>,
}

/// The resolved configuration, fixed before the program starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// The service to connect to.
    pub location: BackendLocation,
    /// The color of the profile that is used.
    pub profile_color: Option<ProfileColor>,
    /// With what options and variables set instead.
    pub console: ConsoleSettings,
    /// The interval between refreshes of the counts, 10 s to 5 min; `None` if it is off.
    pub poll: Option<Duration>,
    /// Draw with ASCII characters only.
    pub ascii: bool,
    pub read_only: bool,
    pub dashboard: DashboardSettings,
    pub display: DisplayFormat,
    pub themes: Vec<ThemeSettings>,
    pub budgets: Budgets,
    pub texts: ConsoleTexts,
    /// The colors that the terminal supports and gantry may use.
    pub color_support: ColorSupport,
    /// Whether the terminal's background is light; `None` if the environment does not show it.
    pub light_background: Option<bool>,
    /// `GANTRY_ACCESSIBLE`: no box drawing, which a screen reader would spell out.
    pub accessible: bool,
    pub paths: Paths,
    /// Problems in the configuration that could be skipped, one line each.
    pub warnings: Vec<String>,
}

/// The outcomes of calls, by default those of gantry, and what is wrong with others.
pub fn read_call_outcomes(outcomes: &[CallOutcomeSettings]) -> (Vec<CallOutcome>, Vec<String>) {
    let (mut read, mut warnings) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match CallOutcome::parse(
            &outcome.label,
            &outcome.status,
            outcome.done,
            &outcome.snooze,
        ) {
            Ok(_) if read.len() == MAX_OUTCOMES => {
                warnings.push(format!(
                    "{}: the outcome {} is left out: there are at most {MAX_OUTCOMES}",
                    outcome.defined_at, outcome.label
                ));
            }
            Ok(outcome) => read.push(outcome),
            Err(error) => warnings.push(format!(
                "{}: the outcome is left out: {error}",
                outcome.defined_at
            )),
        }
    }
    (
        if read.is_empty() {
            CallOutcome::defaults()
        } else {
            read
        },
        warnings,
    )
}

/// The service to connect to.
#[derive(Clone, Debug)]
pub enum BackendLocation {
    /// Nothing is configured: the start screen asks.
    Unconfigured,
    /// The local service inside this process.
    Local {
        /// The database file; `None` for sample data in memory.
        file: Option<PathBuf>,
        /// The time at which its clock starts.
        as_of: Option<DateTime<Utc>>,
        /// The size of the sample data, if it is new.
        sample: SampleOptions,
        /// The requested workspace.
        workspace: Option<String>,
    },
    /// A service that is already running.
    Remote {
        /// The profile's name, or the host.
        label: String,
        base_url: String,
        token: SecretString,
        workspace: Option<String>,
        /// The fingerprint of the service's certificate, if it is pinned.
        certificate: Option<String>,
    },
}

/// How many colors may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorSupport {
    /// Not supported, or turned off.
    None,
    Ansi16,
    Indexed256,
    TrueColor,
}

/// A profile as listed; of the token only its source.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProfileSummary {
    pub name: String,
    /// Used when no profile is named.
    pub default: bool,
    pub base_url: Option<String>,
    pub workspace: Option<String>,
    /// The pinned certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// `file`, `command` or `None`.
    pub token: Option<&'static str>,
    /// Nothing is written with it.
    pub read_only: bool,
    #[serde(skip)]
    pub color: Option<&'static str>,
    /// The token file, or the command that prints the token.
    #[serde(skip)]
    pub token_source: Option<String>,
}

impl ProfileSummary {
    /// Whether it is for this service: the same scheme, host and port.
    pub fn is_at(&self, base_url: &str) -> bool {
        self.base_url
            .as_ref()
            .is_some_and(|url| resolve::url_origin(url) == resolve::url_origin(base_url))
    }
}

/// The budgets of the configuration file; no budgets if it cannot be read.
pub fn load_budgets(paths: &Paths) -> Budgets {
    file::load_config_file(paths)
        .map(|file| file.budget.limits)
        .unwrap_or_default()
}

/// The names of the user's themes; none if the configuration file cannot be read.
pub fn load_theme_names(paths: &Paths) -> Vec<String> {
    let file = file::load_config_file(paths).unwrap_or_default();
    file.theme.into_iter().map(|theme| theme.name).collect()
}

/// How people see dates and numbers; the defaults if the configuration file cannot be read.
pub fn load_display(paths: &Paths) -> DisplayFormat {
    file::load_config_file(paths)
        .map(|file| file.display)
        .unwrap_or_default()
}

/// Checks a configuration's text as at start-up: returns the warnings, one line each with file and
/// line, or the error that would reject it.
pub fn validate_config(path: &std::path::Path, text: &str) -> Result<Vec<String>, ConfigError> {
    file::parse_config(path, text).map(|file| file.warnings)
}

/// Lists the profiles of the configuration file.
pub fn load_profiles(paths: &Paths) -> Result<Vec<ProfileSummary>, ConfigError> {
    let file = file::load_config_file(paths)?;
    let only = file.profiles.len() == 1;
    let is_default = |name: &String| {
        file.profile
            .as_ref()
            .map_or(only || name == "default", |default| default == name)
    };
    let token = |profile: &settings::ProfileSection| {
        profile
            .token_file
            .as_ref()
            .map(|_| "file")
            .or(profile.token_command.as_ref().map(|_| "command"))
    };
    let row = |(name, profile): (&String, &settings::ProfileSection)| ProfileSummary {
        name: name.clone(),
        default: is_default(name),
        base_url: profile.base_url.clone(),
        workspace: profile.workspace.clone(),
        certificate: profile.certificate.clone(),
        token: token(profile),
        read_only: profile.read_only,
        color: profile.color.map(|color| color.word()),
        token_source: profile
            .token_file
            .clone()
            .or_else(|| profile.token_command.clone()),
    };
    Ok(file.profiles.iter().map(row).collect())
}

/// Reads the key bindings from the configuration file.
pub fn load_console_texts(paths: &Paths) -> Result<ConsoleTexts, ConfigError> {
    Ok(file::load_config_file(paths)?.into_texts())
}

/// Whether `GANTRY_ACCESSIBLE` is set: no box drawing, which a screen reader would spell out.
pub fn is_accessible(env: EnvLookup<'_>) -> bool {
    env("GANTRY_ACCESSIBLE").is_some_and(|value| value != "0")
}

/// The variable that names a locale without UTF-8, if it decides: `LC_ALL` before `LC_CTYPE` before
/// `LANG`. Without any of them the terminal is taken for one of UTF-8: that is what it is today,
/// and a login without a locale is common.
pub fn non_utf8_locale(env: EnvLookup<'_>) -> Option<&'static str> {
    let named = |name: &'static str| Some((name, env(name)?));
    let (variable, locale) = named("LC_ALL")
        .or_else(|| named("LC_CTYPE"))
        .or_else(|| named("LANG"))?;
    // `language_COUNTRY.charset@variant`; macOS sends only the character set.
    let charset = locale
        .split('@')
        .next()
        .and_then(|name| name.rsplit('.').next())
        .unwrap_or_default()
        .to_ascii_lowercase();
    (!matches!(charset.as_str(), "utf-8" | "utf8")).then_some(variable)
}

/// Looks up an environment variable; an empty one counts as unset.
pub type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment of this process.
pub fn process_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
