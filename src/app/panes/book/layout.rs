//! Layout of the book.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::records;

impl App {
    /// Places the list of the dataset and its map.
    pub(in crate::app) fn lay_out_book(&mut self, areas: &mut FrameLayout, body: Rect) {
        let shown = self.book.current_list_id();
        (areas.panel, areas.map) = self.split_for_map(&shown, body);
        areas.rows = records::draw::rows_area(body);
        areas.add_row_targets(areas.rows, self.record_lists.get(&shown).map_or(0, |list| list.scroll.top), HitTarget::Row);
    }
}
