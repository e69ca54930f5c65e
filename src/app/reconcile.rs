//! Verifies interrupted triage: the result is read, never guessed.
//!
//! An interrupted write may or may not have been applied. When the service responds again, the list that the signals came from is
//! read page by page until each is found there (not applied: it stays marked) or the list ends (applied: it leaves).

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::Context;
use super::effect::{Effect, ServiceCall, Slot};
use super::format::{format_count, pluralize};
use super::msg::{Reply, payload};
use super::notice::Notice;
use super::requests::Request;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab, TriageStatus};
use crate::domain::request_error::RequestError;

/// Pages read before the check gives up: ten thousand rows.
const MAX_RECONCILE_PAGES: u32 = 50;

/// The check that is due or in progress.
#[derive(Clone, Debug, Default)]
pub struct TriageReconciliation {
    from: Option<QueueTab>,
    missing: HashSet<SignalId>,
    found: HashSet<SignalId>,
    applied_count: usize,
    /// Until then, what was not applied is sent again automatically.
    pub retry_until: Option<DateTime<Utc>>,
    offset: u32,
    /// The check of the other list, after this one.
    next: Option<Box<TriageReconciliation>>,
}

/// Signals of an interrupted triage that are being sent again. Until that is done the journal keeps the first attempt open;
/// otherwise a crash in between would lose it.
pub type RetriedTriage = Option<(TriageStatus, Vec<SignalId>)>;

impl TriageReconciliation {
    fn add_unknown(&mut self, from: QueueTab, unknown: &[SignalId], applied: usize) -> &mut TriageReconciliation {
        if self.from.is_some_and(|other| other != from) {
            return self.next.get_or_insert_default().add_unknown(from, unknown, applied);
        }
        self.from = Some(from);
        self.missing.extend(unknown);
        self.applied_count += applied;
        self
    }

    /// Ends this check; the other list's becomes due.
    fn take_current(&mut self) -> TriageReconciliation {
        let next = self.next.take().map(|next| *next).unwrap_or_default();
        std::mem::replace(self, next)
    }
}

impl Context {
    /// Adds signals that came from `from` and whose state is unknown, and how many of the same triage were certainly applied.
    /// Returns the check they belong to. They may be on a page that was already checked, so it begins again.
    pub(super) fn add_unknown_triage(
        &mut self,
        from: QueueTab,
        unknown: &[SignalId],
        applied: usize,
    ) -> &mut TriageReconciliation {
        self.requests.abandon(&Slot::Reconcile);
        self.reconciliation.add_unknown(from, unknown, applied)
    }

    /// Starts the check when one is due and no triage is in progress.
    pub fn reconcile_if_due(&mut self) {
        if self.reconciliation.from.is_some()
            && !self.requests.is_open(|request| matches!(request, Request::Reconcile))
            && self.pending_triages.in_flight.is_empty()
        {
            self.reconciliation.offset = 0;
            self.reconciliation.missing.extend(std::mem::take(&mut self.reconciliation.found));
            self.request_reconcile_page();
        }
    }

    fn request_reconcile_page(&mut self) {
        let Some(from) = self.reconciliation.from else { return };
        let filter = QueueFilter { status: [from.status()].into(), ..QueueFilter::default() };
        let call = ServiceCall::Queue { filter, offset: self.reconciliation.offset, limit: MAX_QUEUE_PAGE_ROWS };
        self.call_service(Slot::Reconcile, call, Request::Reconcile);
    }

    /// Takes a page of the check. After a failure the next poll starts it again.
    pub(super) fn on_reconcile_reply(&mut self, result: Result<Reply, RequestError>) {
        let Ok(page) = payload::<Page<QueueSignal>>(result) else { return };
        for row in &page.rows {
            if self.reconciliation.missing.remove(&row.signal.id) {
                self.reconciliation.found.insert(row.signal.id);
            }
        }
        self.reconciliation.offset += u32::try_from(page.rows.len() + page.unreadable).unwrap_or(MAX_QUEUE_PAGE_ROWS);
        let ended = page.rows.is_empty() || page.total.is_some_and(|total| u64::from(self.reconciliation.offset) >= total);
        let lacks = page.rows.is_empty() && page.total.is_some_and(|total| u64::from(self.reconciliation.offset) < total);
        if lacks && !self.reconciliation.missing.is_empty() {
            self.reconciliation.take_current();
            self.notice = Some(Notice::warning(
                "the service sent an incomplete list, so the result is unknown; repeating the action is safe",
            ));
        } else if self.reconciliation.missing.is_empty() || ended {
            self.finish_reconciliation();
        } else if self.reconciliation.offset < MAX_RECONCILE_PAGES * MAX_QUEUE_PAGE_ROWS {
            self.request_reconcile_page();
        } else {
            self.reconciliation.take_current();
            self.notice = Some(Notice::warning("Too many signals to verify. Repeating the action is safe."));
        }
    }

    /// The retry is done, and with it the first attempt.
    pub(super) fn finish_retried_triage(&mut self) {
        if let Some((status, not_gone)) = self.retried_triage.take() {
            self.effects.push(Effect::JournalReconciled { status, applied: Vec::new(), not_applied: not_gone });
        }
    }

    fn finish_reconciliation(&mut self) {
        let TriageReconciliation { from, missing, found, applied_count: applied, retry_until: again, .. } =
            self.reconciliation.take_current();
        let Some(from) = from else { return };
        let gone: Vec<SignalId> = missing.into_iter().collect();
        let not_gone: Vec<SignalId> = found.iter().copied().collect();
        let status = from.other().status();
        let again = again.is_some_and(|until| self.now <= until) && !not_gone.is_empty() && !self.session.read_only;
        let known = if again { Vec::new() } else { not_gone.clone() };
        self.effects.push(Effect::JournalReconciled { status: status.clone(), applied: gone.clone(), not_applied: known });
        let tab = self.queue.tab_state_mut(from);
        tab.unconfirmed.clear();
        for id in &gone {
            tab.marks.remove(id);
        }
        tab.preserve_cursor(|list| {
            list.remove_rows(&gone);
        });
        self.queue.new.stale = true;
        self.queue.done.stale = true;
        let verb = if from == QueueTab::New { "done" } else { "back to New" };
        let settled = applied + gone.len();
        let text = match found.len() {
            0 => format!("checked: all {} {verb}", pluralize(settled, "signal")),
            left => {
                format!(
                    "checked: {} {verb}, {} not changed, still marked",
                    format_count(settled as u64),
                    format_count(left as u64)
                )
            }
        };
        if again {
            self.retried_triage = Some((status, not_gone.clone()));
            self.triage_now(from, not_gone);
            return;
        }
        self.flush_outbox();
        self.notice = Some(if found.is_empty() {
            Notice::success(text)
        } else {
            Notice::warning(text).with_hint("{queue.done} resends them")
        });
    }
}
