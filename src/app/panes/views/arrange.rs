//! Where the Views stand.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::arrange::{Areas, Spot};
use crate::app::panes::records;

impl App {
    /// The list of Views, and beside it or in its place the records of the one that is open.
    pub(in crate::app) fn lay_out_views(&mut self, areas: &mut Areas, body: Rect) {
        areas.list_and_aside(body, 40, None, self.views.on_records);
        if let Some(view) = self.views.open {
            (areas.aside, areas.map) = self.split_for_map(&records::Shown::View(view), areas.aside);
        }
        areas.aside_rows = records::draw::rows_area(areas.aside);
        areas.rows = if self.views.on_records { areas.aside_rows } else { records::draw::rows_area(areas.panel) };
        let lines = records::draw::rows_area(areas.panel);
        areas.click_rows(lines, self.views.scroll.top, Spot::View);
        let len = self.views.list.len();
        self.views.scroll.clamp_to_list(len, lines.height);
        if !areas.aside.is_empty() {
            let top = self.views.records().map_or(0, |list| list.scroll.top);
            areas.click_rows(areas.aside_rows, top, Spot::Row);
        }
    }
}
