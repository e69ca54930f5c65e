//! Layout of the annotation form.

use ratatui::layout::Rect;

use super::{AnnotationFormPane, draw};
use crate::app::Context;
use crate::app::layout::FrameLayout;

impl AnnotationFormPane {
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, area: Rect, cx: &Context) {
        let Some(form) = &mut self.form else { return };
        (areas.form, self.area) = (area, area);
        form.inputs.note.set_width(draw::value_width(area));
        self.preview_rows = draw::form_areas(cx, form, area).preview_rows();
        self.preview_len = draw::preview_lines(cx, form, self.preview_rows.width).len();
        form.top = form.top.min(
            self.preview_len
                .saturating_sub(usize::from(self.preview_rows.height)),
        );
    }
}
