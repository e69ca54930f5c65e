//! Layout of a record's page.

use ratatui::layout::Rect;

use super::{RecordPage, draw};
use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::ui::scroll;

/// The first tab: the facts are a tab only where they are not shown beside the tabs.
pub(super) fn first_tab(areas: &FrameLayout) -> usize {
    usize::from(!areas.side_panel.is_empty())
}

impl RecordPage {
    /// Places the facts, and the related records beside them or in their place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        areas.panel = body;
        if areas.is_wide {
            // The side panel never repeats the facts: it shows the first list instead.
            self.tab = self.tab.max(1);
            (areas.panel, areas.side_panel) = areas.split_columns(body, 46, self.related_focused);
            areas.side_has_focus = self.related_focused;
            areas.side_scroll_track = areas.side_panel;
        } else {
            areas.side_has_focus = self.current_include().is_some();
            areas.side_scroll_track = areas.panel;
        }
        areas.rows = panel_text_area(areas.panel);
        let rows = panel_text_area(areas.side_scroll_track);
        // A heading above the list, and below it the price of Enter.
        areas.side_rows =
            Rect { y: rows.y + 1, height: rows.height.saturating_sub(2), ..rows }.intersection(areas.side_scroll_track);
        for (area, tab) in draw::tab_areas(self, areas, cx) {
            areas.add_hit_target(area, HitTarget::PaneTab(tab));
        }
        areas.entry_count = draw::side_panel_len(self, areas, cx);
        self.related_scroll.clamp_to_list(areas.entry_count, areas.side_rows.height);
        self.top = scroll::clamp_top(self.top, areas.rows.height, || draw::text_lines(self, areas, cx).len());
        if areas.side_has_focus || areas.is_wide {
            areas.add_row_targets(areas.side_rows, self.related_scroll.top, HitTarget::Row);
        }
    }
}
