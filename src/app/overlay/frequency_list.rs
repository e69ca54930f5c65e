//! The frequency table of a column: its values with their counts, shares, bars and sums, and the
//! statistics of numbers.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::format::{format_count, pluralize};
use crate::app::model::frequency::{FrequencyLine, FrequencyTable};
use crate::app::model::list_field::{FieldKind, ValueBin, ValueFilter};
use crate::app::model::list_table::ColumnSpec;
use crate::ui::popup::Popup;
use crate::ui::scroll::ScrollState;
use crate::ui::table::{Table, TableColumn};
use crate::ui::{TextRole, TextSpan, Theme, draw_line, text_span};

const MAX_WIDTH: u16 = 96;
const BAR_WIDTH: u16 = 20;

#[derive(Clone, Debug)]
pub struct FrequencyList {
    /// The columns of the list.
    pub columns: Vec<ColumnSpec>,
    /// The one whose values are counted.
    pub column: ColumnSpec,
    /// What is summed beside the counts.
    pub amount: Option<ColumnSpec>,
    pub table: FrequencyTable,
    /// Which rows are counted: `100 of 326 rows loaded`.
    pub scope: String,
    /// How many rows are marked.
    pub marked_rows: usize,
    /// Only the marked rows are counted.
    pub is_of_marked: bool,
    pub order: FrequencyOrder,
    /// The marked lines, by their place in the table.
    pub marks: BTreeSet<usize>,
    pub scroll: ScrollState,
}

/// The order of the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrequencyOrder {
    /// Texts by their count, ranges in their order.
    #[default]
    Usual,
    Value,
    Amount,
}

impl FrequencyList {
    /// The lines as they are shown, by their place in the table.
    fn places(&self) -> Vec<usize> {
        let lines = &self.table.lines;
        let mut places: Vec<usize> = (0..lines.len()).collect();
        match self.order {
            FrequencyOrder::Usual => {}
            FrequencyOrder::Value
                if self.column.kind.is_numeric() || self.column.kind == FieldKind::Date =>
            {
                places.sort_by_key(|at| std::cmp::Reverse(lines[*at].count));
            }
            FrequencyOrder::Value => {
                let is_unknown = |at: &usize| lines[*at].bin == ValueBin::Unknown;
                places.sort_by_cached_key(|at| {
                    (is_unknown(at), self.label(&lines[*at]).to_lowercase())
                });
            }
            FrequencyOrder::Amount => {
                places.sort_by(|one, other| lines[*other].amount.total_cmp(&lines[*one].amount))
            }
        }
        places
    }

    fn label(&self, line: &FrequencyLine) -> String {
        line.bin.label(self.column.kind)
    }

    pub fn step(&mut self, rows: isize) {
        self.scroll.move_cursor(rows, self.table.lines.len());
    }

    /// Sorts the lines in the next way. The cursor goes to the first line.
    pub fn change_order(&mut self) {
        self.order = match self.order {
            FrequencyOrder::Usual => FrequencyOrder::Value,
            FrequencyOrder::Value if self.amount.is_some() => FrequencyOrder::Amount,
            FrequencyOrder::Value | FrequencyOrder::Amount => FrequencyOrder::Usual,
        };
        self.scroll = ScrollState::default();
    }

    /// Marks the line under the cursor, or unmarks it, and moves down.
    pub fn toggle_mark(&mut self) {
        if let Some(at) = self.places().get(self.scroll.cursor)
            && !self.marks.remove(at)
        {
            self.marks.insert(*at);
        }
        self.step(1);
    }

    /// What the marked lines, or the one under the cursor, stand for.
    pub fn chosen_filter(&self) -> Option<ValueFilter> {
        let here = self.places().get(self.scroll.cursor).copied();
        let chosen: Vec<usize> = if self.marks.is_empty() {
            here.into_iter().collect()
        } else {
            self.marks.iter().copied().collect()
        };
        let bins: Vec<ValueBin> = chosen
            .iter()
            .filter_map(|at| Some(self.table.lines.get(*at)?.bin.clone()))
            .collect();
        (!bins.is_empty()).then_some(ValueFilter {
            column: self.column,
            bins,
        })
    }

    /// The column beside the shown one.
    pub fn neighbor(&self, is_next: bool) -> Option<&'static str> {
        let (at, count) = (
            self.columns
                .iter()
                .position(|field| field.key == self.column.key)?,
            self.columns.len(),
        );
        self.columns
            .get((at + if is_next { 1 } else { count - 1 }) % count)
            .map(|field| field.key)
    }

    /// The table as Markdown.
    pub fn to_markdown(&self) -> String {
        let amount = self
            .amount
            .as_ref()
            .map(|field| format!(" {} |", field.title()))
            .unwrap_or_default();
        let rule = if self.amount.is_some() { " --: |" } else { "" };
        let mut text = format!(
            "| {} | count | share |{amount}\n|---|--:|--:|{rule}\n",
            self.column.title()
        );
        for at in self.places() {
            let line = &self.table.lines[at];
            let label = crate::text::sanitize_line(&self.label(line)).replace('|', "\\|");
            text.push_str(&format!(
                "| {label} | {} | {} |",
                line.count,
                self.share(line)
            ));
            if let Some(field) = &self.amount {
                let known = (line.amount != 0.0).then(|| field.kind.format_number(line.amount));
                text.push_str(&format!(" {} |", known.unwrap_or_default()));
            }
            text.push('\n');
        }
        text
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of rows fit")]
    fn share(&self, line: &FrequencyLine) -> String {
        match self.table.rows {
            0 => String::new(),
            rows => format!("{:.0} %", line.count as f64 / rows as f64 * 100.0),
        }
    }

    /// What all lines have together: `100 rows  12 values`, and for numbers their sum, median and
    /// bounds.
    fn summary(&self) -> String {
        let values = self
            .table
            .lines
            .iter()
            .filter(|line| line.bin != ValueBin::Unknown)
            .count();
        let kind = self.column.kind;
        let Some(statistics) = self.table.statistics else {
            return format!(
                "{}, {}",
                pluralize(self.table.rows, "row"),
                pluralize(values, "value")
            );
        };
        let number = |number| kind.format_number(number);
        let sum = if kind.is_additive() {
            format!("sum {}   ", number(statistics.sum))
        } else {
            String::new()
        };
        format!(
            "{} of {} known   {sum}median {}   min {}   max {}",
            format_count(statistics.known as u64),
            pluralize(self.table.rows, "row"),
            number(statistics.median),
            number(statistics.min),
            number(statistics.max)
        )
    }

    fn cells(&self, place: usize, is_current: bool, theme: &Theme) -> Vec<Vec<TextSpan<'static>>> {
        let line = &self.table.lines[place];
        let (glyphs, is_marked) = (theme.glyphs(), self.marks.contains(&place));
        let role = match &line.bin {
            ValueBin::Unknown => TextRole::Muted,
            _ if is_current => TextRole::Strong,
            _ => TextRole::Text,
        };
        let most = self
            .table
            .lines
            .iter()
            .map(|line| line.count)
            .max()
            .unwrap_or(1)
            .max(1);
        let bar = (line.count * usize::from(BAR_WIDTH)).div_ceil(most);
        let mut cells = vec![
            vec![
                glyphs.cursor_span(is_current),
                text_span(
                    TextRole::Marked,
                    if is_marked { glyphs.marked } else { " " },
                ),
            ],
            vec![text_span(role, self.label(line))],
            vec![text_span(TextRole::Text, format_count(line.count as u64))],
            vec![text_span(TextRole::Muted, self.share(line))],
            vec![text_span(
                TextRole::Key,
                if theme.ascii { "#" } else { "━" }.repeat(bar),
            )],
        ];
        if let Some(amount) = &self.amount {
            let known = (line.amount != 0.0).then(|| amount.kind.format_number(line.amount));
            cells.push(vec![match known {
                Some(known) => text_span(TextRole::Text, known),
                None => text_span(TextRole::Muted, glyphs.missing),
            }]);
        }
        cells
    }

    /// The columns, with the one that the lines are sorted by.
    fn columns(&self) -> (Vec<TableColumn>, Option<(usize, bool)>) {
        let column = |title, width, drop_order| TableColumn {
            title,
            width,
            max_width: 0,
            drop_order,
            align_right: true,
        };
        let mut columns = vec![
            TableColumn {
                align_right: false,
                ..column("", 2, 0)
            },
            TableColumn {
                align_right: false,
                max_width: 44,
                ..column("VALUE", 14, 0)
            },
            column("COUNT", 7, 0),
            column("SHARE", 5, 0),
            TableColumn {
                align_right: false,
                ..column("", BAR_WIDTH, 1)
            },
        ];
        let amount = self.amount.as_ref().map(|amount| {
            if amount.kind == FieldKind::Money {
                "SUM"
            } else {
                "TOTAL"
            }
        });
        columns.extend(amount.map(|title| column(title, 9, 2)));
        let in_order = self.column.kind.is_numeric() || self.column.kind == FieldKind::Date;
        let sorted_by = match self.order {
            FrequencyOrder::Amount => (5, false),
            order if in_order == (order == FrequencyOrder::Usual) => (1, true),
            _ => (2, false),
        };
        (columns, Some(sorted_by))
    }

    pub fn draw(&self, screen: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let of_marked = if self.is_of_marked {
            " of the marked rows"
        } else {
            ""
        };
        let of_rows = match (self.is_of_marked, self.marked_rows) {
            (true, _) => "  {frequency.marked} all rows",
            (false, 0) => "",
            (false, _) => "  {frequency.marked} marked rows",
        };
        let keys = [
            "{frequency.filter} filter  {frequency.mark} mark  {frequency.group} group by it  {frequency.next} {frequency.previous} other column".to_owned(),
            format!("{{frequency.column}} choose column  {{frequency.order}} order  {{frequency.copy}} copy{of_rows}  {{dialog.close}} close"),
        ];
        let title = format!("Frequency of {}", self.column.title());
        let popup = Popup {
            title: vec![
                text_span(TextRole::Strong, title),
                text_span(TextRole::Marked, of_marked),
            ],
            note: self.scope.clone(),
            min_height: 12,
            above: 1,
            rows: self.table.lines.len(),
            below: 1,
            keys: keys
                .iter()
                .map(|line| keymap.expand_keys_styled(TextRole::Muted, line))
                .collect(),
            ..Popup::new("", MAX_WIDTH.min(screen.width))
        };
        let areas = popup.draw(screen, buf, theme);
        let list = areas.body;
        let (columns, sorted_by) = self.columns();
        let (places, scroll) = (
            self.places(),
            ScrollState::centered_on(self.scroll.cursor, self.table.lines.len(), list.height),
        );
        let table = Table {
            columns: &columns,
            scroll,
            len: places.len(),
            has_focus: true,
            sorted_by,
            columns_scroll: Default::default(),
            wraps_cursor_row: false,
        };
        table.draw(buf, areas.frame, list, theme, |at, here| {
            self.cells(places[at], here, theme)
        });
        draw_line(buf, areas.below, &self.summary_line(), theme);
    }

    /// What the lines sum up to, and how many are marked.
    fn summary_line(&self) -> Vec<TextSpan<'static>> {
        let mut summary = vec![text_span(TextRole::Text, self.summary())];
        if let Some(amount) = self
            .amount
            .as_ref()
            .filter(|amount| amount.key != self.column.key)
        {
            let sum = format!(
                "   {} {}",
                amount.title(),
                amount.kind.format_number(self.table.amount)
            );
            summary.push(text_span(TextRole::Text, sum));
        }
        if !self.marks.is_empty() {
            summary.push(text_span(
                TextRole::Marked,
                format!("   {} marked", self.marks.len()),
            ));
        }
        summary
    }
}
