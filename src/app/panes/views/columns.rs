//! The columns of the list of Views.

use crate::app::Context;
use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::row_fields::RowValue;
use crate::domain::views::View;

pub(super) const VIEWS: ListTable = ListTable {
    name: "views",
    state_width: 3,
    columns: &[
        ListColumn::text("name", "NAME", 14, 0).growing_to(60),
        ListColumn::text("type", "TYPE", 7, 3),
        ListColumn::text("dataset", "OF", 8, 2),
        ListColumn::number("records", "ROWS", 5, 1),
        ListColumn::date("changed", "CHANGED", 10, 4).hidden(),
        ListColumn::text("description", "DESCRIPTION", 16, 5)
            .growing_to(60)
            .hidden(),
    ],
};

/// What a View has in a column.
pub(super) fn value<'a>(cx: &'a Context, view: &'a View, key: &str) -> Option<RowValue<'a>> {
    match key {
        "name" => Some(RowValue::Text(view.title().into())),
        "type" => Some(RowValue::Text(super::draw::type_label(view).into())),
        "dataset" => Some(RowValue::Text(view.record_kind().to_string().into())),
        "records" => cx
            .record_lists
            .count_of_view(view)
            .map(|count| RowValue::count(count.total)),
        "changed" => view.updated_at.as_ref()?.date_time().map(RowValue::Date),
        _ => RowValue::text(view.description.as_deref()),
    }
}
