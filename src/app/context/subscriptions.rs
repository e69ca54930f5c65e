//! Takes the workspace's subscriptions.

use crate::app::change::Change;
use crate::app::context::Work;
use crate::app::model::load_state::LoadState;
use crate::app::model::subscriptions::SubscriptionList;
use crate::app::requests::SharedData;
use crate::domain::subscriptions::Subscription;

/// Takes the subscriptions, whoever asked for them.
pub(in crate::app) fn store_subscriptions(
    list: Vec<Subscription>,
    work: &mut Work,
    subscriptions: &mut SubscriptionList,
) {
    if !work.requests.is_newest(SharedData::Subscriptions) {
        return;
    }
    let was_loaded = subscriptions.load == LoadState::Ready;
    let before = if was_loaded {
        subscriptions.types().to_vec()
    } else {
        Vec::new()
    };
    *subscriptions = SubscriptionList::new(list);
    work.publish(Change::Subscriptions(before));
}
