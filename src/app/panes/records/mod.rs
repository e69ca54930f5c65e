//! A list of records, as three screens show it: its commands, its rows and its map. It acts on the
//! list that has the focus.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod list;
pub(crate) mod map;
mod prices;
pub(in crate::app) mod sort_choice;

#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod saved_tests;
#[cfg(test)]
mod tests;

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::context::record_columns;
use crate::app::effect::ListId;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::ui::panel;

/// Places a list and its map inside `area`. Returns the panel of the list and its rows.
pub fn lay_out(
    id: &ListId,
    area: Rect,
    target: fn(usize) -> HitTarget,
    areas: &mut FrameLayout,
    cx: &mut Context,
) -> (Rect, Rect) {
    let (panel, map) = cx.split_for_map(id, area);
    areas.map = map;
    let rows = panel::rows_area(panel);
    lay_out_rows(id, rows, target, areas, cx);
    (panel, rows)
}

/// Scrolls a list to its cursor, and adds a click target for each row.
pub fn lay_out_rows(
    id: &ListId,
    rows: Rect,
    target: fn(usize) -> HitTarget,
    areas: &mut FrameLayout,
    cx: &mut Context,
) {
    record_columns::arrange_records(id, &mut cx.records.lists, &cx.settings);
    let Some(list) = cx.records.lists.get_mut(id) else {
        return;
    };
    list.update_marked_totals();
    list.lines.clamp(rows.height);
    areas.add_row_targets(rows, list.lines.scroll.top, target);
}
