//! The words that settings of `config.toml` may have, and what they mean.
//!
//! Never here: reading the file, what a value does.

use crate::domain::display_format::{DateFormat, NumberFormat};

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
}

/// A value that is one of several words.
pub trait Keyword: Copy + PartialEq + 'static {
    const MEANINGS: &'static [(&'static str, Self)];
    const WORDS: &'static [&'static str];

    fn word(&self) -> &'static str {
        let mut words = Self::MEANINGS.iter();
        let found = words.find(|(_, meaning)| meaning == self);
        found.map_or("", |(word, _)| word)
    }
}

macro_rules! keywords {
    ($($kind:ty),+) => {$(
        impl Keyword for $kind {
            const MEANINGS: &'static [(&'static str, Self)] = &<$kind>::NAMES;
            const WORDS: &'static [&'static str] = &words(<$kind>::NAMES);
        }
    )+};
}

keywords!(
    AdvanceSetting,
    DashboardPageKind,
    DateFormat,
    NumberFormat,
    ProfileColor,
    ThemeName
);

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
