//! What every pane is to the console.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::change::Change;
use super::command::keys::Key;
use super::command::{Command, Scope};
use super::drafts::RestoredDrafts;
use super::effect::ListId;
use super::focused_list::{self, FocusedList, ListChange};
use super::layout::FrameLayout;
use super::model::list_table::ListLines;
use super::model::record_list::RecordList;
use super::panes::messages::PanePrompt;
use super::selection::Subject;
use super::{Context, Screen};
use crate::domain::text_query::TextQuery;
use crate::ui::TextSpan;
use crate::ui::text_input::PasteTooLong;

/// A screen. It owns its state, its requests, its drafts and its commands, and sees the context,
/// but no other pane.
pub trait Pane {
    /// Whose commands hold now.
    fn scope(&self, cx: &Context) -> Scope;

    /// The list of records that has the focus.
    fn focused_list(&self) -> Option<ListId> {
        None
    }

    /// What commands that work on several screens act on.
    fn subject(&self, _cx: &Context) -> Subject {
        Subject::None
    }

    /// The screen it was opened from, if it has no digit.
    fn opened_from(&self) -> Option<Screen> {
        None
    }

    /// The screen was opened. Reads only what is free.
    fn on_open(&mut self, _cx: &mut Context) {}

    /// Shared data changed, whoever changed it.
    fn on_change(&mut self, _change: &Change, _cx: &mut Context) {}

    /// Whether it uses the line of the tab bar, for tabs or for where it is.
    fn has_tab_bar(&self) -> bool {
        false
    }

    /// The labels of its tabs in the tab bar.
    fn tab_labels(&self, _cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
        Vec::new()
    }

    /// Computes its rectangles inside `body`, and what a click on them hits.
    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context);

    fn draw(&self, cx: &Context, buf: &mut Buffer);

    /// Draws a pane with text fields, and returns the position of the text cursor.
    fn draw_with_cursor(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        self.draw(cx, buf);
        None
    }

    /// What the notice line shows at its left and right while there is no notice; `None`: the state
    /// of the connection.
    fn status_line(&self, _cx: &Context) -> Option<(Vec<TextSpan<'static>>, TextSpan<'static>)> {
        None
    }

    /// Whether it says itself what a command costs, besides the footer.
    fn names_price_of(&self, command: &Command, cx: &Context) -> bool {
        command.id == "records.refresh"
            && cx
                .displayed_list()
                .is_some_and(RecordList::is_from_earlier_session)
    }

    /// Moves the cursor of the focused list or text.
    fn move_cursor(&mut self, _rows: isize, _cx: &mut Context) {}

    /// The focused list with its rows.
    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        focused_list::focused_records(cx)
    }

    /// Changes the focused list.
    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        focused_list::change_list(self, change, cx);
    }

    /// The lines of that list, unless it is read page by page.
    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        None
    }

    /// Computes the lines of its lists again, in the user's order; they stay narrowed as they are.
    fn arrange(&mut self, _cx: &Context) {}

    /// Marks the shown rows of the focused list that match. Returns how many do.
    fn mark_matches(&mut self, query: &TextQuery, cx: &mut Context) -> usize {
        cx.mark_records(query)
    }

    /// The words known without a request that may complete a word of one of its prompts.
    fn complete_word(&self, _prompt: PanePrompt, _word: &str, _cx: &Context) -> Vec<String> {
        Vec::new()
    }

    fn switch_tab(&mut self, _forward: bool, _cx: &mut Context) {}

    /// A click on a row. Returns the ID of the command to run, if the row was the current one.
    fn click_row(&mut self, _line: usize, _cx: &mut Context) -> Option<&'static str> {
        None
    }

    /// A click on a row of the second list; as [`Pane::click_row`].
    fn click_side_row(&mut self, _line: usize, _cx: &mut Context) -> Option<&'static str> {
        None
    }

    /// The wheel over the side panel, where that is text.
    fn scroll_side_panel(&mut self, _rows: isize) {}

    /// A click on a tab.
    fn show_tab(&mut self, _index: usize, _cx: &mut Context) {}

    /// A key that runs no command, for the text field that has the focus.
    fn type_key(&mut self, _key: Key) {}

    /// Pastes into the text field that has the focus; `None` if there is none.
    fn paste(&mut self, _text: &str) -> Option<Result<(), PasteTooLong>> {
        None
    }

    /// Saves what was typed, if it changed. Asked after each message.
    fn save_drafts(&mut self, _cx: &mut Context) {}

    /// Takes back what was typed in earlier runs.
    fn restore_drafts(&mut self, _drafts: &RestoredDrafts, _cx: &mut Context) {}

    /// What quitting would lose where drafts are not saved: `what you typed for 3 records`.
    fn unsaved_input(&self) -> Option<String> {
        None
    }

    /// Closes what is open, else clears marks, else clears the notice.
    fn go_back(&mut self, cx: &mut Context) {
        cx.notice = None;
    }
}
