//! Writes to the book, to Views, to favorites and to the workspace's settings as a person means them: part by part, each with what takes it back.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ViewId;
use super::book::{Annotation, RecordKind};
use super::members::MemberAction;
use super::signals::SignalType;
use super::skills::SkillCall;
use super::subscriptions::StagedChange;
use super::views::ViewDraft;

/// What is written on one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteOp {
    /// A record's annotation; puts it in the book.
    Annotate(RecordKind, Uuid, Annotation),
    /// A record leaves the book.
    Forget(RecordKind, Uuid),
    /// A record becomes a member of a Static View.
    Add(ViewId, Uuid),
    /// A record is no longer a member of a Static View.
    Remove(ViewId, Uuid),
    /// A View becomes a favorite, or none.
    Favorite(ViewId, bool),
    /// A View is made or changed.
    SaveView(ViewDraft),
    /// A View is deleted.
    DeleteView(ViewId),
    /// A type of signal is subscribed to, otherwise, or not at all.
    Subscription(SignalType, StagedChange),
    /// Somebody's access changes.
    Team(MemberAction),
    /// A Skill is made or changed.
    Skill(SkillCall),
}

/// A part, and what takes it back; nothing for what cannot be undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReversibleWrite {
    /// What is written.
    pub forward: WriteOp,
    /// What takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<WriteOp>,
}

impl WriteOp {
    /// The record that it is about.
    pub fn record_id(&self) -> Option<Uuid> {
        match self {
            WriteOp::Annotate(_, id, _) | WriteOp::Forget(_, id) | WriteOp::Add(_, id) | WriteOp::Remove(_, id) => Some(*id),
            WriteOp::Favorite(..)
            | WriteOp::SaveView(_)
            | WriteOp::DeleteView(_)
            | WriteOp::Subscription(..)
            | WriteOp::Team(_)
            | WriteOp::Skill(_) => None,
        }
    }

    /// Doing it twice is not doing it once: a second mail goes out, or somebody's answer to the first is written over.
    pub fn is_non_idempotent(&self) -> bool {
        matches!(self, WriteOp::Team(MemberAction::Invite { .. } | MemberAction::SetRole(..) | MemberAction::Remove(_)))
    }
}

/// Changes that were applied, told the other way round, the last one first; those that cannot be taken back are left out.
pub fn invert_writes(changes: Vec<ReversibleWrite>) -> Vec<ReversibleWrite> {
    let turn = |change: ReversibleWrite| change.back.map(|back| ReversibleWrite { forward: back, back: Some(change.forward) });
    changes.into_iter().rev().filter_map(turn).collect()
}
