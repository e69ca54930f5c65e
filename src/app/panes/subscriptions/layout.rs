//! Layout of the subscriptions.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::app::panes::subscriptions::SubscriptionsPane;
use crate::ui::{panel, scroll};

/// Height of the side panel when it is below the list.
const PANEL_HEIGHT: u16 = 9;

impl SubscriptionsPane {
    /// The list, with the side panel beside it, below it or in its place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        areas.split_list_and_side(body, 60, Some(PANEL_HEIGHT), self.panel_open);
        areas.rows = panel::rows_area(areas.panel);
        areas.side_rows = panel_text_area(areas.side_panel).intersection(areas.side_panel);
        let len = cx.subscriptions.types().len();
        self.lines.clamp(areas.rows.height);
        let top = self.lines.scroll.top;
        let rows = Rect {
            height: areas
                .rows
                .height
                .min(u16::try_from(len - top.min(len)).unwrap_or(u16::MAX)),
            ..areas.rows
        };
        areas.add_row_targets(rows, top, HitTarget::Row);
        let lines = || {
            self.panel_lines(areas.side_rows.width, areas.preview_below, cx)
                .len()
        };
        self.top = scroll::clamp_top(self.top, areas.side_rows.height, lines);
    }
}
