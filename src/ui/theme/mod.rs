//! The one place that decides on colors and glyphs.
//!
//! A widget asks for a [`TextRole`]; the theme answers with a style, from the user's scheme
//! ([`ColorScheme`]), the terminal's background ([`Background`]) and its number of colors
//! ([`ColorDepth`]). Every role is also distinguishable without color, by a letter in the text or
//! by bold, dim and reverse, so that [`ColorDepth::None`] loses nothing but comfort.

mod custom;
mod glyphs;
mod palette;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

pub use custom::{COLOR_PLACES, CustomColor, CustomColors};
pub use glyphs::Glyphs;
pub use palette::exact_palette_index;
use palette::{ColorPalette, to_terminal_color};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorScheme {
    /// Follows the terminal's background.
    #[default]
    Auto,
    Dark,
    Light,
    /// On its own background, black or white, with a contrast of 7 to 1 and more.
    HighContrast,
    /// Does not rely on telling red from green.
    ColorBlind,
    /// The terminal's own 16 colors.
    Terminal,
}

impl ColorScheme {
    /// In the order in which they are offered.
    pub const ALL: [ColorScheme; 6] = [
        ColorScheme::Auto,
        ColorScheme::Dark,
        ColorScheme::Light,
        ColorScheme::HighContrast,
        ColorScheme::ColorBlind,
        ColorScheme::Terminal,
    ];

    /// The name on the screen and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            ColorScheme::Auto => "auto",
            ColorScheme::Dark => "dark",
            ColorScheme::Light => "light",
            ColorScheme::HighContrast => "high-contrast",
            ColorScheme::ColorBlind => "colour-blind",
            ColorScheme::Terminal => "terminal",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            ColorScheme::Auto => "follows the terminal's background",
            ColorScheme::Dark => "for a dark background",
            ColorScheme::Light => "for a light background",
            ColorScheme::HighContrast => "strong contrast, on black or on white",
            ColorScheme::ColorBlind => "avoids red against green",
            ColorScheme::Terminal => "the terminal's own 16 colors",
        }
    }

    pub fn from_name(name: &str) -> Option<ColorScheme> {
        ColorScheme::ALL
            .into_iter()
            .find(|scheme| scheme.name() == name)
    }
}

/// The terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    #[default]
    Dark,
    Light,
}

/// How many colors the terminal has and gantry may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// None: bold, dim and reverse only (`NO_COLOR`).
    None,
    /// 16, whose shades the terminal defines.
    Ansi16,
    #[default]
    Indexed256,
    /// 24 bits.
    TrueColor,
}

/// What a text is, which determines its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    Text,
    /// The name of what the user is looking at.
    Strong,
    /// Labels and secondary facts.
    Muted,
    /// Rules, borders and what may be overlooked.
    Faint,
    /// The border of the focused pane.
    Focus,
    /// A key that can be pressed.
    Key,
    /// The current choice among others: a tab, a radio button.
    Selected,
    High,
    Medium,
    Low,
    New,
    Marked,
    Success,
    Warning,
    Error,
}

impl TextRole {
    /// A text that stands out in some rows.
    pub fn strong_if(stands_out: bool) -> TextRole {
        if stands_out {
            TextRole::Strong
        } else {
            TextRole::Text
        }
    }
}

/// A theme of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomTheme {
    pub name: String,
    /// Whose colors it has where it sets none.
    pub base: ColorScheme,
    pub colors: CustomColors,
}

/// How everything looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    pub scheme: ColorScheme,
    pub background: Background,
    pub depth: ColorDepth,
    pub ascii: bool,
    /// Colors of the user instead of those of the scheme.
    pub custom: Option<CustomColors>,
}

impl Theme {
    pub fn glyphs(&self) -> &'static Glyphs {
        if self.ascii {
            &glyphs::ASCII_GLYPHS
        } else {
            &glyphs::UNICODE_GLYPHS
        }
    }

    /// The borders of a panel. Where colors are not reliable, thick borders show which panel is
    /// focused.
    pub fn border(&self, focused: bool) -> border::Set<'static> {
        match (
            self.ascii,
            focused
                && matches!(
                    self.scheme,
                    ColorScheme::HighContrast | ColorScheme::ColorBlind
                ),
        ) {
            (true, _) => glyphs::ASCII_BORDER,
            (false, true) => border::THICK,
            (false, false) => border::ROUNDED,
        }
    }

    pub fn style(&self, role: TextRole) -> Style {
        let palette = self.palette();
        let color = match self.effective_depth() {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(palette.ansi_color(role)),
            // Ordinary text has the terminal's own color, even where a border was drawn before.
            shades => Some(
                palette
                    .role_rgb(role)
                    .and_then(|shade| to_terminal_color(shade, shades))
                    .unwrap_or_default(),
            ),
        };
        let color = self.custom_color(role as usize).or(color);
        let mut weight = match role {
            TextRole::Strong
            | TextRole::Key
            | TextRole::High
            | TextRole::Error
            | TextRole::Marked
            | TextRole::Selected => Modifier::BOLD,
            _ => Modifier::empty(),
        };
        // What few shades cannot distinguish.
        if self.effective_depth() <= ColorDepth::Ansi16 && palette.background().is_none() {
            weight |= match role {
                TextRole::Muted | TextRole::Faint | TextRole::Low => Modifier::DIM,
                TextRole::Selected => Modifier::UNDERLINED,
                _ => Modifier::empty(),
            };
        }
        let style = Style::new().add_modifier(weight);
        color.map_or(style, |color| style.fg(color))
    }

    /// The style of text that is selected in a text field. It is visible on the cursor's row too.
    pub fn selected_text_style(&self) -> Style {
        self.style(TextRole::Selected)
            .add_modifier(Modifier::REVERSED)
    }

    /// The style of the cursor's row; fainter where the keys go elsewhere.
    pub fn cursor_row_style(&self, focused: bool) -> Style {
        let [with_keys, without] = self.palette().cursor_row_backgrounds();
        let row = to_terminal_color(
            if focused { with_keys } else { without },
            self.effective_depth(),
        )
        .map(|row| Style::new().bg(row));
        let row = self
            .custom_color(custom::CURSOR_ROW)
            .filter(|_| focused)
            .map(|row| Style::new().bg(row))
            .or(row);
        match (row, self.own_background(), focused) {
            // The whole row is inverted: what it shows by color it shows by letters as well.
            (Some(row), Some(background), true) if self.palette().background().is_some() => {
                row.fg(background)
            }
            (Some(row), ..) => row,
            (None, _, true) => Style::new()
                .fg(Color::Reset)
                .add_modifier(Modifier::REVERSED),
            (None, _, false) => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    /// Paints the scheme's own background under a drawn frame, where it has one.
    pub fn paint_background(&self, buf: &mut Buffer) {
        let Some(background) = self.own_background() else {
            return;
        };
        let ink = self
            .style(TextRole::Text)
            .fg
            .filter(|ink| *ink != Color::Reset)
            .or(self.color_for_other_background(ColorPalette::foreground))
            .unwrap_or_default();
        for cell in &mut buf.content {
            if cell.bg == Color::Reset {
                cell.bg = background;
            }
            if cell.fg == Color::Reset {
                cell.fg = ink;
            }
        }
    }

    /// The color that the user gave a place; `None` where there is none, or the terminal cannot
    /// show it.
    fn custom_color(&self, place: usize) -> Option<Color> {
        match (self.custom?.get(place)?, self.depth) {
            (_, ColorDepth::None) | (CustomColor::Rgb(_), ColorDepth::Ansi16) => None,
            (CustomColor::Indexed(index), ColorDepth::Ansi16) => {
                (index < 16).then_some(Color::Indexed(index))
            }
            (CustomColor::Indexed(index), _) => Some(Color::Indexed(index)),
            (CustomColor::Rgb(shade), depth) => to_terminal_color(shade, depth),
        }
    }

    fn palette(&self) -> ColorPalette {
        ColorPalette::for_scheme(self.scheme, self.background)
    }

    /// The color depth that this scheme uses of the available one.
    fn effective_depth(&self) -> ColorDepth {
        match (self.scheme, self.depth) {
            (ColorScheme::Terminal, ColorDepth::Indexed256 | ColorDepth::TrueColor) => {
                ColorDepth::Ansi16
            }
            (_, depth) => depth,
        }
    }

    /// The background that the scheme paints: its own, or the one it was designed for where the
    /// terminal's is the opposite.
    fn own_background(&self) -> Option<Color> {
        match (
            self.custom_color(custom::BACKGROUND),
            self.palette().background(),
        ) {
            (Some(custom), _) => Some(custom),
            (None, Some(own)) => self.color_at_depth(own),
            (None, None) => self.color_for_other_background(ColorPalette::recommended_background),
        }
    }

    /// A color that a scheme designed for one background needs on the opposite one.
    fn color_for_other_background(&self, of: fn(ColorPalette) -> (u32, Color)) -> Option<Color> {
        let is_other = matches!(
            (self.scheme, self.background),
            (ColorScheme::Light, Background::Dark) | (ColorScheme::Dark, Background::Light)
        );
        is_other
            .then(|| self.color_at_depth(of(self.palette())))
            .flatten()
    }

    /// A shade or its named color, depending on the color depth.
    fn color_at_depth(&self, (shade, named): (u32, Color)) -> Option<Color> {
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(named),
            depth => to_terminal_color(shade, depth),
        }
    }
}
