//! Draws the subscriptions: the list of types and the side panel.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::SubscriptionsPane;
use super::columns::SUBSCRIPTIONS;
use crate::app::Context;
use crate::app::format::{format_count, format_day, humanize};
use crate::app::model::load_state::LoadState;
use crate::app::model::subscriptions::priority_label;
use crate::app::panes::fact_list::priority_role;

use crate::domain::signals::SignalType;
use crate::domain::subscriptions::Subscription;
use crate::domain::writes::WriteOp;
use crate::ui::{TextRole, TextSpan, draw_line, paint, panel, scroll, text_span};

pub fn draw(pane: &SubscriptionsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.layout().panel.is_empty() {
        draw_list(pane, cx, cx.layout().panel, buf);
    }
    if !cx.layout().side_panel.is_empty() {
        draw_side_panel(pane, cx, cx.layout().side_panel, buf);
    }
}

fn draw_side_panel(pane: &SubscriptionsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    // Nothing is claimed about types that are not loaded.
    if cx.subscriptions.load != LoadState::Ready {
        panel::draw_panel(buf, area, &[], &[], cx.layout().panel.is_empty(), &theme);
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
        cx.layout().panel.is_empty(),
        &theme,
    );
    let (rows, top) = (cx.layout().side_rows, pane.top);
    scroll::draw_scrolled_lines(
        buf,
        area,
        rows,
        &pane.panel_lines(rows.width, cx.layout().preview_below, cx),
        top,
        &theme,
    );
}

fn draw_list(pane: &SubscriptionsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let note = match (pane.staged.len(), cx.members().len()) {
        (0, 0 | 1) => text_span(TextRole::Muted, "shared by the workspace"),
        (0, members) => text_span(TextRole::Muted, format!("shared with {members} members")),
        (staged, _) => text_span(TextRole::Marked, format!("{staged} staged")),
    };
    let mut title = vec![text_span(TextRole::Strong, "Subscriptions")];
    title.extend(cx.arrangement_label(&SUBSCRIPTIONS, &pane.lines));
    panel::draw_panel(buf, area, &title, &[note], true, &theme);
    let rows = cx.layout().rows;
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
    let types = cx.subscriptions.types();
    cx.draw_list(
        buf,
        (&SUBSCRIPTIONS, &pane.lines),
        (area, rows),
        true,
        |row, here| type_cells(pane, cx, &types[row], here, rows.width >= 40),
    );
    let foot = panel::footer_area(area);
    draw_line(buf, foot, &footer_spans(pane, cx, foot.width), &theme);
}

/// A type's cells: its current state, and its staged state after an arrow.
pub(super) fn type_cells(
    pane: &SubscriptionsPane,
    cx: &Context,
    kind: &SignalType,
    here: bool,
    is_wide: bool,
) -> [Vec<TextSpan<'static>>; 6] {
    let glyphs = cx.theme().glyphs();
    let (now, after) = (
        cx.subscriptions.get(kind),
        pane.subscription_after(kind, cx),
    );
    let shown = after.as_ref().or(now);
    let rank = if shown.is_some() {
        TextRole::Text
    } else {
        TextRole::Muted
    };
    let changed = |of: &dyn Fn(&Subscription) -> String| now.map(of) != after.as_ref().map(of);
    let mark = match () {
        () if pane.write_errors.contains_key(kind) => text_span(TextRole::Error, "!"),
        () if cx
            .outbox()
            .any_pending(|part| matches!(part, WriteOp::Subscription(of, _) if of == kind)) =>
        {
            text_span(TextRole::Warning, "~")
        }
        () if pane.staged.contains_key(kind) => text_span(TextRole::Marked, glyphs.marked),
        () => text_span(TextRole::Text, " "),
    };
    let mail_role = match &after {
        None => TextRole::Muted,
        Some(_) if changed(&mail_label) => TextRole::Marked,
        Some(_) => rank,
    };
    let name = if is_wide {
        humanize(kind.as_str())
    } else {
        kind.short_label().to_owned()
    };
    let priority = |it: Option<&Subscription>| {
        it.map_or(
            if is_wide { "none" } else { glyphs.missing },
            priority_label,
        )
        .to_owned()
    };
    let role = |it: Option<&Subscription>| {
        it.map_or(TextRole::Muted, |it| priority_role(it.priority.as_ref()))
    };
    let priority = if changed(&|it| priority_label(it).to_owned()) {
        let was = text_span(
            TextRole::Muted,
            format!("{} {} ", priority(now), glyphs.arrow),
        );
        vec![
            was,
            text_span(role(after.as_ref()), priority(after.as_ref())),
        ]
    } else if now.is_none() {
        vec![text_span(TextRole::Muted, "not subscribed")]
    } else {
        vec![text_span(role(now), priority(now))]
    };
    let since = now
        .and_then(|it| it.created_at.as_ref())
        .map(|at| format_day(at, cx.service_now().date_naive()));
    [
        vec![
            text_span(TextRole::Focus, if here { glyphs.cursor } else { " " }),
            mark,
        ],
        vec![text_span(rank, name)],
        priority,
        vec![text_span(
            rank,
            now.and_then(|it| it.new_count)
                .map_or_else(|| glyphs.missing.to_owned(), format_count),
        )],
        vec![text_span(
            mail_role,
            shown.map_or_else(|| glyphs.missing.to_owned(), mail_label),
        )],
        vec![text_span(TextRole::Muted, since.unwrap_or_default())],
    ]
}

/// Who gets email, in a few cells.
pub(super) fn mail_label(it: &Subscription) -> String {
    match (
        it.has_email(),
        it.notify_all_members,
        it.recipient_user_ids.len(),
    ) {
        (false, ..) => "off".to_owned(),
        (true, true, _) => "everyone".to_owned(),
        (true, false, 0) => "nobody".to_owned(),
        (true, false, 1) => "1 person".to_owned(),
        (true, false, n) => format!("{n} people"),
    }
}

/// Number of subscribed types, and of new signals of each priority now and after the staged
/// changes.
fn footer_spans(pane: &SubscriptionsPane, cx: &Context, width: u16) -> Vec<TextSpan<'static>> {
    let glyphs = cx.theme().glyphs();
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
