//! The store as a client's recorder: what its requests take goes to the ledger, what it writes to the journal.

use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use super::journal::Journal;
use super::ledger::Ledger;
use crate::domain::WorkspaceId;
use crate::domain::budgets::{Force, Passed};
use crate::domain::credits::Spending;
use crate::domain::journal::{self, Outgoing, Progress, WriteCounts};

/// Says whether a spend that passes a soft budget may go on.
pub type Asks = Arc<dyn Fn(Passed) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// How a budget is changed.
const CHANGED: &str = "gantry credits budget changes it, or b on the Credits screen";

/// The recorder of one act.
pub struct Recorder {
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
    pub asks: Option<Asks>,
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
    ) -> Recorder {
        let (ledger, journal) = (self.ledger(meter, workspace), self.journal(meter, workspace));
        Recorder { ledger, journal, reason: reason.to_owned(), op, now, asks: None }
    }
}

impl Recorder {
    fn reserve(&self, asked: Spending, asks: Option<Asks>) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let budgets = self.ledger.budgets();
        if budgets.is_empty() {
            journal::Recorder::spent(self, asked);
            return Box::pin(std::future::ready(Ok(())));
        }
        let (ledger, op, reason, at) = (self.ledger.clone(), self.op, self.reason.clone(), (self.now)());
        Box::pin(async move {
            let unsent = Spending { credits: Some(0), ..asked.clone() };
            let passed = ledger.reserve(at, &reason, op, asked, budgets).await;
            match (passed.map_err(|error| format!("the budget cannot be looked up: {error}"))?, asks) {
                (Some(passed), _) if passed.kind.0 == Force::Hard => Err(format!("{passed}; {CHANGED}")),
                (Some(passed), Some(asks)) if !asks(passed).await => {
                    ledger.book(at, &reason, op, unsent);
                    Err(format!("{passed}, which was not wanted"))
                }
                _ => Ok(()),
            }
        })
    }
}

impl journal::Recorder for Recorder {
    fn spending(&self, asked: Spending) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, self.asks.clone())
    }

    fn repeating(&self, asked: Spending) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.reserve(asked, None)
    }

    fn spent(&self, spending: Spending) {
        self.ledger.book((self.now)(), &self.reason, self.op, spending);
    }

    fn sending(&self, write: Outgoing) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let (journal, op, reason, at) = (self.journal.clone(), self.op, self.reason.clone(), (self.now)());
        Box::pin(async move { journal.sending(op, &reason, at, write).await.map_err(|error| error.to_string()) })
    }

    fn answered(&self, write: Uuid, counts: WriteCounts) {
        self.journal.answered(write, counts);
    }

    fn settled(&self, write: Uuid, progress: Progress, why: Option<String>) {
        self.journal.settled(write, progress, why);
    }
}
