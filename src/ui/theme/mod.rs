//! The one place that decides colours and glyphs.
//!
//! A widget asks for a [`Role`]; the theme answers with a style: which colours the person wants ([`Scheme`]), what they lie on
//! ([`Ground`]), how many the terminal has ([`Depth`]). Every role can be told apart without colour too, by a letter in the text or
//! by bold, dim and reverse, so that [`Depth::None`] loses nothing but comfort.

mod glyphs;
mod palette;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

pub use glyphs::Glyphs;
use palette::{ColorPalette, to_terminal_color};

/// Which colours the person wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorScheme {
    /// Those that suit the terminal's ground.
    #[default]
    Auto,
    /// For a dark ground.
    Dark,
    /// For a light ground.
    Light,
    /// On a ground of its own, black or white, with 7 to 1 and more.
    HighContrast,
    /// Told apart without telling red from green.
    ColorBlind,
    /// The terminal's own sixteen.
    Terminal,
}

impl ColorScheme {
    /// All of them, in the order in which they are offered.
    pub const ALL: [ColorScheme; 6] = [
        ColorScheme::Auto,
        ColorScheme::Dark,
        ColorScheme::Light,
        ColorScheme::HighContrast,
        ColorScheme::ColorBlind,
        ColorScheme::Terminal,
    ];

    /// Its name on the screen and in what is kept.
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

    /// What it is, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            ColorScheme::Auto => "follows the terminal's background",
            ColorScheme::Dark => "for a dark background",
            ColorScheme::Light => "for a light background",
            ColorScheme::HighContrast => "black or white background, 7 to 1",
            ColorScheme::ColorBlind => "avoids red against green",
            ColorScheme::Terminal => "the terminal's own 16 colors",
        }
    }

    /// The scheme of this name.
    pub fn from_name(name: &str) -> Option<ColorScheme> {
        ColorScheme::ALL.into_iter().find(|scheme| scheme.name() == name)
    }
}

/// What the terminal draws on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Dark.
    #[default]
    Dark,
    /// Light.
    Light,
}

/// How many colours the terminal has, and may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// None: bold, dim and reverse only (`NO_COLOR`).
    None,
    /// Sixteen, whose shades are the terminal's own.
    Ansi16,
    /// 256.
    #[default]
    Indexed256,
    /// 24 bits.
    TrueColor,
}

/// What a text is, for its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Ordinary text.
    Text,
    /// The text that names what one looks at.
    Strong,
    /// Labels and facts of second rank.
    Muted,
    /// Rules, borders and what may be overlooked.
    Faint,
    /// The border of the pane that has the keys.
    Focus,
    /// A key that can be pressed.
    Key,
    /// What is chosen among others: a tab, a radio button.
    Selected,
    /// First priority.
    High,
    /// Second priority.
    Medium,
    /// Third priority.
    Low,
    /// Something new.
    New,
    /// A record that the person marked.
    Marked,
    /// It went well.
    Success,
    /// It needs a look.
    Warning,
    /// It went wrong.
    Error,
}

/// How everything looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Which colours.
    pub scheme: ColorScheme,
    /// What they lie on.
    pub background: Background,
    /// How many there are.
    pub depth: ColorDepth,
    /// Glyphs in ASCII.
    pub ascii: bool,
}

impl Theme {
    /// The glyphs.
    pub fn glyphs(&self) -> &'static Glyphs {
        if self.ascii { &glyphs::ASCII_GLYPHS } else { &glyphs::UNICODE_GLYPHS }
    }

    /// The corners and sides of a panel. Where colours are not to be relied on, thick ones show which panel has the keys.
    pub fn border(&self, focused: bool) -> border::Set<'static> {
        match (self.ascii, focused && matches!(self.scheme, ColorScheme::HighContrast | ColorScheme::ColorBlind)) {
            (true, _) => glyphs::ASCII_BORDER,
            (false, true) => border::THICK,
            (false, false) => border::ROUNDED,
        }
    }

    /// The style of a role.
    pub fn style(&self, role: TextRole) -> Style {
        let palette = self.palette();
        let colour = match self.effective_depth() {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(palette.ansi_color(role)),
            // Ordinary text has the terminal's own colour, also where a border was before it.
            shades => Some(palette.role_rgb(role).and_then(|shade| to_terminal_color(shade, shades)).unwrap_or_default()),
        };
        let mut weight = match role {
            TextRole::Strong | TextRole::Key | TextRole::High | TextRole::Error | TextRole::Marked | TextRole::Selected => {
                Modifier::BOLD
            }
            _ => Modifier::empty(),
        };
        // What shades cannot tell where they are few.
        if self.effective_depth() <= ColorDepth::Ansi16 && palette.background().is_none() {
            weight |= match role {
                TextRole::Muted | TextRole::Faint | TextRole::Low => Modifier::DIM,
                TextRole::Selected => Modifier::UNDERLINED,
                _ => Modifier::empty(),
            };
        }
        let style = Style::new().add_modifier(weight);
        colour.map_or(style, |colour| style.fg(colour))
    }

    /// What lies over the row that the cursor is on; fainter where the keys go elsewhere.
    pub fn cursor_row_style(&self, focused: bool) -> Style {
        let [with_keys, without] = self.palette().cursor_row_backgrounds();
        let row =
            to_terminal_color(if focused { with_keys } else { without }, self.effective_depth()).map(|row| Style::new().bg(row));
        match (row, self.own_background(), focused) {
            // The whole row is turned over: what it tells by colour it tells by letters as well.
            (Some(row), Some(ground), true) if self.palette().background().is_some() => row.fg(ground),
            (Some(row), ..) => row,
            (None, _, true) => Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            (None, _, false) => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    /// Lays the scheme's own ground under a drawn frame, where it has one.
    pub fn paint_background(&self, buf: &mut Buffer) {
        let Some(ground) = self.own_background() else { return };
        let ink = self
            .style(TextRole::Text)
            .fg
            .filter(|ink| *ink != Color::Reset)
            .or(self.color_for_other_background(ColorPalette::foreground))
            .unwrap_or_default();
        for cell in &mut buf.content {
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
            if cell.fg == Color::Reset {
                cell.fg = ink;
            }
        }
    }

    fn palette(&self) -> ColorPalette {
        ColorPalette::for_scheme(self.scheme, self.background)
    }

    /// The colours that this scheme uses of those that there are.
    fn effective_depth(&self) -> ColorDepth {
        match (self.scheme, self.depth) {
            (ColorScheme::Terminal, ColorDepth::Indexed256 | ColorDepth::TrueColor) => ColorDepth::Ansi16,
            (_, depth) => depth,
        }
    }

    /// The ground that the scheme paints: its own, or the one it is for where the terminal's is the other.
    fn own_background(&self) -> Option<Color> {
        match self.palette().background() {
            Some(own) => self.color_at_depth(own),
            None => self.color_for_other_background(ColorPalette::recommended_background),
        }
    }

    /// What a scheme for one ground has to bring along on the other.
    fn color_for_other_background(&self, of: fn(ColorPalette) -> (u32, Color)) -> Option<Color> {
        let is_other = matches!(
            (self.scheme, self.background),
            (ColorScheme::Light, Background::Dark) | (ColorScheme::Dark, Background::Light)
        );
        is_other.then(|| self.color_at_depth(of(self.palette()))).flatten()
    }

    /// A shade or its name, by how many colours there are.
    fn color_at_depth(&self, (shade, named): (u32, Color)) -> Option<Color> {
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(named),
            depth => to_terminal_color(shade, depth),
        }
    }
}
