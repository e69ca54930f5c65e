//! The footer of every pane: notices and failures, the prompt, the keys that work, and the
//! which-key box.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use crate::app::Context;
use crate::app::command::keys::Key;
use crate::app::command::{Command, Scope};
use crate::app::console::Console;
use crate::app::console::prices::price_of;
use crate::app::context::connection;
use crate::app::layout::FrameLayout;
use crate::app::prompt::Prompt;
use crate::domain::health::Health;
use crate::text;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, text_span};

const MAX_NOTICE_LINES: u16 = 5;

/// Draws the notice line and the hints. A prompt replaces the notice line.
pub(super) fn draw_footer(console: &Console, buf: &mut Buffer) -> Option<Position> {
    let cx = &console.cx;
    let theme = cx.settings.theme;
    let foot = area::inset_sides(cx.frame.layout().notice, 1);
    for (area, command) in cx.frame.layout().hint_targets() {
        let words = console.hint_text(command).unwrap_or(command.title);
        draw_line(buf, area, &hint_label(console, command, words), &theme);
    }
    if let Some(prompt) = &cx.ui.prompt {
        return Some(draw_prompt(cx, prompt, foot, buf));
    }
    let digits = cx.pressed.pending_digits();
    if !digits.is_empty() {
        let digits = [text_span(TextRole::Key, format!("{digits} "))];
        paint::draw_line_right(buf, foot, &digits, &theme);
    }
    let mut pieces: Vec<TextSpan<'_>> = Vec::new();
    let mut hint = "";
    let status = if cx.ui.notice.is_none() {
        console.panes.get(cx.ui.screen()).frame(cx).status
    } else {
        None
    };
    if let Some((left, right)) = status {
        paint::draw_two_sided_line(buf, foot, &left, &[right], &theme);
        return None;
    }
    if let Some(notice) = &cx.ui.notice {
        pieces.push(text_span(notice.role, notice.text.as_str()));
        hint = notice.hint.as_ref();
    } else if let Health::Offline { since, reason } = &cx.connection.health {
        let since = cx.clock.format_display_time(*since);
        pieces.push(text_span(
            TextRole::Error,
            format!("offline since {since}: {reason}"),
        ));
        hint = "{refresh} retries now";
    } else if let Health::Forbidden(reason) = &cx.connection.health {
        pieces.push(text_span(TextRole::Error, reason.as_str()));
    } else if let Some(label) = connection::rate_limit_label(&cx.clock, &cx.connection) {
        pieces.push(text_span(TextRole::Warning, label));
    } else if cx.connection.health == Health::SignedOut {
        pieces.push(text_span(
            TextRole::Error,
            "token rejected: restart with a valid one",
        ));
        hint = "{refresh} retries now";
    } else if let Some(apart) = connection::clock_skew_message(&cx.clock, &cx.settings) {
        pieces.push(text_span(TextRole::Warning, apart));
    }
    let hint = cx.keymap.expand_keys_styled(TextRole::Muted, hint);
    let gapped = [&[text_span(TextRole::Faint, "   ")], hint.as_slice()].concat();
    let needed = if hint.is_empty() {
        0
    } else {
        paint::spans_width(&gapped)
    };
    // A notice that does not fit grows upward until the next key, so that its hint is not cut off.
    let is_news = cx.ui.notice.as_ref().is_some_and(|notice| !notice.is_read);
    let mut lines: Vec<Vec<TextSpan<'_>>> = if is_news {
        paint::wrap_spans(&pieces, usize::from(foot.width))
    } else {
        Vec::new()
    };
    match lines.last_mut() {
        Some(last) if paint::spans_width(last) + needed <= foot.width => {
            last.extend(gapped.iter().cloned())
        }
        _ => lines.push(hint),
    }
    if lines.len() < 2 {
        let room = foot.width.saturating_sub(needed);
        let used = draw_line(
            buf,
            Rect {
                width: room,
                ..foot
            },
            &pieces,
            &theme,
        );
        draw_line(buf, area::area_after(foot, used), &gapped, &theme);
        return None;
    }
    draw_raised_lines(cx, foot, &lines, buf);
    None
}

/// Draws lines over the panels, the last of them at `last`.
fn draw_raised_lines(cx: &Context, last: Rect, lines: &[Vec<TextSpan<'_>>], buf: &mut Buffer) {
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(MAX_NOTICE_LINES)
        .min(last.y + 1);
    let top = last.y + 1 - height;
    redraw_covered_borders(cx.frame.layout(), top, buf);
    Clear.render(
        Rect {
            y: top,
            height,
            ..cx.frame.layout().notice
        },
        buf,
    );
    for (y, pieces) in (top..=last.y).zip(lines) {
        draw_line(buf, Rect { y, ..last }, pieces, &cx.settings.theme);
    }
}

/// Redraws the bottom borders of panels above a notice that covers them.
fn redraw_covered_borders(areas: &FrameLayout, top: u16, buf: &mut Buffer) {
    let panels = [
        areas.panel,
        areas.side_panel,
        areas.form,
        areas.list_filter,
        areas.map,
    ];
    let bottom = areas.notice.y;
    for panel in panels
        .into_iter()
        .filter(|panel| panel.bottom() == bottom && panel.y + 1 < top && panel.width > 1)
    {
        for x in panel.left()..panel.right() {
            if let Some(cell) = buf.cell((x, bottom - 1)).cloned()
                && let Some(raised) = buf.cell_mut((x, top - 1))
            {
                *raised = cell;
            }
        }
    }
}

/// Draws the prompt and, at its right or above it, the notice.
pub(super) fn draw_prompt(cx: &Context, prompt: &Prompt, foot: Rect, buf: &mut Buffer) -> Position {
    let theme = cx.settings.theme;
    let used = draw_line(
        buf,
        foot,
        &[text_span(TextRole::Key, format!("{} ", prompt.label))],
        &theme,
    );
    let mut rest = area::area_after(foot, used);
    if let Some(notice) = &cx.ui.notice {
        let text = [text_span(notice.role, notice.text.as_str())];
        let typed = u16::try_from(text::display_width(prompt.field.text()))
            .unwrap_or(u16::MAX)
            .saturating_add(4);
        if paint::spans_width(&text).saturating_add(typed) <= rest.width {
            let edge = paint::draw_line_right(buf, rest, &text, &theme);
            rest.width = edge.saturating_sub(rest.x + 1);
        } else if notice.role == TextRole::Warning {
            let above = Rect {
                y: foot.y.saturating_sub(1),
                ..foot
            };
            draw_raised_lines(
                cx,
                above,
                &paint::wrap_spans(&text, usize::from(foot.width)),
                buf,
            );
        }
    }
    prompt.field.draw(buf, rest, &theme, true)
}

/// Draws the keys that may follow the prefix.
pub(super) fn draw_continuations(console: &Console, prefix: &[Key], buf: &mut Buffer) {
    let cx = &console.cx;
    let theme = cx.settings.theme;
    let rows = cx.keymap.continuations(cx.ui.focused_scope(), prefix);
    let prefix: String = prefix
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ");
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let rows: Vec<_> = rows
        .iter()
        .map(|(key, row)| {
            (
                key,
                row,
                format!("{}{}", row.description, price_of(console, row).suffix()),
            )
        })
        .collect();
    let width = rows
        .iter()
        .map(|(.., words)| text::display_width(words) + 11)
        .max()
        .unwrap_or(20);
    let all = cx.frame.layout().frame;
    let area = Rect {
        height: all.height.saturating_sub(2),
        ..all
    };
    let height = height.min(area.height);
    let width = u16::try_from(width).unwrap_or(60).min(area.width);
    let area = Rect {
        x: area.right() - width,
        y: area.bottom() - height,
        width,
        height,
    };
    let inner = panel::draw_popup(buf, area, &[text_span(TextRole::Key, prefix)], &[], &theme);
    for (n, (key, row, words)) in (0..inner.height).zip(rows) {
        let role = if console.availability(row).is_ok() {
            TextRole::Text
        } else {
            TextRole::Muted
        };
        draw_line(
            buf,
            paint::row_rect(inner, n),
            &[
                text_span(TextRole::Key, format!(" {key:<7}")),
                text_span(role, words),
            ],
            &theme,
        );
    }
}

/// A command with its price.
fn hint_label<'a>(
    console: &'a Console,
    command: &'static Command,
    words: &str,
) -> [TextSpan<'a>; 2] {
    let price = price_of(console, command).suffix();
    [
        text_span(TextRole::Key, console.cx.keymap.label(command.id)),
        text_span(TextRole::Muted, format!(" {words}{price}")),
    ]
}

/// Help is hinted at on every screen, however narrow.
fn is_help(command: &Command) -> bool {
    matches!(command.id, "help" | "form.help")
}

/// The areas of the hints: as many as fit, always including help. Unavailable commands are left
/// out, and an overlay or a dialog shows its own keys instead.
pub fn hint_areas(console: &Console, row: Rect) -> Vec<(Rect, &'static Command)> {
    if console.cx.ui.overlay.is_some() || console.cx.ui.dialog_has_keys() {
        return Vec::new();
    }
    let scope = if console.cx.ui.prompt.is_some() {
        Scope::Prompt
    } else {
        console.cx.ui.focus.scope()
    };
    let hints = console.cx.keymap.hints(scope).iter().copied();
    let all: Vec<(&'static Command, u16)> = hints
        .filter_map(|command| {
            let words = console
                .hint_text(command)
                .or_else(|| is_help(command).then_some(command.title))?;
            Some((
                command,
                paint::spans_width(&hint_label(console, command, words)),
            ))
        })
        .collect();
    let reserved: u16 = all
        .iter()
        .filter(|(command, _)| is_help(command))
        .map(|(_, width)| width + 2)
        .sum();
    let mut x = row.x + 1;
    let mut areas = Vec::new();
    for (command, width) in all {
        let room = row.right().saturating_sub(x);
        let needed = width + if is_help(command) { 0 } else { reserved };
        if needed > room && !is_help(command) {
            continue;
        }
        let area = Rect {
            x,
            width: width.min(room),
            ..row
        };
        x = x.saturating_add(area.width + 2);
        areas.push((area, command));
    }
    areas
}

#[cfg(test)]
mod tests {
    use crate::app::command::Scope;
    use crate::app::msg::Msg;
    use crate::app::testing::{TestConsole, morning_queue};

    fn footer(console: &TestConsole) -> String {
        console
            .screen_text()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn the_footer_follows_the_focused_pane() {
        let console = TestConsole::with_rows(morning_queue());
        assert!(
            footer(&console).contains("Enter open") && !footer(&console).contains("to list"),
            "{}",
            footer(&console)
        );
        let console = console.press("Tab");
        assert!(
            footer(&console).contains("Tab to list  J scroll"),
            "{}",
            footer(&console)
        );
        let detail = TestConsole::at_scope(Scope::Detail);
        assert!(
            footer(&detail).contains("Tab timeline"),
            "{}",
            footer(&detail)
        );
        let timeline = detail.press("Tab");
        assert!(
            footer(&timeline).contains("Enter open") && footer(&timeline).contains("Tab to text"),
            "{}",
            footer(&timeline)
        );
    }

    #[test]
    fn the_queue_shows_first_the_keys_that_a_morning_takes() {
        let keys = ["e done", "Enter open", "H snooze", "ac call", "? help"];
        let more = ["/ find", "f filter", "z undo"];
        for (size, keys) in [
            ((120, 36), [&keys[..], &more].concat()),
            ((80, 24), [&keys[..], &more].concat()),
            ((60, 20), keys.to_vec()),
        ] {
            let console = TestConsole::with_rows(morning_queue()).press("e").serve();
            let footer = footer(&console.send(Msg::Resized(size.0, size.1)));
            for key in keys {
                assert!(footer.contains(key), "{size:?}: {key} is not in\n{footer}");
            }
        }
    }

    #[test]
    fn the_key_to_call_stands_before_the_one_to_annotate() {
        for scope in [
            Scope::Detail,
            Scope::ViewRecords,
            Scope::Book,
            Scope::Record,
        ] {
            for (width, height) in [(120, 36), (80, 24), (60, 20)] {
                let console = TestConsole::at_scope(scope).send(Msg::Resized(width, height));
                let footer = footer(&console);
                let call = footer.find("ac call");
                assert!(call.is_some(), "{scope:?} {width}: {footer}");
                let annotate = footer.find("aa annotate");
                assert!(annotate.is_none() || call < annotate, "{footer}");
                assert_eq!(
                    scope == Scope::Detail,
                    footer.contains("H snooze"),
                    "{footer}"
                );
            }
        }
    }

    #[test]
    fn while_a_prompt_is_open_the_footer_shows_its_keys() {
        for (scope, keys) in [
            (Scope::Queue, "/"),
            (Scope::Explore, "E"),
            (Scope::Explore, "S"),
        ] {
            let console = TestConsole::at_scope(scope).press(keys);
            assert!(
                footer(&console).contains("Enter ok  Esc cancel"),
                "{scope:?} {keys}: {}",
                footer(&console)
            );
        }
    }

    #[test]
    fn the_keys_that_switch_tabs_are_shown_beside_the_tabs() {
        for scope in [
            Scope::Queue,
            Scope::Book,
            Scope::Detail,
            Scope::Record,
            Scope::Credits,
        ] {
            for size in [(200, 60), (120, 36), (80, 24), (60, 20)] {
                let console = TestConsole::at_scope(scope).send(Msg::Resized(size.0, size.1));
                let text = console.screen_text();
                assert!(text.contains(" [ or ]"), "{scope:?} {size:?}\n{text}");
            }
        }
    }

    #[test]
    fn esc_leaves_the_dashboard_and_the_footer_says_so() {
        let console = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("9");
        assert!(
            footer(&console).contains("Esc leave"),
            "{}",
            footer(&console)
        );
        let console = console.press("Esc");
        assert_eq!(console.context().ui.screen(), crate::app::Screen::Book);
    }
}
