//! Layout of a record's page.

use ratatui::layout::Rect;

use super::{RecordPage, draw};
use crate::app::Context;
use crate::app::context::record_lists;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::ui::{area, scroll};

/// The first tab: the facts are a tab only where they are not shown beside the tabs.
pub(super) fn first_tab(areas: &FrameLayout) -> usize {
    usize::from(!areas.side_panel.is_empty())
}

/// From this height on, a map has room below the facts.
const MAP_MIN_HEIGHT: u16 = 16;

impl RecordPage {
    /// Whether the facts are on the screen: beside the tabs, or as one of them.
    fn shows_facts(&self, areas: &FrameLayout) -> bool {
        !areas.side_panel.is_empty() || self.tab == 0
    }

    /// Places the facts, and the related records beside them or in their place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        areas.panel = body;
        if self.related_focused.is_none() && self.fetched(cx).is_some() {
            let filled = self.first_filled_tab(cx);
            self.related_focused = Some(filled.is_some());
            if let Some(tab) = filled.filter(|_| areas.is_wide) {
                self.tab = tab;
            }
        }
        if areas.is_wide {
            // The side panel never repeats the facts: it shows the first list instead.
            self.tab = self.tab.max(1);
            areas.side_has_focus = self.related_focused.unwrap_or_default();
            (areas.panel, areas.side_panel) = areas.split_columns(body, 46, areas.side_has_focus);
            areas.side_scroll_track = areas.side_panel;
        } else {
            areas.side_has_focus = self.current_include().is_some();
        }
        let has_place = self
            .fetched(cx)
            .is_some_and(|paid| paid.location().is_some());
        if record_lists::is_map_shown(&cx.settings)
            && has_place
            && areas.panel.height >= MAP_MIN_HEIGHT
            && self.shows_facts(areas)
        {
            (areas.panel, areas.map) =
                area::split_rows(areas.panel, areas.panel.height - areas.panel.height * 2 / 5);
        }
        areas.rows = panel_text_area(areas.panel);
        if !areas.is_wide {
            areas.side_scroll_track = areas.panel;
        }
        let rows = panel_text_area(areas.side_scroll_track);
        // A heading above the list, and below it the price of Enter.
        areas.side_rows = Rect {
            y: rows.y + 1,
            height: rows.height.saturating_sub(2),
            ..rows
        }
        .intersection(areas.side_scroll_track);
        for (area, tab) in draw::tab_areas(self, areas, cx) {
            areas.add_hit_target(area, HitTarget::PaneTab(tab));
        }
        if self.arranged_tab != Some(self.tab)
            || self.lines.row_count() != self.related_records(cx).len()
        {
            self.arrange_related(cx);
            self.arranged_tab = Some(self.tab);
        }
        areas.entry_count = draw::side_panel_len(self, areas, cx);
        match self.current_include() {
            Some(_) => self.lines.clamp(areas.side_rows.height),
            None => {
                self.side_top =
                    scroll::clamp_top(self.side_top, areas.side_rows.height, || areas.entry_count)
            }
        }
        self.top = scroll::clamp_top(self.top, areas.rows.height, || {
            draw::text_lines(self, areas, cx).len()
        });
        if areas.side_has_focus || areas.is_wide {
            areas.add_row_targets(areas.side_rows, self.lines.scroll.top, HitTarget::Row);
        }
    }
}
