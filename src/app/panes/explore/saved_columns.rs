//! The columns of the saved searches.

use super::ExplorePane;
use crate::app::Context;
use crate::app::focused_list::FocusedList;
use crate::app::format::{format_count, format_time};
use crate::app::list::{self, List, ListColumn, ListRow, list_of};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::domain::named_searches::NamedSearch;
use crate::domain::row_columns::RowValue;
use crate::ui::{TextRole, TextSpan, text_span};

struct Saved;

impl ExplorePane {
    /// The saved searches as a list.
    pub(super) fn saved_searches<'a>(&'a self, cx: &'a Context) -> Box<dyn FocusedList<'a> + 'a> {
        Box::new(list_of::<Saved>(self, cx))
    }

    /// Computes the lines of that list again after a change of its rows; the cursor stays on its
    /// row.
    pub(super) fn arrange_saved(&mut self, cx: &Context) {
        let row = self.saved.lines.current_row();
        self.saved.lines = list::arrange::<Saved>(self, cx);
        self.saved.lines.move_to_row(Some(row));
    }
}

type Row<'a> = ListRow<'a, Saved>;

impl List for Saved {
    type Pane = ExplorePane;
    type Item = NamedSearch;

    const NAME: &'static str = "explore.saved";
    const STATE_WIDTH: u16 = 1;
    const COLUMNS: &'static [ListColumn<Saved>] = &[
        ListColumn::<Self>::new(FieldKind::Name, ("name", "NAME"), (16, 0), |row| {
            RowValue::text(Some(&row.item.name))
        })
        .growing_to(24),
        ListColumn::<Self>::new(FieldKind::Count, ("total", "MATCH"), (7, 0), |row| {
            Some(RowValue::count(row.item.last_count()?.total))
        })
        .drawn(|row| {
            let total = row.item.last_count().map(|count| {
                let more = if count.is_capped { "+" } else { "" };
                format!("{}{more}", format_count(count.total))
            });
            draw_known(row, TextRole::Text, total)
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("change", "CHANGE"), (24, 1), |row| {
            let words = row.pane.change_words(row.item, row.cx)?;
            Some(RowValue::Text(words.into()))
        })
        .drawn(|row| {
            let role = match row.item.change() {
                Some((by, _)) if by > 0 => TextRole::Success,
                _ => TextRole::Muted,
            };
            draw_known(row, role, row.pane.change_words(row.item, row.cx))
        }),
        ListColumn::<Self>::new(FieldKind::Date, ("counted", "COUNTED"), (12, 3), |row| {
            Some(RowValue::Date(row.item.last_count()?.at))
        })
        .drawn(|row| {
            let (now, zone) = (row.cx.service_now(), row.cx.settings().utc_offset);
            let counted = row.item.last_count();
            let counted = counted.map(|count| format_time(count.at, now, zone));
            draw_known(row, TextRole::Muted, counted)
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("read", "READ"), (6, 2), |row| {
            Some(RowValue::count(count_read_rows(row)? as u64))
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("search", "SEARCH"), (24, 4), |row| {
            let search = row.pane.describe(&row.item.dataset, &row.item.filters);
            Some(RowValue::Text(search.into()))
        })
        .growing_to(120),
    ];

    fn items<'a>(pane: &'a ExplorePane, _cx: &'a Context) -> &'a [NamedSearch] {
        &pane.saved.list
    }

    fn lines(pane: &ExplorePane) -> &ListLines {
        &pane.saved.lines
    }
}

fn draw_known<'a>(row: &Row<'a>, role: TextRole, text: Option<String>) -> TextSpan<'a> {
    match text {
        Some(text) => text_span(role, text),
        None => text_span(TextRole::Faint, row.cx.theme().glyphs().missing),
    }
}

/// How many rows the search has read.
fn count_read_rows(row: &Row<'_>) -> Option<usize> {
    let run = row.pane.run_of_saved(&row.cx.record_lists, row.item);
    let (_, list) = run.filter(|(_, list)| list.load == LoadState::Ready)?;
    Some(list.len())
}
