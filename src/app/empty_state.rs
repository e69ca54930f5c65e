//! What an area says that has no rows: that they are being read, why they could not be, what would bring some.
//!
//! Never here: which of these holds. Each pane knows that of its own rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::App;
use crate::ui::{TextRole, TextSpan, paint, text_span};

impl App {
    /// Says in an empty area what is the matter, and what can be done: in `hints`, `{command}` stands for that command's key.
    pub(in crate::app) fn draw_message(&self, buf: &mut Buffer, area: Rect, what: &[TextSpan<'_>], hints: &[&str]) {
        let what = what.iter().map(|line| vec![line.clone()]);
        let hints = hints.iter().map(|hint| self.keymap.expand_keys_styled(TextRole::Muted, hint));
        paint::draw_centered_message(buf, area, &what.chain(hints).collect::<Vec<_>>(), &self.theme());
    }

    /// Says that what belongs there could not be read, and why; `hint` tells the key that tries again.
    pub(in crate::app) fn draw_error(&self, buf: &mut Buffer, area: Rect, what: &str, why: &str, hint: &str) {
        self.draw_message(buf, area, &[text_span(TextRole::Error, what), text_span(TextRole::Text, why)], &[hint]);
    }
}
