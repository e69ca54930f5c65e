//! Layout of the Skills pane.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::skills::{SkillsPane, draw};
use crate::ui::{panel, scroll};

impl SkillsPane {
    /// The list, with the open Skill beside it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        areas.split_list_and_side(body, 56, None, self.skill_focused);
        let lines = panel::rows_area(areas.panel);
        areas.rows = lines;
        self.lines.clamp(lines.height);
        areas.add_row_targets(lines, self.lines.scroll.top, HitTarget::Row);
        let (files, text) = draw::split_open_skill(self, cx, areas.side_panel);
        areas.side_rows = text;
        let first = self
            .open
            .as_ref()
            .map_or(0, |open| open.first_visible_file(files.height));
        areas.add_row_targets(files, first, HitTarget::SideRow);
        let lines = || draw::text_lines(self, text.width).len();
        let top = self
            .open
            .as_ref()
            .map_or(0, |open| scroll::clamp_top(open.top, text.height, lines));
        if let Some(open) = &mut self.open {
            open.top = top;
        }
    }
}
