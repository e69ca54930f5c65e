//! The side panel: the type under the cursor now and after the staged changes, the effect on
//! everybody's queue, the planned calls, and the checks.

use std::collections::BTreeSet;

use super::SubscriptionsPane;
use super::columns::subscribed_since;
use crate::app::Context;
use crate::app::format::{format_count, format_full_day, pluralize};
use crate::app::model::subscriptions::{new_signals_label, priority_label, unsubscribe_warning};
use crate::app::panes::fact_list::{FactLine, FactList, priority_role};
use crate::domain::UserId;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{Priority, QueueSignal};
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{
    EMAIL_CHANNEL, SUBSCRIPTION_LOOKBACK_DAYS, StagedChange, Subscription, SubscriptionWarning,
    find_warnings, preview_order,
};
use crate::text;
use crate::ui::{TextRole, text_span};

/// Width of the labels in cells.
const LABEL_WIDTH: usize = 10;
/// Number of queue rows shown in their new order.
const PREVIEW_ROWS: usize = 8;
/// Maximum number of recipients listed by name.
const MAX_NAMES_LISTED: usize = 6;

impl SubscriptionsPane {
    /// The panel's lines; in the small panel below the list, the consequences come first.
    pub(super) fn panel_lines(&self, width: u16, is_below: bool, cx: &Context) -> Vec<FactLine> {
        let mut list = FactList::new(width, LABEL_WIDTH);
        let Some(kind) = self.current_type(cx) else {
            return list.into_lines();
        };
        let (now, after) = (
            cx.subscriptions.get(&kind),
            self.subscription_after(&kind, cx),
        );
        if !is_below {
            list.push_paragraph(TextRole::Muted, kind.description());
            list.push_gap();
        }
        if let Some(why) = self.write_errors.get(&kind) {
            list.push_fact("not done", TextRole::Error, why.clone());
        }
        if is_below {
            self.write_consequences(&mut list, &kind, now, cx);
        }
        write_facts(&mut list, now, after.as_ref(), cx);
        if !is_below {
            list.push_gap();
            self.write_consequences(&mut list, &kind, now, cx);
        }
        self.write_planned_calls(&mut list, cx);
        self.write_queue_preview(&mut list, width, cx);
        self.write_findings(&mut list, cx);
        list.into_lines()
    }

    /// The effect on everybody's queue.
    fn write_consequences(
        &self,
        list: &mut FactList,
        kind: &SignalType,
        now: Option<&Subscription>,
        cx: &Context,
    ) {
        let new = now.and_then(|it| it.new_count);
        let (role, text) = match (self.staged(kind), now) {
            (Some(StagedChange::Unsubscribe), _) => (
                TextRole::Warning,
                format!("Unsubscribes: {}", unsubscribe_consequence(new)),
            ),
            (Some(StagedChange::Set(_)), None) => (
                TextRole::Text,
                format!(
                    "Subscribes: signals found in the last {SUBSCRIPTION_LOOKBACK_DAYS} days enter everybody's queue as {}; their \
                     number is unknown until then.",
                    self.subscription_after(kind, cx)
                        .as_ref()
                        .map_or("medium", |it| priority_label(it))
                ),
            ),
            (Some(StagedChange::Set(change)), Some(now)) => match &change.priority {
                Some(after) => (
                    TextRole::Text,
                    priority_consequence_label(now, after, new, cx),
                ),
                None => (
                    TextRole::Text,
                    "changes recipients only; the queue stays the same".to_owned(),
                ),
            },
            (None, None) => (
                TextRole::Muted,
                cx.keymap.expand_keys(
                    "not in anybody's queue; {subscriptions.subscribe} subscribes (staged)",
                ),
            ),
            (None, Some(_)) => match new {
                None => (TextRole::Muted, "number of new signals unknown".to_owned()),
                Some(0) => (TextRole::Muted, "no new signals in the queue".to_owned()),
                Some(new) => (
                    TextRole::Muted,
                    format!("{} in everybody's queue", new_signals_label(Some(new))),
                ),
            },
        };
        list.push_paragraph(role, &text);
    }

    fn write_planned_calls(&self, list: &mut FactList, cx: &Context) {
        let calls = self.planned_calls(cx);
        if calls.is_empty() {
            return;
        }
        list.push_heading(
            "Plan",
            format!(
                "{}, 0 cr; {} sends",
                pluralize(calls.len(), "call"),
                cx.keymap.label_or_palette_name("subscriptions.apply")
            ),
        );
        for call in &calls {
            list.push_paragraph(TextRole::Text, call);
        }
        if calls
            .iter()
            .filter(|call| call.ends_with("all or nothing"))
            .count()
            > 1
        {
            list.push_paragraph(
                TextRole::Muted,
                "one of these may succeed and the other fail",
            );
        }
    }

    /// The first rows of the queue in their new order, computed for free from the loaded rows.
    fn write_queue_preview(&self, list: &mut FactList, width: u16, cx: &Context) {
        let staged = self.changes();
        let rows: Vec<&QueueSignal> = cx
            .queue
            .new
            .list
            .loaded_rows()
            .map(|(_, row)| row)
            .collect();
        let orders = |staged: &StagedChange| !matches!(staged, StagedChange::Set(change) if change.priority.is_none());
        if rows.is_empty() || !staged.values().any(orders) {
            return;
        }
        let theme = cx.settings.theme;
        let loaded = match cx.stats.as_ref().map(|stats| stats.new_count) {
            Some(all) if all > rows.len() as u64 => {
                format!(
                    "from {} of {} rows",
                    format_count(rows.len() as u64),
                    format_count(all)
                )
            }
            _ => "from the loaded rows".to_owned(),
        };
        list.push_heading(
            "New queue order",
            if cx.queue.is_filtered() {
                format!("{loaded}, filtered")
            } else {
                loaded
            },
        );
        for (to, moved) in preview_order(&rows, &staged)
            .into_iter()
            .take(PREVIEW_ROWS)
            .enumerate()
        {
            let name = moved
                .row
                .signal
                .project_name
                .clone()
                .unwrap_or_else(|| "unnamed".to_owned());
            let kind = moved
                .row
                .signal
                .signal_type
                .as_ref()
                .map_or("signal", |kind| kind.word());
            let name = text::truncate(
                &name,
                usize::from(width).saturating_sub(25),
                theme.glyphs().ellipsis,
            )
            .into_owned();
            let (role, place) = match moved.old_rank.cmp(&to) {
                std::cmp::Ordering::Greater => (
                    TextRole::Success,
                    format!(
                        "{}{:<4}",
                        theme.glyphs().sort_ascending,
                        moved.old_rank - to
                    ),
                ),
                std::cmp::Ordering::Less => (
                    TextRole::Warning,
                    format!(
                        "{}{:<4}",
                        theme.glyphs().sort_descending,
                        to - moved.old_rank
                    ),
                ),
                std::cmp::Ordering::Equal => (TextRole::Faint, "     ".to_owned()),
            };
            list.push_line(vec![
                text_span(TextRole::Faint, format!("{:>3}  ", to + 1)),
                text_span(role, place),
                text_span(
                    priority_role(moved.priority.as_ref()),
                    moved.priority.as_ref().map_or("?", Priority::letter),
                ),
                text_span(TextRole::Muted, format!(" {kind:<12} ")),
                text_span(TextRole::Text, name),
            ]);
        }
    }

    fn write_findings(&self, list: &mut FactList, cx: &Context) {
        let members: BTreeSet<UserId> = cx.team.members.iter().map(|member| member.id).collect();
        let after = self.subscriptions_after(cx);
        let findings = find_warnings(&after, (!members.is_empty()).then_some(&members));
        let staged = if self.staged.is_empty() {
            ""
        } else {
            "after these changes"
        };
        list.push_heading("Checks", staged);
        if findings.is_empty() {
            list.push_paragraph(
                TextRole::Success,
                "all types are subscribed and have recipients",
            );
        }
        for finding in findings {
            let (role, text) = finding_text(
                &finding,
                &cx.keymap.label_or_palette_name("subscriptions.recipients"),
            );
            list.push_paragraph(role, &text);
        }
    }
}

fn write_facts(
    list: &mut FactList,
    now: Option<&Subscription>,
    after: Option<&Subscription>,
    cx: &Context,
) {
    let arrow = format!(" {} ", cx.settings.theme.glyphs().arrow);
    let priority =
        |it: Option<&Subscription>| it.map_or("not subscribed", priority_label).to_owned();
    let mut fact = |label, was: String, is: String| {
        if was == is {
            list.push_fact(label, TextRole::Text, is);
        } else {
            list.push_fact(label, TextRole::Marked, format!("{was}{arrow}{is}"));
        }
    };
    fact("priority", priority(now), priority(after));
    let Some(shown) = after.or(now) else { return };
    let before = now.unwrap_or(shown);
    let mail = |it: &Subscription| if it.has_email() { "on" } else { "off" }.to_owned();
    fact("mail", mail(before), mail(shown));
    fact(
        "to",
        recipients_label(before, cx),
        recipients_label(shown, cx),
    );
    let other: Vec<&str> = shown
        .channels
        .iter()
        .map(String::as_str)
        .filter(|channel| *channel != EMAIL_CHANNEL)
        .collect();
    let other = if other.is_empty() {
        String::new()
    } else {
        format!("{} (unchanged)", other.join(", "))
    };
    list.push_fact("channels", TextRole::Muted, other);
    list.push_fact(
        "since",
        TextRole::Text,
        now.and_then(|it| subscribed_since(it, cx))
            .map(format_full_day)
            .unwrap_or_default(),
    );
}

/// The recipients, by name where known.
fn recipients_label(it: &Subscription, cx: &Context) -> String {
    let name = |id: &UserId| {
        let known = cx
            .team
            .members
            .iter()
            .find(|member| member.id == *id)
            .map(crate::domain::members::Member::name);
        known.unwrap_or_else(|| {
            if cx.team.members.is_empty() {
                id.to_string()
            } else {
                "former member".to_owned()
            }
        })
    };
    let mut names: Vec<String> = it
        .recipient_user_ids
        .iter()
        .take(MAX_NAMES_LISTED)
        .map(name)
        .collect();
    if it.recipient_user_ids.len() > MAX_NAMES_LISTED {
        names.push(format!(
            "{} more",
            it.recipient_user_ids.len() - MAX_NAMES_LISTED
        ));
    }
    match (it.notify_all_members, names.is_empty()) {
        (true, true) => "all members, including future ones".to_owned(),
        (true, false) => format!(
            "all members, including future ones; {} ignored",
            names.join(", ")
        ),
        (false, true) => "nobody".to_owned(),
        (false, false) => names.join(", "),
    }
}

/// `11 new signals move from high (6 left) to medium (joining 110), for everyone`.
fn priority_consequence_label(
    now: &Subscription,
    after: &Priority,
    new: Option<u64>,
    cx: &Context,
) -> String {
    let others = |priority: &Priority| -> u64 {
        let of = cx
            .subscriptions
            .all()
            .iter()
            .filter(|it| it.priority.as_ref() == Some(priority));
        saturating_sum(
            of.filter(|it| it.signal_type != now.signal_type)
                .filter_map(|it| it.new_count),
        )
    };
    let was = now.priority.clone().unwrap_or(Priority::Medium);
    format!(
        "{} {} from {was} ({} left) to {after} (joining {}), for everyone",
        new_signals_label(new),
        if new == Some(1) { "moves" } else { "move" },
        format_count(others(&was)),
        format_count(others(after)),
    )
}

/// Text and color role of a finding.
fn finding_text(finding: &SubscriptionWarning, choose: &str) -> (TextRole, String) {
    match finding {
        SubscriptionWarning::RecipientsLeft(..) => (
            TextRole::Warning,
            format!("! {finding}; {choose} selects others"),
        ),
        SubscriptionWarning::NoRecipients(_) => (TextRole::Warning, format!("! {finding}")),
        SubscriptionWarning::HighPriorityWithoutEmail(_) => (TextRole::Text, finding.to_string()),
        SubscriptionWarning::NotSubscribed(_) => (TextRole::Muted, finding.to_string()),
    }
}

/// What unsubscribing removes for good.
pub(super) fn unsubscribe_consequence(new: Option<u64>) -> String {
    format!(
        "{} If you resubscribe, only the last {SUBSCRIPTION_LOOKBACK_DAYS} days come back. This cannot be undone.",
        unsubscribe_warning(new)
    )
}
