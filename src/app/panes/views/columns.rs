//! The columns of the list of what is saved.

use super::ViewsPane;
use super::saved_item::{SavedId, SavedItem, find_results};
use crate::app::Context;
use crate::app::format::format_count;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::app::model::record_list::RowCount;
use crate::domain::named_searches::NamedSearch;
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::{DESCRIPTION, NAME};
use crate::ui::{TextRole, TextSpan, text_span};

pub(super) struct Saved;

type Row<'a> = ListRow<'a, Saved>;

impl List for Saved {
    type Pane = ViewsPane;
    type Item = SavedId;

    const NAME: &'static str = "views";
    const STATE_WIDTH: u16 = 3;
    const COLUMNS: &'static [ListColumn<Saved>] = &[
        ListColumn::<Self>::from_column(NAME, (26, 0), |row| {
            Some(RowValue::Text(find_item(row)?.name()))
        })
        .growing_to(60)
        .drawn(|row| {
            let is_open = row
                .item
                .view_id()
                .is_some_and(|id| row.pane.open == Some(id));
            let name = find_item(row).map(SavedItem::name).unwrap_or_default();
            text_span(TextRole::strong_if(is_open), name)
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("kind", "KIND"), (9, 2), |row| {
            Some(RowValue::Text(find_item(row)?.kind_label()))
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("whose", "WHOSE"), (5, 4), |row| {
            Some(RowValue::Text(find_item(row)?.owner_label().into()))
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("dataset", "OF"), (8, 3), |row| {
            Some(RowValue::Text(find_item(row)?.records_label().into()))
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("records", "ROWS"), (6, 1), |row| {
            Some(RowValue::count(find_item(row)?.count(row.cx)?.total))
        })
        .drawn(|row| {
            let count = find_item(row).and_then(|item| item.count(row.cx));
            draw_known(row, TextRole::Muted, count.map(RowCount::label))
        }),
        ListColumn::<Self>::new(FieldKind::Number, ("change", "CHANGE"), (6, 5), |row| {
            let (by, _) = find_search(row)?.change()?;
            Some(RowValue::Number(by as f64))
        })
        .drawn(|row| {
            let change = find_search(row).and_then(NamedSearch::change);
            let by = change.map_or(0, |(by, _)| by);
            let sign = if by < 0 { "-" } else { "+" };
            let text = change.map(|_| format!("{sign}{}", format_count(by.unsigned_abs())));
            let role = if by > 0 {
                TextRole::Success
            } else {
                TextRole::Muted
            };
            draw_known(row, role, text)
        }),
        ListColumn::<Self>::new(FieldKind::Date, ("counted", "COUNTED"), (10, 6), |row| {
            Some(RowValue::Date(find_search(row)?.last_count()?.at))
        })
        .hidden(),
        ListColumn::<Self>::new(FieldKind::Count, ("read", "READ"), (6, 7), |row| {
            let list = find_results(row.cx, find_search(row)?)?;
            Some(RowValue::count(list.len() as u64))
        })
        .hidden(),
        ListColumn::<Self>::date(("changed", "CHANGED"), (10, 8), |row| {
            match find_item(row)? {
                SavedItem::View(view) => view.updated_at.as_ref(),
                _ => None,
            }
        })
        .hidden(),
        ListColumn::<Self>::new(
            FieldKind::Text,
            ("conditions", "CONDITIONS"),
            (24, 9),
            |row| {
                let words = find_item(row)?.describe()?.ok()?;
                Some(RowValue::Text(words.into()))
            },
        )
        .growing_to(120)
        .hidden(),
        ListColumn::<Self>::from_column(DESCRIPTION, (16, 10), |row| match find_item(row)? {
            SavedItem::View(view) => RowValue::text(view.description.as_deref()),
            _ => None,
        })
        .growing_to(60)
        .hidden(),
    ];

    fn items<'a>(pane: &'a ViewsPane, _cx: &'a Context) -> &'a [SavedId] {
        &pane.rows
    }

    fn lines(pane: &ViewsPane) -> &ListLines {
        &pane.lines
    }

    /// Its mark, and whether it is a favorite.
    fn state(row: &Row<'_>) -> Vec<TextSpan<'static>> {
        let glyphs = row.cx.settings.theme.glyphs();
        let symbol = |is_shown, symbol| if is_shown { symbol } else { " " };
        let view = row.item.view_id();
        let is_favorite = view.is_some_and(|id| row.cx.views.is_favorite(id));
        vec![
            text_span(
                TextRole::Marked,
                symbol(Self::is_marked(row), glyphs.marked),
            ),
            text_span(TextRole::Warning, symbol(is_favorite, glyphs.favorite)),
        ]
    }

    const HAS_MARKS: bool = true;

    fn is_marked(row: &Row<'_>) -> bool {
        row.pane.marks.contains(row.item)
    }

    /// The interface's words, which need not be those of the cells.
    fn write_keywords(row: &Row<'_>, text: &mut String) {
        if let Some(SavedItem::View(view)) = find_item(row) {
            text.extend(view.kind.as_ref().map(|kind| kind.as_str()));
            text.extend([" ", view.record_kind().as_str(), " "]);
        }
    }
}

fn find_item<'a>(row: &Row<'a>) -> Option<SavedItem<'a>> {
    row.item.find(row.cx)
}

fn find_search<'a>(row: &Row<'a>) -> Option<&'a NamedSearch> {
    match find_item(row)? {
        SavedItem::Search(search) => Some(search),
        _ => None,
    }
}

fn draw_known<'a>(row: &Row<'a>, role: TextRole, text: Option<String>) -> TextSpan<'a> {
    match text {
        Some(text) => text_span(role, text),
        None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
    }
}
