//! The smallest useful layout: one record at a time, with next, done and quit. It draws at any
//! size.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::console::footer;
use crate::app::context::cached_queue;
use crate::app::format::format_count;
use crate::app::panes::fact_list::priority_role;
use crate::app::{Context, format};
use crate::domain::health::Health;
use crate::ui::{TextRole, TextSpan, draw_line, paint, text_span};

pub fn draw(cx: &Context, buf: &mut Buffer) -> Option<Position> {
    let theme = cx.settings.theme;
    let all = cx.frame.layout().frame;
    let tab = cx.queue.current_tab();
    let mut lines: Vec<Vec<TextSpan<'_>>> = Vec::new();
    match tab.current_row() {
        Some(row) => {
            let signal = &row.signal;
            let kind = signal
                .signal_type
                .as_ref()
                .map_or("signal", |kind| kind.word());
            let letter = row
                .priority
                .as_ref()
                .map_or("?", |priority| priority.letter());
            let place = format!(
                "  {}/{}",
                format_count(tab.scroll.cursor as u64 + 1),
                format_count(tab.total())
            );
            let (mark, role) = match (
                cx.outbox.offline.is_waiting(signal.id),
                tab.marks.contains(&signal.id),
            ) {
                (true, _) => (theme.glyphs().waiting, TextRole::Warning),
                (false, is_marked) => (
                    if is_marked { theme.glyphs().marked } else { "" },
                    TextRole::Marked,
                ),
            };
            lines.push(vec![
                text_span(priority_role(row.priority.as_ref()), format!("{letter} ")),
                text_span(role, mark),
                text_span(TextRole::Text, kind),
                text_span(TextRole::Muted, place),
            ]);
            lines.push(vec![text_span(TextRole::Strong, signal.project_label())]);
            lines.push(vec![text_span(
                TextRole::Muted,
                signal
                    .project_primary_address
                    .as_deref()
                    .unwrap_or_default(),
            )]);
            let filed = signal
                .filed_at
                .as_ref()
                .map(|when| format::format_day(when, cx.clock.service_now().date_naive()))
                .unwrap_or_default();
            let cost = signal
                .reported_cost_usd
                .as_ref()
                .map(format::format_dollars)
                .unwrap_or_default();
            let out = row
                .days_left(cx.clock.service_now())
                .map(|days| format!("{days}d left"))
                .unwrap_or_default();
            let facts = [filed, cost, out]
                .into_iter()
                .filter(|fact| !fact.is_empty())
                .collect::<Vec<_>>()
                .join("  ");
            lines.push(vec![text_span(TextRole::Text, facts)]);
        }
        None => lines.push(vec![text_span(
            TextRole::Muted,
            if cx.session.is_connected() {
                "no signal here"
            } else {
                "not connected"
            },
        )]),
    }
    let foot = 2.min(all.height.saturating_sub(1));
    for (n, pieces) in (0..all.height - foot).zip(&lines) {
        draw_line(buf, paint::row_rect(all, n), pieces, &theme);
    }
    if all.height >= 2 && cx.ui.prompt.is_none() {
        let age = cached_queue::previous_queue_age(cx.queue.tab, &cx.clock, &cx.queue)
            .map(|age| format!(", {age}"))
            .unwrap_or_default();
        let status = match (&cx.ui.notice, &cx.connection.health, cx.stats.as_ref()) {
            (Some(notice), ..) => text_span(notice.role, notice.text.as_str()),
            (None, Health::Offline { .. }, _) => {
                text_span(TextRole::Error, format!("OFFLINE{age}"))
            }
            (None, Health::SignedOut, _) => text_span(TextRole::Error, "SIGNED OUT"),
            (None, _, Some(stats)) => text_span(
                TextRole::Strong,
                format!(
                    "NEW {} !{}",
                    format_count(stats.new_count),
                    format_count(stats.high_priority_new_count)
                ),
            ),
            _ if cx.connection.has_responded => text_span(TextRole::Muted, "connected"),
            _ => text_span(TextRole::Muted, format!("connecting{age}")),
        };
        draw_line(buf, cx.frame.layout().notice, &[status], &theme);
    }
    if all.height >= 4 {
        let hint = |id, word| {
            [
                text_span(TextRole::Key, cx.keymap.label(id)),
                text_span(TextRole::Muted, word),
            ]
        };
        let hints = [
            hint("queue.done", " done  "),
            hint("go.down", " next  "),
            hint("help", " help  "),
            hint("close", " quit"),
        ]
        .concat();
        draw_line(buf, cx.frame.layout().hints, &hints, &theme);
    }
    cx.ui
        .prompt
        .as_ref()
        .map(|prompt| footer::draw_prompt(cx, prompt, cx.frame.layout().notice, buf))
}
