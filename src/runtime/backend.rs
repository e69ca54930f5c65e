//! The service as the runtime asks it: one trait, so that loop, executor and polling task can be tried without a network.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::watch;
use uuid::Uuid;

use crate::app::effect::{ConnectTarget, ServiceCall};
use crate::app::export::{ExportProgress, ExportRequest};
use crate::app::msg::Reply;
use crate::domain::SignalId;
use crate::domain::health::Health;
use crate::domain::journal::{JournalChange, JournalEntry};
use crate::domain::queue::{QueueSnapshot, QueueStats, TriageStatus};
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedSearchRun;

/// Hears how far an export has come.
pub type ProgressFn = Box<dyn Fn(ExportProgress) + Send + Sync>;

/// An answer that is on its way.
pub type BackendFuture<T> = BoxFuture<'static, Result<T, RequestError>>;

/// Why something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallContext {
    /// The id of the command that ran, or what kind of thing happened.
    pub reason: &'static str,
    /// The act: its calls share it.
    pub op: Uuid,
}

/// What is kept on this machine for the time after this run of the program.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalWrite {
    /// What was typed under a name, and when; with nothing typed, it is dropped.
    Draft(String, DateTime<Utc>, Option<Value>),
    /// What of an act was applied.
    AppliedChange(Uuid, JournalChange),
    /// A search that was run, and the place of the first of its rows that come with it.
    SearchRun(Box<SavedSearchRun>, usize),
    /// The queue as it stands on the screen.
    Queue(Box<QueueSnapshot>),
}

/// A service that can be asked.
pub trait Backend: Send + Sync + 'static {
    /// One question or order, but not `Connect`; why it is asked is for the ledger and the journal.
    fn call(self: Arc<Self>, call: ServiceCall, why: CallContext) -> BackendFuture<Reply>;

    /// Writes an act down before its calls are asked.
    fn record_entry(&self, _: JournalEntry) {}

    /// Writes down what was read of signals whose triage broke off: those that had gone to `status`, and those that had not.
    fn record_reconciliation(&self, _status: TriageStatus, _gone: Vec<SignalId>, _not_gone: Vec<SignalId>) {}

    /// Keeps something for the time after this run of the program.
    fn save_local(&self, _: LocalWrite) {}

    /// The counts of the queue, and the service's clock where it told it.
    fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)>;

    /// How it answers, as it changes.
    fn health(&self) -> watch::Receiver<Health> {
        watch::Sender::new(Health::Connecting).subscribe()
    }

    /// Writes rows to a file, and tells how far it has come.
    fn export(self: Arc<Self>, export: ExportRequest, why: CallContext, _told: ProgressFn) -> BackendFuture<Reply> {
        self.call(ServiceCall::Export(Box::new(export)), why)
    }

    /// What the person should know of this machine, each line once.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why a write was not sent: it could not be written down first. Told once.
    fn take_journal_error(&self) -> Option<String> {
        None
    }

    /// From now on writes are sent although they cannot be written down first.
    fn allow_unjournaled_writes(&self) {}

    /// The person acted: a credential that was refused may be sent again.
    fn retry_credential(&self) {}

    /// Nothing more will be asked: what was kept is written, and a service that runs inside this process puts its things away.
    /// Answers what the person should still read.
    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// A service that was reached, and what to call it on the screen.
#[derive(Clone)]
pub struct BackendConnection {
    /// Asked from now on.
    pub backend: Arc<dyn Backend>,
    /// Profile, file or host.
    pub label: String,
}

/// How a target is reached.
pub type ConnectFn = Arc<dyn Fn(ConnectTarget) -> BackendFuture<BackendConnection> + Send + Sync>;
