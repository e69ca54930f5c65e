//! Draws the new signals over the day.

use chrono::Duration;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::format::format_count;
use crate::app::panes::watch::painting::figure_role;
use crate::app::panes::watch::state::WatchPane;
use crate::ui::{TextRole, chart, draw_line, paint, text_span};

/// The hours that a chart may show; the fewest that hold everything known.
const HOURS: [usize; 5] = [2, 4, 8, 12, 24];
const SLOTS_PER_HOUR: usize = 6;
/// The smallest range of the axis: a single signal must not look like an explosion.
const MIN_SPAN: u64 = 10;
/// Room for the labels of the axis.
const AXIS_WIDTH: u16 = 9;
/// Between two times below the axis.
const MIN_TIME_DISTANCE: usize = 16;

/// Whether there is anything to draw.
pub fn has_trend(pane: &WatchPane, cx: &Context) -> bool {
    pane.history
        .new_count_series(cx.clock.now(), HOURS[HOURS.len() - 1] * SLOTS_PER_HOUR)
        .iter()
        .flatten()
        .count()
        >= 2
}

/// Draws a title, the chart and the times below it; a column of the chart is ten minutes or a part
/// of them.
pub fn draw(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let room = usize::from(area.width.saturating_sub(AXIS_WIDTH + 1));
    let most_hours = (room / SLOTS_PER_HOUR).min(HOURS[HOURS.len() - 1]);
    let series = pane
        .history
        .new_count_series(cx.clock.now(), most_hours * SLOTS_PER_HOUR);
    let unknown = series.iter().take_while(|count| count.is_none()).count();
    let needed = (series.len() - unknown).div_ceil(SLOTS_PER_HOUR);
    let hours = HOURS
        .into_iter()
        .find(|hours| *hours >= needed)
        .unwrap_or(most_hours)
        .min(most_hours);
    let series = &series[series.len() - hours * SLOTS_PER_HOUR..];
    let known = || series.iter().flatten().copied();
    let (Some(least), Some(most)) = (known().min(), known().max()) else {
        return;
    };
    let (least, most) = axis_range(least, most);
    let high = area.height.saturating_sub(2);
    let title = [text_span(TextRole::Muted, format!("NEW, last {hours} h"))];
    draw_line(buf, area, &title, &theme);
    for row in 0..high {
        let y = area.y + 1 + row;
        let label = match row {
            0 => format_count(most),
            row if row + 1 == high => format_count(least),
            _ => String::new(),
        };
        paint::draw_line_right(
            buf,
            Rect {
                x: area.x,
                y,
                width: 7,
                height: 1,
            },
            &[text_span(TextRole::Muted, label)],
            &theme,
        );
        let wall = Rect {
            x: area.x + 8,
            y,
            width: 1,
            height: 1,
        };
        draw_line(
            buf,
            wall,
            &[text_span(TextRole::Faint, theme.glyphs().vertical_rule)],
            &theme,
        );
    }
    let wide = (room / series.len().max(1)).max(1);
    let columns = series
        .iter()
        .flat_map(|count| std::iter::repeat_n((*count, figure_role(cx, TextRole::Focus)), wide));
    let columns: Vec<_> = columns.collect();
    let width = u16::try_from(columns.len())
        .unwrap_or(u16::MAX)
        .min(area.width.saturating_sub(AXIS_WIDTH));
    let plot = Rect {
        x: area.x + AXIS_WIDTH,
        y: area.y + 1,
        width,
        height: high,
    };
    chart::draw_columns(buf, plot, &columns, least, most, &theme);
    let axis = Rect {
        y: area.y + 1 + high,
        height: 1,
        ..plot
    }
    .intersection(area);
    draw_times(cx, hours, axis, buf);
}

/// The times at both ends of the axis, and at even distances between them where there is room.
fn draw_times(cx: &Context, hours: usize, axis: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let clock = |hours_ago: usize| {
        let at = cx.clock.now() - Duration::hours(i64::try_from(hours_ago).unwrap_or(0));
        [text_span(
            TextRole::Muted,
            cx.clock.to_display_time(at).format("%H:%M").to_string(),
        )]
    };
    let parts = [4usize, 3, 2].into_iter().find(|parts| {
        hours.is_multiple_of(*parts) && usize::from(axis.width) / parts >= MIN_TIME_DISTANCE
    });
    let parts = parts.unwrap_or(1);
    for part in 0..parts {
        let x = axis.x + u16::try_from(usize::from(axis.width) * part / parts).unwrap_or(0);
        draw_line(
            buf,
            Rect { x, ..axis }.intersection(axis),
            &clock(hours - hours * part / parts),
            &theme,
        );
    }
    paint::draw_line_right(buf, axis, &clock(0), &theme);
}

/// Whole numbers around the values, at least [`MIN_SPAN`] apart, and further for large ones.
fn axis_range(least: u64, most: u64) -> (u64, u64) {
    let span = (most - least).max(MIN_SPAN).max(most / 10);
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500]
        .into_iter()
        .find(|step| span / step <= 10)
        .unwrap_or(1000);
    let low = least.saturating_sub((span - (most - least)) / 2) / step * step;
    (
        low,
        low.saturating_add(span)
            .max(most)
            .div_ceil(step)
            .saturating_mul(step),
    )
}

#[cfg(test)]
mod tests {
    use super::axis_range;

    #[test]
    fn an_axis_spans_ten_signals_or_a_tenth_and_ends_at_round_numbers() {
        assert_eq!(axis_range(0, 1), (0, 10));
        let (low, high) = axis_range(330, 331);
        assert!(
            low <= 325 && high >= 335 && high - low <= 50,
            "{low} {high}"
        );
        for (least, most) in [
            (104, 181),
            (0, 0),
            (7, 9_999),
            (330, 331),
            (u64::MAX - 3, u64::MAX - 1),
        ] {
            let (low, high) = axis_range(least, most);
            assert!(
                low <= least && most <= high && high - low >= 10,
                "{least} {most}: {low} {high}"
            );
        }
    }
}
