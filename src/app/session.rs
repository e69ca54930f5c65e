//! The console's settings at the start, and what it reports at exit.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::FixedOffset;

use crate::app::command::custom::CustomCommand;
use crate::app::command::keymap::KeyOverrides;
use crate::app::model::queue::AfterTriage;
use crate::domain::budgets::Budgets;
use crate::domain::call_outcomes::CallOutcome;
use crate::domain::display_format::DisplayFormat;
use crate::domain::program_template::ProgramTemplate;
use crate::domain::queue_tabs::SavedTab;
use crate::domain::quiet_hours::QuietHours;
use crate::domain::records::{Record, RecordKey};
use crate::domain::signals::Signal;
use crate::ui::{CustomTheme, TextRole, Theme};

/// Saved while the terminal reports a light background: the first frame is drawn before it can
/// report one.
pub const BACKGROUND_PREFERENCE: &str = "background";
/// The color scheme, chosen on the screen.
pub const THEME_PREFERENCE: &str = "theme";
/// The interval of polling, chosen on the screen: `off`, or seconds as in `30s`.
pub const POLL_PREFERENCE: &str = "poll";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DashboardPage {
    /// The polled counts.
    #[default]
    Counts,
    /// The top of the queue.
    Waiting,
    /// Signals marked done today, by member.
    Team,
}

impl DashboardPage {
    pub const ALL: [DashboardPage; 3] = [
        DashboardPage::Counts,
        DashboardPage::Waiting,
        DashboardPage::Team,
    ];

    /// What it shows, in a list of pages.
    pub fn title(self) -> &'static str {
        match self {
            DashboardPage::Counts => "counts: the figures, and what is latest",
            DashboardPage::Waiting => "waiting: what is next in the queue",
            DashboardPage::Team => "team: who marked how many done today",
        }
    }

    /// The name in the configuration and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            DashboardPage::Counts => "counts",
            DashboardPage::Waiting => "waiting",
            DashboardPage::Team => "team",
        }
    }
}

/// Saved when the pages of the dashboard are chosen on the screen: their names.
pub const DASHBOARD_PAGES_PREFERENCE: &str = "watch.pages";
/// The line for the room, typed on the screen.
pub const DASHBOARD_MESSAGE_PREFERENCE: &str = "watch.message";

/// The dashboard's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DashboardOptions {
    /// The pages in turn; if empty, the counts and, where there is one, the team.
    pub pages: Vec<DashboardPage>,
    /// The configuration names the pages: those chosen on the screen apply to this session only.
    pub has_configured_pages: bool,
    /// Names and amounts are hidden at start-up.
    pub hides_names: bool,
    /// A line for the room.
    pub message: String,
    /// The configuration has the line: one typed on the screen applies to this session only.
    pub has_configured_message: bool,
    pub quiet: Option<QuietHours>,
    /// Programs that play a sound for high, medium and low priority.
    pub sounds: [Vec<String>; 3],
    /// A program for new signals of high priority.
    pub on_high: Option<ProgramTemplate>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleSession {
    /// Profile, file or host, for the header.
    pub label: String,
    /// A service is configured. Otherwise the start screen offers the demo, a file and a sign-in.
    pub connected: bool,
    /// Commands that write are disabled.
    pub read_only: bool,
    /// Only the dashboard is shown, and only the counts are read.
    pub is_dashboard_only: bool,
}

/// Where the console starts, instead of the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum StartTarget {
    /// The View of this name or id.
    View(String),
    Signal(Box<Signal>),
    /// A record that was read, with what that cost.
    Record(RecordKey, Box<Record>, Option<u64>),
}

/// A saved connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileChoice {
    pub name: String,
    pub address: String,
}

/// The user's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct AppSettings {
    /// Colors and glyphs. Color only ever repeats what the text says.
    pub theme: Theme,
    /// The user's own themes.
    pub custom_themes: Vec<CustomTheme>,
    /// The theme was set by option or environment: one chosen on the screen applies only to this
    /// session.
    pub is_theme_overridden: bool,
    pub key_overrides: KeyOverrides,
    pub after_triage: AfterTriage,
    /// `None`: the counts are read only when asked.
    pub poll_interval: Option<Duration>,
    /// The interval was set by option or configuration: one chosen on the screen applies only to
    /// this session.
    pub is_poll_overridden: bool,
    pub mouse_enabled: bool,
    pub preview_enabled: bool,
    /// The saved connections.
    pub profiles: Vec<ProfileChoice>,
    /// The color of the profile's name.
    pub label_role: Option<TextRole>,
    /// The first keys are shown once for each service.
    /// Shows the Today tab first while something is due.
    pub shows_today_first: bool,
    pub has_first_run_card: bool,
    /// The service has generated sample data.
    pub is_sample: bool,
    /// The service runs in this program.
    pub is_local: bool,
    /// How dates and numbers are written.
    pub display: DisplayFormat,
    /// The user's time zone.
    pub utc_offset: FixedOffset,
    /// The service's clock was deliberately set to another date: its difference from this machine's
    /// clock is not reported.
    pub is_clock_simulated: bool,
    pub dashboard: DashboardOptions,
    pub budgets: Budgets,
    /// The tabs of the queue that the user saved.
    pub queue_tabs: Vec<SavedTab>,
    pub call_outcomes: Vec<CallOutcome>,
    pub custom_commands: Vec<CustomCommand>,
    /// What the user chose in earlier sessions, by name: theme, columns of a list.
    pub preferences: BTreeMap<String, String>,
}

impl Default for AppSettings {
    fn default() -> Self {
        AppSettings {
            theme: Theme::default(),
            custom_themes: Vec::new(),
            is_theme_overridden: false,
            key_overrides: KeyOverrides::default(),
            after_triage: AfterTriage::Next,
            poll_interval: Some(Duration::from_secs(15)),
            is_poll_overridden: false,
            mouse_enabled: true,
            preview_enabled: true,
            profiles: Vec::new(),
            label_role: None,
            shows_today_first: false,
            has_first_run_card: false,
            is_sample: false,
            is_local: false,
            display: DisplayFormat::default(),
            utc_offset: FixedOffset::east_opt(0).expect("zero is a valid offset"),
            is_clock_simulated: false,
            dashboard: DashboardOptions::default(),
            budgets: Budgets::default(),
            queue_tabs: Vec::new(),
            call_outcomes: CallOutcome::defaults(),
            custom_commands: Vec::new(),
            preferences: BTreeMap::new(),
        }
    }
}

/// How the program ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExitState {
    /// The exit status: 0 done, 3 not allowed, 5 not reached, 130 interrupted.
    pub status: u8,
    /// Printed after the screen is closed.
    pub message: Option<String>,
    /// Problems of this machine.
    pub warnings: Vec<String>,
}
