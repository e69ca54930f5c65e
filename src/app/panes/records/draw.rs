//! Draws a list of records: rows, their state, and the price of the next page.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::map;
use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::format::{
    format_count, format_time, format_time_in_sentence, humanize, marked_label, pluralize,
};
use crate::app::model::line_order::{filtered_label, narrowed_label};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{PAGE_SIZE, RecordList, RowCount};
use crate::app::panes::records::list::Records;
use crate::domain::search::RecordSource;
use crate::ui::{TextRole, TextSpan, Theme, draw_line, paint, panel, text_span};

pub fn draw(
    cx: &Context,
    shown: &ListId,
    title: Vec<TextSpan<'static>>,
    area: Rect,
    focused: bool,
    buf: &mut Buffer,
) {
    let theme = cx.theme();
    let focused = focused && cx.pane_has_focus();
    let Some(list) = cx.record_lists.get(shown) else {
        panel::draw_panel(buf, area, &title, &[], focused, &theme);
        return;
    };
    let note = Some(list_note(list, true, &theme))
        .filter(|note| panel::has_room_for_note(area, &title, note));
    let note = note.unwrap_or_else(|| list_note(list, false, &theme));
    panel::draw_panel(buf, area, &title, &note, focused, &theme);
    if !cx.layout().map.is_empty() {
        map::draw(cx, list, cx.layout().map, buf);
    }
    let rows = panel::rows_area(area);
    match (&list.load, list.len()) {
        (LoadState::Failed(why), 0) => {
            cx.draw_error(
                buf,
                rows,
                "could not load the rows",
                why,
                "{records.open} retries",
            );
        }
        (LoadState::Ready, 0) => draw_empty(cx, list, rows, buf),
        (LoadState::Idle, 0) => draw_unread(cx, list, rows, buf),
        (_, 0) => cx.draw_message(buf, rows, &[], &["loading; Ctrl-c stops"]),
        _ => cx.draw_list(buf, &Records::new(list, cx), (area, rows), focused),
    }
    if !list.is_empty() {
        draw_footer_line(cx, list, panel::footer_area(area), focused, buf);
    }
}

/// The panel's note: marks, with their sums where there is room, range and unreadable rows.
fn list_note(list: &RecordList, has_sums: bool, theme: &Theme) -> Vec<TextSpan<'static>> {
    let mut note: Vec<TextSpan<'static>> = list
        .lines
        .query()
        .map(|query| narrowed_label(query, theme))
        .into_iter()
        .collect();
    note.extend(
        list.lines
            .filter()
            .map(|filter| filtered_label(filter, theme)),
    );
    if list.range_anchor.is_some() {
        note.push(text_span(
            TextRole::Marked,
            format!("range {}", format_count(list.range_ids().len() as u64)),
        ));
    }
    if !list.marks.is_empty() {
        let totals = list
            .marked_totals()
            .iter()
            .filter(|_| has_sums)
            .map(|total| format!(", {total}"))
            .collect::<String>();
        let label = marked_label(list.marks.len(), list.hidden_mark_count());
        note.push(text_span(TextRole::Marked, format!("{label}{totals}")));
    }
    if list.unreadable > 0 {
        note.push(text_span(
            TextRole::Warning,
            format!("{} unreadable", list.unreadable),
        ));
    }
    let gap = text_span(TextRole::Muted, "  ");
    note.into_iter()
        .flat_map(|part| [gap.clone(), part])
        .skip(1)
        .collect()
}

/// The number of rows, if known: `42`, `1,000+`.
pub fn total_label(list: &RecordList) -> Option<String> {
    list.row_count().map(RowCount::label)
}

fn draw_unread(cx: &Context, list: &RecordList, area: Rect, buf: &mut Buffer) {
    let price = match list.next_price() {
        Some(0) | None => "free".to_owned(),
        Some(most) => format!("for at most {}", pluralize(most, "credit")),
    };
    let known = total_label(list).map(|total| format!("{total} rows, none read yet"));
    let what = text_span(
        TextRole::Strong,
        known.unwrap_or_else(|| "nothing read yet".to_owned()),
    );
    let reads = format!("{{records.open}} reads the first {PAGE_SIZE} rows {price}");
    cx.draw_message(
        buf,
        area,
        &[what],
        &[
            &reads,
            "{records.count} counts them for 1 credit, {records.narrow} filters them first",
        ],
    );
}

fn draw_empty(cx: &Context, list: &RecordList, area: Rect, buf: &mut Buffer) {
    if list.search.is_unfiltered() {
        let hint = match list.source {
            RecordSource::View(..) => "{records.add} on a list of records adds to a Static View",
            RecordSource::Book(_) => "{records.save} on a list of records saves to the book",
            RecordSource::Index(_) => "the service has no such records",
        };
        return cx.draw_message(
            buf,
            area,
            &[text_span(TextRole::Strong, "nothing here yet")],
            &[hint],
        );
    }
    let filter = list.search.filters.to_line(&list.search.query);
    let what = [
        text_span(TextRole::Strong, "nothing matches this filter"),
        text_span(TextRole::Warning, filter),
    ];
    cx.draw_message(
        buf,
        area,
        &what,
        &["{records.whole} clears it, {records.narrow} changes it"],
    );
}

/// What the rows cost in this session and when they were read; for rows of an earlier session, what
/// a refresh costs.
fn read_spans(
    cx: &Context,
    list: &RecordList,
    width: u16,
    focused: bool,
) -> Vec<TextSpan<'static>> {
    let dot = cx.theme().glyphs().separator;
    let (now, zone) = (cx.service_now(), cx.settings().utc_offset);
    if let (Some(at), Some(searched)) = (list.read_at, list.searched_rows()) {
        let rows = pluralize(searched, "loaded row");
        let read = format_time_in_sentence(at, now, zone);
        return vec![text_span(
            TextRole::Muted,
            format!("from {rows}, 0 cr {dot} read {read}"),
        )];
    }
    if let Some(at) = list
        .read_at
        .filter(|_| focused && list.is_from_earlier_session())
    {
        let price = pluralize(list.refresh_price(), "credit");
        let costs = if width < 90 {
            format!(" refresh {} cr", list.refresh_price())
        } else {
            format!(" refresh costs {price}")
        };
        let read = format!("read {} {dot} ", format_time_in_sentence(at, now, zone));
        return vec![
            text_span(TextRole::Muted, read),
            text_span(
                TextRole::Key,
                cx.keymap().label("records.refresh").to_owned(),
            ),
            text_span(TextRole::Muted, costs),
        ];
    }
    if let (Some((rows, fresh_at)), Some(at)) = (list.fresher_rows(), list.read_at) {
        let (rows, fresh) = (format_count(rows as u64), format_time(fresh_at, now, zone));
        return vec![text_span(
            TextRole::Muted,
            format!(
                "{rows} rows read {fresh}, the others {}",
                format_time(at, now, zone)
            ),
        )];
    }
    let read = list
        .read_at
        .map(|at| format!(" {dot} read {}", format_time(at, now, zone)));
    vec![text_span(
        TextRole::Muted,
        format!(
            "{} cr{}",
            format_count(list.credits_spent),
            read.unwrap_or_default()
        ),
    )]
}

/// Rows loaded of the total, the price of the next page while its key works here, filter and order,
/// and why the row's last write failed.
fn draw_footer_line(cx: &Context, list: &RecordList, area: Rect, focused: bool, buf: &mut Buffer) {
    let theme = cx.theme();
    if let Some(why) = list
        .current_record()
        .and_then(|row| list.write_errors.get(&row.id))
    {
        draw_line(
            buf,
            area,
            &[text_span(TextRole::Error, why.clone())],
            &theme,
        );
        return;
    }
    let loaded = format_count(list.len() as u64);
    let mut pieces = vec![text_span(
        TextRole::Text,
        match total_label(list) {
            Some(total) => format!("{loaded} of {total}"),
            None if list.has_more() => format!("{loaded}, maybe more"),
            None => loaded,
        },
    )];
    if let Some(price) = list.next_price().filter(|_| focused && list.has_more()) {
        pieces.push(text_span(
            TextRole::Key,
            format!("   {}", cx.keymap().label("records.more")),
        ));
        pieces.push(text_span(TextRole::Muted, format!(" next {price} cr")));
    }
    if !list.search.is_unfiltered() {
        pieces.push(text_span(
            TextRole::Warning,
            format!("   {}", list.search.filters.to_line(&list.search.query)),
        ));
    }
    let local = list
        .sort()
        .map(|sort| format!("by {}, {}", humanize(sort.key), sort.direction_label()));
    let sort = local.or_else(|| Some(list.sort_order()?.describe()));
    let edge = paint::draw_line_right(
        buf,
        area,
        &read_spans(cx, list, area.width, focused),
        &theme,
    );
    if let Some(sort) = sort {
        pieces.push(text_span(TextRole::Muted, format!("   {sort}")));
    }
    let room = Rect {
        width: edge.saturating_sub(area.x + 2),
        ..area
    };
    while pieces.len() > 1 && paint::spans_width(&pieces) > room.width {
        pieces.pop();
    }
    draw_line(buf, room, &pieces, &theme);
}
