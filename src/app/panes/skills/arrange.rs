//! Where the Skills stand.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::arrange::{Areas, Spot};
use crate::app::panes::records;
use crate::ui::scroll;

impl App {
    /// The list, and beside it or in its place the Skill that is open.
    pub(in crate::app) fn lay_out_skills(&mut self, areas: &mut Areas, body: Rect) {
        areas.list_and_aside(body, 56, None, self.skills.on_skill);
        let lines = records::draw::rows_area(areas.panel);
        areas.rows = lines;
        areas.click_rows(lines, self.skills.scroll.top, Spot::Row);
        let len = self.skills.list.len();
        self.skills.scroll.clamp_to_list(len, lines.height);
        let (files, text) = draw::parts(self, areas.aside);
        areas.aside_rows = text;
        for (n, row) in (0..files.height).enumerate() {
            areas.click(crate::ui::paint::row_rect(files, row), Spot::Line(n));
        }
        let lines = || draw::text_lines(self, text.width).len();
        let top = self.skills.open.as_ref().map_or(0, |open| scroll::clamp_top(open.top, text.height, lines));
        if let Some(open) = &mut self.skills.open {
            open.top = top;
        }
    }
}
