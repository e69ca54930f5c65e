//! A setting of the configuration, as it is shown and changed by its key.

/// A setting in effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingRow {
    /// As in the file: `console.poll`, `profiles.desk.color`.
    pub key: String,
    /// What it is called on the screen; empty if its key says it.
    pub label: &'static str,
    /// One sentence without a period.
    pub description: String,
    pub kind: SettingKind,
    /// The value in effect, as it is typed; empty if there is none.
    pub value: String,
    /// The same of the default.
    pub default: String,
    /// An option, an environment variable, a file and its line, or `default`; empty if nothing sets
    /// it.
    pub source: String,
    /// The file has a value, which another source may override.
    pub is_in_file: bool,
    /// The value may be a secret: it is not shown.
    pub is_hidden: bool,
    /// A change applies only when the program starts again.
    pub applies_at_start: bool,
    /// Why the value in the file is not used.
    pub problem: Option<String>,
}

/// How a setting is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SettingKind {
    Switch,
    /// One of these words.
    Choice(Vec<String>),
    /// Some of these words.
    Choices(Vec<String>),
    /// A typed text.
    #[default]
    Text,
    /// A typed text of this form.
    Typed(&'static str),
    /// Entries that are written in the file.
    Entries,
}

impl SettingRow {
    /// The table that it is in: `console`, `profiles.desk`. A table of entries is one itself.
    pub fn section(&self) -> &str {
        self.split().0
    }

    /// The same for people.
    pub fn section_title(&self) -> String {
        match self
            .section()
            .split_once('.')
            .unwrap_or((self.section(), ""))
        {
            ("profiles", "") => "services".to_owned(),
            ("profiles", name) => format!("service {name}"),
            ("theme", _) => "colors".to_owned(),
            ("display", _) => "formats".to_owned(),
            ("watch", _) => "wall".to_owned(),
            ("queue" | "rules", _) => "queue".to_owned(),
            ("call", _) => "calls".to_owned(),
            ("alias" | "command", _) => "commands".to_owned(),
            ("keys", _) => "keys".to_owned(),
            (section, _) => section.to_owned(),
        }
    }

    /// The key inside its table.
    pub fn name(&self) -> &str {
        self.split().1
    }

    fn split(&self) -> (&str, &str) {
        if self.kind == SettingKind::Entries {
            return (&self.key, "(entries)");
        }
        // The id of a command has dots of its own.
        let at = if self.key.starts_with("keys.") {
            self.key.find('.')
        } else {
            self.key.rfind('.')
        };
        at.map_or(("general", self.key.as_str()), |at| {
            (&self.key[..at], &self.key[at + 1..])
        })
    }

    /// What it is called on the screen.
    pub fn title(&self) -> String {
        match self.label {
            "" => self.name().replace('_', " "),
            label => label.to_owned(),
        }
    }

    /// The value as it may be shown.
    pub fn shown_value(&self) -> &str {
        if self.is_hidden && !self.value.is_empty() {
            "(hidden)"
        } else {
            self.in_words(&self.value)
        }
    }

    /// The default as it is shown.
    pub fn shown_default(&self) -> &str {
        self.in_words(&self.default)
    }

    fn in_words<'a>(&self, value: &'a str) -> &'a str {
        match (&self.kind, value) {
            (SettingKind::Switch, "true") => "on",
            (SettingKind::Switch, "false") => "off",
            (_, value) => value,
        }
    }

    /// An option or a variable that overrides what the file says.
    pub fn overriding_source(&self) -> Option<&str> {
        Some(self.source.as_str())
            .filter(|source| source.starts_with("--") || source.starts_with("GANTRY_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_called_by_words_and_a_switch_is_on_or_off() {
        let row = |key: &str, label, kind, value: &str| SettingRow {
            key: key.to_owned(),
            label,
            kind,
            value: value.to_owned(),
            default: "true".to_owned(),
            ..SettingRow::default()
        };
        let mouse = row("console.mouse", "", SettingKind::Switch, "false");
        assert_eq!(
            (
                mouse.title().as_str(),
                mouse.shown_value(),
                mouse.shown_default()
            ),
            ("mouse", "off", "on")
        );
        let budget = row(
            "budget.soft_session",
            "ask per session",
            SettingKind::Text,
            "true",
        );
        assert_eq!(
            (budget.title().as_str(), budget.shown_value()),
            ("ask per session", "true")
        );
    }
}
