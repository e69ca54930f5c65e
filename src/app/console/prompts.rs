//! What becomes of a prompt's answer.

use super::{Console, find, list_table};
use crate::app::prompt::PromptKind;

impl Console {
    pub(super) fn answer_prompt(&mut self, kind: PromptKind, text: &str) {
        match kind {
            PromptKind::Find => find::submit(&mut self.panes, text, &mut self.cx),
            PromptKind::MarkMatches => find::mark_matches(&mut self.panes, text, &mut self.cx),
            PromptKind::Bookmark => self.cx.open_bookmark(text),
            PromptKind::ListSort => list_table::sort(&mut self.panes, text, &mut self.cx),
            PromptKind::SnoozeUntil => self.cx.snooze_until(text),
            PromptKind::ExportPath => self.cx.export_to_file(text),
            PromptKind::Pane(prompt) => self.panes.on_prompt(prompt, text, &mut self.cx),
        }
    }
}
