//! Draws the saved searches.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ExplorePane;
use crate::app::Context;
use crate::app::format::{format_count, format_time, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::PAGE_SIZE;
use crate::domain::named_searches::NamedSearch;
use crate::ui::table::{Table, TableColumn};
use crate::ui::{TextRole, TextSpan, draw_line, panel, text_span};

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        title: "",
        width: 1,
        max_width: 0,
        drop_order: 0,
        align_right: false,
    },
    TableColumn {
        title: "NAME",
        width: 16,
        max_width: 24,
        drop_order: 0,
        align_right: false,
    },
    TableColumn {
        title: "MATCH",
        width: 7,
        max_width: 0,
        drop_order: 0,
        align_right: true,
    },
    TableColumn {
        title: "CHANGE",
        width: 24,
        max_width: 0,
        drop_order: 1,
        align_right: false,
    },
    TableColumn {
        title: "COUNTED",
        width: 12,
        max_width: 0,
        drop_order: 3,
        align_right: false,
    },
    TableColumn {
        title: "READ",
        width: 6,
        max_width: 0,
        drop_order: 2,
        align_right: true,
    },
    TableColumn {
        title: "SEARCH",
        width: 24,
        max_width: 120,
        drop_order: 4,
        align_right: false,
    },
];

impl ExplorePane {
    pub(super) fn draw_saved_searches(&self, cx: &Context, area: Rect, buf: &mut Buffer) {
        draw(self, cx, area, buf);
    }
}

fn draw(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let saved = &explore.saved;
    let title = [
        text_span(TextRole::Strong, "Saved searches"),
        text_span(
            TextRole::Muted,
            format!(
                " {}  on this machine",
                format_count(saved.list.len() as u64)
            ),
        ),
    ];
    panel::draw_panel(buf, area, &title, &[], true, &theme);
    let rows = panel::rows_area(area);
    let table = Table {
        columns: COLUMNS,
        scroll: saved.scroll,
        len: saved.list.len(),
        has_focus: cx.pane_has_focus(),
        sorted_by: None,
        columns_scroll: Default::default(),
        wraps_cursor_row: false,
    };
    table.draw(buf, area, rows, &theme, |at, here| {
        search_cells(explore, cx, &saved.list[at], here)
    });
    let Some(search) = saved.current() else {
        let hint = "{explore.save} in Explore saves the search";
        return cx.draw_message(
            buf,
            rows,
            &[text_span(TextRole::Strong, "no saved searches")],
            &[hint],
        );
    };
    draw_line(
        buf,
        panel::footer_area(area),
        &price_spans(explore, cx, search),
        &theme,
    );
}

fn search_cells(
    explore: &ExplorePane,
    cx: &Context,
    search: &NamedSearch,
    here: bool,
) -> [Vec<TextSpan<'static>>; 7] {
    let glyphs = cx.theme().glyphs();
    let none = || vec![text_span(TextRole::Faint, glyphs.missing)];
    let count = search.last_count();
    let total = count.map(|count| {
        format!(
            "{}{}",
            format_count(count.total),
            if count.is_capped { "+" } else { "" }
        )
    });
    let counted =
        count.map(|count| format_time(count.at, cx.service_now(), cx.settings().utc_offset));
    let role = match search.change() {
        Some((by, _)) if by > 0 => TextRole::Success,
        _ => TextRole::Muted,
    };
    let read = explore
        .run_of_saved(&cx.record_lists, search)
        .filter(|(_, list)| list.load == LoadState::Ready);
    [
        vec![glyphs.cursor_span(here)],
        vec![text_span(TextRole::Text, search.name.clone())],
        total.map_or_else(none, |total| vec![text_span(TextRole::Text, total)]),
        explore
            .change_words(search, cx)
            .map_or_else(none, |words| vec![text_span(role, words)]),
        counted.map_or_else(none, |at| vec![text_span(TextRole::Muted, at)]),
        read.map_or_else(none, |(_, list)| {
            vec![text_span(TextRole::Muted, format_count(list.len() as u64))]
        }),
        vec![text_span(
            TextRole::Muted,
            explore.describe(&search.dataset, &search.filters),
        )],
    ]
}

/// What opening and counting the search under the cursor cost.
fn price_spans(
    explore: &ExplorePane,
    cx: &Context,
    search: &NamedSearch,
) -> Vec<TextSpan<'static>> {
    let read = explore
        .run_of_saved(&cx.record_lists, search)
        .filter(|(_, list)| list.load == LoadState::Ready);
    let opens = match read {
        Some((_, list)) => format!(" shows the {}, 0 cr", pluralize(list.len(), "row")),
        None => format!(" opens it, 0 cr; running it then reads up to {PAGE_SIZE} rows"),
    };
    vec![
        cx.key_label("saved.open"),
        text_span(TextRole::Muted, opens),
        text_span(TextRole::Text, "   "),
        cx.key_label("saved.count"),
        text_span(TextRole::Muted, " counts it now, 1 cr"),
    ]
}
