//! Layout of a record's page.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::layout::{FrameLayout, HitTarget, PaneTab, panel_text_area};
use crate::ui::{area, scroll};

impl App {
    /// Places the facts, and the related records beside them or in their place.
    pub(in crate::app) fn lay_out_record(&mut self, areas: &mut FrameLayout, body: Rect) {
        areas.panel = body;
        let is_wide = areas.is_wide;
        if let Some(page) = self.page_stack.page_mut() {
            // The side panel never repeats the facts: it shows the first list instead.
            if is_wide && page.tab == 0 {
                page.tab = 1;
            }
            areas.side_has_focus = if is_wide { page.related_focused } else { page.current_include().is_some() };
        }
        if is_wide {
            (areas.panel, areas.side_panel) = area::split_columns(body, 46);
        }
        areas.rows = panel_text_area(areas.panel);
        areas.side_scroll_track = if is_wide { areas.side_panel } else { areas.panel };
        let rows = panel_text_area(areas.side_scroll_track);
        // A heading above the list, and below it the price of Enter.
        areas.side_rows =
            Rect { y: rows.y + 1, height: rows.height.saturating_sub(2), ..rows }.intersection(areas.side_scroll_track);
        for (area, tab) in draw::tab_areas_at_width(self, areas.side_scroll_track, is_wide) {
            areas.add_hit_target(area, HitTarget::Tab(PaneTab::Record(tab)));
        }
        if areas.side_has_focus || is_wide {
            let top = self.page_stack.page().map_or(0, |page| page.related_scroll.top);
            areas.add_row_targets(areas.side_rows, top, HitTarget::Row);
        }
    }
    /// Clamps the page's scroll positions to its content.
    pub(in crate::app) fn clamp_record_page_scroll(&mut self) {
        self.layout.entry_count = draw::side_panel_len(self, self.layout.side_rows.width);
        let (entries, height) = (self.layout.entry_count, self.layout.side_rows.height);
        let lines = || draw::text_lines(self).len();
        let top = self.page_stack.page().map_or(0, |page| scroll::clamp_top(page.top, self.layout.rows.height, lines));
        if let Some(page) = self.page_stack.page_mut() {
            page.related_scroll.clamp_to_list(entries, height);
            page.top = top;
        }
    }
}
