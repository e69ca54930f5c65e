//! The one place that decides colours and glyphs.
//!
//! A widget asks for a [`Role`]; the theme answers with a style. Every role can be told apart without colour too, by a
//! letter in the text or by bold, dim and reverse, so that [`Palette::None`] loses nothing but comfort.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// Which colours there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// None.
    None,
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

/// The glyphs of the console, in Unicode or in ASCII.
#[derive(Clone, Copy, Debug)]
pub struct Glyphs {
    /// Before the row that the cursor is on.
    pub cursor: &'static str,
    /// Before a marked row.
    pub marked: &'static str,
    /// Before a row that arrived while one looked.
    pub fresh: &'static str,
    /// Before a row whose state is unknown.
    pub unknown: &'static str,
    /// The end of a text that was cut.
    pub cut: &'static str,
    /// A value that is not known.
    pub none: &'static str,
    /// Between facts on one line.
    pub dot: &'static str,
    /// Between a place and its part.
    pub into: &'static str,
    /// From what was to what will be.
    pub arrow: &'static str,
    /// An open thread.
    pub open: &'static str,
    /// A closed thread.
    pub closed: &'static str,
    /// An entry of a timeline.
    pub node: &'static str,
    /// The entry of a timeline that one came from.
    pub here: &'static str,
    /// A View that is a favorite.
    pub favorite: &'static str,
    /// A column that sorts from the least on.
    pub up: &'static str,
    /// A column that sorts from the most on.
    pub down: &'static str,
    /// A vertical rule.
    pub wall: &'static str,
    /// What hides a secret's characters.
    pub secret: char,
}

const UNICODE: Glyphs = Glyphs {
    cursor: "▌",
    marked: "●",
    fresh: "+",
    unknown: "?",
    cut: "…",
    none: "–",
    dot: "·",
    into: "›",
    arrow: "→",
    open: "▾",
    closed: "▸",
    node: "○",
    here: "●",
    favorite: "★",
    up: "▴",
    down: "▾",
    wall: "│",
    secret: '•',
};

const ASCII: Glyphs = Glyphs {
    cursor: ">",
    marked: "*",
    fresh: "+",
    unknown: "?",
    cut: "..",
    none: "-",
    dot: "-",
    into: ">",
    arrow: "->",
    open: "v",
    closed: ">",
    node: "o",
    here: "*",
    favorite: "*",
    up: "^",
    down: "v",
    wall: "|",
    secret: '*',
};

const ASCII_BORDER: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// How everything looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Theme {
    /// The colours.
    pub palette: Palette,
    /// Glyphs in ASCII.
    pub ascii: bool,
}

impl Theme {
    /// The glyphs.
    pub fn glyphs(&self) -> &'static Glyphs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// The corners and sides of a panel.
    pub fn border(&self) -> border::Set<'static> {
        if self.ascii { ASCII_BORDER } else { border::ROUNDED }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let emphasis = match role {
            Role::Strong | Role::Key | Role::High | Role::Bad | Role::Marked => Modifier::BOLD,
            Role::Chosen => Modifier::BOLD | Modifier::UNDERLINED,
            _ => Modifier::empty(),
        };
        let Some(shade) = self.shade(role) else {
            let dim = matches!(role, Role::Muted | Role::Faint | Role::Low);
            return Style::new().add_modifier(if dim { Modifier::DIM } else { emphasis });
        };
        let style = Style::new().add_modifier(if role == Role::Chosen { Modifier::BOLD } else { emphasis });
        // Ordinary text has the terminal's own colour, also where a border was before it.
        let plain = role == Role::Text || role == Role::Strong;
        style.fg(if plain { Color::Reset } else { Color::Indexed(shade) })
    }

    /// What lies over the row that the cursor is on; fainter where the keys go elsewhere.
    pub fn cursor_row(&self, focused: bool) -> Style {
        match (self.palette, focused) {
            (Palette::Dark, true) => Style::new().bg(Color::Indexed(237)),
            (Palette::Dark, false) => Style::new().bg(Color::Indexed(235)),
            (Palette::Light, true) => Style::new().bg(Color::Indexed(253)),
            (Palette::Light, false) => Style::new().bg(Color::Indexed(255)),
            (Palette::None, true) => Style::new().add_modifier(Modifier::REVERSED),
            (Palette::None, false) => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    fn shade(&self, role: Role) -> Option<u8> {
        let (dark, light) = match role {
            Role::Text | Role::Strong => (252, 235),
            Role::Muted => (246, 242),
            Role::Faint => (240, 249),
            Role::Focus | Role::Chosen => (80, 25),
            Role::Key => (80, 25),
            Role::High => (209, 160),
            Role::Medium => (179, 130),
            Role::Low => (109, 66),
            Role::Fresh | Role::Good => (114, 28),
            Role::Marked => (222, 94),
            Role::Warn => (221, 130),
            Role::Bad => (203, 160),
        };
        match self.palette {
            Palette::Dark => Some(dark),
            Palette::Light => Some(light),
            Palette::None => None,
        }
    }
}
