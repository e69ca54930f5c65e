//! What is drawn besides letters, in Unicode and in ASCII.

use ratatui::symbols::border;

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

pub(super) const UNICODE: Glyphs = Glyphs {
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

pub(super) const ASCII: Glyphs = Glyphs {
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

pub(super) const ASCII_BORDER: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
