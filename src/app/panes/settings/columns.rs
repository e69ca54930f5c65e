//! The columns of the list of settings.

use super::SettingsPane;
use crate::app::Context;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::row_columns::RowValue;
use crate::domain::settings::SettingRow;
use crate::domain::shared_columns::DESCRIPTION;
use crate::ui::{TextRole, TextSpan, text_span};

pub(super) struct Settings;

impl List for Settings {
    type Pane = SettingsPane;
    type Item = SettingRow;

    const NAME: &'static str = "settings";
    const STATE_WIDTH: u16 = 2;
    const COLUMNS: &'static [ListColumn<Settings>] = &[
        ListColumn::<Self>::new(FieldKind::Text, ("section", "SECTION"), (9, 2), |row| {
            Some(RowValue::Text(row.item.section_title().into()))
        })
        .growing_to(18)
        .drawn(|row| {
            let section = if repeats_section(row) {
                String::new()
            } else {
                row.item.section_title()
            };
            text_span(TextRole::Muted, section)
        }),
        ListColumn::<Self>::new(FieldKind::Name, ("setting", "SETTING"), (20, 0), |row| {
            Some(RowValue::Text(row.item.title().into()))
        })
        .growing_to(26),
        ListColumn::<Self>::new(FieldKind::Text, ("value", "VALUE"), (14, 0), |row| {
            RowValue::text(Some(row.item.shown_value()))
        })
        .growing_to(40)
        .drawn(|row| {
            let is_default = row.item.value == row.item.default || row.item.source == "default";
            match (row.item.shown_value(), is_default) {
                ("", _) => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
                (value, true) => text_span(TextRole::Muted, value),
                (value, false) => text_span(TextRole::Strong, value),
            }
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("from", "FROM"), (14, 1), |row| {
            // Without the directory.
            RowValue::text(row.item.source.rsplit('/').next())
        })
        .growing_to(20),
        ListColumn::<Self>::from_column(DESCRIPTION, (30, 4), |row| {
            RowValue::text(Some(&row.item.description))
        })
        .growing_to(100),
    ];

    fn items<'a>(pane: &'a SettingsPane, _cx: &'a Context) -> &'a [SettingRow] {
        &pane.rows
    }

    fn lines(pane: &SettingsPane) -> &ListLines {
        &pane.lines
    }

    /// Whether its value is not valid.
    fn state(row: &ListRow<'_, Settings>) -> Vec<TextSpan<'static>> {
        let symbol = if row.item.problem.is_some() { "!" } else { " " };
        vec![text_span(TextRole::Error, symbol)]
    }

    fn write_keywords(row: &ListRow<'_, Settings>, text: &mut String) {
        text.push_str(&row.item.key);
    }
}

/// Whether the line above is of the same section.
fn repeats_section(row: &ListRow<'_, Settings>) -> bool {
    let above = row.line.and_then(|line| line.checked_sub(1));
    let above = above.and_then(|line| row.pane.rows.get(row.pane.lines.row_on(line)));
    above.is_some_and(|above| above.section_title() == row.item.section_title())
}
