//! Layout of the Skills pane.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::records;
use crate::ui::scroll;

impl App {
    /// The list, with the open Skill beside it or in its place.
    pub(in crate::app) fn lay_out_skills(&mut self, areas: &mut FrameLayout, body: Rect) {
        areas.split_list_and_side(body, 56, None, self.skills.skill_focused);
        let lines = records::draw::rows_area(areas.panel);
        areas.rows = lines;
        areas.add_row_targets(lines, self.skills.scroll.top, HitTarget::Row);
        let len = self.skills.list.len();
        self.skills.scroll.clamp_to_list(len, lines.height);
        let (files, text) = draw::split_open_skill(self, areas.side_panel);
        areas.side_rows = text;
        for (n, row) in (0..files.height).enumerate() {
            areas.add_hit_target(crate::ui::paint::row_rect(files, row), HitTarget::BuilderLine(n));
        }
        let lines = || draw::text_lines(self, text.width).len();
        let top = self.skills.open.as_ref().map_or(0, |open| scroll::clamp_top(open.top, text.height, lines));
        if let Some(open) = &mut self.skills.open {
            open.top = top;
        }
    }
}
