//! Takes the workspace's subscriptions.

use crate::app::Context;
use crate::app::change::Change;
use crate::app::model::load_state::LoadState;
use crate::app::model::subscriptions::SubscriptionList;
use crate::app::requests::SharedData;
use crate::domain::subscriptions::Subscription;

impl Context {
    /// Takes the subscriptions, whoever asked for them.
    pub(in crate::app) fn store_subscriptions(&mut self, list: Vec<Subscription>) {
        if !self.work.requests.is_newest(SharedData::Subscriptions) {
            return;
        }
        let was_loaded = self.subscriptions.load == LoadState::Ready;
        let before = if was_loaded {
            self.subscriptions.types().to_vec()
        } else {
            Vec::new()
        };
        self.subscriptions = SubscriptionList::new(list);
        self.work.publish(Change::Subscriptions(before));
    }
}
