//! The settings of `config.toml` as data. The reader's hints, the schema for editors and the test
//! of the documentation use it.
//!
//! Never here: reading the file, what a value does.

use super::keywords::{AdvanceSetting, DashboardPageKind, KEY_PRESETS, ProfileColor, ThemeName};
use crate::domain::display_format::{DateFormat, NumberFormat};

/// A setting, or a table of settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub name: &'static str,
    pub value: SettingType,
    /// One sentence without a period.
    pub description: &'static str,
    /// The value without the setting, as TOML; empty if there is none.
    pub default: &'static str,
}

impl Setting {
    const fn or(self, default: &'static str) -> Setting {
        Setting { default, ..self }
    }

    pub(super) const fn is_table(&self) -> bool {
        use SettingType::{Keys, NamedTables, NamedTexts, Table, TableList};
        matches!(
            self.value,
            Table(_) | NamedTables(_) | NamedTexts(_) | TableList(_) | Keys(_)
        )
    }

    /// A value of the setting's type, as TOML: the default if there is one. Tables have none.
    pub(super) fn example(&self) -> String {
        match self.value {
            _ if !self.default.is_empty() => self.default.to_owned(),
            SettingType::Bool => "true".to_owned(),
            SettingType::Interval => "\"15s\"".to_owned(),
            SettingType::Timeout => "\"100ms\"".to_owned(),
            SettingType::Hours => "\"18:00-8:00\"".to_owned(),
            SettingType::TimeZone => "\"local\"".to_owned(),
            // Not the color of the text.
            SettingType::Color if self.name == "background" => "\"#121212\"".to_owned(),
            SettingType::Color => "\"#5fd7d7\"".to_owned(),
            SettingType::Theme(_) => "\"auto\"".to_owned(),
            SettingType::Credits => "1000".to_owned(),
            SettingType::Keyword(words) => format!("{:?}", words.first().unwrap_or(&"")),
            SettingType::KeywordList(words) => format!("{words:?}"),
            SettingType::TextList | SettingType::TextOrList => "[\"TEXT\"]".to_owned(),
            _ => "\"TEXT\"".to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingType {
    Text,
    Bool,
    /// `15s`, `2m`, or `off`.
    Interval,
    /// `100ms`.
    Timeout,
    /// `18:00-8:00`.
    Hours,
    /// `local`, `utc` or `+02:00`.
    TimeZone,
    /// A number of credits.
    Credits,
    /// One of these themes, or one of the user.
    Theme(&'static [&'static str]),
    /// `#5fd7d7`, `bright-blue` or `110`.
    Color,
    /// One of these words.
    Keyword(&'static [&'static str]),
    /// A list of these words.
    KeywordList(&'static [&'static str]),
    TextList,
    /// A text or a list of texts.
    TextOrList,
    /// `[table]`.
    Table(&'static [Setting]),
    /// `[table.NAME]`.
    NamedTables(&'static [Setting]),
    /// `[table]` with texts by names of the user; an example of one.
    NamedTexts(&'static str),
    /// `[[table]]`, or a list of inline tables.
    TableList(&'static [Setting]),
    /// `[keys]`: one of these presets, and keys by command.
    Keys(&'static [&'static str]),
}

/// Everything `config.toml` may contain.
pub const SETTINGS: &[Setting] = &[
    text("profile", "The profile to use when none is named"),
    setting(
        "profiles",
        SettingType::NamedTables(PROFILE),
        "The services, by name; gantry login writes them",
    ),
    setting("console", SettingType::Table(CONSOLE), "The console"),
    setting(
        "theme",
        SettingType::NamedTables(THEME),
        "Colors of your own, by what they are for; a theme of this name",
    ),
    setting(
        "display",
        SettingType::Table(DISPLAY),
        "How dates and numbers are shown; never in JSON, CSV or JSON Lines",
    ),
    setting("watch", SettingType::Table(WATCH), "The dashboard"),
    setting(
        "budget",
        SettingType::Table(BUDGET),
        "Limits in credits: soft ones ask, hard ones block",
    ),
    setting("queue", SettingType::Table(QUEUE), "The queue"),
    setting(
        "rules",
        SettingType::TableList(QUEUE_TAB),
        "An older name for tabs of the queue that have an action",
    )
    .or("[]"),
    setting("call", SettingType::Table(CALL), "Logging a call"),
    setting(
        "alias",
        SettingType::NamedTexts("queue list --priority high"),
        "Names for commands of the command line: their words, with $1 for the first argument",
    ),
    setting(
        "command",
        SettingType::TableList(COMMAND),
        "Commands of your own",
    )
    .or("[]"),
    setting(
        "keys",
        SettingType::Keys(&KEY_PRESETS),
        "A preset, and the keys of commands by their id (gantry keys --json lists them)",
    ),
];

/// Whether a changed value applies only when the program starts again: the connection of a running
/// console stays as it is.
pub fn applies_at_start(key: &str) -> bool {
    matches!(
        key,
        "profile" | "console.first_run" | "console.escape_timeout"
    ) || (key.starts_with("profiles.") && !key.ends_with(".color"))
}

pub(super) const PROFILE: &[Setting] = &[
    text("base_url", "The service's address, including /api/v1"),
    text(
        "workspace",
        "The workspace's id; only needed if the service does not report it",
    ),
    text(
        "certificate",
        "The fingerprint of the service's certificate (sha256:…); no other is accepted",
    ),
    text("token_file", "A file of mode 0600 that holds the token"),
    text("token_command", "A shell command that prints the token"),
    setting(
        "color",
        SettingType::Keyword(COLORS),
        "The color of the profile's name in the header",
    ),
    switch("read_only", "Nothing is written with this profile").or("false"),
];

pub(super) const CONSOLE: &[Setting] = &[
    setting("poll", SettingType::Interval, "How often to read the counts: 10s to 5m, or off; 15s by default").or("\"15s\""),
    setting("advance", SettingType::Keyword(ADVANCES), "Where the cursor goes after marking a signal; next by default")
        .or("\"next\""),
    setting("theme", SettingType::Theme(THEMES), "The colors; auto follows the terminal's background").or("\"auto\""),
    switch("ascii", "Draw with ASCII characters only").or("false"),
    switch("mouse", "Use the mouse; true by default").or("true"),
    switch("preview", "Show the preview beside the queue; true by default").or("true"),
    setting(
        "escape_timeout",
        SettingType::Timeout,
        "How long to wait before an escape byte counts as Esc, if the terminal does not answer queries; 150ms by default",
    )
    .or("\"150ms\""),
    switch("first_run", "Show a card with the first keys, once for each service; true by default").or("true"),
];

pub(super) const THEME: &[Setting] = &[
    setting(
        "base",
        SettingType::Keyword(THEMES),
        "The theme whose colors it has where it sets none",
    )
    .or("\"auto\""),
    color("text", "Ordinary text"),
    color("strong", "The name of what you are looking at"),
    color("muted", "Labels and secondary facts"),
    color("faint", "Rules, borders and what may be overlooked"),
    color(
        "focus",
        "The border of the focused pane, and the mark of the cursor",
    ),
    color("key", "Keys that can be pressed"),
    color("selected", "The current tab or option"),
    color("high", "High priority"),
    color("medium", "Medium priority"),
    color("low", "Low priority"),
    color("new", "What is new"),
    color("marked", "Marked rows"),
    color("success", "What succeeded"),
    color("warning", "Warnings"),
    color("error", "Errors"),
    color(
        "background",
        "The background of the screen; without it, the terminal's",
    ),
    color("cursor_row", "The background of the cursor's row"),
];

pub(super) const DISPLAY: &[Setting] = &[
    setting(
        "time_zone",
        SettingType::TimeZone,
        "The time zone: local, utc, or an offset such as +02:00",
    )
    .or("\"local\""),
    setting(
        "date_format",
        SettingType::Keyword(DATE_FORMATS),
        "How dates are written: 2026-07-02 (iso), 07/02/2026 (us) or 02.07.2026 (day-first)",
    )
    .or("\"iso\""),
    setting(
        "number_format",
        SettingType::Keyword(NUMBER_FORMATS),
        "How numbers are written, by an example",
    )
    .or("\"1,234.5\""),
];

pub(super) const WATCH: &[Setting] = &[
    setting(
        "pages",
        SettingType::KeywordList(PAGES),
        "The pages of the dashboard, in turn; by default the counts, and the team where they do not show it",
    )
    .or("[\"counts\", \"team\"]"),
    switch("hide_names", "Hide names and amounts from the start").or("false"),
    text("message", "A line for the room, such as Stand-up 9:15"),
    setting("quiet", SettingType::Hours, "Hours without bell, sound and on_high, such as 18:00-8:00"),
    text_list("sound_high", "A program and its arguments that plays a sound for high priority, while the bell is on"),
    text_list("sound_medium", "The same for medium priority"),
    text_list("sound_low", "The same for low priority"),
    text_list("on_high", "A program and its arguments for new signals of high priority; may contain {count}, {type}, {project}"),
];

pub(super) const BUDGET: &[Setting] = &[
    credits(
        "soft_session",
        "Ask before one run of the program spends more than this",
    ),
    credits("soft_day", "Ask before the last 24 hours exceed this"),
    credits(
        "hard_session",
        "Block what would make one run spend more than this",
    ),
    credits(
        "hard_day",
        "Block what would make the last 24 hours exceed this",
    ),
];

pub(super) const QUEUE: &[Setting] = &[setting(
    "tabs",
    SettingType::TableList(QUEUE_TAB),
    "Tabs beside New and Done, in this order",
)
.or("[]")];

pub(super) const QUEUE_TAB: &[Setting] = &[
    text("name", "The name on the tab"),
    text("city", "Filtered by the service"),
    text("text", "Words to search for, filtered by the service"),
    text_or_list("type", "Signal types, filtered by the service"),
    text_or_list("priority", "Priorities, filtered by the service"),
    text(
        "where",
        "Conditions on the loaded rows, such as cost>=5M days<=30",
    ),
    text(
        "sort",
        "A field, or a field and a direction: cost, cost:asc",
    ),
    setting(
        "then",
        SettingType::Keyword(&["done", "snooze", "annotate"]),
        "What to propose for its signals; nothing happens without your Enter",
    ),
    text("until", "When a snooze ends: 3d, monday 9:00, next filing"),
    setting(
        "on",
        SettingType::Keyword(&["project", "account"]),
        "What is annotated; the project by default",
    ),
    text("status", "The status to set"),
    text_or_list("tags", "The tags to add"),
    text("note", "A line to add to the note"),
];

pub(super) const CALL: &[Setting] = &[setting(
    "outcomes",
    SettingType::TableList(CALL_OUTCOME),
    "What the keys 1 to 5 of a logged call do",
)
.or(CALL_OUTCOMES)];

/// The outcomes of calls unless others are configured.
const CALL_OUTCOMES: &str = "[{ label = \"reached\" }, { label = \"voicemail\" }, { label = \"no answer\" }, \
                             { label = \"meeting set\" }, { label = \"not interested\" }]";

pub(super) const CALL_OUTCOME: &[Setting] = &[
    text("label", "The name of the outcome, also in the note"),
    text(
        "status",
        "The new status of the record; the label by default",
    ),
    switch("done", "Mark the signal done for everyone; true by default"),
    text(
        "snooze",
        "Snooze the signal on this machine instead: 2d, monday 9:00, next filing",
    ),
];

pub(super) const COMMAND: &[Setting] = &[
    text("name", "The name in the palette and in help"),
    text("key", "A key or a sequence of keys, such as , m"),
    text_list(
        "run",
        "A program and its arguments, which may contain {id}, {name}, {address}, {city}",
    ),
    text("keys", "Keys of the console to press, separated by spaces"),
];

const COLORS: &[&str] = &words(ProfileColor::NAMES);
const ADVANCES: &[&str] = &words(AdvanceSetting::NAMES);
const THEMES: &[&str] = &words(ThemeName::NAMES);
const DATE_FORMATS: &[&str] = &words(DateFormat::NAMES);
const NUMBER_FORMATS: &[&str] = &words(NumberFormat::NAMES);
const PAGES: &[&str] = &words(DashboardPageKind::NAMES);

const fn setting(name: &'static str, value: SettingType, description: &'static str) -> Setting {
    Setting {
        name,
        value,
        description,
        default: "",
    }
}

const fn text(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::Text, description)
}

const fn text_list(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::TextList, description)
}

const fn text_or_list(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::TextOrList, description)
}

const fn switch(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::Bool, description)
}

const fn color(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::Color, description)
}

const fn credits(name: &'static str, description: &'static str) -> Setting {
    setting(name, SettingType::Credits, description)
}

/// The words of a table of words and their meanings.
const fn words<T: Copy, const N: usize>(meanings: [(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut at = 0;
    while at < N {
        words[at] = meanings[at].0;
        at += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::validate_config;

    /// A value of the setting's type, as TOML.
    fn sample(value: &SettingType) -> String {
        match value {
            SettingType::Text => "\"1d\"".to_owned(),
            SettingType::Bool => "true".to_owned(),
            SettingType::Interval => "\"20s\"".to_owned(),
            SettingType::Timeout => "\"200ms\"".to_owned(),
            SettingType::Hours => "\"18:00-8:00\"".to_owned(),
            SettingType::TimeZone => "\"+02:00\"".to_owned(),
            SettingType::Color => "\"110\"".to_owned(),
            SettingType::Theme(words) => format!("{:?}", words[words.len() - 1]),
            SettingType::Credits => "7".to_owned(),
            SettingType::Keyword(words) => format!("\"{}\"", words[words.len() - 1]),
            SettingType::KeywordList(words) => format!("{words:?}"),
            SettingType::TextList | SettingType::TextOrList => "[\"a\"]".to_owned(),
            SettingType::Table(settings) => format!("{{ {} }}", samples(settings)),
            SettingType::NamedTables(settings) => format!("{{ a = {{ {} }} }}", samples(settings)),
            SettingType::NamedTexts(example) => format!("{{ mine = {example:?} }}"),
            SettingType::TableList(settings) => format!("[{{ {} }}]", samples(settings)),
            SettingType::Keys(_) => "{ preset = \"vim\", undo = [\"U\"] }".to_owned(),
        }
    }

    fn samples(settings: &[Setting]) -> String {
        let line = |setting: &Setting| match setting.name {
            "background" => "background = 0".to_owned(),
            name => format!("{name} = {}", sample(&setting.value)),
        };
        settings.iter().map(line).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_reader_takes_every_setting_with_a_value_of_its_type() {
        let text: String = SETTINGS
            .iter()
            .map(|setting| format!("{} = {}\n", setting.name, sample(&setting.value)))
            .collect();
        assert_eq!(
            validate_config(Path::new("config.toml"), &text),
            Ok(Vec::new()),
            "{text}"
        );
    }
}
