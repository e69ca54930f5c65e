//! Draws Views: the list, and beside it the records of the open View.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::columns::{Views, type_label};
use super::{DefinitionFormat, ViewsPane};
use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::format::{format_count, format_full_day, format_time, marked_label};
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{PAGE_SIZE, RowCount};
use crate::app::panes::fact_list::FactList;
use crate::app::panes::records;
use crate::domain::book::RecordKind;
use crate::domain::search::{RecordSource, Search};
use crate::domain::view_definition::describe_definition;
use crate::domain::views::ViewType;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, text_span};

/// Lines of JSON that are shown at most.
const MAX_JSON_LINES: usize = 400;

/// Draws the parts of the pane that have room.
pub fn draw(pane: &ViewsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.layout().panel.is_empty() {
        draw_list(pane, cx, cx.layout().panel, buf);
    }
    let area = cx.layout().side_panel;
    if area.is_empty() {
        return;
    }
    match pane.open_view(cx).filter(|_| pane.shows_records(cx)) {
        Some(view) => {
            let kind = format!("  {}", type_label(view));
            let title = vec![
                text_span(TextRole::Strong, view.title()),
                text_span(TextRole::Muted, kind),
            ];
            records::draw::draw(
                cx,
                &ListId::View(view.id),
                title,
                area,
                pane.records_focused,
                buf,
            );
        }
        None => draw_about(pane, cx, area, buf),
    }
}

fn draw_list(pane: &ViewsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let (views, theme) = (&cx.views, cx.theme());
    let mut title = vec![text_span(TextRole::Strong, "Views")];
    let known = *views.load() == LoadState::Ready || !views.list().is_empty();
    title.extend(known.then(|| {
        text_span(
            TextRole::Muted,
            format!(" {}", format_count(views.list().len() as u64)),
        )
    }));
    let list = list_of::<Views>(pane, cx);
    title.extend(cx.arrangement_label(&list));
    let hidden = || pane.marks.len() - pane.marked_ids(cx).count();
    let marked = (!pane.marks.is_empty())
        .then(|| text_span(TextRole::Marked, marked_label(pane.marks.len(), hidden())));
    panel::draw_panel(
        buf,
        area,
        &title,
        &marked.into_iter().collect::<Vec<_>>(),
        !pane.records_focused,
        &theme,
    );
    let rows = panel::rows_area(area);
    match views.load() {
        _ if !views.list().is_empty() => {}
        LoadState::Failed(why) => {
            return cx.draw_error(
                buf,
                rows,
                "could not load the Views",
                why,
                "{views.refresh} retries",
            );
        }
        LoadState::Ready => {
            return cx.draw_message(
                buf,
                rows,
                &[text_span(TextRole::Strong, "no Views yet")],
                &[
                    "a View is a list of records that the whole team sees",
                    "{views.new} creates one",
                ],
            );
        }
        _ => return cx.draw_message(buf, rows, &[], &["loading the Views"]),
    }
    cx.draw_list(buf, &list, (area, rows), !pane.records_focused);
    draw_line(
        buf,
        panel::footer_area(area),
        &footer_spans(pane, cx),
        &theme,
    );
}

/// The price of running the View under the cursor; nothing while its key does something else, in
/// the records.
fn footer_spans(pane: &ViewsPane, cx: &Context) -> Vec<TextSpan<'static>> {
    let Some(view) = pane.current_view(cx).filter(|_| !pane.records_focused) else {
        return Vec::new();
    };
    let key = cx.key_label("views.run");
    let saved_at = cx.record_lists.saved_read_at(
        &RecordSource::View(view.id, view.record_kind()),
        &Search::default(),
    );
    let price = match cx.record_lists.get(&ListId::View(view.id)) {
        Some(records) if records.load == LoadState::Ready => {
            " shows the loaded rows, 0 cr".to_owned()
        }
        _ => match (saved_at, cx.record_lists.count_of_view(view)) {
            (Some(at), _) => {
                format!(
                    " shows the rows from {}, 0 cr",
                    format_time(at, cx.service_now(), cx.settings().utc_offset)
                )
            }
            (None, Some(_)) => format!(" reads {} rows, {0} cr", pane.run_price(cx)),
            (None, None) => format!(" reads up to {} rows, 1 cr each", PAGE_SIZE),
        },
    };
    vec![key, text_span(TextRole::Muted, price)]
}

/// Beside the list, when no records are shown there: facts about the View under the cursor, and
/// what it holds in words.
fn draw_about(pane: &ViewsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let Some(view) = pane.current_view(cx) else {
        return;
    };
    let inner = panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, view.title())],
        &[],
        false,
        &theme,
    );
    let inner = area::inset_sides(inner, 1);
    let mut facts = FactList::new(inner.width, 12);
    facts.push_paragraph(
        TextRole::Text,
        view.description.as_deref().unwrap_or_default(),
    );
    facts.push_gap();
    let kind = view.record_kind();
    let type_and_kind = match &view.kind {
        Some(ViewType::Dynamic) => format!("Dynamic View of {kind}: all that match, now and later"),
        Some(ViewType::Static) => format!("Static View of {kind}: those that somebody added"),
        _ => format!("{} View of {kind}", type_label(view))
            .trim()
            .to_owned(),
    };
    facts.push_fact("type", TextRole::Text, type_and_kind);
    facts.push_fact(
        "records",
        TextRole::Text,
        cx.record_lists.count_of_view(view).map_or_else(
            || {
                cx.keymap()
                    .expand_keys("unknown; {views.count} counts for 1 cr")
            },
            RowCount::label,
        ),
    );
    facts.push_fact(
        "changed",
        TextRole::Text,
        view.updated_at
            .as_ref()
            .map(format_full_day)
            .unwrap_or_default(),
    );
    if let Some(definition) = view
        .definition
        .as_ref()
        .filter(|definition| !definition.is_null())
    {
        write_definition(&mut facts, pane, &kind, definition, cx);
    }
    if let Some(why) = cx.views.favorites_unavailable() {
        facts.push_gap();
        facts.push_fact(
            "favorites",
            TextRole::Muted,
            format!("unavailable here: {why}"),
        );
    }
    paint::draw_lines(buf, inner, facts.into_lines(), &theme);
}

/// A definition in the builder's words; as JSON if that was asked for, or with the reason if it has
/// no words.
fn write_definition(
    facts: &mut FactList,
    pane: &ViewsPane,
    kind: &RecordKind,
    definition: &Value,
    cx: &Context,
) {
    let described = describe_definition(kind.as_str(), definition);
    let asks_json = pane.shown_definition == Some(DefinitionFormat::Json);
    let note = match &described {
        Err(why) => format!("as JSON, because {why}"),
        Ok(_) if asks_json => "as JSON".to_owned(),
        Ok(_) => cx.keymap().expand_keys("{views.definition} as JSON"),
    };
    facts.push_heading("Definition", note);
    match described {
        Ok(sentence) if !asks_json => facts.push_paragraph(TextRole::Text, &sentence),
        _ => facts.push_json(definition, MAX_JSON_LINES),
    }
}
