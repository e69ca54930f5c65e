//! What every pane is to the console.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::change::Change;
use super::command::Scope;
use super::drafts::RestoredDrafts;
use super::effect::ListId;
use super::focused_list::{self, FocusedList};
use super::layout::FrameLayout;
use super::model::list_table::ListLines;
use super::panes::records::list::focused_records;
use super::selection::Subject;
use super::{Context, Screen};
use crate::app::list_change::ListChange;
use crate::domain::participants::Participant;
use crate::ui::TextSpan;

/// What the console asks of the focus of a pane.
pub struct PaneFocus {
    /// Whose commands hold now.
    pub scope: Scope,
    /// The list of records that has the focus.
    pub list: Option<ListId>,
    /// What commands that work on several screens act on.
    pub subject: Subject,
    /// The firm or person under the cursor.
    pub participant: Option<Participant>,
}

impl From<Scope> for PaneFocus {
    /// The focus of a pane without records.
    fn from(scope: Scope) -> PaneFocus {
        PaneFocus::of_list(scope, None)
    }
}

impl PaneFocus {
    /// The focus of a pane with lists of records.
    pub fn of_list(scope: Scope, list: Option<ListId>) -> PaneFocus {
        PaneFocus {
            scope,
            list,
            subject: Subject::None,
            participant: None,
        }
    }
}

/// What a pane shows outside of its area.
#[derive(Default)]
pub struct PaneFrame {
    /// The screen it was opened from, if it has no digit.
    pub opened_from: Option<Screen>,
    /// The labels of its tabs, if it uses the line of the tab bar; without labels, that line says
    /// where it is.
    pub tab_bar: Option<Vec<Vec<TextSpan<'static>>>>,
    /// The left and the right of the notice line while there is no notice; `None`: the state of the
    /// connection.
    pub status: Option<(Vec<TextSpan<'static>>, TextSpan<'static>)>,
    /// The command whose price it shows itself, besides the footer.
    pub priced_command: Option<&'static str>,
}

/// What happens to a pane.
pub enum PaneEvent<'a> {
    /// The screen was opened. Reads only what is free.
    Opened,
    /// Shared data changed, whoever changed it.
    Changed(&'a Change),
    /// These drafts were typed in earlier runs.
    DraftsRestored(&'a RestoredDrafts),
    /// What was typed is saved, if it changed.
    MessageHandled,
    /// Closes what is open, else clears marks, else clears the notice.
    Back,
    TabSwitched {
        forward: bool,
    },
    TabClicked(usize),
    /// The wheel over the side panel, where that is text.
    SidePanelScrolled(isize),
}

/// The line of a pane's list that was clicked.
#[derive(Clone, Copy)]
pub struct ClickedRow {
    pub line: usize,
    /// It is a line of its second list.
    pub in_side_list: bool,
}

/// The tab after or before this one; after the last comes the first.
pub fn step_around(at: usize, count: usize, forward: bool) -> usize {
    (at + if forward { 1 } else { count - 1 }) % count
}

/// A screen. It owns its state, its requests, its drafts and its commands, and sees the context,
/// but no other pane.
pub trait Pane {
    fn focus(&self, cx: &Context) -> PaneFocus;

    fn frame(&self, cx: &Context) -> PaneFrame {
        PaneFrame {
            priced_command: cx.priced_refresh(),
            ..PaneFrame::default()
        }
    }

    /// Computes its rectangles inside `body`, and what a click on them hits.
    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context);

    /// Returns the position of the text cursor, if a text field has the focus.
    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position>;

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context);

    /// Moves the cursor of the focused list or text.
    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if let Some(lines) = self.list_lines_mut() {
            lines.move_cursor(rows);
        } else if let Some(list) = cx.records.lists.shown_list_mut(cx.ui.focused_list()) {
            list.lines.move_cursor(rows);
        }
    }

    /// Moves the cursor to a row. Returns the ID of the command to run, if it was there already.
    fn click_row(&mut self, _row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        None
    }

    /// The focused list with its rows.
    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        focused_records(cx)
    }

    /// The lines of that list, unless it is read page by page.
    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        None
    }

    /// Changes the focused list.
    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        focused_list::change_list(self, change, cx);
    }

    /// What quitting would lose where drafts are not saved: `what you typed for 3 records`.
    fn unsaved_input(&self) -> Option<String> {
        None
    }
}
