//! The subscriptions' commands: they stage changes, which only Ctrl-s sends.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::format::{humanize, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::subscriptions::priority_label;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::subscriptions::messages::SubscriptionsAction;
use crate::app::panes::subscriptions::{SubscriptionsPane, apply};
use crate::domain::UserId;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{
    MAX_BULK_SUBSCRIPTIONS, MAX_RECIPIENTS, StagedChange, Subscription, SubscriptionChange,
};
use crate::domain::writes::WriteOp;

type Row = PaneCommand<SubscriptionsPane>;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("subscriptions.open", &shared::OPEN, |pane, _| {
        pane.panel_open = true;
    })
    .with_hint(9)
    .available_when(can_open),
    Row::new(
        "subscriptions.subscribe",
        &["Space"],
        "subscribe",
        "subscribe to the type (staged) and move down",
        |pane, cx| {
            pane.stage_current(cx, |_| {});
            cx.work.perform(Action::MoveCursor(1));
        },
    )
    .with_hint(1)
    .with_write()
    .available_when(can_subscribe),
    Row::new(
        "subscriptions.raise",
        &["+"],
        "raise",
        "raise the priority (staged)",
        |pane, cx| shift_priority(pane, cx, -1),
    )
    .with_hint(2)
    .with_write()
    .available_when(|pane, cx| can_shift_priority(pane, cx, -1)),
    Row::new(
        "subscriptions.lower",
        &["-"],
        "lower",
        "lower the priority (staged)",
        |pane, cx| shift_priority(pane, cx, 1),
    )
    .with_hint(3)
    .with_write()
    .available_when(|pane, cx| can_shift_priority(pane, cx, 1)),
    Row::new(
        "subscriptions.mail",
        &["c"],
        "mail",
        "turn mail for the type on or off (staged)",
        toggle_mail,
    )
    .with_hint(4)
    .with_write()
    .available_when(can_change),
    Row::new(
        "subscriptions.all",
        &["A"],
        "all members",
        "send the mail to all members or only to chosen ones (staged)",
        toggle_all_members,
    )
    .with_hint(5)
    .with_write()
    .available_when(can_change),
    Row::new(
        "subscriptions.recipients",
        &["r"],
        "people",
        "choose who gets the mail (staged)",
        |pane, cx| choose_people(pane, cx, false),
    )
    .with_hint(6)
    .with_write()
    .available_when(can_choose_people),
    Row::new(
        "subscriptions.bulk",
        &["B"],
        "bulk",
        "set the priority of several types at once (staged)",
        choose_types,
    )
    .with_hint(7)
    .with_write()
    .available_when(can_stage),
    Row::at("subscriptions.end", &shared::DELETE, |pane, cx| {
        if let Some(kind) = pane.current_type(cx) {
            pane.stage(&kind, &StagedChange::Unsubscribe, cx);
        }
    })
    .with_words(
        "unsubscribe",
        "unsubscribe from the type (staged); you see the effect first",
    )
    .with_hint(8)
    .with_write()
    .available_when(can_unsubscribe),
    Row::new(
        "subscriptions.drop",
        &["x"],
        "unstage",
        "discard the type's staged changes",
        |pane, cx| {
            if let Some(kind) = pane.current_type(cx) {
                pane.unstage(&kind);
            }
        },
    )
    .with_hint(11)
    .available_when(can_unstage),
    Row::at("subscriptions.apply", &shared::APPLY, |_, cx| {
        apply::apply(cx)
    })
    .with_description("send staged changes in the fewest calls")
    .with_hint(10)
    .with_immediate_write()
    .available_when(can_apply),
    Row::at("subscriptions.down", &shared::PANEL_DOWN, |pane, _| {
        pane.top = pane.top.saturating_add(1);
    }),
    Row::at("subscriptions.up", &shared::PANEL_UP, |pane, _| {
        pane.top = pane.top.saturating_sub(1);
    }),
    Row::at("subscriptions.refresh", &shared::REFRESH, |_, cx| {
        super::read(cx)
    }),
    Row::at("subscriptions.copy", &shared::COPY_ID, |pane, cx| {
        cx.copy_to_clipboard(
            "type",
            pane.current_type(cx).map(|kind| kind.as_str().to_owned()),
        );
    })
    .with_keys(&["y i", "y n"])
    .with_words("type", "copy the type name"),
    Row::at("subscriptions.json", &shared::COPY_JSON, |pane, cx| {
        let now = pane
            .current_type(cx)
            .and_then(|kind| serde_json::to_string_pretty(cx.subscriptions.get(&kind)?).ok());
        cx.copy_to_clipboard("subscription", now);
    })
    .with_description("copy the subscription as JSON"),
];

fn can_open(_: &SubscriptionsPane, cx: &Context) -> Availability {
    require(
        cx.frame.layout().side_panel.is_empty(),
        "it is already shown",
    )
}

/// Changes can be staged: the list is loaded, and no change is in flight.
fn can_stage(_: &SubscriptionsPane, cx: &Context) -> Availability {
    cx.team.can_write(&cx.session)?;
    if cx.subscriptions.load != LoadState::Ready {
        return Err("the subscriptions are not loaded yet".into());
    }
    if cx
        .outbox
        .any_pending(|part| matches!(part, WriteOp::Subscription(..)))
    {
        return Err("staged changes are being sent".into());
    }
    Ok(())
}

/// The type under the cursor is subscribed, or will be.
fn can_change(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    can_stage(pane, cx)?;
    match pane.current_type(cx) {
        Some(kind) if pane.is_ending(&kind) => {
            Err("unsubscribe is staged; {subscriptions.drop} unstages it".into())
        }
        Some(kind) if pane.subscription_after(&kind, cx).is_some() => Ok(()),
        _ => Err("not subscribed; {subscriptions.subscribe} subscribes".into()),
    }
}

fn can_subscribe(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    can_stage(pane, cx)?;
    match pane.current_type(cx) {
        Some(kind) if pane.is_ending(&kind) => {
            Err("unsubscribe is staged; {subscriptions.drop} unstages it".into())
        }
        Some(kind) if cx.subscriptions.get(&kind).is_some() => {
            Err("already subscribed; {subscriptions.lower} lowers it".into())
        }
        Some(kind) if pane.staged.contains_key(&kind) => {
            Err("already staged; {subscriptions.drop} unstages it".into())
        }
        _ => Ok(()),
    }
}

fn can_unstage(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    match pane
        .current_type(cx)
        .filter(|kind| pane.staged.contains_key(kind))
    {
        Some(_)
            if cx
                .outbox
                .any_pending(|part| matches!(part, WriteOp::Subscription(..))) =>
        {
            Err("it is being sent".into())
        }
        Some(_) => Ok(()),
        None => Err("nothing is staged for this type".into()),
    }
}

fn can_unsubscribe(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    can_stage(pane, cx)?;
    match pane.current_type(cx) {
        Some(kind) if pane.is_ending(&kind) => {
            Err("already staged; {subscriptions.drop} unstages it".into())
        }
        Some(kind) if cx.subscriptions.get(&kind).is_some() => Ok(()),
        Some(kind) if pane.staged.contains_key(&kind) => {
            Err("not subscribed yet; {subscriptions.drop} unstages it".into())
        }
        _ => Err("not subscribed".into()),
    }
}

fn can_apply(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    can_stage(pane, cx)?;
    require(!pane.staged.is_empty(), "nothing is staged")
}

/// The priority one step away (negative is higher); `None` at the ends and if the current one is
/// unknown.
fn adjacent_priority(pane: &SubscriptionsPane, cx: &Context, by: isize) -> Option<Priority> {
    let now = pane.current_after(cx)?.priority?;
    let at = Priority::ALL.iter().position(|known| *known == now)?;
    Priority::ALL.get(at.checked_add_signed(by)?).cloned()
}

fn can_shift_priority(pane: &SubscriptionsPane, cx: &Context, by: isize) -> Availability {
    can_change(pane, cx)?;
    let end = if by < 0 {
        "already high"
    } else {
        "already low"
    };
    adjacent_priority(pane, cx, by)
        .map(|_| ())
        .ok_or(end.into())
}

fn shift_priority(pane: &mut SubscriptionsPane, cx: &Context, by: isize) {
    let Some(wanted) = adjacent_priority(pane, cx, by) else {
        return;
    };
    pane.stage_current(cx, |change| change.priority = Some(wanted));
}

/// Turns email on or off; asks who gets it where nobody would.
fn toggle_mail(pane: &mut SubscriptionsPane, cx: &mut Context) {
    let Some(after) = pane.current_after(cx) else {
        return;
    };
    let is_to_nobody = !after.notify_all_members && after.recipient_user_ids.is_empty();
    if !after.has_email() && is_to_nobody && can_choose_people(pane, cx).is_ok() {
        return choose_people(pane, cx, true);
    }
    let channels = after.channels_with_email(!after.has_email());
    pane.stage_current(cx, |change| change.channels = Some(channels));
}

/// Sends the mail to all members or only to chosen ones; asks where nobody would get any.
fn toggle_all_members(pane: &mut SubscriptionsPane, cx: &mut Context) {
    let Some(after) = pane.current_after(cx) else {
        return;
    };
    if after.notify_all_members {
        pane.stage_current(cx, |change| change.notify_all_members = Some(false));
        let is_to_nobody = after.has_email() && after.recipient_user_ids.is_empty();
        if is_to_nobody && can_choose_people(pane, cx).is_ok() {
            choose_people(pane, cx, false);
        }
    } else if after.has_email() {
        pane.stage_current(cx, |change| change.notify_all_members = Some(true));
    } else {
        let option = |label: &str, turns_mail_on| {
            let action = SubscriptionsAction::ChooseAllMembers { turns_mail_on };
            ChoiceOption::new(label, action.into())
        };
        let options = vec![
            option("turn mail on, to all members", true),
            option("leave mail off", false),
        ];
        let title = format!("Mail about {} is off", humanize(after.signal_type.as_str()));
        let choice = Choice::new(title, "staged", options);
        cx.ui.overlay = Some(Overlay::Choice(choice));
    }
}

fn can_choose_people(pane: &SubscriptionsPane, cx: &Context) -> Availability {
    can_change(pane, cx)?;
    require(
        !cx.team.members.is_empty(),
        "the members are not loaded yet; {subscriptions.refresh} loads them",
    )
}

fn choose_people(pane: &mut SubscriptionsPane, cx: &mut Context, turns_mail_on: bool) {
    let Some(kind) = pane.current_type(cx) else {
        return;
    };
    let Some(after) = pane.subscription_after(&kind, cx) else {
        return;
    };
    let entries = cx.team.members.iter().map(|member| PickerEntry {
        key: member.id.to_string(),
        label: member.name(),
        note: member.email.clone().unwrap_or_default(),
        detail: if after.notify_all_members {
            cx.keymap.expand_keys(
                "ignored while all members get the mail; {subscriptions.all} ends that",
            )
        } else {
            String::new()
        },
    });
    let chosen: Vec<String> = after
        .recipient_user_ids
        .iter()
        .map(UserId::to_string)
        .collect();
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let title = format!("Who gets mail about {}", humanize(kind.as_str()));
    cx.ui.overlay = Some(Overlay::Picker(Picker::multi_choice(
        title,
        entries.collect(),
        &chosen,
        true,
        PickerKind::Recipients { turns_mail_on },
    )));
}

fn choose_types(pane: &mut SubscriptionsPane, cx: &mut Context) {
    let entries = cx
        .subscriptions
        .types()
        .iter()
        .filter(|kind| !pane.is_ending(kind))
        .map(|kind| {
            let after = pane.subscription_after(kind, cx);
            let note = after
                .as_ref()
                .map_or("not subscribed", priority_label)
                .to_owned();
            PickerEntry {
                key: kind.as_str().to_owned(),
                note,
                detail: kind.description().to_owned(),
                label: String::new(),
            }
        });
    let mut picker = Picker::multi_choice(
        "Set the priority of".to_owned(),
        entries.collect(),
        &[],
        true,
        PickerKind::Types,
    );
    picker.note = format!("{{picker.mark}} marks; {MAX_BULK_SUBSCRIPTIONS} per call");
    cx.ui.overlay = Some(Overlay::Picker(picker));
}

/// Asks for the priority of the selected types.
fn choose_priority(kinds: &[String], cx: &mut Context) {
    let calls = kinds.len().div_ceil(MAX_BULK_SUBSCRIPTIONS);
    let picks = Priority::ALL.iter().map(|priority| ChoiceOption {
        label: priority.as_str().to_owned(),
        note: String::new(),
        action: SubscriptionsAction::StagePriority(kinds.to_vec(), priority.clone()).into(),
    });
    let title = format!("Priority of {}", pluralize(kinds.len(), "type"));
    let note = if calls > 1 {
        format!("staged; {calls} calls")
    } else {
        "staged".to_owned()
    };
    cx.ui.overlay = Some(Overlay::Choice(Choice::new(title, note, picks.collect())));
}

impl SubscriptionsPane {
    pub fn perform(&mut self, action: SubscriptionsAction, cx: &mut Context) {
        match action {
            SubscriptionsAction::SetRecipients { ids, .. } if ids.len() > MAX_RECIPIENTS => {
                cx.ui.warn(format!(
                    "at most {MAX_RECIPIENTS} people; you selected {}",
                    ids.len()
                ));
            }
            SubscriptionsAction::SetRecipients { ids, turns_mail_on } => {
                self.set_recipients(ids, turns_mail_on, cx)
            }
            SubscriptionsAction::ChooseAllMembers { turns_mail_on } => {
                let after = self.current_after(cx).filter(|_| turns_mail_on);
                let channels = after.map(|after| after.channels_with_email(true));
                self.stage_current(cx, |change| {
                    change.channels = channels.or(change.channels.take());
                    change.notify_all_members = Some(true);
                })
            }
            SubscriptionsAction::ChoosePriority(kinds) => choose_priority(&kinds, cx),
            // It subscribes the types that are not subscribed.
            SubscriptionsAction::StagePriority(kinds, priority) => {
                for kind in kinds {
                    self.stage_change(&SignalType::from(kind.as_str()), cx, |change| {
                        change.priority = Some(priority.clone())
                    });
                }
            }
            SubscriptionsAction::DiscardStaged => {
                self.staged.clear();
                self.write_errors.clear();
                cx.ui.inform("staged changes discarded");
            }
        }
    }

    /// Stages who gets the mail, if others were chosen. It is turned on where that was asked for,
    /// and for people who were chosen and would get none otherwise.
    fn set_recipients(&mut self, ids: Vec<UserId>, turns_mail_on: bool, cx: &Context) {
        let Some(after) = self.current_after(cx) else {
            return;
        };
        // Only members can be chosen.
        let members = cx.team.members.iter().map(|member| &member.id);
        let now: Vec<&UserId> = members
            .filter(|id| after.recipient_user_ids.contains(id))
            .collect();
        let is_changed = now.len() != ids.len() || now.iter().any(|id| !ids.contains(id));
        let is_wanted = turns_mail_on || is_changed && !after.notify_all_members;
        let is_turned_on = is_wanted && !ids.is_empty() && !after.has_email();
        let channels = is_turned_on.then(|| after.channels_with_email(true));
        self.stage_current(cx, |change| {
            change.channels = channels.or(change.channels.take());
            if is_changed {
                change.recipient_user_ids = Some(ids);
            }
        });
    }

    /// The subscription of the type under the cursor after the staged changes are applied.
    fn current_after(&self, cx: &Context) -> Option<Subscription> {
        self.subscription_after(&self.current_type(cx)?, cx)
    }

    /// Adds to the staged change of the type under the cursor.
    fn stage_current(&mut self, cx: &Context, change: impl FnOnce(&mut SubscriptionChange)) {
        if let Some(kind) = self.current_type(cx) {
            self.stage_change(&kind, cx, change);
        }
    }
}
