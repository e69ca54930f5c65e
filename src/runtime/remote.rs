//! The client as the service that the runtime asks: each call is one of its methods, and what it takes goes to the ledger.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::ask::{Answering, Service};
use crate::app::effect::Call;
use crate::app::msg::Reply;
use crate::client::Client;
use crate::domain::failure::Failure;
use crate::domain::queue::QueueStats;
use crate::store::Store;
use crate::store::ledger::Ledger;

/// The disk has so long at the end.
const CLOSING: Duration = Duration::from_millis(800);

/// A service that is reached over HTTP.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    store: Store,
    ledger: Ledger,
}

impl Remote {
    /// The service of this client; `meter` says whose credits it spends, beside the workspace.
    pub fn new(client: Client, store: Store, meter: &str) -> Remote {
        let ledger = store.ledger(meter, client.workspace_id());
        Remote { client, store, ledger }
    }

    /// The client, booking under this reason.
    fn client(&self, reason: &'static str) -> Client {
        let (ledger, op) = (self.ledger.clone(), Uuid::now_v7());
        self.client.metered(Arc::new(move |spending| ledger.book(Utc::now(), reason, op, spending)))
    }
}

impl Service for Remote {
    fn ask(self: Arc<Self>, call: Call, reason: &'static str) -> Answering<Reply> {
        Box::pin(async move {
            let client = self.client(reason);
            Ok(match call {
                Call::Connect(_) => return Err(Failure::not_sent("a service cannot be reached through another")),
                Call::Workspace => Reply::Workspace(client.workspace().await?.value),
                Call::Credits => {
                    let credits = client.credits().await?.value;
                    self.ledger.read_meter(Utc::now(), &credits);
                    Reply::Credits(credits)
                }
                Call::Members => Reply::Members(client.members().await?.value),
                Call::Subscriptions => Reply::Subscriptions(client.subscriptions().await?.value),
                Call::Queue { filter, offset, limit } => Reply::Queue(client.queue(&filter, offset, limit).await?.value),
                Call::Signal(id) => Reply::Signal(Box::new(client.signal(id).await?.value)),
                Call::Dossier(id) => {
                    let answer = client.dossier(id).await?;
                    Reply::Dossier { dossier: Box::new(answer.value), credits: answer.credits }
                }
                Call::Triage { ids, status } => {
                    let answer = client.triage(&ids, &status).await?;
                    Reply::Triaged((!answer.repeated).then_some(answer.value))
                }
            })
        })
    }

    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(async move {
            let store = self.store.clone();
            let _ = tokio::task::spawn_blocking(move || store.close(CLOSING)).await;
            self.store.notes()
        })
    }

    fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
        Box::pin(async move { self.client.stats().await.map(|answer| (answer.value, answer.date)) })
    }

    fn try_again(&self) {
        self.client.try_again();
    }
}
