//! Draws the subscriptions: the list of types and the side panel.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::SubscriptionsPane;
use super::columns::Subscriptions;
use crate::app::Context;
use crate::app::format::{format_count, humanize};
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::ui::{TextRole, TextSpan, draw_line, paint, panel, scroll, text_span};

pub fn draw(pane: &SubscriptionsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.frame.layout().panel.is_empty() {
        draw_list(pane, cx, cx.frame.layout().panel, buf);
    }
    if !cx.frame.layout().side_panel.is_empty() {
        draw_side_panel(pane, cx, cx.frame.layout().side_panel, buf);
    }
}

fn draw_side_panel(pane: &SubscriptionsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    // Nothing is claimed about types that are not loaded.
    if cx.subscriptions.load != LoadState::Ready {
        panel::draw_panel(
            buf,
            area,
            &[],
            &[],
            cx.frame.layout().panel.is_empty(),
            &theme,
        );
        return;
    }
    let title = pane
        .current_type(cx)
        .map(|kind| text_span(TextRole::Strong, humanize(kind.as_str())));
    panel::draw_panel(
        buf,
        area,
        &title.into_iter().collect::<Vec<_>>(),
        &[],
        cx.frame.layout().panel.is_empty(),
        &theme,
    );
    let (rows, top) = (cx.frame.layout().side_rows, pane.top);
    scroll::draw_scrolled_lines(
        buf,
        area,
        rows,
        &pane.panel_lines(rows.width, cx.frame.layout().preview_below, cx),
        top,
        &theme,
    );
}

fn draw_list(pane: &SubscriptionsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let note = match (pane.staged.len(), cx.team.members.len()) {
        (0, 0 | 1) => text_span(TextRole::Muted, "shared by the workspace"),
        (0, members) => text_span(TextRole::Muted, format!("shared with {members} members")),
        (staged, _) => text_span(TextRole::Marked, format!("{staged} staged")),
    };
    let mut title = vec![text_span(TextRole::Strong, "Subscriptions")];
    let list = list_of::<Subscriptions>(pane, cx);
    title.extend(cx.arrangement_label(&list));
    panel::draw_panel(buf, area, &title, &[note], true, &theme);
    let rows = cx.frame.layout().rows;
    match &cx.subscriptions.load {
        LoadState::Failed(why) => {
            let hint = "{subscriptions.refresh} retries";
            return cx.draw_error(buf, rows, "could not load the subscriptions", why, hint);
        }
        LoadState::Idle | LoadState::Loading => {
            return cx.draw_message(buf, rows, &[], &["loading the subscriptions"]);
        }
        LoadState::Ready => {}
    }
    cx.draw_list(buf, &list, (area, rows), true);
    let foot = panel::footer_area(area);
    draw_line(buf, foot, &footer_spans(pane, cx, foot.width), &theme);
}

/// Number of subscribed types, and of new signals of each priority now and after the staged
/// changes.
fn footer_spans(pane: &SubscriptionsPane, cx: &Context, width: u16) -> Vec<TextSpan<'static>> {
    let glyphs = cx.settings.theme.glyphs();
    let mut pieces = vec![text_span(
        TextRole::Text,
        format!(
            "{} of {} types",
            pane.subscriptions_after(cx).len(),
            cx.subscriptions.types().len()
        ),
    )];
    for ((now, after), (word, role)) in pane.priority_counts(cx).into_iter().zip([
        ("high", TextRole::High),
        ("medium", TextRole::Medium),
        ("low", TextRole::Low),
    ]) {
        let then = if now == after {
            format_count(now)
        } else {
            format!(
                "{} {} {}",
                format_count(now),
                glyphs.arrow,
                format_count(after)
            )
        };
        pieces.push(text_span(role, format!("   {word} ")));
        pieces.push(text_span(
            if now == after {
                TextRole::Text
            } else {
                TextRole::Marked
            },
            then,
        ));
    }
    while pieces.len() > 1 && paint::spans_width(&pieces) > width {
        pieces.truncate(pieces.len() - 2);
    }
    pieces
}
