//! The service as seen by the runtime: one trait, so that event loop, executor and poller can be
//! tested without a network.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::watch;
use uuid::Uuid;

use crate::app::effect::{ConnectTarget, ServiceCall, Slot, StoredFactsQuery};
use crate::app::msg::{ConnectedService, Reply, StoredFacts};
use crate::domain::SignalId;
use crate::domain::budgets::Budgets;
use crate::domain::certificate::CertificateChange;
use crate::domain::description::Description;
use crate::domain::export::{ExportProgress, ExportRequest};
use crate::domain::health::Health;
use crate::domain::journal::{JournalChange, JournalEntry};
use crate::domain::named_searches::NamedSearch;
use crate::domain::promises::PromisingNote;
use crate::domain::queue::{QueueSnapshot, QueueStats, TriageStatus};
use crate::domain::request_error::RequestError;
use crate::domain::runs::{SavedRowsChange, SavedSearchRun};
use crate::domain::snooze::Snooze;

/// Export progress callback.
pub type ProgressFn = Box<dyn Fn(ExportProgress) + Send + Sync>;

pub type BackendFuture<T> = BoxFuture<'static, Result<T, RequestError>>;

/// Why a call is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallContext {
    /// The id of the command, or the kind of event.
    pub reason: &'static str,
    /// The change its calls belong to.
    pub op: Uuid,
    /// The changes that share a triage, in order, and how many of its signals are of each.
    pub shares: Vec<(Uuid, usize)>,
}

impl CallContext {
    /// The context of a call, given the change of each slot.
    pub fn new(
        reason: &'static str,
        slot: &Slot,
        call: &ServiceCall,
        op_of: impl Fn(&Slot) -> Option<Uuid>,
    ) -> CallContext {
        let op = |slot: &Slot| op_of(slot).unwrap_or_else(Uuid::now_v7);
        let shares = match call {
            ServiceCall::Triage { acts, .. } => acts
                .iter()
                .map(|(slot, count)| (op(slot), *count))
                .collect(),
            _ => Vec::new(),
        };
        CallContext {
            reason,
            op: op(slot),
            shares,
        }
    }
}

/// Data saved on this machine for the next session.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalWrite {
    /// A draft by name, with its time; `None` deletes it.
    Draft(String, DateTime<Utc>, Option<Value>),
    /// The part of a change that was applied.
    AppliedChange {
        op: Uuid,
        change: JournalChange,
        /// Nothing of what an earlier run began of it is unknown any more.
        settles_interrupted: bool,
    },
    /// The queue as shown.
    Queue(Box<QueueSnapshot>),
    /// What was read, with the time.
    Cached(CacheEntry, DateTime<Utc>),
    /// Snoozes that began or changed, and the signals whose snoozes ended.
    Snoozes(Vec<Snooze>, Vec<SignalId>),
    /// The note of a record that promises something, or did.
    Promises(Box<PromisingNote>),
    /// The budgets that apply from now on.
    Budgets(Budgets),
}

/// What was read from the service, or changed in it since.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheEntry {
    /// A search that was run, and the index of the first row included.
    SearchRun(Box<SavedSearchRun>, usize),
    RowsChange(SavedRowsChange),
    /// What the payload of a signal says.
    Description(SignalId, Description),
    /// Whether the meter proved that reading a signal is free.
    FreeSignalReads(bool),
    /// A saved search by its name; `None` deletes it.
    NamedSearch(String, Option<Box<NamedSearch>>),
}

/// A service.
pub trait Backend: Send + Sync + 'static {
    /// Makes any call except `Connect`; the context goes to the ledger and the journal.
    fn call(self: Arc<Self>, call: ServiceCall, why: CallContext) -> BackendFuture<Reply>;

    /// Records a change before its calls are made.
    fn record_entry(&self, _: JournalEntry) {}

    /// Records what was read of signals after an interrupted triage: those that have `status`, and
    /// those that do not.
    fn record_reconciliation(
        &self,
        _status: TriageStatus,
        _gone: Vec<SignalId>,
        _not_gone: Vec<SignalId>,
    ) {
    }

    /// Saves something for the next session.
    fn save_local(&self, _: LocalWrite) {}

    /// What this machine knows of signals from earlier sessions.
    fn load_facts(self: Arc<Self>, _: StoredFactsQuery) -> BoxFuture<'static, StoredFacts> {
        Box::pin(std::future::ready(StoredFacts::default()))
    }

    /// The snoozes on this machine; `None` if they cannot be read.
    fn load_snoozes(self: Arc<Self>) -> BoxFuture<'static, Option<Vec<Snooze>>> {
        Box::pin(std::future::ready(None))
    }

    /// The counts of the queue, and the service's clock if it reported it.
    fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)>;

    /// The connection's health, as it changes.
    fn health(&self) -> watch::Receiver<Health> {
        watch::Sender::new(Health::Connecting).subscribe()
    }

    /// Writes rows to a file and reports progress.
    fn export(
        self: Arc<Self>,
        export: ExportRequest,
        why: CallContext,
        _told: ProgressFn,
    ) -> BackendFuture<Reply> {
        self.call(ServiceCall::Export(Box::new(export)), why)
    }

    /// Notices about this machine, each returned once.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why a write was not sent: it could not be journaled. Returned once.
    fn take_journal_error(&self) -> Option<String> {
        None
    }

    /// Allows writes to be sent without being journaled.
    fn allow_unjournaled_writes(&self) {}

    /// The person asked to try again: a rejected credential may be sent once more.
    fn retry_credential(&self) {}

    /// No more calls follow: saves pending data and shuts down a service inside this process.
    /// Returns lines for the person.
    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// A connected service, and what the console shows of it.
#[derive(Clone)]
pub struct BackendConnection {
    pub backend: Arc<dyn Backend>,
    pub service: ConnectedService,
}

impl BackendConnection {
    pub fn new(backend: Arc<dyn Backend>, label: impl Into<String>) -> BackendConnection {
        BackendConnection {
            backend,
            service: ConnectedService {
                label: label.into(),
                ..ConnectedService::default()
            },
        }
    }
}

/// What came of connecting to a target.
#[derive(Clone)]
pub enum ConnectOutcome {
    Connected(BackendConnection),
    /// Nothing was sent: a person has to compare the fingerprint first.
    UnknownCertificate {
        change: CertificateChange,
        reason: String,
    },
}

/// Connects to the service that the console starts with; `None` if there is none.
pub type InitialConnectFn = Box<dyn Fn() -> Option<BackendFuture<BackendConnection>> + Send>;

/// Connects to a target.
pub type ConnectFn = Arc<dyn Fn(ConnectTarget) -> BackendFuture<ConnectOutcome> + Send + Sync>;
