//! The lists of the import: the columns of the file, and its lines with what they mean.

use super::ImportPane;
use crate::app::Context;
use crate::app::format::pluralize;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::list_import::{Candidate, ColumnRole, Fit, LineState, ListLine};
use crate::domain::row_columns::RowValue;
use crate::ui::{TextRole, TextSpan, text_span};

/// The columns of the file, which the user says the meaning of.
pub(super) struct FileColumns;

impl List for FileColumns {
    type Pane = ImportPane;
    type Item = ColumnRole;

    const NAME: &'static str = "import.columns";
    const STATE_WIDTH: u16 = 3;
    const COLUMNS: &'static [ListColumn<FileColumns>] = &[
        ListColumn::<Self>::new(FieldKind::Name, ("column", "COLUMN"), (14, 0), |row| {
            Some(RowValue::Text(row.pane.file()?.heading(row.row).into()))
        })
        .growing_to(24)
        .drawn(|row| {
            let heading = row.pane.file().map(|file| file.heading(row.row));
            let role = match row.item {
                ColumnRole::Ignored => TextRole::Muted,
                _ => TextRole::Text,
            };
            text_span(role, heading.unwrap_or_default())
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("holds", "HOLDS"), (9, 0), |row| {
            RowValue::text(Some(row.item.title()))
        })
        .drawn(|row| {
            let role = match row.item {
                ColumnRole::Ignored => TextRole::Faint,
                _ => TextRole::Key,
            };
            text_span(role, row.item.title())
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("samples", "SAMPLES"), (24, 0), |row| {
            let separator = format!(" {} ", row.cx.settings.theme.glyphs().separator);
            let samples = row.pane.file()?.samples(row.row);
            Some(RowValue::Text(samples.join(&separator).into()))
        })
        .growing_to(120),
    ];

    fn items<'a>(pane: &'a ImportPane, _cx: &'a Context) -> &'a [ColumnRole] {
        pane.file().map_or(&[], |file| &file.roles)
    }

    fn lines(pane: &ImportPane) -> &ListLines {
        &pane.lines
    }
}

/// The lines of the file, each with the record that it means.
pub(super) struct ImportedLines;

impl List for ImportedLines {
    type Pane = ImportPane;
    type Item = ListLine;

    const NAME: &'static str = "import";
    const STATE_WIDTH: u16 = 3;
    const COLUMNS: &'static [ListColumn<ImportedLines>] = &[
        ListColumn::<Self>::new(FieldKind::Number, ("line", "LINE"), (4, 3), |row| {
            Some(RowValue::count(row.item.number))
        })
        .drawn(|row| text_span(TextRole::Faint, row.item.number.to_string())),
        ListColumn::<Self>::new(FieldKind::Name, ("input", "INPUT"), (24, 0), |row| {
            RowValue::text(Some(row.item.terms.label()))
        })
        .growing_to(40),
        ListColumn::<Self>::new(FieldKind::Text, ("result", "RESULT"), (9, 0), |row| {
            RowValue::text(Some(row.item.state.title()))
        })
        .drawn(|row| text_span(state_role(row.item), row.item.state.title())),
        ListColumn::<Self>::new(FieldKind::Name, ("name", "MATCH"), (24, 0), |row| {
            RowValue::text(row.item.chosen_record().map(|record| record.name.as_str()))
        })
        .growing_to(40)
        .drawn(|row| describe_match(row.item, row.cx)),
        ListColumn::<Self>::new(FieldKind::Text, ("detail", "DETAIL"), (18, 4), |row| {
            RowValue::text(
                row.item
                    .chosen_record()
                    .map(|record| record.detail.as_str()),
            )
        })
        .growing_to(60)
        .drawn(|row| text_span(TextRole::Muted, describe_reason(row.item))),
        ListColumn::<Self>::new(FieldKind::Text, ("id", "ID"), (36, 5), |row| {
            let record = row.item.chosen_record()?;
            Some(RowValue::Text(record.id.to_string().into()))
        })
        .hidden(),
    ];

    fn items<'a>(pane: &'a ImportPane, _cx: &'a Context) -> &'a [ListLine] {
        pane.import().map_or(&[], |import| &import.lines)
    }

    fn lines(pane: &ImportPane) -> &ListLines {
        &pane.lines
    }

    fn state(row: &ListRow<'_, ImportedLines>) -> Vec<TextSpan<'static>> {
        let mark = match row.item.is_chosen() {
            true => row.cx.settings.theme.glyphs().marked,
            false => " ",
        };
        vec![text_span(TextRole::Marked, mark)]
    }

    fn write_keywords(row: &ListRow<'_, ImportedLines>, text: &mut String) {
        text.push_str(&row.item.terms.detail());
    }
}

fn state_role(line: &ListLine) -> TextRole {
    match line.state {
        LineState::Waiting => TextRole::Faint,
        LineState::Found | LineState::Saved => TextRole::Success,
        LineState::Similar | LineState::Several => TextRole::Warning,
        LineState::None => TextRole::Muted,
        LineState::Failed(_) | LineState::NotSaved(_) => TextRole::Error,
    }
}

/// The record that a line means, or the only one that it may mean.
fn shown_record(line: &ListLine) -> Option<&Candidate> {
    let only = (line.candidates.len() == 1 && line.state == LineState::Similar)
        .then(|| &line.candidates[0]);
    line.chosen_record().or(only)
}

/// What speaks against a record, and what tells it from others.
pub(super) fn describe_candidate(record: &Candidate) -> String {
    let parts = [record.fit.doubt(), record.detail.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

/// The record that a line means, or what stands in its way.
fn describe_match<'a>(line: &'a ListLine, cx: &Context) -> TextSpan<'a> {
    match (shown_record(line), &line.state) {
        (Some(record), _) => {
            let role = match record.is_same() {
                true => TextRole::Text,
                false => TextRole::Warning,
            };
            let name = match record.fit {
                Fit::SimilarName => {
                    let similar =
                        format!("{} {}", cx.settings.theme.glyphs().duplicate, record.name);
                    similar.trim_start().to_owned()
                }
                _ => record.name.clone(),
            };
            text_span(role, name)
        }
        (None, LineState::Failed(_)) => text_span(TextRole::Muted, "search failed"),
        (None, _) if !line.candidates.is_empty() => text_span(
            TextRole::Muted,
            pluralize(line.candidates.len(), "candidate"),
        ),
        (None, _) => text_span(TextRole::Faint, cx.settings.theme.glyphs().missing),
    }
}

/// What is known of the record that a line means, of those that it may mean, or why there is none.
fn describe_reason(line: &ListLine) -> String {
    match (shown_record(line), &line.state) {
        (Some(_), LineState::NotSaved(why)) | (None, LineState::Failed(why)) => why.clone(),
        (Some(record), _) => describe_candidate(record),
        (None, _) => {
            let names = line.candidates.iter().map(|record| record.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        }
    }
}
