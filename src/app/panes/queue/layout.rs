//! Layout of the queue and its preview.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, TALL_MIN_HEIGHT};
use crate::ui::{area, paint};

impl Context {
    /// The list, with the preview beside or below it.
    pub(in crate::app) fn lay_out_queue(&mut self, areas: &mut FrameLayout, body: Rect) {
        let preview = self.queue.preview;
        areas.preview_below = preview.below.unwrap_or(!areas.is_wide);
        let strip = if body.height >= 26 { 12 } else { 7 };
        areas.panel = body;
        if !preview.hidden && !areas.preview_below && body.width >= 80 {
            (areas.panel, areas.preview) = area::split_columns(body, 64);
        } else if !preview.hidden && areas.preview_below && self.size.1 >= TALL_MIN_HEIGHT && body.height > strip + 5 {
            (areas.panel, areas.preview) = area::split_rows(body, strip);
        }
        let inner = Rect {
            x: areas.panel.x + 1,
            y: areas.panel.y + 1,
            width: areas.panel.width.saturating_sub(2),
            height: areas.panel.height.saturating_sub(2),
        };
        areas.heading =
            if inner.height >= 9 && inner.width >= 64 { paint::row_rect(inner, 0) } else { Rect { height: 0, ..inner } };
        areas.rows =
            Rect { y: inner.y + areas.heading.height, height: inner.height.saturating_sub(areas.heading.height), ..inner };
        areas.add_row_targets(areas.rows, self.queue.current_tab().scroll.top, HitTarget::Row);
        areas.add_hit_target(areas.preview, HitTarget::Preview);
    }
}
