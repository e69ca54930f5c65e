//! Draws the dashboard pages that show rows: Waiting and Team.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::format::{humanize, pluralize};
use crate::app::panes::fact_list::priority_role;
use crate::app::panes::watch::painting::{area_below, draw_counted_bar, figure_role};
use crate::app::panes::watch::state::WatchPane;
use crate::app::{Context, DashboardPage, format};
use crate::domain::person::Person;
use crate::domain::queue::QueueSignal;
use crate::ui::table::{TableColumn, layout_columns};
use crate::ui::{TextRole, TextSpan, draw_line, paint, table, text_span};

const PRIORITY_COLUMN: TableColumn = TableColumn {
    title: "P",
    width: 1,
    max_width: 0,
    drop_order: 0,
    align_right: false,
};
const TYPE_COLUMN: TableColumn = TableColumn {
    title: "TYPE",
    width: 21,
    max_width: 26,
    drop_order: 3,
    align_right: false,
};
const PROJECT_COLUMN: TableColumn = TableColumn {
    title: "PROJECT",
    width: 18,
    max_width: 40,
    drop_order: 0,
    align_right: false,
};
const WHAT_COLUMN: TableColumn = TableColumn {
    title: "WHAT",
    width: 20,
    max_width: 90,
    drop_order: 5,
    align_right: false,
};
const COST_COLUMN: TableColumn = TableColumn {
    title: "COST",
    width: 8,
    max_width: 0,
    drop_order: 4,
    align_right: true,
};
const DAYS_LEFT_COLUMN: TableColumn = TableColumn {
    title: "LEFT",
    width: 4,
    max_width: 0,
    drop_order: 2,
    align_right: true,
};
const COLUMNS: [TableColumn; 6] = [
    PRIORITY_COLUMN,
    TYPE_COLUMN,
    PROJECT_COLUMN,
    WHAT_COLUMN,
    COST_COLUMN,
    DAYS_LEFT_COLUMN,
];
/// The place of what is being built among the columns.
const WHAT_PLACE: usize = 3;
/// Width of a member's name in cells.
const NAME_WIDTH: u16 = 24;
const NARROW_NAME_WIDTH: u16 = 16;
/// Replaces names and amounts.
pub(super) const HIDDEN_TEXT: &str = "hidden";

/// Draws the current page below the counts.
pub fn draw_page(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let page = pane.page(cx);
    let area = area_below(area, 1);
    let title = match page {
        DashboardPage::Waiting => "Next in the queue",
        DashboardPage::Team | DashboardPage::Counts => "Done today",
    };
    let Some(at) = pane.data.read_at(page) else {
        return cx.draw_message(buf, area, &[], &["loading the queue"]);
    };
    let age = format!("read {}, 0 cr", cx.clock.format_display_time(at));
    let title = [text_span(TextRole::Strong, title)];
    let age = [text_span(TextRole::Muted, age)];
    paint::draw_two_sided_line(buf, area, &title, &age, &theme);
    match page {
        DashboardPage::Waiting => draw_waiting(cx, pane.data.new.iter(), area_below(area, 2), buf),
        DashboardPage::Team | DashboardPage::Counts => {
            draw_team(pane, cx, area_below(area, 2), buf)
        }
    }
}

/// A table of signals.
pub fn draw_waiting<'r>(
    cx: &Context,
    rows: impl Iterator<Item = &'r QueueSignal>,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = cx.settings.theme;
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        let what = match cx.stats.as_ref().is_some_and(|stats| stats.new_count > 0) {
            true => "no others",
            false => "all done",
        };
        return cx.draw_message(buf, area, &[text_span(TextRole::Strong, what)], &[]);
    }
    let rows: Vec<&QueueSignal> = rows.take(area.height.into()).collect();
    let mut columns = COLUMNS.to_vec();
    let is_described = |row: &&QueueSignal| cx.queue.facts.description(&row.signal).is_some();
    if !rows.iter().any(is_described) {
        columns.remove(WHAT_PLACE);
    }
    let rooms = layout_columns(&columns, area);
    table::draw_heading(buf, &columns, &rooms, area, &theme);
    let area = area_below(area, 1);
    for (n, signal) in (0..area.height).zip(rows) {
        let mut cells = signal_cells(cx, signal).to_vec();
        if columns.len() < COLUMNS.len() {
            cells.remove(WHAT_PLACE);
        }
        for (at, room) in &rooms {
            let room = Rect {
                height: 1,
                ..paint::row_rect(
                    Rect {
                        y: area.y,
                        height: area.height,
                        ..*room
                    },
                    n,
                )
            };
            table::draw_cell(buf, &columns[*at], room, &cells[*at].clone().into(), &theme);
        }
    }
}

fn signal_cells(cx: &Context, row: &QueueSignal) -> [TextSpan<'static>; 6] {
    let none = cx.settings.theme.glyphs().missing;
    let hides = cx.settings.dashboard.hides_names;
    let signal = &row.signal;
    let hidden = |text: Option<String>| match text {
        Some(_) if hides => text_span(TextRole::Faint, HIDDEN_TEXT),
        Some(text) => text_span(figure_role(cx, TextRole::Text), text),
        None => text_span(TextRole::Faint, none),
    };
    let letter = row
        .priority
        .as_ref()
        .map_or("?", |priority| priority.letter());
    [
        text_span(
            figure_role(cx, priority_role(row.priority.as_ref())),
            letter,
        ),
        text_span(
            figure_role(cx, TextRole::Text),
            signal
                .signal_type
                .as_ref()
                .map_or(none.to_owned(), |kind| humanize(kind.as_str())),
        ),
        hidden(signal.project_name.clone()),
        hidden(cx.queue.facts.description(signal).map(str::to_owned)),
        hidden(
            signal
                .reported_cost_usd
                .as_ref()
                .map(format::format_dollars),
        ),
        text_span(
            TextRole::Muted,
            row.days_left(cx.clock.service_now())
                .map_or_else(String::new, |days| format!("{}d", days.max(0))),
        ),
    ]
}

pub fn draw_team(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let mut team: Vec<(&Option<Person>, u64)> = pane
        .data
        .done
        .by_member
        .iter()
        .map(|(who, done)| (who, *done))
        .collect();
    if team.is_empty() {
        let words = match pane.data.marked_done(cx).map_or(0, |done| done.today) {
            0 => "nothing marked done today".to_owned(),
            done => format!("{done} marked done today"),
        };
        return cx.draw_message(buf, area, &[text_span(TextRole::Strong, words)], &[]);
    }
    team.sort_by_key(|(_, done)| std::cmp::Reverse(*done));
    let most = team[0].1;
    let name_width = if area.width < 50 {
        NARROW_NAME_WIDTH
    } else {
        NAME_WIDTH
    };
    let partial = u16::from(pane.data.is_done_partial);
    let fit = usize::from(area.height.saturating_sub(partial));
    for (n, (who, done)) in (0u16..).zip(team.iter().take(fit)) {
        let name = if cx.settings.dashboard.hides_names {
            HIDDEN_TEXT.to_owned()
        } else {
            cx.queue.user_name(who.as_ref())
        };
        draw_counted_bar(
            cx,
            paint::row_rect(area, n),
            (&name, name_width),
            (*done, most),
            buf,
        );
    }
    if partial > 0 {
        let read: u64 = team.iter().map(|(_, done)| *done).sum();
        let words = format!(
            "only {} read; more were done today",
            pluralize(read, "signal")
        );
        draw_line(
            buf,
            paint::row_rect(area, area.height.saturating_sub(1)),
            &[text_span(TextRole::Muted, words)],
            &theme,
        );
    }
}
