//! What becomes of a prompt's answer.

use super::{Console, find, frequency, row_values, shown_rows};
use crate::app::list_change::ListChange;
use crate::app::model::completion::split_last_word;
use crate::app::prompt::PromptKind;

impl Console {
    /// Completes the last word in the prompt; what is not known yet is not requested.
    pub(super) fn complete_word(&mut self, is_forward: bool) {
        let Some(prompt) = &self.cx.ui.prompt else {
            return;
        };
        let text = prompt.text();
        let (_, word) = split_last_word(&text);
        let words = match prompt.kind {
            PromptKind::Pane(prompt) => self.panes.complete_word(prompt, word, &self.cx),
            _ => Vec::new(),
        };
        self.cx.ui.complete_word(is_forward, words);
    }

    pub(super) fn answer_prompt(&mut self, kind: PromptKind, text: &str) {
        match kind {
            PromptKind::Find => find::submit(&mut self.panes, text, &mut self.cx),
            PromptKind::MarkMatches => find::mark_matches(&mut self.panes, text, &mut self.cx),
            PromptKind::FilterValue => {
                row_values::filter_by_value(&mut self.panes, text, &mut self.cx)
            }
            PromptKind::MarkValue => row_values::mark_value(&mut self.panes, text, &mut self.cx),
            PromptKind::Sort => {
                let change = ListChange::Sort(text);
                self.panes.change_list(change, &mut self.cx);
            }
            PromptKind::FrequencyColumn => frequency::show(&self.panes, text, false, &mut self.cx),
            PromptKind::GroupColumn => frequency::group(&mut self.panes, Some(text), &mut self.cx),
            PromptKind::PutOffUntil => self.cx.put_off_until(text),
            PromptKind::CopiedColumn => shown_rows::copy_column(&self.panes, text, &mut self.cx),
            PromptKind::ShownExportPath(format) => {
                shown_rows::export(&self.panes, format, text, &mut self.cx)
            }
            PromptKind::ExportPath => self.cx.export_to_file(text),
            PromptKind::Pane(prompt) => self.panes.on_prompt(prompt, text, &mut self.cx),
        }
    }
}
