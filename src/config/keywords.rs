//! The words that settings of `config.toml` may have, and what they mean.
//!
//! Never here: reading the file, what a value does.

/// A page of the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardPageKind {
    /// The counts, from polling only.
    Counts,
    /// The signals at the top of the queue.
    Waiting,
    /// Who marked how many signals done today.
    Team,
}

impl DashboardPageKind {
    pub(super) const NAMES: [(&str, DashboardPageKind); 3] = [
        ("counts", DashboardPageKind::Counts),
        ("waiting", DashboardPageKind::Waiting),
        ("team", DashboardPageKind::Team),
    ];
}

/// Where the cursor goes after a signal is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdvanceSetting {
    /// To the next signal.
    #[default]
    Next,
    /// It stays where it is.
    Stay,
    /// To the previous signal.
    Back,
}

impl AdvanceSetting {
    pub(super) const NAMES: [(&str, AdvanceSetting); 3] = [
        ("next", AdvanceSetting::Next),
        ("stay", AdvanceSetting::Stay),
        ("back", AdvanceSetting::Back),
    ];
}

/// The color themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeName {
    /// Follows the terminal's background.
    Auto,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// Sets its own background.
    HighContrast,
    /// Readable without distinguishing red from green.
    ColorBlind,
    /// The terminal's own 16 colors.
    Terminal,
}

impl ThemeName {
    /// The names used in `config.toml`, `--theme` and `GANTRY_THEME`.
    pub const NAMES: [(&str, ThemeName); 6] = [
        ("auto", ThemeName::Auto),
        ("dark", ThemeName::Dark),
        ("light", ThemeName::Light),
        ("high-contrast", ThemeName::HighContrast),
        ("colour-blind", ThemeName::ColorBlind),
        ("terminal", ThemeName::Terminal),
    ];

    pub(super) fn name(self) -> &'static str {
        ThemeName::NAMES
            .into_iter()
            .find(|(_, theme)| *theme == self)
            .map_or("", |(word, _)| word)
    }

    pub fn from_name(name: &str) -> Option<ThemeName> {
        ThemeName::NAMES
            .into_iter()
            .find(|(word, _)| *word == name)
            .map(|(_, theme)| theme)
    }
}

/// The color of a profile's name in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileColor {
    Red,
    Yellow,
    Green,
    Blue,
}

impl ProfileColor {
    pub const NAMES: [(&str, ProfileColor); 4] = [
        ("red", ProfileColor::Red),
        ("yellow", ProfileColor::Yellow),
        ("green", ProfileColor::Green),
        ("blue", ProfileColor::Blue),
    ];

    pub fn name(self) -> &'static str {
        ProfileColor::NAMES
            .into_iter()
            .find(|(_, color)| *color == self)
            .map_or("", |(word, _)| word)
    }
}
