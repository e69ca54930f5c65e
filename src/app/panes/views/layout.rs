//! Layout of Views.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::effect::ListId;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::records;

impl App {
    /// Places the list of Views, and the records of the open one beside it or in its place.
    pub(in crate::app) fn lay_out_views(&mut self, areas: &mut FrameLayout, body: Rect) {
        areas.split_list_and_side(body, 40, None, self.views.records_focused);
        if let Some(view) = self.views.open {
            (areas.side_panel, areas.map) = self.split_for_map(&ListId::View(view), areas.side_panel);
        }
        areas.side_rows = records::draw::rows_area(areas.side_panel);
        areas.rows = if self.views.records_focused { areas.side_rows } else { records::draw::rows_area(areas.panel) };
        let lines = records::draw::rows_area(areas.panel);
        areas.add_row_targets(lines, self.views.scroll.top, HitTarget::View);
        let len = self.views.list.len();
        self.views.scroll.clamp_to_list(len, lines.height);
        if !areas.side_panel.is_empty() {
            let top = self.displayed_view_records().map_or(0, |list| list.scroll.top);
            areas.add_row_targets(areas.side_rows, top, HitTarget::Row);
        }
    }
}
