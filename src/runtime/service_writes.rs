//! The console's writes as requests to the service.
//!
//! Never here: reads, what is kept on this machine.

use crate::app::effect::WriteRequest;
use crate::client::{
    Client, Request, book, favorites, invitations, members, skills, subscriptions, views,
};
use crate::domain::batch::BatchItemResult;
use crate::domain::members::{InvitationDelivery, MemberAction};
use crate::domain::request_error::RequestError;
use crate::domain::subscriptions::{Subscription, SubscriptionCall};
use crate::domain::views::{View, ViewDraft};

/// Sends a write and returns the result of each item.
pub(super) async fn send_write(
    client: &Client,
    write: WriteRequest,
) -> Result<Vec<BatchItemResult>, RequestError> {
    let request = match write {
        WriteRequest::Annotate { record_kind, items } => {
            return client.annotate(&record_kind, &items).await;
        }
        WriteRequest::Forget { record_kind, ids } => book::delete_batch(&record_kind, &ids),
        WriteRequest::Add { view, ids } => views::add_records(view, &ids),
        WriteRequest::Remove { view, ids } => views::remove_records(view, &ids),
        WriteRequest::DeleteView(view) => {
            return client
                .execute(views::delete(view))
                .await
                .map(|_| vec![BatchItemResult::ok()]);
        }
        WriteRequest::Favorite {
            view,
            is_favorite: false,
        } => {
            return client
                .execute(favorites::delete(view))
                .await
                .map(|_| vec![BatchItemResult::ok()]);
        }
        WriteRequest::Favorite {
            view,
            is_favorite: true,
        } => return execute_one(client, favorites::upsert(view)).await,
        WriteRequest::Team(act) => return change_members(client, act).await,
        WriteRequest::Subscription(order) => {
            return change_subscriptions(client, &order)
                .await
                .map(|_| vec![BatchItemResult::ok(); order.signal_types().len()]);
        }
        WriteRequest::Skills(orders) => match orders.as_slice() {
            [order] => {
                return execute_one(
                    client,
                    skills::change(order.change, order.key, order.body.clone()),
                )
                .await;
            }
            [] => return Ok(Vec::new()),
            [first, ..] => skills::change_batch(
                first.change,
                orders.iter().map(|order| (order.key, order.body.clone())),
            ),
        },
        WriteRequest::SaveView(draft) => return save_view(client, &draft).await,
    };
    client.fetch_all(request).await
}

/// Changes subscriptions and returns the whole list.
pub(super) async fn change_subscriptions(
    client: &Client,
    order: &SubscriptionCall,
) -> Result<Vec<Subscription>, RequestError> {
    let request = match order {
        SubscriptionCall::Bulk(types) => subscriptions::set_bulk(types),
        SubscriptionCall::Put(kind, change) => subscriptions::set(kind, change),
        SubscriptionCall::Delete(kind) => return client.unsubscribe(kind).await,
    };
    client.fetch_all(request).await
}

/// Changes members and invitations.
async fn change_members(
    client: &Client,
    act: MemberAction,
) -> Result<Vec<BatchItemResult>, RequestError> {
    let request = match act {
        MemberAction::Invite { email, role } => {
            let delivery: Option<InvitationDelivery> = client
                .fetch_if_shown(invitations::create(&email, &role))
                .await?
                .value;
            return Ok(vec![BatchItemResult {
                delivery: delivery.map(Box::new),
                ..BatchItemResult::ok()
            }]);
        }
        MemberAction::Revoke(invitation) => invitations::revoke(invitation),
        MemberAction::SetRole(user, role) => members::set_role(user, &role),
        MemberAction::Remove(user) => members::remove(user),
    };
    execute_one(client, request).await
}

/// Creates or changes a View, and reports its id if the service shows it.
async fn save_view(
    client: &Client,
    draft: &ViewDraft,
) -> Result<Vec<BatchItemResult>, RequestError> {
    let view: Option<View> = client.fetch_if_shown(views::upsert(draft)).await?.value;
    Ok(vec![BatchItemResult {
        record_id: view.map(|view| view.id.0).filter(|id| !id.is_nil()),
        ..BatchItemResult::ok()
    }])
}

/// Sends a write of one item.
async fn execute_one(
    client: &Client,
    request: Request,
) -> Result<Vec<BatchItemResult>, RequestError> {
    client
        .execute(request)
        .await
        .map(|_| vec![BatchItemResult::ok()])
}
