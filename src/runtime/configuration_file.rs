//! The configuration file as the event loop has it: where it is, and how it is read.
//!
//! Never here: applying it (`app`).

use crate::app::AppSettings;
use crate::config::Paths;
use crate::domain::settings::SettingRow;

/// Reads the settings and what is wrong with them, or says why the configuration cannot be used.
pub type ReloadSettings = Box<dyn Fn() -> Result<(AppSettings, Vec<String>), String> + Send>;

/// The configuration file, and how it is read.
pub struct ConfigurationFile {
    pub paths: Paths,
    /// What is wrong with it at the start, a line each.
    pub problems: Vec<String>,
    pub reload: ReloadSettings,
    /// Lists the settings one by one, or says why it cannot be read.
    pub list: Box<dyn Fn() -> Result<Vec<SettingRow>, String> + Send>,
}
