//! Marks rows of the queue: one, a range, all that are shown, or those that have something in
//! common.

use super::QueueList;
use crate::app::Context;
use crate::app::context::{list_marks, queue};
use crate::app::focused_list::rows_to_mark;
use crate::app::list_change::MarkChange;
use crate::app::model::queue::THREAD_COLUMN;
use crate::domain::SignalId;

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
    list_marks::report_marks_changed(
        change,
        changed,
        queue::marks_label(&cx.queue),
        &mut cx.ui,
        &mut cx.work,
    );
}

/// The ids of the rows that a change of marks is about.
fn ids_to_mark(change: MarkChange<'_>, cx: &Context) -> Vec<SignalId> {
    let tab = cx.queue.current_tab();
    let here = tab.current_row().and_then(|row| row.signal.project_id);
    if let MarkChange::Having(filter) = change
        && filter.column.key == THREAD_COLUMN
        && here.is_some()
    {
        // two projects may have one name
        let rows = tab.shown_rows();
        let rows = rows.filter(|row| row.signal.project_id == here);
        return rows.map(|row| row.signal.id).collect();
    }
    let has_focus = true;
    let slots = rows_to_mark(&QueueList { cx, has_focus }, change).into_iter();
    slots.filter_map(|slot| tab.list.id_at(slot)).collect()
}

fn toggle_range(cx: &mut Context) {
    let tab = cx.queue.current_tab_mut();
    if tab.range_anchor.is_some() {
        let ids = tab.range_ids();
        let has_gaps = tab.unread_in_range() > 0;
        tab.marks.extend(ids);
        tab.range_anchor = None;
        if has_gaps {
            queue::report_marks(&mut cx.ui, &cx.queue);
        }
    } else {
        tab.range_anchor = tab.current_row().map(|row| row.signal.id);
    }
}
