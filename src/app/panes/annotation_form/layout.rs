//! Layout of the annotation form.

use ratatui::layout::Rect;

use super::draw;
use crate::app::App;
use crate::app::layout::FrameLayout;

impl App {
    /// Places the form beside the pane, below it, or in its place; returns the area left to the pane.
    pub(in crate::app) fn lay_out_annotation_form(&mut self, areas: &mut FrameLayout, body: Rect) -> Rect {
        let Some(mut sheet) = self.annotation_form.take() else { return body };
        let (pane, area) = areas.split_for_overlay(body);
        areas.form = area;
        sheet.inputs.note.set_width(draw::value_width(area));
        areas.form_preview = draw::form_areas(self, &sheet, area).preview_rows();
        areas.form_preview_lines = draw::preview_lines(self, &sheet, areas.form_preview.width).len();
        sheet.top = sheet.top.min(areas.form_preview_lines.saturating_sub(usize::from(areas.form_preview.height)));
        self.annotation_form = Some(sheet);
        pane
    }
}
