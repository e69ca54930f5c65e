//! Draws the preview: the signal under the cursor, beside or below the list.

use ratatui::buffer::Buffer;

use super::QueuePane;
use crate::app::Context;
use crate::app::annotation_cache::AnnotationField;
use crate::app::format::{self};
use crate::app::layout::panel_text_area;
use crate::app::model::promises::PromiseRow;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::book::RecordKind;
use crate::domain::queue::QueueSignal;
use crate::ui::{TextRole, panel, scroll, text_span};

pub(super) fn draw_preview(pane: &QueuePane, cx: &Context, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let area = cx.frame.layout().side_panel;
    if let Some(promise) = cx.queue.current_tab().current_promise() {
        return draw_promise(pane, promise, cx, buf);
    }
    let Some(row) = pane.preview.row(cx) else {
        panel::draw_panel(buf, area, &[], &[], pane.preview.focused, &theme);
        return;
    };
    let name = row.signal.project_label().to_owned();
    let price = if cx.records.fetched.project(row.signal.project_id).is_some() {
        "{queue.open} 0 cr"
    } else {
        "{queue.open} 1 cr"
    };
    let price = cx.keymap.expand_keys(price);
    let focused = pane.preview.focused;
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, name)],
        &[text_span(TextRole::Muted, price)],
        focused,
        &theme,
    );
    let inner = panel_text_area(area);
    scroll::draw_scrolled_lines(
        buf,
        area,
        inner,
        &preview_lines(cx, row, inner.width, cx.frame.layout().preview_below),
        pane.preview.top,
        &theme,
    );
}

/// Draws a promise, and the note that it is in.
fn draw_promise(pane: &QueuePane, promise: &PromiseRow, cx: &Context, buf: &mut Buffer) {
    let (theme, area) = (cx.settings.theme, cx.frame.layout().side_panel);
    let title = [text_span(TextRole::Strong, promise.name.clone())];
    panel::draw_panel(buf, area, &title, &[], pane.preview.focused, &theme);
    let inner = panel_text_area(area);
    let mut list = FactList::new(inner.width, 10);
    list.push_fact("promised", TextRole::Strong, promise.promise.text.as_str());
    list.push_fact("due", TextRole::Text, promise.due_text.as_str());
    let by = promise.promise.by.clone().unwrap_or_default();
    list.push_fact("by", TextRole::Text, by);
    list.push_heading("Note", "");
    let note = cx.promises.note(promise.id).map(|note| note.text.as_str());
    for line in note.unwrap_or_default().lines() {
        list.push_paragraph(TextRole::Text, line);
    }
    let lines = list.into_lines();
    scroll::draw_scrolled_lines(buf, area, inner, &lines, pane.preview.top, &theme);
}

/// The preview of a signal; below the list (`is_below`) there is little room.
pub(super) fn preview_lines(
    cx: &Context,
    row: &QueueSignal,
    width: u16,
    is_below: bool,
) -> Vec<FactLine> {
    let mut list = FactList::new(width, 10);
    list.push_signal_title(cx, row, "queue.why");
    if !is_below {
        list.push_gap();
    }
    let paid = cx.records.fetched.project(row.signal.project_id);
    let participants = paid
        .map(|paid| paid.project_details.participants())
        .unwrap_or_default();
    let first = participants.iter().find(|one| one.phone.is_some());
    let first = first.map(|one| [Some(one.name_or_unnamed().to_owned()), one.phone.clone()]);
    let first = first.into_iter().flatten().flatten().collect();
    list.push_facts("call", first, cx.settings.theme.glyphs().separator);
    list.push_signal(cx, row);
    if let Some(project) = row.signal.project_id {
        let known = cx
            .records
            .cached_annotation(&RecordKind::Projects, project.0);
        let value = |field| known.value(field).map(|value| value.join(", "));
        let annotation = [AnnotationField::Status, AnnotationField::Tags].map(value);
        let dot = cx.settings.theme.glyphs().separator;
        list.push_facts("status", annotation.into_iter().flatten().collect(), dot);
    }
    if let Some(paid) = paid {
        list.push_heading("Firms", "");
        let firms = participants.into_iter().filter(|one| !one.is_person());
        list.push_participants(cx, &firms.collect::<Vec<_>>(), 6);
        list.push_heading(
            "Project",
            format!("read {}", cx.clock.format_time(paid.read_at)),
        );
        list.push_project(cx, paid);
    }
    if paid.is_none() && !is_below {
        list.push_gap();
        let words = cx
            .keymap
            .expand_keys("{queue.open} loads the project: facts, firms, people and timeline");
        list.push_fact("", TextRole::Muted, words);
        if cx.descriptions.can_ask_for_descriptions(row, &cx.queue) {
            list.push_fact(
                "",
                TextRole::Muted,
                cx.keymap
                    .expand_keys("{queue.describe} describes the visible rows"),
            );
        }
    }
    let siblings = cx.queue.current_tab().sibling_count(row).unwrap_or(1);
    if siblings > 1 && !is_below {
        list.push_heading("Also in this list", "");
        write_siblings(cx, row, &mut list);
    }
    list.into_lines()
}

/// The other loaded signals of the same project, one line each.
fn write_siblings(cx: &Context, row: &QueueSignal, list: &mut FactList) {
    let tab = cx.queue.current_tab();
    let others = row
        .signal
        .project_id
        .map(|project| tab.list.ids_in_project(project))
        .unwrap_or_default();
    for other in others
        .into_iter()
        .filter(|id| *id != row.signal.id)
        .filter_map(|id| tab.list.row(id))
        .take(8)
    {
        let kind = other
            .signal
            .signal_type
            .as_ref()
            .map_or_else(String::new, |kind| format::humanize(kind.as_str()));
        let filed = other
            .signal
            .filed_at
            .as_ref()
            .map(|when| format::format_day(when, cx.clock.service_now().date_naive()))
            .unwrap_or_default();
        let work = cx
            .queue
            .facts
            .description(&other.signal)
            .map(|work| format!("  {work}"))
            .unwrap_or_default();
        list.push_line(vec![
            text_span(TextRole::Muted, format!("{filed:<9} ")),
            text_span(TextRole::Text, kind),
            text_span(TextRole::Muted, work),
        ]);
    }
}
