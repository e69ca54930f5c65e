//! What is on the lines of a list, whatever it is a list of: rows, as they come or in another
//! order; the headings of groups, which open and close; and gaps, where rows are not loaded.
//!
//! It is computed when rows arrive or the user asks, never to draw a line or to move the cursor.

use std::collections::HashSet;
use std::ops::Range;

use super::list_field::ValueFilter;
use crate::domain::text_query::TextQuery;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

#[derive(Clone, Debug, Default)]
pub struct LineOrder {
    /// What is on each line; `None`: all rows as they come.
    lines: Option<Vec<Line>>,
    groups: Vec<RowGroup>,
    /// The groups whose rows are hidden, by their labels.
    closed: HashSet<String>,
    /// The rows that are shown, with those of closed groups; `None`: all of them.
    shown: Option<RowSet>,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Row(usize),
    /// The heading of a group, by its place.
    Heading(usize),
    /// Rows that are not loaded: `size` of those from the first to the last.
    Gap {
        first: usize,
        last: usize,
        size: usize,
    },
}

/// The rows that have a value in common.
#[derive(Clone, Debug, PartialEq)]
pub struct RowGroup {
    /// The value.
    pub label: String,
    pub rows: Vec<usize>,
    /// The sum of the amounts of its rows.
    pub amount: f64,
    /// Its rows are shown below its heading.
    pub is_open: bool,
}

/// A set of rows.
#[derive(Clone, Debug, Default)]
struct RowSet {
    has_row: Vec<bool>,
    len: usize,
}

impl RowSet {
    fn insert(&mut self, row: usize) {
        if self.has_row.len() <= row {
            self.has_row.resize(row + 1, false);
        }
        self.len += usize::from(!std::mem::replace(&mut self.has_row[row], true));
    }

    fn contains(&self, row: usize) -> bool {
        self.has_row.get(row).is_some_and(|has_row| *has_row)
    }
}

impl LineOrder {
    /// Shows all rows as they come.
    pub fn clear(&mut self) {
        self.begin(false);
        self.lines = None;
    }

    /// Begins a new order, which the `push` functions fill; `is_narrowed` if it leaves rows out.
    pub fn begin(&mut self, is_narrowed: bool) {
        self.lines = Some(Vec::new());
        self.groups.clear();
        self.shown = is_narrowed.then(RowSet::default);
    }

    pub fn push_rows(&mut self, rows: impl IntoIterator<Item = usize> + Clone) {
        if let Some(shown) = &mut self.shown {
            rows.clone().into_iter().for_each(|row| shown.insert(row));
        }
        let lines = self.lines.get_or_insert_default();
        lines.extend(rows.into_iter().map(Line::Row));
    }

    /// Adds the heading of a group, and its rows unless the user closed it.
    pub fn push_group(&mut self, label: String, rows: Vec<usize>, amount: f64) {
        if let Some(shown) = &mut self.shown {
            rows.iter().for_each(|row| shown.insert(*row));
        }
        let is_open = !self.closed.contains(&label);
        let lines = self.lines.get_or_insert_default();
        lines.push(Line::Heading(self.groups.len()));
        if is_open {
            lines.extend(rows.iter().copied().map(Line::Row));
        }
        self.groups.push(RowGroup {
            label,
            rows,
            amount,
            is_open,
        });
    }

    /// Adds a line for rows that are not loaded: `size` of those from the first to the last.
    pub fn push_gap(&mut self, (first, last, size): (usize, usize, usize)) {
        let lines = self.lines.get_or_insert_default();
        lines.push(Line::Gap { first, last, size });
    }

    /// Forgets which groups were closed.
    pub fn forget_closed(&mut self) {
        self.closed.clear();
    }

    /// Whether all rows are shown as they come.
    pub fn is_plain(&self) -> bool {
        self.lines.is_none()
    }

    /// How many lines a list of this many rows has.
    pub fn len(&self, rows: usize) -> usize {
        self.lines.as_ref().map_or(rows, Vec::len)
    }

    /// What a line of a list of this many rows shows.
    pub fn line_at(&self, at: usize, rows: usize) -> Option<Line> {
        match &self.lines {
            Some(lines) => lines.get(at).copied(),
            None => (at < rows).then_some(Line::Row(at)),
        }
    }

    pub fn group(&self, at: usize) -> Option<&RowGroup> {
        self.groups.get(at)
    }

    /// The line that shows a row: its own, the heading of a closed group, or a gap.
    pub fn line_of(&self, row: usize) -> Option<usize> {
        let Some(lines) = &self.lines else {
            return Some(row);
        };
        let is_closed = |group: &RowGroup| !group.is_open && group.rows.contains(&row);
        let closed = self.groups.iter().position(is_closed);
        lines.iter().position(|line| match *line {
            Line::Row(shown) => shown == row,
            Line::Heading(group) => Some(group) == closed,
            Line::Gap { first, last, .. } => (first..=last).contains(&row),
        })
    }

    /// The line of the heading of a row's group.
    pub fn heading_of(&self, row: usize) -> Option<usize> {
        self.heading_line(self.group_of(row)?)
    }

    fn group_of(&self, row: usize) -> Option<usize> {
        let mut groups = self.groups.iter();
        groups.position(|group| group.rows.contains(&row))
    }

    fn heading_line(&self, group: usize) -> Option<usize> {
        let mut lines = self.lines.as_ref()?.iter();
        lines.position(|line| *line == Line::Heading(group))
    }

    /// Whether a row is shown; in a closed group it is.
    pub fn shows(&self, row: usize) -> bool {
        self.shown.as_ref().is_none_or(|shown| shown.contains(row))
    }

    /// How many rows are shown, with those of closed groups; `None`: all of them.
    pub fn shown_count(&self) -> Option<usize> {
        self.shown.as_ref().map(|shown| shown.len)
    }

    /// The rows that are shown, in the order of the lines, with those of closed groups in their
    /// place.
    pub fn shown_rows(&self, rows: usize) -> Vec<usize> {
        let Some(lines) = &self.lines else {
            return (0..rows).collect();
        };
        let rows = lines.iter().flat_map(|line| match line {
            Line::Row(row) => std::slice::from_ref(row),
            Line::Heading(at) if !self.groups[*at].is_open => &self.groups[*at].rows,
            Line::Heading(_) | Line::Gap { .. } => &[],
        });
        rows.copied().collect()
    }

    /// How many rows of these lines are not loaded.
    pub fn unread_in(&self, lines: Range<usize>) -> usize {
        let lines = self.lines.as_ref().and_then(|all| all.get(lines));
        let unread = |line: &Line| match line {
            Line::Gap { size, .. } => *size,
            Line::Row(_) | Line::Heading(_) => 0,
        };
        lines.into_iter().flatten().map(unread).sum()
    }

    /// Closes the group of a line, or opens it, with all of its label. Returns the line of its
    /// heading.
    pub fn toggle_fold(&mut self, line: usize) -> Option<usize> {
        let at = match *self.lines.as_ref()?.get(line)? {
            Line::Row(row) => self.group_of(row)?,
            Line::Heading(group) => group,
            Line::Gap { .. } => return None,
        };
        let group = self.groups.get(at)?;
        let (label, is_open) = (group.label.clone(), group.is_open);
        self.set_open(!is_open, |group| group.label == label);
        self.heading_line(at)
    }

    /// Closes all groups, or opens them.
    pub fn fold_all(&mut self, close: bool) {
        self.set_open(!close, |_| true);
    }

    /// Shows or hides the rows below the headings of some groups.
    fn set_open(&mut self, is_open: bool, concerns: impl Fn(&RowGroup) -> bool) {
        let Some(lines) = &mut self.lines else { return };
        let mut old = std::mem::take(lines).into_iter();
        while let Some(line) = old.next() {
            lines.push(line);
            let Line::Heading(at) = line else { continue };
            let group = &mut self.groups[at];
            if group.is_open == is_open || !concerns(group) {
                continue;
            }
            group.is_open = is_open;
            if is_open {
                self.closed.remove(&group.label);
                lines.extend(group.rows.iter().copied().map(Line::Row));
            } else {
                self.closed.insert(group.label.clone());
                old.by_ref().take(group.rows.len()).for_each(drop);
            }
        }
    }
}

/// The longest search that a list's title shows, in cells.
const LABEL_WIDTH: usize = 24;

/// The note of a list that a search has narrowed.
pub fn narrowed_label(query: &TextQuery, theme: &Theme) -> TextSpan<'static> {
    let text = text::truncate(query.text(), LABEL_WIDTH, theme.glyphs().ellipsis);
    text_span(TextRole::Warning, format!("/ {text}"))
}

/// The note of a list that shows only some values of a column.
pub fn filtered_label(filter: &ValueFilter, theme: &Theme) -> TextSpan<'static> {
    let label = filter.label();
    text_span(
        TextRole::Warning,
        text::truncate(
            &label,
            LABEL_WIDTH + LABEL_WIDTH / 2,
            theme.glyphs().ellipsis,
        )
        .into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project with signals on both sides of rows that are not loaded, and a row of its own.
    fn threads() -> LineOrder {
        let mut order = LineOrder::default();
        order.begin(true);
        order.push_group("pier".to_owned(), vec![0, 2], 0.0);
        order.push_rows([1]);
        order.push_gap((3, 9, 7));
        order.push_group("pier".to_owned(), vec![10, 11], 0.0);
        order
    }

    fn lines(order: &LineOrder) -> Vec<Line> {
        (0..).map_while(|at| order.line_at(at, 12)).collect()
    }

    #[test]
    fn a_group_is_closed_on_both_sides_of_a_gap_and_its_rows_stay_shown() {
        let mut order = threads();
        let open = lines(&order);
        assert_eq!(order.toggle_fold(6), Some(3), "the heading below the gap");
        let gap = Line::Gap {
            first: 3,
            last: 9,
            size: 7,
        };
        let closed = [Line::Heading(0), Line::Row(1), gap, Line::Heading(1)];
        assert_eq!(lines(&order), closed);
        assert_eq!(order.shown_rows(12), [0, 2, 1, 10, 11]);
        let places = [2, 5, 11].map(|row| order.line_of(row));
        assert_eq!(places, [Some(0), Some(2), Some(3)]);
        assert_eq!((order.unread_in(0..4), order.shown_count()), (7, Some(5)));
        assert_eq!(order.toggle_fold(2), None, "a gap has no group");
        order.fold_all(false);
        assert_eq!(lines(&order), open);
    }

    #[test]
    fn a_closed_group_stays_closed_when_rows_arrive() {
        let mut order = threads();
        order.fold_all(true);
        order.begin(true);
        order.push_group("pier".to_owned(), vec![0, 2, 4], 0.0);
        assert_eq!(lines(&order), [Line::Heading(0)]);
    }
}
