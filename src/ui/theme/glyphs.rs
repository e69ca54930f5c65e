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
    pub new_row: &'static str,
    /// Before a row whose state is unknown.
    pub unknown: &'static str,
    /// The end of a text that was cut.
    pub ellipsis: &'static str,
    /// A value that is not known.
    pub missing: &'static str,
    /// Between facts on one line.
    pub separator: &'static str,
    /// Between a place and its part.
    pub breadcrumb: &'static str,
    /// From what was to what will be.
    pub arrow: &'static str,
    /// An open thread.
    pub expanded: &'static str,
    /// A closed thread.
    pub collapsed: &'static str,
    /// An entry of a timeline.
    pub timeline_entry: &'static str,
    /// The entry of a timeline that one came from.
    pub timeline_current: &'static str,
    /// A View that is a favorite.
    pub favorite: &'static str,
    /// A column that sorts from the least on.
    pub sort_ascending: &'static str,
    /// A column that sorts from the most on.
    pub sort_descending: &'static str,
    /// A vertical rule.
    pub vertical_rule: &'static str,
    /// What hides a secret's characters.
    pub mask: char,
}

pub(super) const UNICODE_GLYPHS: Glyphs = Glyphs {
    cursor: "▌",
    marked: "●",
    new_row: "+",
    unknown: "?",
    ellipsis: "…",
    missing: "–",
    separator: "·",
    breadcrumb: "›",
    arrow: "→",
    expanded: "▾",
    collapsed: "▸",
    timeline_entry: "○",
    timeline_current: "●",
    favorite: "★",
    sort_ascending: "▴",
    sort_descending: "▾",
    vertical_rule: "│",
    mask: '•',
};

pub(super) const ASCII_GLYPHS: Glyphs = Glyphs {
    cursor: ">",
    marked: "*",
    new_row: "+",
    unknown: "?",
    ellipsis: "..",
    missing: "-",
    separator: "-",
    breadcrumb: ">",
    arrow: "->",
    expanded: "v",
    collapsed: ">",
    timeline_entry: "o",
    timeline_current: "*",
    favorite: "*",
    sort_ascending: "^",
    sort_descending: "v",
    vertical_rule: "|",
    mask: '*',
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
