//! Shows or marks the loaded rows of the focused list that have a value in common with the row under
//! the cursor: its city, its type, its stage. What the service filters by, it filters in all rows.

use super::{find, frequency};
use crate::app::Context;
use crate::app::list_change::{ListChange, MarkChange};
use crate::app::model::list_field::{ValueBin, ValueFilter};
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::panes::Panes;
use crate::app::prompt::{Prompt, PromptKind};

const LAST_SEARCH: &str = "last search";
const SEARCH: &str = "search";
const INVERT: &str = "invert";
/// How rows can be marked otherwise than by a value of the row under the cursor.
const OTHER_MARKS: &[(&str, &str)] = &[
    (LAST_SEARCH, "the matches of the last search"),
    (SEARCH, "the matches of a search that you type"),
    (INVERT, "invert: the other rows instead"),
];

/// The values of the row under the cursor, one filter for each column that has any.
fn row_filters(panes: &Panes, cx: &Context) -> Vec<ValueFilter> {
    let Some(list) = panes.list(cx) else {
        return Vec::new();
    };
    let Some(row) = list.current_row() else {
        return Vec::new();
    };
    let columns = list.all_columns(cx).into_iter();
    let filters = columns.map(|column| ValueFilter {
        bins: list
            .values(row, column.key)
            .iter()
            .map(ValueBin::of_value)
            .collect(),
        column,
    });
    filters.filter(|filter| !filter.bins.is_empty()).collect()
}

/// Asks which value the other rows must have.
pub(super) fn choose_value(panes: &Panes, kind: PromptKind, cx: &mut Context) {
    let filters = row_filters(panes, cx);
    let other_ways = match kind {
        PromptKind::MarkValue => OTHER_MARKS,
        _ => &[],
    };
    if filters.is_empty() && other_ways.is_empty() {
        return cx.ui.warn("there is no row with values here");
    }
    let is_of_all = |column: &str| {
        kind == PromptKind::FilterValue
            && panes
                .list(cx)
                .is_some_and(|list| list.is_filtered_by_service(column))
    };
    let entry = |filter: &ValueFilter| PickerEntry {
        key: filter.column.key.to_owned(),
        label: filter.label(),
        note: if is_of_all(filter.column.key) {
            "all rows, by the service".to_owned()
        } else {
            String::new()
        },
        ..PickerEntry::default()
    };
    let others = other_ways.iter().map(|(key, label)| PickerEntry {
        key: (*key).to_owned(),
        label: (*label).to_owned(),
        ..PickerEntry::default()
    });
    let title = match kind {
        PromptKind::MarkValue => "Mark rows",
        _ => "Show only rows with the same value",
    };
    cx.ui.overlay = Some(Overlay::Picker(Picker::single_choice(
        title.to_owned(),
        "loaded rows, 0 cr",
        filters.iter().map(entry).chain(others).collect(),
        PickerKind::Answer(kind),
    )));
}

fn row_filter(panes: &Panes, column: &str, cx: &Context) -> Option<ValueFilter> {
    let mut filters = row_filters(panes, cx).into_iter();
    filters.find(|filter| filter.column.key == column)
}

pub(super) fn filter_by_value(panes: &mut Panes, column: &str, cx: &mut Context) {
    if let Some(filter) = row_filter(panes, column, cx) {
        frequency::filter(panes, filter, cx);
    }
}

/// Marks the rows that the user chose in the picker.
pub(super) fn mark_value(panes: &mut Panes, key: &str, cx: &mut Context) {
    match key {
        LAST_SEARCH if cx.ui.find.last.is_empty() => {
            cx.ui.warn("nothing was searched for yet");
        }
        LAST_SEARCH => find::mark_matches(panes, &cx.ui.find.last.clone(), cx),
        SEARCH => cx.ui.prompt = Some(Prompt::new("mark", "", PromptKind::MarkMatches)),
        INVERT => panes.change_list(ListChange::Mark(MarkChange::Invert), cx),
        column => {
            if let Some(filter) = row_filter(panes, column, cx) {
                panes.change_list(ListChange::Mark(MarkChange::Having(&filter)), cx);
            }
        }
    }
}
