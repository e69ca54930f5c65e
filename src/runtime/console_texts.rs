//! Settings that only the console reads, from text to what they mean. What is wrong is left out and
//! reported with its line.

use crate::app;
use crate::app::command::custom::{CustomCommand, CustomCommandText, read_custom_commands};
use crate::app::command::keymap::{KeyOverride, KeyOverrides};
use crate::config::{self, ConsoleTexts};
use crate::domain::call_outcomes::CallOutcome;
use crate::domain::queue_tabs::SavedTab;

#[derive(Clone, Debug, Default)]
pub struct ParsedTexts {
    pub queue_tabs: Vec<SavedTab>,
    pub call_outcomes: Vec<CallOutcome>,
    pub custom_commands: Vec<CustomCommand>,
    /// The keys, with those of the custom commands.
    pub key_overrides: KeyOverrides,
    /// What is wrong, except with keys and custom commands, which the keymap reports: one line
    /// each, with file and line.
    pub problems: Vec<String>,
}

pub fn parse(texts: &ConsoleTexts) -> ParsedTexts {
    let (queue_tabs, wrong_tabs) = queue_tabs_from_config(&texts.queue_tabs);
    let (call_outcomes, wrong_outcomes) = config::read_call_outcomes(&texts.call_outcomes);
    let mut key_overrides = key_overrides(&texts.keys);
    let (custom_commands, custom_problems) =
        custom_commands_from_config(&texts.custom_commands, &key_overrides);
    key_overrides.custom_commands = custom_commands
        .iter()
        .map(|custom| custom.command)
        .collect();
    key_overrides.custom_problems = custom_problems;
    let problems = [wrong_tabs, wrong_outcomes].concat();
    ParsedTexts {
        queue_tabs,
        call_outcomes,
        custom_commands,
        key_overrides,
        problems,
    }
}

fn key_overrides(keys: &config::KeySettings) -> KeyOverrides {
    let change = |row: &config::KeyOverrideSetting| KeyOverride {
        id: row.id.clone(),
        keys: row.keys.clone(),
        defined_at: row.defined_at.clone(),
    };
    KeyOverrides {
        preset: keys.preset.clone(),
        overrides: keys.overrides.iter().map(change).collect(),
        ..KeyOverrides::default()
    }
}

/// The user's own commands in the configuration, and what is wrong with them.
fn custom_commands_from_config(
    commands: &[config::CustomCommandSettings],
    key_overrides: &KeyOverrides,
) -> (Vec<CustomCommand>, Vec<String>) {
    if commands.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // An override may name one of them: only the final keymap can tell that it is wrong.
    let text = |command: &config::CustomCommandSettings| CustomCommandText {
        name: command.name.clone(),
        key: command.key.clone(),
        run: command.run.clone(),
        keys: command.keys.clone(),
        defined_at: command.defined_at.clone(),
    };
    let texts: Vec<CustomCommandText> = commands.iter().map(text).collect();
    read_custom_commands(&texts, &app::build_keymap(key_overrides))
}

/// The tabs of the queue in the configuration, and what is wrong with the others.
fn queue_tabs_from_config(tabs: &[config::QueueTabSettings]) -> (Vec<SavedTab>, Vec<String>) {
    let (mut read, mut warnings) = (Vec::new(), Vec::new());
    for tab in tabs {
        if read.iter().any(|known: &SavedTab| known.name == tab.name) {
            warnings.push(format!(
                "{}: the tab {} is left out: another one has this name",
                tab.defined_at, tab.name
            ));
            continue;
        }
        match SavedTab::parse(&tab.name, &tab.list, &tab.action) {
            Ok(tab) => read.push(tab),
            Err(error) => warnings.push(format!(
                "{}: the tab {} is left out: {error}",
                tab.defined_at, tab.name
            )),
        }
    }
    (read, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::queue_tabs::ListSettingsText;
    use crate::domain::rules::RuleActionText;

    #[test]
    fn wrong_outcomes_are_left_out_with_their_line_and_without_any_the_defaults_are_used() {
        let outcome = |label: &str, line: usize| config::CallOutcomeSettings {
            label: label.to_owned(),
            defined_at: format!("config.toml:{line}"),
            ..config::CallOutcomeSettings::default()
        };
        let labels = |outcomes: &[CallOutcome]| {
            outcomes
                .iter()
                .map(|outcome| outcome.label.clone())
                .collect::<Vec<_>>()
        };
        let (read, problems) = config::read_call_outcomes(&[outcome("", 3), outcome("won", 4)]);
        assert_eq!(
            (labels(&read), problems),
            (
                vec!["won".to_owned()],
                vec!["config.toml:3: the outcome is left out: it needs a label".to_owned()]
            )
        );
        assert_eq!(
            config::read_call_outcomes(&[outcome("", 3)]).0,
            CallOutcome::defaults()
        );
        let (read, problems) = config::read_call_outcomes(
            &["a", "b", "c", "d", "e", "f"].map(|label| outcome(label, 9)),
        );
        assert_eq!((read.len(), problems.len()), (5, 1));
    }

    #[test]
    fn a_wrong_tab_and_a_second_one_of_a_name_are_left_out_with_their_line() {
        let tab = |name: &str, conditions: &str, line: usize| config::QueueTabSettings {
            name: name.to_owned(),
            list: ListSettingsText {
                conditions: conditions.to_owned(),
                ..ListSettingsText::default()
            },
            action: RuleActionText {
                then: "done".to_owned(),
                ..RuleActionText::default()
            },
            defined_at: format!("config.toml:{line}"),
        };
        let (tabs, warnings) = queue_tabs_from_config(&[
            tab("odd", "cost>much", 3),
            tab("small", "cost<10k", 8),
            tab("small", "cost<20k", 12),
        ]);
        let names: Vec<&str> = tabs.iter().map(|tab| tab.name.as_str()).collect();
        assert_eq!(names, ["small"]);
        assert_eq!(
            warnings,
            [
                "config.toml:3: the tab odd is left out: where: cost needs a number like 5M, not much",
                "config.toml:12: the tab small is left out: another one has this name"
            ]
        );
    }
}
