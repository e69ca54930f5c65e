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
use ratatui::layout::{Position, Rect};

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::context::views;
use crate::app::effect::ListId;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::model::record_list::RecordList;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame, step_around};
use crate::app::panes::records;
use crate::domain::book::RecordKind;

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
        cx.records.lists.get(&self.list_id())
    }

    fn list_mut<'a>(&self, cx: &'a mut Context) -> Option<&'a mut RecordList> {
        cx.records.lists.get_mut(&self.list_id())
    }

    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        self.tab = index.min(RecordKind::ALL.len() - 1);
        cx.show_saved_rows(&self.list_id());
    }
}

impl Pane for BookPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        PaneFocus::of_list(Scope::Book, Some(self.list_id()))
    }

    fn frame(&self, cx: &Context) -> PaneFrame {
        PaneFrame {
            tab_bar: Some(draw::tab_labels(self, cx)),
            priced_command: cx.priced_refresh(),
            ..PaneFrame::default()
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        (areas.panel, areas.rows) =
            records::lay_out(&self.list_id(), body, HitTarget::Row, areas, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            // Records can be added to Views, so these are read too.
            PaneEvent::Opened => {
                views::read_missing_views(&mut cx.work, &mut cx.views);
                cx.show_saved_rows(&self.list_id());
            }
            PaneEvent::TabSwitched { forward } => {
                self.show_tab(step_around(self.tab, RecordKind::ALL.len(), forward), cx);
            }
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::Back if self.list_mut(cx).is_some_and(RecordList::clear_selection) => {}
            PaneEvent::Back => cx.ui.notice = None,
            _ => {}
        }
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        self.list_mut(cx)?.click_row(row.line)
    }
}
