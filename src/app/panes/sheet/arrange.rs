//! Where the sheet stands.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::arrange::Areas;

impl App {
    /// The sheet beside the pane, below it, or in its place; answers the room that the pane keeps.
    pub(in crate::app) fn lay_out_sheet(&mut self, areas: &mut Areas, body: Rect) -> Rect {
        let Some(mut sheet) = self.sheet.take() else { return body };
        let (pane, area) = areas.beside(body);
        areas.sheet = area;
        sheet.form.note.set_width(draw::value_width(area));
        areas.sheet_preview = draw::parts(self, &sheet, area).preview();
        areas.sheet_lines = draw::preview(self, &sheet, areas.sheet_preview.width).len();
        sheet.top = sheet.top.min(areas.sheet_lines.saturating_sub(usize::from(areas.sheet_preview.height)));
        self.sheet = Some(sheet);
        pane
    }
}
