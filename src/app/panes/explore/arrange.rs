//! Where Explore stands.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::arrange::{Areas, Spot};
use crate::app::panes::records;
use crate::ui::area;

impl App {
    /// The builder over a list, beside it, below it or in its place; answers the room that the list keeps.
    pub(in crate::app) fn lay_out_narrow(&mut self, areas: &mut Areas, body: Rect) -> Rect {
        if self.explore.narrow.is_none() {
            return body;
        }
        let (pane, area) = areas.beside(body);
        areas.narrow = area;
        for (area, at) in draw::line_areas(self, area) {
            areas.click(area, Spot::Line(at));
        }
        pane
    }

    /// The builder, and beside it or in its place the results.
    pub(in crate::app) fn lay_out_explore(&mut self, areas: &mut Areas, body: Rect) {
        (areas.panel, areas.aside) = match (areas.is_wide, self.explore.on_results || self.explore.as_json) {
            (true, _) => area::split_columns(body, 52),
            (false, true) => (Rect::default(), body),
            (false, false) => (body, Rect::default()),
        };
        if let Some(run) = self.explore.shown.filter(|_| !self.explore.as_json) {
            (areas.aside, areas.map) = self.split_for_map(&records::Shown::Explore(run), areas.aside);
        }
        let (results, _) = draw::split(self, areas.aside);
        areas.aside_rows = records::draw::rows_area(results);
        areas.rows = if self.explore.on_results { areas.aside_rows } else { areas.panel };
        if !areas.panel.is_empty() {
            for (area, at) in draw::line_areas(self, areas.panel) {
                areas.click(area, Spot::Line(at));
            }
        }
        if let Some(run) = self.explore.shown_run().filter(|_| !self.explore.as_json) {
            areas.click_rows(areas.aside_rows, run.records.scroll.top, Spot::Row);
        }
    }
}
