//! Changes single settings of `config.toml` by their keys; its comments and order stay.
//!
//! Never here: the values in effect.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::DeTable;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike};

use super::edit::{is_header, remove_lines, section_end};
use super::file::{line_number, parse_config};
use super::locked_config::LockedConfig;
use super::reader::ConfigReader;
use super::setting::{Setting, SettingType};
use super::setting_keys::{Step, find_setting, list_key_patterns};
use super::setting_kinds::parse_toml_value;
use super::setting_values::{clamp_interval, find_value, steps_as_written, to_json, toml_value};
use super::settings::ConfigFile;
use super::{ConfigError, ConsoleTexts, Paths, words};

/// What the console finds wrong in its settings.
pub type FindProblems<'a> = &'a dyn Fn(ConsoleTexts) -> Vec<String>;

/// A setting that was changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingChange {
    pub key: String,
    pub value: Value,
    /// The value that the file had.
    pub before: Value,
    /// File and line, or `default`.
    pub source: String,
}

impl SettingChange {
    /// What changed, in a line.
    pub fn to_sentence(&self) -> String {
        let SettingChange {
            key,
            value,
            before,
            source,
        } = self;
        let was = if before.is_null() {
            String::new()
        } else {
            format!(" (was {before})")
        };
        match source.as_str() {
            _ if value == before && source == "default" => format!("{key} is not set in the file"),
            "default" if value.is_null() => format!("{key} is no longer set{was}"),
            "default" => format!("{key} = {value}, the default{was}"),
            _ => format!("{key} = {value}{was} in {source}"),
        }
    }
}

/// Changes a setting in `config.toml`; a list takes several values, or one that is a list in TOML.
///
/// `find_problems` reports what the console finds wrong in its settings. A change that adds a
/// problem is rejected.
///
/// # Errors
/// An unknown key, a value of another type, a file that cannot be changed: nothing is changed then.
pub fn set_setting(
    paths: &Paths,
    key: &str,
    values: &[String],
    find_problems: FindProblems<'_>,
) -> Result<SettingChange, ConfigError> {
    let (steps, Some(setting)) = find_setting(key)? else {
        return Err(not_single(key));
    };
    let rejected = |why: &str| reject(key, why);
    let value = parse_value(&setting.value, values).map_err(|why| rejected(&why))?;
    let json = toml_value(&value.to_string());
    let reader = ConfigReader::new(&|_| String::new());
    parse_toml_value(&value.to_string(), |value| (setting.check)(&reader, value))
        .unwrap_or(Ok(()))
        .map_err(|wrong| rejected(&wrong.message))?;
    if clamp_interval(&setting.value, json.clone()) != json {
        return Err(rejected("use off, or 10s to 5m"));
    }
    let file = EditedFile::open(paths)?;
    let profile = match steps.as_slice() {
        [Step::Name(key)] if key == "profile" => json.as_str(),
        [Step::Name(table), Step::Name(profile), Step::Name(name)]
            if table == "profiles" && name != "base_url" =>
        {
            Some(profile.as_str())
        }
        _ => None,
    };
    if let (Some(profile), Ok(file)) = (profile, &file.earlier)
        && !file.profiles.contains_key(profile)
    {
        let known = file.list_profiles();
        return Err(rejected(&format!(
            "there is no service {profile} (known: {known})"
        )));
    }
    let (steps, before) = file.locate(steps);
    let Ok(mut document) = uncomment_section(&file.config.text, &steps).parse::<DocumentMut>()
    else {
        return Err(file
            .earlier
            .err()
            .unwrap_or_else(|| rejected("the file is not TOML")));
    };
    put_value(document.as_table_mut(), &steps, value).map_err(|why| rejected(&why))?;
    let changed = document.to_string();
    file.write(key, &changed, find_problems)?;
    let root = DeTable::parse(&changed)
        .map(Spanned::into_inner)
        .unwrap_or_default();
    let at = find_value(&root, &steps).map_or(0, |found| found.span().start);
    let source = format!(
        "{}:{}",
        file.config.path.display(),
        line_number(&changed, at)
    );
    Ok(SettingChange {
        key: key.to_owned(),
        value: json,
        before,
        source,
    })
}

/// The words of a typed text, as [`set_setting`] takes them: a list is split at spaces, except in
/// quotes.
pub fn split_typed_value(key: &str, text: &str) -> Result<Vec<String>, ConfigError> {
    let kind = find_setting(key)?.1.map(|setting: Setting| setting.value);
    let is_list = matches!(
        kind,
        Some(SettingType::KeywordList(_) | SettingType::TextList)
    );
    Ok(match text.trim() {
        "" if is_list => vec!["[]".to_owned()],
        text if is_list && !text.starts_with('[') => {
            words::split_words(text).map_err(|why| reject(key, &why))?
        }
        text => vec![text.to_owned()],
    })
}

/// Removes a setting, or an entry of a list, from `config.toml`: its default applies again.
/// Comments stay.
///
/// # Errors
/// As for [`set_setting`].
pub fn unset_setting(
    paths: &Paths,
    key: &str,
    find_problems: FindProblems<'_>,
) -> Result<SettingChange, ConfigError> {
    let (steps, setting) = find_setting(key)?;
    if setting.is_none() && !matches!(steps.last(), Some(Step::Entry(_))) {
        return Err(not_single(key));
    }
    let file = EditedFile::open(paths)?;
    let (steps, before) = file.locate(steps);
    let default = setting.map_or(Value::Null, |setting: Setting| toml_value(setting.default));
    let source = "default".to_owned();
    if before.is_null() {
        return match &file.earlier {
            Err(error) => Err(error.clone()),
            Ok(_) => Ok(SettingChange {
                key: key.to_owned(),
                value: default.clone(),
                before: default,
                source,
            }),
        };
    }
    let changed = remove_value(&file.config.text, &steps)
        .ok_or_else(|| reject(key, "it cannot be removed"))?;
    file.write(key, &changed, find_problems)?;
    Ok(SettingChange {
        key: key.to_owned(),
        value: default,
        before,
        source,
    })
}

fn reject(key: &str, why: &str) -> ConfigError {
    ConfigError::new(format!("{key}: {why}; nothing was changed"))
}

/// The error for a table where a single setting is expected.
fn not_single(key: &str) -> ConfigError {
    let inner = list_key_patterns()
        .into_iter()
        .filter(|name| name.starts_with(&format!("{key}.")))
        .collect::<Vec<_>>();
    let use_inner = if inner.is_empty() {
        String::new()
    } else {
        format!("; use {}", inner.join(", "))
    };
    ConfigError::new(format!("{key} is not a single setting{use_inner}"))
}

/// The file while a setting of it is changed.
struct EditedFile {
    config: LockedConfig,
    /// As it is before the change.
    earlier: Result<ConfigFile, ConfigError>,
}

impl EditedFile {
    fn open(paths: &Paths) -> Result<EditedFile, ConfigError> {
        let config = LockedConfig::open(paths)?;
        Ok(EditedFile {
            earlier: config.parse(),
            config,
        })
    }

    /// The steps as the file writes them, and the value there.
    fn locate(&self, steps: Vec<Step>) -> (Vec<Step>, Value) {
        let root = DeTable::parse(&self.config.text)
            .map(Spanned::into_inner)
            .unwrap_or_default();
        let steps = steps_as_written(&root, steps);
        let value = find_value(&root, &steps).map_or(Value::Null, |found| to_json(found.get_ref()));
        (steps, value)
    }

    /// Writes the changed text, unless it has a problem that the file does not have.
    fn write(
        &self,
        key: &str,
        changed: &str,
        find_problems: FindProblems<'_>,
    ) -> Result<(), ConfigError> {
        let path = &self.config.path;
        let file = parse_config(path, changed)?;
        let problems = |file: &ConfigFile| {
            let all = file
                .warnings
                .iter()
                .cloned()
                .chain(find_problems(file.clone().into_texts()));
            all.map(|problem| without_location(path, &problem))
                .collect::<Vec<_>>()
        };
        let known = self.earlier.as_ref().map(problems).unwrap_or_default();
        let added = problems(&file)
            .into_iter()
            .find(|problem| self.earlier.is_ok() && !known.contains(problem));
        if let Some(problem) = added {
            return Err(reject(key, &problem));
        }
        self.config.write(changed)
    }
}

/// The text without a value: without its lines if they have nothing else, so that all comments
/// stay.
fn remove_value(text: &str, steps: &[Step]) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let found = find_value(root.get_ref(), steps)?;
    let is_section = found.get_ref().is_table() && is_header(text, found);
    let start = found.span().start;
    let lines = if is_section {
        start..section_end(text, root.get_ref(), start)
    } else {
        found.span()
    };
    let mut document = text.parse::<DocumentMut>().ok()?;
    remove_from(document.as_table_mut(), steps)?;
    let removed = document.to_string();
    let by_line = remove_lines(text, &lines);
    let table = |text: &str| text.parse::<toml::Table>().ok();
    // Inline tables share their lines with other values, and dotted keys may be several tables.
    Some(
        if without_empty(table(&by_line)?) == without_empty(table(&removed)?) {
            by_line
        } else {
            removed
        },
    )
}

/// Tables without the empty ones, which mean the same as none.
fn without_empty(table: toml::Table) -> toml::Table {
    let inner = table.into_iter().map(|(name, value)| match value {
        toml::Value::Table(table) => (name, toml::Value::Table(without_empty(table))),
        other => (name, other),
    });
    inner
        .filter(|(_, value)| value.as_table().is_none_or(|table| !table.is_empty()))
        .collect()
}

fn remove_from(table: &mut dyn TableLike, steps: &[Step]) -> Option<()> {
    let Some((Step::Name(name), rest)) = steps.split_first() else {
        return None;
    };
    match rest {
        [] => table.remove(name).map(drop),
        [Step::Entry(number), rest @ ..] => match (table.get_mut(name)?, rest) {
            (Item::ArrayOfTables(tables), []) => {
                (*number <= tables.len()).then(|| drop(tables.remove(number - 1)))
            }
            (Item::ArrayOfTables(tables), _) => remove_from(tables.get_mut(number - 1)?, rest),
            (Item::Value(toml_edit::Value::Array(array)), []) => {
                (*number <= array.len()).then(|| drop(array.remove(number - 1)))
            }
            (Item::Value(toml_edit::Value::Array(array)), _) => {
                remove_from(array.get_mut(number - 1)?.as_inline_table_mut()?, rest)
            }
            _ => None,
        },
        _ => remove_from(table.get_mut(name)?.as_table_like_mut()?, rest),
    }
}

/// The value that the words of a command line mean. Its type is checked later.
fn parse_value(kind: &SettingType, words: &[String]) -> Result<toml_edit::Value, String> {
    let is_list = matches!(
        kind,
        SettingType::KeywordList(_) | SettingType::TextList | SettingType::TextOrList
    );
    Ok(match words {
        [word] if is_list && word.starts_with('[') => word
            .parse()
            .map_err(|_| format!("{word} is not a list; write it like [\"a\", \"b\"]"))?,
        [word] if !matches!(kind, SettingType::KeywordList(_) | SettingType::TextList) => {
            match kind {
                SettingType::Bool | SettingType::Protection => word
                    .parse::<bool>()
                    .map_or_else(|_| word.into(), toml_edit::Value::from),
                SettingType::Credits => word
                    .parse::<i64>()
                    .map_or_else(|_| word.into(), toml_edit::Value::from),
                _ => word.into(),
            }
        }
        _ if is_list => words.iter().collect::<toml_edit::Array>().into(),
        _ => return Err("expected a single value".to_owned()),
    })
}

/// Makes the section of a setting real where the file has it as a comment, as the file that
/// `write_template` begins with.
fn uncomment_section(text: &str, steps: &[Step]) -> String {
    let [Step::Name(table), Step::Name(_)] = steps else {
        return text.to_owned();
    };
    let header = format!("#[{table}]");
    let has_table =
        DeTable::parse(text).is_ok_and(|root| root.get_ref().contains_key(table.as_str()));
    let mut is_found = has_table;
    let lines = text.split_inclusive('\n').map(|line| {
        let is_header = !is_found && line.trim_end() == header;
        is_found |= is_header;
        if is_header { &line[1..] } else { line }
    });
    lines.collect()
}

/// Puts a value into the table; tables on the way are created.
fn put_value(
    table: &mut dyn TableLike,
    steps: &[Step],
    value: toml_edit::Value,
) -> Result<(), String> {
    let Some((Step::Name(name), rest)) = steps.split_first() else {
        return Err("not a setting".to_owned());
    };
    match rest {
        [] => {
            let old = table.get_mut(name).and_then(Item::as_value_mut);
            let Some(old) = old else {
                table.insert(name, Item::Value(value));
                return Ok(());
            };
            if old.as_array().is_some_and(has_comment) {
                return Err(
                    "the list has comments inside; change it with gantry config edit".to_owned(),
                );
            }
            let around = old.decor().clone();
            *old = value;
            *old.decor_mut() = around;
            Ok(())
        }
        [Step::Entry(number), rest @ ..] => {
            let list = table
                .entry(name)
                .or_insert_with(|| Item::ArrayOfTables(toml_edit::ArrayOfTables::new()));
            let length = list.as_array_of_tables().map_or_else(
                || list.as_array().map_or(0, |list| list.len()),
                |list| list.len(),
            );
            let entry: Option<&mut dyn TableLike> = match list {
                Item::ArrayOfTables(tables) => {
                    if *number == length + 1 {
                        tables.push(Table::new());
                    }
                    tables
                        .get_mut(number - 1)
                        .map(|table| table as &mut dyn TableLike)
                }
                Item::Value(toml_edit::Value::Array(array)) => {
                    if *number == length + 1 {
                        array.push(InlineTable::new());
                    }
                    let inline = array
                        .get_mut(number - 1)
                        .and_then(toml_edit::Value::as_inline_table_mut);
                    inline.map(|table| table as &mut dyn TableLike)
                }
                _ => None,
            };
            let entry = entry
                .ok_or_else(|| format!("{name} has {length}; {name}.{} adds one", length + 1))?;
            put_value(entry, rest, value)
        }
        _ => {
            let mut new = Table::new();
            new.set_implicit(true);
            let inner = table
                .entry(name)
                .or_insert(Item::Table(new))
                .as_table_like_mut();
            put_value(
                inner.ok_or_else(|| format!("{name} is not a table"))?,
                rest,
                value,
            )
        }
    }
}

/// Whether there are comments between the values of a list.
fn has_comment(list: &toml_edit::Array) -> bool {
    let is_comment =
        |text: &toml_edit::RawString| text.as_str().is_some_and(|text| text.contains('#'));
    let around = |value: &toml_edit::Value| {
        [value.decor().prefix(), value.decor().suffix()]
            .into_iter()
            .flatten()
            .any(is_comment)
    };
    is_comment(list.trailing()) || list.iter().any(around)
}

/// A problem without its line, which moves when the file changes.
fn without_location(path: &Path, problem: &str) -> String {
    let located = problem
        .strip_prefix(&format!("{}:", path.display()))
        .and_then(|rest| rest.split_once(": "));
    located.map_or(problem, |(_, problem)| problem).to_owned()
}
