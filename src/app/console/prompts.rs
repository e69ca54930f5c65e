//! What becomes of a prompt's answer.

use super::Console;
use crate::app::panes::views::commands::create_view_named;
use crate::app::prompt::PromptKind;

impl Console {
    pub(super) fn answer_prompt(&mut self, purpose: PromptKind, text: &str) {
        match purpose {
            PromptKind::FindSignals | PromptKind::FindRecords if text.is_empty() => {}
            PromptKind::FindSignals => {
                self.last_find = text.to_owned();
                self.panes.queue.find(true, &mut self.cx);
            }
            PromptKind::FindRecords => {
                self.last_find = text.to_owned();
                self.find_record(true);
            }
            PromptKind::ExportPath => self.export_to_file(text),
            PromptKind::ViewName => create_view_named(text, &mut self.cx),
            PromptKind::Explore(prompt) => self.panes.explore.on_prompt(prompt, text, &mut self.cx),
            PromptKind::Feed(prompt) => self.panes.feed.on_prompt(prompt, text, &mut self.cx),
            PromptKind::Team(prompt) => self.panes.team.on_prompt(prompt, text, &mut self.cx),
            PromptKind::Skills(prompt) => self.panes.skills.on_prompt(prompt, text, &mut self.cx),
            PromptKind::Credits(prompt) => self.panes.credits.on_prompt(prompt, text, &mut self.cx),
        }
    }
}
