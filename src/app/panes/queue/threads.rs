//! How threads are drawn: the rows of a project are indented under its heading; one line stands for
//! rows that are not loaded.

use crate::app::format;
use crate::app::model::line_order::Line;
use crate::app::model::queue::QueueTabState;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

/// The line that stands for rows that are not loaded.
pub(super) fn gap_line(size: usize, is_current: bool, theme: &Theme) -> Vec<TextSpan<'static>> {
    let glyphs = theme.glyphs();
    let rows = format::pluralize(size, "row");
    let words = format!("  {} {rows} not loaded", glyphs.ellipsis);
    vec![
        glyphs.cursor_span(is_current),
        text_span(TextRole::Muted, words),
    ]
}

/// The branch before each visible row of an open thread, from the first visible line on.
pub(super) struct Branches {
    /// How many rows of the thread above are still to come.
    left: usize,
}

impl Branches {
    pub(super) fn from_line(tab: &QueueTabState, top: usize) -> Branches {
        let mut left = 0;
        for above in (0..top).rev() {
            match tab.line_at(above).filter(|_| tab.is_grouped()) {
                Some(Line::Row(_)) => {}
                line => {
                    let rows_below = line.map_or(0, |line| rows_below(tab, line));
                    left = rows_below.saturating_sub(top - above - 1);
                    break;
                }
            }
        }
        Branches { left }
    }

    /// The branch of the next line; `None` for a heading and for a row without one.
    pub(super) fn next_line(
        &mut self,
        tab: &QueueTabState,
        line: Line,
        theme: &Theme,
    ) -> Option<&'static str> {
        let glyphs = theme.glyphs();
        match line {
            Line::Row(_) if self.left > 0 => {
                self.left -= 1;
                return Some(if self.left > 0 {
                    glyphs.branch
                } else {
                    glyphs.last_branch
                });
            }
            line => self.left = rows_below(tab, line),
        }
        None
    }
}

/// How many rows stand below a heading.
fn rows_below(tab: &QueueTabState, line: Line) -> usize {
    let open = tab.group_on(line).filter(|group| group.is_open);
    open.map_or(0, |group| group.rows.len())
}
