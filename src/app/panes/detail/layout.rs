//! Layout of a signal's detail.

use ratatui::layout::Rect;

use super::{DetailPane, DetailTab, draw};
use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::ui::{panel, scroll};

const SPACIOUS_WIDTH: u16 = 160;

impl DetailPane {
    /// The text, with the timeline beside it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        if self.signal.is_none() {
            return;
        }
        areas.panel = body;
        if areas.is_wide {
            // Facts are short: on a wide screen what each filing says gets the room.
            let share = if body.width >= SPACIOUS_WIDTH { 46 } else { 58 };
            (areas.panel, areas.side_panel) =
                areas.split_columns(body, share, self.timeline_focused);
            areas.side_has_focus = self.timeline_focused;
        } else {
            self.timeline_focused = self.tab == DetailTab::Timeline;
            if self.timeline_focused {
                areas.side_panel = body;
                areas.side_has_focus = true;
            }
        }
        areas.rows = panel_text_area(areas.panel);
        areas.side_rows = panel::rows_area(areas.side_panel);
        let lists_people = self.tab == DetailTab::People && !self.participants.is_empty();
        if lists_people {
            areas.rows = panel::rows_area(areas.panel);
            self.participant_lines.clamp(areas.rows.height);
            let top = self.participant_lines.scroll.top;
            areas.add_row_targets(areas.rows, top, HitTarget::Row);
        }
        for (index, (area, _)) in draw::tab_areas(areas).into_iter().enumerate() {
            areas.add_hit_target(area, HitTarget::PaneTab(index));
        }
        let top = self.signal.as_ref().map_or(0, |open| open.top);
        let top = scroll::clamp_top(top, areas.rows.height, || {
            draw::text_lines(self, areas, cx).len()
        });
        if let Some(open) = &mut self.signal {
            open.top = top;
        }
        self.timeline.clamp(areas.side_rows.height);
        let top = self.timeline.scroll.top;
        areas.add_row_targets(areas.side_rows, top, HitTarget::SideRow);
    }
}
