//! The columns of the list of Views.

use super::ViewsPane;
use crate::app::Context;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::app::model::record_list::RowCount;
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::{DESCRIPTION, NAME, VIEW_TYPE};
use crate::domain::views::{View, ViewType};
use crate::ui::{TextRole, TextSpan, text_span};

pub(super) struct Views;

impl List for Views {
    type Pane = ViewsPane;
    type Item = View;

    const NAME: &'static str = "views";
    const STATE_WIDTH: u16 = 3;
    const COLUMNS: &'static [ListColumn<Views>] = &[
        ListColumn::<Self>::from_column(NAME, (22, 0), |row| {
            Some(RowValue::Text(row.item.title().into()))
        })
        .growing_to(60)
        .drawn(|row| {
            let is_open = row.pane.open == Some(row.item.id);
            let role = TextRole::strong_if(is_open);
            text_span(role, row.item.title())
        }),
        ListColumn::<Self>::from_column(VIEW_TYPE, (7, 3), |row| {
            Some(RowValue::Text(type_label(row.item).into()))
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("dataset", "OF"), (8, 2), |row| {
            Some(RowValue::Text(row.item.record_kind().to_string().into()))
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("records", "ROWS"), (5, 1), |row| {
            let count = row.cx.record_lists.count_of_view(row.item)?;
            Some(RowValue::count(count.total))
        })
        .drawn(|row| {
            let count = row.cx.record_lists.count_of_view(row.item);
            let missing = || row.cx.theme().glyphs().missing.to_owned();
            let label = count.map_or_else(missing, RowCount::label);
            text_span(TextRole::Muted, label)
        }),
        ListColumn::<Self>::date(("changed", "CHANGED"), (10, 4), |row| {
            row.item.updated_at.as_ref()
        })
        .hidden(),
        ListColumn::<Self>::from_column(DESCRIPTION, (16, 5), |row| {
            RowValue::text(row.item.description.as_deref())
        })
        .growing_to(60)
        .hidden(),
    ];

    fn items<'a>(_pane: &'a ViewsPane, cx: &'a Context) -> &'a [View] {
        cx.views.list()
    }

    fn lines(pane: &ViewsPane) -> &ListLines {
        &pane.lines
    }

    /// Its mark, and whether it is a favorite.
    fn state(row: &ListRow<'_, Views>) -> Vec<TextSpan<'static>> {
        let glyphs = row.cx.theme().glyphs();
        let symbol = |is_shown, symbol| if is_shown { symbol } else { " " };
        let is_favorite = row.cx.views.is_favorite(row.item.id);
        vec![
            text_span(
                TextRole::Marked,
                symbol(Self::is_marked(row), glyphs.marked),
            ),
            text_span(TextRole::Warning, symbol(is_favorite, glyphs.favorite)),
        ]
    }

    const HAS_MARKS: bool = true;

    fn is_marked(row: &ListRow<'_, Views>) -> bool {
        row.pane.marks.contains(&row.item.id)
    }

    /// The interface's words, which need not be those of the cells.
    fn write_keywords(row: &ListRow<'_, Views>, text: &mut String) {
        text.extend(row.item.kind.as_ref().map(|kind| kind.as_str()));
        text.extend([" ", row.item.record_kind().as_str(), " "]);
    }
}

/// How a View selects its records, in a word.
pub(super) fn type_label(view: &View) -> String {
    match &view.kind {
        Some(ViewType::Dynamic) => "Dynamic".to_owned(),
        Some(ViewType::Static) => "Static".to_owned(),
        other => other.as_ref().map(ToString::to_string).unwrap_or_default(),
    }
}
