//! The settings of `config.toml`: a line for each, from which come the struct of its value, its
//! reader and default, `gantry config`, the schema for editors, the settings screen and the tables
//! of the documentation.
//!
//! A setting of a kind that there is needs nothing but its line, and the code that uses its value.
//!
//! Never here: the kinds of values (`setting_kinds`), what a value does.

use super::config_error::ConfigError;
use super::keywords::{AdvanceSetting, DashboardPageKind, ProfileColor, ThemeName};
use super::reader::{ConfigReader, ReadResult, Section, TomlValue};
use super::setting::{Setting, SettingTable, SettingType, WrittenTable, settings};
use super::setting_kinds::{
    Credits, Hours, Interval, KeySequence, Program, Protection, SettingKind, Text, Texts, Theme,
    TimeZone, Timeout, WrittenKind,
};
use super::setting_tables::{
    AliasSetting, Aliases, BudgetSection, CallOutcomes, CustomCommands, KeySettings, Keys,
    Profiles, QueueTabs, RuleActionWord, RuleTargetWord, Rules,
};
use super::themes::{Color, Themes};
use crate::domain::budgets::Budgets;
use crate::domain::display_format::{DateFormat, DisplayFormat, NumberFormat};
use crate::domain::queue_tabs::ListSettingsText;
use crate::domain::rules::RuleActionText;

/// Everything `config.toml` may contain.
pub const SETTINGS: &[Setting] = ConfigFile::SETTINGS;

settings! {
    /// The parsed file.
    pub struct ConfigFile {
        /// The service to open when none is named.
        profile: Option<Text>, "service at start", at_start;
        /// The services, by name; gantry login writes them.
        profiles: Profiles, "services";
        /// The console.
        console: ConsoleSettings;
        /// Colors of your own, by what they are for; a theme of this name.
        theme: Themes, "colors of your own";
        /// How dates and numbers are shown; never in JSON, CSV or JSON Lines.
        display: DisplayFormat;
        /// The dashboard.
        watch: DashboardSettings;
        /// Limits in credits: soft ones ask, hard ones block.
        budget: BudgetSection;
        /// The queue.
        queue: QueueSection;
        /// An older name for tabs of the queue that have an action.
        rules: Rules = [], "rules for new signals";
        /// Logging a call.
        call: CallSection;
        /// Names for commands of the command line: their words, with $1 for the first argument.
        alias: Aliases, "short names";
        /// Commands of your own.
        command: CustomCommands = [], "commands of your own";
        /// A preset, and the keys of commands by their id (gantry keys --json lists them).
        keys: Keys;
        also {
            /// Problems that could be skipped, one line each.
            warnings: Vec<String>;
        }
    }
}

/// Settings that console and command line read: they know what these may contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsoleTexts {
    pub queue_tabs: Vec<QueueTabSettings>,
    pub call_outcomes: Vec<CallOutcomeSettings>,
    pub custom_commands: Vec<CustomCommandSettings>,
    pub keys: KeySettings,
    pub aliases: Vec<AliasSetting>,
}

impl ConfigFile {
    /// What console and command line read.
    pub(super) fn into_texts(self) -> ConsoleTexts {
        ConsoleTexts {
            queue_tabs: [self.queue.tabs, self.rules].concat(),
            call_outcomes: self.call.outcomes.unwrap_or_default(),
            custom_commands: self.command,
            keys: self.keys,
            aliases: self.alias,
        }
    }
}

settings! {
    /// `[profiles.NAME]`.
    pub struct ProfileSection is written {
        /// The service's address, including /api/v1.
        base_url: Option<Text>, at_start;
        /// The workspace's id; only needed if the service does not report it.
        workspace: Option<Text>, at_start;
        /// The fingerprint of the service's certificate (sha256:…); no other is accepted.
        certificate: Option<Text>, at_start;
        /// A file of mode 0600 that holds the token.
        token_file: Option<Text>, at_start;
        /// A shell command that prints the token.
        token_command: Option<Text>, at_start;
        /// The color of the profile's name in the header.
        color: Option<ProfileColor>;
        /// Nothing is written with this profile.
        read_only: Protection = false, at_start;
        also {
            /// File and line.
            defined_at: String;
            /// Why the profile cannot be used.
            problem: Option<ConfigError>;
        }
    }
}

settings! {
    /// `[console]`.
    pub struct ConsoleSettings {
        /// How often to read the counts: 10s to 5m, or off.
        poll: Option<Interval> = "15s", "read counts every";
        /// Where the cursor goes after marking a signal.
        advance: AdvanceSetting = "next", "after marking, go to";
        /// The colors; auto follows the terminal's background.
        theme: Option<Theme> = "auto", "colors";
        /// Draw with ASCII characters only.
        ascii: Option<bool> = false, "plain characters only";
        /// Use the mouse.
        mouse: bool = true;
        /// Show the preview beside the queue.
        preview: bool = true, "preview of the signal";
        /// How long to wait after Esc for the rest of a key, if the terminal cannot say: 10ms to 5s.
        escape_timeout: Timeout = "150ms", "wait after Esc", at_start;
        /// Show the tab Today first while something is due.
        today_first: bool = true, "Today first when due", at_start;
        /// Show a card with the first keys, once for each service.
        first_run: bool = true, "welcome card", at_start;
    }
}

/// `[theme.NAME]`.
pub(super) const THEME: &[Setting] = &[
    Setting::new::<ThemeName>("base", "The theme whose colors it has where it sets none")
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

const fn color(name: &'static str, description: &'static str) -> Setting {
    Setting::new::<Color>(name, description)
}

settings! {
    impl DisplayFormat {
        /// The time zone: local, utc, or an offset such as +02:00.
        time_zone => offset: TimeZone = "local";
        /// How dates are written: 2026-07-02 (iso), 07/02/2026 (us) or 02.07.2026 (day-first).
        date_format => date: DateFormat = "iso", "dates";
        /// How numbers are written, by an example.
        number_format => number: NumberFormat = "1,234.5", "numbers";
    }
}

settings! {
    /// `[watch]`: what the dashboard shows besides the counts.
    pub struct DashboardSettings {
        /// The pages of the dashboard, in turn; by default the counts, and the team where they do
        /// not show it.
        pages: Option<Vec<DashboardPageKind>> = ["counts", "team"], "pages in turn";
        /// Hide names and amounts from the start.
        hide_names: Protection = false, "hide names and amounts";
        /// A line for the room, such as Stand-up 9:15.
        message: Text, "line for the room";
        /// Hours without bell, sound and program, such as 18:00-8:00.
        quiet: Option<Hours>, "quiet hours";
        /// A program and its arguments that plays a sound for high priority, while the bell is on.
        sound_high: Program, "sound, high priority";
        /// The same for medium priority.
        sound_medium: Program, "sound, medium priority";
        /// The same for low priority.
        sound_low: Program, "sound, low priority";
        /// A program and its arguments to run at new signals of high priority; may contain {count},
        /// {type}, {project}.
        on_high: Program, "program, high priority";
    }
}

settings! {
    impl Budgets is written {
        /// Ask before one run of the program spends more than this.
        soft_session => soft_session: Option<Credits>, "ask per session";
        /// Ask before the last 24 hours exceed this.
        soft_day => soft_day: Option<Credits>, "ask per 24 hours";
        /// Block what would make one run spend more than this.
        hard_session => hard_session: Option<Credits>, "block per session";
        /// Block what would make the last 24 hours exceed this.
        hard_day => hard_day: Option<Credits>, "block per 24 hours";
    }
}

settings! {
    /// `[queue]`.
    pub struct QueueSection {
        /// Tabs beside New and Done, in this order.
        tabs: QueueTabs = [], "tabs of your own";
    }
}

/// `[[queue.tabs]]`: a tab of the queue, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueTabSettings {
    pub name: String,
    pub list: ListSettingsText,
    pub action: RuleActionText,
    /// File and line.
    pub defined_at: String,
}

settings! {
    impl QueueTabSettings is written {
        /// The name on the tab.
        name => name: Text;
        /// Filtered by the service.
        city => list.city: Text;
        /// Words to search for, filtered by the service.
        text => list.text: Text;
        /// Signal types, filtered by the service.
        type => list.types: Texts;
        /// Priorities, filtered by the service.
        priority => list.priorities: Texts;
        /// Conditions on the loaded rows, such as cost>=5M days<=30.
        where => list.conditions: Text;
        /// A field, or a field and a direction: cost, cost:asc.
        sort => list.sort: Text;
        /// What to propose for its signals; nothing happens without your Enter.
        then => action.then: RuleActionWord;
        /// When a snooze ends: 3d, monday 9:00, next filing.
        until => action.until: Text;
        /// What is annotated; the project by default.
        on => action.on: RuleTargetWord;
        /// The status to set.
        status => action.status: Text;
        /// The tags to add.
        tags => action.tags: Texts;
        /// A line to add to the note.
        note => action.note: Text;
    }
}

settings! {
    /// `[call]`.
    pub struct CallSection {
        /// What the keys 1 to 5 of a logged call do.
        outcomes: Option<CallOutcomes> = [
            { label = "reached" }, { label = "voicemail", snooze = "2d" },
            { label = "no answer", snooze = "2d" }, { label = "meeting set" }, { label = "not interested" }
        ], "outcomes of a call";
    }
}

settings! {
    /// An outcome of `[call]`, as written.
    pub struct CallOutcomeSettings {
        /// The name of the outcome, also in the note.
        label: Text;
        /// The new status of the record; the label by default.
        status: Text;
        /// Mark the signal done for everyone; true by default.
        done: Option<bool>;
        /// Snooze the signal on this machine instead, or where there is none promise a call in the
        /// note: 2d, monday 9:00, next filing.
        snooze: Text;
        also {
            /// File and line.
            defined_at: String;
        }
    }
}

settings! {
    /// `[[command]]`: a command of the user, as written.
    pub struct CustomCommandSettings {
        /// The name in the palette and in help.
        name: Text;
        /// A key or a sequence of keys, such as , m.
        key: KeySequence;
        /// A program and its arguments, which may contain {id}, {name}, {address}, {city}.
        run: Program;
        /// Keys of the console to press, separated by spaces.
        keys: KeySequence;
        also {
            /// File and line.
            defined_at: String;
        }
    }
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
            SettingType::Bool | SettingType::Protection => "true".to_owned(),
            SettingType::Formatted(format) => format!("{:?}", format.example),
            SettingType::Color => "\"110\"".to_owned(),
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
