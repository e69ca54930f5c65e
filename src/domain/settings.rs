//! A setting of the configuration, as it is shown and changed by its key.

/// A setting in effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingRow {
    /// As in the file: `console.poll`, `profiles.desk.color`.
    pub key: String,
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

    /// The value as it may be shown.
    pub fn shown_value(&self) -> &str {
        if self.is_hidden && !self.value.is_empty() {
            "(hidden)"
        } else {
            &self.value
        }
    }

    /// An option or a variable that overrides what the file says.
    pub fn overriding_source(&self) -> Option<&str> {
        Some(self.source.as_str())
            .filter(|source| source.starts_with("--") || source.starts_with("GANTRY_"))
    }
}
