//! Writes to the book, Views, favorites and workspace settings, as intended by a person: part by
//! part, each with its undo.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ViewId;
use super::book::{Annotation, IcpTier, RecordKind};
use super::members::MemberAction;
use super::patch::Patch;
use super::records::RecordFields;
use super::signals::SignalType;
use super::skills::SkillCall;
use super::subscriptions::StagedChange;
use super::views::ViewDraft;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteOp {
    /// Writes a record's annotation; adds it to the book.
    Annotate(RecordKind, Uuid, Annotation),
    /// Removes a record from the book.
    Forget(RecordKind, Uuid),
    /// Adds a record to a Static View.
    Add(ViewId, Uuid),
    /// Removes a record from a Static View.
    Remove(ViewId, Uuid),
    /// Adds or removes a favorite.
    Favorite(ViewId, bool),
    /// Creates or changes a View.
    SaveView(ViewDraft),
    DeleteView(ViewId),
    /// Subscribes to a signal type, changes the subscription, or unsubscribes.
    Subscription(SignalType, StagedChange),
    /// Changes somebody's access.
    Team(MemberAction),
    /// Creates or changes a Skill.
    Skill(SkillCall),
}

/// A write and its undo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReversibleWrite {
    pub forward: WriteOp,
    /// `None` if it cannot be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<WriteOp>,
}

impl ReversibleWrite {
    /// An annotation of a record as it was just read; `before` is `None` if it was not in the book.
    pub fn annotate_record(
        kind: &RecordKind,
        id: Uuid,
        before: Option<&RecordFields>,
        after: Annotation,
    ) -> ReversibleWrite {
        let back = match before {
            Some(before) => WriteOp::Annotate(kind.clone(), id, earlier_values(before, &after)),
            None => WriteOp::Forget(kind.clone(), id),
        };
        ReversibleWrite {
            forward: WriteOp::Annotate(kind.clone(), id, after),
            back: Some(back),
        }
    }
}

/// What a record has in the fields that are written; what its answer leaves out is not known.
fn earlier_values(before: &RecordFields, written: &Annotation) -> Annotation {
    let patch = |name: &str, is_kept: bool| match before.text(name) {
        _ if is_kept || !before.contains_field(name) => Patch::Keep,
        Some(text) if !text.is_empty() => Patch::Set(text),
        _ => Patch::Clear,
    };
    let has_tags = written.tags.is_some() && before.contains_field("tags");
    let tags = || before.list("tags").into_iter().map(str::to_owned).collect();
    Annotation {
        workspace_status: patch("workspace_status", written.workspace_status.is_keep())
            .map(str::to_owned),
        notes: patch("notes", written.notes.is_keep()).map(str::to_owned),
        tags: has_tags.then(tags),
        icp_tier: patch("icp_tier", written.icp_tier.is_keep()).map(IcpTier::from),
    }
}

impl WriteOp {
    /// The record it concerns.
    pub fn record_id(&self) -> Option<Uuid> {
        match self {
            WriteOp::Annotate(_, id, _)
            | WriteOp::Forget(_, id)
            | WriteOp::Add(_, id)
            | WriteOp::Remove(_, id) => Some(*id),
            WriteOp::Favorite(..)
            | WriteOp::SaveView(_)
            | WriteOp::DeleteView(_)
            | WriteOp::Subscription(..)
            | WriteOp::Team(_)
            | WriteOp::Skill(_) => None,
        }
    }

    /// Repeating it has further effects: a second mail is sent, or somebody's reply to the first is
    /// overwritten.
    pub fn is_non_idempotent(&self) -> bool {
        matches!(
            self,
            WriteOp::Team(
                MemberAction::Invite { .. } | MemberAction::SetRole(..) | MemberAction::Remove(_)
            )
        )
    }
}

/// The inverse of applied changes, last one first; changes that cannot be undone are left out.
pub fn invert_writes(changes: Vec<ReversibleWrite>) -> Vec<ReversibleWrite> {
    let turn = |change: ReversibleWrite| {
        change.back.map(|back| ReversibleWrite {
            forward: back,
            back: Some(change.forward),
        })
    };
    changes.into_iter().rev().filter_map(turn).collect()
}
