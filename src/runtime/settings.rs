//! The settings of the configuration one by one, for the settings screen of the console: read,
//! changed and removed.
//!
//! Never here: what is shown of them.

use serde_json::Value;

use crate::app;
use crate::config::setting_changes::{set_setting, split_typed_value, unset_setting};
use crate::config::setting_values::{SettingValue, read_settings};
use crate::config::{CliOptions, ConsoleTexts, Paths, SettingType, process_env};
use crate::domain::settings::{SettingKind, SettingRow};

use super::console_texts;

/// All settings in effect; the error says why the configuration cannot be read.
pub fn list_settings(paths: &Paths, options: &CliOptions) -> Result<Vec<SettingRow>, String> {
    let all = read_settings(paths, None, options, &process_env).map_err(|error| error.message)?;
    let in_file = read_settings(paths, None, &CliOptions::default(), &|_| None)
        .map_err(|error| error.message)?;
    Ok(all
        .iter()
        .zip(&in_file)
        .map(|(setting, in_file)| setting_row(setting, in_file))
        .collect())
}

/// Changes a setting as it was typed, or removes it; returns what changed, in a line.
pub fn change_setting(paths: &Paths, key: &str, text: Option<&str>) -> Result<String, String> {
    let change = match text {
        Some(text) => split_typed_value(key, text)
            .and_then(|words| set_setting(paths, key, &words, &find_problems)),
        None => unset_setting(paths, key, &find_problems),
    };
    change
        .map(|change| change.to_sentence())
        .map_err(|error| error.message)
}

/// What the console finds wrong in its settings.
fn find_problems(texts: ConsoleTexts) -> Vec<String> {
    let texts = console_texts::parse(&texts);
    let keymap = app::build_keymap(&texts.key_overrides);
    texts
        .problems
        .into_iter()
        .chain(keymap.problems().iter().cloned())
        .collect()
}

fn setting_row(setting: &SettingValue, in_file: &SettingValue) -> SettingRow {
    let value = value_text(&setting.setting.value, &setting.value);
    SettingRow {
        key: setting.key.clone(),
        label: setting.setting.label,
        description: setting.description.to_owned(),
        kind: setting_kind(&setting.setting.value),
        default: value_text(&setting.setting.value, &setting.default),
        source: setting.source.clone().unwrap_or_default(),
        is_in_file: in_file.problem.is_some()
            || in_file
                .source
                .as_deref()
                .is_some_and(|source| source != "default"),
        // A command may contain a password, and so may an address.
        is_hidden: setting.key.ends_with(".token_command")
            || (setting.key.ends_with(".base_url") && value.contains('@')),
        applies_at_start: setting.setting.applies_at_start,
        problem: setting.problem.clone(),
        value,
    }
}

fn setting_kind(kind: &SettingType) -> SettingKind {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match kind {
        SettingType::Bool | SettingType::Protection => SettingKind::Switch,
        SettingType::Keyword(known) => SettingKind::Choice(words(known)),
        SettingType::KeywordList(known) => SettingKind::Choices(words(known)),
        SettingType::Formatted(format) => SettingKind::Typed(format.hint),
        SettingType::Color => {
            SettingKind::Typed("#5fd7d7, a name such as bright-blue, or a number to 255")
        }
        SettingType::Credits => SettingKind::Typed("a number of credits"),
        SettingType::TextList => {
            SettingKind::Typed("words; quotes keep spaces: notify-send \"{count} new\"")
        }
        SettingType::TextOrList => SettingKind::Typed("one, or a list: [\"a\", \"b\"]"),
        SettingType::Text => SettingKind::Text,
        SettingType::Table(_)
        | SettingType::NamedTables(_)
        | SettingType::NamedTexts(_)
        | SettingType::TableList(_)
        | SettingType::Keys(_) => SettingKind::Entries,
    }
}

/// A value as it is typed. Of entries only their names.
fn value_text(kind: &SettingType, value: &Value) -> String {
    let name = |entry: &Value| {
        ["name", "label"]
            .iter()
            .find_map(|key| entry.get(key)?.as_str().map(str::to_owned))
    };
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) if matches!(kind, SettingType::TableList(_)) => {
            list.iter().filter_map(name).collect::<Vec<_>>().join(", ")
        }
        Value::Array(list) if matches!(kind, SettingType::KeywordList(_)) => list
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::testing::home_with;
    use crate::domain::call_outcomes::CallOutcome;

    fn row(paths: &Paths, key: &str) -> SettingRow {
        list_settings(paths, &CliOptions::default())
            .unwrap()
            .into_iter()
            .find(|row| row.key == key)
            .unwrap()
    }

    #[test]
    fn what_is_shown_of_a_setting_is_typed_back_without_a_change() {
        let (_home, paths) = home_with(
            "[console]\npoll = \"20s\" # slow\n[watch]\non_high = [\"notify-send\", \"{count} new\"]\npages = [\"waiting\", \"counts\"]\n\
             [keys]\nqueue.done = [\"e\", \"g e\"]\nundo = \"F5\"\n[budget]\nhard_day = 7\n",
        );
        for row in list_settings(&paths, &CliOptions::default()).unwrap() {
            if row.is_in_file {
                change_setting(&paths, &row.key, Some(&row.value)).unwrap();
                assert_eq!(super::tests::row(&paths, &row.key), row);
            }
        }
        assert!(change_setting(&paths, "watch.on_high", Some("say '{count} new'")).is_ok());
        assert_eq!(
            row(&paths, "watch.on_high").value,
            "[\"say\",\"{count} new\"]"
        );
    }

    #[test]
    fn every_setting_has_a_sentence_and_a_change_is_checked_as_by_config_set() {
        let (_home, paths) = home_with(
            "[profiles.desk]\nbase_url = \"https://u:p@a.example\"\ntoken_command = \"echo secret\"\n",
        );
        let rows = list_settings(&paths, &CliOptions::default()).unwrap();
        for row in &rows {
            assert!(
                !row.description.is_empty() && !row.description.ends_with('.'),
                "{row:?}"
            );
            assert!(
                !row.shown_value().contains("secret") && !row.shown_value().contains("u:p"),
                "{row:?}"
            );
        }
        assert_eq!(row(&paths, "rules").kind, SettingKind::Entries);
        assert_eq!(row(&paths, "watch.pages").value, "counts team");
        let why = change_setting(&paths, "console.poll", Some("1s")).unwrap_err();
        assert_eq!(
            why,
            "console.poll: use off, or 10s to 5m; nothing was changed"
        );
        let why = change_setting(&paths, "keys.queue.done", Some("Ctrl-c")).unwrap_err();
        assert!(why.ends_with("nothing was changed"), "{why}");
        assert_eq!(
            change_setting(&paths, "console.poll", None),
            Ok("console.poll is not set in the file".to_owned())
        );
    }

    #[test]
    fn the_outcomes_of_calls_in_effect_are_those_that_the_settings_show() {
        let (_home, paths) = home_with("");
        let labels: Vec<String> = CallOutcome::defaults()
            .into_iter()
            .map(|outcome| outcome.label)
            .collect();
        assert_eq!(row(&paths, "call.outcomes").value, labels.join(", "));
    }
}
