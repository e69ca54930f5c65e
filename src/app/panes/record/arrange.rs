//! Where a record's page stands.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::arrange::{Areas, Spot, Tab, text_room};
use crate::ui::{area, scroll};

impl App {
    /// The facts, and beside them or in their place what is around the record.
    pub(in crate::app) fn lay_out_record(&mut self, areas: &mut Areas, body: Rect) {
        areas.panel = body;
        let is_wide = areas.is_wide;
        if let Some(page) = self.trail.page_mut() {
            // Beside the facts stands always something: the first list rather than the facts again.
            if is_wide && page.tab == 0 {
                page.tab = 1;
            }
            areas.keys_beside = if is_wide { page.on_related } else { page.include().is_some() };
        }
        if is_wide {
            (areas.panel, areas.aside) = area::split_columns(body, 46);
        }
        areas.rows = text_room(areas.panel);
        areas.aside_track = if is_wide { areas.aside } else { areas.panel };
        let rows = text_room(areas.aside_track);
        // A heading above the list, and below it what Enter would do for which price.
        areas.aside_rows = Rect { y: rows.y + 1, height: rows.height.saturating_sub(2), ..rows }.intersection(areas.aside_track);
        for (area, tab) in draw::tab_areas_of(self, areas.aside_track, is_wide) {
            areas.click(area, Spot::Tab(Tab::Record(tab)));
        }
        if areas.keys_beside || is_wide {
            let top = self.trail.page().map_or(0, |page| page.related.top);
            areas.click_rows(areas.aside_rows, top, Spot::Row);
        }
    }
    /// Holds the page's scrolls within what there is.
    pub(in crate::app) fn settle_record(&mut self) {
        self.areas.entries = draw::beside_len(self, self.areas.aside_rows.width);
        let (entries, height) = (self.areas.entries, self.areas.aside_rows.height);
        let lines = || draw::text_lines(self).len();
        let top = self.trail.page().map_or(0, |page| scroll::clamp_top(page.top, self.areas.rows.height, lines));
        if let Some(page) = self.trail.page_mut() {
            page.related.clamp_to_list(entries, height);
            page.top = top;
        }
    }
}
