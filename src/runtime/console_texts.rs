//! Settings that only the console reads, from text to what they mean. What is wrong is left out and
//! reported with its line.

use crate::app;
use crate::app::command::custom::{CustomCommand, CustomCommandText, read_custom_commands};
use crate::app::command::keymap::{KeyOverride, KeyOverrides};
use crate::config::{self, ConsoleTexts};
use crate::domain::call_outcomes::CallOutcome;
use crate::domain::queue_tabs::{ListSettings, SavedTab};
use crate::domain::rules::Rule;

#[derive(Clone, Debug, Default)]
pub struct ParsedTexts {
    pub queue_tabs: Vec<SavedTab>,
    pub rules: Vec<Rule>,
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
    let (rules, wrong_rules) = rules_from_config(&texts.rules);
    let (call_outcomes, wrong_outcomes) = config::read_call_outcomes(&texts.call_outcomes);
    let mut key_overrides = key_overrides(&texts.keys);
    let (custom_commands, custom_problems) =
        custom_commands_from_config(&texts.custom_commands, &key_overrides);
    key_overrides.custom_commands = custom_commands
        .iter()
        .map(|custom| custom.command)
        .collect();
    key_overrides.custom_problems = custom_problems;
    let problems = [wrong_tabs, wrong_rules, wrong_outcomes].concat();
    ParsedTexts {
        queue_tabs,
        rules,
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
        match ListSettings::try_from(&tab.list) {
            Ok(settings) => read.push(SavedTab {
                name: tab.name.clone(),
                settings,
            }),
            Err(error) => warnings.push(format!(
                "{}: the tab {} is left out: {error}",
                tab.defined_at, tab.name
            )),
        }
    }
    (read, warnings)
}

/// The rules in the configuration, and what is wrong with the others.
fn rules_from_config(rules: &[config::RuleSettings]) -> (Vec<Rule>, Vec<String>) {
    let (mut read, mut warnings) = (Vec::new(), Vec::new());
    for rule in rules {
        match Rule::parse(&rule.rule) {
            Ok(rule) => read.push(rule),
            Err(error) => warnings.push(format!(
                "{}: the rule {} is left out: {error}",
                rule.defined_at, rule.rule.name
            )),
        }
    }
    (read, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rules::RuleText;

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
    fn a_wrong_rule_is_left_out_with_its_line() {
        let rule = |name: &str, conditions: &str, line: usize| config::RuleSettings {
            rule: RuleText {
                name: name.to_owned(),
                conditions: conditions.to_owned(),
                then: "done".to_owned(),
                ..RuleText::default()
            },
            defined_at: format!("config.toml:{line}"),
        };
        let (rules, warnings) =
            rules_from_config(&[rule("odd", "cost>much", 3), rule("small", "cost<10k", 8)]);
        assert_eq!(
            rules
                .iter()
                .map(|rule| rule.name.as_str())
                .collect::<Vec<_>>(),
            ["small"]
        );
        assert_eq!(
            warnings,
            [
                "config.toml:3: the rule odd is left out: where: cost needs a number like 5M, not much"
            ]
        );
    }
}
