//! Verifies interrupted triage: the result is read, never guessed.
//!
//! An interrupted write may or may not have been applied. When the service responds again, the list that the signals came from is
//! read page by page until each is found there (not applied: it stays marked) or the list ends (applied: it leaves).

use crate::app::Context;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::outbox::reconciliation::TriageReconciliation;
use crate::app::requests::Request;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab};
use crate::domain::request_error::RequestError;

/// Pages read before the check gives up: ten thousand rows.
const MAX_RECONCILE_PAGES: u32 = 50;

impl Context {
    /// Adds signals that came from `from` and whose state is unknown, and how many of the same triage were certainly applied.
    /// Returns the check they belong to. They may be on a page that was already checked, so it begins again.
    pub(in crate::app) fn add_unknown_triage(
        &mut self,
        from: QueueTab,
        unknown: &[SignalId],
        applied: usize,
    ) -> &mut TriageReconciliation {
        self.requests.abandon(&Slot::Reconcile);
        self.outbox.reconciliation.add_unknown(from, unknown, applied)
    }

    /// Starts the check when one is due and no triage is in progress.
    pub fn reconcile_if_due(&mut self) {
        if self.outbox.reconciliation.from.is_some()
            && !self.requests.is_open(|request| matches!(request, Request::Reconcile))
            && self.outbox.pending_triages.in_flight.is_empty()
        {
            self.outbox.reconciliation.offset = 0;
            self.outbox.reconciliation.missing.extend(std::mem::take(&mut self.outbox.reconciliation.found));
            self.request_reconcile_page();
        }
    }

    fn request_reconcile_page(&mut self) {
        let Some(from) = self.outbox.reconciliation.from else { return };
        let filter = QueueFilter { status: [from.status()].into(), ..QueueFilter::default() };
        let call = ServiceCall::Queue { filter, offset: self.outbox.reconciliation.offset, limit: MAX_QUEUE_PAGE_ROWS };
        self.call_service(Slot::Reconcile, call, Request::Reconcile);
    }

    /// Takes a page of the check. After a failure the next poll starts it again.
    pub(in crate::app) fn on_reconcile_reply(&mut self, result: Result<Reply, RequestError>) {
        let Ok(page) = payload::<Page<QueueSignal>>(result) else { return };
        for row in &page.rows {
            if self.outbox.reconciliation.missing.remove(&row.signal.id) {
                self.outbox.reconciliation.found.insert(row.signal.id);
            }
        }
        self.outbox.reconciliation.offset += u32::try_from(page.rows.len() + page.unreadable).unwrap_or(MAX_QUEUE_PAGE_ROWS);
        let ended = page.rows.is_empty() || page.total.is_some_and(|total| u64::from(self.outbox.reconciliation.offset) >= total);
        let lacks = page.rows.is_empty() && page.total.is_some_and(|total| u64::from(self.outbox.reconciliation.offset) < total);
        if lacks && !self.outbox.reconciliation.missing.is_empty() {
            self.outbox.reconciliation.take_current();
            self.notice = Some(Notice::warning(
                "the service sent an incomplete list, so the result is unknown; repeating the action is safe",
            ));
        } else if self.outbox.reconciliation.missing.is_empty() || ended {
            self.finish_reconciliation();
        } else if self.outbox.reconciliation.offset < MAX_RECONCILE_PAGES * MAX_QUEUE_PAGE_ROWS {
            self.request_reconcile_page();
        } else {
            self.outbox.reconciliation.take_current();
            self.notice = Some(Notice::warning("Too many signals to verify. Repeating the action is safe."));
        }
    }

    /// The retry is done, and with it the first attempt.
    pub(in crate::app) fn finish_retried_triage(&mut self) {
        if let Some((status, not_gone)) = self.outbox.retried_triage.take() {
            self.effects.push(Effect::JournalReconciled { status, applied: Vec::new(), not_applied: not_gone });
        }
    }

    fn finish_reconciliation(&mut self) {
        let TriageReconciliation { from, missing, found, applied_count: applied, retry_until: again, .. } =
            self.outbox.reconciliation.take_current();
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
        self.queue.mark_stale();
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
            self.outbox.retried_triage = Some((status, not_gone.clone()));
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
