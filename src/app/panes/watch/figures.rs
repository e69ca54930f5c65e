//! Draws the large numbers of the dashboard, the share of high priority and the pace.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::format::format_count;
use crate::app::panes::watch::digits;
use crate::app::panes::watch::digits::DigitSize;
use crate::app::panes::watch::painting::{area_below, figure_role};
use crate::app::panes::watch::state::{WatchPane, stale_minutes};
use crate::domain::queue::QueueStats;
use crate::ui::{TextRole, chart, draw_line, text_span};

/// Minimum frame size for large digits, and for digits twice as large.
const LARGE_DIGITS_MIN_SIZE: (u16, u16) = (76, 22);
const DOUBLE_DIGITS_MIN_SIZE: (u16, u16) = (180, 48);
/// Minimum inner size for half-height digits; below it the numbers are on one line.
const HALF_DIGITS_MIN_SIZE: (u16, u16) = (36, 4);
/// Width of the bar of high priority, and of its label beside it.
const BAR_WIDTH: u16 = 60;
const BAR_LABEL_WIDTH: u16 = 20;

/// New, high and done; if stale they are faint, with their age beside them.
fn labelled_figures(cx: &Context, stats: &QueueStats) -> Vec<(&'static str, u64, TextRole)> {
    let mut figures = vec![
        ("NEW", stats.new_count, figure_role(cx, TextRole::Strong)),
        (
            "HIGH",
            stats.high_priority_new_count,
            figure_role(cx, TextRole::High),
        ),
        ("DONE", stats.done_count, figure_role(cx, TextRole::Muted)),
    ];
    figures.extend(
        stale_minutes(cx).map(|minutes| ("MIN OLD", minutes.unsigned_abs(), TextRole::Error)),
    );
    figures
}

/// New, high and done on one line.
pub fn draw_plain_figures(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) -> Rect {
    let pieces =
        labelled_figures(cx, stats)
            .into_iter()
            .take(3)
            .flat_map(|(name, number, as_role)| {
                [
                    text_span(TextRole::Muted, format!("{name} ")),
                    text_span(as_role, format!("{}   ", format_count(number))),
                ]
            });
    draw_line(buf, area, &pieces.collect::<Vec<_>>(), &cx.settings.theme);
    area_below(area, 1)
}

/// New, high and done, as large as possible; returns the area below them.
pub fn draw_figures(cx: &Context, stats: &QueueStats, area: Rect, buf: &mut Buffer) -> Rect {
    let (theme, all) = (cx.settings.theme, cx.frame.layout().frame);
    let mut figures = labelled_figures(cx, stats);
    let wanted = |size: DigitSize| {
        figures
            .iter()
            .map(|(_, number, _)| size.number_width(*number) + size.number_width(0) / 2)
            .sum::<u16>()
    };
    let size = match () {
        () if all.width >= DOUBLE_DIGITS_MIN_SIZE.0
            && all.height >= DOUBLE_DIGITS_MIN_SIZE.1
            && wanted(DigitSize::Double) <= area.width =>
        {
            DigitSize::Double
        }
        () if all.width >= LARGE_DIGITS_MIN_SIZE.0 && all.height >= LARGE_DIGITS_MIN_SIZE.1 => {
            DigitSize::Whole
        }
        () if area.width >= HALF_DIGITS_MIN_SIZE.0
            && area.height >= HALF_DIGITS_MIN_SIZE.1
            && !theme.ascii =>
        {
            DigitSize::Half
        }
        () => return draw_plain_figures(cx, stats, area, buf),
    };
    // If the age leaves no room for all numbers, the done count is dropped.
    let cells = |(name, number, _): &(&str, u64, TextRole)| {
        size.number_width(*number)
            .max(u16::try_from(name.len()).unwrap_or(0))
            + 2
    };
    if figures.len() > 3 && figures.iter().map(cells).sum::<u16>() > area.width {
        figures.remove(2);
    }
    let taken = figures.iter().map(cells).sum();
    let air = area.width.saturating_sub(taken) / u16::try_from(figures.len()).unwrap_or(1);
    let mut x = area.x;
    for (name, number, as_role) in figures {
        let room = (cells(&(name, number, as_role)) + air).min(area.right().saturating_sub(x));
        let column = Rect {
            x,
            width: room,
            ..area
        };
        x += room;
        // Labels are never as faint as borders.
        let label = if as_role == TextRole::Faint {
            TextRole::Muted
        } else {
            as_role
        };
        draw_line(buf, column, &[text_span(label, name)], &theme);
        let below = Rect {
            y: column.y + 1,
            height: size.height().min(column.height.saturating_sub(1)),
            ..column
        };
        if size.number_width(number) <= room {
            digits::draw_number(number, size, below, as_role, buf, &theme);
        } else {
            draw_line(
                buf,
                below,
                &[text_span(as_role, format_count(number))],
                &theme,
            );
        }
    }
    area_below(area, size.height() + 2)
}

/// The share of high priority as a bar, and the pace.
pub fn draw_priority_bar(
    pane: &WatchPane,
    cx: &Context,
    stats: &QueueStats,
    area: Rect,
    buf: &mut Buffer,
) -> Rect {
    let theme = cx.settings.theme;
    if area.height < 2 {
        return area;
    }
    let (high, new) = (stats.high_priority_new_count, stats.new_count.max(1));
    let width = area.width.saturating_sub(BAR_LABEL_WIDTH).min(BAR_WIDTH);
    let share = chart::bar_length(width, high, new)
        .max(u16::from(high > 0))
        .min(width);
    // The thick part is the share of high priority, so that it is visible without color.
    let (full, empty) = if theme.ascii {
        ("#", "-")
    } else {
        ("━", "─")
    };
    let pieces = [
        text_span(
            figure_role(cx, TextRole::High),
            full.repeat(usize::from(share)),
        ),
        text_span(
            figure_role(cx, TextRole::Medium),
            empty.repeat(usize::from(width - share)),
        ),
    ];
    let pieces = if stats.new_count == 0 {
        vec![text_span(TextRole::Faint, empty.repeat(usize::from(width)))]
    } else {
        pieces.into()
    };
    draw_line(buf, area, &pieces, &theme);
    let label = Rect {
        x: area.x + width + 1,
        width: area.width.saturating_sub(width + 1),
        height: 1,
        ..area
    };
    let percent = u128::from(high) * 100 / u128::from(new);
    draw_line(
        buf,
        label,
        &[text_span(
            TextRole::Muted,
            format!("{percent}% high priority"),
        )],
        &theme,
    );
    let now = cx.clock.now();
    let mut facts = Vec::new();
    if let Some(pace) = pane.history.done_per_hour(now) {
        facts.push(format!("{pace:.0} done per hour"));
    }
    if let Some(zero) = pane.history.projected_zero_at(now) {
        facts.push(format!(
            "at this pace, empty by {}",
            cx.clock.format_display_time(zero)
        ));
    }
    let facts = facts.join(&format!("  {}  ", theme.glyphs().separator));
    draw_line(
        buf,
        area_below(area, 1),
        &[text_span(TextRole::Text, facts)],
        &theme,
    );
    area_below(area, 3)
}
