//! Subscriptions: all types of signals, what the workspace is subscribed to, and changes that are staged before they are sent.
//!
//! One set of subscriptions orders everybody's queue, so nothing leaves before it was looked at: a change is staged, what it would
//! do to the queue is shown from rows that are loaded, and Ctrl-s sends the fewest calls ([`apply`]). All of it costs nothing.

pub mod apply;
pub mod commands;
pub mod draw;
mod layout;
pub mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::records::LoadState;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{Priority, QueueStats};
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionChange};
use crate::ui::scroll::ScrollState;

/// The Subscriptions pane.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionsPane {
    /// What the workspace is subscribed to: by priority, then in the order of the interface.
    pub list: Vec<Subscription>,
    /// How far reading the list has come.
    pub load: LoadState,
    /// What is to become of types, when it is applied.
    pub staged: BTreeMap<SignalType, StagedChange>,
    /// Why a staged change was not done.
    pub write_errors: BTreeMap<SignalType, String>,
    /// The cursor in the list of types.
    pub scroll: ScrollState,
    /// The first line on the screen of what stands beside the list.
    pub top: usize,
    /// What stands beside is shown in place of the list, where there is room for one alone.
    pub panel_open: bool,
    /// How the touched types were when they were first touched.
    originals: BTreeMap<SignalType, Option<Subscription>>,
    pending_read: Option<Token>,
    /// The read before the staged is sent.
    pending_check: Option<Token>,
}

/// What is staged, as it is kept: each type with what is to become of it and how it was when it was first touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StagedSnapshot(BTreeMap<SignalType, (StagedChange, Option<Subscription>)>);

impl SubscriptionsPane {
    /// What is staged.
    pub fn staged_snapshot(&self) -> StagedSnapshot {
        StagedSnapshot(
            self.staged_with_originals().map(|(kind, staged, base)| (kind.clone(), (staged.clone(), base.cloned()))).collect(),
        )
    }

    /// This is what is staged.
    pub fn matches_snapshot(&self, StagedSnapshot(plan): &StagedSnapshot) -> bool {
        self.staged_with_originals().eq(plan.iter().map(|(kind, (staged, base))| (kind, staged, base.as_ref())))
    }

    fn staged_with_originals(&self) -> impl Iterator<Item = (&SignalType, &StagedChange, Option<&Subscription>)> {
        self.staged.iter().map(|(kind, staged)| (kind, staged, self.originals.get(kind).and_then(Option::as_ref)))
    }

    /// Stages what an earlier run of the program left, unless something is staged already; whether it did.
    pub fn restore_staged(&mut self, StagedSnapshot(plan): StagedSnapshot) -> bool {
        let takes = self.staged.is_empty() && !plan.is_empty();
        if takes {
            for (kind, (staged, base)) in plan {
                self.staged.insert(kind.clone(), staged);
                self.originals.insert(kind, base);
            }
        }
        takes
    }

    /// All types, in the order of the screen: the subscribed ones by priority, then the rest.
    pub fn types(&self) -> Vec<SignalType> {
        let rest = SignalType::ALL.iter().filter(|kind| self.get(kind).is_none());
        self.list.iter().map(|it| &it.signal_type).chain(rest).cloned().collect()
    }

    /// The type under the cursor.
    pub fn current_type(&self) -> Option<SignalType> {
        self.types().into_iter().nth(self.scroll.cursor)
    }

    /// The subscription to a type.
    pub fn get(&self, kind: &SignalType) -> Option<&Subscription> {
        self.list.iter().find(|it| it.signal_type == *kind)
    }

    /// The subscription as it will be once the staged is applied; none when there will be none.
    pub fn subscription_after(&self, kind: &SignalType) -> Option<Subscription> {
        let now = self.get(kind);
        match self.staged.get(kind) {
            Some(staged) => staged.resulting_subscription(kind, now),
            None => now.cloned(),
        }
    }

    /// All subscriptions as they will be.
    pub fn subscriptions_after(&self) -> Vec<Subscription> {
        self.types().iter().filter_map(|kind| self.subscription_after(kind)).collect()
    }

    /// Whether nothing can be staged on a type but the dropping of what is.
    pub fn is_ending(&self, kind: &SignalType) -> bool {
        self.staged.get(kind) == Some(&StagedChange::Unsubscribe)
    }

    /// Stages what becomes of a type; what is so already is not staged.
    pub fn stage(&mut self, kind: &SignalType, staged: &StagedChange) {
        let now = self.get(kind).cloned();
        match staged.remaining_change(now.as_ref()) {
            Some(left) => self.staged.insert(kind.clone(), left),
            None => self.staged.remove(kind),
        };
        self.write_errors.remove(kind);
        if self.staged.contains_key(kind) {
            self.originals.entry(kind.clone()).or_insert(now);
        } else {
            self.originals.remove(kind);
        }
    }

    /// Stages more of a type's change.
    pub fn stage_change(&mut self, kind: &SignalType, change: impl FnOnce(&mut SubscriptionChange)) {
        let mut wanted = match self.staged.get(kind) {
            Some(StagedChange::Set(change)) => change.clone(),
            _ => SubscriptionChange::default(),
        };
        change(&mut wanted);
        self.stage(kind, &StagedChange::Set(wanted));
    }

    /// Nothing is to become of a type.
    pub fn unstage(&mut self, kind: &SignalType) {
        self.staged.remove(kind);
        self.originals.remove(kind);
        self.write_errors.remove(kind);
    }

    /// Takes a list as the service tells it. What was staged and is so now is done with.
    pub(in crate::app) fn apply_list(&mut self, mut list: Vec<Subscription>) {
        let here = self.current_type().filter(|_| self.load == LoadState::Ready && self.scroll.cursor > 0);
        let place = |kind: &SignalType| SignalType::ALL.iter().position(|known| known == kind).unwrap_or(usize::MAX);
        list.sort_by_key(|it| (it.priority.clone().unwrap_or(Priority::Other("".into())), place(&it.signal_type)));
        self.list = list;
        self.load = LoadState::Ready;
        for (kind, staged) in std::mem::take(&mut self.staged) {
            if let Some(left) = staged.remaining_change(self.get(&kind)) {
                self.staged.insert(kind, left);
            }
        }
        self.originals.retain(|kind, _| self.staged.contains_key(kind));
        self.write_errors.retain(|kind, _| self.staged.contains_key(kind));
        let at = here.and_then(|here| self.types().iter().position(|kind| *kind == here));
        self.scroll.cursor = at.unwrap_or(self.scroll.cursor);
    }

    /// Takes the counts of a poll: the list is not read again for them.
    pub(in crate::app) fn update_counts(&mut self, stats: &QueueStats) {
        for it in &mut self.list {
            let counted = stats.type_counts.iter().find(|count| count.signal_type == it.signal_type);
            it.new_count = counted.map(|count| count.new_count).or(it.new_count);
        }
    }

    /// New signals of each priority: as it is, and as it would be.
    pub fn priority_counts(&self) -> [(u64, u64); 3] {
        [Priority::High, Priority::Medium, Priority::Low].map(|priority| {
            let new = |list: &[Subscription]| {
                saturating_sum(list.iter().filter(|it| it.priority.as_ref() == Some(&priority)).filter_map(|it| it.new_count))
            };
            (new(&self.list), new(&self.subscriptions_after()))
        })
    }
}

impl App {
    /// Reads the list when the screen is shown for the first time, and who could be told.
    pub fn open_subscriptions(&mut self) {
        if self.subscriptions.load.needs_load() {
            self.read_subscriptions();
        }
    }

    /// Reads the list, and the members that the mail may go to.
    pub fn read_subscriptions(&mut self) {
        if self.subscriptions.load != LoadState::Ready {
            self.subscriptions.load = LoadState::Loading;
        }
        self.subscriptions.pending_read = Some(self.call_service(Slot::Subscriptions, ServiceCall::Subscriptions));
        if self.members.is_empty() {
            self.call_service(Slot::Members, ServiceCall::Members);
        }
    }

    /// Takes the subscriptions: to explain a priority, to show them, before they are changed, or changed.
    pub(in crate::app) fn on_subscriptions_reply(&mut self, token: Token, list: Vec<Subscription>) {
        let checks = self.subscriptions.pending_check.take_if(|checking| *checking == token).is_some();
        let changed = if checks { self.subscriptions_changed_since_staging(&list) } else { Vec::new() };
        self.subscriptions.apply_list(list);
        self.subscriptions.pending_read.take_if(|asked| *asked == token);
        self.show_priority_explanation(token);
        if checks {
            self.on_subscriptions_checked(&changed);
        }
        self.on_subscriptions_written(token);
    }

    /// The subscriptions could not be read; false when it was not asked for.
    pub(in crate::app) fn on_subscriptions_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        let checks = self.subscriptions.pending_check.take_if(|checking| *checking == token).is_some();
        if self.subscriptions.pending_read.take_if(|asked| *asked == token).is_none() && !checks {
            return false;
        }
        if checks {
            self.show_failure(
                "nothing was sent, as the subscriptions could not be read",
                failure,
                "{subscriptions.apply} tries again",
            );
        } else if self.subscriptions.list.is_empty() {
            self.subscriptions.load = LoadState::Failed(failure.message.clone());
        } else {
            self.show_failure("the subscriptions could not be read", failure, "{subscriptions.refresh} tries again");
        }
        true
    }

    pub(in crate::app) fn move_subscriptions_cursor(&mut self, rows: isize) {
        if self.layout.panel.is_empty() {
            self.subscriptions.top = self.subscriptions.top.saturating_add_signed(rows.clamp(-1_000, 1_000));
            return;
        }
        let len = self.subscriptions.types().len();
        self.subscriptions.scroll.move_cursor(rows, len);
        self.subscriptions.top = 0;
    }

    /// Closes what is open; then what is staged is dropped, but never without a question.
    pub(in crate::app) fn leave_subscriptions(&mut self) {
        if std::mem::take(&mut self.subscriptions.panel_open) && self.layout.panel.is_empty() {
        } else if self.subscriptions.staged.is_empty() {
            self.notice = None;
        } else {
            self.confirm_discard_staged();
        }
    }
}
