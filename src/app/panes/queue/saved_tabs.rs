//! The conditions on loaded rows, and the tabs that a user saves them as.

use super::QueuePane;
use super::messages::{QueueAction, QueuePrompt};
use crate::app::Context;
use crate::app::command::{Availability, require};
use crate::app::context::outbox::undo;
use crate::app::context::queue_settings;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::prompt::Prompt;
use crate::domain::conditions::ConditionLine;
use crate::domain::queue::QueueTab;
use crate::domain::queue_tabs::{ListSettings, MAX_TAB_NAME_CHARS, check_tab_name};
use crate::domain::row_columns::queue_fields;

pub(super) fn open_conditions_prompt(_: &mut QueuePane, cx: &mut Context) {
    let mut text = cx.queue.list_settings().conditions.to_string();
    if !text.is_empty() {
        text.push(' '); // for the next condition
    }
    cx.ui.prompt = Some(Prompt::new("conditions", &text, QueuePrompt::Conditions));
}

/// Clears the filter; a saved tab becomes as it was saved.
pub(super) fn clear_filter(_: &mut QueuePane, cx: &mut Context) {
    let sort = cx.queue.list_settings().sort;
    let settings = match cx.queue.shown_saved_tab() {
        Some(tab) => tab.settings.clone(),
        None => ListSettings {
            sort,
            ..ListSettings::default()
        },
    };
    cx.set_queue_settings(settings);
}

pub(super) fn can_clear_filter(_: &QueuePane, cx: &Context) -> Availability {
    match cx.queue.shown_saved_tab() {
        Some(_) if cx.queue.is_saved_tab_changed() => Ok(()),
        Some(_) => Err("this tab is as it was saved".into()),
        None if cx.queue.is_narrowed() => Ok(()),
        None => Err("no filter is set".into()),
    }
}

pub(super) fn open_save_prompt(_: &mut QueuePane, cx: &mut Context) {
    let refusal = match cx.queue.tab {
        QueueTab::Done => "a tab lists new signals; {tab.previous} goes to New",
        QueueTab::Today => "a tab lists new signals: save one on New",
        QueueTab::New if cx.queue.list_settings().is_empty() => {
            "nothing to save; {queue.filter} filters the list first"
        }
        QueueTab::New => "",
    };
    if !refusal.is_empty() {
        let text = cx.keymap.expand_keys(refusal);
        cx.ui.notice = Some(Notice::refusal(format!("save tab: {text}")));
        // The name may be typed already: its letters are no commands.
        return cx.pressed.guard_next_keys(&mut cx.work);
    }
    let name = match cx.queue.shown_saved_tab() {
        Some(tab) => tab.name.clone(),
        None => {
            let what = cx.queue.list_settings().summarize();
            what.chars().take(MAX_TAB_NAME_CHARS).collect()
        }
    };
    cx.ui.prompt = Some(Prompt::new("save as tab", &name, QueuePrompt::TabName));
}

pub(super) fn has_saved_tab(_: &QueuePane, cx: &Context) -> Availability {
    require(
        cx.queue.shown_saved_tab().is_some(),
        "not a tab of yours; {queue.tab.save} saves a filter as a tab",
    )
}

pub(super) fn confirm_delete_tab(_: &mut QueuePane, cx: &mut Context) {
    if let Some(tab) = cx.queue.shown_saved_tab() {
        let name = tab.name.clone();
        queue_settings::confirm_tab_deletion(&name, &mut cx.ui, &cx.queue);
    }
}

pub(super) fn move_tab_left(_: &mut QueuePane, cx: &mut Context) {
    move_tab(cx, false);
}

pub(super) fn move_tab_right(_: &mut QueuePane, cx: &mut Context) {
    move_tab(cx, true);
}

fn move_tab(cx: &mut Context, is_right: bool) {
    if cx.queue.move_saved_tab(is_right) {
        queue_settings::save_queue_tabs(&mut cx.work, &cx.queue);
    }
}

impl QueuePane {
    pub(super) fn save_tab(&mut self, name: &str, cx: &mut Context) {
        let name = name.trim();
        let known = cx.queue.find_saved_tab(name);
        let shown = cx.queue.shown_saved_tab();
        let is_other = known.is_some() && shown.is_none_or(|shown| shown.name != name);
        let settings = cx.queue.list_settings();
        let fits = known.map_or(Ok(()), |tab| tab.check_settings(&settings));
        let rule = known.and_then(|tab| tab.action.as_ref());
        let rule = rule.map_or_else(String::new, |action| {
            format!(
                " It is a rule, which then proposes for them: {}.",
                action.label()
            )
        });
        if name.is_empty() {
        } else if let Err(why) = check_tab_name(name).and(fits) {
            cx.ui
                .ask_again("save as tab", name, QueuePrompt::TabName, why);
        } else if is_other {
            let text = format!(
                "There is a tab of this name. It gets the filter and the order shown now.{rule}"
            );
            let replace = QueueAction::ReplaceTab(name.to_owned()).into();
            let choice = Choice::confirm_write(&format!("replace the tab {name}"), text, replace);
            cx.ui.overlay = Some(Overlay::Choice(choice));
        } else {
            self.write_tab(name, cx);
        }
    }

    pub(super) fn write_tab(&self, name: &str, cx: &mut Context) {
        cx.queue.save_tab(name);
        cx.save_queue_settings();
        queue_settings::save_queue_tabs(&mut cx.work, &cx.queue);
        let text = format!("tab saved: {name}");
        undo::note_final_act(text.clone(), &mut cx.outbox);
        cx.ui.notice = Some(Notice::success(text).passing());
    }

    /// Replaces the conditions on the loaded rows.
    pub(super) fn set_conditions(&mut self, text: &str, cx: &mut Context) {
        match ConditionLine::parse_checked(text, queue_fields()) {
            Ok(conditions) => {
                let settings = cx.queue.list_settings().with_conditions(conditions);
                cx.set_queue_settings(settings);
            }
            Err(error) => {
                cx.ui
                    .ask_for_line_again(text, QueuePrompt::Conditions, error);
            }
        }
    }
}
