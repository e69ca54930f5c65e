//! Writes to the book, to Views, to favorites and to the workspace's settings as a person means them: part by part, each with what takes it back.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ViewId;
use super::book::{Annotation, Shelf};
use super::members::Act;
use super::signals::SignalType;
use super::skills::Order;
use super::subscriptions::Staged;
use super::views::Draft;

/// What is written on one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A record's annotation; puts it in the book.
    Annotate(Shelf, Uuid, Annotation),
    /// A record leaves the book.
    Forget(Shelf, Uuid),
    /// A record becomes a member of a Static View.
    Add(ViewId, Uuid),
    /// A record is no longer a member of a Static View.
    Remove(ViewId, Uuid),
    /// A View becomes a favorite, or none.
    Favorite(ViewId, bool),
    /// A View is made or changed.
    SaveView(Draft),
    /// A View is deleted.
    DeleteView(ViewId),
    /// A type of signal is subscribed to, otherwise, or not at all.
    Subscription(SignalType, Staged),
    /// Somebody's access changes.
    Team(Act),
    /// A Skill is made or changed.
    Skill(Order),
}

/// A part, and what takes it back; nothing for what cannot be undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// What is written.
    pub forward: Part,
    /// What takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Part>,
}

impl Part {
    /// The record that it is about.
    pub fn record(&self) -> Option<Uuid> {
        match self {
            Part::Annotate(_, id, _) | Part::Forget(_, id) | Part::Add(_, id) | Part::Remove(_, id) => Some(*id),
            Part::Favorite(..)
            | Part::SaveView(_)
            | Part::DeleteView(_)
            | Part::Subscription(..)
            | Part::Team(_)
            | Part::Skill(_) => None,
        }
    }

    /// Doing it twice is not doing it once: a second mail goes out, or somebody's answer to the first is written over.
    pub fn is_once(&self) -> bool {
        matches!(self, Part::Team(Act::Invite { .. } | Act::SetRole(..) | Act::Remove(_)))
    }
}

/// Changes that were applied, told the other way round, the last one first; those that cannot be taken back are left out.
pub fn turned(changes: Vec<Change>) -> Vec<Change> {
    let turn = |change: Change| change.back.map(|back| Change { forward: back, back: Some(change.forward) });
    changes.into_iter().rev().filter_map(turn).collect()
}
