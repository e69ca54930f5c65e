//! Marks rows of the queue: one, a range, all that are shown, or those that have something in
//! common.

use super::frequency::column_values;
use crate::app::Context;
use crate::app::list_change::MarkChange;
use crate::domain::SignalId;
use crate::domain::queue::QueueSignal;
use crate::domain::row_fields::RowField;

pub(super) fn change_marks(change: MarkChange<'_>, cx: &mut Context) {
    if change == MarkChange::Range {
        return toggle_range(cx);
    }
    let ids = ids_to_mark(change, cx);
    let (changed, tab) = (ids.len(), cx.queue.current_tab_mut());
    change.apply(&mut tab.marks, ids);
    if change == MarkChange::None {
        tab.range_anchor = None;
    }
    cx.report_marks_changed(change, changed, cx.marks_label());
}

/// The ids of the rows that a change of marks is about.
fn ids_to_mark(change: MarkChange<'_>, cx: &Context) -> Vec<SignalId> {
    let tab = cx.queue.current_tab();
    match change {
        MarkChange::Row => tab.ids_under_cursor(),
        MarkChange::Invert | MarkChange::All => tab.shown_ids().collect(),
        MarkChange::Matches(query) => {
            let write = |row: &QueueSignal, text: &mut String| cx.queue.write_row_text(row, text);
            let mut is_match = query.row_matcher(write);
            let found = tab.shown_rows().filter(|row| is_match(row));
            found.map(|row| row.signal.id).collect()
        }
        MarkChange::Having(filter) => {
            let here = tab.current_row().and_then(|row| row.signal.project_id);
            if filter.column.key == RowField::Project.name() && here.is_some() {
                // two projects may have one name
                let rows = tab.shown_rows();
                let rows = rows.filter(|row| row.signal.project_id == here);
                return rows.map(|row| row.signal.id).collect();
            }
            let values = column_values(cx, filter.column.key);
            let rows = tab.shown_ids().zip(values);
            rows.filter(|(_, values)| filter.matches(values))
                .map(|(id, _)| id)
                .collect()
        }
        MarkChange::Range | MarkChange::None => Vec::new(),
    }
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
