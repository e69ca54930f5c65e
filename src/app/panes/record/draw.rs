//! Draws a record's page: the breadcrumb, its facts, and the related records beside them or on
//! tabs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::details::{write_record_facts, write_team_facts};
use super::layout::first_tab;
use super::related::RelatedList;
use super::{RecordPage, RecordPane};
use crate::app::Context;
use crate::app::context::{record_lists, trail};
use crate::app::effect::RecordKey;
use crate::app::layout::FrameLayout;
use crate::app::model::load_state::LoadState;
use crate::app::model::records::{FetchedRecord, record_name};
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::book::Dataset;
use crate::domain::record_history::HistoryOrigin;
use crate::text;
use crate::ui::map::{self, MapMarker};
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, scroll, text_span};

/// Below this width, tabs have short labels.
const NARROW_WIDTH: u16 = 72;
/// Width of a fact's label, in cells.
const LABEL_WIDTH: usize = 13;

pub fn draw(pane: &RecordPane, cx: &Context, buf: &mut Buffer) {
    let Some(page) = pane.page() else { return };
    let theme = cx.settings.theme;
    draw_breadcrumb(pane, cx, buf);
    let areas = cx.frame.layout();
    let (beside, has_keys) = (!areas.side_panel.is_empty(), cx.ui.focus.pane_has_focus());
    let (text, list) = if beside {
        (areas.panel, areas.side_panel)
    } else {
        (areas.panel, areas.panel)
    };
    let shows_list = page.current_include().is_some();
    if beside || !shows_list {
        // Without a side panel, the top border belongs to the tabs, and the source is shown in the
        // text.
        let (title, note) = if beside {
            (
                vec![text_span(TextRole::Strong, page.name.as_str())],
                source_note(page, cx),
            )
        } else {
            Default::default()
        };
        panel::draw_panel(
            buf,
            text,
            &title,
            &note,
            has_keys && !areas.side_has_focus,
            &theme,
        );
        scroll::draw_scrolled_lines(
            buf,
            text,
            areas.rows,
            &text_lines(page, areas, cx),
            page.top,
            &theme,
        );
    }
    if !areas.map.is_empty() {
        draw_place(page, cx, buf);
    }
    if beside || shows_list {
        panel::draw_panel(
            buf,
            list,
            &[],
            &[],
            has_keys && areas.side_has_focus,
            &theme,
        );
        draw_related(page, cx, buf);
    }
    if page.fetched(cx).is_none() {
        draw_loading(
            cx,
            if beside || !shows_list {
                areas.rows
            } else {
                areas.side_rows
            },
            buf,
        );
    }
    for (area, tab) in tab_areas(page, areas, cx) {
        let role = if tab == page.tab {
            TextRole::Selected
        } else {
            TextRole::Muted
        };
        draw_line(
            buf,
            area,
            &[text_span(role, format!(" {} ", tab_label(page, tab, cx)))],
            &theme,
        );
    }
}

/// The breadcrumb: the screen it started on, and each page.
fn draw_breadcrumb(pane: &RecordPane, cx: &Context, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let into = format!(" {} ", theme.glyphs().breadcrumb);
    let area = area::inset_sides(cx.frame.layout().tab_bar, 1);
    let from = pane.opened_from.map_or("Queue", crate::app::Screen::title);
    let mut pieces = vec![text_span(TextRole::Muted, from)];
    for (n, page) in pane
        .pages
        .iter()
        .enumerate()
        .skip(pane.pages.len().saturating_sub(3))
    {
        let is_last = n + 1 == pane.pages.len();
        pieces.push(text_span(TextRole::Faint, into.as_str()));
        pieces.push(text_span(
            if is_last {
                TextRole::Strong
            } else {
                TextRole::Muted
            },
            page.name.as_str(),
        ));
    }
    draw_line(buf, area, &pieces, &theme);
}

fn source_note(page: &RecordPage, cx: &Context) -> Vec<TextSpan<'static>> {
    let is_saved = cx
        .records
        .team_words(&page.key.dataset, page.key.id, &cx.queue)
        .is_some();
    let place = match (page.key.in_book, is_saved) {
        (true, _) => "in the book",
        (false, true) => "in the book, from the index",
        (false, false) => "from the index",
    };
    let read = page
        .fetched(cx)
        .map(|paid| format!(", read {}", cx.clock.format_time(paid.read_at)));
    vec![text_span(
        TextRole::Muted,
        format!("{place}{}", read.unwrap_or_default()),
    )]
}

fn tab_label(page: &RecordPage, tab: usize, cx: &Context) -> String {
    let name = page.tabs().get(tab).copied().unwrap_or_default();
    // On a narrow screen, the labels leave room for the keys that switch the tabs.
    let is_narrow = cx.frame.size().0 < NARROW_WIDTH;
    match page
        .fetched(cx)
        .filter(|_| page.key.dataset.available_includes().contains(&name))
    {
        Some(paid) if !is_narrow => format!("{name} {}", paid.related(name).len()),
        None if is_narrow && name == "history" => "log".to_owned(),
        _ => name.to_owned(),
    }
}

/// The areas of the tab labels, on the top border of the panel that shows them.
pub fn tab_areas(page: &RecordPage, areas: &FrameLayout, cx: &Context) -> Vec<(Rect, usize)> {
    let panel = areas.side_scroll_track;
    let mut x = panel.x + 2;
    (first_tab(areas)..page.tabs().len())
        .map(|tab| {
            let width = u16::try_from(tab_label(page, tab, cx).len() + 2).unwrap_or(0);
            let area = Rect {
                x,
                width,
                y: panel.y,
                height: 1,
            }
            .intersection(panel);
            x = x.saturating_add(width + 1);
            (area, tab)
        })
        .collect()
}

/// The text of the current tab.
pub fn text_lines(page: &RecordPage, areas: &FrameLayout, cx: &Context) -> Vec<FactLine> {
    let Some(paid) = page.fetched(cx) else {
        return Vec::new();
    };
    let mut facts = FactList::new(areas.rows.width, LABEL_WIDTH);
    // With a side panel, the payload is shown there.
    let is_alone = areas.side_panel.is_empty();
    if is_alone && matches!(page.current_tab(), "raw" | "history") {
        return side_text_lines(page, areas.rows.width, cx);
    }
    if is_alone {
        facts.push_line(vec![text_span(TextRole::Strong, record_name(&paid.fields))]);
        facts.push_line(source_note(page, cx));
        facts.push_gap();
    }
    if !page.key.in_book {
        write_team_facts(&mut facts, &page.key, cx);
    }
    write_record_facts(&mut facts, &page.key.dataset, &paid.fields, cx);
    let has_no_reach = ["phone", "email"].map(|field| paid.fields.text(field)) == [None, None];
    if page.key.in_book && page.key.dataset == Dataset::Contacts && has_no_reach {
        write_reach(&mut facts, page, cx);
    }
    facts.into_lines()
}

/// Writes phone and e-mail of a contact of the book, as the index has them, or what they cost.
fn write_reach(facts: &mut FactList, page: &RecordPage, cx: &Context) {
    let Some(index) = cx.records.fetched.indexed_contact(page.key.id) else {
        let text = match page.unread_contact(cx) {
            Some(_) => "{record.reach} looks in the index, 1 cr",
            None => "not in the book or the index",
        };
        facts.push_fact("phone", TextRole::Muted, cx.keymap.expand_keys(text));
        return facts.push_fact("email", TextRole::Muted, "not in the book");
    };
    for field in ["phone", "email"] {
        let value = index.text(field).unwrap_or("the index has none");
        facts.push_fact(field, TextRole::Text, value);
    }
}

fn draw_place(page: &RecordPage, cx: &Context, buf: &mut Buffer) {
    let Some((point, city)) = page.fetched(cx).and_then(FetchedRecord::location) else {
        return;
    };
    let theme = cx.settings.theme;
    let inner = panel::draw_panel(
        buf,
        cx.frame.layout().map,
        &[text_span(TextRole::Strong, "Map")],
        &[],
        false,
        &theme,
    );
    let marker = MapMarker {
        point: *point,
        cluster: city,
        is_marked: false,
    };
    map::draw_map(
        buf,
        area::inset_sides(inner, 1),
        &[marker],
        Some((*point, &page.name)),
        record_lists::distance_unit(&cx.settings),
        &theme,
    );
}

/// What happened to the record, newest first: a line for each change, with its time.
fn write_history(facts: &mut FactList, page: &RecordPage, cx: &Context) {
    let time = |at| cx.clock.format_time(at);
    match &page.history {
        None => facts.push_paragraph(TextRole::Muted, "reading this machine's journal"),
        Some(Err(why)) => facts.push_paragraph(
            TextRole::Warning,
            &format!("The history could not be read: {why}"),
        ),
        Some(Ok(history)) => {
            for line in &history.lines {
                let (role, note) = match &line.origin {
                    HistoryOrigin::Written(result) => {
                        (TextRole::Strong, format!("written here, {result}"))
                    }
                    HistoryOrigin::Seen(before) => (
                        TextRole::Text,
                        format!("changed between {} and {}", time(*before), time(line.at)),
                    ),
                };
                facts.push_entry(&time(line.at), role, &line.text, &note);
            }
            let since = history
                .first_read
                .map(|at| format!(" First read: {}.", time(at)))
                .unwrap_or_default();
            let end = if history.lines.is_empty() {
                "This machine wrote nothing on this record, and saw no change between reads."
            } else {
                "What this machine wrote, and what changed between its reads."
            };
            facts.push_gap();
            facts.push_paragraph(TextRole::Muted, &format!("{end}{since}"));
        }
    }
}

fn write_raw(facts: &mut FactList, paid: &FetchedRecord, width: u16) {
    let value: serde_json::Value = serde_json::from_str(paid.record.json()).unwrap_or_default();
    let shown = serde_json::to_string_pretty(&value).unwrap_or_default();
    for words in shown.lines().take(2_000) {
        let indent = (words.len() - words.trim_start().len()).min(usize::from(width / 2));
        for part in text::wrap_text(
            &text::sanitize_line(words.trim_start()),
            usize::from(width).saturating_sub(indent),
        ) {
            facts.push_line(vec![text_span(
                TextRole::Text,
                format!("{}{part}", " ".repeat(indent)),
            )]);
        }
    }
}

/// Draws the placeholder of a record that is not loaded.
fn draw_loading(cx: &Context, area: Rect, buf: &mut Buffer) {
    match &cx.records.fetched.load {
        LoadState::Failed(why) => cx.draw_error(
            buf,
            area,
            "could not load the record",
            why,
            "{record.reload} retries",
        ),
        LoadState::Loading => cx.draw_message(buf, area, &[], &["loading the record"]),
        LoadState::Idle | LoadState::Ready => {
            cx.draw_message(
                buf,
                area,
                &[text_span(TextRole::Strong, "the record is not loaded")],
                &["{record.reload} loads it for 1 credit"],
            );
        }
    }
}

fn draw_related(page: &RecordPage, cx: &Context, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let area = cx.frame.layout().side_rows;
    let Some(include) = page.current_include() else {
        return paint::draw_lines(
            buf,
            area,
            side_text_lines(page, area.width, cx)
                .iter()
                .skip(page.side_top),
            &theme,
        );
    };
    let Some(paid) = page.fetched(cx) else { return };
    let rows = paid.related(include);
    if rows.is_empty() {
        draw_line(
            buf,
            area,
            &[text_span(TextRole::Muted, format!("no known {include}"))],
            &theme,
        );
        return;
    }
    let Some(list) = RelatedList::new(page, cx) else {
        return;
    };
    let has_focus = cx.frame.layout().side_has_focus;
    let areas = (cx.frame.layout().side_scroll_track, area);
    cx.draw_list(buf, &list, areas, has_focus);
    let Some(record) = page.current_related(cx).filter(|_| has_focus) else {
        return;
    };
    let arrangement = cx.arrangement_label(&list);
    let is_kept = trail::is_record_kept(
        &RecordKey {
            dataset: list.source.dataset(),
            id: record.id,
            in_book: false,
        },
        &cx.records.fetched,
    );
    let price = if is_kept {
        " opens it, 0 cr"
    } else {
        " opens it, 1 cr"
    };
    let mut line = vec![
        cx.keymap.key_label("record.open"),
        text_span(TextRole::Muted, price),
    ];
    line.extend(arrangement);
    draw_line(
        buf,
        Rect {
            x: area.x,
            y: area.bottom(),
            width: area.width,
            height: 1,
        },
        &line,
        &theme,
    );
}

/// The text of the history or the payload.
fn side_text_lines(page: &RecordPage, width: u16, cx: &Context) -> Vec<FactLine> {
    let mut facts = FactList::new(width, LABEL_WIDTH);
    if page.current_tab() == "history" {
        write_history(&mut facts, page, cx);
    } else if let Some(paid) = page.fetched(cx) {
        write_raw(&mut facts, paid, width);
    }
    facts.into_lines()
}

/// The number of lines or records in the side panel.
pub fn side_panel_len(page: &RecordPage, areas: &FrameLayout, cx: &Context) -> usize {
    match page.current_include() {
        Some(_) => page.lines.len(),
        None => side_text_lines(page, areas.side_rows.width, cx).len(),
    }
}
