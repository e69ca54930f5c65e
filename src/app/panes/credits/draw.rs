//! Draws the Credits pane: the window as a chart, the ledger as a table, budgets and shares.

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layout::{CreditsAreas, panel_areas, tab_areas};
use super::window::{self, WindowColumn};
use super::{CreditsPane, LedgerGroup, LedgerGrouping, columns, commands, group_entries};
use crate::app::Context;
use crate::app::format::{format_count, pluralize};
use crate::app::layout::panel_text_area;
use crate::app::model::load_state::LoadState;
use crate::domain::budgets::{BudgetKind, BudgetPeriod};
use crate::domain::credits::{Credits, LedgerReport};
use crate::domain::display_format;
use crate::ui::{TextRole, TextSpan, area, chart, draw_line, paint, panel, text_span};

pub fn draw(pane: &CreditsPane, cx: &Context, buf: &mut Buffer) {
    let CreditsAreas {
        window,
        ledger,
        budgets,
        shares,
    } = panel_areas(cx.layout().panel, cx.layout().pane_size);
    draw_window(pane, cx, window, budgets.is_empty(), buf);
    draw_ledger(pane, cx, ledger, buf);
    draw_budgets(cx, budgets, buf);
    draw_shares(pane, cx, shares, buf);
}

fn draw_window(
    pane: &CreditsPane,
    cx: &Context,
    area: Rect,
    shows_budgets: bool,
    buf: &mut Buffer,
) {
    let theme = cx.theme();
    if area.is_empty() {
        return;
    }
    let as_of = pane
        .read_at
        .map(|at| format!("as of {}", format_window_time(cx, at)))
        .unwrap_or_default();
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Rolling 24 hours")],
        &[text_span(TextRole::Muted, as_of)],
        false,
        &theme,
    );
    let room = panel_text_area(area);
    let Some(statement) = &pane.statement else {
        let words = match &pane.load {
            LoadState::Failed(why) => text_span(TextRole::Error, why.as_str()),
            _ => text_span(TextRole::Muted, "loading the meter and the ledger"),
        };
        draw_line(buf, room, &[words], &theme);
        return;
    };
    let mut lines = vec![used_line(cx, statement, room.width), drift_line(statement)];
    if shows_budgets {
        lines.push(budget_line(cx));
    }
    let forecast = forecast_lines(cx, statement);
    let chart_height = room
        .height
        .saturating_sub(u16::try_from(lines.len() + forecast.len() + 2).unwrap_or(u16::MAX));
    paint::draw_lines(buf, room, &lines, &theme);
    let used = u16::try_from(lines.len()).unwrap_or(0);
    let mut below = Rect {
        y: room.y + used.min(room.height),
        height: room.height.saturating_sub(used),
        ..room
    };
    if chart_height >= 4 && statement.meter.is_ok() {
        draw_chart(
            cx,
            statement,
            Rect {
                y: below.y + 1,
                height: chart_height,
                ..below
            },
            buf,
        );
        below = Rect {
            y: below.y + chart_height + 2,
            height: below.height.saturating_sub(chart_height + 2),
            ..below
        };
    }
    paint::draw_lines(buf, below, &forecast, &theme);
}

/// How much of the ceiling is used, as numbers and as a bar.
fn used_line(cx: &Context, statement: &LedgerReport, width: u16) -> Vec<TextSpan<'static>> {
    let theme = cx.theme();
    let (used, limit) = match &statement.meter {
        Ok(Credits {
            used: Some(used),
            limit,
            ..
        }) => (*used, *limit),
        Ok(_) => {
            return vec![text_span(
                TextRole::Warning,
                "the service did not report usage",
            )];
        }
        Err(why) => {
            return vec![text_span(
                TextRole::Error,
                format!("could not read the meter: {why}"),
            )];
        }
    };
    let mut pieces = vec![text_span(TextRole::Strong, format_count(used))];
    let Some(limit) = limit.filter(|limit| *limit > 0) else {
        return pieces;
    };
    let share = used as f64 / limit as f64;
    pieces.push(text_span(
        TextRole::Muted,
        format!(
            " of {} cr used, {:.1} %  ",
            format_count(limit),
            share * 100.0
        ),
    ));
    let room = width.saturating_sub(paint::spans_width(&pieces)).min(40);
    let full = ((f64::from(room) * share).ceil() as u16).min(room);
    let (on, off) = if theme.ascii {
        ("#", ".")
    } else {
        ("━", "─")
    };
    let role = if share >= 0.9 {
        TextRole::Error
    } else if share >= 0.7 {
        TextRole::Warning
    } else {
        TextRole::Focus
    };
    pieces.push(text_span(role, on.repeat(usize::from(full))));
    pieces.push(text_span(
        TextRole::Faint,
        off.repeat(usize::from(room - full)),
    ));
    pieces
}

/// Credits of this machine and of others.
fn drift_line(statement: &LedgerReport) -> Vec<TextSpan<'static>> {
    let Some(totals) = &statement.reconciliation else {
        return vec![text_span(
            TextRole::Muted,
            format!("{} by this machine", format_count(statement.spent.day)),
        )];
    };
    let mut pieces = vec![
        text_span(TextRole::Text, format_count(totals.booked)),
        text_span(TextRole::Muted, " by this machine"),
    ];
    match totals.drift {
        0 => pieces.push(text_span(TextRole::Muted, " (all of it)")),
        1.. => {
            pieces.push(text_span(TextRole::Muted, ", "));
            pieces.push(text_span(
                TextRole::Warning,
                format_count(totals.drift.unsigned_abs()),
            ));
            pieces.push(text_span(TextRole::Muted, " by others"));
        }
        _ => pieces.push(text_span(
            TextRole::Muted,
            format!(
                ", {} more than metered",
                format_count(totals.drift.unsigned_abs())
            ),
        )),
    }
    if totals.unknown > 0 {
        let prices = pluralize(totals.unknown, "price");
        pieces.push(text_span(TextRole::Muted, format!("; {prices} unknown")));
    }
    pieces
}

/// When credits leave the window.
fn forecast_lines(cx: &Context, statement: &LedgerReport) -> Vec<Vec<TextSpan<'static>>> {
    let mut lines = Vec::new();
    let soon = window::credits_expiring_next_hour(statement, cx.now());
    let mut words = format!("{} cr released within the hour", format_count(soon));
    if let Some((at, most)) = window::largest_expiry(statement, cx.now()) {
        words.push_str(&format!(
            "; largest: {} at {}",
            format_count(most),
            format_window_time(cx, at)
        ));
    }
    lines.push(vec![text_span(TextRole::Muted, words)]);
    if let Some(at) = window::ceiling_at(statement, cx.now()) {
        lines.push(vec![text_span(
            TextRole::Warning,
            format!(
                "at the last hour's pace, the limit is reached at {}",
                format_window_time(cx, at)
            ),
        )]);
    }
    lines
}

fn draw_chart(cx: &Context, statement: &LedgerReport, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let columns = (area.width.saturating_sub(9) / 2).min(48);
    let course = window::window_series(statement, cx.now(), columns);
    let most = course
        .iter()
        .map(|column| column.credits())
        .max()
        .unwrap_or(0);
    let high = area.height - 1;
    for (row, label) in [(0, format_count(most)), (high - 1, "0".to_owned())] {
        let room = Rect {
            x: area.x,
            y: area.y + row,
            width: 7,
            height: 1,
        };
        paint::draw_line_right(buf, room, &[text_span(TextRole::Muted, label)], &theme);
    }
    for row in 0..high {
        let wall = Rect {
            x: area.x + 8,
            y: area.y + row,
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
    let (was, will_be): (Vec<WindowColumn>, Vec<WindowColumn>) = course
        .iter()
        .partition(|column| matches!(column, WindowColumn::Past(_)));
    let was: Vec<_> = was
        .iter()
        .map(|column| (Some(column.credits()).filter(|n| *n > 0), TextRole::Focus))
        .collect();
    let room = Rect {
        x: area.x + 9,
        width: area.width.saturating_sub(9).min(2 * columns),
        height: high,
        ..area
    };
    chart::draw_columns(buf, room, &was, 0, most, &theme);
    let will_be: Vec<_> = will_be.iter().map(|column| column.credits()).collect();
    let later = area::area_after(room, columns);
    chart::draw_trace(buf, later, &will_be, most, TextRole::Muted, &theme);
    let axis = Rect {
        y: area.y + high,
        height: 1,
        ..room
    };
    draw_line(
        buf,
        axis,
        &[text_span(TextRole::Muted, "a day ago")],
        &theme,
    );
    let now = Rect {
        x: axis.x + columns.saturating_sub(4),
        width: axis.width.saturating_sub(columns.saturating_sub(4)),
        ..axis
    };
    draw_line(buf, now, &[text_span(TextRole::Muted, "now")], &theme);
    paint::draw_line_right(
        buf,
        axis,
        &[text_span(TextRole::Muted, "if nothing more is spent")],
        &theme,
    );
}

/// The remaining budgets on one line.
fn budget_line(cx: &Context) -> Vec<TextSpan<'static>> {
    let budgets = cx.settings().budgets;
    let limits: Vec<_> = BudgetKind::ALL
        .iter()
        .filter_map(|kind| Some((kind, budgets.limit(*kind)?)))
        .collect();
    if limits.is_empty() {
        return vec![
            text_span(TextRole::Muted, "no budget; "),
            cx.key_label("credits.budget"),
            text_span(TextRole::Muted, " sets one"),
        ];
    }
    let left = |(kind, limit): (&BudgetKind, u64)| {
        let (text, role) = budget_remaining(cx, *kind, limit);
        [
            text_span(
                TextRole::Muted,
                format!("{} ", kind.name().replace('_', " ")),
            ),
            text_span(role, format!("{text} of {}  ", format_count(limit))),
        ]
    };
    [text_span(TextRole::Muted, "left: ")]
        .into_iter()
        .chain(limits.into_iter().flat_map(left))
        .collect()
}

fn budget_remaining(cx: &Context, kind: BudgetKind, limit: u64) -> (String, TextRole) {
    let spent = if kind.1 == BudgetPeriod::Session {
        cx.credits_spent().session
    } else {
        cx.credits_spent().day
    };
    let left = limit.saturating_sub(spent);
    let role = if left == 0 {
        TextRole::Error
    } else if left * 5 <= limit {
        TextRole::Warning
    } else {
        TextRole::Text
    };
    (format_count(left), role)
}

fn draw_budgets(cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    if area.is_empty() {
        return;
    }
    let note = [
        cx.key_label("credits.budget"),
        text_span(TextRole::Muted, " changes"),
    ];
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Budgets")],
        &note,
        false,
        &theme,
    );
    let room = panel_text_area(area);
    for (n, kind) in (0u16..).zip(BudgetKind::ALL) {
        let row = paint::row_rect(room, n);
        let limit = cx.settings().budgets.limit(kind);
        draw_line(
            buf,
            row,
            &[text_span(
                if limit.is_some() {
                    TextRole::Text
                } else {
                    TextRole::Muted
                },
                commands::budget_label(kind),
            )],
            &theme,
        );
        let value = match limit {
            Some(limit) => {
                let (left, role) = budget_remaining(cx, kind, limit);
                vec![
                    text_span(role, left),
                    text_span(TextRole::Muted, format!(" left of {}", format_count(limit))),
                ]
            }
            None => vec![text_span(TextRole::Muted, "none")],
        };
        paint::draw_line_right(buf, row, &value, &theme);
    }
    let spent = cx.credits_spent();
    let words = format!(
        "{} cr this session, {} in 24 hours",
        format_count(spent.session),
        format_count(spent.day)
    );
    draw_line(
        buf,
        paint::row_rect(room, 5),
        &[text_span(TextRole::Muted, words)],
        &theme,
    );
}

/// Usage of the last 24 hours by screen and by route.
fn draw_shares(pane: &CreditsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    if area.height < 5 {
        return;
    }
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Usage")],
        &[text_span(TextRole::Muted, "last 24 hours")],
        false,
        &theme,
    );
    let room = panel_text_area(area);
    let Some(statement) = &pane.statement else {
        return;
    };
    let since = cx.now() - crate::domain::credits::METER_WINDOW;
    let day: Vec<_> = statement
        .usage
        .iter()
        .filter(|tally| tally.at > since)
        .cloned()
        .collect();
    let screens = group_entries(&day, LedgerGrouping::Screen, cx);
    let half = (room.height / 2).saturating_sub(2);
    let used = draw_share(
        cx,
        "by screen",
        &screens,
        Rect {
            height: room.height.min(half + 1),
            ..room
        },
        buf,
    );
    let below = Rect {
        y: room.y + used + 1,
        height: room.height.saturating_sub(used + 1),
        ..room
    };
    draw_share(
        cx,
        "by route",
        &group_entries(&day, LedgerGrouping::Route, cx),
        below,
        buf,
    );
}

fn draw_share(
    cx: &Context,
    title: &str,
    sums: &[LedgerGroup],
    area: Rect,
    buf: &mut Buffer,
) -> u16 {
    let theme = cx.theme();
    draw_line(
        buf,
        area,
        &[text_span(TextRole::Muted, title.to_owned())],
        &theme,
    );
    let mut row = 1;
    for sum in sums.iter().take(usize::from(area.height.saturating_sub(1))) {
        let at = paint::row_rect(area, row);
        let value = [text_span(
            if sum.credits > 0 {
                TextRole::Text
            } else {
                TextRole::Muted
            },
            credits_label(sum),
        )];
        let route = [text_span(TextRole::Text, route_without_method(&sum.name))];
        paint::draw_two_sided_line(buf, at, &route, &value, &theme);
        row += 1;
    }
    if sums.is_empty() {
        draw_line(
            buf,
            paint::row_rect(area, 1),
            &[text_span(TextRole::Muted, "no requests")],
            &theme,
        );
        row += 1;
    }
    row
}

/// A route without its method.
fn route_without_method(route: &str) -> &str {
    route
        .strip_prefix("POST ")
        .or(route.strip_prefix("GET "))
        .unwrap_or(route)
}

/// The credits of a group, with a question mark if some prices are unknown.
fn credits_label(sum: &LedgerGroup) -> String {
    format!(
        "{}{}",
        format_count(sum.credits),
        if sum.unpriced > 0 { "?" } else { "" }
    )
}

fn draw_ledger(pane: &CreditsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let list = columns::current_list(pane, cx);
    panel::draw_panel(buf, area, &[], &cx.arrangement_label(&*list), true, &theme);
    for (room, by) in tab_areas(area) {
        let role = if by == pane.grouping {
            TextRole::Selected
        } else {
            TextRole::Muted
        };
        let room = Rect {
            x: room.x.saturating_sub(1),
            width: room.width + 2,
            ..room
        }
        .intersection(area);
        draw_line(
            buf,
            room,
            &[
                text_span(TextRole::Text, " "),
                text_span(role, by.title()),
                text_span(TextRole::Text, " "),
            ],
            &theme,
        );
    }
    let rows = panel::rows_area(area);
    match &pane.load {
        _ if pane.lines.row_count() > 0 => {}
        LoadState::Failed(why) => {
            return cx.draw_error(
                buf,
                rows,
                "could not load the ledger",
                why,
                "{credits.refresh} retries",
            );
        }
        LoadState::Ready => {
            let hint = "requests that cost or may cost credits are recorded here";
            return cx.draw_message(
                buf,
                rows,
                &[text_span(TextRole::Strong, "nothing spent yet")],
                &[hint],
            );
        }
        _ => return cx.draw_message(buf, rows, &[], &["loading the ledger"]),
    }
    cx.draw_list(buf, &*list, (area, rows), true);
    draw_line(
        buf,
        panel::footer_area(area),
        &[text_span(TextRole::Muted, footer_text(pane))],
        &theme,
    );
}

/// A time with seconds if today, else date and minutes.
pub(super) fn format_entry_time(cx: &Context, at: DateTime<Utc>) -> String {
    let (at, today) = (
        cx.to_display_time(at),
        cx.to_display_time(cx.now()).date_naive(),
    );
    match at.date_naive() == today {
        true => at.format("%H:%M:%S").to_string(),
        false => format!(
            "{} {}",
            display_format::format_short_date(at.date_naive()),
            at.format("%H:%M")
        ),
    }
}

/// A time to the minute, with "tomorrow" if it is.
fn format_window_time(cx: &Context, at: DateTime<Utc>) -> String {
    let (local, today) = (
        cx.to_display_time(at),
        cx.to_display_time(cx.now()).date_naive(),
    );
    if local.date_naive().pred_opt() == Some(today) {
        local.format("%H:%M tomorrow").to_string()
    } else {
        cx.format_display_time(at)
    }
}

fn footer_text(pane: &CreditsPane) -> String {
    match pane.grouping {
        LedgerGrouping::Request => "? price unknown until the meter confirms it".to_owned(),
        _ => {
            let (credits, requests) =
                pane.groups
                    .iter()
                    .fold((0u64, 0), |(credits, requests), sum| {
                        (credits.saturating_add(sum.credits), requests + sum.requests)
                    });
            let requests = pluralize(requests, "request");
            format!(
                "{} cr in {requests} of the last 31 days, by this machine",
                format_count(credits)
            )
        }
    }
}
