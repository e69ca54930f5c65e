//! The cells of a line of the queue: a column that shows more than its value is drawn here.

use super::columns::has_full_types;
use crate::app::Context;
use crate::app::format::{self, format_time};
use crate::app::model::line_order::Line;
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::queue::QueueTabState;
use crate::app::model::signal_list::MissingReason;
use crate::app::panes::fact_list::priority_role;
use crate::domain::SignalId;
use crate::domain::display_format::format_short_date;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::queue::{LEAVING_SOON_DAYS, QueueSignal};
use crate::domain::row_columns::{RowColumn, RowFacts, RowValue, find_column};
use crate::domain::signals::Signal;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, TextSpan, text_span};

/// The columns that show something else than their value.
const DRAWN_COLUMNS: &[(&str, DrawCell)] = &[
    ("priority", |row| row.priority_cell().into()),
    ("type", |row| row.type_cell().into()),
    ("filed", |row| {
        row.day_cell(row.signal().filed_at.as_ref()).into()
    }),
    ("found", |row| {
        row.day_cell(row.signal().discovered_at.as_ref()).into()
    }),
    ("project", |row| row.project_cell()),
    ("description", |row| row.description_cell().into()),
    ("city", |row| {
        let city = row.cx.queue.facts.city(row.signal());
        row.text_cell(TextRole::Muted, city).into()
    }),
    ("days", |row| row.days_cell().into()),
    ("account", |row| {
        let account = row.cx.queue.facts.book_match(row.row);
        let name = account.map(|account| account.name);
        row.text_cell(TextRole::Marked, name).into()
    }),
    ("tier", |row| {
        let account = row.cx.queue.facts.book_match(row.row);
        let tier = account.and_then(|account| account.tier);
        row.text_cell(TextRole::Muted, tier).into()
    }),
    ("owner", |row| {
        let owner = row.cx.queue.facts.owner(row.signal());
        row.text_cell(TextRole::Muted, owner).into()
    }),
    ("who", |row| row.user_cell().into()),
    ("when", |row| row.time_cell().into()),
];

type DrawCell = for<'a> fn(&ListedRow<'a>) -> TableCell<'a>;

/// A column that is on the screen, looked up once for all rows.
pub(super) struct ShownColumn {
    spec: ColumnSpec,
    cell: ColumnCell,
}

enum ColumnCell {
    Drawn(DrawCell),
    Value(&'static RowColumn),
    Empty,
}

impl From<&ColumnSpec> for ShownColumn {
    fn from(spec: &ColumnSpec) -> ShownColumn {
        let mut drawn = DRAWN_COLUMNS.iter();
        let cell = match drawn.find(|(key, _)| *key == spec.key) {
            Some((_, draw_cell)) => ColumnCell::Drawn(*draw_cell),
            None => find_column(spec.key).map_or(ColumnCell::Empty, ColumnCell::Value),
        };
        ShownColumn { spec: *spec, cell }
    }
}

/// A line of the list: a row, or the heading of a thread.
pub(super) struct ListedLine<'a> {
    pub cx: &'a Context,
    pub tab: &'a QueueTabState,
    pub line: Line,
    /// The branch of a row under the heading of its thread.
    pub branch: Option<&'static str>,
    /// The heading above it has the name of the project.
    pub is_under_heading: bool,
    pub is_current: bool,
    pub is_in_range: bool,
}

/// A line whose row is loaded.
struct ListedRow<'a> {
    cx: &'a Context,
    tab: &'a QueueTabState,
    row: &'a QueueSignal,
    /// The signals of a thread, and whether it is open.
    thread: Option<(Vec<SignalId>, bool)>,
    branch: Option<&'static str>,
    is_under_heading: bool,
}

/// The state of a line and its cells in these columns.
pub(super) fn draw_cells<'a>(line: &ListedLine<'a>, columns: &[ShownColumn]) -> Vec<TableCell<'a>> {
    let ListedLine { cx, tab, .. } = *line;
    let mut state: TableCell = cx
        .settings
        .theme
        .glyphs()
        .cursor_span(line.is_current)
        .into();
    let group = tab.group_on(line.line);
    let thread = group.map(|group| (tab.ids_on_line(line.line), group.is_open));
    let slot = match line.line {
        Line::Row(slot) | Line::Gap { first: slot, .. } => slot,
        Line::Heading(_) => group
            .and_then(|group| group.rows.first().copied())
            .unwrap_or(0),
    };
    let Some(row) = tab.list.row_at(slot) else {
        let cells = columns
            .iter()
            .map(|column| missing_cell(cx, tab.list.missing(slot), &column.spec).into());
        return std::iter::once(state).chain(cells).collect();
    };
    let row = ListedRow {
        cx,
        tab,
        row,
        thread,
        branch: line.branch,
        is_under_heading: line.is_under_heading,
    };
    state.tail = vec![row.state_mark(line.is_in_range)];
    let cells = columns.iter().map(|column| row.cell(column));
    std::iter::once(state).chain(cells).collect()
}

/// The cell of a row that is not loaded.
fn missing_cell(
    cx: &Context,
    why: Option<MissingReason>,
    column: &ColumnSpec,
) -> TextSpan<'static> {
    match why {
        None => text_span(TextRole::Faint, cx.settings.theme.glyphs().separator),
        Some(MissingReason::Unreadable) if column.key == "project" => {
            text_span(TextRole::Warning, "unreadable row")
        }
        Some(MissingReason::NotSent) if column.key == "project" => {
            text_span(TextRole::Warning, "row was not sent")
        }
        Some(_) => text_span(TextRole::Text, ""),
    }
}

impl<'a> ListedRow<'a> {
    fn cell(&self, column: &ShownColumn) -> TableCell<'a> {
        let value = match column.cell {
            ColumnCell::Drawn(draw_cell) => return draw_cell(self),
            // Columns of what is known besides the row, and of the day, are drawn.
            ColumnCell::Value(value) => RowFacts::of_row(self.row, None).value(value),
            ColumnCell::Empty => None,
        };
        let text = match value {
            Some(RowValue::Text(text) | RowValue::Ranked(_, text)) => {
                text_span(TextRole::Muted, text)
            }
            Some(RowValue::Number(number)) => {
                text_span(TextRole::Text, column.spec.kind.format_number(number))
            }
            Some(RowValue::Date(at)) => self.day_cell(Some(&at.into())),
            None => self.text_cell(TextRole::Faint, None),
        };
        text.into()
    }

    fn signal(&self) -> &'a Signal {
        &self.row.signal
    }

    fn text_cell(&self, role: TextRole, text: Option<&'a str>) -> TextSpan<'a> {
        match text.filter(|text| !text.is_empty()) {
            Some(text) => text_span(role, text),
            None => text_span(TextRole::Faint, self.cx.settings.theme.glyphs().missing),
        }
    }

    fn day_cell(&self, when: Option<&DateOrDateTime>) -> TextSpan<'a> {
        match when.map(|when| (when.date(), when)) {
            Some((Some(day), _)) => text_span(TextRole::Muted, format_short_date(day)),
            Some((None, when)) => text_span(TextRole::Muted, format::format_full_day(when)),
            None => self.text_cell(TextRole::Faint, None),
        }
    }

    fn priority_cell(&self) -> TextSpan<'a> {
        let priority = self.row.priority.as_ref();
        let letter = priority.map_or("?", |priority| priority.letter());
        text_span(priority_role(priority), letter)
    }

    fn type_cell(&self) -> TextSpan<'a> {
        let cell = match (&self.thread, self.signal().signal_type.as_ref()) {
            (Some(_), _) => text_span(TextRole::Text, ""),
            (None, Some(kind)) if has_full_types(self.cx) => {
                text_span(TextRole::Text, format::humanize(kind.as_str()))
            }
            (None, Some(kind)) => text_span(TextRole::Text, kind.word()),
            (None, None) => self.text_cell(TextRole::Text, None),
        };
        match self.branch {
            Some(branch) => text_span(cell.role, format!("{branch} {}", cell.text)),
            None => cell,
        }
    }

    /// The project's name, and how many of its signals are loaded if there are several.
    fn project_cell(&self) -> TableCell<'a> {
        let glyphs = self.cx.settings.theme.glyphs();
        let name = self.signal().project_name.as_deref();
        let name = name.unwrap_or("unnamed project");
        let is_in_book = self.cx.queue.facts.book_match(self.row).is_some();
        let favorite = if is_in_book { glyphs.favorite } else { "" };
        let fold = match self.thread {
            Some((_, true)) => glyphs.expanded,
            Some((_, false)) => glyphs.collapsed,
            None => "",
        };
        let parts = match self.is_under_heading {
            true => Vec::new(),
            false => vec![fold, favorite, name],
        };
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let role = TextRole::strong_if(self.thread.is_some() || is_in_book);
        let name = text_span(role, parts.join(" "));
        let mut tail = String::new();
        if let Some((ids, _)) = &self.thread {
            tail = format!(" ({})", ids.len());
        } else if let (false, Some(n)) = (self.tab.is_grouped(), self.tab.sibling_count(self.row)) {
            tail = format!(" ({n})");
        }
        if self.thread.is_none() && self.tab.list.duplicate_count(self.row) > 0 {
            tail = format!("{tail} {}", glyphs.duplicate);
        }
        let tail = Some(tail).filter(|tail| !tail.is_empty());
        let tail = tail.map(|tail| text_span(TextRole::Muted, tail));
        TableCell {
            text: name,
            tail: tail.into_iter().collect(),
        }
    }

    /// What is being built; where that is not known yet, which filing it is.
    fn description_cell(&self) -> TextSpan<'a> {
        let signal = self.signal();
        match (self.cx.queue.facts.description(signal), &signal.signal_type) {
            (Some(work), _) if !work.is_empty() => text_span(TextRole::Text, work),
            (_, Some(kind)) => text_span(TextRole::Muted, format::humanize(kind.as_str())),
            _ => self.text_cell(TextRole::Faint, None),
        }
    }

    fn days_cell(&self) -> TextSpan<'a> {
        match self.row.days_left(self.cx.clock.service_now()) {
            Some(days) if days <= LEAVING_SOON_DAYS => {
                text_span(TextRole::Warning, format!("{}d!", days.max(0)))
            }
            Some(days) => text_span(TextRole::Muted, format!("{days}d")),
            None => self.text_cell(TextRole::Faint, None),
        }
    }

    fn user_cell(&self) -> TextSpan<'a> {
        let user = self.row.triaged_by.as_ref();
        text_span(TextRole::Text, self.cx.queue.user_name(user))
    }

    /// When it was done.
    fn time_cell(&self) -> TextSpan<'a> {
        let at = self.row.triaged_at.as_ref();
        let (now, zone) = (self.cx.clock.service_now(), self.cx.clock.utc_offset());
        let at = at.and_then(|when| when.date_time());
        let at = at.map(|at| format_time(at, now, zone));
        text_span(TextRole::Muted, at.unwrap_or_default())
    }

    /// One symbol per row, the most urgent.
    fn state_mark(&self, is_in_range: bool) -> TextSpan<'static> {
        let (cx, tab, id) = (self.cx, self.tab, self.signal().id);
        let glyphs = cx.settings.theme.glyphs();
        let is_marked = match &self.thread {
            Some((ids, _)) => ids.iter().all(|id| tab.marks.contains(id)),
            None => tab.marks.contains(&id),
        };
        if tab.unconfirmed.contains(&id) {
            text_span(TextRole::Warning, glyphs.unknown)
        } else if cx.outbox.offline.is_waiting(id) {
            text_span(TextRole::Warning, glyphs.waiting)
        } else if is_marked || is_in_range {
            text_span(TextRole::Marked, glyphs.marked)
        } else if cx.queue.snoozes.has_returned(id) {
            text_span(TextRole::New, glyphs.returned_row)
        } else if cx.queue.news.contains(self.row) {
            text_span(TextRole::New, glyphs.new_row)
        } else {
            text_span(TextRole::Text, " ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::row_columns::{Origin, ROW_COLUMNS};

    #[test]
    fn every_drawn_column_exists_and_only_what_the_row_says_is_not_drawn() {
        let is_drawn = |key: &str| DRAWN_COLUMNS.iter().any(|(drawn, _)| *drawn == key);
        for (key, _) in DRAWN_COLUMNS {
            assert!(find_column(key).is_some(), "{key}");
        }
        for column in ROW_COLUMNS {
            let is_of_row = !matches!(column.origin, Origin::Description | Origin::Book);
            assert!(is_of_row || is_drawn(column.spec.key), "{column}");
        }
    }
}
