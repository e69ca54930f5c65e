//! Applies staged changes: checks for newer changes, confirms what cannot be undone, sends, and confirms type by type.

use std::collections::{BTreeMap, VecDeque};

use super::SubscriptionsRequest;
use super::side_panel::{before_and_after_label, unsubscribe_warning};
use crate::app::App;
use crate::app::action::Action;
use crate::app::effect::{Effect, ServiceCall, Slot, WriteRequest};
use crate::app::format::{format_count, humanize, pluralize};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::pending_writes::{ReversibleWrite, WriteBatch, WriteOp};
use crate::app::requests::Request;
use crate::domain::lenient::saturating_sum;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionCall, plan_calls};

impl App {
    /// Applies the staged changes after reading the current subscriptions: a bulk call overwrites any newer priority, and a PUT
    /// recreates a subscription that somebody has ended.
    pub fn apply_subscriptions(&mut self) {
        let request = Request::Subscriptions(SubscriptionsRequest::Check);
        self.call_service(Slot::SubscriptionsCheck, ServiceCall::Subscriptions, request);
        self.notice = Some(Notice::info("checking for newer changes").with_hint("0 cr"));
    }

    /// Types that changed since their change was staged, as text.
    pub(super) fn subscriptions_changed_since_staging(&mut self, list: &[Subscription]) -> Vec<String> {
        let mut changed = Vec::new();
        for (kind, base) in &mut self.subscriptions.originals {
            let now = list.iter().find(|it| it.signal_type == *kind);
            let same = match (now, base.as_ref()) {
                (Some(now), Some(base)) => now.has_same_settings(base),
                (None, None) => true,
                _ => false,
            };
            if !same {
                changed.push(before_and_after_label(kind, base.as_ref(), now));
                *base = now.cloned();
            }
        }
        changed
    }

    /// Continues after the check: sends, asks for confirmation, or reports newer changes.
    pub(super) fn on_subscriptions_checked(&mut self, changed: &[String]) {
        let staged = self.subscriptions.staged.clone();
        if staged.is_empty() {
            self.notice = Some(Notice::success("already done by someone else; nothing sent"));
        } else if !changed.is_empty() {
            let text = format!("changed since you staged it: {}; nothing sent", changed.join(", "));
            self.notice = Some(Notice::warning(text).with_hint("{subscriptions.apply} applies yours"));
        } else {
            let ending: Vec<&SignalType> =
                staged.iter().filter(|(_, staged)| **staged == StagedChange::Unsubscribe).map(|(kind, _)| kind).collect();
            let write = Action::Write(self.staged_subscriptions_summary(&staged), self.staged_subscription_changes(&staged));
            match ending.as_slice() {
                [] => self.perform(write),
                ending => self.confirm_unsubscribe(ending, write),
            }
        }
    }

    fn staged_subscriptions_summary(&self, staged: &BTreeMap<SignalType, StagedChange>) -> String {
        let [(kind, staged)] = staged.iter().collect::<Vec<_>>()[..] else { return pluralize(staged.len(), "subscription") };
        match (staged, self.subscriptions.get(kind)) {
            (StagedChange::Unsubscribe, _) => format!("unsubscribing from {}", humanize(kind.as_str())),
            (StagedChange::Set(_), None) => format!("subscription to {}", humanize(kind.as_str())),
            (StagedChange::Set(_), Some(now)) => {
                before_and_after_label(kind, Some(now), staged.resulting_subscription(kind, Some(now)).as_ref())
            }
        }
    }

    fn staged_subscription_changes(&self, staged: &BTreeMap<SignalType, StagedChange>) -> Vec<ReversibleWrite> {
        let change = |(kind, staged): (&SignalType, &StagedChange)| ReversibleWrite {
            forward: WriteOp::Subscription(kind.clone(), staged.clone()),
            back: staged.inverse(self.subscriptions.get(kind)).map(|back| WriteOp::Subscription(kind.clone(), back)),
        };
        staged.iter().map(change).collect()
    }

    /// Asks for confirmation and shows what unsubscribing does.
    fn confirm_unsubscribe(&mut self, ending: &[&SignalType], write: Action) {
        self.notice = None;
        let counts: Vec<Option<u64>> = ending.iter().map(|kind| self.subscriptions.get(kind)?.new_count).collect();
        // One unknown count makes the sum unknown.
        let leaving = counts.iter().all(Option::is_some).then(|| saturating_sum(counts.into_iter().flatten()));
        let names: Vec<String> = ending.iter().map(|kind| humanize(kind.as_str())).collect();
        let others = self.subscriptions.staged.len() - ending.len();
        let text = format!(
            "Unsubscribe from {}. {} {} This cannot be undone.{}",
            names.join(", "),
            unsubscribe_warning(leaving),
            "If you resubscribe, only the last 14 days come back.",
            if others > 0 {
                format!("\n\n{} more will be applied with it.", pluralize(others, "staged change"))
            } else {
                String::new()
            },
        );
        let verb = if others > 0 { "apply everything for everyone" } else { "unsubscribe for everyone" };
        self.confirm_change(verb, text, write);
    }

    /// Asks for confirmation before discarding the staged changes.
    pub(super) fn confirm_discard_staged(&mut self) {
        let text = format!(
            "{} not sent yet. Switching screens keeps them.",
            pluralize(self.subscriptions.staged.len(), "staged change")
        );
        self.overlay =
            Some(Overlay::Choice(Choice::confirm("Discard staged changes?", text, "discard them", Action::DiscardStaged)));
    }

    /// Discards all staged changes.
    pub(in crate::app) fn discard_staged(&mut self) {
        for kind in self.subscriptions.types() {
            self.subscriptions.unstage(&kind);
        }
        self.notice = Some(Notice::info("staged changes discarded"));
    }

    /// Batches changes into the fewest calls; also returns the changes that already hold and need no call.
    pub(in crate::app) fn batch_subscription_changes(
        &self,
        mut changes: Vec<ReversibleWrite>,
    ) -> (VecDeque<WriteBatch>, Vec<ReversibleWrite>) {
        let staged = changes.iter().filter_map(|change| match &change.forward {
            WriteOp::Subscription(kind, staged) => Some((kind.clone(), staged.clone())),
            _ => None,
        });
        let mut batches = VecDeque::new();
        for order in plan_calls(&self.subscriptions.list, &staged.collect()) {
            let is_of = |change: &mut ReversibleWrite| matches!(&change.forward, WriteOp::Subscription(kind, _) if order.signal_types().contains(&kind));
            let with = changes.extract_if(.., is_of).collect();
            batches.push_back((WriteRequest::Subscription(order), with));
        }
        (batches, changes)
    }

    /// Unstages applied changes; failed ones stay staged with their reason.
    pub(in crate::app) fn on_subscription_writes_finished(
        &mut self,
        applied: &[ReversibleWrite],
        failed: &[(ReversibleWrite, String)],
    ) {
        let kind = |change: &ReversibleWrite| match &change.forward {
            WriteOp::Subscription(kind, _) => Some(kind.clone()),
            _ => None,
        };
        let (done, left): (Vec<_>, Vec<_>) = (
            applied.iter().filter_map(kind).collect(),
            failed.iter().filter_map(|(change, why)| Some((kind(change)?, why.clone()))).collect(),
        );
        if done.is_empty() && left.is_empty() {
            return;
        }
        done.iter().for_each(|kind| self.subscriptions.unstage(kind));
        if !left.is_empty() {
            // The result of an interrupted call is read, never guessed.
            self.read_subscriptions();
        }
        self.subscriptions.write_errors.extend(left);
        for tab in [&mut self.queue.new, &mut self.queue.done] {
            tab.stale = true;
        }
        self.effects.push(Effect::Poll);
    }

    /// What `next` would overwrite if the state differs from what a step left: somebody's change, or signals that arrived since.
    pub(in crate::app) fn subscription_conflict(&self, left: &WriteOp, next: &WriteOp) -> Option<String> {
        let (WriteOp::Subscription(kind, left), WriteOp::Subscription(_, next)) = (left, next) else { return None };
        let now = self.subscriptions.get(kind);
        if left.remaining_change(now).is_some() && next.remaining_change(now).is_some() {
            return Some(before_and_after_label(kind, left.resulting_subscription(kind, now).as_ref(), now));
        }
        let new = now.and_then(|it| it.new_count).filter(|new| *new > 0 && *next == StagedChange::Unsubscribe)?;
        Some(format!("{}: {}", humanize(kind.as_str()), unsubscribe_warning(Some(new))))
    }

    /// The calls needed to apply the staged changes, as text.
    pub fn planned_subscription_calls(&self) -> Vec<String> {
        plan_calls(&self.subscriptions.list, &self.subscriptions.staged)
            .iter()
            .map(|order| self.subscription_call_label(order))
            .collect()
    }

    fn subscription_call_label(&self, order: &SubscriptionCall) -> String {
        match order {
            SubscriptionCall::Bulk(types) if types.len() == 1 => format!("priority of {}", humanize(types[0].0.as_str())),
            SubscriptionCall::Bulk(types) => format!("priority of {} types, all or nothing", format_count(types.len() as u64)),
            SubscriptionCall::Put(kind, change) => {
                let parts = [
                    (change.priority.is_some(), "priority"),
                    (change.channels.is_some(), "mail"),
                    (change.notify_all_members.is_some() || change.recipient_user_ids.is_some(), "recipients"),
                ];
                let parts: Vec<&str> = parts.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect();
                format!("{} of {}", parts.join(", "), humanize(kind.as_str()))
            }
            SubscriptionCall::Delete(kind) => format!("unsubscribe from {}", humanize(kind.as_str())),
        }
    }
}
