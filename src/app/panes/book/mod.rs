//! The book: the accounts, contacts and projects that the workspace has saved, with its
//! annotations.
//!
//! Three lists, one per kind. Opening the screen shows the rows of earlier sessions and requests
//! nothing: Enter does, for the price shown.

pub(crate) mod commands;
mod draw;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::effect::ListId;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::model::record_list::RecordList;
use crate::app::pane::Pane;
use crate::app::panes::records;
use crate::domain::book::RecordKind;
use crate::ui::TextSpan;

#[derive(Clone, Debug, Default)]
pub struct BookPane {
    /// Index of the current kind in [`RecordKind::ALL`].
    tab: usize,
}

impl BookPane {
    fn current_kind(&self) -> &'static RecordKind {
        &RecordKind::ALL[self.tab]
    }

    fn list_id(&self) -> ListId {
        ListId::Book(self.current_kind().clone())
    }

    fn list<'a>(&self, cx: &'a Context) -> Option<&'a RecordList> {
        cx.record_lists.get(&self.list_id())
    }

    fn list_mut<'a>(&self, cx: &'a mut Context) -> Option<&'a mut RecordList> {
        cx.record_lists.get_mut(&self.list_id())
    }
}

impl Pane for BookPane {
    fn scope(&self, _cx: &Context) -> Scope {
        Scope::Book
    }

    fn focused_list(&self) -> Option<ListId> {
        Some(self.list_id())
    }

    /// Records can be added to Views, so these are read too.
    fn on_open(&mut self, cx: &mut Context) {
        cx.read_missing_views();
        cx.show_saved_rows(&self.list_id());
    }

    fn tab_labels(&self, cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
        draw::tab_labels(self, cx)
    }

    fn has_tab_bar(&self) -> bool {
        true
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        (areas.panel, areas.rows) =
            records::lay_out(&self.list_id(), body, HitTarget::Row, areas, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) {
        draw::draw(self, cx, buf);
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if let Some(list) = self.list_mut(cx) {
            list.move_cursor(rows);
        }
    }

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let all = RecordKind::ALL.len();
        self.show_tab((self.tab + if forward { 1 } else { all - 1 }) % all, cx);
    }

    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        self.tab = index.min(RecordKind::ALL.len() - 1);
        cx.show_saved_rows(&self.list_id());
    }

    fn click_row(&mut self, line: usize, cx: &mut Context) -> Option<&'static str> {
        self.list_mut(cx)?.click_row(line)
    }

    fn go_back(&mut self, cx: &mut Context) {
        if !self.list_mut(cx).is_some_and(RecordList::clear_selection) {
            cx.notice = None;
        }
    }
}
