//! Both families of subscriptions: `/signal-subscriptions` by type,
//! `/workspace/signal-subscriptions` by id (interface: Workspace: signal subscriptions; decisions
//! 2.19).

use serde::Serialize;
use serde_json::json;

use super::queue::{priorities, signal_types};
use crate::domain::signals::SignalType;
use crate::domain::{SubscriptionId, UserId};
use crate::service::api_error::ApiError;
use crate::service::db::subscriptions::{self, SubscriptionRow, SubscriptionUpdate};
use crate::service::db::{Conn, members};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::validation::{InputObject, InputValue};

/// Maximum number of explicit recipients (Limits).
const MAX_RECIPIENTS: usize = 100;

pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_body(
        &json!({"subscriptions": subscriptions::list(conn, ask.access.workspace)?}),
    )
}

/// Subscribes to a type, or changes the subscription.
pub fn upsert_by_type(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&[
        "workspace_id",
        "priority",
        "channels",
        "notify_all_members",
        "recipient_user_ids",
    ])?;
    let change = subscription_update(conn, ask, &form)?;
    subscriptions::upsert(
        conn,
        ask.access.workspace,
        &path_signal_type(ask)?,
        &change,
        ask.now,
    )?;
    list(conn, ask)
}

pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    if !subscriptions::remove(
        conn,
        ask.access.workspace,
        &ask.path_param("signal_type").into(),
    )? {
        return Err(not_subscribed());
    }
    list(conn, ask)
}

/// Subscribes to many types, all or none; for existing subscriptions only the priority changes.
pub fn subscribe_bulk(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["workspace_id", "subscriptions"])?;
    let mut entries: Vec<(&str, SubscriptionUpdate)> = Vec::new();
    for at in form
        .required_field("subscriptions")?
        .items(1, ask.max_items)?
    {
        let entry = at
            .object()?
            .reject_unknown_keys(&["signal_type", "priority"])?;
        let at_type = entry.required_field("signal_type")?;
        let word = at_type.one_of(&signal_types())?;
        if entries.iter().any(|(taken, _)| *taken == word) {
            return Err(at_type.issue(
                "not_allowed",
                "duplicate type",
                json!({ "received": word }),
            ));
        }
        let priority = entry
            .optional_field("priority", |at| at.one_of(&priorities()))?
            .unwrap_or("medium");
        entries.push((
            word,
            SubscriptionUpdate {
                priority: Some(priority.into()),
                ..SubscriptionUpdate::default()
            },
        ));
    }
    for (word, change) in entries {
        subscriptions::upsert(conn, ask.access.workspace, &word.into(), &change, ask.now)?;
    }
    list(conn, ask)
}

/// A subscription as the workspace-prefixed family returns it.
#[derive(Serialize)]
struct SubscriptionWithId {
    id: SubscriptionId,
    #[serde(flatten)]
    subscription: SubscriptionRow,
}

impl From<SubscriptionRow> for SubscriptionWithId {
    fn from(subscription: SubscriptionRow) -> Self {
        SubscriptionWithId {
            id: subscription.id,
            subscription,
        }
    }
}

pub fn list_with_ids(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let all = subscriptions::list(conn, ask.access.workspace)?;
    ApiResponse::from_data(
        json!({"subscriptions": all.into_iter().map(SubscriptionWithId::from).collect::<Vec<_>>()}),
    )
}

/// The same as the PUT, with the type in the body.
pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&[
        "signal_type",
        "priority",
        "channels",
        "notify_all_members",
        "recipient_user_ids",
    ])?;
    let signal_type = form
        .required_field("signal_type")?
        .one_of(&signal_types())?
        .into();
    let change = subscription_update(conn, ask, &form)?;
    subscriptions::upsert(conn, ask.access.workspace, &signal_type, &change, ask.now)?;
    ApiResponse::from_data(
        subscriptions::get(conn, ask.access.workspace, &signal_type)?.map(SubscriptionWithId::from),
    )
}

pub fn remove_by_id(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let id: SubscriptionId = ask.path_id("id", not_subscribed)?;
    let signal_type = subscriptions::find_signal_type(conn, ask.access.workspace, id)?
        .ok_or_else(not_subscribed)?;
    subscriptions::remove(conn, ask.access.workspace, &signal_type)?;
    ApiResponse::from_data(json!({"deleted": true, "id": id}))
}

fn path_signal_type(ask: &AuthorizedRequest) -> Result<SignalType, ApiError> {
    let word = ask.path_param("signal_type").into();
    InputValue {
        value: &word,
        path: vec!["signal_type".into()],
    }
    .one_of(&signal_types())
    .map(Into::into)
}

fn subscription_update(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SubscriptionUpdate, ApiError> {
    let people = members::list(conn, ask.access.workspace)?;
    let recipient = |at: &InputValue<'_>| {
        let user: UserId = at.id()?;
        let known = people.iter().any(|member| member.id == user);
        known.then_some(user).ok_or_else(|| {
            at.issue(
                "not_allowed",
                "is not a member of the workspace",
                json!({"received": user}),
            )
        })
    };
    let channels = |at: InputValue<'_>| {
        let words = at
            .items(0, 10)?
            .iter()
            .map(|at| at.one_of(&["email"]))
            .collect::<Result<Vec<_>, _>>()?;
        let mut channels: Vec<String> = words.into_iter().map(str::to_owned).collect();
        channels.dedup();
        Ok(channels)
    };
    let recipients = |at: InputValue<'_>| {
        let mut users = Vec::new();
        for at in at.items(0, MAX_RECIPIENTS)? {
            let user = recipient(&at)?;
            if !users.contains(&user) {
                users.push(user);
            }
        }
        Ok(users)
    };
    Ok(SubscriptionUpdate {
        priority: form
            .optional_field("priority", |at| at.one_of(&priorities()))?
            .map(Into::into),
        channels: form.optional_field("channels", channels)?,
        notify_all_members: form.optional_field("notify_all_members", |at| at.boolean())?,
        recipient_user_ids: form.optional_field("recipient_user_ids", recipients)?,
    })
}

fn not_subscribed() -> ApiError {
    ApiError::not_found("not subscribed to this signal type")
}
