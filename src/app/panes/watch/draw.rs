//! Draws the dashboard: big numbers, a chart of the day, new signals by type, and the age of the data.

use chrono::{Duration, Timelike};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::context::visits::leaving_labels;
use crate::app::format::{format_count, humanize, pluralize};
use crate::app::panes::watch::digits::DigitSize;
use crate::app::panes::watch::{WatchPane, digits, stale_minutes};
use crate::app::{Context, DashboardPage};
use crate::domain::health::Health;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::QueueStats;
use crate::ui::{TextRole, TextSpan, chart, draw_line, paint, panel, text_span};

/// Minimum frame size for large digits, and for digits twice as large.
const LARGE_DIGITS_MIN_SIZE: (u16, u16) = (76, 22);
const DOUBLE_DIGITS_MIN_SIZE: (u16, u16) = (180, 48);
/// Minimum inner size for half-height digits; below it the numbers are on one line.
const HALF_DIGITS_MIN_SIZE: (u16, u16) = (36, 4);
/// Below this width only the age of the counts is shown, not their time.
const FULL_AGE_MIN_WIDTH: u16 = 64;
/// How long an arrival is highlighted.
const ARRIVAL_MINUTES: i64 = 10;

pub fn draw(pane: &WatchPane, cx: &Context, buf: &mut Buffer) {
    let (area, theme) = (cx.layout().panel, cx.theme());
    // The age must be visible at any width; the name gives way to it.
    let (age, watch) = (stats_age(pane, cx, area.width), text_span(TextRole::Muted, "WATCH"));
    let title = [text_span(TextRole::Strong, format!("{}  ", cx.session().label)), watch];
    let has_room = paint::spans_width(&title) + paint::spans_width(std::slice::from_ref(&age)) + 10 <= area.width;
    let title: &[TextSpan<'_>] = if has_room { &title } else { &title[1..] };
    let inner = panel::draw_panel(buf, area, title, &[age], false, &theme);
    let Some(stats) = pane.displayed_stats(cx) else {
        let why = match &cx.connection().health {
            Health::Offline { reason, .. } => reason.as_str(),
            _ => "loading the counts",
        };
        return cx.draw_message(buf, inner, &[text_span(TextRole::Muted, why)], &[]);
    };
    // Prevents burn-in: the picture drifts by a cell every few minutes.
    let roomy = inner.width >= 60 && inner.height >= 14;
    let minute = u16::try_from(cx.now().hour() * 60 + cx.now().minute()).unwrap_or(0);
    let (right, down) = if roomy { (minute / 7 % 3, minute / 11 % 2) } else { (0, 0) };
    let margin = if roomy { 2 } else { 0 };
    let inner = Rect {
        x: inner.x + margin + right,
        y: inner.y + u16::from(roomy) + down,
        width: inner.width.saturating_sub(margin + 4 * u16::from(roomy)),
        height: inner.height.saturating_sub(u16::from(roomy) + down),
    };
    if pane.page(cx) != DashboardPage::Counts {
        return super::rows::draw_page(pane, cx, draw_plain_figures(cx, stats, inner, buf), buf);
    }
    let mut below = draw_figures(cx, stats, inner, buf);
    below = draw_priority_bar(pane, cx, stats, below, buf);
    below = draw_leaving_soon(pane, cx, below, buf);
    if !pane.charts_hidden {
        below = draw_chart(pane, cx, below, buf);
    }
    draw_types(cx, stats, below, buf);
}

/// The age of the counts, and the problem if they are older than they should be.
fn stats_age(pane: &WatchPane, cx: &Context, width: u16) -> TextSpan<'static> {
    let clock = |at: chrono::DateTime<chrono::Utc>| cx.to_display_time(at).format("%H:%M:%S").to_string();
    let Some(at) = cx.connection().stats_read_at else { return text_span(TextRole::Muted, "not loaded yet") };
    if pane.frozen_stats.is_some() {
        return text_span(TextRole::Warning, "PAUSED");
    }
    match stale_minutes(cx) {
        Some(minutes) => {
            let why = match &cx.connection().health {
                Health::Offline { .. } => "OFFLINE",
                Health::RateLimited { .. } => "RATE LIMITED",
                Health::SignedOut => "SIGNED OUT",
                Health::Forbidden(_) => "NOT ALLOWED",
                _ => "NO REPLY",
            };
            if width < FULL_AGE_MIN_WIDTH {
                return text_span(TextRole::Error, format!("{why}, {minutes} min old"));
            }
            text_span(TextRole::Error, format!("{why}, counts from {}, {minutes} min old", cx.format_display_time(at)))
        }
        None if width < FULL_AGE_MIN_WIDTH => text_span(TextRole::Muted, format!("as of {}", clock(at))),
        None => text_span(TextRole::Muted, format!("as of {}, every {} s", clock(at), cx.settings().poll_interval.as_secs())),
    }
}

/// A number's color role: faint if stale.
pub(super) fn figure_role(cx: &Context, role: TextRole) -> TextRole {
    if stale_minutes(cx).is_some() { TextRole::Faint } else { role }
}

/// New, high and done; if stale they are faint, with their age beside them.
fn labelled_figures(cx: &Context, stats: &QueueStats) -> Vec<(&'static str, u64, TextRole)> {
    let mut figures = vec![
        ("NEW", stats.new_count, figure_role(cx, TextRole::Strong)),
        ("HIGH", stats.high_priority_new_count, figure_role(cx, TextRole::High)),
        ("DONE", stats.done_count, figure_role(cx, TextRole::Muted)),
    ];
    figures.extend(stale_minutes(cx).map(|minutes| ("MIN OLD", minutes.unsigned_abs(), TextRole::Error)));
    figures
}

/// New, high and done on one line.
fn draw_plain_figures(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) -> Rect {
    let pieces = labelled_figures(cx, stats).into_iter().take(3).flat_map(|(name, number, as_role)| {
        [text_span(TextRole::Muted, format!("{name} ")), text_span(as_role, format!("{}   ", format_count(number)))]
    });
    draw_line(buf, area, &pieces.collect::<Vec<_>>(), &cx.theme());
    area_below(area, 1)
}

/// New, high and done, as large as possible; returns the area below them.
fn draw_figures(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) -> Rect {
    let (theme, all) = (cx.theme(), cx.layout().frame);
    let mut figures = labelled_figures(cx, stats);
    let wanted = |size: DigitSize| {
        figures.iter().map(|(_, number, _)| size.number_width(*number) + size.number_width(0) * 4 / 3).sum::<u16>()
    };
    let size = match () {
        () if all.width >= DOUBLE_DIGITS_MIN_SIZE.0
            && all.height >= DOUBLE_DIGITS_MIN_SIZE.1
            && wanted(DigitSize::Double) <= area.width =>
        {
            DigitSize::Double
        }
        () if all.width >= LARGE_DIGITS_MIN_SIZE.0 && all.height >= LARGE_DIGITS_MIN_SIZE.1 => DigitSize::Whole,
        () if area.width >= HALF_DIGITS_MIN_SIZE.0 && area.height >= HALF_DIGITS_MIN_SIZE.1 && !theme.ascii => DigitSize::Half,
        () => return draw_plain_figures(cx, stats, area, buf),
    };
    // If the age leaves no room for all numbers, the done count is dropped.
    let cells =
        |(name, number, _): &(&str, u64, TextRole)| size.number_width(*number).max(u16::try_from(name.len()).unwrap_or(0)) + 2;
    if figures.len() > 3 && figures.iter().map(cells).sum::<u16>() > area.width {
        figures.remove(2);
    }
    let taken = figures.iter().map(cells).sum();
    let air = area.width.saturating_sub(taken) / u16::try_from(figures.len()).unwrap_or(1);
    let mut x = area.x;
    for (name, number, as_role) in figures {
        let room = (cells(&(name, number, as_role)) + air).min(area.right().saturating_sub(x));
        let column = Rect { x, width: room, ..area };
        x += room;
        // Labels are never as faint as borders.
        let label = if as_role == TextRole::Faint { TextRole::Muted } else { as_role };
        draw_line(buf, column, &[text_span(label, name)], &theme);
        let below = Rect { y: column.y + 1, height: size.height().min(column.height.saturating_sub(1)), ..column };
        if size.number_width(number) <= room {
            digits::draw_number(number, size, below, as_role, buf, &theme);
        } else {
            draw_line(buf, below, &[text_span(as_role, format_count(number))], &theme);
        }
    }
    area_below(area, size.height() + 2)
}

/// How many signals leave the queue soon, where the rows that were read show it.
fn draw_leaving_soon(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) -> Rect {
    let Some((label, _)) = leaving_labels(pane.leaving_soon(cx)).filter(|_| area.height > 3) else { return area };
    draw_line(buf, area, &[text_span(TextRole::Warning, label)], &cx.theme());
    area_below(area, 2)
}

/// The share of high priority as a bar, and the pace.
fn draw_priority_bar(pane: &WatchPane, cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) -> Rect {
    let theme = cx.theme();
    if area.height < 2 {
        return area;
    }
    let (high, new) = (stats.high_priority_new_count, stats.new_count.max(1));
    let width = area.width.min(60);
    let share = chart::bar_length(width, high, new).max(u16::from(high > 0)).min(width);
    // The thick part is the share of high priority, so that it is visible without color.
    let (full, empty) = if theme.ascii { ("#", "-") } else { ("━", "─") };
    let pieces = [
        text_span(figure_role(cx, TextRole::High), full.repeat(usize::from(share))),
        text_span(figure_role(cx, TextRole::Medium), empty.repeat(usize::from(width - share))),
    ];
    let pieces =
        if stats.new_count == 0 { vec![text_span(TextRole::Faint, empty.repeat(usize::from(width)))] } else { pieces.into() };
    draw_line(buf, area, &pieces, &theme);
    let now = cx.now();
    let today = now.with_timezone(&cx.settings().utc_offset).date_naive().and_hms_opt(0, 0, 0);
    let midnight = today.and_then(|day| day.and_local_timezone(cx.settings().utc_offset).single()).map(|at| at.to_utc());
    let mut facts = Vec::new();
    if let Some(pace) = pane.history.done_per_hour(now) {
        facts.push(format!("{pace:.0} done per hour"));
    }
    if let Some(cleared) = midnight.map(|from| pane.history.cleared_since(from)).filter(|cleared| *cleared > 0) {
        facts.push(format!("{} done since start", format_count(cleared)));
    }
    if let Some(zero) = pane.history.projected_zero_at(now) {
        facts.push(format!("at this pace, empty by {}", cx.format_display_time(zero)));
    }
    let facts = facts.join(&format!("  {}  ", theme.glyphs().separator));
    draw_line(buf, area_below(area, 1), &[text_span(TextRole::Text, facts)], &theme);
    area_below(area, 3)
}

/// New signals over the day, one column per ten minutes.
fn draw_chart(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) -> Rect {
    let theme = cx.theme();
    let high = if area.height >= 18 { 6 } else { 3 };
    let columns = usize::from(area.width.saturating_sub(10)).min(144);
    let course = pane.history.new_count_series(cx.now(), columns);
    let known: Vec<u64> = course.iter().flatten().copied().collect();
    if area.height < high + 6 || known.len() < 2 {
        return area;
    }
    let (least, most) = (known.iter().min().copied().unwrap_or(0), known.iter().max().copied().unwrap_or(0));
    let hours = columns / 6;
    draw_line(buf, area, &[text_span(TextRole::Muted, format!("new, last {hours} h"))], &theme);
    for row in 0..high {
        let y = area.y + 1 + row;
        let label = match row {
            0 => format_count(most),
            row if row + 1 == high => format_count(least),
            _ => String::new(),
        };
        paint::draw_line_right(buf, Rect { x: area.x, y, width: 7, height: 1 }, &[text_span(TextRole::Muted, label)], &theme);
        let wall = Rect { x: area.x + 8, y, width: 1, height: 1 };
        draw_line(buf, wall, &[text_span(TextRole::Faint, theme.glyphs().vertical_rule)], &theme);
    }
    let values: Vec<_> = course.iter().map(|value| (*value, figure_role(cx, TextRole::Focus))).collect();
    let room = Rect { x: area.x + 9, y: area.y + 1, width: area.width.saturating_sub(9), height: high };
    chart::draw_columns(buf, room, &values, least, most, &theme);
    let from = cx.now() - Duration::minutes(10 * i64::try_from(columns).unwrap_or(0));
    let clock = |at: chrono::DateTime<chrono::Utc>| cx.to_display_time(at).format("%H:%M").to_string();
    let axis = Rect { x: area.x + 9, y: area.y + 1 + high, width: u16::try_from(columns).unwrap_or(0), height: 1 };
    draw_line(buf, axis, &[text_span(TextRole::Muted, clock(from))], &theme);
    paint::draw_line_right(buf, axis, &[text_span(TextRole::Muted, clock(cx.now()))], &theme);
    area_below(area, high + 3)
}

/// New signals by type, largest first, as many as fit.
fn draw_types(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let mut counts: Vec<_> = stats.type_counts.iter().filter(|count| count.new_count > 0).collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.new_count));
    let most = counts.first().map_or(1, |count| count.new_count);
    let rows = usize::from(area.height);
    let fit = if counts.len() <= rows { counts.len() } else { rows.saturating_sub(1) };
    let label = if area.width >= 50 { 25 } else { 17 };
    for (n, kind) in (0u16..).zip(counts.iter().take(fit)) {
        draw_counted_bar(
            cx,
            paint::row_rect(area, n),
            (&humanize(kind.signal_type.as_str()), label),
            (kind.new_count, most),
            buf,
        );
    }
    if fit < counts.len() && rows > 0 {
        let others = saturating_sum(counts[fit..].iter().map(|count| count.new_count));
        let words = format!("{} other types, {}", counts.len() - fit, format_count(others));
        draw_line(buf, paint::row_rect(area, u16::try_from(fit).unwrap_or(0)), &[text_span(TextRole::Muted, words)], &theme);
    }
}

/// A name, its number, and a bar scaled so that the longest one is `most`.
pub(super) fn draw_counted_bar(
    cx: &Context,
    row: Rect,
    (name, width): (&str, u16),
    (number, most): (u64, u64),
    buf: &mut Buffer,
) {
    let theme = cx.theme();
    draw_line(buf, Rect { width: width.min(row.width), ..row }, &[text_span(figure_role(cx, TextRole::Text), name)], &theme);
    let figure = Rect { x: row.x + width, width: 6, ..row }.intersection(row);
    paint::draw_line_right(buf, figure, &[text_span(figure_role(cx, TextRole::Strong), format_count(number))], &theme);
    let room = row.width.saturating_sub(width + 8).min(48);
    let length = chart::bar_length(room, number, most).clamp(1, room.max(1));
    let block = if theme.ascii { "#" } else { "▪" };
    let bar = Rect { x: row.x + width + 8, width: room, ..row }.intersection(row);
    draw_line(buf, bar, &[text_span(figure_role(cx, TextRole::Low), block.repeat(usize::from(length)))], &theme);
}

pub(super) fn area_below(area: Rect, used: u16) -> Rect {
    let used = used.min(area.height);
    Rect { y: area.y + used, height: area.height - used, ..area }
}

/// The last arrival, and the poll statistics.
pub fn status_line(pane: &WatchPane, cx: &Context) -> (Vec<TextSpan<'static>>, TextSpan<'static>) {
    let mut left = Vec::new();
    if let Some((at, words)) = &pane.last_arrival {
        let is_young = (cx.now() - *at).num_minutes() < ARRIVAL_MINUTES;
        let clock = cx.format_display_time(*at);
        left.push(text_span(TextRole::Muted, format!("{clock}  ")));
        left.push(text_span(if is_young { TextRole::High } else { TextRole::Muted }, words.clone()));
    }
    let (good, bad) = pane.poll_results;
    let role = if bad > 0 { TextRole::Warning } else { TextRole::Muted };
    (left, text_span(role, format!("{}, {} failed", pluralize(good, "poll"), format_count(bad))))
}
