//! Draws the Credits pane: the window as a chart, the ledger as a table, budgets and shares.

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layout::{CreditsAreas, panel_areas, tab_areas};
use super::window::{self, WindowColumn};
use super::{CreditsPane, LedgerGroup, LedgerGrouping, columns, group_entries, is_free};
use crate::app::Context;
use crate::app::format::{format_count, pluralize};
use crate::app::layout::panel_text_area;
use crate::app::model::load_state::LoadState;
use crate::domain::budgets::{BudgetKind, BudgetPeriod, Enforcement};
use crate::domain::credits::{Credits, LedgerEntry, LedgerReport};
use crate::domain::display_format;
use crate::ui::{TextRole, TextSpan, area, chart, draw_line, paint, panel, text_span};

pub fn draw(pane: &CreditsPane, cx: &Context, buf: &mut Buffer) {
    let CreditsAreas {
        window,
        ledger,
        budgets,
        shares,
    } = panel_areas(
        cx.frame.layout().panel,
        cx.frame.layout().pane_size,
        pane.has_chart(cx.clock.now()),
    );
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
    let theme = cx.settings.theme;
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
        &[text_span(TextRole::Strong, "Last 24 hours")],
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
    if chart_height >= 4 && pane.has_chart(cx.clock.now()) {
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

impl CreditsPane {
    /// Whether there is enough to draw a curve of.
    pub(super) fn has_chart(&self, now: DateTime<Utc>) -> bool {
        let statement = self.statement.as_ref();
        statement.is_some_and(|statement| {
            statement.meter.is_ok() && window::has_three_hours(statement, now)
        })
    }
}

/// How much of the ceiling is used, as numbers and as a bar.
fn used_line(cx: &Context, statement: &LedgerReport, width: u16) -> Vec<TextSpan<'static>> {
    let theme = cx.settings.theme;
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
    let soon = window::credits_expiring_next_hour(statement, cx.clock.now());
    let most = window::largest_expiry(statement, cx.clock.now()).map(|(at, most)| {
        let credits = pluralize(most, "credit");
        format!(
            "{credits} can be spent again at {}",
            format_window_time(cx, at)
        )
    });
    let words = match (soon, most) {
        (0, most) => most.unwrap_or_default(),
        (soon, Some(most)) => format!("{} within the hour; {most}", format_count(soon)),
        (soon, None) => format!(
            "{} can be spent again within the hour",
            pluralize(soon, "credit")
        ),
    };
    lines.push(vec![text_span(TextRole::Muted, words)]);
    if let Some(at) = window::ceiling_at(statement, cx.clock.now()) {
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
    let theme = cx.settings.theme;
    let columns = (area.width.saturating_sub(9) / 2).min(48);
    let course = window::window_series(statement, cx.clock.now(), columns);
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
    let budgets = cx.settings.budgets;
    let limits: Vec<_> = BudgetKind::ALL
        .iter()
        .filter_map(|kind| Some((kind, budgets.limit(*kind)?)))
        .collect();
    if limits.is_empty() {
        return vec![
            text_span(TextRole::Muted, "no budget; "),
            cx.keymap.key_label("credits.budget"),
            text_span(TextRole::Muted, " sets one"),
        ];
    }
    let least_left = |enforcement: Enforcement| {
        let limits = limits.iter().filter(|(kind, _)| kind.0 == enforcement);
        let left = limits.map(|(kind, limit)| budget_remaining(cx, **kind, *limit));
        left.min_by_key(|(left, _)| *left)
    };
    let mut pieces = Vec::new();
    for (enforcement, what) in [
        (Enforcement::Soft, "before gantry asks"),
        (Enforcement::Hard, "before gantry stops"),
    ] {
        let Some((left, role)) = least_left(enforcement) else {
            continue;
        };
        let separator = if pieces.is_empty() { "" } else { ", " };
        pieces.extend([
            text_span(TextRole::Muted, separator),
            text_span(role, format!("{} cr", format_count(left))),
            text_span(TextRole::Muted, format!(" {what}")),
        ]);
    }
    pieces
}

/// The credits that a budget has left.
fn budget_remaining(cx: &Context, kind: BudgetKind, limit: u64) -> (u64, TextRole) {
    let spent = if kind.1 == BudgetPeriod::Session {
        cx.work.budget.credits_spent().session
    } else {
        cx.work.budget.credits_spent().day
    };
    let left = limit.saturating_sub(spent);
    let role = if left == 0 {
        TextRole::Error
    } else if left * 5 <= limit {
        TextRole::Warning
    } else {
        TextRole::Text
    };
    (left, role)
}

fn draw_budgets(cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    if area.is_empty() {
        return;
    }
    let note = [
        cx.keymap.key_label("credits.budget"),
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
        let limit = cx.settings.budgets.limit(kind);
        draw_line(
            buf,
            row,
            &[text_span(
                if limit.is_some() {
                    TextRole::Text
                } else {
                    TextRole::Muted
                },
                kind.label(),
            )],
            &theme,
        );
        let value = match limit {
            Some(limit) => {
                let (left, role) = budget_remaining(cx, kind, limit);
                vec![
                    text_span(role, format_count(left)),
                    text_span(TextRole::Muted, format!(" left of {}", format_count(limit))),
                ]
            }
            None => vec![text_span(TextRole::Muted, "none")],
        };
        paint::draw_line_right(buf, row, &value, &theme);
    }
    let spent = cx.work.budget.credits_spent();
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

/// Usage of the last 24 hours by screen.
fn draw_shares(pane: &CreditsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    if area.height < 5 {
        return;
    }
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Where")],
        &[text_span(TextRole::Muted, "by this machine, 24 hours")],
        false,
        &theme,
    );
    let room = panel_text_area(area);
    let Some(statement) = &pane.statement else {
        return;
    };
    let since = cx.clock.now() - crate::domain::credits::METER_WINDOW;
    let day = statement.usage.iter().filter(|tally| tally.at > since);
    let listed = day.filter(|sum| pane.shows_free || !is_free(sum));
    let screens = group_entries(listed, LedgerGrouping::Screen, cx);
    for (row, sum) in (0..room.height).zip(&screens) {
        let value = [text_span(
            if sum.credits > 0 {
                TextRole::Text
            } else {
                TextRole::Muted
            },
            credits_label(sum),
        )];
        let screen = [text_span(TextRole::Text, sum.name.as_str())];
        let at = paint::row_rect(room, row);
        paint::draw_two_sided_line(buf, at, &screen, &value, &theme);
    }
    if screens.is_empty() {
        let nothing = [text_span(TextRole::Muted, "nothing spent")];
        draw_line(buf, room, &nothing, &theme);
    }
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
    let theme = cx.settings.theme;
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
            let hint = match pane.hidden_count() {
                0 => "what costs credits is listed here",
                _ => "{credits.free} lists the requests that cost nothing",
            };
            return cx.draw_message(
                buf,
                rows,
                &[text_span(TextRole::Strong, "nothing spent by this machine")],
                &[hint],
            );
        }
        _ => return cx.draw_message(buf, rows, &[], &["loading the ledger"]),
    }
    cx.draw_list(buf, &*list, (area, rows), true);
    let footer = [text_span(TextRole::Muted, footer_text(pane))];
    draw_line(buf, panel::footer_area(area), &footer, &theme);
}

/// A time with seconds if today, else date and minutes.
pub(super) fn format_entry_time(cx: &Context, at: DateTime<Utc>) -> String {
    let (at, today) = (
        cx.clock.to_display_time(at),
        cx.clock.to_display_time(cx.clock.now()).date_naive(),
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
        cx.clock.to_display_time(at),
        cx.clock.to_display_time(cx.clock.now()).date_naive(),
    );
    if local.date_naive().pred_opt() == Some(today) {
        local.format("%H:%M tomorrow").to_string()
    } else {
        cx.clock.format_display_time(at)
    }
}

fn footer_text(pane: &CreditsPane) -> String {
    match pane.grouping {
        LedgerGrouping::Request => {
            let is_unknown = |entry: &LedgerEntry| entry.credits.is_none();
            match pane.entries.iter().any(is_unknown) {
                true => "? the service has not stated the price".to_owned(),
                false => String::new(),
            }
        }
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
