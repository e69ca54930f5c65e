//! How threads are drawn: the rows of a project are indented under its heading; one line stands for
//! rows that are not loaded.

use crate::app::format;
use crate::app::model::queue::{QueueLine, QueueTabState};
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
                Some(QueueLine::Row(_)) => {}
                Some(QueueLine::Thread {
                    size, open: true, ..
                }) => {
                    left = size.saturating_sub(top - above - 1);
                    break;
                }
                _ => break,
            }
        }
        Branches { left }
    }

    /// The branch of the next line; `None` for a heading and for a row without one.
    pub(super) fn next_line(&mut self, line: QueueLine, theme: &Theme) -> Option<&'static str> {
        let glyphs = theme.glyphs();
        match line {
            QueueLine::Thread {
                size, open: true, ..
            } => self.left = size,
            QueueLine::Row(_) if self.left > 0 => {
                self.left -= 1;
                return Some(if self.left > 0 {
                    glyphs.branch
                } else {
                    glyphs.last_branch
                });
            }
            _ => self.left = 0,
        }
        None
    }
}
