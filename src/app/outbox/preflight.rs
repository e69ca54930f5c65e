//! Checks for undo and redo: what is read, and for what.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::effect::ServiceCall;
use crate::app::format::{format_count, pluralize};
use crate::app::model::signal_list::RemovedRow;
use crate::app::outbox::attribution::AttributionCheck;
use crate::app::outbox::signal_lookup::{MAX_PREFLIGHT_PAGES, filter_for_signals};
use crate::app::outbox::undo_history::TriagedSignals;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::pages::Page;
use crate::domain::person::Person;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab};

/// What is read so that nothing is undone that this user did not do, or that somebody changed
/// since.
#[derive(Clone, Debug)]
pub enum UndoRequest {
    /// Rows of the queue.
    Signals(Box<SignalsPreflight>),
    /// A record of the book.
    Record(RecordKind, Uuid),
    Members,
    Subscriptions,
    /// Which signals of a triage changed.
    Attribution(Box<AttributionCheck>),
}

/// A check whether a step's signals are still where it left them.
#[derive(Clone, Debug)]
pub struct SignalsPreflight {
    action: Action,
    done_at: DateTime<Utc>,
    filter: QueueFilter,
    offset: u32,
    is_end: bool,
    /// Signals not found yet, with their names.
    missing: BTreeMap<SignalId, String>,
    conflicts: Vec<String>,
}

impl SignalsPreflight {
    /// The check before `action`, which undoes or redoes this triage.
    pub fn new(
        action: Action,
        triage: &TriagedSignals,
        done_at: DateTime<Utc>,
    ) -> SignalsPreflight {
        let there = if matches!(action, Action::Undo(_)) {
            triage.from.other()
        } else {
            triage.from
        };
        let rows: Vec<_> = triage
            .rows
            .iter()
            .map(|row| (row.id, row.row.clone()))
            .collect();
        let project = |row: &RemovedRow| {
            row.row
                .as_ref()
                .and_then(|row| row.signal.project_name.clone())
        };
        let name = |row: &RemovedRow| project(row).unwrap_or_else(|| "a signal".to_owned());
        let before = if triage.from == QueueTab::New {
            "already Done"
        } else {
            "already New"
        };
        let uncertain = match (triage.uncertain_count, rows.len()) {
            (0, _) => None,
            // It shared a request with others.
            (_, 1) => Some(format!(
                "The signal may have been {before} before this change"
            )),
            (count, all) => Some(format!(
                "{} of these {} were {before} before this change; which ones is unknown",
                format_count(count),
                pluralize(all, "signal"),
            )),
        };
        SignalsPreflight {
            action,
            done_at,
            filter: filter_for_signals(&rows, QueueFilter::with_status(there.status())),
            offset: 0,
            is_end: false,
            missing: triage.rows.iter().map(|row| (row.id, name(row))).collect(),
            conflicts: uncertain.into_iter().collect(),
        }
    }

    pub fn action(&self) -> &Action {
        &self.action
    }

    pub fn call(&self) -> ServiceCall {
        ServiceCall::Queue {
            filter: self.filter.clone(),
            offset: self.offset,
            limit: MAX_QUEUE_PAGE_ROWS,
        }
    }

    /// Adds a page. `user_and_time` describes who triaged a signal when; `me` is the caller.
    pub fn insert_page(
        &mut self,
        page: &Page<QueueSignal>,
        me: Option<&Person>,
        user_and_time: impl Fn(Option<&Person>, Option<DateTime<Utc>>) -> String,
    ) {
        for row in &page.rows {
            let Some(name) = self.missing.remove(&row.signal.id) else {
                continue;
            };
            if row.is_marked_by_other(me, self.done_at) {
                let at = row.triaged_time();
                self.conflicts.push(format!(
                    "{name}: done by {}",
                    user_and_time(row.triaged_by.as_ref(), at)
                ));
            }
        }
        self.is_end = page.next_offset.is_none();
        self.offset = page.next_offset.unwrap_or(self.offset);
    }

    pub fn needs_next_page(&self) -> bool {
        !self.missing.is_empty()
            && !self.is_end
            && self.offset < MAX_PREFLIGHT_PAGES * MAX_QUEUE_PAGE_ROWS
    }

    /// What differs from what the step left, and the action that would overwrite it.
    pub fn finish(mut self) -> (Vec<String>, Action) {
        if !self.missing.is_empty() {
            let gone = pluralize(self.missing.len(), "signal");
            self.conflicts.push(if self.is_end {
                format!(
                    "{gone} no longer where you left {}",
                    if self.missing.len() == 1 {
                        "it"
                    } else {
                        "them"
                    }
                )
            } else {
                format!(
                    "{gone} not found in the first {} rows, so not checked",
                    format_count(u64::from(self.offset))
                )
            });
        }
        (self.conflicts, self.action)
    }
}
