//! Draws the latest signals of high priority by name, and today against yesterday.

use chrono::Timelike;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::format::{self, format_count};
use crate::app::panes::watch::day_counts::{DayCount, local_date};
use crate::app::panes::watch::pages::today;
use crate::app::panes::watch::painting::{area_below, figure_role};
use crate::app::panes::watch::rows::HIDDEN_TEXT;
use crate::app::panes::watch::state::WatchPane;
use crate::domain::description::join_address_and_city;
use crate::domain::queue::QueueSignal;
use crate::ui::{TextRole, TextSpan, draw_line, paint, text_span};

/// Rows of a signal with the blank one below it.
pub const LATEST_HEIGHT: u16 = 4;
/// Width of the column of today's numbers, and of yesterday's.
const DAY_WIDTH: u16 = 11;
/// From this height on there is a blank row below today's numbers.
const ROOMY_DAYS_HEIGHT: u16 = 8;

/// A title, and three rows for each signal: the project with its cost; what is being built; type,
/// place and age.
pub fn draw_latest(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    draw_line(
        buf,
        area,
        &[text_span(TextRole::Muted, "LATEST HIGH PRIORITY")],
        &theme,
    );
    let latest = pane.data.latest_high();
    if latest.is_empty() {
        return draw_line_below(
            cx,
            area,
            1,
            &[text_span(
                TextRole::Muted,
                "no signal of high priority waits",
            )],
            buf,
        );
    }
    let mut room = area_below(area, 1);
    for row in latest
        .iter()
        .take(usize::from((room.height + 1) / LATEST_HEIGHT))
    {
        draw_signal(cx, row, room, buf);
        room = area_below(room, LATEST_HEIGHT);
    }
}

fn draw_signal(cx: &Context, row: &QueueSignal, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let hides = cx.settings.dashboard.hides_names;
    let (signal, facts) = (&row.signal, &cx.queue.facts);
    let shown = |text: Option<String>| {
        if hides {
            text.map(|_| HIDDEN_TEXT.to_owned())
        } else {
            text
        }
    };
    let bar = if theme.ascii { "|" } else { "▌" };
    for line in 0..3 {
        draw_line_below(
            cx,
            Rect { width: 1, ..area },
            line,
            &[text_span(figure_role(cx, TextRole::High), bar)],
            buf,
        );
    }
    let text = Rect {
        x: area.x + 2,
        width: area.width.saturating_sub(2),
        ..area
    };
    let first = paint::row_rect(text, 0);
    let cost = shown(
        signal
            .reported_cost_usd
            .as_ref()
            .map(format::format_dollars),
    )
    .unwrap_or_default();
    let name = shown(signal.project_name.clone()).unwrap_or_else(|| "unnamed project".to_owned());
    let [name, cost] = [name, cost].map(|text| text_span(figure_role(cx, TextRole::Strong), text));
    paint::draw_two_sided_line(buf, first, &[name], &[cost], &theme);
    let work = shown(facts.description(&row.signal).map(str::to_owned));
    let kind = signal.type_label();
    let address = signal.project_primary_address.as_deref().filter(|_| !hides);
    let place = join_address_and_city(address, cx.queue.facts.city(&row.signal));
    let found = signal.discovered_at.as_ref().or(signal.filed_at.as_ref());
    let found = found.and_then(|at| {
        let at = at.date_time()?;
        match (today(cx) - local_date(at, cx.clock.utc_offset())).num_days() {
            // Sources that report days have no time.
            ..=0 if at.num_seconds_from_midnight() == 0 => Some("today".to_owned()),
            ..=0 => Some(format!(
                "today {}",
                at.with_timezone(&cx.clock.utc_offset()).format("%H:%M")
            )),
            1 => Some("yesterday".to_owned()),
            days => Some(format!("{days} days ago")),
        }
    });
    let separator = format!(" {} ", theme.glyphs().separator);
    // Without a description its line has the type.
    let facts: Vec<String> = work
        .is_some()
        .then(|| kind.clone())
        .into_iter()
        .chain(place)
        .chain(found)
        .collect();
    let second = text_span(figure_role(cx, TextRole::Text), work.unwrap_or(kind));
    draw_line_below(cx, text, 1, &[second], buf);
    draw_line_below(
        cx,
        text,
        2,
        &[text_span(TextRole::Muted, facts.join(&separator))],
        buf,
    );
}

fn draw_line_below(cx: &Context, area: Rect, row: u16, line: &[TextSpan<'_>], buf: &mut Buffer) {
    if row < area.height {
        draw_line(buf, paint::row_rect(area, row), line, &cx.settings.theme);
    }
}

/// Today against yesterday, and what waits. What is not known is left out.
pub fn draw_days(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let numbers = DAY_WIDTH * 2;
    let number = |row: u16, column: u16, text: String, role: TextRole, buf: &mut Buffer| {
        let x = area.x + area.width.saturating_sub(numbers) + DAY_WIDTH * column;
        let place = Rect {
            x,
            width: DAY_WIDTH,
            ..paint::row_rect(area, row)
        }
        .intersection(area);
        paint::draw_line_right(buf, place, &[text_span(role, text)], &theme);
    };
    let days: Vec<(&str, DayCount)> = [
        ("arrived", pane.data.arrivals(cx)),
        ("done", pane.data.marked_done(cx)),
    ]
    .into_iter()
    .filter_map(|(name, count)| Some((name, count?)))
    .collect();
    let mut row = 0;
    if !days.is_empty() {
        number(0, 0, "today".to_owned(), TextRole::Muted, buf);
        if days.iter().any(|(_, count)| count.yesterday().is_some()) {
            number(0, 1, "yesterday".to_owned(), TextRole::Muted, buf);
        }
        for (name, count) in days {
            row += 1;
            draw_line_below(cx, area, row, &[text_span(TextRole::Muted, name)], buf);
            number(
                row,
                0,
                format_count(count.today),
                figure_role(cx, TextRole::Strong),
                buf,
            );
            if let Some(yesterday) = count.yesterday() {
                number(
                    row,
                    1,
                    format_count(yesterday),
                    figure_role(cx, TextRole::Text),
                    buf,
                );
            }
        }
        row += if area.height >= ROOMY_DAYS_HEIGHT {
            2
        } else {
            1
        };
    }
    for (name, value, role) in waiting_facts(pane, cx) {
        if row >= area.height {
            break;
        }
        draw_line_below(cx, area, row, &[text_span(TextRole::Muted, name)], buf);
        paint::draw_line_right(
            buf,
            paint::row_rect(area, row),
            &[text_span(figure_role(cx, role), value)],
            &theme,
        );
        row += 1;
    }
}

/// What waits longest, and what leaves the queue.
fn waiting_facts(pane: &WatchPane, cx: &Context) -> Vec<(&'static str, String, TextRole)> {
    let data = &pane.data;
    let mut facts = Vec::new();
    let days_of = |row: &QueueSignal| {
        let at = row.signal.discovered_at.as_ref()?.date_time()?;
        Some((today(cx) - local_date(at, cx.clock.utc_offset())).num_days())
    };
    if data.has_new() && !data.is_new_partial {
        if let Some(days) = data.new.iter().filter_map(days_of).max() {
            let age = if days == 1 {
                "1 day".to_owned()
            } else {
                format!("{} days", days.max(0))
            };
            facts.push(("waiting longest", age, TextRole::Text));
        }
        let leaving = data
            .new
            .iter()
            .filter(|row| {
                row.days_left(cx.clock.service_now())
                    .is_some_and(|days| days <= 0)
            })
            .count();
        let role = if leaving > 0 {
            TextRole::Warning
        } else {
            TextRole::Text
        };
        facts.push(("leave today", format_count(leaving as u64), role));
    }
    if let Some(soon) = pane.leaving_soon(cx).filter(|soon| *soon > 0) {
        facts.push((
            "leave within 7 days",
            format_count(soon as u64),
            TextRole::Warning,
        ));
    }
    facts
}
