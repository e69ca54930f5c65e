//! Draws what is saved: the list, and beside it the records of the open View or what is under the
//! cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::Saved;
use super::saved_item::{SavedItem, find_results, type_label};
use super::{DefinitionFormat, ViewsPane};
use crate::app::Context;
use crate::app::context::views;
use crate::app::effect::ListId;
use crate::app::format::{format_count, format_full_day, format_time, marked_label, pluralize};
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{PAGE_SIZE, RowCount};
use crate::app::panes::fact_list::FactList;
use crate::app::panes::records;
use crate::domain::named_searches::NamedSearch;
use crate::domain::search::{RecordSource, Search};
use crate::domain::views::{View, ViewType};
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, text_span};

/// Lines of JSON that are shown at most.
const MAX_JSON_LINES: usize = 400;

/// Draws the parts of the pane that have room.
pub fn draw(pane: &ViewsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.frame.layout().panel.is_empty() {
        draw_list(pane, cx, cx.frame.layout().panel, buf);
    }
    let area = cx.frame.layout().side_panel;
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
    let (views, theme) = (&cx.views, cx.settings.theme);
    let mut title = vec![text_span(TextRole::Strong, "Saved")];
    let known = *views.load() == LoadState::Ready || !pane.rows.is_empty();
    title.extend(known.then(|| {
        text_span(
            TextRole::Muted,
            format!(" {}", format_count(pane.rows.len() as u64)),
        )
    }));
    let list = list_of::<Saved>(pane, cx);
    title.extend(cx.arrangement_label(&list));
    let hidden = || pane.marks.len() - pane.marked_ids().count();
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
        _ if !pane.rows.is_empty() => {}
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
                &[text_span(TextRole::Strong, "nothing is saved yet")],
                &[
                    "a View is a list of records that the whole team sees",
                    "{views.new} creates one",
                    "{explore.save} in Explore saves a search",
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

/// What opening and counting what is under the cursor costs; nothing while the keys do something
/// else, in the records.
fn footer_spans(pane: &ViewsPane, cx: &Context) -> Vec<TextSpan<'static>> {
    if pane.records_focused {
        return Vec::new();
    }
    if let LoadState::Failed(_) = cx.views.load() {
        let text = "the Views are missing; {views.refresh} reads them again";
        return vec![text_span(TextRole::Warning, cx.keymap.expand_keys(text))];
    }
    let opens = match pane.current_item(cx) {
        None => return Vec::new(),
        Some(SavedItem::View(view)) => describe_run(pane, cx, view),
        Some(SavedItem::Tab(..)) => " shows it in the queue, 0 cr".to_owned(),
        Some(SavedItem::Search(search)) => {
            let opens = match find_results(cx, search) {
                Some(list) => format!(" shows the {}, 0 cr", pluralize(list.len(), "row")),
                None => " opens it in Explore, 0 cr".to_owned(),
            };
            return vec![
                cx.keymap.key_label("views.run"),
                text_span(TextRole::Muted, opens),
                text_span(TextRole::Text, "   "),
                cx.keymap.key_label("views.count"),
                text_span(TextRole::Muted, " counts it now, 1 cr"),
            ];
        }
    };
    vec![
        cx.keymap.key_label("views.run"),
        text_span(TextRole::Muted, opens),
    ]
}

/// What running a View shows, and for what price.
fn describe_run(pane: &ViewsPane, cx: &Context, view: &View) -> String {
    let saved_at = cx.records.lists.saved_read_at(
        &RecordSource::View(view.id, view.record_kind()),
        &Search::default(),
    );
    match cx.records.lists.get(&ListId::View(view.id)) {
        Some(records) if records.load == LoadState::Ready => {
            " shows the loaded rows, 0 cr".to_owned()
        }
        _ => match (saved_at, cx.records.lists.count_of_view(view)) {
            (Some(at), _) => {
                format!(" shows the rows from {}, 0 cr", cx.clock.format_time(at))
            }
            (None, Some(_)) => format!(" reads {} rows, {0} cr", pane.run_price(cx)),
            (None, None) => format!(" reads up to {} rows, 1 cr each", PAGE_SIZE),
        },
    }
}

/// Beside the list, when no records are shown there: facts about what is under the cursor, and what
/// it holds in words.
fn draw_about(pane: &ViewsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let Some(item) = pane.current_item(cx) else {
        return;
    };
    let title = [text_span(TextRole::Strong, item.name())];
    let inner = panel::draw_panel(buf, area, &title, &[], false, &theme);
    let inner = area::inset_sides(inner, 1);
    let mut facts = FactList::new(inner.width, 12);
    let count = item.count(cx).map(RowCount::label);
    let uncounted = "unknown; {views.count} counts for 1 cr";
    let counted = || count.clone().unwrap_or(cx.keymap.expand_keys(uncounted));
    match item {
        SavedItem::View(view) => {
            let description = view.description.as_deref().unwrap_or_default();
            facts.push_paragraph(TextRole::Text, description);
            facts.push_gap();
            facts.push_fact("type", TextRole::Text, describe_type(view));
            facts.push_fact("records", TextRole::Text, counted());
            let changed = view.updated_at.as_ref().map(format_full_day);
            facts.push_fact("changed", TextRole::Text, changed.unwrap_or_default());
        }
        SavedItem::Search(search) => {
            let kind = format!("your search of {}, on this machine", search.dataset);
            facts.push_fact("type", TextRole::Text, kind);
            facts.push_fact("matches", TextRole::Text, counted());
            write_search_facts(&mut facts, search, cx);
        }
        SavedItem::Tab(..) => {
            let kind = "your tab of the queue, in your configuration";
            facts.push_fact("type", TextRole::Text, kind);
            let unknown = "unknown until the rows of the queue are loaded";
            facts.push_fact("signals", TextRole::Text, count.unwrap_or(unknown.into()));
        }
    }
    write_conditions(&mut facts, pane, item, cx);
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

fn describe_type(view: &View) -> String {
    let kind = view.record_kind();
    match &view.kind {
        Some(ViewType::Dynamic) => format!("Dynamic View of {kind}: all that match, now and later"),
        Some(ViewType::Static) => format!("Static View of {kind}: those that somebody added"),
        _ => format!("{} View of {kind}", type_label(view))
            .trim()
            .to_owned(),
    }
}

/// When a search was counted, what changed since the count before, and what it has read.
fn write_search_facts(facts: &mut FactList, search: &NamedSearch, cx: &Context) {
    let (now, zone) = (cx.clock.service_now(), cx.clock.utc_offset());
    let change = views::describe_search_change(search, &cx.clock).unwrap_or_default();
    let role = match search.change() {
        Some((by, _)) if by > 0 => TextRole::Success,
        _ => TextRole::Text,
    };
    facts.push_fact("change", role, change);
    let counted = search.last_count();
    let counted = counted.map(|count| format_time(count.at, now, zone));
    facts.push_fact("counted", TextRole::Text, counted.unwrap_or_default());
    let read = match find_results(cx, search) {
        Some(list) => format!("{}, shown for 0 cr", pluralize(list.len(), "row")),
        None => format!("nothing yet; running it reads up to {PAGE_SIZE} rows, 1 cr each"),
    };
    facts.push_fact("read", TextRole::Text, read);
}

/// What it looks for in words; as JSON if that was asked for, or with the reason if it has no
/// words.
fn write_conditions(facts: &mut FactList, pane: &ViewsPane, item: SavedItem<'_>, cx: &Context) {
    let (Some(described), Some(json)) = (item.describe(), item.conditions_json()) else {
        return;
    };
    let asks_json = pane.shown_definition == Some(DefinitionFormat::Json);
    let note = match &described {
        Ok(_) if !asks_json => cx.keymap.expand_keys("{views.definition} as JSON"),
        _ => "as JSON".to_owned(),
    };
    let heading = match item {
        SavedItem::View(_) => "Definition",
        _ => "Conditions",
    };
    facts.push_heading(heading, note);
    if let Err(why) = &described {
        facts.push_paragraph(TextRole::Muted, &format!("because {why}"));
    }
    match described {
        Ok(sentence) if !asks_json => facts.push_paragraph(TextRole::Text, &sentence),
        _ => facts.push_json(&json, MAX_JSON_LINES),
    }
}
