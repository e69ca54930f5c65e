//! Draws the feed: the list, and the signal under the cursor beside it, below it or in its place.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::{Feed, type_name};
use super::{FeedPane, PAGE_ROWS, project_name};
use crate::app::Context;
use crate::app::format::{
    format_count, format_days_ago, format_full_day, format_number, pluralize,
};
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::display_format;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::signals::{Signal, SignalType};
use crate::text;
use crate::ui::{TextRole, draw_line, panel, scroll, text_span};

/// Width of the panel's labels in cells.
const LABEL_WIDTH: usize = 11;

pub fn draw(feed: &FeedPane, cx: &Context, buf: &mut Buffer) {
    if !cx.frame.layout().panel.is_empty() {
        draw_list(feed, cx, buf);
    }
    if !cx.frame.layout().side_panel.is_empty() {
        draw_side_panel(feed, cx, buf);
    }
}

fn draw_list(feed: &FeedPane, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().panel,
        cx.frame.layout().rows,
    );
    let mut title = vec![text_span(TextRole::Strong, "Feed ")];
    let mut note = Vec::new();
    if feed.filter.is_unfiltered() {
        title.push(text_span(TextRole::Muted, " all signals"));
        if let Some(city) = cx.queue.facts.only_city() {
            title.push(text_span(TextRole::Muted, format!(", {city}")));
        }
    } else {
        let between = format!(" {} ", theme.glyphs().separator);
        let parts = feed.filter.parts(|kind| type_name(kind, cx));
        title.push(text_span(
            TextRole::Warning,
            format!(" {}", parts.join(&between)),
        ));
        note = key_hint(cx, "{feed.clear} all");
    }
    let list = list_of::<Feed>(feed, cx);
    title.extend(cx.arrangement_label(&list));
    panel::draw_panel(buf, area, &title, &note, true, &theme);
    match &feed.load {
        _ if !feed.rows.is_empty() => {}
        LoadState::Failed(why) => {
            return cx.draw_error(
                buf,
                rows,
                "could not load the feed",
                why,
                "{feed.refresh} retries",
            );
        }
        LoadState::Ready => return draw_empty(feed, cx, buf),
        LoadState::Idle | LoadState::Loading => {
            return cx.draw_message(buf, rows, &[], &["loading the feed"]);
        }
    }
    cx.draw_list(buf, &list, (area, rows), true);
    draw_footer(feed, cx, panel::footer_area(area), buf);
}

fn draw_empty(feed: &FeedPane, cx: &Context, buf: &mut Buffer) {
    let unreadable = format!("{} could not be read", pluralize(feed.unreadable, "signal"));
    let (what, hint) = match () {
        () if feed.unreadable > 0 => (unreadable.as_str(), "{feed.refresh} reads the feed again"),
        () if feed.filter.is_unfiltered() => (
            "the service has no signals yet",
            "{feed.refresh} reads the feed again",
        ),
        () => (
            "no signals match",
            "{feed.filter} changes the filter   {feed.clear} clears it",
        ),
    };
    cx.draw_message(
        buf,
        cx.frame.layout().rows,
        &[text_span(TextRole::Strong, what)],
        &[hint],
    );
}

/// How many rows are loaded, and how to load more.
fn draw_footer(feed: &FeedPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let loaded = pluralize(feed.rows.len(), "signal");
    let mut spans = match (&feed.load, feed.next_offset) {
        (LoadState::Loading, _) if feed.is_outdated() => {
            vec![text_span(
                TextRole::Warning,
                "signals of the previous filter; loading",
            )]
        }
        (LoadState::Loading, _) => vec![text_span(TextRole::Muted, format!("{loaded}; loading"))],
        (_, Some(_)) => {
            let mut spans = vec![text_span(TextRole::Text, format!("{loaded} loaded   "))];
            let more = format!(
                "{{feed.more}} loads {PAGE_ROWS} more, {}",
                cx.descriptions.signal_price().stated()
            );
            spans.extend(key_hint(cx, &more));
            spans
        }
        (_, None) => vec![text_span(TextRole::Text, format!("{loaded}, all loaded"))],
    };
    if feed.unreadable > 0 {
        spans.push(text_span(
            TextRole::Warning,
            format!("   {} unreadable", format_count(feed.unreadable as u64)),
        ));
    }
    if let LoadState::Failed(why) = &feed.load {
        spans.insert(
            0,
            text_span(TextRole::Error, format!("could not load: {why}   ")),
        );
    }
    draw_line(buf, area, &spans, &cx.settings.theme);
}

fn day(when: Option<&DateOrDateTime>) -> String {
    when.map(format_full_day).unwrap_or_default()
}

fn draw_side_panel(feed: &FeedPane, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().side_panel,
        cx.frame.layout().side_rows,
    );
    let (mut title, mut note) = (Vec::new(), Vec::new());
    if let Some(signal) = feed.current() {
        title.push(text_span(TextRole::Strong, project_name(signal).to_owned()));
        if signal.project_id.is_some() {
            let price = u8::from(cx.records.fetched.project(signal.project_id).is_none());
            note = key_hint(cx, &format!("{{feed.project}} project {price} cr"));
        }
    }
    panel::draw_panel(
        buf,
        area,
        &title,
        &note,
        cx.frame.layout().panel.is_empty(),
        &theme,
    );
    let lines = panel_lines(feed, cx, rows.width, cx.frame.layout().preview_below);
    scroll::draw_scrolled_lines(buf, area, rows, &lines, feed.panel_top, &theme);
}

/// The facts of the signal under the cursor; the small panel below the list shows what fits there.
pub(super) fn panel_lines(
    feed: &FeedPane,
    cx: &Context,
    width: u16,
    is_below: bool,
) -> Vec<FactLine> {
    let mut list = FactList::new(width, LABEL_WIDTH);
    let Some(signal) = feed.current() else {
        return Vec::new();
    };
    let (dot, today) = (
        cx.settings.theme.glyphs().separator,
        cx.clock.service_now().date_naive(),
    );
    let kind = signal.signal_type.as_ref();
    let kind_name = kind.map_or("type unknown".to_owned(), |kind| type_name(kind, cx));
    let description = kind.map(SignalType::description).unwrap_or_default();
    let ago = |when: &Option<DateOrDateTime>| {
        when.as_ref()
            .and_then(|when| format_days_ago(when, today))
            .unwrap_or_default()
    };
    let filed = vec![day(signal.filed_at.as_ref()), ago(&signal.filed_at)];
    let found = signal
        .discovered_at
        .as_ref()
        .map(|at| full_moment(at, cx))
        .unwrap_or_default();
    if text::display_width(&kind_name) + 2 + description.len() <= usize::from(width) {
        let description = text_span(TextRole::Muted, format!("  {description}"));
        list.push_line(vec![text_span(TextRole::Strong, kind_name), description]);
    } else {
        list.push_paragraph(TextRole::Strong, &kind_name);
        list.push_paragraph(TextRole::Muted, description);
    }
    list.push_paragraph(
        TextRole::Text,
        cx.queue.facts.description(signal).unwrap_or_default(),
    );
    if is_below {
        let found = if found.is_empty() {
            found
        } else {
            format!("found {found}")
        };
        list.push_facts("filed", [filed, vec![found]].concat(), dot);
    } else {
        list.push_gap();
        list.push_facts("filed", filed, dot);
        list.push_facts("found", vec![found, ago(&signal.discovered_at)], dot);
    }
    let address = signal.project_primary_address.clone().unwrap_or_default();
    let city = cx.queue.facts.city(signal).unwrap_or_default();
    let city = Some(city).filter(|city| !address.contains(*city));
    let city = city.map(str::to_owned).unwrap_or_default();
    list.push_facts("address", vec![address, city], dot);
    let cost = signal
        .reported_cost_usd
        .as_ref()
        .map(|cost| format!("${}", format_number(cost)))
        .unwrap_or_default();
    let floor = signal
        .reported_gross_floor_area_sf
        .as_ref()
        .map(|area| format!("{} sf", format_number(area)));
    list.push_facts("reported", vec![cost, floor.unwrap_or_default()], dot);
    let filing = signal.source_filing_id.clone().unwrap_or_default();
    list.push_facts(
        "filing",
        vec![filing, signal.source_name().unwrap_or_default().to_owned()],
        dot,
    );
    if is_below {
        return list.into_lines();
    }
    if let Some((role, subscribed)) = subscription_of(signal, cx) {
        list.push_fact("subscribed", role, subscribed);
    }
    list.push_fact(
        "web page",
        TextRole::Muted,
        signal.source_url.clone().unwrap_or_default(),
    );
    write_payload(feed, signal, cx, &mut list);
    list.into_lines()
}

/// Whether signals of its type enter the queue, as far as the subscriptions are loaded.
fn subscription_of(signal: &Signal, cx: &Context) -> Option<(TextRole, String)> {
    let kind = signal
        .signal_type
        .as_ref()
        .filter(|_| cx.subscriptions.load == LoadState::Ready)?;
    Some(
        match cx
            .subscriptions
            .get(kind)
            .map(|subscription| subscription.priority.as_ref())
        {
            Some(Some(priority)) => (
                TextRole::Text,
                format!("yes, {} priority", priority.as_str()),
            ),
            Some(None) => (TextRole::Text, "yes".to_owned()),
            None => (
                TextRole::Muted,
                "no, this type does not enter the queue".to_owned(),
            ),
        },
    )
}

fn write_payload(feed: &FeedPane, signal: &Signal, cx: &Context, list: &mut FactList) {
    list.push_heading("From the source", "");
    match feed.payloads.get(&signal.id) {
        Some(Ok(read)) => match &read.raw_data {
            Some(data) => list.push_fields(data),
            None => list.push_paragraph(TextRole::Muted, "the source has sent none"),
        },
        _ if feed.reading_payload == Some(signal.id) => {
            list.push_paragraph(TextRole::Muted, "loading")
        }
        read => {
            if let Some(Err(why)) = read {
                list.push_paragraph(TextRole::Error, &format!("could not load: {why}"));
            }
            let hint = match read {
                Some(_) => "{feed.open} retries".to_owned(),
                None => format!(
                    "{{feed.open}} loads it, {}",
                    cx.descriptions.signal_price().stated()
                ),
            };
            list.push_line(key_hint(cx, &hint));
        }
    }
}

fn key_hint(cx: &Context, hint: &str) -> FactLine {
    let spans = cx.keymap.expand_keys_styled(TextRole::Muted, hint);
    spans
        .into_iter()
        .map(|span| text_span(span.role, span.text.into_owned()))
        .collect()
}

/// Day and time in the user's time zone; a day has no time.
fn full_moment(when: &DateOrDateTime, cx: &Context) -> String {
    let at = when
        .date_time()
        .filter(|at| at.time() != chrono::NaiveTime::MIN);
    let at = at.map(|at| {
        display_format::format_moment(at.with_timezone(&cx.clock.utc_offset()).naive_local())
    });
    at.unwrap_or_else(|| format_full_day(when))
}
