//! Signal subscriptions: what the queue is made of, and who is told (interface: Signal subscription).

use serde::{Deserialize, Serialize};

use super::UserId;
use super::lenient::{self, When};
use super::queue::Priority;
use super::signals::SignalType;

/// A workspace's subscription to a type of signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// The type.
    pub signal_type: SignalType,
    /// The priority that its signals get.
    #[serde(default, deserialize_with = "lenient::option")]
    pub priority: Option<Priority>,
    /// How people are told; only `email` is deliverable.
    #[serde(default, deserialize_with = "lenient::list")]
    pub channels: Vec<String>,
    /// Every member is told, and `recipient_user_ids` is ignored.
    #[serde(default)]
    pub notify_all_members: bool,
    /// Who is told otherwise.
    #[serde(default, deserialize_with = "lenient::list")]
    pub recipient_user_ids: Vec<UserId>,
    /// Untriaged signals of the type in the queue.
    #[serde(default, deserialize_with = "lenient::option")]
    pub new_count: Option<u64>,
    /// When the workspace subscribed.
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<When>,
    /// When the subscription last changed.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updated_at: Option<When>,
}
