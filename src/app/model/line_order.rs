//! Which rows of a list are on its lines, in which order: all of them as they come, or sorted and narrowed to what a search finds.
//!
//! It is computed when rows arrive or the user asks, never to draw a line or to move the cursor.

use crate::domain::text_query::TextQuery;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

#[derive(Clone, Debug, Default)]
pub struct LineOrder {
    /// The search that hides rows.
    query: Option<TextQuery>,
    /// The row on each line; `None`: all rows as they come.
    rows: Option<Vec<usize>>,
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

    /// How many lines a list of this many rows has.
    pub fn len(&self, rows: usize) -> usize {
        self.rows.as_ref().map_or(rows, Vec::len)
    }

    /// The row on a line. Below the last line there is none, at an index that no list reaches.
    pub fn row_on(&self, line: usize) -> usize {
        match &self.rows {
            Some(rows) => rows.get(line).copied().unwrap_or(usize::MAX),
            None => line,
        }
    }

    /// The line that shows a row.
    pub fn line_of(&self, row: usize) -> Option<usize> {
        match &self.rows {
            Some(rows) => rows.iter().position(|shown| *shown == row),
            None => Some(row),
        }
    }

    /// Computes the lines of a list of `len` rows: in this order if one is given, without the rows whose texts do not match.
    pub fn arrange(&mut self, len: usize, order: Option<Vec<usize>>, text: impl Fn(usize, &mut String)) {
        self.rows = match &self.query {
            None => order,
            Some(query) => {
                let (mut matcher, mut buffer) = (query.matcher(), String::new());
                let mut is_match = |row: &usize| {
                    buffer.clear();
                    text(*row, &mut buffer);
                    matcher.matches(&buffer)
                };
                Some(match order {
                    Some(order) => order.into_iter().filter(|row| is_match(row)).collect(),
                    None => (0..len).filter(|row| is_match(row)).collect(),
                })
            }
        };
    }
}

/// The longest search that a list's title shows, in cells.
const LABEL_WIDTH: usize = 24;

/// The note of a list that a search has narrowed.
pub fn narrowed_label(query: &TextQuery, theme: &Theme) -> TextSpan<'static> {
    let text = text::truncate(query.text(), LABEL_WIDTH, theme.glyphs().ellipsis);
    text_span(TextRole::Warning, format!("/ {text}"))
}
