//! Draws the first screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{START_CHOICES, StartChoice, StartPane};
use crate::app::Context;
use crate::text;
use crate::ui::text_input::TextInput;
use crate::ui::{TextRole, area, draw_line, paint, panel, text_span};

/// Draws the choices and the open form; returns the text cursor's position.
pub fn draw(start: &StartPane, cx: &Context, buf: &mut Buffer) -> Option<Position> {
    let theme = cx.settings.theme;
    let inner = panel::draw_panel(
        buf,
        cx.frame.layout().panel,
        &[text_span(TextRole::Strong, "gantry")],
        &[],
        true,
        &theme,
    );
    let inner = area::inset_sides(inner, 2);
    let mut y = u16::from(inner.height > 8);
    let mut cursor = None;
    // All choices with their sentences, the largest form and its help fit.
    let roomy = inner.height >= 20;
    // What the chosen one is.
    let explains = inner.height >= 12;
    if inner.height >= 16 {
        draw_line(
            buf,
            paint::row_rect(inner, y),
            &[text_span(
                TextRole::Text,
                "Construction signals. What do you want to open?",
            )],
            &theme,
        );
        y += 2;
    }
    for choice in START_CHOICES {
        let here = choice == start.choice;
        let (title, sentence) = choice_labels(choice);
        let mark = if here { theme.glyphs().cursor } else { " " };
        let row = paint::row_rect(inner, y);
        draw_line(
            buf,
            row,
            &[
                text_span(TextRole::Focus, mark),
                text_span(TextRole::strong_if(here), format!(" {title}")),
            ],
            &theme,
        );
        y += 1;
        if roomy || here && explains {
            draw_line(
                buf,
                paint::row_rect(inner, y),
                &[text_span(TextRole::Muted, format!("  {sentence}"))],
                &theme,
            );
            y += 1;
        }
        if here {
            for (at, (label, field)) in form_fields(start).into_iter().enumerate() {
                let row = paint::row_rect(inner, y);
                let focused = start.field == Some(at);
                let used = draw_line(
                    buf,
                    row,
                    &[text_span(
                        if focused {
                            TextRole::Key
                        } else {
                            TextRole::Muted
                        },
                        format!("    {label:<11}"),
                    )],
                    &theme,
                );
                let at = field.draw(buf, area::area_after(row, used), &theme, focused);
                if focused && row.height > 0 {
                    cursor = Some(at);
                }
                y += 1;
            }
        }
        y += u16::from(roomy);
    }
    draw_footer(start, cx, buf, inner);
    cursor
}

fn choice_labels(choice: StartChoice) -> (&'static str, &'static str) {
    match choice {
        StartChoice::Demo => ("Demo", "sample data in memory; nothing is saved"),
        StartChoice::Local => (
            "Local file",
            "a database on this machine, created by gantry import",
        ),
        StartChoice::Join => (
            "Join a team",
            "with the join code that a colleague gave you",
        ),
        StartChoice::Service => ("Service", "your team's service: its address and your token"),
    }
}

fn form_fields(start: &StartPane) -> Vec<(&'static str, &TextInput)> {
    match (start.choice, start.field) {
        (_, None) | (StartChoice::Demo, _) => Vec::new(),
        (StartChoice::Local, _) => vec![("file", &start.path)],
        (StartChoice::Join, _) => ["join code", "your name"]
            .into_iter()
            .zip(&start.join)
            .collect(),
        (StartChoice::Service, _) => ["address", "token", "workspace"]
            .into_iter()
            .zip(&start.service)
            .collect(),
    }
}

/// What the focused field is for, and where its content comes from.
fn field_help(start: &StartPane) -> Option<&'static str> {
    match (start.choice, start.field?) {
        (StartChoice::Join, 0) => {
            Some("Paste it: it begins with gj_ and works once. It is not shown here.")
        }
        (StartChoice::Join, _) => {
            Some("As your colleagues see it. Leave it empty for the code of a wall.")
        }
        (StartChoice::Service, 0) => Some(
            "As whoever runs the service gave it to you, such as https://192.168.1.20:8484. http works only on this machine.",
        ),
        (StartChoice::Service, 1) => Some(
            "Who you are, like a password: an API key of a hosted service, or what gantry members add printed for you.",
        ),
        (StartChoice::Service, _) => Some(
            "Leave this empty. Only a token for several workspaces needs the id of one, a UUID.",
        ),
        _ => None,
    }
}

/// Whether there is a field after this one.
fn has_next_field(start: &StartPane) -> bool {
    let fields = form_fields(start).len();
    start.field.is_some_and(|at| at + 1 < fields)
}

fn draw_footer(start: &StartPane, cx: &Context, buf: &mut Buffer, inner: Rect) {
    let theme = cx.settings.theme;
    let last = inner.height.saturating_sub(1);
    let error = start
        .error
        .as_ref()
        .map(|error| (TextRole::Error, error.as_str()));
    let help = field_help(start)
        .filter(|_| inner.height >= 14)
        .map(|help| (TextRole::Muted, help));
    let notice = cx
        .ui
        .notice
        .as_ref()
        .map(|notice| (notice.role, notice.text.as_str()));
    if let Some((role, words)) = error.or(notice).or(help) {
        let wrapped = text::wrap_text(&text::sanitize_block(words), usize::from(inner.width));
        let top = last.saturating_sub(u16::try_from(wrapped.len().min(3)).unwrap_or(0));
        for (n, words) in (top..last).zip(wrapped) {
            draw_line(
                buf,
                paint::row_rect(inner, n),
                &[text_span(role, words)],
                &theme,
            );
        }
    }
    let hint = match start.field {
        _ if start.is_connecting => "connecting…",
        None => "{start.open} open   {start.up} {start.down} select   {start.quit} quit",
        Some(_) if has_next_field(start) => {
            "{start.form.continue} next field   {start.form.previous} {start.form.next} move   {start.form.back} back"
        }
        Some(_) => {
            "{start.form.continue} open   {start.form.previous} {start.form.next} move   {start.form.back} back"
        }
    };
    let hint = cx.keymap.expand_keys_styled(TextRole::Muted, hint);
    draw_line(buf, paint::row_rect(inner, last), &hint, &theme);
}
