//! The check of triages whose outcome is unknown: the list that the signals came from is read page
//! by page until each is found there (not applied) or the list ends (applied).

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::effect::ServiceCall;
use crate::app::outbox::pending_write::{Outcome, PendingWrite};
use crate::app::outbox::undo_history::StepCause;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab};

/// Pages read before the check gives up: ten thousand rows.
const MAX_RECONCILE_PAGES: u32 = 50;

/// How a check goes on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconcileProgress {
    /// The next page is needed.
    Reading,
    Done,
    /// The service sent fewer rows than it counts.
    Incomplete,
    TooLong,
}

/// A triage whose outcome is unknown.
#[derive(Clone, Debug)]
pub struct UnknownTriage {
    pub triage: PendingWrite,
    /// How what was not applied is sent again; `None` when the user decides that.
    pub resend: Option<Resend>,
}

/// How a triage that was interrupted when an earlier run ended is sent again.
#[derive(Clone, Debug)]
pub struct Resend {
    /// Its journal entry.
    pub op: Uuid,
    /// Later, a colleague may have decided otherwise.
    pub until: DateTime<Utc>,
    /// The signals that nobody has triaged since.
    pub ids: HashSet<SignalId>,
}

/// The check that is due or in progress.
#[derive(Clone, Debug, Default)]
pub struct Reconciliation {
    from: Option<QueueTab>,
    missing: HashSet<SignalId>,
    found: HashSet<SignalId>,
    /// The triages that were sent. Other signals waited for the service.
    triages: Vec<UnknownTriage>,
    offset: u32,
    /// The check of the other list, after this one.
    next: Option<Box<Reconciliation>>,
}

impl Reconciliation {
    /// Adds signals that came from `from`. They may be on a page that was already read, so the
    /// check has to begin again.
    pub fn add_signals(&mut self, from: QueueTab, ids: &[SignalId]) {
        self.check_of(from).missing.extend(ids);
    }

    fn check_of(&mut self, from: QueueTab) -> &mut Reconciliation {
        if self.from.is_some_and(|other| other != from) {
            return self.next.get_or_insert_default().check_of(from);
        }
        self.from = Some(from);
        self
    }

    /// Leaves out signals that came from `from`: their triage was taken back.
    pub fn drop_signals(&mut self, from: QueueTab, ids: &[SignalId]) {
        match &mut self.next {
            _ if self.from == Some(from) => {
                self.missing.retain(|id| !ids.contains(id));
                self.found.retain(|id| !ids.contains(id));
            }
            Some(next) => next.drop_signals(from, ids),
            None => {}
        }
    }

    /// Adds the signals of a triage whose outcome is unknown.
    pub fn add_triage(&mut self, triage: PendingWrite, resend: Option<Resend>) {
        if let Some(from) = triage.signals().map(|signals| signals.from) {
            let check = self.check_of(from);
            check
                .missing
                .extend(triage.signals_where(|outcome| matches!(outcome, Outcome::Unknown(_))));
            check.triages.push(UnknownTriage { triage, resend });
        }
    }

    /// Whether something may be sent again after the check.
    pub fn may_resend(&self, now: DateTime<Utc>) -> bool {
        let may_resend = |unknown: &UnknownTriage| {
            unknown
                .resend
                .as_ref()
                .is_some_and(|resend| now <= resend.until)
        };
        self.triages.iter().any(may_resend)
            || self.next.as_ref().is_some_and(|next| next.may_resend(now))
    }

    pub fn is_due(&self) -> bool {
        self.from.is_some()
    }

    /// Begins again with the first page.
    pub fn restart(&mut self) {
        self.offset = 0;
        self.missing.extend(std::mem::take(&mut self.found));
    }

    /// The call that reads the next page.
    pub fn call(&self) -> Option<ServiceCall> {
        let filter = QueueFilter::with_status(self.from?.status());
        Some(ServiceCall::Queue {
            filter,
            offset: self.offset,
            limit: MAX_QUEUE_PAGE_ROWS,
        })
    }

    pub fn insert_page(&mut self, page: &Page<QueueSignal>) -> ReconcileProgress {
        for row in &page.rows {
            let (id, marked_at) = (row.signal.id, row.triaged_time());
            if self.missing.remove(&id) {
                self.found.insert(id);
            }
            // An undo or redo asks; an act gives way.
            for UnknownTriage { triage, resend } in &mut self.triages {
                if triage.cause() == StepCause::New
                    && marked_at.is_some_and(|at| at > triage.started_at())
                {
                    resend
                        .iter_mut()
                        .for_each(|resend| resend.ids.retain(|other| *other != id));
                }
            }
        }
        self.offset +=
            u32::try_from(page.rows.len() + page.unreadable).unwrap_or(MAX_QUEUE_PAGE_ROWS);
        let is_end = page
            .total
            .is_some_and(|total| u64::from(self.offset) >= total);
        let is_short = page.rows.is_empty() && page.total.is_some() && !is_end;
        match () {
            () if self.missing.is_empty() => ReconcileProgress::Done,
            () if is_short => ReconcileProgress::Incomplete,
            () if page.rows.is_empty() || is_end => ReconcileProgress::Done,
            () if self.offset < MAX_RECONCILE_PAGES * MAX_QUEUE_PAGE_ROWS => {
                ReconcileProgress::Reading
            }
            () => ReconcileProgress::TooLong,
        }
    }

    /// Ends this check; the other list's becomes due.
    pub fn take_current(&mut self) -> FinishedReconciliation {
        let next = self.next.take().map(|next| *next).unwrap_or_default();
        let Reconciliation {
            from,
            missing,
            found,
            triages,
            ..
        } = std::mem::replace(self, next);
        FinishedReconciliation {
            from: from.unwrap_or_default(),
            applied: missing.into_iter().collect(),
            not_applied: found.into_iter().collect(),
            triages,
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct FinishedReconciliation {
    /// The list that was read.
    pub from: QueueTab,
    /// The signals that are no longer in it.
    pub applied: Vec<SignalId>,
    /// The signals that still are.
    pub not_applied: Vec<SignalId>,
    pub triages: Vec<UnknownTriage>,
}
