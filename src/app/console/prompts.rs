//! What becomes of a prompt's answer.

use super::Console;
use crate::app::prompt::PromptKind;

impl Console {
    pub(super) fn answer_prompt(&mut self, kind: PromptKind, text: &str) {
        match kind {
            PromptKind::FindRecords if text.is_empty() => {}
            PromptKind::FindRecords => {
                self.cx.last_find = text.to_owned();
                self.cx.find_record(true);
            }
            PromptKind::ExportPath => self.cx.export_to_file(text),
            PromptKind::Pane(prompt) => self.panes.on_prompt(prompt, text, &mut self.cx),
        }
    }
}
