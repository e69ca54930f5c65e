//! The store as a client's recorder: what its requests take goes to the ledger, what it writes to the journal.

use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use super::journal::Journal;
use super::ledger::Ledger;
use crate::domain::WorkspaceId;
use crate::domain::budgets::{BudgetExceeded, Enforcement};
use crate::domain::credits::RequestCost;
use crate::domain::journal::{self, OutgoingWrite, WriteCounts, WriteProgress};

/// Says whether a spend that passes a soft budget may go on.
pub type ConfirmSpend = Arc<dyn Fn(BudgetExceeded) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// How a budget is changed.
const BUDGET_HINT: &str = "gantry credits budget changes it, or b on the Credits screen";

/// The recorder of one act.
pub struct StoreRecorder {
    /// Where credits are booked.
    pub ledger: Ledger,
    /// Where writes are.
    pub journal: Journal,
    /// The command's id, or the verb.
    pub reason: String,
    /// The act.
    pub op: Uuid,
    /// This machine's clock.
    pub now: fn() -> DateTime<Utc>,
    /// Who is asked about soft budgets; nobody where the question was asked already.
    pub confirm_spend: Option<ConfirmSpend>,
}

impl Store {
    /// The recorder of an act of this workspace behind this meter.
    pub fn recorder(
        &self,
        meter: &str,
        workspace: Option<WorkspaceId>,
        reason: &str,
        op: Uuid,
        now: fn() -> DateTime<Utc>,
    ) -> StoreRecorder {
        let (ledger, journal) = (self.ledger(meter, workspace), self.journal(meter, workspace));
        StoreRecorder { ledger, journal, reason: reason.to_owned(), op, now, confirm_spend: None }
    }
}

impl StoreRecorder {
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
        let (ledger, op, reason, at) = (self.ledger.clone(), self.op, self.reason.clone(), (self.now)());
        Box::pin(async move {
            let unsent = RequestCost { credits: Some(0), ..asked.clone() };
            let passed = ledger.reserve(at, &reason, op, asked, budgets).await;
            match (passed.map_err(|error| format!("the budget cannot be looked up: {error}"))?, asks) {
                (Some(passed), _) if passed.kind.0 == Enforcement::Hard => Err(format!("{passed}; {BUDGET_HINT}")),
                (Some(passed), Some(asks)) if !asks(passed).await => {
                    ledger.record(at, &reason, op, unsent);
                    Err(format!("{passed}, which was not wanted"))
                }
                _ => Ok(()),
            }
        })
    }
}

impl journal::RequestRecorder for StoreRecorder {
    fn before_read(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, self.confirm_spend.clone())
    }

    fn before_retry(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, None)
    }

    fn record_cost(&self, spending: RequestCost) {
        self.ledger.record((self.now)(), &self.reason, self.op, spending);
    }

    fn before_write(&self, write: OutgoingWrite) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let (journal, op, reason, at) = (self.journal.clone(), self.op, self.reason.clone(), (self.now)());
        Box::pin(async move { journal.record_send(op, &reason, at, write).await.map_err(|error| error.to_string()) })
    }

    fn record_response(&self, write: Uuid, counts: WriteCounts) {
        self.journal.record_response(write, counts);
    }

    fn record_outcome(&self, write: Uuid, progress: WriteProgress, why: Option<String>) {
        self.journal.record_outcome(write, progress, why);
    }
}
