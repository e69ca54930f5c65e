//! Where a signal's detail stands.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::arrange::{Areas, Spot, Tab, text_room};
use crate::ui::{area, scroll};

impl App {
    /// The text, and beside it or in its place the timeline.
    pub(in crate::app) fn lay_out_detail(&mut self, areas: &mut Areas, body: Rect) {
        let Some(on_timeline) = self.detail.as_ref().map(|detail| (detail.on_timeline, detail.tab)) else { return };
        areas.panel = body;
        if areas.is_wide {
            (areas.panel, areas.timeline) = area::split_columns(body, 58);
            areas.keys_on_timeline = on_timeline.0;
        } else if on_timeline.1 == super::Tab::Timeline {
            areas.timeline = body;
            areas.keys_on_timeline = true;
        }
        areas.rows = text_room(areas.panel);
        areas.timeline_rows = text_room(areas.timeline);
        let paid = self.detail.as_ref().and_then(|detail| self.paid(detail.row.signal.project_id));
        areas.entries = paid.map_or(0, |paid| paid.dossier.signals.len());
        for (area, tab) in draw::tab_areas(self, areas.panel, areas.is_wide) {
            areas.click(area, Spot::Tab(Tab::Detail(tab)));
        }
        if areas.timeline_rows.height > 0 {
            let top = self.detail.as_ref().map_or(0, |detail| detail.timeline.top);
            areas.click_rows(areas.timeline_rows, top, Spot::Row);
        }
    }

    /// Holds the detail's scroll within what there is to read.
    pub(in crate::app) fn settle_detail(&mut self) {
        let (height, entries, rows) = (self.areas.rows.height, self.areas.entries, self.areas.timeline_rows.height);
        let lines = || draw::text_lines(self).len();
        let top = self.detail.as_ref().map_or(0, |detail| scroll::clamp_top(detail.top, height, lines));
        if let Some(detail) = &mut self.detail {
            detail.top = top;
            detail.timeline.clamp_to_list(entries, rows);
        }
    }
}
