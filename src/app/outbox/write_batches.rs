//! Packs changes into as few write requests as the interface allows.
//!
//! Never here: sending them, or what they leave in memory.

use crate::app::effect::{ServiceCall, WriteRequest};
use crate::app::outbox::pending_write::WriteBatch;
use crate::domain::annotate::{AnnotationBaseline, AnnotationWrite};
use crate::domain::batch::MAX_BATCH_ITEMS;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionCall, plan_calls};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// A request for one change. `seen` is what the user saw of the record; it is compared with the
/// service's values right before the write.
fn single_request(part: WriteOp, seen: Option<AnnotationBaseline>) -> WriteRequest {
    match part {
        WriteOp::Annotate(record_kind, id, wanted) => WriteRequest::Annotate {
            record_kind,
            items: vec![AnnotationWrite {
                id,
                desired: wanted,
                baseline: seen,
            }],
        },
        WriteOp::Forget(record_kind, id) => WriteRequest::Forget {
            record_kind,
            ids: vec![id],
        },
        WriteOp::Add(view, id) => WriteRequest::Add {
            view,
            ids: vec![id],
        },
        WriteOp::Remove(view, id) => WriteRequest::Remove {
            view,
            ids: vec![id],
        },
        WriteOp::Favorite(view, on) => WriteRequest::Favorite {
            view,
            is_favorite: on,
        },
        WriteOp::SaveView(draft) => WriteRequest::SaveView(draft),
        WriteOp::DeleteView(view) => WriteRequest::DeleteView(view),
        WriteOp::Subscription(kind, StagedChange::Set(change)) => {
            WriteRequest::Subscription(SubscriptionCall::Put(kind, change))
        }
        WriteOp::Subscription(kind, StagedChange::Unsubscribe) => {
            WriteRequest::Subscription(SubscriptionCall::Delete(kind))
        }
        WriteOp::Team(act) => WriteRequest::Team(act),
        WriteOp::Skill(order) => WriteRequest::Skills(vec![order]),
    }
}

/// Groups changes into requests, in order: consecutive changes of the same kind share one. A record
/// that is read first gets its own request, so that little time passes between read and write.
pub fn batch_changes(
    changes: &[ReversibleWrite],
    seen: impl Fn(&ReversibleWrite) -> Option<AnnotationBaseline>,
) -> Vec<WriteBatch> {
    let mut batches: Vec<(WriteRequest, Vec<usize>)> = Vec::new();
    for (item, change) in changes.iter().enumerate() {
        let seen = seen(change);
        if let Some((request, items)) = batches.last_mut()
            && seen.is_none()
            && try_append(request, &change.forward)
        {
            items.push(item);
        } else {
            batches.push((single_request(change.forward.clone(), seen), vec![item]));
        }
    }
    batches
        .into_iter()
        .map(|(request, items)| WriteBatch {
            call: ServiceCall::Write(request),
            items,
        })
        .collect()
}

/// Groups changes of subscriptions into the fewest requests. Changes that already hold are in none,
/// unless `now` is unknown.
pub fn batch_subscription_changes(
    now: Option<&[Subscription]>,
    changes: &[ReversibleWrite],
) -> Vec<WriteBatch> {
    let staged = changes.iter().filter_map(|change| match &change.forward {
        WriteOp::Subscription(kind, staged) => Some((kind.clone(), staged.clone())),
        _ => None,
    });
    let batch = |call: SubscriptionCall| {
        let is_of = |change: &ReversibleWrite| matches!(&change.forward, WriteOp::Subscription(kind, _) if call.signal_types().contains(&kind));
        let items = changes
            .iter()
            .enumerate()
            .filter(|(_, change)| is_of(change))
            .map(|(item, _)| item)
            .collect();
        WriteBatch {
            call: ServiceCall::Write(WriteRequest::Subscription(call)),
            items,
        }
    };
    plan_calls(now, &staged.collect())
        .into_iter()
        .map(batch)
        .collect()
}

/// Adds a change to a batch of its kind; false when it needs its own request.
fn try_append(batch: &mut WriteRequest, part: &WriteOp) -> bool {
    match (batch, part) {
        (WriteRequest::Annotate { record_kind, items }, WriteOp::Annotate(of, id, annotation))
            if record_kind == of
                && items.len() < MAX_BATCH_ITEMS
                && items.iter().all(|item| item.baseline.is_none()) =>
        {
            items.push(AnnotationWrite::new_unchecked(*id, annotation.clone()));
        }
        (WriteRequest::Forget { record_kind, ids }, WriteOp::Forget(of, id))
            if record_kind == of && ids.len() < MAX_BATCH_ITEMS =>
        {
            ids.push(*id)
        }
        (WriteRequest::Add { view, ids }, WriteOp::Add(of, id))
            if view == of && ids.len() < MAX_BATCH_ITEMS =>
        {
            ids.push(*id)
        }
        (WriteRequest::Skills(orders), WriteOp::Skill(order))
            if orders.len() < MAX_BATCH_ITEMS
                && orders.iter().all(|other| other.change == order.change) =>
        {
            orders.push(order.clone());
        }
        (WriteRequest::Remove { view, ids }, WriteOp::Remove(of, id))
            if view == of && ids.len() < MAX_BATCH_ITEMS =>
        {
            ids.push(*id)
        }
        _ => return false,
    }
    true
}
