//! Where the subscriptions stand.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::arrange::{Areas, Spot, text_room};
use crate::app::panes::records::draw::rows_area;
use crate::ui::scroll;

/// The height of what a type is, where it stands below the list.
const BELOW: u16 = 9;

impl App {
    /// The list, and beside it, below it or in its place what the type under the cursor is and would become.
    pub(in crate::app) fn lay_out_subscriptions(&mut self, areas: &mut Areas, body: Rect) {
        areas.list_and_aside(body, 60, Some(BELOW), self.subscriptions.open);
        areas.rows = rows_area(areas.panel);
        areas.aside_rows = text_room(areas.aside).intersection(areas.aside);
        let len = self.subscriptions.types().len();
        self.subscriptions.scroll.clamp_to_list(len, areas.rows.height);
        let top = self.subscriptions.scroll.top;
        let rows = Rect { height: areas.rows.height.min(u16::try_from(len - top.min(len)).unwrap_or(u16::MAX)), ..areas.rows };
        areas.click_rows(rows, top, Spot::Row);
        let lines = || self.subscription_lines(areas.aside_rows.width, areas.preview_below).len();
        self.subscriptions.top = scroll::clamp_top(self.subscriptions.top, areas.aside_rows.height, lines);
    }
}
