//! The one place that decides colours and glyphs.
//!
//! A widget asks for a [`Role`]; the theme answers with a style: which colours the person wants ([`Scheme`]), what they lie on
//! ([`Ground`]), how many the terminal has ([`Depth`]). Every role can be told apart without colour too, by a letter in the text or
//! by bold, dim and reverse, so that [`Depth::None`] loses nothing but comfort.

mod colours;
mod glyphs;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use colours::{Palette, colour};
pub use glyphs::Glyphs;

/// Which colours the person wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
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
    ColourBlind,
    /// The terminal's own sixteen.
    Terminal,
}

impl Scheme {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Scheme; 6] =
        [Scheme::Auto, Scheme::Dark, Scheme::Light, Scheme::HighContrast, Scheme::ColourBlind, Scheme::Terminal];

    /// Its name on the screen and in what is kept.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Auto => "auto",
            Scheme::Dark => "dark",
            Scheme::Light => "light",
            Scheme::HighContrast => "high-contrast",
            Scheme::ColourBlind => "colour-blind",
            Scheme::Terminal => "terminal",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Scheme::Auto => "as the terminal's ground asks",
            Scheme::Dark => "for a dark ground",
            Scheme::Light => "for a light ground",
            Scheme::HighContrast => "black or white ground, 7 to 1",
            Scheme::ColourBlind => "no red against green",
            Scheme::Terminal => "the terminal's own sixteen",
        }
    }

    /// The scheme of this name.
    pub fn named(name: &str) -> Option<Scheme> {
        Scheme::ALL.into_iter().find(|scheme| scheme.name() == name)
    }
}

/// What the terminal draws on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Dark.
    #[default]
    Dark,
    /// Light.
    Light,
}

/// How many colours the terminal has, and may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: bold, dim and reverse only (`NO_COLOR`).
    None,
    /// Sixteen, whose shades are the terminal's own.
    Sixteen,
    /// 256.
    #[default]
    Many,
    /// 24 bits.
    Full,
}

/// What a text is, for its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
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
    Chosen,
    /// First priority.
    High,
    /// Second priority.
    Medium,
    /// Third priority.
    Low,
    /// Something new.
    Fresh,
    /// A record that the person marked.
    Marked,
    /// It went well.
    Good,
    /// It needs a look.
    Warn,
    /// It went wrong.
    Bad,
}

/// How everything looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Which colours.
    pub scheme: Scheme,
    /// What they lie on.
    pub ground: Ground,
    /// How many there are.
    pub depth: Depth,
    /// Glyphs in ASCII.
    pub ascii: bool,
}

impl Theme {
    /// The glyphs.
    pub fn glyphs(&self) -> &'static Glyphs {
        if self.ascii { &glyphs::ASCII } else { &glyphs::UNICODE }
    }

    /// The corners and sides of a panel. Where colours are not to be relied on, thick ones show which panel has the keys.
    pub fn border(&self, focused: bool) -> border::Set<'static> {
        match (self.ascii, focused && matches!(self.scheme, Scheme::HighContrast | Scheme::ColourBlind)) {
            (true, _) => glyphs::ASCII_BORDER,
            (false, true) => border::THICK,
            (false, false) => border::ROUNDED,
        }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let palette = self.palette();
        let colour = match self.shades() {
            Depth::None => None,
            Depth::Sixteen => Some(palette.named(role)),
            // Ordinary text has the terminal's own colour, also where a border was before it.
            shades => Some(palette.shade(role).and_then(|shade| colour(shade, shades)).unwrap_or_default()),
        };
        let mut weight = match role {
            Role::Strong | Role::Key | Role::High | Role::Bad | Role::Marked | Role::Chosen => Modifier::BOLD,
            _ => Modifier::empty(),
        };
        // What shades cannot tell where they are few.
        if self.shades() <= Depth::Sixteen && palette.ground().is_none() {
            weight |= match role {
                Role::Muted | Role::Faint | Role::Low => Modifier::DIM,
                Role::Chosen => Modifier::UNDERLINED,
                _ => Modifier::empty(),
            };
        }
        let style = Style::new().add_modifier(weight);
        colour.map_or(style, |colour| style.fg(colour))
    }

    /// What lies over the row that the cursor is on; fainter where the keys go elsewhere.
    pub fn cursor_row(&self, focused: bool) -> Style {
        let [with_keys, without] = self.palette().rows();
        let row = colour(if focused { with_keys } else { without }, self.shades()).map(|row| Style::new().bg(row));
        match (row, self.own_ground(), focused) {
            // The whole row is turned over: what it tells by colour it tells by letters as well.
            (Some(row), Some(ground), true) if self.palette().ground().is_some() => row.fg(ground),
            (Some(row), ..) => row,
            (None, _, true) => Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            (None, _, false) => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    /// Lays the scheme's own ground under a drawn frame, where it has one.
    pub fn lay_ground(&self, buf: &mut Buffer) {
        let Some(ground) = self.own_ground() else { return };
        let ink = self.style(Role::Text).fg.filter(|ink| *ink != Color::Reset).or(self.lent(Palette::ink)).unwrap_or_default();
        for cell in &mut buf.content {
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
            if cell.fg == Color::Reset {
                cell.fg = ink;
            }
        }
    }

    fn palette(&self) -> Palette {
        Palette::of(self.scheme, self.ground)
    }

    /// The colours that this scheme uses of those that there are.
    fn shades(&self) -> Depth {
        match (self.scheme, self.depth) {
            (Scheme::Terminal, Depth::Many | Depth::Full) => Depth::Sixteen,
            (_, depth) => depth,
        }
    }

    /// The ground that the scheme paints: its own, or the one it is for where the terminal's is the other.
    fn own_ground(&self) -> Option<Color> {
        match self.palette().ground() {
            Some(own) => self.as_deep(own),
            None => self.lent(Palette::meant_for),
        }
    }

    /// What a scheme for one ground has to bring along on the other.
    fn lent(&self, of: fn(Palette) -> (u32, Color)) -> Option<Color> {
        let is_other = matches!((self.scheme, self.ground), (Scheme::Light, Ground::Dark) | (Scheme::Dark, Ground::Light));
        is_other.then(|| self.as_deep(of(self.palette()))).flatten()
    }

    /// A shade or its name, by how many colours there are.
    fn as_deep(&self, (shade, named): (u32, Color)) -> Option<Color> {
        match self.depth {
            Depth::None => None,
            Depth::Sixteen => Some(named),
            depth => colour(shade, depth),
        }
    }
}
