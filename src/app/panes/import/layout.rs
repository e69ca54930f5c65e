//! Layout of the import: the list, and the line under the cursor beside or below it.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::app::panes::import::ImportPane;
use crate::ui::panel;

/// Height of the side panel when it is below the list.
const PANEL_HEIGHT: u16 = 8;

impl ImportPane {
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, _cx: &Context) {
        if self.row_count() == 0 {
            areas.panel = body;
        } else {
            areas.split_list_and_side(body, 66, Some(PANEL_HEIGHT), false);
        }
        areas.rows = panel::rows_area(areas.panel);
        areas.side_rows = panel_text_area(areas.side_panel).intersection(areas.side_panel);
        self.lines.clamp(areas.rows.height);
        let (top, len) = (self.lines.scroll.top, self.lines.len());
        let left = u16::try_from(len - top.min(len)).unwrap_or(u16::MAX);
        let rows = Rect {
            height: areas.rows.height.min(left),
            ..areas.rows
        };
        areas.add_row_targets(rows, top, HitTarget::Row);
    }
}
