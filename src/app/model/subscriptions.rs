//! The workspace's subscriptions, as the service last reported them.

use crate::app::format::{format_count, humanize};
use crate::app::model::load_state::LoadState;
use crate::domain::queue::{Priority, QueueStats};
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription};
use crate::domain::writes::WriteOp;

#[derive(Clone, Debug)]
pub struct SubscriptionList {
    /// By priority, then in the order of the interface.
    list: Vec<Subscription>,
    /// All types: those of the list, then the rest.
    types: Vec<SignalType>,
    pub load: LoadState,
}

impl SubscriptionList {
    /// Before they are read.
    pub fn unread() -> SubscriptionList {
        SubscriptionList {
            load: LoadState::Idle,
            ..SubscriptionList::new(Vec::new())
        }
    }

    pub fn new(mut list: Vec<Subscription>) -> SubscriptionList {
        let place = |kind: &SignalType| {
            SignalType::ALL
                .iter()
                .position(|known| known == kind)
                .unwrap_or(usize::MAX)
        };
        list.sort_by_key(|it| {
            (
                it.priority.clone().unwrap_or(Priority::Other("".into())),
                it.new_count.unwrap_or(0) == 0,
                place(&it.signal_type),
            )
        });
        let mut types: Vec<SignalType> = list.iter().map(|it| it.signal_type.clone()).collect();
        let rest = SignalType::ALL.iter().filter(|kind| !types.contains(kind));
        types.extend(rest.cloned().collect::<Vec<_>>());
        SubscriptionList {
            list,
            types,
            load: LoadState::Ready,
        }
    }

    pub fn all(&self) -> &[Subscription] {
        &self.list
    }

    pub fn get(&self, kind: &SignalType) -> Option<&Subscription> {
        self.list.iter().find(|it| it.signal_type == *kind)
    }

    /// All types in display order: subscribed ones by priority, those with new signals
    /// first, then the rest.
    pub fn types(&self) -> &[SignalType] {
        &self.types
    }

    /// Applies the counts of a poll, which saves reading the list again.
    pub fn update_counts(&mut self, stats: &QueueStats) {
        for it in &mut self.list {
            let counted = stats
                .type_counts
                .iter()
                .find(|count| count.signal_type == it.signal_type);
            it.new_count = counted.map(|count| count.new_count).or(it.new_count);
        }
    }

    /// What `next` would overwrite if the state differs from what a step left: somebody's change,
    /// or signals that arrived since.
    pub fn conflict(&self, left: &WriteOp, next: &WriteOp) -> Option<String> {
        let (WriteOp::Subscription(kind, left), WriteOp::Subscription(_, next)) = (left, next)
        else {
            return None;
        };
        let now = self.get(kind);
        if left.remaining_change(now).is_some() && next.remaining_change(now).is_some() {
            return Some(before_and_after_label(
                kind,
                left.resulting_subscription(kind, now).as_ref(),
                now,
            ));
        }
        let new = now
            .and_then(|it| it.new_count)
            .filter(|new| *new > 0 && *next == StagedChange::Unsubscribe)?;
        Some(format!(
            "{}: {}",
            humanize(kind.as_str()),
            unsubscribe_warning(Some(new))
        ))
    }
}

pub fn priority_label(it: &Subscription) -> &str {
    it.priority.as_ref().map_or("unknown", Priority::as_str)
}

/// The number of new signals; `None` if the service did not report it.
pub fn new_signals_label(new: Option<u64>) -> String {
    match new {
        Some(1) => "1 new signal".to_owned(),
        Some(new) => format!("{} new signals", format_count(new)),
        None => "all its signals".to_owned(),
    }
}

/// What unsubscribing removes from the queue.
pub fn unsubscribe_warning(new: Option<u64>) -> String {
    format!(
        "{} {} everybody's queue at once, along with done ones, and email stops.",
        new_signals_label(new),
        if new == Some(1) { "leaves" } else { "leave" }
    )
}

/// How a subscription changed: `permit issued: high to low`.
pub fn before_and_after_label(
    kind: &SignalType,
    was: Option<&Subscription>,
    is: Option<&Subscription>,
) -> String {
    let name = humanize(kind.as_str());
    let (was, is) = match (was, is) {
        (Some(was), Some(is)) => (was, is),
        (None, Some(is)) => return format!("{name}: subscribed, {}", priority_label(is)),
        (_, None) => return format!("{name}: not subscribed"),
    };
    let mut parts = Vec::new();
    if was.priority != is.priority {
        parts.push(format!("{} to {}", priority_label(was), priority_label(is)));
    }
    if was.channels != is.channels {
        parts.push(if is.has_email() {
            "mail on".to_owned()
        } else {
            "mail off".to_owned()
        });
    }
    if was.notify_all_members != is.notify_all_members
        || was.recipient_user_ids != is.recipient_user_ids
    {
        parts.push("new recipients".to_owned());
    }
    if parts.is_empty() {
        name
    } else {
        format!("{name}: {}", parts.join(", "))
    }
}
