//! Records a client's requests in the store: costs in the ledger, writes in the journal.

use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use super::journal::Journal;
use super::ledger::Ledger;
use crate::domain::WorkspaceId;
use crate::domain::budgets::{BudgetExceeded, Enforcement};
use crate::domain::clock_skew::measure_clock_skew;
use crate::domain::credits::RequestCost;
use crate::domain::journal::{self, OutgoingWrite, RequestSummary, WriteCounts, WriteProgress};

/// Asks whether a request that exceeds a soft budget may be sent.
pub type ConfirmSpend =
    Arc<dyn Fn(BudgetExceeded) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// How to change a budget.
const BUDGET_HINT: &str = "change it with gantry credits budget, or b on the Credits screen";

/// The recorder of one change.
pub struct StoreRecorder {
    pub store: Store,
    pub ledger: Ledger,
    pub journal: Journal,
    /// The id of the command, or the verb.
    pub reason: String,
    /// The change.
    pub op: Uuid,
    /// This machine's clock.
    pub now: fn() -> DateTime<Utc>,
    /// Asks about soft budgets; `None` if the person has already been asked.
    pub confirm_spend: Option<ConfirmSpend>,
    /// Shows each finished request.
    pub show_request: Option<fn(&RequestSummary<'_>)>,
    /// The changes that share its one write, if it has several.
    pub shares: Vec<Share>,
}

/// A change's share of a write: journaled as a write of its own.
pub struct Share {
    op: Uuid,
    /// How many of the write's signals are its.
    items: usize,
    write: Uuid,
}

impl Store {
    pub fn recorder(
        &self,
        meter: &str,
        workspace: Option<WorkspaceId>,
        reason: &str,
        op: Uuid,
        now: fn() -> DateTime<Utc>,
    ) -> StoreRecorder {
        let (ledger, journal) = (
            self.ledger(meter, workspace),
            self.journal(meter, workspace),
        );
        let store = self.clone();
        StoreRecorder {
            store,
            ledger,
            journal,
            reason: reason.to_owned(),
            op,
            now,
            confirm_spend: None,
            show_request: None,
            shares: Vec::new(),
        }
    }
}

impl StoreRecorder {
    /// The recorder of one triage that several changes share; their signals follow each other.
    pub fn shared_by(self, changes: Vec<(Uuid, usize)>) -> StoreRecorder {
        let share = |(op, items)| Share {
            op,
            items,
            write: Uuid::now_v7(),
        };
        let shares = if changes.len() > 1 {
            changes.into_iter().map(share).collect()
        } else {
            Vec::new()
        };
        StoreRecorder { shares, ..self }
    }

    /// The write as the journal has it: once, or the share of each change.
    fn split_write(&self, write: OutgoingWrite) -> Vec<(Uuid, OutgoingWrite)> {
        if self.shares.is_empty() {
            return vec![(self.op, write)];
        }
        let mut rest = write.signal_ids().iter();
        let mut share = |share: &Share| {
            let ids = rest.by_ref().take(share.items).cloned().collect();
            (share.op, write.with_signal_ids(share.write, ids))
        };
        self.shares.iter().map(&mut share).collect()
    }

    /// The writes of the journal that record this one, each with its number of items if it is a
    /// share.
    fn journaled_writes(&self, write: Uuid) -> Vec<(Uuid, Option<usize>)> {
        match self.shares.as_slice() {
            [] => vec![(write, None)],
            shares => shares
                .iter()
                .map(|share| (share.write, Some(share.items)))
                .collect(),
        }
    }

    fn reserve(
        &self,
        asked: RequestCost,
        asks: Option<ConfirmSpend>,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let budgets = self.ledger.budgets();
        if budgets.is_empty() {
            journal::RequestRecorder::record_cost(self, asked);
            return Box::pin(std::future::ready(Ok(())));
        }
        let (ledger, op, reason, at) = (
            self.ledger.clone(),
            self.op,
            self.reason.clone(),
            (self.now)(),
        );
        Box::pin(async move {
            let unsent = RequestCost {
                credits: Some(0),
                ..asked.clone()
            };
            let passed = ledger.reserve(at, &reason, op, asked, budgets).await;
            match (
                passed.map_err(|error| format!("the budget cannot be checked: {error}"))?,
                asks,
            ) {
                (Some(passed), _) if passed.kind.0 == Enforcement::Hard => {
                    Err(format!("{passed}; {BUDGET_HINT}"))
                }
                (Some(passed), Some(asks)) if !asks(passed).await => {
                    ledger.record(at, &reason, op, unsent);
                    Err(format!("{passed}, over your budget"))
                }
                _ => Ok(()),
            }
        })
    }
}

impl journal::RequestRecorder for StoreRecorder {
    fn show_request(&self, request: &RequestSummary<'_>) {
        if let Some(show) = self.show_request {
            show(request);
        }
    }

    fn before_read(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, self.confirm_spend.clone())
    }

    fn before_retry(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, None)
    }

    fn record_service_time(&self, date: DateTime<Utc>) {
        self.store
            .set_clock_skew(measure_clock_skew(date, (self.now)()));
    }

    fn record_cost(&self, spending: RequestCost) {
        self.ledger
            .record((self.now)(), &self.reason, self.op, spending);
    }

    fn before_write(
        &self,
        write: OutgoingWrite,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let (journal, reason, at) = (self.journal.clone(), self.reason.clone(), (self.now)());
        let writes = self.split_write(write);
        Box::pin(async move {
            journal
                .record_sends(&reason, at, writes)
                .await
                .map_err(|error| error.to_string())
        })
    }

    fn record_response(&self, write: Uuid, counts: WriteCounts) {
        let all = self.shares.iter().map(|share| share.items as u64).sum();
        for (write, items) in self.journaled_writes(write) {
            let counts = items.map_or(counts.clone(), |items| counts.of_share(items as u64, all));
            self.journal.record_response(write, counts);
        }
    }

    fn record_outcome(&self, write: Uuid, progress: WriteProgress, why: Option<String>) {
        for (write, _) in self.journaled_writes(write) {
            self.journal
                .record_outcome(write, progress.clone(), why.clone());
        }
    }
}
