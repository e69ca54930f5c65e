//! Tables of `config.toml` whose entries have names, numbers or rules of their own: profiles,
//! budgets, tabs of the queue, outcomes of calls, commands, aliases and keys. What those of the
//! console mean is checked by the console.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::config_error::ConfigError;
use super::reader::{ConfigReader, ReadResult, TomlValue};
use super::setting::{SettingTable, SettingType};
use super::setting_kinds::{SettingKind, Text, Texts, WrittenKind, read_word};
use super::settings::{
    CallOutcomeSettings, CustomCommandSettings, ProfileSection, QueueTabSettings,
};
use crate::domain::budgets::Budgets;

/// `[profiles]`. A profile that cannot be used does not keep the others from being used.
pub struct Profiles;

impl SettingKind for Profiles {
    type Value = BTreeMap<String, ProfileSection>;
    const TYPE: SettingType = SettingType::NamedTables(ProfileSection::SETTINGS);

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value> {
        let profiles = reader.expect_table(value)?.iter().map(|(name, profile)| {
            let (name, defined_at) = (name.get_ref().to_string(), reader.locate(name.span()));
            let profile = read_profile(reader, profile).unwrap_or_else(|wrong| {
                reader.warn(format!("{wrong}; the profile {name} cannot be used"));
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
        Ok(profiles.collect())
    }
}

/// Reads a profile, or says why it must not be used as it is.
fn read_profile(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<ProfileSection> {
    if let Some(table) = value.get_ref().as_table() {
        if let Some((key, _)) = table.get_key_value("token") {
            let why = "a token does not belong here; save it in a file of mode 0600 and name that with token_file";
            return Err(reader.error_at(key.span(), why));
        }
        // Whoever pins a certificate trusts no other: a mistake in it must not allow one.
        let settings = ProfileSection::SETTINGS.iter();
        let pin = settings.filter(|setting| setting.name == "certificate");
        reader.check_values(table, pin)?;
    }
    let profile = ProfileSection::read_usable(reader, value);
    Ok(profile.unwrap_or_default())
}

/// `[budget]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetSection {
    pub limits: Budgets,
    /// Why the budgets cannot be used. Nothing that costs credits is sent then.
    pub problem: Option<ConfigError>,
}

impl SettingKind for BudgetSection {
    type Value = BudgetSection;
    const TYPE: SettingType = Budgets::TYPE;

    /// Nothing is ignored: a budget that is missing because of a typo would be worse than none.
    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<BudgetSection> {
        let budgets = reader.expect_table(value)?;
        let known = || Budgets::SETTINGS.iter();
        for key in budgets.keys() {
            let name = key.get_ref().as_ref();
            if !known().any(|setting| setting.name == name) {
                let known: Vec<_> = known().map(|setting| setting.name).collect();
                let why = format!("unknown budget {name}; known here: {}", known.join(", "));
                return Err(reader.error_at(key.span(), &why));
            }
        }
        reader.check_values(budgets, known())?;
        Ok(BudgetSection {
            limits: Budgets::read(reader, value)?,
            problem: None,
        })
    }

    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<BudgetSection> {
        let read = Self::read(reader, value).unwrap_or_else(|wrong| {
            reader.warn(format!(
                "{wrong}; until it is corrected, nothing that costs credits is sent"
            ));
            BudgetSection {
                limits: Budgets {
                    hard_session: Some(0),
                    ..Budgets::default()
                },
                problem: Some(wrong),
            }
        });
        Some(read)
    }
}

/// An entry of a list of tables.
pub trait TableEntry: SettingTable {
    /// The entry, unless it is left out.
    fn read_entry(
        reader: &ConfigReader<'_>,
        value: &TomlValue<'_>,
        defined_at: String,
    ) -> Option<Self>;
}

/// Declares lists of tables, each with what its entries are and how one begins.
macro_rules! table_lists {
    ($($(#[$doc:meta])* $kind:ident: $entry:ty = $header:literal;)+) => {$(
        $(#[$doc])*
        pub struct $kind;

        impl SettingKind for $kind {
            type Value = Vec<$entry>;
            const TYPE: SettingType = SettingType::TableList(<$entry>::SETTINGS);

            fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value> {
                let entries = reader.expect_list(value, concat!("tables: ", $header))?;
                let entries = entries.iter().filter_map(|entry| {
                    <$entry>::read_entry(reader, entry, reader.locate(entry.span()))
                });
                Ok(entries.collect())
            }
        }
    )+};
}

table_lists! {
    QueueTabs: QueueTabSettings = "[[queue.tabs]]";
    /// An older name for tabs that act.
    Rules: QueueTabSettings = "[[rules]]";
    CallOutcomes: CallOutcomeSettings = "[[call.outcomes]]";
    CustomCommands: CustomCommandSettings = "[[command]]";
}

impl TableEntry for QueueTabSettings {
    fn read_entry(
        reader: &ConfigReader<'_>,
        value: &TomlValue<'_>,
        defined_at: String,
    ) -> Option<Self> {
        let tab = Self::read_usable(reader, value).unwrap_or_default();
        let name = tab.name.trim().to_owned();
        if name.is_empty() {
            reader.warn(format!("{defined_at}: the tab needs a name"));
            return None;
        }
        Some(QueueTabSettings {
            name,
            defined_at,
            ..tab
        })
    }
}

impl TableEntry for CallOutcomeSettings {
    fn read_entry(
        reader: &ConfigReader<'_>,
        value: &TomlValue<'_>,
        defined_at: String,
    ) -> Option<Self> {
        Some(CallOutcomeSettings {
            defined_at,
            ..Self::read_usable(reader, value).unwrap_or_default()
        })
    }
}

impl TableEntry for CustomCommandSettings {
    /// One with a setting of the wrong type is left out: half of it might do something else.
    fn read_entry(
        reader: &ConfigReader<'_>,
        value: &TomlValue<'_>,
        defined_at: String,
    ) -> Option<Self> {
        let table = reader.expect_table(value);
        let checked = table.and_then(|table| reader.check_values(table, Self::SETTINGS.iter()));
        let command = checked.and_then(|()| Self::read(reader, value));
        match command {
            Ok(command) => Some(CustomCommandSettings {
                name: command.name.trim().to_owned(),
                defined_at,
                ..command
            }),
            Err(wrong) => {
                reader.warn(format!("{wrong}; the command is left out"));
                None
            }
        }
    }
}

/// Declares texts that are one of several words. Another word is reported by the console, which
/// knows what the words mean.
macro_rules! words_of_the_console {
    ($($kind:ident = $words:expr;)+) => {$(
        pub struct $kind;

        impl SettingKind for $kind {
            type Value = String;
            const TYPE: SettingType = SettingType::Keyword(&$words);

            fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<String> {
                read_word(reader, value, &$words).map(|at| $words[at].to_owned())
            }

            fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<String> {
                Text::read_usable(reader, value)
            }
        }

        impl WrittenKind for $kind {
            fn write(word: &String) -> Option<toml::Value> {
                Text::write(word)
            }
        }
    )+};
}

words_of_the_console! {
    RuleActionWord = ["done", "snooze", "annotate"];
    RuleTargetWord = ["project", "account"];
    KeyPreset = KeySettings::PRESETS;
}

/// `[alias]`: a name for a command of the command line, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AliasSetting {
    pub name: String,
    /// The command and its arguments.
    pub text: String,
    /// File and line.
    pub defined_at: String,
}

/// `[alias]`, in the order of the file.
pub struct Aliases;

impl SettingKind for Aliases {
    type Value = Vec<AliasSetting>;
    const TYPE: SettingType = SettingType::NamedTexts("queue list --priority high");

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value> {
        let mut aliases = Vec::new();
        for (key, value) in reader.expect_table(value)? {
            let name = key.get_ref().to_string();
            let defined_at = reader.locate(key.span());
            if let Err(error) = check_profile_name(&name) {
                let why = error.message.replace("profile name", "name of an alias");
                reader.warn(format!("{defined_at}: {why}"));
            } else if let Some(text) = Text::read_usable(reader, value) {
                let alias = AliasSetting {
                    name,
                    text,
                    defined_at,
                };
                aliases.push((key.span().start, alias));
            }
        }
        aliases.sort_by_key(|(at, _)| *at);
        Ok(aliases.into_iter().map(|(_, alias)| alias).collect())
    }
}

/// `[keys]`: the user's key bindings. The console checks command ids and conflicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySettings {
    /// The preset that the overrides change.
    pub preset: Option<String>,
    /// Rebound commands, in file order.
    pub overrides: Vec<KeyOverrideSetting>,
}

impl KeySettings {
    pub const PRESETS: [&str; 2] = ["default", "vim"];
}

/// A rebound command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverrideSetting {
    /// The command id.
    pub id: String,
    /// The keys as written; empty to unbind.
    pub keys: Vec<String>,
    /// File and line.
    pub defined_at: String,
}

/// `[keys]`: commands and their keys. Without quotes `queue.done` is a nested table: both spellings
/// are read.
pub struct Keys;

impl SettingKind for Keys {
    type Value = KeySettings;
    const TYPE: SettingType = SettingType::Keys(&KeySettings::PRESETS);

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<KeySettings> {
        let (mut keys, mut rebound) = (KeySettings::default(), Vec::new());
        let mut waiting = vec![(String::new(), reader.expect_table(value)?)];
        while let Some((before, table)) = waiting.pop() {
            for (key, value) in table {
                let id = format!("{before}{}", key.get_ref());
                let is_preset = id == "preset" && !value.get_ref().is_array();
                if let DeValue::Table(inner) = value.get_ref() {
                    waiting.push((format!("{id}."), inner));
                } else if is_preset {
                    keys.preset = reader.value_or_warning(KeyPreset::read(reader, value));
                } else if let Some(keys) = reader.value_or_warning(Texts::read(reader, value)) {
                    let row = KeyOverrideSetting {
                        id,
                        keys,
                        defined_at: reader.locate(key.span()),
                    };
                    rebound.push((key.span().start, row));
                }
            }
        }
        // Restores the file's order, which the nested tables do not keep.
        rebound.sort_by_key(|(at, _)| *at);
        Ok(KeySettings {
            overrides: rebound.into_iter().map(|(_, row)| row).collect(),
            ..keys
        })
    }
}

/// Rejects a name that could not be a file name or a part of a command.
pub fn check_profile_name(name: &str) -> Result<(), ConfigError> {
    if name.is_empty()
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    {
        return Err(ConfigError::new(format!(
            "\"{name}\" is not a valid profile name; use letters, digits, - and _"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::file::parse_config;
    use crate::config::settings::ConfigFile;
    use crate::config::{CallOutcomeSettings, ConfigError, QueueTabSettings};
    use crate::domain::queue_tabs::ListSettingsText;
    use crate::domain::rules::RuleActionText;

    fn parse_test_config(text: &str) -> Result<ConfigFile, ConfigError> {
        parse_config(Path::new("config.toml"), text)
    }

    #[test]
    fn rules_are_tabs_that_are_read_with_their_lines_and_one_without_a_name_is_left_out() {
        let text = "[[queue.tabs]]\nname = \"all\"\n[[rules]]\nname = \"small\"\nwhere = \"cost<10k\"\nthen = \"done\"\n[[rules]]\nthen = \"done\"\n\
                    [[rules]]\nname = \"later\"\nwhere = \"crane\"\nthen = \"snooze\"\nuntil = \"3d\"\nuntill = \"4d\"\n";
        let file = parse_test_config(text).unwrap();
        let tab =
            |name: &str, conditions: &str, then: &str, until: &str, line: usize| QueueTabSettings {
                name: name.to_owned(),
                list: ListSettingsText {
                    conditions: conditions.to_owned(),
                    ..ListSettingsText::default()
                },
                action: RuleActionText {
                    then: then.to_owned(),
                    until: until.to_owned(),
                    ..RuleActionText::default()
                },
                defined_at: format!("config.toml:{line}"),
            };
        assert_eq!(
            [file.queue.tabs, file.rules].concat(),
            [
                tab("all", "", "", "", 1),
                tab("small", "cost<10k", "done", "", 3),
                tab("later", "crane", "snooze", "3d", 9)
            ]
        );
        assert_eq!(
            file.warnings,
            [
                "config.toml:7: the tab needs a name",
                "config.toml:14: unknown key untill; did you mean until?"
            ]
        );
        let wrong = parse_test_config("rules = 1\n").unwrap();
        assert_eq!(
            wrong.warnings,
            ["config.toml:1: expected tables: [[rules]]; using the default"]
        );
    }

    #[test]
    fn outcomes_of_calls_are_read_with_their_lines() {
        let text = "[call]\noutcomes = [\n{ label = \"won\", status = \"customer\", done = true },\n{ label = \"later\", snooze = \"2d\", \
                    doen = false },\n]\n";
        let file = parse_test_config(text).unwrap();
        let outcome =
            |label: &str, status: &str, done, snooze: &str, line: usize| CallOutcomeSettings {
                label: label.to_owned(),
                status: status.to_owned(),
                done,
                snooze: snooze.to_owned(),
                defined_at: format!("config.toml:{line}"),
            };
        assert_eq!(
            file.call.outcomes.unwrap(),
            [
                outcome("won", "customer", Some(true), "", 3),
                outcome("later", "", None, "2d", 4)
            ]
        );
        assert_eq!(
            file.warnings,
            ["config.toml:4: unknown key doen; did you mean done?"]
        );
    }
}
