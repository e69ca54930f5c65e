//! Draws the dashboard: the parts of each page that fit, and the age of the data.

use chrono::Timelike;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::app::context::visits::leaving_labels;
use crate::app::context::{connection, key_names};
use crate::app::format::{format_count, humanize, pluralize};
use crate::app::panes::watch::arrivals::is_quiet;
use crate::app::panes::watch::figures::{draw_figures, draw_plain_figures, draw_priority_bar};
use crate::app::panes::watch::latest::{self, LATEST_HEIGHT};
use crate::app::panes::watch::pages::MAX_LATEST;
use crate::app::panes::watch::painting::{area_below, draw_counted_bar};
use crate::app::panes::watch::regions::{Part, PartHeight, has_columns, stack_parts};
use crate::app::panes::watch::state::{WatchPane, stale_minutes};
use crate::app::panes::watch::{city_map, rows, trend};
use crate::app::{Context, DashboardPage};
use crate::domain::health::Health;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::QueueStats;
use crate::domain::signals::SignalType;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, text_span};

/// Below this width only the age of the counts is shown, not their time.
const FULL_AGE_MIN_WIDTH: u16 = 64;
/// Minimum inner height for the line for the room.
const MESSAGE_MIN_HEIGHT: u16 = 8;
/// How long an arrival is highlighted.
const ARRIVAL_MINUTES: i64 = 10;
/// Width of today's numbers beside the large ones.
const DAYS_WIDTH: u16 = 40;
/// From this width of its column on the names on the map can be read.
const MAP_MIN_WIDTH: u16 = 60;
/// From this width on a column has types and team side by side.
const PAIR_MIN_WIDTH: u16 = 76;
/// From this width on types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 44;
/// The height at which the chart shows enough.
const CHART_HEIGHT: u16 = 9;

pub fn draw(pane: &WatchPane, cx: &Context, buf: &mut Buffer) {
    draw_page(pane, cx, buf);
    if is_quiet(cx) {
        let area = cx.frame.layout().panel.intersection(buf.area);
        let dim = Style::new()
            .add_modifier(Modifier::DIM)
            .remove_modifier(Modifier::BOLD);
        buf.set_style(area, dim);
    }
}

fn draw_page(pane: &WatchPane, cx: &Context, buf: &mut Buffer) {
    let (area, theme) = (cx.frame.layout().panel, cx.settings.theme);
    // The age must be visible at any width; the name gives way to it.
    let age = stats_age(pane, cx, area.width);
    let title = title_spans(
        pane,
        cx,
        area.width
            .saturating_sub(paint::spans_width(std::slice::from_ref(&age)) + 10),
    );
    let inner = panel::draw_panel(buf, area, &title, &[age], false, &theme);
    let Some(stats) = pane.displayed_stats(cx) else {
        let why = match (
            &cx.connection.health,
            connection::rate_limit_label(&cx.clock, &cx.connection),
        ) {
            (Health::Offline { reason, .. } | Health::Forbidden(reason), _) => reason.clone(),
            (_, Some(label)) => format!("{label}; the counts are loaded then"),
            _ => "loading the counts".to_owned(),
        };
        return cx.draw_message(buf, inner, &[text_span(TextRole::Muted, why)], &[]);
    };
    // Prevents burn-in: the picture drifts by a cell every few minutes.
    let roomy = inner.width >= 60 && inner.height >= 14;
    let minute = u16::try_from(cx.clock.now().hour() * 60 + cx.clock.now().minute()).unwrap_or(0);
    let (right, down) = if roomy {
        (minute / 7 % 3, minute / 11 % 2)
    } else {
        (0, 0)
    };
    let margin = if roomy { 2 } else { 0 };
    let inner = Rect {
        x: inner.x + margin + right,
        y: inner.y + u16::from(roomy) + down,
        width: inner.width.saturating_sub(margin + 4 * u16::from(roomy)),
        height: inner.height.saturating_sub(u16::from(roomy) + down),
    };
    let inner = draw_message(cx, inner, buf);
    if pane.page(cx) != DashboardPage::Counts {
        return rows::draw_page(pane, cx, draw_plain_figures(cx, stats, inner, buf), buf);
    }
    if has_columns(cx) {
        return draw_columns(pane, cx, stats, inner, buf);
    }
    let mut below = draw_figures(cx, stats, inner, buf);
    below = draw_priority_bar(pane, cx, stats, below, buf);
    below = draw_leaving_soon(pane, cx, below, buf);
    let chart = if below.height >= 18 {
        CHART_HEIGHT
    } else {
        CHART_HEIGHT - 3
    };
    if !pane.charts_hidden && below.height >= chart + 3 && trend::has_trend(pane, cx) {
        trend::draw(
            pane,
            cx,
            Rect {
                height: chart - 1,
                ..below
            },
            buf,
        );
        below = area_below(below, chart);
    }
    draw_types(cx, stats, below, buf);
}

/// The line for the room, above everything else; returns the area below it.
fn draw_message(cx: &Context, inner: Rect, buf: &mut Buffer) -> Rect {
    let message = cx.settings.dashboard.message.as_str();
    if message.is_empty() || inner.height < MESSAGE_MIN_HEIGHT {
        return inner;
    }
    draw_line(
        buf,
        inner,
        &[text_span(TextRole::Selected, format!(" {message} "))],
        &cx.settings.theme,
    );
    area_below(inner, 2)
}

/// The numbers with those of today beside them, and below them two columns of what fits.
fn draw_columns(pane: &WatchPane, cx: &Context, stats: &QueueStats, inner: Rect, buf: &mut Buffer) {
    // The age of the counts needs the room, and days that are out of date would mislead.
    let is_stale = stale_minutes(cx).is_some();
    let figures = Rect {
        width: inner.width - if is_stale { 0 } else { DAYS_WIDTH },
        ..inner
    };
    let below = draw_figures(cx, stats, figures, buf);
    if !is_stale {
        let days = Rect {
            x: figures.right(),
            width: DAYS_WIDTH,
            height: below.y - inner.y,
            ..inner
        };
        latest::draw_days(pane, cx, days, buf);
    }
    let bar = Rect {
        x: inner.x,
        width: inner.width,
        ..below
    };
    let below = draw_priority_bar(pane, cx, stats, bar, buf);
    let (left, right) = area::split_columns(below, 56);
    let right = Rect {
        x: right.x + 3,
        width: right.width.saturating_sub(3),
        ..right
    };
    let types = stats
        .type_counts
        .iter()
        .filter(|count| count.new_count > 0)
        .count();
    let types = u16::try_from(types).unwrap_or(u16::MAX).clamp(1, 10) + 1;
    let members = u16::try_from(pane.data.done.by_member.len())
        .unwrap_or(u16::MAX)
        .clamp(1, 8)
        + 1;
    let has_team = pane.data.has_done() && cx.team.members.len() > 1;
    let has_chart = !pane.charts_hidden && trend::has_trend(pane, cx);
    let has_map = right.width >= MAP_MIN_WIDTH && city_map::has_map(pane, cx);
    let part = |part, min, ideal, grows| PartHeight {
        part,
        min,
        ideal,
        grows,
    };
    let rows_of = |signals: usize| u16::try_from(signals).unwrap_or(0) * LATEST_HEIGHT;
    let latest_height = rows_of(pane.data.latest_high().len().clamp(1, MAX_LATEST));
    let left_parts = [
        pane.data.has_new().then(|| {
            part(
                Part::Latest,
                LATEST_HEIGHT.min(latest_height),
                latest_height,
                false,
            )
        }),
        has_chart.then(|| part(Part::Chart, CHART_HEIGHT - 3, CHART_HEIGHT + 3, true)),
        pane.data.has_new().then(|| part(Part::Waiting, 5, 8, true)),
    ];
    let pair = has_team && right.width >= PAIR_MIN_WIDTH;
    let right_parts = [
        pair.then(|| part(Part::TypesAndTeam, 4, types.max(members), false)),
        (!pair).then(|| part(Part::Types, 4.min(types), types, false)),
        (has_team && !pair).then(|| part(Part::Team, 2, members, false)),
        has_map.then(|| part(Part::Map, 9, 14, true)),
        (!has_map && !pane.data.new.is_empty()).then(|| part(Part::Leaving, 5, 8, true)),
    ];
    for (column, parts) in [
        (left, left_parts.as_slice()),
        (right, right_parts.as_slice()),
    ] {
        let parts: Vec<PartHeight> = parts.iter().copied().flatten().collect();
        for (part, place) in stack_parts(&parts, column) {
            draw_part(pane, cx, stats, part, place, buf);
        }
    }
}

fn draw_part(
    pane: &WatchPane,
    cx: &Context,
    stats: &QueueStats,
    part: Part,
    place: Rect,
    buf: &mut Buffer,
) {
    let titled = |place: Rect, title: &str, buf: &mut Buffer| {
        draw_line(
            buf,
            place,
            &[text_span(TextRole::Muted, title)],
            &cx.settings.theme,
        );
        area_below(place, 1)
    };
    match part {
        Part::Latest => latest::draw_latest(pane, cx, place, buf),
        Part::Chart => trend::draw(pane, cx, place, buf),
        Part::Types => {
            let place = titled(place, "NEW BY TYPE", buf);
            draw_types(cx, stats, place, buf);
        }
        Part::Team => {
            let place = titled(place, "DONE TODAY", buf);
            rows::draw_team(pane, cx, place, buf);
        }
        Part::TypesAndTeam => {
            let (one, other) = area::split_columns(place, 50);
            draw_part(
                pane,
                cx,
                stats,
                Part::Types,
                Rect {
                    width: one.width.saturating_sub(3),
                    ..one
                },
                buf,
            );
            draw_part(pane, cx, stats, Part::Team, other, buf);
        }
        Part::Map => city_map::draw(pane, cx, place, buf),
        Part::Leaving => {
            let title = match pane.data.is_new_partial {
                true => format!(
                    "LEAVE FIRST, OF THE FIRST {}",
                    format_count(pane.data.new.len() as u64)
                ),
                false => "LEAVE FIRST".to_owned(),
            };
            let place = titled(place, &title, buf);
            let mut rows: Vec<_> = pane.data.new.iter().collect();
            rows.sort_by_key(|row| row.days_left(cx.clock.service_now()).unwrap_or(i64::MAX));
            rows::draw_waiting(cx, rows.into_iter(), place, buf);
        }
        Part::Waiting => {
            let place = titled(place, "NEXT IN THE QUEUE", buf);
            let latest: Vec<_> = pane
                .data
                .latest_high()
                .iter()
                .map(|row| row.signal.id)
                .collect();
            let others = pane
                .data
                .new
                .iter()
                .filter(|row| !latest.contains(&row.signal.id));
            rows::draw_waiting(cx, others, place, buf);
        }
    }
}

/// The workspace's name and the pages, as far as they fit.
fn title_spans(pane: &WatchPane, cx: &Context, room: u16) -> Vec<TextSpan<'static>> {
    let workspace = cx
        .team
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.name.as_ref());
    let name = workspace.unwrap_or(&cx.session.label);
    let label = text_span(TextRole::Strong, format!("{name}  "));
    let mut title = vec![text_span(TextRole::Muted, "WATCH")];
    if let Some(quiet) = cx.settings.dashboard.quiet.filter(|_| is_quiet(cx)) {
        title.push(text_span(TextRole::Muted, format!("  quiet {quiet}")));
    }
    let (pages, shown) = (pane.pages(cx), pane.page(cx));
    if pages.len() > 1 {
        let mut all = title.clone();
        for page in pages {
            let role = if page == shown {
                TextRole::Selected
            } else {
                TextRole::Muted
            };
            all.extend([
                text_span(TextRole::Muted, "  "),
                text_span(role, page.name()),
            ]);
        }
        all.extend(key_names::tab_keys(&cx.keymap));
        if paint::spans_width(&all) <= room {
            title = all;
        }
    }
    if paint::spans_width(&title) + paint::spans_width(std::slice::from_ref(&label)) <= room {
        title.insert(0, label);
    }
    title
}

/// The age of the counts, and the problem if they are older than they should be.
fn stats_age(pane: &WatchPane, cx: &Context, width: u16) -> TextSpan<'static> {
    let clock = |at| cx.clock.format_count_time(at, "%H:%M:%S");
    let Some(at) = cx.connection.stats_read_at else {
        return text_span(TextRole::Muted, "not loaded yet");
    };
    if pane.frozen_stats.is_some() {
        return text_span(TextRole::Warning, "PAUSED");
    }
    match stale_minutes(cx) {
        Some(minutes) => {
            let why = match &cx.connection.health {
                Health::Offline { .. } => "OFFLINE",
                Health::RateLimited { .. } => "RATE LIMITED",
                Health::SignedOut => "SIGNED OUT",
                Health::Forbidden(_) => "NOT ALLOWED",
                _ => "NO REPLY",
            };
            if width < FULL_AGE_MIN_WIDTH {
                return text_span(TextRole::Error, format!("{why}, {minutes} min old"));
            }
            text_span(
                TextRole::Error,
                format!(
                    "{why}, counts from {}, {minutes} min old",
                    cx.clock.format_display_time(at)
                ),
            )
        }
        None if width < FULL_AGE_MIN_WIDTH && cx.settings.poll_interval.is_some() => {
            text_span(TextRole::Muted, format!("as of {}", clock(at)))
        }
        None => {
            let every = cx
                .settings
                .poll_interval
                .map(|every| format!("every {} s", every.as_secs()));
            text_span(
                TextRole::Muted,
                format!(
                    "as of {}, {}",
                    clock(at),
                    every.as_deref().unwrap_or("not polling")
                ),
            )
        }
    }
}

/// How many signals leave the queue soon, where that is known.
fn draw_leaving_soon(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) -> Rect {
    let label = pane
        .leaving_soon(cx)
        .and_then(leaving_labels)
        .filter(|_| area.height > 3);
    let Some((label, _)) = label else { return area };
    draw_line(
        buf,
        area,
        &[text_span(TextRole::Warning, label)],
        &cx.settings.theme,
    );
    area_below(area, 2)
}

/// New signals by type, largest first, as many as fit.
fn draw_types(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let mut counts: Vec<_> = stats
        .type_counts
        .iter()
        .filter(|count| count.new_count > 0)
        .collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.new_count));
    let most = counts.first().map_or(1, |count| count.new_count);
    let rows = usize::from(area.height);
    let fit = if counts.len() <= rows {
        counts.len()
    } else {
        rows.saturating_sub(1)
    };
    // Beside the latest signals, whose types are written out, too.
    let has_full_types = has_columns(cx) || area.width >= FULL_TYPES_MIN_WIDTH;
    let label = if has_full_types { 24 } else { 17 };
    let name = |kind: &SignalType| match has_full_types {
        true => humanize(kind.as_str()),
        false => kind.word().to_owned(),
    };
    for (n, kind) in (0u16..).zip(counts.iter().take(fit)) {
        draw_counted_bar(
            cx,
            paint::row_rect(area, n),
            (&name(&kind.signal_type), label),
            (kind.new_count, most),
            buf,
        );
    }
    if fit < counts.len() && rows > 0 {
        let others = saturating_sum(counts[fit..].iter().map(|count| count.new_count));
        let words = format!(
            "{} other types, {}",
            counts.len() - fit,
            format_count(others)
        );
        draw_line(
            buf,
            paint::row_rect(area, u16::try_from(fit).unwrap_or(0)),
            &[text_span(TextRole::Muted, words)],
            &theme,
        );
    }
}

/// The last arrival, and the polls if some failed.
pub fn status_line(pane: &WatchPane, cx: &Context) -> (Vec<TextSpan<'static>>, TextSpan<'static>) {
    let mut left = Vec::new();
    if let Some(arrival) = &pane.last_arrival {
        let is_young = (cx.clock.now() - arrival.at).num_minutes() < ARRIVAL_MINUTES;
        let clock = cx.clock.format_display_time(arrival.at);
        left.push(text_span(TextRole::Muted, format!("{clock}  ")));
        let text = arrival.describe(cx.settings.dashboard.hides_names);
        left.push(text_span(
            if is_young {
                TextRole::High
            } else {
                TextRole::Muted
            },
            text,
        ));
    }
    let failed = match pane.poll_results {
        (_, 0) => String::new(),
        (good, bad) => format!(
            "{} of {} failed",
            format_count(bad),
            pluralize(good + bad, "poll")
        ),
    };
    (left, text_span(TextRole::Warning, failed))
}
