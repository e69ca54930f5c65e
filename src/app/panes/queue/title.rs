//! The title of the queue's list, and the note beside it.

use crate::app::Context;
use crate::app::context::cached_queue;
use crate::app::format::{format_count, marked_label};
use crate::app::model::line_order::narrowed_label;
use crate::app::model::list_field::FieldKind;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::QueueTabState;
use crate::app::model::signal_list::MissingReason;
use crate::domain::field_kind::ListSort;
use crate::domain::queue::QueueTab;
use crate::domain::row_columns::find_column;
use crate::domain::row_matcher::need_descriptions;
use crate::ui::{TextRole, TextSpan, text_span};

/// From this many marked rows on, they are not summed for every frame.
const MAX_ROWS_SUMMED: usize = 10_000;

/// The list's name, position and size.
pub(super) fn list_title(cx: &Context, tab: &QueueTabState) -> Vec<TextSpan<'static>> {
    let name = cx
        .queue
        .shown_saved_tab()
        .map_or_else(|| cx.queue.tab.title().to_owned(), |tab| tab.name.clone());
    let mut title = vec![text_span(TextRole::Strong, name)];
    if let (Some(last), Some(age)) = (
        cx.queue.previous_queue_for(cx.queue.tab),
        cached_queue::previous_queue_age(cx.queue.tab, &cx.clock, &cx.queue),
    ) {
        let at = format_count(tab.scroll.cursor as u64 + 1);
        title.push(text_span(
            TextRole::Muted,
            format!(" {at} of {} ", format_count(last.total)),
        ));
        title.push(text_span(TextRole::Warning, age));
        return title;
    }
    if tab.load == LoadState::Ready && !tab.is_empty() {
        title.push(text_span(TextRole::Muted, position(cx, tab)));
        let is_today = cx.queue.tab == QueueTab::Today;
        let is_through = is_today && cx.queue.describe_end_of_day().is_some();
        if let Some(city) = cx.queue.facts.only_city().filter(|_| !is_through) {
            title.push(text_span(TextRole::Muted, format!(", {city}")));
        }
    }
    title
}

/// Where the cursor is, how the rows are arranged, and how many of them are loaded if that matters.
fn position(cx: &Context, tab: &QueueTabState) -> String {
    let (at, all) = (
        format_count(tab.scroll.cursor as u64 + 1),
        cx.queue.shown_total(cx.queue.tab),
    );
    let arrangement = tab.arrangement();
    if cx.queue.tab == QueueTab::Today {
        let end = cx.queue.describe_end_of_day();
        return end.map_or_else(String::new, |end| format!("  {end}"));
    }
    if arrangement.is_plain() {
        return format!(" {at} of {}", format_count(all));
    }
    let group = arrangement.group.map(|column| column.spec.title());
    let mut text = match (&group, arrangement.conditions.is_empty()) {
        (Some(group), _) => format!(", by {group}"),
        (None, true) => format!(" {at} of {}", format_count(all)),
        (None, false) => format!(
            " {at} of {} matching",
            format_count(tab.shown_count() as u64)
        ),
    };
    if let Some(sort) = arrangement.sort {
        text.push_str(&format!(", {}", sort_label(sort)));
    }
    let loaded = tab.list.loaded_count() as u64;
    if loaded < all {
        text.push_str(&format!(
            " ({} of {} loaded)",
            format_count(loaded),
            format_count(all)
        ));
    } else if group.is_some() || !arrangement.conditions.is_empty() {
        text.push_str(&format!(" ({})", format_count(all)));
    }
    text
}

/// An order in a few words: `soonest first`, `by city, A to Z`.
fn sort_label(sort: ListSort) -> String {
    let direction = sort.direction_label();
    if sort.key == "days" {
        return format!("{direction} to leave");
    }
    let title =
        find_column(sort.key).map_or_else(|| sort.key.to_owned(), |column| column.spec.title());
    format!("by {title}, {direction}")
}

/// What is marked, with its sum where there is room, what is searched for, and which rows are
/// missing.
pub(super) fn list_note(
    cx: &Context,
    tab: &QueueTabState,
    has_sums: bool,
) -> Vec<TextSpan<'static>> {
    let mut note = Vec::new();
    if tab.marks.is_empty()
        && tab.range_anchor.is_none()
        && let Some(last) = cx.queue.previous_queue_for(cx.queue.tab)
        && last.total > last.rows.len() as u64
    {
        note.push(text_span(
            TextRole::Muted,
            format!("first {}", format_count(last.rows.len() as u64)),
        ));
    }
    if let Some(query) = &tab.arrangement().query {
        note.push(narrowed_label(query, &cx.settings.theme));
    }
    if tab.range_anchor.is_some() {
        let gap = if note.is_empty() { "" } else { "  " };
        note.push(text_span(
            TextRole::Marked,
            format!("{gap}range {}", format_count(tab.range_count() as u64)),
        ));
    }
    if !tab.marks.is_empty() {
        let gap = if note.is_empty() { "" } else { "  " };
        let cost = if has_sums {
            marked_cost(tab)
        } else {
            String::new()
        };
        let label = marked_label(tab.marks.len(), tab.hidden_mark_count());
        note.push(text_span(TextRole::Marked, format!("{gap}{label}{cost}")));
    }
    let waiting = cx.outbox.offline.waiting_from(cx.queue.tab).count();
    if waiting > 0 {
        let gap = if note.is_empty() { "" } else { "  " };
        note.push(text_span(
            TextRole::Warning,
            format!("{gap}{} waiting", format_count(waiting as u64)),
        ));
    }
    let undescribed = undescribed_count(cx);
    if undescribed > 0 {
        let gap = if note.is_empty() { "" } else { "  " };
        note.push(text_span(
            TextRole::Muted,
            format!("{gap}{} not described", format_count(undescribed as u64)),
        ));
    }
    for (why, word) in [
        (MissingReason::Unreadable, "unreadable"),
        (MissingReason::NotSent, "missing"),
    ] {
        let missing = tab.list.missing_count(why);
        if missing > 0 {
            let gap = if note.is_empty() { "" } else { "  " };
            note.push(text_span(
                TextRole::Warning,
                format!("{gap}{} {word}", format_count(missing as u64)),
            ));
        }
    }
    note
}

/// The reported costs of the marked signals together: `, $84M`. Nothing where none is reported, or
/// too many are marked to sum up for every frame.
fn marked_cost(tab: &QueueTabState) -> String {
    let rows = tab
        .marks
        .iter()
        .filter(|id| tab.is_chosen_mark(**id))
        .filter_map(|id| tab.list.row(*id))
        .filter(|_| tab.marks.len() <= MAX_ROWS_SUMMED);
    let cost: f64 = rows
        .filter_map(|row| row.signal.reported_cost_usd.as_ref()?.as_f64())
        .sum();
    if cost > 0.0 {
        format!(", {}", FieldKind::Money.format_number(cost))
    } else {
        String::new()
    }
}

/// How many loaded rows cannot be tested because their description is not known.
pub(super) fn undescribed_count(cx: &Context) -> usize {
    if need_descriptions(&cx.queue.current_tab().arrangement().conditions) {
        cx.undescribed_rows().len()
    } else {
        0
    }
}
