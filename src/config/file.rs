//! `config.toml`: profiles and console settings. An unknown key is reported with its line and the
//! closest name.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::keywords::{DATE_FORMATS, NUMBER_FORMATS};
use super::paths::{Paths, is_file_or_missing};
use super::schema::{self, Setting};
use super::{
    AdvanceSetting, BudgetSettings, ConfigError, ConsoleTexts, DashboardPageKind,
    DashboardSettings, DisplaySettings, KeyOverrideSetting, KeySettings, ProfileColor,
    QueueTabSettings, ThemeName, ThemeSettings, day_span, duration, time_zone,
};
use crate::platform::files::has_permissions;
use crate::text;

/// The parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) default_profile: Option<String>,
    pub(super) profiles: BTreeMap<String, ProfileSection>,
    pub(super) console: ConsoleSection,
    pub(super) dashboard: DashboardSettings,
    pub(super) display: DisplaySettings,
    pub(super) themes: Vec<ThemeSettings>,
    pub(super) budgets: BudgetSettings,
    /// Why the budgets cannot be used. Nothing that costs credits is sent then.
    pub(super) budget_problem: Option<ConfigError>,
    pub(super) texts: ConsoleTexts,
    pub(super) warnings: Vec<String>,
}

/// `[profiles.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProfileSection {
    /// File and line.
    pub(super) defined_at: String,
    pub(super) base_url: Option<String>,
    pub(super) workspace: Option<String>,
    pub(super) certificate: Option<String>,
    pub(super) token_file: Option<String>,
    pub(super) token_command: Option<String>,
    pub(super) color: Option<ProfileColor>,
    /// Nothing is written with this profile.
    pub(super) read_only: bool,
    /// Why the profile cannot be used.
    pub(super) problem: Option<ConfigError>,
}

/// `[console]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConsoleSection {
    pub(super) poll: Option<Duration>,
    pub(super) advance: Option<AdvanceSetting>,
    pub(super) ascii: Option<bool>,
    pub(super) mouse: Option<bool>,
    pub(super) preview: Option<bool>,
    pub(super) first_run: Option<bool>,
    pub(super) escape_timeout: Option<Duration>,
    pub(super) theme: Option<String>,
}

/// Reads the file; a missing one counts as empty.
pub(super) fn load_config_file(paths: &Paths) -> Result<ConfigFile, ConfigError> {
    paths.config_file().map_or_else(
        |_| Ok(ConfigFile::default()),
        |path| parse_config(&path, &read_text(&path)?),
    )
}

/// The text of the file; empty for a missing one.
pub(super) fn read_text(path: &Path) -> Result<String, ConfigError> {
    check_permissions(path)?;
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|error| {
            ConfigError::new(format!("cannot read {}: {error}", path.display()))
        })?,
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        ConfigError::new(format!(
            "{}:{line}: the file is not valid UTF-8",
            path.display()
        ))
    })
}

/// Rejects anything but a regular file, and a file that others can change: it names commands to run
/// and where tokens are sent.
pub(super) fn check_permissions(path: &Path) -> Result<(), ConfigError> {
    if !is_file_or_missing(path) {
        let what = if path.is_dir() {
            "a directory, not a file"
        } else {
            "not a regular file"
        };
        return Err(ConfigError::new(format!("{} is {what}", path.display())));
    }
    if std::fs::metadata(path).is_ok_and(|file| has_permissions(&file, 0o022)) {
        let path = path.display();
        return Err(ConfigError::new(format!(
            "others can change {path}; run: chmod go-w {path}"
        )));
    }
    Ok(())
}

pub(super) fn parse_config(path: &Path, text: &str) -> Result<ConfigFile, ConfigError> {
    let at = |span: Range<usize>| format!("{}:{}", path.display(), line_number(text, span.start));
    let reader = ConfigReader {
        locate: &at,
        warnings: RefCell::default(),
    };
    let table = DeTable::parse(text).map_err(|error| {
        let message = error
            .message()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        ConfigError::new(format!(
            "{}: {message}",
            at(error.span().unwrap_or_default())
        ))
    })?;
    let mut file = ConfigFile::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "profile" => file.default_profile = reader.value_or_warning(reader.expect_text(value)),
            "profiles" => {
                for (name, profile) in reader.table_entries(value) {
                    let (name, defined_at) = (name.get_ref().to_string(), at(name.span()));
                    let profile = ProfileSection {
                        defined_at,
                        ..reader.read_profile(&name, profile)
                    };
                    file.profiles.insert(name, profile);
                }
            }
            "console" => file.console = reader.read_console(value),
            "theme" => file.themes = reader.read_themes(value),
            "display" => file.display = reader.read_display(value),
            "watch" => file.dashboard = reader.read_dashboard(value),
            "budget" => match reader.read_budgets(value) {
                Ok(budgets) => file.budgets = budgets,
                Err(wrong) => {
                    file.budgets = BudgetSettings {
                        hard_session: Some(0),
                        ..BudgetSettings::default()
                    };
                    reader.warnings.borrow_mut().push(format!(
                        "{wrong}; until it is corrected, nothing that costs credits is sent"
                    ));
                    file.budget_problem = Some(wrong);
                }
            },
            "queue" => file.texts.queue_tabs = reader.read_queue(value),
            "rules" => file.texts.rules = reader.read_rules(value),
            "call" => file.texts.call_outcomes = reader.read_call(value),
            "command" => file.texts.custom_commands = reader.read_custom_commands(value),
            "keys" => file.texts.keys = reader.read_keys(value),
            "alias" => file.texts.aliases = reader.read_aliases(value),
            _ => reader.warn_unknown_key(key.span(), key.get_ref(), schema::SETTINGS),
        }
    }
    if let Some(name) = file
        .console
        .theme
        .take_if(|name| !is_theme(name, &file.themes))
    {
        let value = table
            .get_ref()
            .get("console")
            .and_then(|console| console.get_ref().as_table()?.get("theme"));
        let why = unknown_theme("theme", &name, &file.themes);
        let wrong = reader.error_at(value.map(Spanned::span).unwrap_or_default(), &why);
        reader.value_or_warning::<()>(Err(wrong));
    }
    file.warnings = reader.warnings.into_inner();
    Ok(file)
}

/// Whether there is a theme of this name.
pub(super) fn is_theme(name: &str, themes: &[ThemeSettings]) -> bool {
    ThemeName::from_name(name).is_some() || themes.iter().any(|theme| theme.name == name)
}

/// What is wrong with a name that no theme has.
pub(super) fn unknown_theme(what: &str, name: &str, themes: &[ThemeSettings]) -> String {
    let known: Vec<&str> = ThemeName::NAMES
        .iter()
        .map(|(name, _)| *name)
        .chain(themes.iter().map(|theme| theme.name.as_str()))
        .collect();
    match text::closest_match(name, known.iter().copied()) {
        Some(closest) => format!("unknown {what} \"{name}\"; did you mean {closest}?"),
        None => format!("unknown {what} \"{name}\": use {}", known.join(", ")),
    }
}

pub(super) struct ConfigReader<'a> {
    pub(super) locate: &'a dyn Fn(Range<usize>) -> String,
    pub(super) warnings: RefCell<Vec<String>>,
}

impl ConfigReader<'_> {
    /// Returns a value, or adds a warning: a mistake in one setting must not keep gantry from
    /// starting.
    pub(super) fn value_or_warning<T>(&self, value: Result<T, ConfigError>) -> Option<T> {
        value
            .map_err(|wrong| {
                self.warnings
                    .borrow_mut()
                    .push(format!("{wrong}; using the default"))
            })
            .ok()
    }

    /// The entries of a table; adds a warning if the value is not one.
    pub(super) fn table_entries<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> impl Iterator<Item = (&'v Spanned<DeString<'i>>, &'v Spanned<DeValue<'i>>)> {
        self.value_or_warning(self.expect_table(value))
            .into_iter()
            .flatten()
    }

    /// Reads a profile. One that must not be used as it is keeps the reason: the other profiles
    /// work.
    fn read_profile(&self, name: &str, value: &Spanned<DeValue<'_>>) -> ProfileSection {
        self.read_usable_profile(value).unwrap_or_else(|wrong| {
            self.warnings
                .borrow_mut()
                .push(format!("{wrong}; the profile {name} cannot be used"));
            ProfileSection {
                problem: Some(wrong),
                ..ProfileSection::default()
            }
        })
    }

    fn read_usable_profile(
        &self,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<ProfileSection, ConfigError> {
        let mut profile = ProfileSection::default();
        for (key, value) in self.table_entries(value) {
            match key.get_ref().as_ref() {
                "base_url" => profile.base_url = self.value_or_warning(self.expect_text(value)),
                "workspace" => profile.workspace = self.value_or_warning(self.expect_text(value)),
                // Whoever pins a certificate trusts no other: a mistake in the value must not allow
                // one.
                "certificate" => profile.certificate = Some(self.expect_text(value)?),
                "token_file" => profile.token_file = self.value_or_warning(self.expect_text(value)),
                "token_command" => {
                    profile.token_command = self.value_or_warning(self.expect_text(value))
                }
                "color" => {
                    profile.color =
                        self.value_or_warning(self.expect_keyword(value, &ProfileColor::NAMES))
                }
                // Whoever sets this wants nothing written: a mistake in the value must not allow
                // it.
                "read_only" => {
                    profile.read_only = self
                        .value_or_warning(self.expect_bool(value))
                        .unwrap_or(true)
                }
                "token" => {
                    let why = "a token does not belong here; save it in a file of mode 0600 and name that with token_file";
                    return Err(self.error_at(key.span(), why));
                }
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::PROFILE),
            }
        }
        Ok(profile)
    }

    fn read_console(&self, value: &Spanned<DeValue<'_>>) -> ConsoleSection {
        let mut console = ConsoleSection::default();
        for (key, value) in self.table_entries(value) {
            match key.get_ref().as_ref() {
                "poll" => console.poll = self.value_or_warning(self.read_interval(value)),
                "advance" => {
                    console.advance =
                        self.value_or_warning(self.expect_keyword(value, &AdvanceSetting::NAMES))
                }
                // Whether there is such a theme is checked when all are read.
                "theme" => console.theme = self.value_or_warning(self.expect_text(value)),
                "ascii" => console.ascii = self.value_or_warning(self.expect_bool(value)),
                "mouse" => console.mouse = self.value_or_warning(self.expect_bool(value)),
                "preview" => console.preview = self.value_or_warning(self.expect_bool(value)),
                "escape_timeout" => {
                    console.escape_timeout = self.value_or_warning(self.read_timeout(value))
                }
                "first_run" => console.first_run = self.value_or_warning(self.expect_bool(value)),
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::CONSOLE),
            }
        }
        console
    }

    fn read_interval(&self, value: &Spanned<DeValue<'_>>) -> Result<Duration, ConfigError> {
        duration::parse_interval(&self.expect_text(value)?)
            .map_err(|why| self.error_at(value.span(), &why))
    }

    fn read_timeout(&self, value: &Spanned<DeValue<'_>>) -> Result<Duration, ConfigError> {
        duration::parse_timeout(&self.expect_text(value)?)
            .map_err(|why| self.error_at(value.span(), &why))
    }

    fn read_day_span(&self, value: &Spanned<DeValue<'_>>) -> Result<(u16, u16), ConfigError> {
        day_span::parse(&self.expect_text(value)?).map_err(|why| self.error_at(value.span(), &why))
    }

    fn read_dashboard(&self, value: &Spanned<DeValue<'_>>) -> DashboardSettings {
        let mut watch = DashboardSettings::default();
        for (key, value) in self.table_entries(value) {
            match key.get_ref().as_ref() {
                "pages" => {
                    let list = value
                        .get_ref()
                        .as_array()
                        .ok_or_else(|| self.error_at(value.span(), "expected a list"));
                    let read = |page| {
                        self.value_or_warning(self.expect_keyword(page, &DashboardPageKind::NAMES))
                    };
                    watch.pages = self
                        .value_or_warning(list)
                        .into_iter()
                        .flatten()
                        .filter_map(read)
                        .collect();
                }
                // Whoever sets this wants names hidden: a mistake in the value must not show them.
                "hide_names" => {
                    watch.hide_names = self
                        .value_or_warning(self.expect_bool(value))
                        .unwrap_or(true)
                }
                "message" => {
                    watch.message = self
                        .value_or_warning(self.expect_text(value))
                        .unwrap_or_default()
                }
                "quiet" => watch.quiet = self.value_or_warning(self.read_day_span(value)),
                "sound_high" => {
                    watch.sounds[0] = self
                        .value_or_warning(self.expect_program(value))
                        .unwrap_or_default()
                }
                "sound_medium" => {
                    watch.sounds[1] = self
                        .value_or_warning(self.expect_program(value))
                        .unwrap_or_default()
                }
                "sound_low" => {
                    watch.sounds[2] = self
                        .value_or_warning(self.expect_program(value))
                        .unwrap_or_default()
                }
                "on_high" => {
                    watch.on_high = self
                        .value_or_warning(self.expect_program(value))
                        .unwrap_or_default()
                }
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::WATCH),
            }
        }
        watch
    }

    fn read_display(&self, value: &Spanned<DeValue<'_>>) -> DisplaySettings {
        let mut display = DisplaySettings::default();
        for (key, value) in self.table_entries(value) {
            match key.get_ref().as_ref() {
                "time_zone" => {
                    let zone = self.expect_text(value);
                    let zone = zone.and_then(|text| {
                        time_zone::parse(&text).map_err(|why| self.error_at(value.span(), &why))
                    });
                    display.offset = self.value_or_warning(zone).flatten();
                }
                "date_format" => {
                    display.date_format =
                        self.value_or_warning(self.expect_word(value, &DATE_FORMATS))
                }
                "number_format" => {
                    display.number_format =
                        self.value_or_warning(self.expect_word(value, &NUMBER_FORMATS))
                }
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::DISPLAY),
            }
        }
        display
    }

    fn read_budgets(&self, value: &Spanned<DeValue<'_>>) -> Result<BudgetSettings, ConfigError> {
        let mut budgets = BudgetSettings::default();
        for (key, value) in self.expect_table(value)? {
            match key.get_ref().as_ref() {
                "soft_session" => budgets.soft_session = Some(self.read_credits(value)?),
                "soft_day" => budgets.soft_day = Some(self.read_credits(value)?),
                "hard_session" => budgets.hard_session = Some(self.read_credits(value)?),
                "hard_day" => budgets.hard_day = Some(self.read_credits(value)?),
                // Not ignored: a budget that is missing because of a typo would be worse than none.
                other => {
                    let why = format!(
                        "unknown budget {other}; known here: {}",
                        setting_names(schema::BUDGET).join(", ")
                    );
                    return Err(self.error_at(key.span(), &why));
                }
            }
        }
        Ok(budgets)
    }

    /// `[queue]` with its tabs. A tab without a name is left out.
    fn read_queue(&self, value: &Spanned<DeValue<'_>>) -> Vec<QueueTabSettings> {
        let mut tabs = Vec::new();
        for (key, value) in self.table_entries(value) {
            if key.get_ref().as_ref() != "tabs" {
                self.warn_unknown_key(key.span(), key.get_ref(), schema::QUEUE);
                continue;
            }
            let list = value
                .get_ref()
                .as_array()
                .ok_or_else(|| self.error_at(value.span(), "expected tables: [[queue.tabs]]"));
            for tab in self.value_or_warning(list).into_iter().flatten() {
                let tab = QueueTabSettings {
                    defined_at: (self.locate)(tab.span()),
                    ..self.read_queue_tab(tab)
                };
                match tab.name.is_empty() {
                    true => self
                        .warnings
                        .borrow_mut()
                        .push(format!("{}: the tab needs a name", tab.defined_at)),
                    false => tabs.push(tab),
                }
            }
        }
        tabs
    }

    fn read_queue_tab(&self, value: &Spanned<DeValue<'_>>) -> QueueTabSettings {
        let mut tab = QueueTabSettings::default();
        let text = |value: &Spanned<DeValue<'_>>| {
            self.value_or_warning(self.expect_text(value))
                .unwrap_or_default()
        };
        let texts = |value: &Spanned<DeValue<'_>>| self.texts(value);
        for (key, value) in self.table_entries(value) {
            match key.get_ref().as_ref() {
                "name" => tab.name = text(value).trim().to_owned(),
                "city" => tab.city = text(value),
                "text" => tab.text = text(value),
                "type" => tab.types = texts(value),
                "priority" => tab.priorities = texts(value),
                "where" => tab.conditions = text(value),
                "sort" => tab.sort = text(value),
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::QUEUE_TAB),
            }
        }
        tab
    }

    /// One text or a list of them.
    pub(super) fn texts(&self, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let text = |value: &Spanned<DeValue<'_>>| {
            self.value_or_warning(self.expect_text(value))
                .unwrap_or_default()
        };
        value
            .get_ref()
            .as_array()
            .map_or_else(|| vec![text(value)], |list| list.iter().map(text).collect())
    }

    fn read_credits(&self, value: &Spanned<DeValue<'_>>) -> Result<u64, ConfigError> {
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        number.ok_or_else(|| self.error_at(value.span(), "expected a number of credits"))
    }

    /// Commands and their keys. Without quotes `queue.done` is a nested table: both spellings are
    /// read.
    fn read_keys(&self, value: &Spanned<DeValue<'_>>) -> KeySettings {
        let (mut keys, mut rebound) = (KeySettings::default(), Vec::new());
        let mut waiting: Vec<_> = self
            .value_or_warning(self.expect_table(value))
            .map(|table| (String::new(), table))
            .into_iter()
            .collect();
        while let Some((before, table)) = waiting.pop() {
            for (key, value) in table {
                let id = format!("{before}{}", key.get_ref());
                let names = match value.get_ref() {
                    DeValue::Table(inner) => {
                        waiting.push((format!("{id}."), inner));
                        continue;
                    }
                    DeValue::Array(names) => {
                        names.iter().map(|name| self.expect_text(name)).collect()
                    }
                    _ if id == "preset" => {
                        let preset =
                            self.value_or_warning(self.expect_keyword(
                                value,
                                &KeySettings::PRESETS.map(|name| (name, name)),
                            ));
                        keys.preset = preset.map(str::to_owned);
                        continue;
                    }
                    _ => self.expect_text(value).map(|name| vec![name]),
                };
                let Some(names) = self.value_or_warning(names) else {
                    continue;
                };
                rebound.push((
                    key.span().start,
                    KeyOverrideSetting {
                        id,
                        keys: names,
                        defined_at: (self.locate)(key.span()),
                    },
                ));
            }
        }
        // Restores the file's order, which the nested tables do not keep.
        rebound.sort_by_key(|(at, _)| *at);
        KeySettings {
            overrides: rebound.into_iter().map(|(_, row)| row).collect(),
            ..keys
        }
    }

    pub(super) fn expect_table<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<&'v DeTable<'i>, ConfigError> {
        value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.error_at(value.span(), "expected a table"))
    }

    pub(super) fn expect_text(&self, value: &Spanned<DeValue<'_>>) -> Result<String, ConfigError> {
        value
            .get_ref()
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.error_at(value.span(), "expected a string in quotes"))
    }

    pub(super) fn expect_bool(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, ConfigError> {
        value
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.error_at(value.span(), "expected true or false"))
    }

    fn expect_word<const N: usize>(
        &self,
        value: &Spanned<DeValue<'_>>,
        words: &[&'static str; N],
    ) -> Result<&'static str, ConfigError> {
        self.expect_keyword(value, &words.map(|word| (word, word)))
    }

    pub(super) fn expect_keyword<T: Copy>(
        &self,
        value: &Spanned<DeValue<'_>>,
        words: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let text = self.expect_text(value)?;
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| {
                let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                self.error_at(
                    value.span(),
                    &format!("unknown value \"{text}\": use {}", words.join(", ")),
                )
            })
    }

    pub(super) fn error_at(&self, span: Range<usize>, why: &str) -> ConfigError {
        ConfigError::new(format!("{}: {why}", (self.locate)(span)))
    }

    pub(super) fn warn_unknown_key(&self, span: Range<usize>, key: &str, known: &[Setting]) {
        let known = setting_names(known);
        let hint = match text::closest_match(key, known.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.warnings.borrow_mut().push(format!(
            "{}: unknown key {key}; {hint}",
            (self.locate)(span)
        ));
    }
}

fn setting_names(settings: &[Setting]) -> Vec<&'static str> {
    settings.iter().map(|setting| setting.name).collect()
}

pub(super) fn line_number(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_test_config(text: &str) -> Result<ConfigFile, ConfigError> {
        parse_config(Path::new("config.toml"), text)
    }

    #[test]
    fn profiles_and_settings_are_read() {
        let file = parse_test_config(
            "profile = \"desk\"\n[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ntoken_file = \"desk.token\"\n\
             [console]\npoll = \"30s\"\nadvance = \"stay\"\nmouse = false\ntheme = \"light\"\n",
        )
        .unwrap();
        assert_eq!(file.default_profile.as_deref(), Some("desk"));
        assert_eq!(
            file.profiles["desk"].token_file.as_deref(),
            Some("desk.token")
        );
        assert_eq!(file.console.poll, Some(Duration::from_secs(30)));
        assert_eq!(
            (
                file.console.advance,
                file.console.mouse,
                file.console.theme.clone()
            ),
            (
                Some(AdvanceSetting::Stay),
                Some(false),
                Some("light".to_owned())
            )
        );
        assert!(file.warnings.is_empty());
    }

    #[test]
    fn keys_are_read_with_line_numbers_in_file_order() {
        let file = parse_test_config(
            "[keys]\npreset = \"vim\"\nqueue.done = \"d d\"\n\"list.mark\" = [\"x\", \"Space\"]\nundo = []\n\"list.mark.all\" = \"A\"\n",
        )
        .unwrap();
        assert_eq!(file.texts.keys.preset.as_deref(), Some("vim"));
        let row = |id: &str, keys: &[&str], line: usize| KeyOverrideSetting {
            id: id.to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            defined_at: format!("config.toml:{line}"),
        };
        assert_eq!(
            file.texts.keys.overrides,
            [
                row("queue.done", &["d d"], 3),
                row("list.mark", &["x", "Space"], 4),
                row("undo", &[], 5),
                row("list.mark.all", &["A"], 6)
            ]
        );
        let notes = parse_test_config("[keys]\npreset = \"emacs\"\n")
            .unwrap()
            .warnings;
        assert_eq!(
            notes,
            ["config.toml:2: unknown value \"emacs\": use default, vim; using the default"]
        );
    }

    #[test]
    fn an_unknown_key_is_reported_with_its_line_and_the_closest_name() {
        let file =
            parse_test_config("[console]\n\nadvanse = \"next\"\n[profiles.a]\nquux = 1\n").unwrap();
        assert_eq!(
            file.warnings,
            [
                "config.toml:3: unknown key advanse; did you mean advance?",
                "config.toml:5: unknown key quux; known here: base_url, workspace, certificate, token_file, token_command, color, read_only",
            ]
        );
    }

    #[test]
    fn an_invalid_value_is_a_warning_and_the_rest_is_read() {
        for (text, expected) in [
            (
                "[console]\nadvance = \"up\"",
                "config.toml:2: unknown value \"up\": use next, stay, back",
            ),
            (
                "[console]\nmouse = 1",
                "config.toml:2: expected true or false",
            ),
            ("profiles = 1", "config.toml:1: expected a table"),
            ("profile = 1", "config.toml:1: expected a string in quotes"),
            (
                "[profiles.a]\nbase_url = 1",
                "config.toml:2: expected a string in quotes",
            ),
            ("console = []", "config.toml:1: expected a table"),
            (
                "[watch]\npages = [\"counts\", \"notes\"]",
                "config.toml:2: unknown value \"notes\": use counts, waiting, team",
            ),
            (
                "[watch]\nquiet = \"night\"",
                "config.toml:2: \"night\" are not hours; write them like 18:00-8:00",
            ),
            (
                "[watch]\non_high = \"notify-send\"",
                "config.toml:2: expected a list: a program and its arguments",
            ),
            (
                "[watch]\nhide_names = \"no\"",
                "config.toml:2: expected true or false",
            ),
            (
                "[keys]\nundo = 5",
                "config.toml:2: expected a string in quotes",
            ),
            (
                "[console]\npoll = \"often\"",
                "config.toml:2: \"often\" is not a duration",
            ),
        ] {
            let file = parse_test_config(&format!("{text}\n[budget]\nhard_day = 5\n")).unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected)
                    && note.ends_with("; using the default")
                    && !note.contains('\n'),
                "{note}"
            );
            assert_eq!(file.budgets.hard_day, Some(5), "{text}");
        }
        let watch = parse_test_config("[watch]\npages = [\"notes\", \"team\"]\nhide_names = 1\n")
            .unwrap()
            .dashboard;
        assert_eq!(
            watch,
            DashboardSettings {
                pages: vec![DashboardPageKind::Team],
                hide_names: true,
                ..DashboardSettings::default()
            },
            "an invalid value hides names"
        );
    }

    #[test]
    fn a_bad_budget_stops_what_costs_credits_and_nothing_else() {
        for (text, expected) in [
            (
                "hard_day = -1",
                "config.toml:2: expected a number of credits",
            ),
            ("hard_dya = 5", "config.toml:2: unknown budget hard_dya"),
            (
                "hard_day = 9\nsoft_day = \"x\"",
                "config.toml:3: expected a number of credits",
            ),
        ] {
            let file = parse_test_config(&format!("[budget]\n{text}\n[console]\nmouse = false\n"))
                .unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected) && note.ends_with("nothing that costs credits is sent"),
                "{note}"
            );
            assert_eq!(
                (file.budgets.hard_session, file.console.mouse),
                (Some(0), Some(false))
            );
            assert!(file.budget_problem.is_some());
        }
    }

    #[test]
    fn a_profile_with_a_token_or_an_unreadable_certificate_cannot_be_used_and_the_others_can() {
        for (text, expected) in [
            (
                "token = \"gk_1\"",
                "config.toml:2: a token does not belong here; save it in a file",
            ),
            (
                "certificate = 1",
                "config.toml:2: expected a string in quotes",
            ),
        ] {
            let file = parse_test_config(&format!(
                "[profiles.a]\n{text}\n[profiles.b]\nbase_url = \"https://b.example\"\n"
            ))
            .unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected) && note.ends_with("; the profile a cannot be used"),
                "{note}"
            );
            assert!(!note.contains("gk_1") && !note.contains('\n'));
            assert!(file.profiles["a"].problem.is_some() && file.profiles["b"].problem.is_none());
        }
        assert!(
            parse_test_config("a = \n")
                .unwrap_err()
                .message
                .starts_with("config.toml:1: ")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_writable_by_others_and_a_pipe_are_rejected() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[console]\nmouse = false\n").unwrap();
        for (mode, is_read) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = super::read_text(&path);
            assert_eq!(read.is_ok(), is_read, "{mode:o}");
            assert!(
                is_read || read.unwrap_err().message.contains("chmod go-w"),
                "{mode:o}"
            );
        }
        let pipe = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        assert!(
            super::read_text(&pipe)
                .unwrap_err()
                .message
                .ends_with("pipe is not a regular file")
        );
    }
}
