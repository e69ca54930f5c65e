//! What every pane is to the console.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::change::Change;
use super::command::keys::Key;
use super::command::{Command, Scope};
use super::context::list_tables::FocusedColumns;
use super::drafts::RestoredDrafts;
use super::effect::ListId;
use super::layout::FrameLayout;
use super::list::AnyList;
use super::model::list_field::{ListField, RowValues, ValueFilter};
use super::model::list_table::{ListLines, ListTable};
use super::model::record_list::columns::table_of;
use super::model::record_list::{RecordList, RowCount};
use super::notice::Notice;
use super::panes::messages::PanePrompt;
use super::selection::Subject;
use super::shown_rows::{self, ShownRows};
use super::{Context, Screen};
use crate::domain::text_query::TextQuery;
use crate::export::table::Table as ExportTable;
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

    /// The focused list with its rows, if that is not a list of records.
    fn list<'a>(&'a self, _cx: &'a Context) -> Option<Box<dyn AnyList<'a> + 'a>> {
        None
    }

    /// The columns of the focused list.
    fn table(&self, cx: &Context) -> Option<ListTable> {
        match self.list(cx) {
            Some(list) => Some(list.table()),
            None => Some(table_of(&cx.displayed_list()?.source)),
        }
    }

    /// The lines of that list.
    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        None
    }

    /// Computes the lines of its lists again, in the user's order; they stay narrowed as they are.
    fn arrange(&mut self, _cx: &Context) {}

    /// The rows of the focused list as it shows them, to be copied or exported; `None` without a
    /// list.
    fn shown_rows(&self, which: ShownRows, cx: &Context) -> Option<ExportTable> {
        match self.list(cx) {
            Some(list) => Some(shown_rows::rows_of_list(&*list, which, cx)),
            None => Some(shown_rows::rows_of_records(cx.displayed_list()?, which, cx)),
        }
    }

    /// The line of the cursor in the focused list; `None` without a list, or while it has no rows.
    fn list_cursor(&self, cx: &Context) -> Option<usize> {
        match self.list(cx).map(|list| list.lines()) {
            Some(lines) => (!lines.is_empty()).then_some(lines.scroll.cursor),
            None => cx
                .displayed_list()
                .filter(|list| !list.is_empty())
                .map(|list| list.scroll.cursor),
        }
    }

    /// How many lines the focused list has.
    fn line_count(&self, cx: &Context) -> usize {
        match (self.list(cx), cx.displayed_list()) {
            (Some(list), _) => list.lines().len(),
            (None, Some(list)) => list.line_count(),
            (None, None) => self.loaded_rows(cx),
        }
    }

    /// How many rows of the focused list are loaded.
    fn loaded_rows(&self, cx: &Context) -> usize {
        match self.list(cx) {
            Some(list) => list.lines().row_count(),
            None => cx.displayed_list().map_or(0, RecordList::len),
        }
    }

    /// The columns of the focused list, the shown ones first: what its rows are counted, grouped
    /// and narrowed by.
    fn fields(&self, cx: &Context) -> Vec<ListField> {
        match (self.list(cx), cx.displayed_list()) {
            (Some(list), _) => {
                let table = list.table();
                table.fields(&cx.chosen_columns(&table))
            }
            (None, Some(list)) => cx.record_fields(list),
            (None, None) => Vec::new(),
        }
    }

    /// The columns of the focused list as they are laid out, for scrolling them sideways.
    fn focused_columns(&self, cx: &Context) -> Option<FocusedColumns> {
        if let Some(list) = self.list(cx) {
            let table = list.table();
            let columns = table.layouts(&cx.chosen_columns(&table));
            return Some((table.columns_preference(), columns, 1));
        }
        cx.displayed_list()
            .map(|list| cx.focused_record_columns(list))
    }

    /// The column that the user sorted the focused list by on this machine.
    fn sorted_by(&self, cx: &Context) -> Option<&'static str> {
        match self.list(cx) {
            Some(list) => cx.list_sort(&list.table()).map(|sort| sort.key),
            None => cx.displayed_list()?.sort().map(|sort| sort.key),
        }
    }

    /// The values of a column of the focused list, for each loaded row.
    fn column_values<'a>(&'a self, key: &str, cx: &'a Context) -> Vec<RowValues<'a>> {
        match self.list(cx) {
            Some(list) => (0..list.lines().row_count())
                .map(|row| list.values(row, key))
                .collect(),
            None => cx
                .displayed_list()
                .map(|list| list.column_values(key))
                .unwrap_or_default(),
        }
    }

    /// The loaded rows of the focused list that are shown, in order.
    fn shown_indexes(&self, cx: &Context) -> Vec<usize> {
        match self.list(cx) {
            Some(list) => list.lines().rows().collect(),
            None => cx
                .displayed_list()
                .map(RecordList::shown_indexes)
                .unwrap_or_default(),
        }
    }

    /// The marked rows of the focused list.
    fn marked_rows(&self, cx: &Context) -> Vec<usize> {
        match self.list(cx) {
            Some(list) => {
                let rows = list.lines().rows();
                rows.filter(|row| list.is_marked(*row)).collect()
            }
            None => cx
                .displayed_list()
                .map(RecordList::marked_indexes)
                .unwrap_or_default(),
        }
    }

    /// How many rows the focused list has, loaded or not, as far as that is known.
    fn total_label(&self, cx: &Context) -> Option<String> {
        let list = cx.displayed_list().filter(|_| self.list(cx).is_none())?;
        list.row_count()
            .filter(|count| count.is_capped || count.total > list.len() as u64)
            .map(RowCount::label)
    }

    /// Shows only the loaded rows of the focused list with some values of a column, or all again.
    fn filter_values(&mut self, filter: Option<ValueFilter>, cx: &mut Context) {
        if let Some(lines) = self.list_lines_mut() {
            let row = lines.current_row();
            lines.set_filter(filter);
            self.arrange(cx);
            self.list_lines_mut()
                .into_iter()
                .for_each(|lines| lines.move_to_row(Some(row)));
        } else if let Some(list) = cx.displayed_list_mut() {
            list.filter_values(filter);
        }
    }

    /// How the filter of [`Pane::filter_values`] is removed, with keys in braces.
    fn filter_clear_hint(&self) -> &'static str {
        "{back} shows all"
    }

    /// Ungroups the focused list; one with a column by which it usually is grouped is grouped by
    /// that. Returns whether it did.
    fn toggle_usual_group(&mut self, cx: &mut Context) -> bool {
        let is_grouped = match self.list(cx) {
            Some(list) => list.lines().group().is_some(),
            None => cx
                .displayed_list()
                .is_some_and(|list| list.group().is_some()),
        };
        if is_grouped {
            self.group_by(None, cx);
        }
        is_grouped
    }

    /// Groups the focused list by a column, or ungroups it.
    fn group_by(&mut self, column: Option<&str>, cx: &mut Context) {
        let table = self.list(cx).map(|list| list.table());
        match (table, cx.focused_list().cloned()) {
            (Some(table), _) => {
                let preference = table.group_preference();
                cx.save_group(&preference, column);
                let row = self.list_lines_mut().map(|lines| lines.current_row());
                self.arrange(cx);
                self.list_lines_mut()
                    .into_iter()
                    .for_each(|lines| lines.move_to_row(row));
            }
            (None, Some(list)) => cx.group_records(&list, column),
            (None, None) => {
                cx.notice = Some(Notice::warning("there is no list with columns here"));
            }
        }
    }

    /// The values of a column that the shown rows of the focused list have.
    fn value_filter<'a>(&'a self, cx: &'a Context) -> Option<&'a ValueFilter> {
        match self.list(cx) {
            Some(list) => list.lines().filter(),
            None => cx.displayed_list()?.value_filter(),
        }
    }

    /// Visits the loaded lines of the focused list, each with all that it shows as text: what a
    /// search looks at.
    fn visit_lines(&self, cx: &Context, visit: &mut dyn FnMut(usize, &str)) {
        if let Some(list) = self.list(cx) {
            let (lines, mut text) = (list.lines(), String::new());
            for line in (0..lines.len()).filter(|line| lines.heading_on(*line).is_none()) {
                text.clear();
                list.write_row(lines.row_on(line), &mut text);
                visit(line, &text);
            }
        } else if let Some(list) = cx.displayed_list() {
            list.visit_lines(visit);
        }
    }

    /// Puts the cursor of the focused list on a line.
    fn move_to_line(&mut self, line: usize, cx: &mut Context) {
        if let Some(lines) = self.list_lines_mut() {
            lines.scroll.cursor = line;
        } else if let Some(list) = cx.displayed_list_mut() {
            list.scroll.cursor = line;
        }
    }

    /// Hides the rows of the focused list that do not match, or shows all again.
    fn narrow(&mut self, query: Option<&TextQuery>, cx: &mut Context) {
        if let Some(lines) = self.list_lines_mut() {
            let row = lines.current_row();
            lines.set_query(query);
            self.arrange(cx);
            self.list_lines_mut()
                .into_iter()
                .for_each(|lines| lines.move_to_row(Some(row)));
        } else if let Some(list) = cx.displayed_list_mut() {
            list.narrow(query);
        }
    }

    /// What the focused list is narrowed to.
    fn narrowed_by<'a>(&'a self, cx: &'a Context) -> Option<&'a TextQuery> {
        match self.list(cx) {
            Some(list) => list.lines().query(),
            None => cx.displayed_list()?.narrowed_by(),
        }
    }

    /// Marks the shown rows of the focused list that match. Returns how many do.
    fn mark_matches(&mut self, query: &TextQuery, cx: &mut Context) -> usize {
        cx.mark_records(query)
    }

    /// The words known without a request that may complete a word of one of its prompts.
    fn complete_word(&self, _prompt: PanePrompt, _word: &str, _cx: &Context) -> Vec<String> {
        Vec::new()
    }

    /// Where else to look for what is not in the loaded rows, with keys in braces.
    fn wider_search(&self) -> &'static str {
        "{records.narrow} searches the service"
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
