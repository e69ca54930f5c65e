//! Drafts: unsent input, saved on this machine as it is typed, and handed back after any exit.
//!
//! After each message everyone who takes input saves it under a name of its own; the runtime throttles the disk writes. A draft
//! is offered where it was typed and never applied automatically.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Context;
use super::effect::Effect;
use super::prompt::{Prompt, PromptKind};
use crate::domain::book::Dataset;
use crate::domain::drafts::Draft;

pub(super) const RESUME_HINT: &str = "{go.typed} resumes it";

/// What was typed. As text it is the name on disk, which earlier versions wrote too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftName {
    /// An annotation form, by the time it was begun.
    Annotation(i64),
    /// Explore's builder.
    Builder,
    /// A question in plain words.
    Question(Dataset),
    /// The conditions of a search, as text.
    Conditions(Dataset),
    /// The conditions of the filter over a list, as text.
    ListConditions,
    /// The words that filter a list.
    ListWords,
    ViewName,
    InvitationAddress,
    Subscriptions,
    Skills,
    Export,
    Outbox,
}

impl fmt::Display for DraftName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DraftName::Annotation(begun) => write!(f, "sheet {begun}"),
            DraftName::Builder => f.write_str("explore"),
            DraftName::Question(dataset) => write!(f, "ask {dataset}"),
            DraftName::Conditions(dataset) => write!(f, "conditions {dataset}"),
            DraftName::ListConditions => f.write_str("line"),
            DraftName::ListWords => f.write_str("words"),
            DraftName::ViewName => f.write_str("view name"),
            DraftName::InvitationAddress => f.write_str("invite"),
            DraftName::Subscriptions => f.write_str("subscriptions"),
            DraftName::Skills => f.write_str("skills"),
            DraftName::Export => f.write_str("export"),
            DraftName::Outbox => f.write_str("held"),
        }
    }
}

impl DraftName {
    /// Parses a name from disk; `None` when it is unknown.
    pub fn parse(name: &str) -> Option<DraftName> {
        Some(match (name, name.split_once(' ')) {
            ("explore", _) => DraftName::Builder,
            ("line", _) => DraftName::ListConditions,
            ("words", _) => DraftName::ListWords,
            ("view name", _) => DraftName::ViewName,
            ("invite", _) => DraftName::InvitationAddress,
            ("subscriptions", _) => DraftName::Subscriptions,
            ("skills", _) => DraftName::Skills,
            ("export", _) => DraftName::Export,
            ("held", _) => DraftName::Outbox,
            (_, Some(("sheet", begun))) => DraftName::Annotation(begun.parse().ok()?),
            (_, Some(("ask", dataset))) => DraftName::Question(dataset.into()),
            (_, Some(("conditions", dataset))) => DraftName::Conditions(dataset.into()),
            _ => return None,
        })
    }
}

/// The drafts that earlier runs left, the oldest first.
#[derive(Clone, Debug)]
pub struct RestoredDrafts(Vec<(DraftName, Draft)>);

impl RestoredDrafts {
    pub fn new(drafts: Vec<Draft>) -> RestoredDrafts {
        RestoredDrafts(drafts.into_iter().filter_map(|draft| Some((DraftName::parse(&draft.name)?, draft))).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &(DraftName, Draft)> {
        self.0.iter()
    }

    /// The content of a draft, unless another console has it open or a different version wrote it in another format.
    pub fn content<T: DeserializeOwned>(&self, name: &DraftName) -> Option<T> {
        let (_, draft) = self.iter().find(|(known, draft)| known == name && !draft.is_open_elsewhere)?;
        T::deserialize(&draft.content).ok()
    }
}

#[derive(Clone, Debug, Default)]
pub struct DraftStore {
    /// Whether they survive the program.
    pub is_persistent: bool,
    /// The drafts on disk that are this console's.
    saved: BTreeMap<DraftName, Value>,
}

impl DraftStore {
    /// Takes what earlier runs left.
    pub fn restore(&mut self, drafts: &RestoredDrafts, is_persistent: bool) {
        self.is_persistent = is_persistent;
        for (name, draft) in drafts.iter().filter(|(_, draft)| !draft.is_open_elsewhere) {
            // What was typed since the start is newer.
            self.saved.entry(name.clone()).or_insert_with(|| draft.content.clone());
        }
    }
}

impl Context {
    /// Saves a draft unless it is saved already; `None` deletes it.
    pub(super) fn save_draft<T: Serialize>(&mut self, name: &DraftName, content: Option<&T>) {
        let content = content.and_then(|content| serde_json::to_value(content).ok());
        if self.drafts.saved.get(name) == content.as_ref() {
            return;
        }
        match &content {
            Some(content) => self.drafts.saved.insert(name.clone(), content.clone()),
            None => self.drafts.saved.remove(name),
        };
        self.effects.push(Effect::SaveDraft { name: name.to_string(), content });
    }

    pub(super) fn delete_draft(&mut self, name: &DraftName) {
        self.save_draft::<()>(name, None);
    }

    /// Takes back what was typed outside the panes.
    pub(super) fn restore_drafts(&mut self, drafts: &RestoredDrafts) {
        self.restore_outbox(drafts);
        self.restore_export(drafts);
    }

    /// Saves what was typed outside the panes.
    pub(super) fn save_drafts(&mut self) {
        self.save_outbox();
        self.save_prompt();
    }

    fn save_prompt(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let Some((name, default_text)) = prompt.draft.clone() else { return };
        let text = prompt.text();
        let is_new = !text.trim().is_empty() && text != default_text;
        self.save_draft(&name, is_new.then_some(&text));
    }

    /// Opens a prompt with its draft, or else with its default text.
    pub(super) fn open_prompt(&mut self, label: &'static str, kind: PromptKind, name: DraftName, default_text: &str) {
        let text = self.drafts.saved.get(&name).and_then(Value::as_str).unwrap_or(default_text);
        let prompt = Prompt::new(label, text, kind);
        self.prompt = Some(Prompt { draft: Some((name, default_text.to_owned())), ..prompt });
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
        ];
        for name in names {
            assert_eq!(DraftName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        assert_eq!(DraftName::parse("of a later version"), None);
    }
}
