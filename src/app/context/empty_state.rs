//! Placeholders for empty areas: loading, failed, or a hint.
//!
//! Never here: which of these applies. Each pane knows that of its own rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::ui::{TextRole, TextSpan, paint, text_span};

impl Context {
    /// Draws a message and what to do next; each `{command.id}` in `hints` becomes that command's
    /// key.
    pub(in crate::app) fn draw_message(
        &self,
        buf: &mut Buffer,
        area: Rect,
        what: &[TextSpan<'_>],
        hints: &[&str],
    ) {
        let what = what.iter().map(|line| vec![line.clone()]);
        let hints = hints
            .iter()
            .map(|hint| self.keymap.expand_keys_styled(TextRole::Muted, hint));
        paint::draw_centered_message(
            buf,
            area,
            &what.chain(hints).collect::<Vec<_>>(),
            &self.settings.theme,
        );
    }

    /// Draws what failed and why; `hint` names the key that retries.
    pub(in crate::app) fn draw_error(
        &self,
        buf: &mut Buffer,
        area: Rect,
        what: &str,
        why: &str,
        hint: &str,
    ) {
        self.draw_message(
            buf,
            area,
            &[
                text_span(TextRole::Error, what),
                text_span(TextRole::Text, why),
            ],
            &[hint],
        );
    }
}
