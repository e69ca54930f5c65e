//! Layout of the queue and its preview.

use ratatui::layout::Rect;

use super::{QueuePane, preview};
use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, PaneSize, TALL_MIN_HEIGHT, panel_text_area};
use crate::ui::{paint, scroll};

/// Maximum width of a preview beside the list.
const PREVIEW_MAX_WIDTH: u16 = 60;

impl QueuePane {
    /// The list, with the preview beside or below it; on the smallest screens one row.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        if areas.is_compact {
            areas.rows = body;
        } else {
            self.lay_out_panels(areas, body, cx);
            areas.add_hit_target(areas.side_panel, HitTarget::SidePanel);
        }
        cx.queue.current_tab_mut().clamp_scroll(areas.rows.height);
        let row = cx.queue.current_tab().current_row();
        if !cx.pressed.is_key_held() {
            self.preview.rested_on = row.map(|row| row.signal.id);
        }
        let room = panel_text_area(areas.side_panel);
        let lines = || {
            row.map_or(0, |row| {
                preview::preview_lines(cx, row, room.width, areas.preview_below).len()
            })
        };
        self.preview.top = scroll::clamp_top(self.preview.top, room.height, lines);
        if !areas.is_compact {
            areas.add_row_targets(
                areas.rows,
                cx.queue.current_tab().scroll.top,
                HitTarget::Row,
            );
        }
    }

    fn lay_out_panels(&self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        let (preview, is_visible) = (self.preview, self.preview.is_visible(cx));
        areas.preview_below = preview.below.unwrap_or(!areas.is_wide);
        let strip = if body.height >= 26 { 12 } else { 7 };
        areas.panel = body;
        if is_visible && areas.pane_size == PaneSize::Full {
            (areas.panel, areas.side_panel) = areas.split_columns(body, 64, preview.focused);
        } else if is_visible && !areas.preview_below && body.width >= 80 {
            (areas.panel, areas.side_panel) = areas.split_columns(body, 64, preview.focused);
            // A preview needs no more; the rows do.
            let widest = if areas.pane_size == PaneSize::Normal {
                PREVIEW_MAX_WIDTH
            } else {
                u16::MAX
            };
            let spare = areas.side_panel.width.saturating_sub(widest);
            areas.panel.width += spare;
            areas.side_panel = Rect {
                x: areas.side_panel.x + spare,
                width: areas.side_panel.width - spare,
                ..areas.side_panel
            };
        } else if is_visible
            && areas.preview_below
            && cx.frame.size().1 >= TALL_MIN_HEIGHT
            && body.height > strip + 5
        {
            (areas.panel, areas.side_panel) = areas.split_rows(body, strip, preview.focused);
        }
        let inner = Rect {
            x: areas.panel.x + 1,
            y: areas.panel.y + 1,
            width: areas.panel.width.saturating_sub(2),
            height: areas.panel.height.saturating_sub(2),
        };
        areas.heading = if inner.height >= 9 && inner.width >= 64 {
            paint::row_rect(inner, 0)
        } else {
            Rect { height: 0, ..inner }
        };
        areas.rows = Rect {
            y: inner.y + areas.heading.height,
            height: inner.height.saturating_sub(areas.heading.height),
            ..inner
        };
    }
}
