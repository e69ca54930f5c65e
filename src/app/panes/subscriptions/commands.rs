//! The subscriptions' commands: they stage changes, which only Ctrl-s sends.

use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::format::humanize;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::pending_writes::WriteOp;
use crate::app::records::LoadState;
use crate::domain::UserId;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{EMAIL_CHANNEL, MAX_BULK_SUBSCRIPTIONS, MAX_RECIPIENTS, StagedChange, SubscriptionChange};

/// In the order of the help screen.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "subscriptions.open",
        &["Enter", "l", "Right"],
        "open",
        "show the type's settings, saved and staged",
        Scope::Subscriptions,
        |app| {
            app.subscriptions.panel_open = true;
        },
    )
    .with_hint(9)
    .available_when(can_open),
    AppCommand::new(
        "subscriptions.subscribe",
        &["Space"],
        "subscribe",
        "subscribe to the type (staged) and move down",
        Scope::Subscriptions,
        |app| {
            with_current_type(app, |subs, kind| subs.stage_change(kind, |_| {}));
            app.perform(Action::MoveCursor(1));
        },
    )
    .with_hint(1)
    .with_write()
    .available_when(can_subscribe),
    AppCommand::new("subscriptions.raise", &["+"], "raise", "raise the priority (staged)", Scope::Subscriptions, |app| {
        shift_priority(app, -1)
    })
    .with_hint(2)
    .with_write()
    .available_when(|app| can_shift_priority(app, -1)),
    AppCommand::new("subscriptions.lower", &["-"], "lower", "lower the priority (staged)", Scope::Subscriptions, |app| {
        shift_priority(app, 1)
    })
    .with_hint(3)
    .with_write()
    .available_when(|app| can_shift_priority(app, 1)),
    AppCommand::new(
        "subscriptions.mail",
        &["c"],
        "mail",
        "turn mail for the type on or off (staged)",
        Scope::Subscriptions,
        toggle_mail,
    )
    .with_hint(4)
    .with_write()
    .available_when(can_change),
    AppCommand::new(
        "subscriptions.all",
        &["A"],
        "all members",
        "notify all members or only selected ones (staged)",
        Scope::Subscriptions,
        |app| {
            with_current_type(app, |subs, kind| {
                let on = subs.subscription_after(kind).is_some_and(|it| it.notify_all_members);
                subs.stage_change(kind, |change| change.notify_all_members = Some(!on));
            });
        },
    )
    .with_hint(5)
    .with_write()
    .available_when(can_change),
    AppCommand::new(
        "subscriptions.recipients",
        &["r"],
        "people",
        "choose who is notified (staged)",
        Scope::Subscriptions,
        choose_people,
    )
    .with_hint(6)
    .with_write()
    .available_when(can_choose_people),
    AppCommand::new(
        "subscriptions.bulk",
        &["B"],
        "bulk",
        "set the priority of several types at once (staged)",
        Scope::Subscriptions,
        choose_types,
    )
    .with_hint(7)
    .with_write()
    .available_when(can_stage),
    AppCommand::new(
        "subscriptions.end",
        &["D"],
        "unsubscribe",
        "unsubscribe from the type (staged); you see the effect first",
        Scope::Subscriptions,
        |app| {
            with_current_type(app, |subs, kind| subs.stage(kind, &StagedChange::Unsubscribe));
        },
    )
    .with_hint(8)
    .with_write()
    .available_when(can_unsubscribe),
    AppCommand::new("subscriptions.drop", &["x"], "unstage", "discard the type's staged changes", Scope::Subscriptions, |app| {
        with_current_type(app, |subs, kind| subs.unstage(kind));
    })
    .with_hint(11)
    .available_when(|app| current_staged_type(app).map(|_| ())),
    AppCommand::new(
        "subscriptions.apply",
        &["Ctrl-s"],
        "apply",
        "send staged changes in the fewest calls",
        Scope::Subscriptions,
        App::apply_subscriptions,
    )
    .with_hint(10)
    .with_immediate_write()
    .available_when(can_apply),
    AppCommand::new("subscriptions.down", &["J"], "down", "scroll the side panel down", Scope::Subscriptions, |app| {
        app.subscriptions.top = app.subscriptions.top.saturating_add(1);
    }),
    AppCommand::new("subscriptions.up", &["K"], "up", "scroll the side panel up", Scope::Subscriptions, |app| {
        app.subscriptions.top = app.subscriptions.top.saturating_sub(1);
    }),
    AppCommand::new(
        "subscriptions.refresh",
        &["R"],
        "refresh",
        "refresh the subscriptions",
        Scope::Subscriptions,
        App::read_subscriptions,
    ),
    AppCommand::new("subscriptions.copy", &["y i", "y n"], "type", "copy the type name", Scope::Subscriptions, |app| {
        app.copy_to_clipboard("type", app.subscriptions.current_type().map(|kind| kind.as_str().to_owned()));
    }),
    AppCommand::new("subscriptions.json", &["y j"], "JSON", "copy the subscription as JSON", Scope::Subscriptions, |app| {
        let now =
            app.subscriptions.current_type().and_then(|kind| serde_json::to_string_pretty(app.subscriptions.get(&kind)?).ok());
        app.copy_to_clipboard("subscription", now);
    }),
];

fn with_current_type(app: &mut App, act: impl FnOnce(&mut super::SubscriptionsPane, &SignalType)) {
    if let Some(kind) = app.subscriptions.current_type() {
        act(&mut app.subscriptions, &kind);
    }
}

fn can_open(app: &App) -> Availability {
    if app.layout.side_panel.is_empty() { Ok(()) } else { Err("it is already shown".into()) }
}

/// Changes can be staged: the list is loaded, and no change is in flight.
fn can_stage(app: &App) -> Availability {
    app.can_write()?;
    app.caller_permissions().check_write()?;
    if app.subscriptions.load != LoadState::Ready {
        return Err("the subscriptions are not loaded yet".into());
    }
    if app.pending_writes.any_pending(|part| matches!(part, WriteOp::Subscription(..))) {
        return Err("staged changes are being sent".into());
    }
    Ok(())
}

/// The type under the cursor is subscribed, or will be.
fn can_change(app: &App) -> Availability {
    can_stage(app)?;
    match app.subscriptions.current_type() {
        Some(kind) if app.subscriptions.is_ending(&kind) => {
            Err(app.keymap.expand_keys("unsubscribe is staged; {subscriptions.drop} unstages it").into())
        }
        Some(kind) if app.subscriptions.subscription_after(&kind).is_some() => Ok(()),
        _ => Err(app.keymap.expand_keys("not subscribed; {subscriptions.subscribe} subscribes").into()),
    }
}

fn can_subscribe(app: &App) -> Availability {
    can_stage(app)?;
    match app.subscriptions.current_type() {
        Some(kind) if app.subscriptions.is_ending(&kind) => {
            Err(app.keymap.expand_keys("unsubscribe is staged; {subscriptions.drop} unstages it").into())
        }
        Some(kind) if app.subscriptions.get(&kind).is_some() => {
            Err(app.keymap.expand_keys("already subscribed; {subscriptions.end} unsubscribes").into())
        }
        Some(kind) if app.subscriptions.staged.contains_key(&kind) => {
            Err(app.keymap.expand_keys("already staged; {subscriptions.drop} unstages it").into())
        }
        _ => Ok(()),
    }
}

fn current_staged_type(app: &App) -> Result<SignalType, std::borrow::Cow<'static, str>> {
    match app.subscriptions.current_type().filter(|kind| app.subscriptions.staged.contains_key(kind)) {
        Some(_) if app.pending_writes.any_pending(|part| matches!(part, WriteOp::Subscription(..))) => {
            Err("it is being sent".into())
        }
        Some(kind) => Ok(kind),
        None => Err("nothing is staged for this type".into()),
    }
}

fn can_unsubscribe(app: &App) -> Availability {
    can_stage(app)?;
    match app.subscriptions.current_type() {
        Some(kind) if app.subscriptions.is_ending(&kind) => {
            Err(app.keymap.expand_keys("already staged; {subscriptions.drop} unstages it").into())
        }
        Some(kind) if app.subscriptions.get(&kind).is_some() => Ok(()),
        Some(kind) if app.subscriptions.staged.contains_key(&kind) => {
            Err(app.keymap.expand_keys("not subscribed yet; {subscriptions.drop} unstages it").into())
        }
        _ => Err("not subscribed".into()),
    }
}

fn can_apply(app: &App) -> Availability {
    can_stage(app)?;
    if app.subscriptions.staged.is_empty() { Err("nothing is staged".into()) } else { Ok(()) }
}

/// The priority one step away (negative is higher); `None` at the ends and if the current one is unknown.
fn adjacent_priority(app: &App, by: isize) -> Option<Priority> {
    let now = app.subscriptions.subscription_after(&app.subscriptions.current_type()?)?.priority?;
    let at = Priority::ALL.iter().position(|known| *known == now)?;
    Priority::ALL.get(at.checked_add_signed(by)?).cloned()
}

fn can_shift_priority(app: &App, by: isize) -> Availability {
    can_change(app)?;
    let end = if by < 0 { "already high" } else { "already low" };
    adjacent_priority(app, by).map(|_| ()).ok_or(end.into())
}

fn shift_priority(app: &mut App, by: isize) {
    let Some(wanted) = adjacent_priority(app, by) else { return };
    with_current_type(app, |subs, kind| subs.stage_change(kind, |change| change.priority = Some(wanted)));
}

/// Turns email on or off; channels unknown to this program stay.
fn toggle_mail(app: &mut App) {
    with_current_type(app, |subs, kind| {
        let Some(after) = subs.subscription_after(kind) else { return };
        let mut channels: Vec<String> = after.channels.iter().filter(|channel| *channel != EMAIL_CHANNEL).cloned().collect();
        if !after.has_email() {
            channels.insert(0, EMAIL_CHANNEL.to_owned());
        }
        subs.stage_change(kind, |change| change.channels = Some(channels));
    });
}

fn can_choose_people(app: &App) -> Availability {
    can_change(app)?;
    if app.members.is_empty() {
        Err(app.keymap.expand_keys("the members are not loaded yet; {subscriptions.refresh} loads them").into())
    } else {
        Ok(())
    }
}

fn choose_people(app: &mut App) {
    let Some(kind) = app.subscriptions.current_type() else { return };
    let Some(after) = app.subscriptions.subscription_after(&kind) else { return };
    let entries = app.members.iter().map(|member| PickerEntry {
        key: member.id.to_string(),
        label: member.name(),
        note: member.email.clone().unwrap_or_default(),
        detail: if after.notify_all_members {
            app.keymap.expand_keys("ignored while all members are notified; {subscriptions.all} ends that")
        } else {
            String::new()
        },
    });
    let chosen: Vec<String> = after.recipient_user_ids.iter().map(UserId::to_string).collect();
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let title = format!("Recipients for {}", humanize(kind.as_str()));
    app.overlay = Some(Overlay::Picker(Picker::multi_choice(title, entries.collect(), &chosen, true, PickerKind::Recipients)));
}

fn choose_types(app: &mut App) {
    let subs = &app.subscriptions;
    let entries = subs.types().into_iter().filter(|kind| !subs.is_ending(kind)).map(|kind| {
        let after = subs.subscription_after(&kind);
        let note = after.as_ref().map_or("not subscribed", super::side_panel::priority_label).to_owned();
        PickerEntry { key: kind.as_str().to_owned(), note, detail: kind.description().to_owned(), label: String::new() }
    });
    let mut picker = Picker::multi_choice("Set the priority of".to_owned(), entries.collect(), &[], true, PickerKind::Types);
    picker.note = format!("{{picker.mark}} marks; {MAX_BULK_SUBSCRIPTIONS} per call");
    app.overlay = Some(Overlay::Picker(picker));
}

impl App {
    /// Stages the selected recipients for the type under the cursor.
    pub(in crate::app) fn stage_recipients(&mut self, ids: &[String]) {
        let ids: Vec<UserId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        if ids.len() > MAX_RECIPIENTS {
            self.notice = Some(Notice::warning(format!("at most {MAX_RECIPIENTS} people; you selected {}", ids.len())));
            return;
        }
        with_current_type(self, |subs, kind| subs.stage_change(kind, |change| change.recipient_user_ids = Some(ids)));
    }

    /// Asks for the priority of the selected types.
    pub(in crate::app) fn choose_subscription_priority(&mut self, kinds: Vec<String>) {
        let calls = kinds.len().div_ceil(MAX_BULK_SUBSCRIPTIONS);
        let picks = Priority::ALL.iter().map(|priority| ChoiceOption {
            label: priority.as_str().to_owned(),
            note: String::new(),
            action: Action::StagePriority(kinds.clone(), priority.clone()),
        });
        let title = format!("Priority of {}", crate::app::format::pluralize(kinds.len(), "type"));
        let note = if calls > 1 { format!("staged; {calls} calls") } else { "staged".to_owned() };
        self.overlay = Some(Overlay::Choice(Choice::new(title, note, picks.collect())));
    }

    /// Stages a priority for types; it subscribes those that are not subscribed.
    pub(in crate::app) fn stage_subscription_priority(&mut self, kinds: &[String], priority: &Priority) {
        for kind in kinds {
            let set = |change: &mut SubscriptionChange| change.priority = Some(priority.clone());
            self.subscriptions.stage_change(&SignalType::from(kind.as_str()), set);
        }
    }
}
