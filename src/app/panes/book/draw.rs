//! Draws the book: its datasets as tabs, and the list of the current one.

use ratatui::buffer::Buffer;

use super::BookPane;
use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::format::humanize;
use crate::app::panes::records;
use crate::domain::book::RecordKind;
use crate::ui::{TextRole, TextSpan, text_span};

/// The labels of the tabs, each with the number of records if known.
pub fn tab_labels(pane: &BookPane, cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
    RecordKind::ALL
        .iter()
        .enumerate()
        .map(|(n, kind)| {
            let list = cx
                .records
                .lists
                .get(&ListId::Book(kind.clone()))
                .filter(|list| list.search.is_unfiltered());
            let total = list
                .and_then(records::draw::total_label)
                .map(|total| format!(" {total}"))
                .unwrap_or_default();
            let mut name = humanize(kind.as_str());
            name[..1].make_ascii_uppercase();
            let role = if n == pane.tab {
                TextRole::Selected
            } else {
                TextRole::Muted
            };
            vec![text_span(role, format!("{name}{total}"))]
        })
        .collect()
}

pub fn draw(pane: &BookPane, cx: &Context, buf: &mut Buffer) {
    let title = vec![text_span(
        TextRole::Strong,
        format!(
            "Book {} {}",
            cx.settings.theme.glyphs().breadcrumb,
            pane.current_kind()
        ),
    )];
    records::draw::draw(
        cx,
        &pane.list_id(),
        title,
        cx.frame.layout().panel,
        true,
        buf,
    );
}
