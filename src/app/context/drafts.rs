//! Saves what is typed, and opens the prompts that take it back.

use serde::Serialize;
use serde_json::Value;

use crate::app::Context;
use crate::app::context::{Ui, Work};
use crate::app::drafts::{DraftName, DraftStore, RestoredDrafts};
use crate::app::effect::Effect;
use crate::app::prompt::{Prompt, PromptKind};

impl DraftStore {
    /// Saves a draft unless it is saved already; `None` deletes it.
    pub(in crate::app) fn save_draft<T: Serialize>(
        &mut self,
        name: &DraftName,
        content: Option<&T>,
        work: &mut Work,
    ) {
        let content = content.and_then(|content| serde_json::to_value(content).ok());
        if self.saved.get(name) == content.as_ref() {
            return;
        }
        match &content {
            Some(content) => self.saved.insert(name.clone(), content.clone()),
            None => self.saved.remove(name),
        };
        work.emit(Effect::SaveDraft {
            name: name.to_string(),
            content,
        });
    }

    pub(in crate::app) fn delete_draft(&mut self, name: &DraftName, work: &mut Work) {
        self.save_draft::<()>(name, None, work);
    }

    /// Whether drafts survive the program.
    pub(in crate::app) fn has_persistent_drafts(&self) -> bool {
        self.is_persistent
    }

    /// Opens a prompt with its draft, or else with its default text.
    pub(in crate::app) fn open_prompt(
        &self,
        label: &'static str,
        kind: impl Into<PromptKind>,
        name: DraftName,
        default_text: &str,
        ui: &mut Ui,
    ) {
        let text = self
            .saved
            .get(&name)
            .and_then(Value::as_str)
            .unwrap_or(default_text);
        let prompt = Prompt::new(label, text, kind);
        ui.prompt = Some(Prompt {
            draft: Some((name, default_text.to_owned())),
            ..prompt
        });
    }
}

impl Context {
    /// Takes back what was typed outside the panes.
    pub(in crate::app) fn restore_drafts(&mut self, drafts: &RestoredDrafts, is_persistent: bool) {
        self.drafts.restore(drafts, is_persistent);
        self.restore_outbox(drafts);
        self.exports.restore_export(drafts);
        self.calls.restore_calls(drafts, &mut self.ui);
    }

    /// Saves what was typed outside the panes.
    pub(in crate::app) fn save_drafts(&mut self) {
        self.save_outbox();
        self.save_call_drafts();
        self.save_prompt();
    }

    fn save_prompt(&mut self) {
        let Some(prompt) = &self.ui.prompt else {
            return;
        };
        let Some((name, default_text)) = prompt.draft.clone() else {
            return;
        };
        let text = prompt.text();
        let is_new = !text.trim().is_empty() && text != default_text;
        self.drafts
            .save_draft(&name, is_new.then_some(&text), &mut self.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_names_are_read_back_as_earlier_versions_wrote_them() {
        let names = [
            "sheet 1783587614000000",
            "explore",
            "ask projects",
            "conditions accounts",
            "line",
            "words",
            "view name",
            "invite",
            "subscriptions",
            "skills",
            "export",
            "held",
            "calls",
        ];
        for name in names {
            assert_eq!(
                DraftName::parse(name)
                    .map(|name| name.to_string())
                    .as_deref(),
                Some(name)
            );
        }
        assert_eq!(DraftName::parse("of a later version"), None);
    }
}
