//! The dialogs that are lists: their columns, and the table within the frame of a popup. To the
//! console each is a pane over the pane of the screen.

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Context;
use super::focused_list::{self, FocusedList};
use super::format::{format_time, pluralize};
use super::layout::FrameLayout;
use super::list::{self, List, ListColumn, ListRow, list_of};
use super::list_change::{ListChange, MarkChange};
use super::model::coverage::{BookPlace, CoverageGap};
use super::model::list_field::{FieldKind, ValueBin};
use super::model::list_table::{ColumnSpec, ListLines};
use super::outbox::failures::Failure;
use super::overlay::frequency_list::FrequencyRow;
use super::overlay::list_dialog::{DialogRow, DialogRows, HistoryEntry, HistoryKind, ListDialog};
use super::pane::{Pane, PaneEvent, PaneFocus};
use super::price::Price;
use crate::app::context::coverage;
use crate::domain::book::RecordKind;
use crate::domain::row_columns::RowValue;
use crate::text;
use crate::ui::popup::Popup;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, TextSpan, draw_line, paint, text_span};

const MAX_WIDTH: u16 = 100;
/// Cells of a popup that its text does not have.
const SIDE_CELLS: u16 = 4;
/// Lines for the details of the current entry.
const DETAIL_LINES: usize = 4;
/// The column of times: of today, and with a day.
const TIME: &str = "time";
const TODAY_WIDTH: u16 = 5;
const DAY_WIDTH: u16 = 11;
/// Keys that every list has, after its own.
const LIST_KEYS: &str =
    "{dialog.close} close   {find} find   {list.sort} sort   {list.frequency} count";

/// What the lists of the dialogs differ in.
pub trait DialogColumns: Sized + 'static {
    type Row: DialogRow + 'static;

    const LIST_NAME: &'static str;
    const ROW_COLUMNS: &'static [ListColumn<Self>];
    const CAN_MARK: bool = true;

    /// Adapts a column to what the open dialog shows.
    fn adjust_column(column: &mut ColumnSpec, dialog: &ListDialog, cx: &Context) {
        if column.key == TIME && dialog.is_older(cx) {
            column.layout.width = DAY_WIDTH;
        }
    }
}

impl<D: DialogColumns> List for D {
    type Pane = DialogRows<D::Row>;
    type Item = D::Row;

    const NAME: &'static str = D::LIST_NAME;
    const STATE_WIDTH: u16 = 2;
    const COLUMNS: &'static [ListColumn<D>] = D::ROW_COLUMNS;
    const HAS_MARKS: bool = D::CAN_MARK;

    fn items<'a>(rows: &'a DialogRows<D::Row>, _cx: &'a Context) -> &'a [D::Row] {
        &rows.items
    }

    fn lines(rows: &DialogRows<D::Row>) -> &ListLines {
        &rows.lines
    }

    fn adjust_column(column: &mut ColumnSpec, cx: &Context) {
        if let Some(dialog) = cx.ui.list_dialog() {
            D::adjust_column(column, dialog, cx);
        }
    }

    fn state(row: &ListRow<'_, D>) -> Vec<TextSpan<'static>> {
        let mark = if D::is_marked(row) {
            row.cx.settings.theme.glyphs().marked
        } else {
            " "
        };
        vec![text_span(TextRole::Marked, mark)]
    }

    fn is_marked(row: &ListRow<'_, D>) -> bool {
        row.pane.is_marked(row.item)
    }
}

/// What can be undone.
struct Steps;

impl DialogColumns for Steps {
    type Row = HistoryEntry;

    const LIST_NAME: &'static str = "undo";
    const ROW_COLUMNS: &'static [ListColumn<Steps>] = &[
        time_column(),
        what_column(),
        ListColumn::<Self>::new(FieldKind::Count, ("size", "SIZE"), (10, 2), |row| {
            Some(RowValue::count(row.item.size.0 as u64))
        })
        .drawn(|row| {
            let (count, what) = row.item.size;
            text_span(TextRole::Muted, pluralize(count, what))
        }),
        result_column("state", "STATE", 14),
    ];
    const CAN_MARK: bool = false;
}

/// What failed in this session, and what waits.
struct Failures;

impl DialogColumns for Failures {
    type Row = HistoryEntry;

    const LIST_NAME: &'static str = "failures";
    const ROW_COLUMNS: &'static [ListColumn<Failures>] = &[
        time_column(),
        what_column(),
        result_column("result", "RESULT", 12),
        reason_column(),
    ];
}

/// What this machine wrote.
struct Journal;

impl DialogColumns for Journal {
    type Row = HistoryEntry;

    const LIST_NAME: &'static str = "journal";
    const ROW_COLUMNS: &'static [ListColumn<Journal>] = &[
        time_column(),
        what_column(),
        result_column("result", "RESULT", 18),
        reason_column(),
        ListColumn::<Self>::new(FieldKind::Text, ("command", "COMMAND"), (20, 4), |row| {
            RowValue::text(row.item.command())
        })
        .growing_to(60)
        .hidden(),
    ];
}

const fn time_column<L: List<Item = HistoryEntry>>() -> ListColumn<L> {
    ListColumn::<L>::new(FieldKind::Date, (TIME, "TIME"), (TODAY_WIDTH, 1), |row| {
        row.item.at.map(RowValue::Date)
    })
    .drawn(|row| {
        let (now, zone) = (row.cx.clock.service_now(), row.cx.clock.utc_offset());
        let time = row.item.at.map(|at| format_time(at, now, zone));
        text_span(TextRole::Muted, time.unwrap_or_default())
    })
}

const fn what_column<L: List<Item = HistoryEntry>>() -> ListColumn<L> {
    ListColumn::<L>::new(FieldKind::Name, ("what", "WHAT"), (20, 0), |row| {
        RowValue::text(Some(&row.item.what))
    })
    .growing_to(80)
}

/// What became of a write.
const fn result_column<L: List<Item = HistoryEntry>>(
    key: &'static str,
    title: &'static str,
    width: u16,
) -> ListColumn<L> {
    ListColumn::<L>::new(FieldKind::Word, (key, title), (width, 0), |row| {
        RowValue::text(Some(&row.item.result))
    })
    .drawn(|row| {
        let role = match row.item.is_ok {
            true => TextRole::Muted,
            false => TextRole::Warning,
        };
        text_span(role, row.item.result.as_str())
    })
}

const fn reason_column<L: List<Item = HistoryEntry>>() -> ListColumn<L> {
    // It is below the list.
    ListColumn::<L>::new(FieldKind::Text, ("reason", "WHY"), (16, 3), |row| {
        RowValue::text(row.item.reason.as_deref())
    })
    .growing_to(60)
    .hidden()
}

/// Records that nobody looks after.
struct Gaps;

impl DialogColumns for Gaps {
    type Row = CoverageGap;

    const LIST_NAME: &'static str = "gaps";
    const ROW_COLUMNS: &'static [ListColumn<Gaps>] = &[
        ListColumn::<Self>::new(FieldKind::Name, ("name", "NAME"), (20, 0), |row| {
            RowValue::text(Some(&row.item.name))
        })
        .growing_to(60),
        ListColumn::<Self>::new(FieldKind::Word, ("kind", "KIND"), (9, 2), |row| {
            RowValue::text(Some(match row.item.kind {
                RecordKind::Accounts => "developer",
                _ => "project",
            }))
        }),
        ListColumn::<Self>::new(FieldKind::Word, ("place", "PLACE"), (15, 0), |row| {
            RowValue::text(Some(describe_place(row.item.place)))
        })
        .drawn(|row| {
            let place = describe_place(row.item.place);
            text_span(TextRole::Warning, place)
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("project", "PROJECT"), (16, 1), |row| {
            RowValue::text(Some(&row.item.project))
        })
        .growing_to(60)
        .drawn(|row| {
            let project = match row.item.kind {
                RecordKind::Accounts => row.item.project.as_str(),
                // Its own name.
                _ => "",
            };
            text_span(TextRole::Muted, project)
        }),
    ];
}

/// How often each value of a column occurs.
struct Frequency;

/// The sum of a column beside the counts.
const SUM: &str = "sum";
/// The bar of the most frequent value.
const BAR_CELLS: u16 = 20;
/// `43 %`, and a space before the bar.
const SHARE_CELLS: u16 = 6;

impl DialogColumns for Frequency {
    type Row = FrequencyRow;

    const LIST_NAME: &'static str = "frequency";
    const ROW_COLUMNS: &'static [ListColumn<Frequency>] = &[
        ListColumn::<Self>::new(FieldKind::Text, ("value", "VALUE"), (14, 0), |row| {
            let label = row.item.label.as_str().into();
            match (&row.item.bin, row.item.place) {
                (ValueBin::Unknown, _) => None,
                (_, Some(place)) => Some(RowValue::Ranked(place, label)),
                (_, None) => Some(RowValue::Text(label)),
            }
        })
        .growing_to(44)
        .drawn(|row| {
            let role = match row.item.bin {
                ValueBin::Unknown => TextRole::Muted,
                _ => TextRole::Text,
            };
            text_span(role, row.item.label.as_str())
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("count", "COUNT"), (7, 0), |row| {
            Some(RowValue::count(row.item.count as u64))
        }),
        ListColumn::<Self>::new(
            FieldKind::Number,
            ("share", "SHARE"),
            (SHARE_CELLS + BAR_CELLS, 2),
            |row| Some(RowValue::Number(row.item.share)),
        )
        .aligned_left()
        .drawn_with_tail(|row| {
            let cells = (row.item.bar * f64::from(BAR_CELLS)).ceil();
            let bar = if row.cx.settings.theme.ascii {
                "#"
            } else {
                "━"
            };
            TableCell {
                text: text_span(TextRole::Muted, format!("{:>3.0} % ", row.item.share)),
                tail: vec![text_span(TextRole::Key, bar.repeat(cells as usize))],
            }
        }),
        ListColumn::<Self>::new(FieldKind::Number, (SUM, "SUM"), (9, 1), |row| {
            row.item.sum.as_ref().map(|(sum, _)| RowValue::Number(*sum))
        })
        .drawn(|row| match &row.item.sum {
            Some((_, shown)) => text_span(TextRole::Text, shown.as_str()),
            None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
        }),
    ];

    /// Where nothing is summed there is no column for it.
    fn adjust_column(column: &mut ColumnSpec, dialog: &ListDialog, _cx: &Context) {
        if column.key == SUM
            && let ListDialog::Frequency(list) = dialog
        {
            column.is_shown = list.amount.is_some();
        }
    }
}

fn describe_place(place: BookPlace) -> &'static str {
    if place == BookPlace::Absent {
        "not in the book"
    } else {
        "no status"
    }
}

fn mark_rows<D: DialogColumns>(
    rows: &mut DialogRows<D::Row>,
    change: MarkChange<'_>,
    cx: &mut Context,
) {
    list::change_marks::<D, _>(rows, change, cx, DialogRow::id, DialogRows::marks_mut);
}

impl ListDialog {
    /// Whether it has entries of other days than today.
    fn is_older(&self, cx: &Context) -> bool {
        let zone = cx.clock.utc_offset();
        let find_day = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
        let today = find_day(cx.clock.service_now());
        match self {
            ListDialog::History(_, rows) => {
                // the newest first
                let oldest = rows.items.iter().rev().find_map(|entry| entry.at);
                oldest.is_some_and(|at| find_day(at) != today)
            }
            ListDialog::Gaps(..) | ListDialog::Frequency(_) => false,
        }
    }

    fn shown_list<'a>(&'a self, cx: &'a Context) -> Box<dyn FocusedList<'a> + 'a> {
        match self {
            ListDialog::History(HistoryKind::Steps, rows) => Box::new(list_of::<Steps>(rows, cx)),
            ListDialog::History(HistoryKind::Failures, rows) => {
                Box::new(list_of::<Failures>(rows, cx))
            }
            ListDialog::History(HistoryKind::Journal, rows) => {
                Box::new(list_of::<Journal>(rows, cx))
            }
            ListDialog::Gaps(rows, _) => Box::new(list_of::<Gaps>(rows, cx)),
            ListDialog::Frequency(list) => Box::new(list_of::<Frequency>(&list.rows, cx)),
        }
    }

    fn change_marks(&mut self, change: MarkChange<'_>, cx: &mut Context) {
        match self {
            ListDialog::History(HistoryKind::Steps, _) => {}
            ListDialog::History(HistoryKind::Failures, rows) => {
                mark_rows::<Failures>(rows, change, cx);
            }
            ListDialog::History(HistoryKind::Journal, rows) => {
                mark_rows::<Journal>(rows, change, cx);
            }
            ListDialog::Gaps(rows, _) => mark_rows::<Gaps>(rows, change, cx),
            ListDialog::Frequency(list) => mark_rows::<Frequency>(&mut list.rows, change, cx),
        }
    }

    /// Its keys, a line for each; the first one may cost something.
    fn keys<'a>(&self, cx: &'a Context) -> Vec<Vec<TextSpan<'a>>> {
        let check = match self {
            ListDialog::Gaps(..) => coverage::gap_check_price(&cx.ui),
            _ => Price::Free,
        };
        let check = match check {
            Price::Credits(count) => vec![
                text_span(TextRole::Muted, "   "),
                cx.keymap.key_label("gaps.check"),
                text_span(TextRole::Muted, format!(" check {count} more {count} cr")),
            ],
            _ => Vec::new(),
        };
        // Without lines there is nothing to act on.
        if self.lines().row_count() == 0 {
            let close = "   {dialog.close} close";
            let close = if check.is_empty() {
                close.trim_start()
            } else {
                close
            };
            let close = cx.keymap.expand_keys_styled(TextRole::Muted, close);
            return vec![[check, close].concat()];
        }
        let (first, price, others) = match self {
            ListDialog::History(HistoryKind::Steps, _) => {
                ("{history.accept} undo this step   ", String::new(), "")
            }
            ListDialog::History(HistoryKind::Failures, rows) => {
                let failure = rows.current().and_then(HistoryEntry::failure);
                let open = match failure.is_none_or(|failure| failure.has_page()) {
                    true => "{history.accept} go to it   ",
                    false => "",
                };
                let can_retry =
                    |entry: &HistoryEntry| entry.failure().is_some_and(Failure::can_be_retried);
                let is_here = rows.current().is_none_or(can_retry);
                let retry = match (is_here, rows.items.iter().any(can_retry)) {
                    (true, true) => "{history.retry} retry   {history.retry.all} retry all   ",
                    (false, true) => "{history.retry.all} retry all   ",
                    (_, false) => "",
                };
                (open, String::new(), retry)
            }
            ListDialog::History(HistoryKind::Journal, _) => (
                "{history.copy} copy as a gantry command   ",
                String::new(),
                "",
            ),
            ListDialog::Gaps(..) => (
                "{gaps.open} open",
                cx.gap_price().suffix(),
                "   {gaps.save} save   {gaps.annotate} annotate   ",
            ),
            ListDialog::Frequency(_) => ("{frequency.filter} filter", String::new(), ""),
        };
        let expand = |line| cx.keymap.expand_keys_styled(TextRole::Muted, line);
        let price = vec![text_span(TextRole::Muted, price)];
        let mut first = [expand(first), price, check, expand(others)].concat();
        let ListDialog::Frequency(list) = self else {
            first.extend(expand(LIST_KEYS));
            return vec![first];
        };
        let of_rows = match (list.is_of_marked, list.marked_rows) {
            (true, _) => "   {frequency.marked} all rows",
            (false, 0) => "",
            (false, _) => "   {frequency.marked} marked rows",
        };
        first.extend(expand(
            "   {list.mark} mark   {list.group} group by it   {frequency.next} {frequency.previous} other column",
        ));
        let second = "{list.frequency} choose column   {list.sort} sort   {find} find";
        let second = [
            expand(second),
            expand(of_rows),
            expand("   {dialog.close} close"),
        ];
        vec![first, second.concat()]
    }

    /// What stands below the list: about the current entry, or about all.
    fn details(&self, width: u16) -> Vec<String> {
        let lines: &[String] = match self {
            ListDialog::History(_, rows) => rows.current().map_or(&[], |entry| &entry.details),
            ListDialog::Gaps(_, summary) => &summary.lines,
            ListDialog::Frequency(list) => std::slice::from_ref(&list.summary),
        };
        let width = width.saturating_sub(SIDE_CELLS).into();
        lines
            .iter()
            .flat_map(|line| text::wrap_text(&text::sanitize_line(line), width))
            .collect()
    }

    fn popup<'a>(&'a self, width: u16, cx: &'a Context) -> Popup<'a> {
        let (list, lines) = (self.shown_list(cx), self.lines());
        let mut title = vec![text_span(TextRole::Strong, self.title())];
        title.extend(cx.arrangement_label(&*list));
        let marked = match list.marked_rows().len() {
            0 => String::new(),
            marked => format!("{marked} marked   "),
        };
        let position = match self {
            ListDialog::Frequency(list) => list.scope.clone(),
            _ => lines.scroll.describe(lines.len()),
        };
        Popup {
            title,
            note: format!("{marked}{position}"),
            min_height: 14,
            above: 1,
            // It keeps its size while a search narrows it.
            rows: list.row_count().max(lines.len()),
            below: match self {
                ListDialog::History(..) => DETAIL_LINES,
                ListDialog::Gaps(..) | ListDialog::Frequency(_) => self.details(width).len(),
            },
            keys: self.keys(cx),
            ..Popup::new("", width)
        }
    }
}

impl Pane for ListDialog {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        self.scope().into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        let popup = self.popup(MAX_WIDTH.min(body.width), cx);
        areas.dialog = popup.lay_out(body);
        self.lines_mut().clamp(areas.dialog.body.height);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        let (theme, areas) = (cx.settings.theme, cx.frame.layout().dialog);
        let width = areas.frame.width;
        self.popup(width, cx).draw_in(&areas, buf, &theme);
        let list = self.shown_list(cx);
        if list.row_count() == 0 {
            let text = [text_span(TextRole::Muted, self.empty_text())];
            draw_line(buf, areas.body, &text, &theme);
        } else {
            cx.draw_list(buf, &*list, (areas.frame, areas.body), true);
        }
        let details = self.details(width).into_iter();
        let details = details.map(|line| [text_span(TextRole::Muted, line)]);
        paint::draw_lines(buf, areas.below, details, &theme);
        None
    }

    fn on_event(&mut self, _event: PaneEvent<'_>, _cx: &mut Context) {}

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(self.shown_list(cx))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(self.lines_mut())
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        match change {
            ListChange::Mark(change) => self.change_marks(change, cx),
            change => focused_list::change_list(self, change, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

    use crate::app::command::Scope;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::Msg;
    use crate::app::testing::{TestConsole, golden};

    fn lines(console: &TestConsole) -> usize {
        console.context().ui.list_dialog().unwrap().lines().len()
    }

    #[test]
    fn escape_first_shows_all_rows_again_and_then_closes_the_dialog() {
        for key in ["Esc", "q"] {
            let console = TestConsole::at_scope(Scope::Journal)
                .press("/")
                .type_text("oak")
                .press("Enter");
            assert_eq!(lines(&console), 1, "{}", console.screen_text());
            let console = console.press(key);
            assert_eq!(lines(&console), 3, "{}", console.screen_text());
            assert!(console.press(key).context().ui.list_dialog().is_none());
        }
    }

    #[test]
    fn what_opens_over_a_dialog_leaves_it_as_it_was() {
        for keys in ["s Esc", "t Esc", "C Esc", "X Esc", "/ Esc", "T Esc"] {
            let console = TestConsole::at_scope(Scope::Gaps);
            let before = console.screen_text();
            assert_eq!(console.press(keys).screen_text(), before, "{keys}");
        }
    }

    #[test]
    fn a_value_of_the_frequency_table_narrows_the_dialog_that_it_counts() {
        let console = TestConsole::at_scope(Scope::Journal).press("t t");
        let console = console.type_text("result").press("Enter Enter");
        assert_eq!(lines(&console), 1, "{}", console.screen_text());
    }

    #[test]
    fn the_rows_of_a_dialog_are_copied_and_exported_as_shown() {
        for (scope, keys, name) in [
            (Scope::History, "y r", "undo"),
            (Scope::Failures, "y r", "failures"),
            (Scope::Journal, "Y", "journal"),
            (Scope::Gaps, "y r", "gaps"),
            (Scope::Frequency, "y r", "frequency"),
        ] {
            let console = TestConsole::at_scope(scope).press(keys);
            let copied = console.copied_text().unwrap_or_default().to_owned();
            assert_eq!(copied.lines().count(), 2, "{scope:?}: {copied}");
            let console = console.press("X Enter Enter");
            let saved = console.calls.iter().find_map(|call| match call {
                ServiceCall::SaveText { file_name, .. } => Some(file_name.as_str()),
                _ => None,
            });
            let is_named = saved.is_some_and(|file| file.starts_with(name));
            assert!(is_named, "{scope:?}: {saved:?}");
        }
    }

    #[test]
    fn the_marked_journal_lines_are_copied_as_commands_and_marked_failures_are_retried() {
        let console = TestConsole::at_scope(Scope::Journal).press("g g Space Space y");
        assert_eq!(
            console.copied_text(),
            Some("gantry book annotate accounts 3 --status called\ngantry queue triage new 9 14")
        );
        let console = TestConsole::at_scope(Scope::Failures).press("g g Space Space r");
        let retried = console.serve();
        assert_eq!(retried.service_new_count(), 14, "{}", retried.screen_text());
    }

    #[test]
    fn the_marked_gaps_are_saved_together_and_leave_the_list() {
        let console = TestConsole::at_scope(Scope::Gaps).press("g g Space Space Space b");
        assert_eq!(lines(&console), 27, "{}", console.screen_text());
        let is_write = |call: &&ServiceCall| matches!(call, ServiceCall::Write(_));
        assert_eq!(console.calls.iter().filter(is_write).count(), 1);
    }

    #[test]
    fn the_steps_of_the_undo_list_cannot_be_marked_and_the_key_says_so() {
        let console = TestConsole::at_scope(Scope::History).press("Space");
        assert_eq!(console.notice_text(), "mark: rows cannot be marked here");
    }

    #[test]
    fn a_count_moves_the_cursor_of_a_dialog_by_so_many_rows() {
        let console = TestConsole::at_scope(Scope::Gaps)
            .press("g g")
            .type_keys("4 j");
        assert!(console.screen_text().contains("5 of 30"));
    }

    #[test]
    fn a_click_moves_the_cursor_of_a_dialog_and_one_beside_it_closes_it() {
        let click = |console: TestConsole, (column, row): (u16, u16)| {
            console.send(Msg::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row,
                modifiers: KeyModifiers::NONE,
            }))
        };
        let console = TestConsole::at_scope(Scope::Gaps).press("g g");
        let rows = console.context().frame.layout().dialog.body;
        let console = click(console, (rows.x + 5, rows.y + 2));
        assert!(console.screen_text().contains("3 of 30"));
        assert!(click(console, (0, 0)).context().ui.list_dialog().is_none());
    }

    #[test]
    fn golden_screens_of_the_dialogs_that_are_lists() {
        golden!("undo_list_120x36", TestConsole::at_scope(Scope::History));
        let failures = TestConsole::at_scope(Scope::Failures).press("Space");
        golden!("failures_80x24", failures.send(Msg::Resized(80, 24)));
        let journal = TestConsole::at_scope(Scope::Journal);
        let journal = journal.press("T Enter").send(Msg::Resized(60, 20));
        golden!("journal_60x20", journal);
        golden!("gaps_120x36", TestConsole::at_scope(Scope::Gaps).press("/"));
    }
}
