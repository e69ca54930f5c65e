//! Packs changes into as few write requests as the interface allows.
//!
//! Never here: sending them, or what they leave in memory.

use std::collections::VecDeque;

use crate::app::effect::WriteRequest;
use crate::app::outbox::pending_writes::WriteBatch;
use crate::domain::annotate::{AnnotationBaseline, AnnotationWrite};
use crate::domain::batch::MAX_BATCH_ITEMS;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionCall, plan_calls};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// A request for one change. `seen` is what the user saw of the record; it is compared with the service's values right before the
/// write.
fn single_request(part: WriteOp, seen: Option<AnnotationBaseline>) -> WriteRequest {
    match part {
        WriteOp::Annotate(record_kind, id, wanted) => {
            WriteRequest::Annotate { record_kind, items: vec![AnnotationWrite { id, desired: wanted, baseline: seen }] }
        }
        WriteOp::Forget(record_kind, id) => WriteRequest::Forget { record_kind, ids: vec![id] },
        WriteOp::Add(view, id) => WriteRequest::Add { view, ids: vec![id] },
        WriteOp::Remove(view, id) => WriteRequest::Remove { view, ids: vec![id] },
        WriteOp::Favorite(view, on) => WriteRequest::Favorite { view, is_favorite: on },
        WriteOp::SaveView(draft) => WriteRequest::SaveView(draft),
        WriteOp::DeleteView(view) => WriteRequest::DeleteView(view),
        WriteOp::Subscription(kind, StagedChange::Set(change)) => WriteRequest::Subscription(SubscriptionCall::Put(kind, change)),
        WriteOp::Subscription(kind, StagedChange::Unsubscribe) => WriteRequest::Subscription(SubscriptionCall::Delete(kind)),
        WriteOp::Team(act) => WriteRequest::Team(act),
        WriteOp::Skill(order) => WriteRequest::Skills(vec![order]),
    }
}

/// Groups changes into requests, in order: consecutive changes of the same kind share one. A record that is read first gets its
/// own request, so that little time passes between read and write.
pub(in crate::app) fn batch_changes(
    changes: Vec<ReversibleWrite>,
    seen: impl Fn(&ReversibleWrite) -> Option<AnnotationBaseline>,
) -> Vec<WriteBatch> {
    let mut batches: Vec<WriteBatch> = Vec::new();
    for change in changes {
        let seen = seen(&change);
        if let Some((batch, with)) = batches.last_mut()
            && seen.is_none()
            && try_append(batch, &change.forward)
        {
            with.push(change);
        } else {
            batches.push((single_request(change.forward.clone(), seen), vec![change]));
        }
    }
    batches
}

/// Groups changes of subscriptions into the fewest requests; also returns the changes that already hold and need none.
pub(in crate::app) fn batch_subscription_changes(
    now: &[Subscription],
    mut changes: Vec<ReversibleWrite>,
) -> (VecDeque<WriteBatch>, Vec<ReversibleWrite>) {
    let staged = changes.iter().filter_map(|change| match &change.forward {
        WriteOp::Subscription(kind, staged) => Some((kind.clone(), staged.clone())),
        _ => None,
    });
    let mut batches = VecDeque::new();
    for order in plan_calls(now, &staged.collect()) {
        let is_of = |change: &mut ReversibleWrite| matches!(&change.forward, WriteOp::Subscription(kind, _) if order.signal_types().contains(&kind));
        let with = changes.extract_if(.., is_of).collect();
        batches.push_back((WriteRequest::Subscription(order), with));
    }
    (batches, changes)
}

/// Adds a change to a batch of its kind; false when it needs its own request.
fn try_append(batch: &mut WriteRequest, part: &WriteOp) -> bool {
    match (batch, part) {
        (WriteRequest::Annotate { record_kind, items }, WriteOp::Annotate(of, id, annotation))
            if record_kind == of && items.len() < MAX_BATCH_ITEMS && items.iter().all(|item| item.baseline.is_none()) =>
        {
            items.push(AnnotationWrite::new_unchecked(*id, annotation.clone()));
        }
        (WriteRequest::Forget { record_kind, ids }, WriteOp::Forget(of, id))
            if record_kind == of && ids.len() < MAX_BATCH_ITEMS =>
        {
            ids.push(*id)
        }
        (WriteRequest::Add { view, ids }, WriteOp::Add(of, id)) if view == of && ids.len() < MAX_BATCH_ITEMS => ids.push(*id),
        (WriteRequest::Skills(orders), WriteOp::Skill(order))
            if orders.len() < MAX_BATCH_ITEMS && orders.iter().all(|other| other.change == order.change) =>
        {
            orders.push(order.clone());
        }
        (WriteRequest::Remove { view, ids }, WriteOp::Remove(of, id)) if view == of && ids.len() < MAX_BATCH_ITEMS => {
            ids.push(*id)
        }
        _ => return false,
    }
    true
}
