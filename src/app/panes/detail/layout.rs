//! Layout of a signal's detail.

use ratatui::layout::Rect;

use super::draw;
use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, PaneTab, panel_text_area};
use crate::ui::{area, scroll};

impl Context {
    /// The text, with the timeline beside it or in its place.
    pub(in crate::app) fn lay_out_detail(&mut self, areas: &mut FrameLayout, body: Rect) {
        let Some(on_timeline) = self.detail.as_ref().map(|detail| (detail.timeline_focused, detail.tab)) else { return };
        areas.panel = body;
        if areas.is_wide {
            (areas.panel, areas.timeline) = area::split_columns(body, 58);
            areas.timeline_has_focus = on_timeline.0;
        } else if on_timeline.1 == super::DetailTab::Timeline {
            areas.timeline = body;
            areas.timeline_has_focus = true;
        }
        areas.rows = panel_text_area(areas.panel);
        areas.timeline_rows = panel_text_area(areas.timeline);
        let paid = self.detail.as_ref().and_then(|detail| self.records.project(detail.row.signal.project_id));
        areas.entry_count = paid.map_or(0, |paid| paid.project_details.signals.len());
        for (area, tab) in draw::tab_areas(self, areas.panel, areas.is_wide) {
            areas.add_hit_target(area, HitTarget::Tab(PaneTab::Detail(tab)));
        }
        if areas.timeline_rows.height > 0 {
            let top = self.detail.as_ref().map_or(0, |detail| detail.timeline_scroll.top);
            areas.add_row_targets(areas.timeline_rows, top, HitTarget::Row);
        }
    }

    /// Keeps the detail's scroll positions within their content.
    pub(in crate::app) fn clamp_detail_scroll(&mut self) {
        let (height, entries, rows) = (self.layout.rows.height, self.layout.entry_count, self.layout.timeline_rows.height);
        let lines = || draw::text_lines(self).len();
        let top = self.detail.as_ref().map_or(0, |detail| scroll::clamp_top(detail.top, height, lines));
        if let Some(detail) = &mut self.detail {
            detail.top = top;
            detail.timeline_scroll.clamp_to_list(entries, rows);
        }
    }
}
