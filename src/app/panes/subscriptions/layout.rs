//! Layout of the subscriptions.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::layout::{FrameLayout, HitTarget, panel_text_area};
use crate::app::panes::records::draw::rows_area;
use crate::ui::scroll;

/// Height of the side panel when it is below the list.
const PANEL_HEIGHT: u16 = 9;

impl App {
    /// The list, with the side panel beside it, below it or in its place.
    pub(in crate::app) fn lay_out_subscriptions(&mut self, areas: &mut FrameLayout, body: Rect) {
        areas.split_list_and_side(body, 60, Some(PANEL_HEIGHT), self.subscriptions.panel_open);
        areas.rows = rows_area(areas.panel);
        areas.side_rows = panel_text_area(areas.side_panel).intersection(areas.side_panel);
        let len = self.subscriptions.types().len();
        self.subscriptions.scroll.clamp_to_list(len, areas.rows.height);
        let top = self.subscriptions.scroll.top;
        let rows = Rect { height: areas.rows.height.min(u16::try_from(len - top.min(len)).unwrap_or(u16::MAX)), ..areas.rows };
        areas.add_row_targets(rows, top, HitTarget::Row);
        let lines = || self.subscription_panel_lines(areas.side_rows.width, areas.preview_below).len();
        self.subscriptions.top = scroll::clamp_top(self.subscriptions.top, areas.side_rows.height, lines);
    }
}
