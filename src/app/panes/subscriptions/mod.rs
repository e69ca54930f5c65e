//! Subscriptions: all types of signals, what the workspace is subscribed to, and changes that are staged before they are sent.
//!
//! One set of subscriptions orders everybody's queue, so nothing leaves before it was looked at: a change is staged, what it would
//! do to the queue is shown from rows that are loaded, and Ctrl-s sends the fewest calls ([`apply`]). All of it costs nothing.

pub mod apply;
mod arrange;
pub mod commands;
pub mod draw;
pub mod sheet;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::records::LoadState;
use crate::domain::failure::RequestError;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{Priority, QueueStats};
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionChange};
use crate::ui::scroll::ScrollState;

/// The Subscriptions pane.
#[derive(Clone, Debug, Default)]
pub struct Subscriptions {
    /// What the workspace is subscribed to: by priority, then in the order of the interface.
    pub list: Vec<Subscription>,
    /// How far reading the list has come.
    pub load: LoadState,
    /// What is to become of types, when it is applied.
    pub staged: BTreeMap<SignalType, StagedChange>,
    /// Why a staged change was not done.
    pub reasons: BTreeMap<SignalType, String>,
    /// The cursor in the list of types.
    pub scroll: ScrollState,
    /// The first line on the screen of what stands beside the list.
    pub top: usize,
    /// What stands beside is shown in place of the list, where there is room for one alone.
    pub open: bool,
    /// How the touched types were when they were first touched.
    base: BTreeMap<SignalType, Option<Subscription>>,
    asked: Option<Token>,
    /// The read before the staged is sent.
    checking: Option<Token>,
}

/// What is staged, as it is kept: each type with what is to become of it and how it was when it was first touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan(BTreeMap<SignalType, (StagedChange, Option<Subscription>)>);

impl Subscriptions {
    /// What is staged.
    pub fn plan(&self) -> Plan {
        Plan(self.planned().map(|(kind, staged, base)| (kind.clone(), (staged.clone(), base.cloned()))).collect())
    }

    /// This is what is staged.
    pub fn is_planned(&self, Plan(plan): &Plan) -> bool {
        self.planned().eq(plan.iter().map(|(kind, (staged, base))| (kind, staged, base.as_ref())))
    }

    fn planned(&self) -> impl Iterator<Item = (&SignalType, &StagedChange, Option<&Subscription>)> {
        self.staged.iter().map(|(kind, staged)| (kind, staged, self.base.get(kind).and_then(Option::as_ref)))
    }

    /// Stages what an earlier run of the program left, unless something is staged already; whether it did.
    pub fn restore(&mut self, Plan(plan): Plan) -> bool {
        let takes = self.staged.is_empty() && !plan.is_empty();
        if takes {
            for (kind, (staged, base)) in plan {
                self.staged.insert(kind.clone(), staged);
                self.base.insert(kind, base);
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
    pub fn current(&self) -> Option<SignalType> {
        self.types().into_iter().nth(self.scroll.cursor)
    }

    /// The subscription to a type.
    pub fn get(&self, kind: &SignalType) -> Option<&Subscription> {
        self.list.iter().find(|it| it.signal_type == *kind)
    }

    /// The subscription as it will be once the staged is applied; none when there will be none.
    pub fn after(&self, kind: &SignalType) -> Option<Subscription> {
        let now = self.get(kind);
        match self.staged.get(kind) {
            Some(staged) => staged.resulting_subscription(kind, now),
            None => now.cloned(),
        }
    }

    /// All subscriptions as they will be.
    pub fn all_after(&self) -> Vec<Subscription> {
        self.types().iter().filter_map(|kind| self.after(kind)).collect()
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
        self.reasons.remove(kind);
        if self.staged.contains_key(kind) {
            self.base.entry(kind.clone()).or_insert(now);
        } else {
            self.base.remove(kind);
        }
    }

    /// Stages more of a type's change.
    pub fn change(&mut self, kind: &SignalType, change: impl FnOnce(&mut SubscriptionChange)) {
        let mut wanted = match self.staged.get(kind) {
            Some(StagedChange::Set(change)) => change.clone(),
            _ => SubscriptionChange::default(),
        };
        change(&mut wanted);
        self.stage(kind, &StagedChange::Set(wanted));
    }

    /// Nothing is to become of a type.
    pub fn drop_staged(&mut self, kind: &SignalType) {
        self.staged.remove(kind);
        self.base.remove(kind);
        self.reasons.remove(kind);
    }

    /// Takes a list as the service tells it. What was staged and is so now is done with.
    pub(in crate::app) fn take(&mut self, mut list: Vec<Subscription>) {
        let here = self.current().filter(|_| self.load == LoadState::Ready && self.scroll.cursor > 0);
        let place = |kind: &SignalType| SignalType::ALL.iter().position(|known| known == kind).unwrap_or(usize::MAX);
        list.sort_by_key(|it| (it.priority.clone().unwrap_or(Priority::Other("".into())), place(&it.signal_type)));
        self.list = list;
        self.load = LoadState::Ready;
        for (kind, staged) in std::mem::take(&mut self.staged) {
            if let Some(left) = staged.remaining_change(self.get(&kind)) {
                self.staged.insert(kind, left);
            }
        }
        self.base.retain(|kind, _| self.staged.contains_key(kind));
        self.reasons.retain(|kind, _| self.staged.contains_key(kind));
        let at = here.and_then(|here| self.types().iter().position(|kind| *kind == here));
        self.scroll.cursor = at.unwrap_or(self.scroll.cursor);
    }

    /// Takes the counts of a poll: the list is not read again for them.
    pub(in crate::app) fn recount(&mut self, stats: &QueueStats) {
        for it in &mut self.list {
            let counted = stats.type_counts.iter().find(|count| count.signal_type == it.signal_type);
            it.new_count = counted.map(|count| count.new_count).or(it.new_count);
        }
    }

    /// New signals of each priority: as it is, and as it would be.
    pub fn counts(&self) -> [(u64, u64); 3] {
        [Priority::High, Priority::Medium, Priority::Low].map(|priority| {
            let new = |list: &[Subscription]| {
                saturating_sum(list.iter().filter(|it| it.priority.as_ref() == Some(&priority)).filter_map(|it| it.new_count))
            };
            (new(&self.list), new(&self.all_after()))
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
        self.subscriptions.asked = Some(self.call_service(Slot::Subscriptions, ServiceCall::Subscriptions));
        if self.members.is_empty() {
            self.call_service(Slot::Members, ServiceCall::Members);
        }
    }

    /// Takes the subscriptions: to explain a priority, to show them, before they are changed, or changed.
    pub(in crate::app) fn subscribed(&mut self, token: Token, list: Vec<Subscription>) {
        let checks = self.subscriptions.checking.take_if(|checking| *checking == token).is_some();
        let changed = if checks { self.changed_since_staged(&list) } else { Vec::new() };
        self.subscriptions.take(list);
        self.subscriptions.asked.take_if(|asked| *asked == token);
        self.show_priority_explanation(token);
        if checks {
            self.checked(&changed);
        }
        self.subscriptions_written(token);
    }

    /// The subscriptions could not be read; false when it was not asked for.
    pub(in crate::app) fn subscriptions_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        let checks = self.subscriptions.checking.take_if(|checking| *checking == token).is_some();
        if self.subscriptions.asked.take_if(|asked| *asked == token).is_none() && !checks {
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

    pub(in crate::app) fn step_subscriptions(&mut self, rows: isize) {
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
        if std::mem::take(&mut self.subscriptions.open) && self.layout.panel.is_empty() {
        } else if self.subscriptions.staged.is_empty() {
            self.notice = None;
        } else {
            self.ask_to_drop();
        }
    }
}
