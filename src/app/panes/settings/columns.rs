//! The columns of the list of settings.

use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::row_fields::RowValue;
use crate::domain::settings::SettingRow;

pub(super) const SETTINGS: ListTable = ListTable {
    name: "settings",
    state_width: 2,
    columns: &[
        ListColumn::text("section", "SECTION", 9, 2).growing_to(18),
        ListColumn::text("setting", "SETTING", 14, 0).growing_to(24),
        ListColumn::text("value", "VALUE", 14, 0).growing_to(40),
        ListColumn::text("default", "DEFAULT", 10, 3).growing_to(24),
        ListColumn::text("from", "FROM", 14, 1).growing_to(20),
        ListColumn::text("description", "DESCRIPTION", 30, 4).growing_to(100),
    ],
};

/// What a setting has in a column.
pub(super) fn value<'a>(row: &'a SettingRow, key: &str) -> Option<RowValue<'a>> {
    let text = match key {
        "section" => row.section(),
        "setting" => row.name(),
        "value" => row.shown_value(),
        "default" => &row.default,
        "from" => source_label(row),
        _ => &row.description,
    };
    RowValue::text(Some(text).filter(|text| !text.is_empty()))
}

/// Where the value comes from, without the directory.
pub(super) fn source_label(row: &SettingRow) -> &str {
    row.source.rsplit('/').next().unwrap_or_default()
}
