//! Sorts the loaded rows of the queue, and loads the rows that are not.

use super::{QueuePane, columns};
use crate::app::command::{Availability, require};
use crate::app::context::queue;
use crate::app::format::{format_count, pluralize};
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::queue::MAX_ROWS_REFRESHED;
use crate::app::model::signal_list::MAX_ROWS_IN_MEMORY;
use crate::app::notice::Notice;
use crate::app::overlay::picker::USUAL_ORDER;
use crate::app::panes::queue::messages::QueueAction;
use crate::app::{Context, format};
use crate::domain::conditions::ConditionLine;
use crate::domain::queue::QueueTab;
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_columns::{parse_sort, queue_fields};

/// From this many requests on, reading all rows needs a confirmation.
const MANY_READS: u64 = 10;

/// The columns that the current list can be sorted by, the most useful first.
pub(super) fn sort_columns(cx: &Context) -> Vec<ColumnSpec> {
    let is_done = cx.queue.tab == QueueTab::Done;
    let first = if is_done {
        ["when", "who"]
    } else {
        ["days", "cost"]
    };
    let mut columns = columns::list_columns(cx).columns;
    columns.retain(|column| is_done || !columns::is_of_triage(column));
    columns.sort_by_key(|column| {
        let place = first.iter().position(|key| *key == column.key);
        place.unwrap_or(first.len())
    });
    columns
}

/// Which rows of the current list are sorted.
pub(super) fn sort_note(cx: &Context) -> String {
    let tab = cx.queue.current_tab();
    match tab.unread_count() {
        0 => "all rows are loaded".to_owned(),
        unread if tab.list.len() <= MAX_ROWS_REFRESHED => {
            format!(
                "loads {} first ({})",
                pluralize(unread, "more row"),
                pluralize(tab.reads_for_all(), "request")
            )
        }
        _ => format!(
            "only the {} loaded rows",
            format_count(tab.list.loaded_count() as u64)
        ),
    }
}

/// Shows the new signals on accounts and projects of the user, instead of other conditions.
pub(super) fn show_mine(cx: &mut Context) {
    let names = cx.team.own_names();
    if names.is_empty() {
        return cx.ui.warn("the service has not said yet who you are");
    }
    cx.queue.show_own_tab(QueueTab::New);
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let conditions = format!("owner={}", names.join(","));
    match ConditionLine::parse_checked(&conditions, queue_fields()) {
        Ok(conditions) => cx.set_queue_settings(ListSettings {
            conditions,
            ..cx.queue.list_settings()
        }),
        Err(why) => cx.ui.warn(why),
    }
}

impl QueuePane {
    /// Shows the new signals that leave the queue within these days, soonest first, instead of
    /// other conditions.
    pub(super) fn show_aging(&mut self, days: i64, cx: &mut Context) {
        // New, not one of the saved tabs.
        cx.queue.show_own_tab(QueueTab::New);
        match ConditionLine::parse_checked(&format!("days<={days}"), queue_fields()) {
            Ok(conditions) => {
                cx.set_queue_settings(ListSettings {
                    conditions,
                    ..cx.queue.list_settings()
                });
                self.sort("days:asc", cx);
            }
            Err(error) => cx.ui.warn(error),
        }
    }

    /// Sorts the current list as the answer says.
    pub(super) fn sort(&mut self, answer: &str, cx: &mut Context) {
        let sort = match parse_sort(answer) {
            _ if answer == USUAL_ORDER => None,
            Ok(sort) => Some(sort),
            Err(error) => {
                cx.ui.warn(error);
                return;
            }
        };
        cx.queue
            .arrange(cx.queue.tab, |arrangement| arrangement.sort = sort);
        cx.save_queue_settings();
        let order = sort.map_or_else(
            || "in the usual order".to_owned(),
            |sort| columns::list_columns(cx).describe_sort(sort),
        );
        let tab = cx.queue.current_tab_mut();
        tab.read_all_up_to = if sort.is_some() {
            tab.read_all_up_to.max(MAX_ROWS_REFRESHED)
        } else {
            0
        };
        self.preview.top = 0;
        cx.ui.notice = Some(
            match sort.is_some() && !tab.reads_all() && tab.unread_count() > 0 {
                false => Notice::info(order),
                true => {
                    let (loaded, all) = (
                        format_count(tab.list.loaded_count() as u64),
                        pluralize(tab.list.total(), "row"),
                    );
                    Notice::info(format!("{order}: only the {loaded} loaded of {all}"))
                        .with_hint("{queue.load.all} loads all")
                }
            },
        );
    }
}

pub(super) fn can_load_all(_: &QueuePane, cx: &Context) -> Availability {
    let tab = cx.queue.current_tab();
    require(tab.unread_count() != 0, "all rows are loaded")?;
    if tab.list.len() > MAX_ROWS_IN_MEMORY {
        let (all, most) = (
            pluralize(tab.list.total(), "row"),
            format_count(MAX_ROWS_IN_MEMORY as u64),
        );
        return Err(
            format!("the list has {all}; at most {most} can be loaded: filter it first").into(),
        );
    }
    Ok(())
}

/// Whether all rows are loaded or can be.
pub(super) fn can_mark_all(pane: &QueuePane, cx: &Context) -> Availability {
    match cx.queue.current_tab() {
        tab if tab.list.is_empty() => Err("no signals here".into()),
        tab if tab.unread_count() == 0 => Ok(()),
        _ => can_load_all(pane, cx),
    }
}

/// Marks all rows of the filter, once they are loaded.
pub(super) fn load_and_mark_all(_: &mut QueuePane, cx: &mut Context) {
    if cx.queue.current_tab().unread_count() == 0 {
        queue::mark_shown_rows(&mut cx.ui, &mut cx.queue);
    } else {
        load_or_confirm(cx, QueueAction::LoadAndMarkAll);
    }
}

/// Loads all rows; asks first when that takes many requests.
pub(super) fn load_all(_: &mut QueuePane, cx: &mut Context) {
    load_or_confirm(cx, QueueAction::LoadAll);
}

fn load_or_confirm(cx: &mut Context, action: QueueAction) {
    let tab = cx.queue.current_tab();
    let reads = tab.reads_for_all();
    if reads < MANY_READS {
        return cx.work.perform(action);
    }
    let (rows, requests) = (
        format::pluralize(tab.unread_count(), "row"),
        pluralize(reads, "request"),
    );
    let text = format!(
        "{rows} are not loaded yet: {requests}.\nThe service does not state what reading the queue costs."
    );
    cx.ui
        .confirm("Load all rows?", text, format!("load {rows}"), action);
}

pub(super) fn load_all_now(cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    tab.read_all_up_to = MAX_ROWS_IN_MEMORY;
    tab.allow_retry();
    let text = format!("loading {}", pluralize(tab.unread_count(), "more row"));
    cx.ui.notice = Some(Notice::info(text).with_hint("{cancel} stops"));
}
