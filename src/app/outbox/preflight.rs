//! Checks before undo and redo, and which signals a triage changed: what is read, and for what.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::outbox::attribution::AttributionCheck;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::queue::QueueFilter;

/// A check of a step's signals.
#[derive(Clone, Debug)]
pub struct PreflightRead {
    pub action: Action,
    pub done_at: DateTime<Utc>,
    pub filter: QueueFilter,
    pub offset: u32,
    /// Signals not found yet, with their names.
    pub missing: BTreeMap<SignalId, String>,
    pub conflicts: Vec<String>,
}

/// Settings that are read before undo or redo.
#[derive(Clone, Debug)]
pub struct SettingsPreflight {
    /// The reads without a reply.
    pub unread: Vec<UndoRequest>,
    pub action: Action,
}

/// A check of what is to be undone.
#[derive(Clone, Debug)]
pub enum UndoRequest {
    /// Rows of the queue.
    Signals(Box<PreflightRead>),
    /// A record of the book.
    Record(RecordKind, Uuid),
    Members,
    Subscriptions,
    /// Which signals of a triage changed.
    Attribution(Box<AttributionCheck>),
}
