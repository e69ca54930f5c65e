//! Layout of Views.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::records;
use crate::app::panes::views::ViewsPane;
use crate::ui::panel;

impl ViewsPane {
    /// Places the list of Views, and the records of the open one beside it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        areas.split_list_and_side(
            body,
            if self.records_focused { 32 } else { 50 },
            None,
            self.records_focused || self.shown_definition.is_some(),
        );
        let rows = panel::rows_area(areas.panel);
        self.lines.clamp(rows.height);
        areas.add_row_targets(rows, self.lines.scroll.top, HitTarget::Row);
        if let Some(id) = self.open_list_id().filter(|_| self.shows_records(cx)) {
            (areas.side_panel, areas.side_rows) =
                records::lay_out(&id, areas.side_panel, HitTarget::SideRow, areas, cx);
        }
        areas.rows = if self.records_focused {
            areas.side_rows
        } else {
            rows
        };
    }
}
