//! `config.toml`: profiles and console settings. An unknown key is reported with its line and the
//! closest name.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::paths::{Paths, is_file_or_missing};
use super::schema::{self, Setting};
use super::{
    AdvanceSetting, ConfigError, ConsoleTexts, DashboardPageKind, DashboardSettings,
    KeyOverrideSetting, KeySettings, ProfileColor, ThemeName, ThemeSettings, day_span, duration,
    time_zone,
};
use crate::domain::budgets::{BudgetKind, Budgets};
use crate::domain::display_format::{DateFormat, DisplayFormat, NumberFormat};
use crate::domain::fuzzy;
use crate::domain::quiet_hours::QuietHours;
use crate::platform::files::has_permissions;

/// The parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) default_profile: Option<String>,
    pub(super) profiles: BTreeMap<String, ProfileSection>,
    pub(super) console: ConsoleSection,
    pub(super) dashboard: DashboardSettings,
    pub(super) display: DisplayFormat,
    pub(super) themes: Vec<ThemeSettings>,
    pub(super) budgets: Budgets,
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

impl ConfigFile {
    /// The error for a profile that the file does not have.
    pub(super) fn unknown_profile(&self, name: &str, path: &Path) -> ConfigError {
        let (path, known) = (path.display(), self.list_profiles());
        ConfigError::new(format!("unknown profile {name} in {path} (known: {known})"))
    }

    /// The names of the profiles.
    pub(super) fn list_profiles(&self) -> String {
        let known: Vec<_> = self.profiles.keys().map(String::as_str).collect();
        match known.as_slice() {
            [] => "none yet; gantry login creates one".to_owned(),
            known => known.join(", "),
        }
    }
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
    let root = reader.section_of_table(table.get_ref(), schema::SETTINGS);
    let mut file = ConfigFile {
        default_profile: root.read("profile", ConfigReader::expect_text),
        console: root.read_with("console", ConfigReader::read_console),
        profiles: root.read_with("profiles", ConfigReader::read_profiles),
        dashboard: root.read_with("watch", ConfigReader::read_dashboard),
        display: root.read_with("display", ConfigReader::read_display),
        themes: root.read_with("theme", ConfigReader::read_themes),
        texts: ConsoleTexts {
            queue_tabs: [
                root.read_with("queue", ConfigReader::read_queue),
                root.read_with("rules", ConfigReader::read_rules),
            ]
            .concat(),
            call_outcomes: root.read_with("call", ConfigReader::read_call),
            custom_commands: root.read_with("command", ConfigReader::read_custom_commands),
            keys: root.read_with("keys", ConfigReader::read_keys),
            aliases: root.read_with("alias", ConfigReader::read_aliases),
        },
        ..ConfigFile::default()
    };
    match root.value("budget").map(|value| reader.read_budgets(value)) {
        None => {}
        Some(Ok(budgets)) => file.budgets = budgets,
        Some(Err(wrong)) => {
            file.budgets.hard_session = Some(0);
            reader.warn(format!(
                "{wrong}; until it is corrected, nothing that costs credits is sent"
            ));
            file.budget_problem = Some(wrong);
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
    match fuzzy::closest_match(name, known.iter().copied()) {
        Some(closest) => format!("unknown {what} \"{name}\"; did you mean {closest}?"),
        None => format!("unknown {what} \"{name}\": use {}", known.join(", ")),
    }
}

pub(super) struct ConfigReader<'a> {
    pub(super) locate: &'a dyn Fn(Range<usize>) -> String,
    pub(super) warnings: RefCell<Vec<String>>,
}

/// A table whose keys are settings.
pub(super) struct Section<'a> {
    reader: &'a ConfigReader<'a>,
    table: Option<&'a DeTable<'a>>,
    /// File and line.
    pub(super) defined_at: String,
}

impl<'a> Section<'a> {
    pub(super) fn value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table?.get(key)
    }

    /// The value of a setting; `None` without it, and after a warning if it is wrong.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&ConfigReader<'a>, &Spanned<DeValue<'a>>) -> Result<T, ConfigError>,
    ) -> Option<T> {
        let value = self.value(key)?;
        self.reader.value_or_warning(read(self.reader, value))
    }

    /// What a setting of several values contains; its reader adds the warnings.
    fn read_with<T: Default>(
        &self,
        key: &str,
        read: impl FnOnce(&ConfigReader<'a>, &'a Spanned<DeValue<'a>>) -> T,
    ) -> T {
        let value = self.value(key);
        value
            .map(|value| read(self.reader, value))
            .unwrap_or_default()
    }

    /// The value of a setting that is written as a text.
    fn parse<T>(&self, key: &str, parse: fn(&str) -> Result<T, String>) -> Option<T> {
        self.read(key, |reader, value| {
            parse(&reader.expect_text(value)?).map_err(|why| reader.error_at(value.span(), &why))
        })
    }

    /// What the word of a setting means.
    fn keyword<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        self.read(key, |reader, value| reader.expect_keyword(value, words))
    }

    /// Empty without it.
    pub(super) fn text(&self, key: &str) -> String {
        self.read(key, ConfigReader::expect_text)
            .unwrap_or_default()
    }

    /// One text or a list of them.
    pub(super) fn texts(&self, key: &str) -> Vec<String> {
        self.read_with(key, ConfigReader::texts)
    }

    pub(super) fn bool(&self, key: &str) -> Option<bool> {
        self.read(key, ConfigReader::expect_bool)
    }

    /// Whether a protection is on, also if its value is wrong.
    fn is_on_or_wrong(&self, key: &str) -> bool {
        self.value(key).is_some() && self.bool(key).unwrap_or(true)
    }

    /// A program and its arguments; empty without it.
    fn program(&self, key: &str) -> Vec<String> {
        self.read(key, ConfigReader::expect_program)
            .unwrap_or_default()
    }

    /// The name of a tab or a rule, which is left out without one.
    pub(super) fn name(&self, what: &str) -> Option<String> {
        let name = self.text("name").trim().to_owned();
        if name.is_empty() {
            let warning = format!("{}: the {what} needs a name", self.defined_at);
            self.reader.warn(warning);
        }
        Some(name).filter(|name| !name.is_empty())
    }
}

impl<'a> ConfigReader<'a> {
    /// Returns a value, or adds a warning: a mistake in one setting must not keep gantry from
    /// starting.
    pub(super) fn value_or_warning<T>(&self, value: Result<T, ConfigError>) -> Option<T> {
        value
            .map_err(|wrong| self.warn(format!("{wrong}; using the default")))
            .ok()
    }

    pub(super) fn warn(&self, warning: String) {
        self.warnings.borrow_mut().push(warning);
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

    /// The settings of a table; adds a warning for each key that is none of these.
    pub(super) fn section<'v>(
        &'v self,
        value: &'v Spanned<DeValue<'v>>,
        known: &[Setting],
    ) -> Section<'v> {
        let section = match self.value_or_warning(self.expect_table(value)) {
            Some(table) => self.section_of_table(table, known),
            None => Section {
                reader: self,
                table: None,
                defined_at: String::new(),
            },
        };
        Section {
            defined_at: (self.locate)(value.span()),
            ..section
        }
    }

    fn section_of_table<'v>(&'v self, table: &'v DeTable<'v>, known: &[Setting]) -> Section<'v> {
        for key in table.keys() {
            if !known.iter().any(|setting| setting.name == key.get_ref()) {
                self.warn_unknown_key(key.span(), key.get_ref(), known);
            }
        }
        Section {
            reader: self,
            table: Some(table),
            defined_at: String::new(),
        }
    }

    /// The tables of a list such as `[[rules]]`.
    pub(super) fn tables<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
        example: &str,
    ) -> impl Iterator<Item = &'v Spanned<DeValue<'v>>> + use<'v, 'a> {
        let list = value.get_ref().as_array();
        let list =
            list.ok_or_else(|| self.error_at(value.span(), &format!("expected tables: {example}")));
        self.value_or_warning(list).into_iter().flatten()
    }

    fn read_profiles(&self, value: &Spanned<DeValue<'_>>) -> BTreeMap<String, ProfileSection> {
        let profiles = self.table_entries(value).map(|(name, profile)| {
            let (name, defined_at) = (name.get_ref().to_string(), (self.locate)(name.span()));
            // The other profiles work.
            let profile = self.read_profile(profile).unwrap_or_else(|wrong| {
                self.warn(format!("{wrong}; the profile {name} cannot be used"));
                ProfileSection {
                    problem: Some(wrong),
                    ..ProfileSection::default()
                }
            });
            let profile = ProfileSection {
                defined_at,
                ..profile
            };
            (name, profile)
        });
        profiles.collect()
    }

    /// Reads a profile, or says why it must not be used as it is.
    fn read_profile(&self, value: &Spanned<DeValue<'_>>) -> Result<ProfileSection, ConfigError> {
        let table = value.get_ref().as_table();
        if let Some((key, _)) = table.and_then(|table| table.get_key_value("token")) {
            let why = "a token does not belong here; save it in a file of mode 0600 and name that with token_file";
            return Err(self.error_at(key.span(), why));
        }
        let profile = self.section(value, schema::PROFILE);
        let text = |key| profile.read(key, ConfigReader::expect_text);
        // Whoever pins a certificate trusts no other, and whoever sets read_only wants nothing
        // written: a mistake in the value must not allow it.
        let certificate = profile.value("certificate");
        let certificate = certificate
            .map(|value| self.expect_text(value))
            .transpose()?;
        Ok(ProfileSection {
            base_url: text("base_url"),
            workspace: text("workspace"),
            certificate,
            token_file: text("token_file"),
            token_command: text("token_command"),
            color: profile.keyword("color", &ProfileColor::NAMES),
            read_only: profile.is_on_or_wrong("read_only"),
            ..ProfileSection::default()
        })
    }

    fn read_console(&self, value: &Spanned<DeValue<'_>>) -> ConsoleSection {
        let console = self.section(value, schema::CONSOLE);
        ConsoleSection {
            poll: console.parse("poll", duration::parse_interval),
            advance: console.keyword("advance", &AdvanceSetting::NAMES),
            // Whether there is such a theme is checked when all are read.
            theme: console.read("theme", ConfigReader::expect_text),
            ascii: console.bool("ascii"),
            mouse: console.bool("mouse"),
            preview: console.bool("preview"),
            escape_timeout: console.parse("escape_timeout", duration::parse_timeout),
            first_run: console.bool("first_run"),
        }
    }

    fn read_pages(&self, value: &Spanned<DeValue<'_>>) -> Vec<DashboardPageKind> {
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| self.error_at(value.span(), "expected a list"));
        let page = |page| self.expect_keyword(page, &DashboardPageKind::NAMES);
        let list = self.value_or_warning(list).into_iter().flatten();
        list.filter_map(|value| self.value_or_warning(page(value)))
            .collect()
    }

    fn read_dashboard(&self, value: &Spanned<DeValue<'_>>) -> DashboardSettings {
        let watch = self.section(value, schema::WATCH);
        DashboardSettings {
            pages: watch.read_with("pages", ConfigReader::read_pages),
            // Whoever sets this wants names hidden: a mistake in the value must not show them.
            hide_names: watch.is_on_or_wrong("hide_names"),
            message: watch.text("message"),
            quiet: watch
                .parse("quiet", day_span::parse)
                .map(|(from, to)| QuietHours { from, to }),
            sounds: ["sound_high", "sound_medium", "sound_low"].map(|key| watch.program(key)),
            on_high: watch.program("on_high"),
        }
    }

    fn read_display(&self, value: &Spanned<DeValue<'_>>) -> DisplayFormat {
        let display = self.section(value, schema::DISPLAY);
        let (date, number) = (
            display.keyword("date_format", &DateFormat::NAMES),
            display.keyword("number_format", &NumberFormat::NAMES),
        );
        DisplayFormat {
            date: date.unwrap_or_default(),
            number: number.unwrap_or_default(),
            offset: display.parse("time_zone", time_zone::parse).flatten(),
        }
    }

    fn read_budgets(&self, value: &Spanned<DeValue<'_>>) -> Result<Budgets, ConfigError> {
        let budgets = self.expect_table(value)?;
        // Not ignored: a budget that is missing because of a typo would be worse than none.
        let known = setting_names(schema::BUDGET);
        if let Some(key) = budgets
            .keys()
            .find(|key| !known.contains(&&**key.get_ref()))
        {
            let name = key.get_ref();
            let why = format!("unknown budget {name}; known here: {}", known.join(", "));
            return Err(self.error_at(key.span(), &why));
        }
        let mut read = Budgets::default();
        for kind in BudgetKind::ALL {
            let limit = budgets.get(kind.name());
            let limit = limit.map(|value| self.read_credits(value)).transpose()?;
            read = read.with_limit(kind, limit);
        }
        Ok(read)
    }

    /// One text or a list of them.
    fn texts(&self, value: &Spanned<DeValue<'_>>) -> Vec<String> {
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
                            self.value_or_warning(self.expect_word(value, &KeySettings::PRESETS));
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
        let table = value.get_ref().as_table();
        table.ok_or_else(|| self.error_at(value.span(), "expected a table"))
    }

    pub(super) fn expect_text(&self, value: &Spanned<DeValue<'_>>) -> Result<String, ConfigError> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.error_at(value.span(), "expected a string in quotes"))
    }

    pub(super) fn expect_bool(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, ConfigError> {
        let flag = value.get_ref().as_bool();
        flag.ok_or_else(|| self.error_at(value.span(), "expected true or false"))
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
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*meaning);
        }
        let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let why = format!("unknown value \"{text}\": use {}", words.join(", "));
        Err(self.error_at(value.span(), &why))
    }

    pub(super) fn error_at(&self, span: Range<usize>, why: &str) -> ConfigError {
        ConfigError::new(format!("{}: {why}", (self.locate)(span)))
    }

    pub(super) fn warn_unknown_key(&self, span: Range<usize>, key: &str, known: &[Setting]) {
        let known = setting_names(known);
        let hint = match fuzzy::closest_match(key, known.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("known here: {}", known.join(", ")),
        };
        let at = (self.locate)(span);
        self.warn(format!("{at}: unknown key {key}; {hint}"));
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
