//! Glyphs other than letters, in Unicode and in ASCII.

use ratatui::symbols::border;

#[derive(Clone, Copy, Debug)]
pub struct Glyphs {
    /// Before the row with the cursor.
    pub cursor: &'static str,
    /// Before a marked row.
    pub marked: &'static str,
    /// Before a row that arrived since the console opened.
    pub new_row: &'static str,
    /// Before a row that is back from its snooze.
    pub returned_row: &'static str,
    /// Before a row whose state is unknown.
    pub unknown: &'static str,
    /// Before a row whose change waits for the service.
    pub waiting: &'static str,
    /// The end of a truncated text.
    pub ellipsis: &'static str,
    /// An unknown value.
    pub missing: &'static str,
    /// Between facts on one line.
    pub separator: &'static str,
    /// Between a place and its part.
    pub breadcrumb: &'static str,
    /// Tabs or columns are hidden on this side.
    pub hidden_left: &'static str,
    pub hidden_right: &'static str,
    /// From an old value to a new one.
    pub arrow: &'static str,
    pub expanded: &'static str,
    pub collapsed: &'static str,
    pub timeline_entry: &'static str,
    /// Before a row under a heading.
    pub branch: &'static str,
    /// Before the last of them.
    pub last_branch: &'static str,
    /// The entry of a timeline that the user came from.
    pub timeline_current: &'static str,
    pub favorite: &'static str,
    /// After a row that stands for the same filing as another.
    pub duplicate: &'static str,
    /// A column sorted in ascending order.
    pub sort_ascending: &'static str,
    /// A column sorted in descending order.
    pub sort_descending: &'static str,
    pub vertical_rule: &'static str,
    /// Replaces the characters of a secret.
    pub mask: char,
}

pub(super) const UNICODE_GLYPHS: Glyphs = Glyphs {
    cursor: "▌",
    marked: "●",
    new_row: "+",
    returned_row: "↩",
    unknown: "?",
    waiting: "○",
    ellipsis: "…",
    missing: "–",
    separator: "·",
    breadcrumb: "›",
    hidden_left: "‹",
    hidden_right: "›",
    arrow: "→",
    expanded: "▾",
    collapsed: "▸",
    timeline_entry: "○",
    branch: "├",
    last_branch: "└",
    timeline_current: "●",
    favorite: "★",
    duplicate: "≡",
    sort_ascending: "▴",
    sort_descending: "▾",
    vertical_rule: "│",
    mask: '•',
};

pub(super) const ASCII_GLYPHS: Glyphs = Glyphs {
    cursor: ">",
    marked: "*",
    new_row: "+",
    returned_row: "<",
    unknown: "?",
    waiting: "o",
    ellipsis: "..",
    missing: "-",
    separator: "-",
    breadcrumb: ">",
    hidden_left: "<",
    hidden_right: ">",
    arrow: "->",
    expanded: "v",
    collapsed: ">",
    timeline_entry: "o",
    branch: "|",
    last_branch: "`",
    timeline_current: "*",
    favorite: "*",
    duplicate: "=",
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
