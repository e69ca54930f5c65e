//! Marks rows of the queue: one, a range, all that are shown, or those that have something in
//! common.

use std::collections::BTreeSet;

use super::QueuePane;
use crate::app::Context;
use crate::app::action::Action;
use crate::app::list_change::MarkChange;
use crate::domain::SignalId;
use crate::domain::queue::{Priority, QueueSignal};
use crate::domain::text_query::TextQuery;

pub(super) fn change_marks(change: MarkChange<'_>, cx: &mut Context) {
    match change {
        MarkChange::Row => mark_line(cx),
        MarkChange::Range => toggle_range(cx),
        MarkChange::Invert => invert_marks(cx),
        MarkChange::All => cx.mark_shown_rows(),
        MarkChange::Matches(query) => mark_matches(query, cx),
        MarkChange::None => {
            let tab = cx.queue.current_tab_mut();
            tab.marks.clear();
            tab.range_anchor = None;
        }
    }
}

fn mark_line(cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    let ids = tab.ids_under_cursor();
    if ids.iter().all(|id| tab.marks.contains(id)) {
        ids.iter().for_each(|id| {
            tab.marks.remove(id);
        });
    } else {
        tab.marks.extend(ids);
    }
    cx.perform(Action::MoveCursor(1));
}

fn toggle_range(cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    if tab.range_anchor.is_some() {
        let ids = tab.range_ids();
        let has_gaps = tab.unread_in_range() > 0;
        tab.marks.extend(ids);
        tab.range_anchor = None;
        if has_gaps {
            cx.report_marks();
        }
    } else {
        tab.range_anchor = tab.current_row().map(|row| row.signal.id);
    }
}

fn invert_marks(cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    let loaded: BTreeSet<SignalId> = tab.shown_rows().map(|row| row.signal.id).collect();
    tab.marks = &tab.marks ^ &loaded;
    cx.report_marks();
}

fn mark_rows_where(cx: &mut Context, wanted: impl Fn(&QueueSignal) -> bool) {
    let tab = cx.queue.current_tab_mut();
    let ids: Vec<SignalId> = tab
        .shown_rows()
        .filter(|row| wanted(row))
        .map(|row| row.signal.id)
        .collect();
    tab.marks.extend(&ids);
    cx.report_marks();
}

fn mark_matches(query: &TextQuery, cx: &mut Context) {
    let (mut matcher, mut text) = (query.matcher(), String::new());
    let is_match = |row: &&QueueSignal| {
        text.clear();
        cx.queue.write_row_text(row, &mut text);
        matcher.matches(&text)
    };
    let tab = cx.queue.current_tab();
    let found: Vec<SignalId> = tab
        .shown_rows()
        .filter(is_match)
        .map(|row| row.signal.id)
        .collect();
    if found.is_empty() {
        return cx.report_no_match(query);
    }
    cx.queue.current_tab_mut().marks.extend(&found);
    cx.report_marks();
}

pub(super) fn mark_project(_: &mut QueuePane, cx: &mut Context) {
    mark_matching(cx, |row| &row.signal.project_id);
}

pub(super) fn mark_type(_: &mut QueuePane, cx: &mut Context) {
    mark_matching(cx, |row| &row.signal.signal_type);
}

/// Marks the rows with the same value as the row under the cursor; a row without a value only
/// matches itself.
fn mark_matching<T: Clone + PartialEq>(cx: &mut Context, of: fn(&QueueSignal) -> &Option<T>) {
    let Some((id, same)) = cx
        .queue
        .current_tab()
        .current_row()
        .map(|row| (row.signal.id, of(row).clone()))
    else {
        return;
    };
    mark_rows_where(cx, |row| {
        row.signal.id == id || same.is_some() && *of(row) == same
    });
}

pub(super) fn mark_high(_: &mut QueuePane, cx: &mut Context) {
    mark_rows_where(cx, |row| row.priority == Some(Priority::High));
}
