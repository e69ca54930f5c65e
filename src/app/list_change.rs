//! What keys change about the list that has the focus, whatever its rows are.

use std::collections::BTreeSet;

use super::model::list_field::ValueFilter;
use crate::domain::text_query::TextQuery;

/// What a key changes about the list that has the focus.
#[derive(Clone, Debug, PartialEq)]
pub enum ListChange<'c> {
    /// Puts the cursor on a line.
    MoveTo(usize),
    /// Hides the rows that a search does not find, or shows all again.
    Narrow(Option<&'c TextQuery>),
    /// Shows only the loaded rows with some values of a column, or all again.
    Filter(Option<ValueFilter>),
    /// Orders the loaded rows as the choice of an order says.
    Sort(&'c str),
    /// Groups the rows by a column, or ungroups them.
    Group(Option<&'c str>),
    /// Closes the group under the cursor, or opens it.
    ToggleFold,
    /// Closes or opens all groups.
    FoldAll { close: bool },
    /// Marks rows, or takes marks away.
    Mark(MarkChange<'c>),
}

/// Which rows are marked, or no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarkChange<'q> {
    /// That under the cursor, or all of its group; it is unmarked if it is marked.
    Row,
    /// Starts a range at the cursor, or marks the one that was started.
    Range,
    Invert,
    All,
    /// Those that a search finds.
    Matches(&'q TextQuery),
    /// Those with some values of a column.
    Having(&'q ValueFilter),
    None,
}

impl MarkChange<'_> {
    /// Changes the marks of a list. `rows` are the ids of the rows that the change is about.
    pub fn apply<K: Ord>(self, marks: &mut BTreeSet<K>, rows: Vec<K>) {
        match self {
            MarkChange::Row if rows.iter().all(|id| marks.contains(id)) => {
                rows.iter().for_each(|id| {
                    marks.remove(id);
                });
            }
            MarkChange::Row | MarkChange::All | MarkChange::Matches(_) | MarkChange::Having(_) => {
                marks.extend(rows)
            }
            MarkChange::Invert => {
                for id in rows {
                    if !marks.remove(&id) {
                        marks.insert(id);
                    }
                }
            }
            MarkChange::None => marks.clear(),
            MarkChange::Range => {}
        }
    }
}
