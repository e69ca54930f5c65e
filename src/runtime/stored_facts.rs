//! Loads what this machine knows of signals, for the console.

use tokio::sync::mpsc;

use super::event::Event;
use super::executor::Executor;
use crate::app::effect::StoredFactsQuery;
use crate::app::msg::Push;
use crate::platform::tasks;

/// Loads what is wanted, once there is a service that it is of.
pub(super) fn load_facts(
    wanted: StoredFactsQuery,
    executor: &Executor,
    events: &mpsc::Sender<Event>,
) {
    let (mut backend, events) = (executor.backend(), events.clone());
    tasks::spawn(async move {
        let Some(service) = backend
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|backend| backend.clone())
        else {
            return;
        };
        let facts = service.load_facts(wanted).await;
        let _ = events.send(Push::StoredFacts(Box::new(facts)).into()).await;
    });
}
