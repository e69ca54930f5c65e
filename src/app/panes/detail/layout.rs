//! Layout of a signal's detail.

use ratatui::layout::Rect;

use super::{DetailPane, DetailTab, draw};
use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::ui::scroll;

impl DetailPane {
    /// The text, with the timeline beside it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        let Some(open) = &self.signal else { return };
        areas.panel = body;
        if areas.is_wide {
            (areas.panel, areas.side_panel) = areas.split_columns(body, 58, self.timeline_focused);
            areas.side_has_focus = self.timeline_focused;
        } else if self.tab == DetailTab::Timeline {
            areas.side_panel = body;
            areas.side_has_focus = true;
        }
        areas.rows = panel_text_area(areas.panel);
        areas.side_rows = panel_text_area(areas.side_panel);
        areas.entry_count = open
            .project(cx)
            .map_or(0, |paid| paid.project_details.signals.len());
        for (index, (area, _)) in draw::tab_areas(areas).into_iter().enumerate() {
            areas.add_hit_target(area, HitTarget::PaneTab(index));
        }
        let top = scroll::clamp_top(open.top, areas.rows.height, || {
            draw::text_lines(self, areas, cx).len()
        });
        let Some(open) = &mut self.signal else { return };
        open.top = top;
        open.timeline_scroll
            .clamp_to_list(areas.entry_count, areas.side_rows.height);
        if areas.side_rows.height > 0 {
            areas.add_row_targets(areas.side_rows, open.timeline_scroll.top, HitTarget::Row);
        }
    }
}
