//! The service as the runtime asks it: one trait, so that loop, executor and polling task can be tried without a network.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::app::effect::{Call, Target};
use crate::app::msg::Reply;
use crate::domain::failure::Failure;
use crate::domain::health::Health;
use crate::domain::queue::QueueStats;

/// An answer that is on its way.
pub type Answering<T> = BoxFuture<'static, Result<T, Failure>>;

/// A service that can be asked.
pub trait Service: Send + Sync + 'static {
    /// One question or order, but not `Connect`; the reason, a command's id, is for the ledger.
    fn ask(self: Arc<Self>, call: Call, reason: &'static str) -> Answering<Reply>;

    /// The counts of the queue, and the service's clock where it told it.
    fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)>;

    /// How it answers, as it changes.
    fn health(&self) -> watch::Receiver<Health> {
        watch::Sender::new(Health::Connecting).subscribe()
    }

    /// The person acted: a credential that was refused may be sent again.
    fn try_again(&self) {}

    /// Nothing more will be asked: what was kept is written, and a service that runs inside this process puts its things away.
    /// Answers what the person should still read.
    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// A service that was reached, and what to call it on the screen.
#[derive(Clone)]
pub struct Connection {
    /// Asked from now on.
    pub service: Arc<dyn Service>,
    /// Profile, file or host.
    pub label: String,
}

/// How a target is reached.
pub type Connect = Arc<dyn Fn(Target) -> Answering<Connection> + Send + Sync>;
