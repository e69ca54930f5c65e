//! The queue's commands.

use std::collections::BTreeSet;

use super::{rules, saved_tabs, sorting};
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::context::prices;
use crate::app::model::line_order::Line;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::filter_form::FilterForm;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::queue::QueuePane;
use crate::app::panes::queue::messages::{QueueAction, QueuePrompt};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::app::{Context, Screen, format};
use crate::domain::SignalId;
use crate::domain::queue::{Priority, QueueTab};

type Row = PaneCommand<QueuePane>;

/// Why the chosen signals cannot be snoozed, although there are some.
const NONE_TO_SNOOZE: &str = "snooze: these signals are not loaded, or are being marked done";

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("queue.done", &shared::DONE, mark_done)
        .with_hint(1)
        .with_immediate_write()
        .available_when(can_mark_done),
    Row::at("queue.new", &shared::NEW, put_back)
        .with_hint(2)
        .with_immediate_write()
        .available_when(can_put_back),
    Row::at("queue.snooze", &shared::SNOOZE, snooze)
        .with_hint(3)
        .available_when(can_snooze),
    Row::new(
        "queue.rules",
        &["@"],
        "rules",
        "propose what your rules say, row by row",
        rules::propose,
    )
    .with_write()
    .available_when(rules::can_propose),
    Row::at("queue.open", &shared::OPEN, open)
        .with_description("open the signal, or expand a closed thread")
        .with_price("1 cr once per project", |_, cx| {
            let row = cx.queue.current_tab().current_row();
            match row.filter(|_| open_hint(cx) == "open") {
                Some(row) => prices::opened_project_price(
                    row.signal.project_id,
                    &cx.frame,
                    &cx.records.fetched,
                ),
                None => Price::Free,
            }
        })
        .with_hint_text(2, |_, cx| Some(open_hint(cx)))
        .available_when(has_line),
    Row::new(
        "queue.mark.filter",
        &["* A"],
        "all rows",
        "load all rows of this filter and mark them",
        sorting::load_and_mark_all,
    )
    .available_when(sorting::can_mark_all),
    Row::at("queue.why", &shared::WHY, show_priority_reason)
        .with_hint(20)
        .available_when(has_row),
    Row::new(
        "queue.describe",
        &["i"],
        "describe",
        "read what is being built in the visible rows; with conditions on it, in all loaded rows",
        |_, cx| {
            cx.offer_descriptions();
        },
    )
    .with_cost("price not stated")
    .available_when(has_loaded_row),
    Row::at("queue.filter", &shared::FILTER, open_filter)
        .with_description("filter by type, priority, city or text")
        .with_hint(5),
    Row::at(
        "queue.filter.clear",
        &shared::NO_FILTER,
        saved_tabs::clear_filter,
    )
    .available_when(saved_tabs::can_clear_filter),
    Row::new(
        "queue.conditions",
        &["& &"],
        "conditions",
        "edit the conditions on the loaded rows",
        saved_tabs::open_conditions_prompt,
    ),
    Row::new(
        "queue.tab.save",
        &["S"],
        "save tab",
        "save this filter as a tab",
        saved_tabs::open_save_prompt,
    ),
    Row::new(
        "queue.tab.left",
        &["{"],
        "tab left",
        "move your tab to the left",
        saved_tabs::move_tab_left,
    )
    .available_when(saved_tabs::has_saved_tab),
    Row::new(
        "queue.tab.right",
        &["}"],
        "tab right",
        "move your tab to the right",
        saved_tabs::move_tab_right,
    )
    .available_when(saved_tabs::has_saved_tab),
    Row::at(
        "queue.tab.delete",
        &shared::DELETE,
        saved_tabs::confirm_delete_tab,
    )
    .with_words("delete tab", "delete your tab; no signal changes")
    .available_when(saved_tabs::has_saved_tab),
    Row::new(
        "queue.priority",
        &["!"],
        "priority",
        "cycle: high, high + medium, all",
        cycle_priority,
    ),
    Row::new(
        "queue.load.all",
        &["L"],
        "load all",
        "load all rows of the list",
        sorting::load_all,
    )
    .available_when(sorting::can_load_all),
    Row::new(
        "queue.row",
        &["#"],
        "row",
        "go to a row by its number",
        open_row_prompt,
    )
    .available_when(has_line),
    Row::new(
        "queue.preview",
        &["p"],
        "preview",
        "show or hide the preview",
        |pane, cx| {
            let is_visible = !pane.preview.is_visible(cx);
            if !is_visible && cx.frame.layout().side_panel.is_empty() {
                let text = "there is no room for the preview here";
                return cx.ui.notice = Some(Notice::refusal(text));
            }
            pane.preview.visible = Some(is_visible);
            pane.preview.focused &= is_visible;
        },
    ),
    Row::new(
        "queue.preview.move",
        &["P"],
        "move preview",
        "move the preview beside or below the list",
        |pane, cx| {
            pane.preview.below = Some(!cx.frame.layout().preview_below);
            pane.preview.visible = Some(true);
        },
    ),
    Row::at("queue.preview.focus", &shared::OTHER_PANE, |pane, _| {
        pane.preview.focused = !pane.preview.focused;
    })
    .with_hint_text(4, |pane, _| pane.preview.focused.then_some("to list"))
    .available_when(has_preview),
    Row::at("queue.preview.down", &shared::PANEL_DOWN, |pane, _| {
        pane.scroll_side_panel(1);
    })
    .with_hint_text(4, |pane, _| pane.preview.focused.then_some("scroll")),
    Row::at("queue.preview.up", &shared::PANEL_UP, |pane, _| {
        pane.scroll_side_panel(-1);
    }),
];

fn has_row(_: &QueuePane, cx: &Context) -> Availability {
    require(
        cx.queue.current_tab().current_row().is_some(),
        "no signals here",
    )
}

/// Also where conditions hide every row.
fn has_loaded_row(_: &QueuePane, cx: &Context) -> Availability {
    require(
        cx.queue.current_tab().list.loaded_count() > 0,
        "no signals here",
    )
}

fn has_line(_: &QueuePane, cx: &Context) -> Availability {
    require(!cx.queue.current_tab().is_empty(), "no signals here")
}

fn has_preview(_: &QueuePane, cx: &Context) -> Availability {
    require(
        !cx.frame.layout().side_panel.is_empty(),
        "the preview is not visible; {queue.preview} shows it if there is room",
    )
}

fn can_mark_done(_: &QueuePane, cx: &Context) -> Availability {
    can_triage(cx, QueueTab::New, "already done")
}

fn can_put_back(_: &QueuePane, cx: &Context) -> Availability {
    can_triage(cx, QueueTab::Done, "already new")
}

fn can_triage(cx: &Context, tab: QueueTab, already: &'static str) -> Availability {
    let chosen = cx.queue.current_tab().selection();
    // A snoozed signal is new: it can be marked done, and moved back to New, which ends the snooze.
    let is_snoozed = |id: &SignalId| cx.queue.snoozes.get(*id).is_some();
    let can_move = match cx.queue.tab {
        QueueTab::Today => {
            tab == QueueTab::New || chosen.is_empty() || chosen.iter().any(is_snoozed)
        }
        shown => shown == tab,
    };
    if !can_move {
        return Err(already.into());
    }
    require(!chosen.is_empty(), "no signals here")
}

/// Snoozes are local: they need no permission to write.
fn can_snooze(_: &QueuePane, cx: &Context) -> Availability {
    match cx.queue.tab {
        QueueTab::Done => Err("only new signals can be snoozed".into()),
        _ if cx.queue.previous_queue_for(QueueTab::New).is_some() => {
            Err("these rows are from the last session".into())
        }
        _ if !cx.queue.current_tab().has_selection() => Err("no signals here".into()),
        _ => Ok(()),
    }
}

fn snooze(_: &mut QueuePane, cx: &mut Context) {
    match cx.snoozable_selection() {
        ids if ids.is_empty() => cx.ui.notice = Some(Notice::refusal(NONE_TO_SNOOZE)),
        ids => cx.ask_snooze(ids),
    }
}

fn mark_done(_: &mut QueuePane, cx: &mut Context) {
    let ids = cx.queue.current_tab().selection();
    cx.triage(QueueTab::New, ids);
}

fn put_back(_: &mut QueuePane, cx: &mut Context) {
    let ids = cx.queue.current_tab().selection();
    if cx.queue.tab == QueueTab::Today {
        cx.end_snoozes(&ids)
    } else {
        cx.triage(QueueTab::Done, ids)
    }
}

/// What Enter does on the line under the cursor.
fn open_hint(cx: &Context) -> &'static str {
    let tab = cx.queue.current_tab();
    match tab.line_at(tab.scroll.cursor) {
        Some(Line::Gap { .. }) => "read",
        Some(line) if tab.group_on(line).is_some_and(|group| !group.is_open) => "expand",
        Some(Line::Heading(_)) if tab.current_row().is_none() => "fold",
        _ => "open",
    }
}

fn open(_: &mut QueuePane, cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    match tab.line_at(tab.scroll.cursor) {
        // The rows under the cursor are read anyway, unless a read failed.
        Some(Line::Gap { .. }) => tab.allow_retry(),
        Some(line) if tab.group_on(line).is_some_and(|group| !group.is_open) => tab.toggle_fold(),
        Some(Line::Heading(_)) if tab.current_row().is_none() => tab.toggle_fold(),
        _ if tab.current_row().is_some() => cx.work.perform(Action::OpenSignal),
        _ => cx.ui.warn("open: this row is not loaded"),
    }
}

fn show_priority_reason(_: &mut QueuePane, cx: &mut Context) {
    let row = cx.queue.current_tab().current_row().cloned();
    cx.explain_priority(row);
}

fn open_filter(_: &mut QueuePane, cx: &mut Context) {
    cx.ui.overlay = Some(Overlay::Filter(FilterForm::new(&cx.queue.filter)));
}

fn cycle_priority(_: &mut QueuePane, cx: &mut Context) {
    let priority = match cx.queue.filter.priority.len() {
        0 => [Priority::High].into(),
        1 => [Priority::High, Priority::Medium].into(),
        _ => BTreeSet::new(),
    };
    let mut settings = cx.queue.list_settings();
    settings.filter.priority = priority;
    cx.set_queue_settings(settings);
}

fn open_row_prompt(_: &mut QueuePane, cx: &mut Context) {
    cx.ui.prompt = Some(Prompt::new("row", "", QueuePrompt::Row));
}

impl QueuePane {
    pub fn perform(&mut self, action: QueueAction, cx: &mut Context) {
        match action {
            QueueAction::LoadAll => sorting::load_all_now(cx),
            QueueAction::ApplyRules(ids) => self.apply_rules(&ids, cx),
            QueueAction::ReplaceTab(name) => self.write_tab(&name, cx),
            QueueAction::ShowAging(days) => self.show_aging(days, cx),
            QueueAction::ShowMine => sorting::show_mine(cx),
            QueueAction::Snooze(until) => self.snooze_until(&until, cx),
            QueueAction::LoadAndMarkAll => {
                sorting::load_all_now(cx);
                cx.queue.current_tab_mut().marks_when_loaded = true;
            }
        }
    }

    /// Snoozes the selection of the queue, or the open signal, until a time that is known already.
    fn snooze_until(&self, until: &str, cx: &mut Context) {
        let has_signals = matches!(cx.ui.screen(), Screen::Queue | Screen::Detail);
        let availability = if has_signals {
            can_snooze(self, cx)
        } else {
            Err("only in the queue".into())
        };
        match availability {
            Ok(()) => match cx.snoozable_selection() {
                ids if ids.is_empty() => cx.ui.notice = Some(Notice::refusal(NONE_TO_SNOOZE)),
                ids => cx.snooze(ids, until),
            },
            Err(why) => cx.ui.warn(format!("snooze: {why}")),
        }
    }

    pub fn on_prompt(&mut self, prompt: QueuePrompt, text: &str, cx: &mut Context) {
        match prompt {
            // No conditions are an answer, too.
            _ if text.is_empty() && prompt != QueuePrompt::Conditions => {}
            QueuePrompt::Row => self.go_to_row(text, cx),
            QueuePrompt::TabName => self.save_tab(text, cx),
            QueuePrompt::Conditions => self.set_conditions(text, cx),
        }
    }

    /// Goes to the row with this number, loaded or not.
    fn go_to_row(&mut self, number: &str, cx: &mut Context) {
        let tab = cx.queue.current_tab_mut();
        let digits: String = number.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
        match digits.parse::<usize>() {
            Ok(row) if (1..=tab.list.len()).contains(&row) => {
                tab.move_to_row(row - 1);
                self.preview.top = 0;
            }
            _ => {
                let all = format::pluralize(tab.list.total(), "row");
                cx.ui.warn(format!("no row {number}: the list has {all}"));
            }
        }
    }
}
