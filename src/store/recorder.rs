//! The store as a client's recorder: what its requests take goes to the ledger, what it writes to the journal.

use std::pin::Pin;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use super::journal::Journal;
use super::ledger::Ledger;
use crate::domain::WorkspaceId;
use crate::domain::credits::Spending;
use crate::domain::journal::{self, Outgoing, Progress};

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
        Recorder { ledger, journal, reason: reason.to_owned(), op, now }
    }
}

impl journal::Recorder for Recorder {
    fn spent(&self, spending: Spending) {
        self.ledger.book((self.now)(), &self.reason, self.op, spending);
    }

    fn sending(&self, write: Outgoing) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        let (journal, op, reason, at) = (self.journal.clone(), self.op, self.reason.clone(), (self.now)());
        Box::pin(async move { journal.sending(op, &reason, at, write).await.map_err(|error| error.to_string()) })
    }

    fn settled(&self, write: Uuid, progress: Progress, why: Option<String>) {
        self.journal.settled(write, progress, why);
    }
}
