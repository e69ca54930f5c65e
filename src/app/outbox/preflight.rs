//! Checks before undo and redo, and which signals a triage changed: what is read, and for what.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::outbox::attribution::AttributionCheck;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::queue::{QueueFilter, QueueSignal};

/// Pages of the queue that are searched: a thousand rows.
pub const MAX_PREFLIGHT_PAGES: u32 = 5;
/// The largest difference between two clocks that still counts as the same time.
pub const CLOCK_TOLERANCE: Duration = Duration::seconds(30);

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

/// The narrowest filter that matches all of these signals, which are now in the list of one status.
pub fn filter_for_signals(rows: &[(SignalId, Option<QueueSignal>)], filter: QueueFilter) -> QueueFilter {
    let kind = |(_, row): &(_, Option<QueueSignal>)| row.as_ref()?.signal.signal_type.clone();
    let kinds = rows.iter().map(kind).collect::<Option<_>>().unwrap_or_default();
    // A single signal is searched for by its filing.
    let q = match rows {
        [(_, Some(row))] => row.signal.source_filing_id.clone().unwrap_or_default(),
        _ => String::new(),
    };
    QueueFilter { signal_type: kinds, q, ..filter }
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
