//! The client as the service that the runtime asks: each call is one of its methods.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::ask::{Answering, Service};
use crate::app::effect::Call;
use crate::app::msg::Reply;
use crate::client::Client;
use crate::domain::failure::Failure;
use crate::domain::queue::QueueStats;

impl Service for Client {
    fn ask(self: Arc<Self>, call: Call) -> Answering<Reply> {
        Box::pin(async move {
            Ok(match call {
                Call::Connect(_) => return Err(Failure::not_sent("a service cannot be reached through another")),
                Call::Workspace => Reply::Workspace(self.workspace().await?.value),
                Call::Credits => Reply::Credits(self.credits().await?.value),
                Call::Members => Reply::Members(self.members().await?.value),
                Call::Subscriptions => Reply::Subscriptions(self.subscriptions().await?.value),
                Call::Queue { filter, offset, limit } => Reply::Queue(self.queue(&filter, offset, limit).await?.value),
                Call::Signal(id) => Reply::Signal(Box::new(self.signal(id).await?.value)),
                Call::Dossier(id) => {
                    let answer = self.dossier(id).await?;
                    Reply::Dossier { dossier: Box::new(answer.value), credits: answer.credits }
                }
                Call::Triage { ids, status } => {
                    let answer = self.triage(&ids, &status).await?;
                    Reply::Triaged((!answer.repeated).then_some(answer.value))
                }
            })
        })
    }

    fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
        Box::pin(async move { self.as_ref().stats().await.map(|answer| (answer.value, answer.date)) })
    }

    fn try_again(&self) {
        Client::try_again(self);
    }
}
