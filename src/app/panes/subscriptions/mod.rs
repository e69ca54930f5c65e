//! Subscriptions: all signal types, which of them the workspace is subscribed to, and staged changes.
//!
//! One set of subscriptions orders everybody's queue, so changes are reviewed before they are sent: they are staged, their effect
//! on the queue is previewed from the loaded rows, and Ctrl-s applies them in the fewest calls ([`apply`]). All of it is free.

pub(crate) mod apply;
pub(crate) mod commands;
pub(crate) mod draw;
mod layout;
pub(crate) mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::QueueSignal;
use crate::domain::queue::{Priority, QueueStats};
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionChange};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Debug, Default)]
pub struct SubscriptionsPane {
    /// The workspace's subscriptions, by priority, then in the order of the interface.
    pub list: Vec<Subscription>,
    pub load: LoadState,
    /// Staged changes by type.
    pub staged: BTreeMap<SignalType, StagedChange>,
    /// Why a staged change failed.
    pub write_errors: BTreeMap<SignalType, String>,
    pub scroll: ScrollState,
    /// First visible line of the side panel.
    pub top: usize,
    /// The side panel replaces the list if there is room for only one of them.
    pub panel_open: bool,
    /// The subscriptions as they were when their types were first changed.
    originals: BTreeMap<SignalType, Option<Subscription>>,
}

/// The staged changes as saved: each type with its change and its original subscription.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StagedSnapshot(BTreeMap<SignalType, (StagedChange, Option<Subscription>)>);

impl SubscriptionsPane {
    fn staged_snapshot(&self) -> StagedSnapshot {
        let original = |kind: &SignalType| self.originals.get(kind).cloned().flatten();
        StagedSnapshot(self.staged.iter().map(|(kind, staged)| (kind.clone(), (staged.clone(), original(kind)))).collect())
    }

    /// Restores changes staged in an earlier session, unless something is already staged; returns whether it did.
    fn restore_staged(&mut self, StagedSnapshot(plan): StagedSnapshot) -> bool {
        let takes = self.staged.is_empty() && !plan.is_empty();
        if takes {
            for (kind, (staged, base)) in plan {
                self.staged.insert(kind.clone(), staged);
                self.originals.insert(kind, base);
            }
        }
        takes
    }

    /// All types in display order: subscribed ones by priority, then the rest.
    pub fn types(&self) -> Vec<SignalType> {
        let rest = SignalType::ALL.iter().filter(|kind| self.get(kind).is_none());
        self.list.iter().map(|it| &it.signal_type).chain(rest).cloned().collect()
    }

    pub fn current_type(&self) -> Option<SignalType> {
        self.types().into_iter().nth(self.scroll.cursor)
    }

    pub fn get(&self, kind: &SignalType) -> Option<&Subscription> {
        self.list.iter().find(|it| it.signal_type == *kind)
    }

    /// The subscription after the staged changes are applied, if any.
    pub fn subscription_after(&self, kind: &SignalType) -> Option<Subscription> {
        let now = self.get(kind);
        match self.staged.get(kind) {
            Some(staged) => staged.resulting_subscription(kind, now),
            None => now.cloned(),
        }
    }

    /// All subscriptions after the staged changes are applied.
    pub fn subscriptions_after(&self) -> Vec<Subscription> {
        self.types().iter().filter_map(|kind| self.subscription_after(kind)).collect()
    }

    /// Whether unsubscribing is staged, so that only dropping the staged change is possible.
    pub fn is_ending(&self, kind: &SignalType) -> bool {
        self.staged.get(kind) == Some(&StagedChange::Unsubscribe)
    }

    /// Stages a change to a type; the parts that already hold are left out.
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

    /// Adds to the staged change of a type.
    pub fn stage_change(&mut self, kind: &SignalType, change: impl FnOnce(&mut SubscriptionChange)) {
        let mut wanted = match self.staged.get(kind) {
            Some(StagedChange::Set(change)) => change.clone(),
            _ => SubscriptionChange::default(),
        };
        change(&mut wanted);
        self.stage(kind, &StagedChange::Set(wanted));
    }

    pub fn unstage(&mut self, kind: &SignalType) {
        self.staged.remove(kind);
        self.originals.remove(kind);
        self.write_errors.remove(kind);
    }

    /// Applies the service's list and drops staged changes that already hold.
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

    /// Applies the counts of a poll, which saves reading the list again.
    pub(in crate::app) fn update_counts(&mut self, stats: &QueueStats) {
        for it in &mut self.list {
            let counted = stats.type_counts.iter().find(|count| count.signal_type == it.signal_type);
            it.new_count = counted.map(|count| count.new_count).or(it.new_count);
        }
    }

    /// New signals of each priority: now, and after the staged changes.
    pub fn priority_counts(&self) -> [(u64, u64); 3] {
        [Priority::High, Priority::Medium, Priority::Low].map(|priority| {
            let new = |list: &[Subscription]| {
                saturating_sum(list.iter().filter(|it| it.priority.as_ref() == Some(&priority)).filter_map(|it| it.new_count))
            };
            (new(&self.list), new(&self.subscriptions_after()))
        })
    }
}

/// Why the subscriptions are read.
#[derive(Clone, Debug)]
pub enum SubscriptionsRequest {
    List,
    /// Before staged changes are applied.
    Check,
    /// To explain the priority of this row.
    Priority(Box<QueueSignal>),
}

impl App {
    pub(in crate::app) fn restore_staged_subscriptions(&mut self, drafts: &RestoredDrafts) {
        if let Some(plan) = drafts.content(&DraftName::Subscriptions)
            && self.subscriptions.restore_staged(plan)
        {
            let restored = Notice::info("staged subscription changes were restored");
            self.notice = Some(restored.with_hint("{go.subscriptions} shows it"));
        }
    }

    pub(in crate::app) fn save_staged_subscriptions(&mut self) {
        let plan = self.subscriptions.staged_snapshot();
        self.save_draft(&DraftName::Subscriptions, (plan != StagedSnapshot::default()).then_some(&plan));
    }

    /// Loads the list when the screen is first shown.
    pub fn open_subscriptions(&mut self) {
        if self.subscriptions.load.needs_load() {
            self.read_subscriptions();
        }
    }

    /// Loads the list, and the members as possible recipients.
    pub fn read_subscriptions(&mut self) {
        if self.subscriptions.load != LoadState::Ready {
            self.subscriptions.load = LoadState::Loading;
        }
        let request = Request::Subscriptions(SubscriptionsRequest::List);
        self.call_service(Slot::Subscriptions, ServiceCall::Subscriptions, request);
        if self.members.is_empty() {
            self.read_members();
        }
    }

    pub(in crate::app) fn on_subscriptions_reply(&mut self, request: SubscriptionsRequest, result: Result<Reply, RequestError>) {
        match (request, payload::<Vec<Subscription>>(result)) {
            (SubscriptionsRequest::List, Ok(list)) => self.subscriptions.apply_list(list),
            (SubscriptionsRequest::List, Err(failure)) if self.subscriptions.list.is_empty() => {
                self.subscriptions.load = LoadState::Failed(failure.message);
            }
            (SubscriptionsRequest::List, Err(failure)) => {
                self.show_failure("could not load the subscriptions", &failure, "{subscriptions.refresh} retries");
            }
            (SubscriptionsRequest::Check, Ok(list)) => {
                let changed = self.subscriptions_changed_since_staging(&list);
                self.subscriptions.apply_list(list);
                self.on_subscriptions_checked(&changed);
            }
            (SubscriptionsRequest::Check, Err(failure)) => {
                self.show_failure("nothing sent: could not load the subscriptions", &failure, "{subscriptions.apply} retries");
            }
            (SubscriptionsRequest::Priority(row), Ok(list)) => {
                self.subscriptions.apply_list(list);
                self.show_priority_explanation(&row);
            }
            (SubscriptionsRequest::Priority(_), Err(failure)) => self.on_priority_failed(&failure),
        }
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

    /// Closes the side panel, or asks whether to discard the staged changes.
    pub(in crate::app) fn leave_subscriptions(&mut self) {
        if std::mem::take(&mut self.subscriptions.panel_open) && self.layout.panel.is_empty() {
        } else if self.subscriptions.staged.is_empty() {
            self.notice = None;
        } else {
            self.confirm_discard_staged();
        }
    }
}
