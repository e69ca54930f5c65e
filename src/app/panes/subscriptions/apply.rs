//! Applies staged changes: checks for newer changes, confirms what cannot be undone, sends, and
//! confirms type by type.

use std::collections::BTreeMap;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::format::{format_count, humanize, pluralize};
use crate::app::model::subscriptions::{SubscriptionList, before_and_after_label};
use crate::app::notice::Notice;
use crate::app::panes::subscriptions::SubscriptionsPane;
use crate::app::panes::subscriptions::messages::{SubscriptionsAction, SubscriptionsRequest};
use crate::app::panes::subscriptions::side_panel::unsubscribe_consequence;
use crate::domain::lenient::saturating_sum;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionCall, plan_calls};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Applies the staged changes after reading the current subscriptions: a bulk call overwrites any
/// newer priority, and a PUT recreates a subscription that somebody has ended.
pub(super) fn apply(cx: &mut Context) {
    let request = SubscriptionsRequest::Check;
    cx.work.call_service(
        Slot::SubscriptionsCheck,
        ServiceCall::Subscriptions,
        request,
    );
    cx.ui.notice = Some(Notice::info("checking for newer changes").with_hint("0 cr"));
}

impl SubscriptionsPane {
    /// Types that changed since their change was staged, as text.
    pub(super) fn changed_since_staging(&mut self, list: &[Subscription]) -> Vec<String> {
        let mut changed = Vec::new();
        for (kind, (_, base)) in &mut self.staged {
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
    pub(super) fn on_checked(&mut self, changed: &[String], cx: &mut Context) {
        let staged = self.changes();
        if staged.is_empty() {
            cx.ui.notice = Some(Notice::success(
                "already done by someone else; nothing sent",
            ));
        } else if !changed.is_empty() {
            let text = format!(
                "changed since you staged it: {}; nothing sent",
                changed.join(", ")
            );
            cx.ui.notice =
                Some(Notice::warning(text).with_hint("{subscriptions.apply} applies yours"));
        } else {
            let ending: Vec<&SignalType> =
                staged.keys().filter(|kind| self.is_ending(kind)).collect();
            let write = Action::Write(
                summary(&staged, &cx.subscriptions),
                reversible_writes(&staged, &cx.subscriptions),
            );
            match ending.as_slice() {
                [] => cx.work.perform(write),
                _ if cx.ui.is_typing() => {
                    cx.ui.notice = Some(
                        Notice::warning("unsubscribing needs your confirmation")
                            .with_hint("{subscriptions.apply} asks"),
                    );
                }
                ending => confirm_unsubscribe(ending, staged.len() - ending.len(), write, cx),
            }
        }
    }

    /// Asks for confirmation before discarding the staged changes.
    pub(super) fn confirm_discard(&self, cx: &mut Context) {
        let kept = if self.staged.len() == 1 { "it" } else { "them" };
        let text = format!(
            "{} not sent yet. Switching screens keeps {kept}.",
            pluralize(self.staged.len(), "staged change")
        );
        let discard = SubscriptionsAction::DiscardStaged;
        cx.ui
            .confirm("Discard staged changes?", text, "discard them", discard);
    }

    /// The calls needed to apply the staged changes, as text.
    pub(super) fn planned_calls(&self, cx: &Context) -> Vec<String> {
        plan_calls(Some(cx.subscriptions.all()), &self.changes())
            .iter()
            .map(call_label)
            .collect()
    }
}

fn summary(staged: &BTreeMap<SignalType, StagedChange>, list: &SubscriptionList) -> String {
    let [(kind, staged)] = staged.iter().collect::<Vec<_>>()[..] else {
        return pluralize(staged.len(), "subscription");
    };
    match (staged, list.get(kind)) {
        (StagedChange::Unsubscribe, _) => format!("unsubscribing from {}", humanize(kind.as_str())),
        (StagedChange::Set(_), None) => format!("subscription to {}", humanize(kind.as_str())),
        (StagedChange::Set(_), Some(now)) => before_and_after_label(
            kind,
            Some(now),
            staged.resulting_subscription(kind, Some(now)).as_ref(),
        ),
    }
}

fn reversible_writes(
    staged: &BTreeMap<SignalType, StagedChange>,
    list: &SubscriptionList,
) -> Vec<ReversibleWrite> {
    let write = |(kind, staged): (&SignalType, &StagedChange)| ReversibleWrite {
        forward: WriteOp::Subscription(kind.clone(), staged.clone()),
        back: staged
            .inverse(list.get(kind))
            .map(|back| WriteOp::Subscription(kind.clone(), back)),
    };
    staged.iter().map(write).collect()
}

/// Asks for confirmation and shows what unsubscribing does; `others` are the staged changes that
/// are written with it.
fn confirm_unsubscribe(ending: &[&SignalType], others: usize, write: Action, cx: &mut Context) {
    cx.ui.notice = None;
    let counts: Vec<Option<u64>> = ending
        .iter()
        .map(|kind| cx.subscriptions.get(kind)?.new_count)
        .collect();
    // One unknown count makes the sum unknown.
    let leaving = counts
        .iter()
        .all(Option::is_some)
        .then(|| saturating_sum(counts.into_iter().flatten()));
    let names: Vec<String> = ending.iter().map(|kind| humanize(kind.as_str())).collect();
    let text = format!(
        "Unsubscribe from {}. {}{}",
        names.join(", "),
        unsubscribe_consequence(leaving),
        if others > 0 {
            format!(
                "\n\n{} more will be applied with it.",
                pluralize(others, "staged change")
            )
        } else {
            String::new()
        },
    );
    let verb = if others > 0 {
        "apply everything for everyone"
    } else {
        "unsubscribe for everyone"
    };
    cx.ui.confirm_change(verb, text, write);
}

fn call_label(order: &SubscriptionCall) -> String {
    match order {
        SubscriptionCall::Bulk(types) if types.len() == 1 => {
            format!("priority of {}", humanize(types[0].0.as_str()))
        }
        SubscriptionCall::Bulk(types) => format!(
            "priority of {} types, all or nothing",
            format_count(types.len() as u64)
        ),
        SubscriptionCall::Put(kind, change) => {
            let parts = [
                (change.priority.is_some(), "priority"),
                (change.channels.is_some(), "mail"),
                (
                    change.notify_all_members.is_some() || change.recipient_user_ids.is_some(),
                    "recipients",
                ),
            ];
            let parts: Vec<&str> = parts
                .into_iter()
                .filter(|(is, _)| *is)
                .map(|(_, what)| what)
                .collect();
            format!("{} of {}", parts.join(", "), humanize(kind.as_str()))
        }
        SubscriptionCall::Delete(kind) => format!("unsubscribe from {}", humanize(kind.as_str())),
    }
}
