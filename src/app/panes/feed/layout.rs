//! Layout of the feed.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, PaneSize, WIDE_MIN_WIDTH, panel_text_area};
use crate::app::panes::feed::{FeedPane, draw};
use crate::ui::{panel, scroll};

/// Height of the side panel when it is below the list.
const PANEL_HEIGHT: u16 = 8;

impl FeedPane {
    /// The list, with the side panel beside it, below it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        // A panel that is only beside the list has nothing to cover.
        self.panel_open &= body.width < WIDE_MIN_WIDTH || areas.pane_size != PaneSize::Normal;
        let is_stacked = !self.panel_open || areas.pane_size == PaneSize::Wide;
        let below = is_stacked.then_some(PANEL_HEIGHT);
        if self.rows.is_empty() && body.width < WIDE_MIN_WIDTH {
            areas.panel = body;
        } else {
            areas.split_list_and_side(body, 68, below, self.panel_open);
        }
        areas.rows = panel::rows_area(areas.panel);
        areas.side_rows = panel_text_area(areas.side_panel).intersection(areas.side_panel);
        self.lines.clamp(areas.rows.height);
        let (top, len) = (self.lines.scroll.top, self.lines.len());
        let left = u16::try_from(len - top.min(len)).unwrap_or(u16::MAX);
        let rows = Rect {
            height: areas.rows.height.min(left),
            ..areas.rows
        };
        areas.add_row_targets(rows, top, HitTarget::Row);
        let (width, height, is_below) = (
            areas.side_rows.width,
            areas.side_rows.height,
            areas.preview_below,
        );
        let lines = || draw::panel_lines(self, cx, width, is_below).len();
        self.panel_top = scroll::clamp_top(self.panel_top, height, lines);
    }
}
