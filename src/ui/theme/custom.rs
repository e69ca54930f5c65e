//! A theme of the user: colors in place of those of the scheme that it is based on.

use ratatui::style::Color;

use super::palette::{indexed_color, to_terminal_color};
use super::{ColorDepth, ColorScheme, TextRole};

/// What can have a color of its own, with its name in the configuration.
pub const COLOR_PLACES: [(&str, ColorPlace); 17] = [
    ("text", ColorPlace::Role(TextRole::Text)),
    ("strong", ColorPlace::Role(TextRole::Strong)),
    ("muted", ColorPlace::Role(TextRole::Muted)),
    ("faint", ColorPlace::Role(TextRole::Faint)),
    ("focus", ColorPlace::Role(TextRole::Focus)),
    ("key", ColorPlace::Role(TextRole::Key)),
    ("selected", ColorPlace::Role(TextRole::Selected)),
    ("high", ColorPlace::Role(TextRole::High)),
    ("medium", ColorPlace::Role(TextRole::Medium)),
    ("low", ColorPlace::Role(TextRole::Low)),
    ("new", ColorPlace::Role(TextRole::New)),
    ("marked", ColorPlace::Role(TextRole::Marked)),
    ("success", ColorPlace::Role(TextRole::Success)),
    ("warning", ColorPlace::Role(TextRole::Warning)),
    ("error", ColorPlace::Role(TextRole::Error)),
    ("background", ColorPlace::Background),
    ("cursor_row", ColorPlace::CursorRow),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorPlace {
    Role(TextRole),
    /// Behind everything.
    Background,
    /// Behind the row of the cursor.
    CursorRow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomColor {
    /// 24 bits.
    Rgb(u32),
    /// One of the terminal's 256.
    Indexed(u8),
}

/// The colors of a theme of the user, in the order of [`COLOR_PLACES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CustomColors([Option<CustomColor>; COLOR_PLACES.len()]);

/// A theme of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomTheme {
    pub name: String,
    pub base: ColorScheme,
    pub colors: CustomColors,
}

impl CustomColors {
    /// Sets the color of a place by its name. Returns whether there is such a place.
    pub fn set(&mut self, name: &str, color: CustomColor) -> bool {
        let place = COLOR_PLACES.iter().position(|(known, _)| *known == name);
        place.is_some_and(|place| self.0[place].replace(color).is_none() || self.0[place].is_some())
    }

    /// The color of a place in a terminal with this many; `None` where the theme has none, or the terminal cannot show it.
    pub(super) fn terminal_color(&self, place: ColorPlace, depth: ColorDepth) -> Option<Color> {
        let at = COLOR_PLACES.iter().position(|(_, known)| *known == place)?;
        match (self.0[at]?, depth) {
            (_, ColorDepth::None) => None,
            (CustomColor::Indexed(index), ColorDepth::Ansi16) => (index < 16).then_some(Color::Indexed(index)),
            (CustomColor::Indexed(index), _) => Some(Color::Indexed(index)),
            (CustomColor::Rgb(_), ColorDepth::Ansi16) => None,
            (CustomColor::Rgb(shade), ColorDepth::Indexed256) => Some(Color::Indexed(indexed_color(shade))),
            (CustomColor::Rgb(shade), ColorDepth::TrueColor) => to_terminal_color(shade, depth),
        }
    }
}
