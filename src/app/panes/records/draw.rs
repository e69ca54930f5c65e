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
use crate::app::model::record_list::{RecordList, RowCount, page_size};
use crate::app::panes::records::list::Records;
use crate::domain::search::RecordSource;
use crate::domain::sentence::describe_search;
use crate::domain::vocabulary::Vocabulary;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, draw_line, paint, panel, text_span};

pub fn draw(
    cx: &Context,
    shown: &ListId,
    title: Vec<TextSpan<'static>>,
    area: Rect,
    focused: bool,
    buf: &mut Buffer,
) {
    let theme = cx.settings.theme;
    let focused = focused && cx.ui.focus.pane_has_focus();
    let Some(list) = cx.records.lists.get(shown) else {
        panel::draw_panel(buf, area, &title, &[], focused, &theme);
        return;
    };
    let note = Some(list_note(list, true, &theme))
        .filter(|note| panel::has_room_for_note(area, &title, note));
    let note = note.unwrap_or_else(|| list_note(list, false, &theme));
    panel::draw_panel(buf, area, &title, &note, focused, &theme);
    if !cx.frame.layout().map.is_empty() {
        map::draw(cx, list, cx.frame.layout().map, buf);
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

/// The search of a list in a sentence.
fn describe_filter(list: &RecordList) -> String {
    describe_search(
        list.source.dataset().as_str(),
        &list.search.filters,
        &list.search.query,
        &Vocabulary::default(),
    )
}

/// The number of rows, if known: `42`, `1,000+`.
pub fn total_label(list: &RecordList) -> Option<String> {
    list.row_count().map(RowCount::label)
}

fn draw_unread(cx: &Context, list: &RecordList, area: Rect, buf: &mut Buffer) {
    let page = page_size(&list.search);
    let price = list.next_price().filter(|price| *price > 0);
    let price = price.map(|most| pluralize(most, "credit"));
    let total = list.row_count();
    let is_page = |count: &RowCount| !count.is_capped && count.total <= page.into();
    let rows = match (total.filter(is_page), price) {
        (Some(count), Some(price)) => format!("all {} for {price}", count.describe("row")),
        (Some(count), None) => format!("all {}, free", count.describe("row")),
        (None, Some(price)) => format!("the first {page} rows for at most {price}"),
        (None, None) => format!("the first {page} rows, free"),
    };
    let known = total.map(|total| format!("{} rows, none read yet", total.label()));
    let what = text_span(
        TextRole::Strong,
        known.unwrap_or_else(|| "nothing read yet".to_owned()),
    );
    let other = match total {
        Some(_) => "{records.narrow} filters them first",
        None => "{records.count} counts them for 1 credit, {records.narrow} filters them first",
    };
    let reads = format!("{{records.open}} reads {rows}");
    cx.draw_message(buf, area, &[what], &[&reads, other]);
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
    let what = [
        text_span(TextRole::Strong, "nothing matches this filter"),
        text_span(TextRole::Warning, describe_filter(list)),
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
    let dot = cx.settings.theme.glyphs().separator;
    let (now, zone) = (cx.clock.service_now(), cx.clock.utc_offset());
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
            text_span(TextRole::Key, cx.keymap.label("records.refresh").to_owned()),
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
    let theme = cx.settings.theme;
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
            format!("   {}", cx.keymap.label("records.more")),
        ));
        pieces.push(text_span(TextRole::Muted, format!(" next {price} cr")));
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
    let room = Rect {
        width: edge.saturating_sub(area.x + 2),
        ..area
    };
    let left = |pieces: &[TextSpan<'_>]| room.width.saturating_sub(paint::spans_width(pieces));
    if !list.search.is_unfiltered() {
        let filter = format!("   {}", describe_filter(list));
        let filter = text::truncate(&filter, left(&pieces).into(), theme.glyphs().ellipsis);
        pieces.push(text_span(TextRole::Warning, filter.into_owned()));
    }
    if let Some(sort) = sort.map(|sort| format!("   {sort}"))
        && text::display_width(&sort) <= left(&pieces).into()
    {
        pieces.push(text_span(TextRole::Muted, sort));
    }
    draw_line(buf, room, &pieces, &theme);
}
