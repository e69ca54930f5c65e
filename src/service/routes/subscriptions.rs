//! Both families of subscriptions: `/signal-subscriptions` by type, `/workspace/signal-subscriptions` by id (interface:
//! Workspace: signal subscriptions; decisions 2.19).

use serde::Serialize;
use serde_json::json;

use super::queue::{priorities, signal_types};
use crate::domain::signals::SignalType;
use crate::domain::{SubscriptionId, UserId};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::subscriptions::{self, Change, Subscription};
use crate::service::db::{Conn, members};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;

/// The most entries of a bulk call (Limits).
const BULK_MAX: usize = 14;
/// The most explicit recipients (Limits).
const RECIPIENTS_MAX: usize = 100;

/// All subscriptions.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::bare(&json!({"subscriptions": subscriptions::list(conn, ask.access.workspace)?}))
}

/// Subscribes to a type, or changes the subscription.
pub fn put(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["workspace_id", "priority", "channels", "notify_all_members", "recipient_user_ids"])?;
    let change = change(conn, ask, &form)?;
    subscriptions::put(conn, ask.access.workspace, &named(ask)?, &change, ask.now)?;
    list(conn, ask)
}

/// Unsubscribes from a type.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    if !subscriptions::remove(conn, ask.access.workspace, &ask.part("signal_type").into())? {
        return Err(not_subscribed());
    }
    list(conn, ask)
}

/// Subscribes to many types, all or none; existing ones change their priority only.
pub fn bulk(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["workspace_id", "subscriptions"])?;
    let mut entries: Vec<(&str, Change)> = Vec::new();
    for at in form.need("subscriptions")?.items(1, BULK_MAX)? {
        let entry = at.object()?.only(&["signal_type", "priority"])?;
        let at_type = entry.need("signal_type")?;
        let word = at_type.word(&signal_types())?;
        if entries.iter().any(|(taken, _)| *taken == word) {
            return Err(at_type.issue("not_allowed", "is named twice", json!({ "received": word })));
        }
        let priority = entry.read("priority", |at| at.word(&priorities()))?.unwrap_or("medium");
        entries.push((word, Change { priority: Some(priority.into()), ..Change::default() }));
    }
    for (word, change) in entries {
        subscriptions::put(conn, ask.access.workspace, &word.into(), &change, ask.now)?;
    }
    list(conn, ask)
}

/// A subscription as the workspace-prefixed family shows it.
#[derive(Serialize)]
struct Identified {
    id: SubscriptionId,
    #[serde(flatten)]
    subscription: Subscription,
}

impl From<Subscription> for Identified {
    fn from(subscription: Subscription) -> Self {
        Identified { id: subscription.id, subscription }
    }
}

/// All subscriptions with their ids.
pub fn list_identified(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let all = subscriptions::list(conn, ask.access.workspace)?;
    Answer::free(json!({"subscriptions": all.into_iter().map(Identified::from).collect::<Vec<_>>()}))
}

/// The same as the PUT, with the type in the body.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["signal_type", "priority", "channels", "notify_all_members", "recipient_user_ids"])?;
    let signal_type = form.need("signal_type")?.word(&signal_types())?.into();
    let change = change(conn, ask, &form)?;
    subscriptions::put(conn, ask.access.workspace, &signal_type, &change, ask.now)?;
    Answer::free(subscriptions::get(conn, ask.access.workspace, &signal_type)?.map(Identified::from))
}

/// Unsubscribes by id.
pub fn remove_identified(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let id: SubscriptionId = ask.id("id", not_subscribed)?;
    let signal_type = subscriptions::type_of(conn, ask.access.workspace, id)?.ok_or_else(not_subscribed)?;
    subscriptions::remove(conn, ask.access.workspace, &signal_type)?;
    Answer::free(json!({"deleted": true, "id": id}))
}

fn named(ask: &Ask) -> Result<SignalType, Refusal> {
    let word = ask.part("signal_type").into();
    At { value: &word, path: vec!["signal_type".into()] }.word(&signal_types()).map(Into::into)
}

fn change(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Change, Refusal> {
    let people = members::list(conn, ask.access.workspace)?;
    let recipient = |at: &At<'_>| {
        let user: UserId = at.id()?;
        let known = people.iter().any(|member| member.id == user);
        known.then_some(user).ok_or_else(|| at.issue("not_allowed", "is no member of the workspace", json!({"received": user})))
    };
    let channels = |at: At<'_>| {
        let words = at.items(0, 10)?.iter().map(|at| at.word(&["email"])).collect::<Result<Vec<_>, _>>()?;
        let mut channels: Vec<String> = words.into_iter().map(str::to_owned).collect();
        channels.dedup();
        Ok(channels)
    };
    let recipients = |at: At<'_>| {
        let mut users = Vec::new();
        for at in at.items(0, RECIPIENTS_MAX)? {
            let user = recipient(&at)?;
            if !users.contains(&user) {
                users.push(user);
            }
        }
        Ok(users)
    };
    Ok(Change {
        priority: form.read("priority", |at| at.word(&priorities()))?.map(Into::into),
        channels: form.read("channels", channels)?,
        notify_all_members: form.read("notify_all_members", |at| at.flag())?,
        recipient_user_ids: form.read("recipient_user_ids", recipients)?,
    })
}

fn not_subscribed() -> Refusal {
    Refusal::not_found("not subscribed to this type of signal")
}
