//! Drafts: unsent input, saved on this machine as it is typed, and handed back after any exit.
//!
//! After each message everyone who takes input saves it under a name of its own; the runtime
//! throttles the disk writes. A draft is offered where it was typed and never applied
//! automatically.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::book::Dataset;
use crate::domain::drafts::{Draft, OUTBOX_DRAFT};

pub(super) const RESUME_HINT: &str = "{go.typed} resumes it";

/// What was typed. As text it is the name on disk.
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
    /// A list that is being imported.
    ListImport,
    Outbox,
    /// The notes of calls.
    Calls,
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
            DraftName::ListImport => f.write_str("list import"),
            DraftName::Outbox => f.write_str(OUTBOX_DRAFT),
            DraftName::Calls => f.write_str("calls"),
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
            ("list import", _) => DraftName::ListImport,
            (OUTBOX_DRAFT, _) => DraftName::Outbox,
            ("calls", _) => DraftName::Calls,
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
        RestoredDrafts(
            drafts
                .into_iter()
                .filter_map(|draft| Some((DraftName::parse(&draft.name)?, draft)))
                .collect(),
        )
    }

    pub fn iter(&self) -> impl Iterator<Item = &(DraftName, Draft)> {
        self.0.iter()
    }

    /// The content of a draft, unless another console has it open or a different version wrote it
    /// in another format.
    pub fn content<T: DeserializeOwned>(&self, name: &DraftName) -> Option<T> {
        let (_, draft) = self
            .iter()
            .find(|(known, draft)| known == name && !draft.is_open_elsewhere)?;
        T::deserialize(&draft.content).ok()
    }
}

#[derive(Clone, Debug, Default)]
pub struct DraftStore {
    /// Whether they survive the program.
    pub is_persistent: bool,
    /// The drafts on disk that are this console's.
    pub(in crate::app) saved: BTreeMap<DraftName, Value>,
}

impl DraftStore {
    /// Takes what earlier runs left.
    pub fn restore(&mut self, drafts: &RestoredDrafts, is_persistent: bool) {
        self.is_persistent = is_persistent;
        for (name, draft) in drafts.iter().filter(|(_, draft)| !draft.is_open_elsewhere) {
            // What was typed since the start is newer.
            self.saved
                .entry(name.clone())
                .or_insert_with(|| draft.content.clone());
        }
    }
}
