//! Draws the saved searches.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ExplorePane;
use crate::app::Context;
use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::PAGE_SIZE;
use crate::domain::named_searches::NamedSearch;
use crate::ui::{TextRole, TextSpan, draw_line, panel, text_span};

impl ExplorePane {
    pub(super) fn draw_saved_searches(&self, cx: &Context, area: Rect, buf: &mut Buffer) {
        draw(self, cx, area, buf);
    }
}

fn draw(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let saved = &explore.saved;
    let list = explore.saved_searches(cx);
    let count = format_count(saved.list.len() as u64);
    let mut title = vec![
        text_span(TextRole::Strong, "Saved searches"),
        text_span(TextRole::Muted, format!(" {count}  on this machine")),
    ];
    title.extend(cx.arrangement_label(&*list));
    panel::draw_panel(buf, area, &title, &[], true, &theme);
    let rows = panel::rows_area(area);
    cx.draw_list(buf, &*list, (area, rows), cx.pane_has_focus());
    if saved.list.is_empty() {
        let hint = "{explore.save} in Explore saves the search";
        return cx.draw_message(
            buf,
            rows,
            &[text_span(TextRole::Strong, "no saved searches")],
            &[hint],
        );
    }
    if let Some(search) = saved.current() {
        let prices = price_spans(explore, cx, search);
        draw_line(buf, panel::footer_area(area), &prices, &theme);
    }
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
