//! The keys of settings: `console.poll`, `profiles.NAME.color`. The entries of a list have numbers:
//! `rules.1.where`.
//!
//! Never here: values, the file's text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;
use super::setting::{Setting, SettingType};
use super::setting_kinds::{Text, Texts};
use super::setting_tables::KeyPreset;
use super::settings::SETTINGS;
use crate::domain::fuzzy;

/// A step of the path to a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Name(String),
    /// Of a list of tables, from 1.
    Entry(usize),
}

/// Where a key leads, and what is there: a setting, or none for a table.
pub(super) fn find_setting(key: &str) -> Result<(Vec<Step>, Option<Setting>), ConfigError> {
    let (mut known, mut steps, mut rest) = (SETTINGS, Vec::new(), key);
    loop {
        let (name, after) = rest.split_once('.').unwrap_or((rest, ""));
        let Some(setting) = known.iter().find(|setting| setting.name == name) else {
            return Err(unknown_key(key, rest, known));
        };
        steps.push(Step::Name(name.to_owned()));
        rest = after;
        known = match &setting.value {
            _ if rest.is_empty() && setting.is_table() => return Ok((steps, None)),
            SettingType::Table(inner) => inner,
            SettingType::NamedTables(inner) | SettingType::TableList(inner) => {
                let (entry, after) = rest.split_once('.').unwrap_or((rest, ""));
                let number = || {
                    entry
                        .parse()
                        .ok()
                        .filter(|number| *number > 0)
                        .map(Step::Entry)
                };
                let is_list = matches!(setting.value, SettingType::TableList(_));
                let step = if is_list {
                    number()
                } else {
                    Some(Step::Name(entry.to_owned()))
                };
                let Some(step) = step else {
                    let name = &key[..key.len() - rest.len()];
                    return Err(ConfigError::new(format!(
                        "unknown setting {key}; the entries have numbers: {name}1"
                    )));
                };
                steps.push(step);
                if after.is_empty() {
                    return Ok((steps, None));
                }
                rest = after;
                inner
            }
            SettingType::Keys(_) => {
                steps.push(Step::Name(rest.to_owned()));
                return Ok((steps, Some(key_setting(rest))));
            }
            SettingType::NamedTexts(_) => {
                steps.push(Step::Name(rest.to_owned()));
                return Ok((steps, Some(named_text(setting))));
            }
            _ if rest.is_empty() => return Ok((steps, Some(*setting))),
            _ => &[],
        };
    }
}

/// A setting of `[keys]`.
fn key_setting(id: &str) -> Setting {
    match id {
        "preset" => Setting::new::<KeyPreset>("preset", "The preset that the keys below change")
            .or("\"default\"")
            .called("keys as in"),
        _ => Setting::new::<Texts>(
            "keys",
            "The keys of this command instead of the preset's: one, several or none",
        ),
    }
}

/// A text of a table whose names are the user's.
fn named_text(table: &Setting) -> Setting {
    Setting::new::<Text>(table.name, table.description)
}

/// The error for a key of which `rest` is not one of the known settings.
fn unknown_key(key: &str, rest: &str, known: &[Setting]) -> ConfigError {
    let before = &key[..key.len() - rest.len()];
    let (name, after) = rest
        .split_once('.')
        .map_or((rest, String::new()), |(name, after)| {
            (name, format!(".{after}"))
        });
    let ends_with_it = list_key_patterns()
        .into_iter()
        .find(|other| other.rsplit('.').next() == Some(rest));
    let names: Vec<_> = known.iter().map(|setting| setting.name).collect();
    let closest = fuzzy::closest_match(name, names.iter().copied())
        .map(|name| format!("{before}{name}{after}"));
    let hint = match ends_with_it.filter(|_| before.is_empty()).or(closest) {
        Some(name) => format!("did you mean {name}?"),
        None if names.is_empty() => {
            format!("{} has no settings below it", before.trim_end_matches('.'))
        }
        None => format!("known here: {}", names.join(", ")),
    };
    ConfigError::new(format!("unknown setting {key}; {hint}"))
}

/// Whose entries are listed.
#[derive(Clone, Copy)]
pub(super) enum Entries<'a> {
    /// One of each list and each named table, for the pattern of a key.
    Any,
    /// Those of a table in the file.
    Of(&'a DeTable<'a>),
    None,
}

impl<'a> Entries<'a> {
    fn inside(self, name: &str) -> Entries<'a> {
        match self {
            Entries::Of(table) => table
                .get(name)
                .map_or(Entries::None, |value| Entries::of(value.get_ref())),
            other => other,
        }
    }

    fn of(value: &'a DeValue<'a>) -> Entries<'a> {
        value.as_table().map_or(Entries::None, Entries::Of)
    }

    /// The tables of `name`: their names, or their numbers in a list.
    fn named_in(self, name: &str) -> Vec<(String, Entries<'a>)> {
        match self {
            Entries::Any => vec![("NAME".to_owned(), Entries::Any)],
            Entries::None => Vec::new(),
            Entries::Of(table) => match table.get(name).map(Spanned::get_ref) {
                Some(DeValue::Table(tables)) => tables
                    .iter()
                    .map(|(name, entry)| (name.get_ref().to_string(), Entries::of(entry.get_ref())))
                    .collect(),
                Some(DeValue::Array(list)) => list
                    .iter()
                    .enumerate()
                    .map(|(at, entry)| ((at + 1).to_string(), Entries::of(entry.get_ref())))
                    .collect(),
                _ => Vec::new(),
            },
        }
    }
}

/// The keys of all settings: `profiles.NAME.color`, `rules.1.where`.
pub(super) fn list_key_patterns() -> Vec<String> {
    let mut keys = Vec::new();
    list_keys(SETTINGS, Entries::Any, "", &mut keys);
    keys.into_iter().map(|(key, _)| key).collect()
}

pub(super) fn list_keys(
    settings: &[Setting],
    entries: Entries<'_>,
    before: &str,
    keys: &mut Vec<(String, Setting)>,
) {
    for setting in settings {
        let key = format!("{before}{}", setting.name);
        match &setting.value {
            SettingType::Table(inner) => list_keys(
                inner,
                entries.inside(setting.name),
                &format!("{key}."),
                keys,
            ),
            SettingType::NamedTables(inner) | SettingType::TableList(inner) => {
                let is_list = matches!(setting.value, SettingType::TableList(_));
                let named = entries.named_in(setting.name);
                // Without entries only the table itself can be listed.
                if named.is_empty() {
                    keys.push((key.clone(), *setting));
                }
                for (name, entry) in named {
                    let name = if is_list && name == "NAME" {
                        "1"
                    } else {
                        &name
                    };
                    list_keys(inner, entry, &format!("{key}.{name}."), keys);
                }
            }
            SettingType::Keys(_) => {
                keys.push((format!("{key}.preset"), key_setting("preset")));
                list_bound_keys(entries.inside(setting.name), &format!("{key}."), keys);
            }
            SettingType::NamedTexts(_) => {
                let names = match entries.inside(setting.name) {
                    Entries::Of(table) => table
                        .keys()
                        .map(|name| name.get_ref().to_string())
                        .collect(),
                    Entries::Any => vec!["NAME".to_owned()],
                    Entries::None => Vec::new(),
                };
                if names.is_empty() {
                    keys.push((key.clone(), *setting));
                }
                let texts = names.into_iter();
                keys.extend(texts.map(|name| (format!("{key}.{name}"), named_text(setting))));
            }
            _ => keys.push((key, *setting)),
        }
    }
}

/// The commands of `[keys]` in the file. Without quotes `queue.done` is a table in a table.
fn list_bound_keys(entries: Entries<'_>, before: &str, keys: &mut Vec<(String, Setting)>) {
    let Entries::Of(table) = entries else { return };
    for (name, value) in table {
        let key = format!("{before}{}", name.get_ref());
        match value.get_ref() {
            DeValue::Table(_) => {
                list_bound_keys(Entries::of(value.get_ref()), &format!("{key}."), keys)
            }
            _ if key == "keys.preset" => {}
            _ => keys.push((key, key_setting(""))),
        }
    }
}
