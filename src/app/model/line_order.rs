//! Which rows of a list are on its lines, in which order: all of them as they come, or sorted,
//! grouped, and narrowed to what a search finds or to some values of a column.
//!
//! It is computed when rows arrive or the user asks, never to draw a line or to move the cursor.

use std::collections::HashSet;

use super::frequency::{amount_of, group_rows};
use super::list_field::{RowValues, ValueBin, ValueFilter};
use super::list_table::ColumnSpec;
use crate::domain::text_query::TextQuery;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

#[derive(Clone, Debug, Default)]
pub struct LineOrder {
    /// The search that hides rows.
    query: Option<TextQuery>,
    /// The values that a row must have.
    filter: Option<ValueFilter>,
    /// What the rows are grouped by.
    group: Option<ColumnSpec>,
    /// The groups whose rows are hidden, by their labels.
    closed: HashSet<String>,
    groups: Vec<RowGroup>,
    /// The rows that are shown, with those of closed groups; `None`: all of them.
    shown: Option<HashSet<usize>>,
    /// What is on each line; `None`: all rows as they come.
    lines: Option<Vec<Line>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Row(usize),
    /// The heading of a group.
    Heading(usize),
}

/// The rows that have a value in common.
#[derive(Clone, Debug, PartialEq)]
pub struct RowGroup {
    pub bin: ValueBin,
    pub rows: Vec<usize>,
    /// The sum of the amounts of its rows.
    pub amount: f64,
    /// Its rows are shown below its heading.
    pub is_open: bool,
}

impl LineOrder {
    /// What the list is narrowed to.
    pub fn query(&self) -> Option<&TextQuery> {
        self.query.as_ref()
    }

    /// Sets what the list is narrowed to; [`LineOrder::arrange`] applies it.
    pub fn set_query(&mut self, query: Option<&TextQuery>) {
        self.query = query.filter(|query| !query.is_empty()).cloned();
    }

    pub fn filter(&self) -> Option<&ValueFilter> {
        self.filter.as_ref()
    }

    /// Sets the values that a row must have; [`LineOrder::arrange`] applies it.
    pub fn set_filter(&mut self, filter: Option<ValueFilter>) {
        self.filter = filter;
    }

    pub fn group(&self) -> Option<&ColumnSpec> {
        self.group.as_ref()
    }

    /// Sets what the rows are grouped by; [`LineOrder::arrange`] applies it. Returns whether that
    /// is new.
    pub fn set_group(&mut self, group: Option<ColumnSpec>) -> bool {
        if self.group.as_ref().map(|group| group.key) == group.as_ref().map(|group| group.key) {
            return false;
        }
        self.closed.clear();
        self.group = group;
        true
    }

    /// How many lines a list of this many rows has.
    pub fn len(&self, rows: usize) -> usize {
        self.lines.as_ref().map_or(rows, Vec::len)
    }

    /// The row on a line. On a heading and below the last line there is none, at an index that no
    /// list reaches.
    pub fn row_on(&self, line: usize) -> usize {
        match &self.lines {
            Some(lines) => lines.get(line).map_or(usize::MAX, |line| {
                if let Line::Row(row) = line {
                    *row
                } else {
                    usize::MAX
                }
            }),
            None => line,
        }
    }

    /// The group whose heading is on a line.
    pub fn heading_on(&self, line: usize) -> Option<&RowGroup> {
        match self.lines.as_ref()?.get(line)? {
            Line::Heading(group) => self.groups.get(*group),
            Line::Row(_) => None,
        }
    }

    /// The line that shows a row: in a closed group, its heading.
    pub fn line_of(&self, row: usize) -> Option<usize> {
        let Some(lines) = &self.lines else {
            return Some(row);
        };
        let group = self
            .groups
            .iter()
            .position(|group| !group.is_open && group.rows.contains(&row));
        lines.iter().position(|line| match line {
            Line::Row(shown) => *shown == row,
            Line::Heading(heading) => Some(*heading) == group,
        })
    }

    /// Whether a row is shown; in a closed group it is.
    pub fn shows(&self, row: usize) -> bool {
        self.shown.as_ref().is_none_or(|shown| shown.contains(&row))
    }

    /// The rows that are shown, in order, with those of closed groups.
    pub fn shown_rows(&self, rows: usize) -> Vec<usize> {
        match &self.lines {
            None => (0..rows).collect(),
            Some(_) if self.group.is_some() => self
                .groups
                .iter()
                .flat_map(|group| group.rows.iter().copied())
                .collect(),
            Some(lines) => lines
                .iter()
                .filter_map(|line| {
                    if let Line::Row(row) = line {
                        Some(*row)
                    } else {
                        None
                    }
                })
                .collect(),
        }
    }

    /// Computes the lines of a list of `len` rows: in this order if one is given. `column` returns
    /// the values of a column for all rows, `write_row` what a search looks at, and `amount` is the
    /// column that is summed for each group.
    pub fn arrange<'a>(
        &mut self,
        len: usize,
        order: Option<Vec<usize>>,
        column: impl Fn(&str) -> Vec<RowValues<'a>>,
        write_row: impl Fn(usize, &mut String),
        amount: Option<&str>,
    ) {
        self.groups.clear();
        (self.lines, self.shown) = (None, None);
        if self.query.is_none() && self.filter.is_none() && order.is_none() && self.group.is_none()
        {
            return;
        }
        let mut rows = order.unwrap_or_else(|| (0..len).collect());
        if let Some(filter) = &self.filter {
            let values = column(filter.column.key);
            rows.retain(|row| filter.matches(&values[*row]));
        }
        if let Some(query) = &self.query {
            let mut is_match = query.row_matcher(&write_row);
            rows.retain(|row| is_match(*row));
        }
        self.shown = (rows.len() < len).then(|| rows.iter().copied().collect());
        let Some(group) = &self.group else {
            self.lines = Some(rows.into_iter().map(Line::Row).collect());
            return;
        };
        let amounts: Vec<f64> = amount
            .map(|key| column(key).iter().map(|values| amount_of(values)).collect())
            .unwrap_or_default();
        let is_open = |bin: &ValueBin| !self.closed.contains(&bin.label(group.kind));
        let groups = group_rows(&rows, &column(group.key), group.kind)
            .into_iter()
            .map(|(bin, rows)| RowGroup {
                amount: rows.iter().filter_map(|row| amounts.get(*row)).sum(),
                is_open: is_open(&bin),
                bin,
                rows,
            });
        self.groups = groups.collect();
        self.list_groups();
    }

    fn list_groups(&mut self) {
        let lines = self.groups.iter().enumerate().flat_map(|(at, group)| {
            let rows = group
                .rows
                .iter()
                .copied()
                .filter(|_| group.is_open)
                .map(Line::Row);
            std::iter::once(Line::Heading(at)).chain(rows)
        });
        self.lines = Some(lines.collect());
    }

    /// Closes the group of a line, or opens it. Returns the line of its heading; the same line where
    /// nothing is grouped.
    pub fn toggle_fold(&mut self, line: usize) -> usize {
        let heading = self.fold(line, true).or_else(|| self.fold(line, false));
        heading.unwrap_or(line)
    }

    /// Opens or closes the group of a line. Returns the line of its heading if that changed
    /// something.
    fn fold(&mut self, line: usize, close: bool) -> Option<usize> {
        let lines = self.lines.as_ref().filter(|_| self.group.is_some())?;
        let heading = (0..=line)
            .rev()
            .find(|line| matches!(lines.get(*line), Some(Line::Heading(_))))?;
        let Some(Line::Heading(at)) = lines.get(heading).copied() else {
            return None;
        };
        (self.groups[at].is_open == close).then(|| {
            self.set_open(at, !close);
            self.list_groups();
            heading
        })
    }

    /// Opens or closes all groups. Returns the line of what was on this one, or of its heading.
    pub fn fold_all(&mut self, line: usize, close: bool) -> usize {
        let row = match self.heading_on(line) {
            Some(group) => group.rows.first().copied(),
            None => Some(self.row_on(line)),
        };
        if self.group.is_some() {
            (0..self.groups.len()).for_each(|at| self.set_open(at, !close));
            self.list_groups();
        }
        row.and_then(|row| self.line_of(row)).unwrap_or(0)
    }

    fn set_open(&mut self, at: usize, is_open: bool) {
        let (Some(group), Some(kind)) = (
            self.groups.get_mut(at),
            self.group.as_ref().map(|group| group.kind),
        ) else {
            return;
        };
        group.is_open = is_open;
        let label = group.bin.label(kind);
        if is_open {
            self.closed.remove(&label);
        } else {
            self.closed.insert(label);
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
