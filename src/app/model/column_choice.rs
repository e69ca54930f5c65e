//! The columns that a user chose for a table, as one preference: `priority type:14 project`, in
//! order, with the widths that were set.

use crate::ui::table::TableColumn;

/// Widths that can be set.
pub const COLUMN_WIDTHS: std::ops::RangeInclusive<u16> = 1..=120;

/// A column that a table can show.
#[derive(Clone, Debug)]
pub struct ColumnOption {
    /// Its name in the preference.
    pub key: &'static str,
    pub layout: TableColumn,
    /// What it holds.
    pub description: String,
    pub is_shown: bool,
    /// As set by the user; otherwise that of the layout.
    pub width: Option<u16>,
}

/// The chosen columns: names and widths.
pub fn parse_columns(preference: &str) -> impl Iterator<Item = (&str, Option<u16>)> {
    preference
        .split_whitespace()
        .map(|part| match part.split_once(':') {
            Some((key, width)) => (
                key,
                width
                    .parse()
                    .ok()
                    .filter(|width| COLUMN_WIDTHS.contains(width)),
            ),
            None => (part, None),
        })
}

/// As [`parse_columns`] reads it.
pub fn format_columns<'a>(columns: impl IntoIterator<Item = (&'a str, Option<u16>)>) -> String {
    let part = |(key, width): (&str, Option<u16>)| {
        width.map_or_else(|| key.to_owned(), |width| format!("{key}:{width}"))
    };
    columns.into_iter().map(part).collect::<Vec<_>>().join(" ")
}

/// The layout of a chosen column with its width.
pub fn chosen_layout(layout: TableColumn, width: Option<u16>) -> TableColumn {
    width.map_or(layout, |width| TableColumn {
        width,
        max_width: 0,
        ..layout
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_columns_is_written_as_it_is_read() {
        let columns: Vec<_> = parse_columns("priority type:14 project:x city:0").collect();
        assert_eq!(
            columns,
            [
                ("priority", None),
                ("type", Some(14)),
                ("project", None),
                ("city", None)
            ]
        );
        assert_eq!(format_columns(columns), "priority type:14 project city");
    }
}
