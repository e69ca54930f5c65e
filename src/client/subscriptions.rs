//! `/signal-subscriptions`: what the queue contains (interface: Workspace: signal subscriptions). 0
//! credits.

use serde_json::{Value, json};

use crate::domain::SubscriptionId;
use crate::domain::queue::Priority;
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::Subscription;
pub use crate::domain::subscriptions::SubscriptionChange;
use crate::interface::RouteId;

use super::payload_lookup::list_rows;
use super::{Client, Request, Response};

pub fn list() -> Request {
    Request::new(RouteId::ListSubscriptions, &[])
}

/// Subscribes or changes a subscription; returns the whole list.
pub fn set(signal_type: &SignalType, change: &SubscriptionChange) -> Request {
    let request = Request::new(RouteId::SetSubscription, &[signal_type]).with_body(json!(change));
    request
        .verify_with(list(), |there, sent| {
            find_applied(
                there.get("subscriptions")?,
                sent.path.rsplit('/').next()?,
                sent,
            )?;
            Some(there.clone())
        })
        .fill_body_from(list(), |there, _| Some(there.clone()))
}

/// The subscription to a type in a list of all, if it matches what the write set.
fn find_applied<'l>(list: &'l Value, signal_type: &str, sent: &Request) -> Option<&'l Value> {
    let there = list
        .as_array()?
        .iter()
        .find(|there| there.get("signal_type").and_then(Value::as_str) == Some(signal_type))?;
    let mut wanted = sent.body()?.as_object()?.iter();
    wanted
        .all(|(name, value)| there.get(name) == Some(value))
        .then_some(there)
}

/// Signals of the type leave the queue at once.
pub fn remove(signal_type: &SignalType) -> Request {
    Request::new(RouteId::RemoveSubscription, &[signal_type])
}

/// Subscribes to 1 to 14 distinct types, all or nothing; returns the whole list.
pub fn set_bulk(types: &[(SignalType, Priority)]) -> Request {
    let entry = |(signal_type, priority): &(SignalType, Priority)| json!({"signal_type": signal_type, "priority": priority});
    let entries: Vec<_> = types.iter().map(entry).collect();
    Request::new(RouteId::SetSubscriptions, &[])
        .with_body(json!({"subscriptions": entries}))
        .fill_body_from(list(), |there, _| Some(there.clone()))
}

/// The same list with ids; the interface does not show its bodies.
pub fn list_with_ids() -> Request {
    Request::new(RouteId::ListSubscriptionsWithIds, &[])
}

pub fn upsert(signal_type: &SignalType, change: &SubscriptionChange) -> Request {
    let mut body = json!(change);
    if let Some(body) = body.as_object_mut() {
        body.insert("signal_type".to_owned(), json!(signal_type));
    }
    Request::new(RouteId::UpsertSubscription, &[])
        .with_body(body)
        .verify_with(list_with_ids(), |there, sent| {
            let signal_type = sent.body()?.get("signal_type")?.as_str()?;
            let list = list_rows(there, RouteId::ListSubscriptionsWithIds)?.into();
            Some(json!({"data": find_applied(&list, signal_type, sent)?}))
        })
}

pub fn remove_by_id(id: SubscriptionId) -> Request {
    Request::new(RouteId::RemoveSubscriptionById, &[&id])
}

impl Client {
    pub async fn subscriptions(&self) -> Result<Response<Vec<Subscription>>, RequestError> {
        Ok(self.fetch_rows(list()).await?.map(|rows| rows.rows))
    }

    /// Unsubscribes and returns the remaining subscriptions. Succeeds if somebody else has
    /// unsubscribed already.
    ///
    /// # Errors
    /// As [`Client::execute`]; it may have been applied if the remaining list cannot be read.
    pub async fn unsubscribe(
        &self,
        signal_type: &SignalType,
    ) -> Result<Vec<Subscription>, RequestError> {
        match self.execute(remove(signal_type)).await {
            Err(failure) if failure.status() != Some(404) => return Err(failure),
            _ => {}
        }
        // The delete's own response may be lost or empty.
        let left = self
            .subscriptions()
            .await
            .map_err(|failure| RequestError::new_ambiguous(failure.message))?;
        Ok(left.value)
    }
}
