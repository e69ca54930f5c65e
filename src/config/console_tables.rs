//! Tables of `config.toml` that only the console reads: tabs of the queue, the outcomes of calls
//! and custom commands. What they mean is checked by the console.

use toml::Spanned;
use toml::de::DeValue;

use super::ConfigError;
use super::file::ConfigReader;
use super::{
    AliasSetting, CallOutcomeSettings, CustomCommandSettings, QueueTabSettings, check_profile_name,
    schema,
};
use crate::domain::queue_tabs::ListSettingsText;
use crate::domain::rules::RuleActionText;

impl ConfigReader<'_> {
    /// `[queue]` with its tabs.
    pub(super) fn read_queue(&self, value: &Spanned<DeValue<'_>>) -> Vec<QueueTabSettings> {
        let queue = self.section(value, schema::QUEUE);
        let tabs = queue.value("tabs").into_iter();
        tabs.flat_map(|tabs| self.read_tabs(tabs, "[[queue.tabs]]"))
            .collect()
    }

    /// `[[rules]]`, an older name for tabs that act.
    pub(super) fn read_rules(&self, value: &Spanned<DeValue<'_>>) -> Vec<QueueTabSettings> {
        self.read_tabs(value, "[[rules]]")
    }

    /// A tab without a name is left out.
    fn read_tabs(&self, value: &Spanned<DeValue<'_>>, section: &str) -> Vec<QueueTabSettings> {
        self.tables(value, section)
            .filter_map(|tab| self.read_queue_tab(tab))
            .collect()
    }

    fn read_queue_tab(&self, value: &Spanned<DeValue<'_>>) -> Option<QueueTabSettings> {
        let tab = self.section(value, schema::QUEUE_TAB);
        Some(QueueTabSettings {
            name: tab.name("tab")?,
            list: ListSettingsText {
                city: tab.text("city"),
                text: tab.text("text"),
                types: tab.texts("type"),
                priorities: tab.texts("priority"),
                conditions: tab.text("where"),
                sort: tab.text("sort"),
            },
            action: RuleActionText {
                then: tab.text("then"),
                until: tab.text("until"),
                on: tab.text("on"),
                status: tab.text("status"),
                tags: tab.texts("tags"),
                note: tab.text("note"),
            },
            defined_at: tab.defined_at,
        })
    }

    /// `[call]` with its outcomes.
    pub(super) fn read_call(&self, value: &Spanned<DeValue<'_>>) -> Vec<CallOutcomeSettings> {
        let call = self.section(value, schema::CALL);
        let outcomes = call.value("outcomes").into_iter();
        outcomes
            .flat_map(|outcomes| self.tables(outcomes, "[[call.outcomes]]"))
            .map(|outcome| self.read_call_outcome(outcome))
            .collect()
    }

    fn read_call_outcome(&self, value: &Spanned<DeValue<'_>>) -> CallOutcomeSettings {
        let outcome = self.section(value, schema::CALL_OUTCOME);
        CallOutcomeSettings {
            label: outcome.text("label"),
            status: outcome.text("status"),
            done: outcome.bool("done"),
            snooze: outcome.text("snooze"),
            defined_at: outcome.defined_at,
        }
    }

    /// `[[command]]`. One with a setting of the wrong type is left out: half of it might do
    /// something else.
    pub(super) fn read_custom_commands(
        &self,
        value: &Spanned<DeValue<'_>>,
    ) -> Vec<CustomCommandSettings> {
        let left_out = |error| self.warn(format!("{error}; the command is left out"));
        let read = |table| self.read_custom_command(table).map_err(left_out).ok();
        self.tables(value, "[[command]]").filter_map(read).collect()
    }

    fn read_custom_command(
        &self,
        table: &Spanned<DeValue<'_>>,
    ) -> Result<CustomCommandSettings, ConfigError> {
        let defined_at = (self.locate)(table.span());
        let mut command = CustomCommandSettings {
            defined_at,
            ..CustomCommandSettings::default()
        };
        // Keys are compared as typed, with one space between them.
        let keys = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (key, value) in self.expect_table(table)? {
            match key.get_ref().as_ref() {
                "name" => command.name = self.expect_text(value)?.trim().to_owned(),
                "key" => command.key = keys(self.expect_text(value)?),
                "keys" => command.keys = keys(self.expect_text(value)?),
                "run" => command.run = self.expect_program(value)?,
                _ => self.warn_unknown_key(key.span(), key.get_ref(), schema::COMMAND),
            }
        }
        Ok(command)
    }

    /// `[alias]`, in the order of the file.
    pub(super) fn read_aliases(&self, value: &Spanned<DeValue<'_>>) -> Vec<AliasSetting> {
        let mut aliases = Vec::new();
        for (key, value) in self.table_entries(value) {
            let name = key.get_ref().to_string();
            let defined_at = (self.locate)(key.span());
            if let Err(error) = check_profile_name(&name) {
                let why = error.message.replace("profile name", "name of an alias");
                self.warn(format!("{defined_at}: {why}"));
            } else if let Some(text) = self.value_or_warning(self.expect_text(value)) {
                aliases.push((
                    key.span().start,
                    AliasSetting {
                        name,
                        text,
                        defined_at,
                    },
                ));
            }
        }
        aliases.sort_by_key(|(at, _)| *at);
        aliases.into_iter().map(|(_, alias)| alias).collect()
    }

    /// A program and its arguments.
    pub(super) fn expect_program(
        &self,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<String>, ConfigError> {
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| {
            self.error_at(value.span(), "expected a list: a program and its arguments")
        });
        list?.iter().map(|text| self.expect_text(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::file::{ConfigFile, parse_config};
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
            file.texts.queue_tabs,
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
            file.texts.call_outcomes,
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
