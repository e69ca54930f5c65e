//! The card of the first start: five keys, and what the console does by itself. It is shown once
//! for each service.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{AfterTriage, Context};
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, text_span};

const WIDTH: u16 = 60;
/// The widest label of a key.
const KEY_WIDTH: usize = 5;

/// The five keys, each with what it does.
const FIRST_KEYS: [(&[&str], &str); 5] = [
    (&["queue.done"], "mark the signal done, for the whole team"),
    (&["queue.open"], "open it: project, firms, people, timeline"),
    (&["undo"], "undo the last change"),
    (
        &["queue.filter", "find"],
        "filter the queue; find a text in it",
    ),
    (&["help"], "every key of the screen you are on"),
];

pub(super) fn draw(cx: &Context, buf: &mut Buffer, theme: &Theme) {
    let all = cx.frame.layout().frame;
    let cells = usize::from(WIDTH.min(all.width).saturating_sub(6));
    let lines = card_lines(cx, cells);
    let is_airy = all.height >= 24;
    let rows = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(if is_airy { 5 } else { 4 });
    let mut card = panel::centered_rect(all, WIDTH, rows);
    // The title of the list stays visible.
    card.y = card
        .y
        .max(all.height.saturating_sub(card.height + 2).min(5));
    let note = [text_span(TextRole::Muted, "shown once")];
    let inner = panel::draw_popup(
        buf,
        card,
        &[text_span(TextRole::Strong, "Welcome to gantry")],
        &note,
        theme,
    );
    let inner = area::inset_sides(inner, 2);
    let top = inner.y + u16::from(is_airy);
    let body = Rect {
        y: top,
        height: inner.bottom().saturating_sub(top + 1),
        ..inner
    };
    paint::draw_lines(buf, body, &lines, theme);
    let hint = "{choice.accept} start     any other key works at once";
    let hint = cx.keymap.expand_keys_styled(TextRole::Muted, hint);
    draw_line(
        buf,
        paint::row_rect(inner, inner.height.saturating_sub(1)),
        &hint,
        theme,
    );
}

fn card_lines(cx: &Context, cells: usize) -> Vec<Vec<TextSpan<'static>>> {
    let paragraph = |words: &str, role| {
        let wrapped = text::wrap_text(words, cells);
        wrapped
            .into_iter()
            .map(move |line| vec![text_span(role, line)])
            .collect::<Vec<_>>()
    };
    let mut lines = Vec::new();
    if cx.settings.is_sample {
        lines.extend(paragraph(
            "Sample data: nothing you do here reaches anyone.",
            TextRole::Warning,
        ));
        lines.push(Vec::new());
    }
    let may_write = cx.team.can_write(&cx.session).is_ok();
    let is_write = |id: &&str| {
        let mut commands = cx.keymap.commands();
        commands.any(|command| command.id == *id && command.writes)
    };
    let works = |ids: &[&str]| may_write || !ids.iter().any(is_write);
    for (ids, words) in FIRST_KEYS.into_iter().filter(|(ids, _)| works(ids)) {
        let keys = ids
            .iter()
            .map(|id| cx.keymap.label_or_palette_name(id))
            .collect::<Vec<_>>()
            .join("  ");
        lines.push(vec![
            text_span(TextRole::Key, format!("{keys:>KEY_WIDTH$}   ")),
            text_span(TextRole::Text, words),
        ]);
    }
    lines.push(Vec::new());
    let after = match cx.settings.after_triage {
        AfterTriage::Next => "the cursor goes to the next signal",
        AfterTriage::Stay => "the cursor stays where it is",
        AfterTriage::Back => "the cursor goes to the signal before",
    };
    let poll = match cx.settings.poll_interval {
        Some(every) => format!(
            "Counts are refreshed every {} s, for free.",
            every.as_secs()
        ),
        None => "Counts are refreshed only when you ask, for free.".to_owned(),
    };
    if may_write {
        lines.extend(paragraph(&format!("After done, {after}."), TextRole::Muted));
    }
    lines.extend(paragraph(&poll, TextRole::Muted));
    lines.extend(paragraph(
        "Whatever costs credits shows its price first.",
        TextRole::Muted,
    ));
    lines
}

#[cfg(test)]
mod tests {
    use crate::app::msg::Msg;
    use crate::app::testing::{TestConsole, golden, morning_queue};
    use crate::app::{AppSettings, ConsoleSession, Effect};

    fn first_start(size: (u16, u16)) -> TestConsole {
        let settings = AppSettings {
            has_first_run_card: true,
            is_sample: true,
            ..AppSettings::default()
        };
        TestConsole::with_size(morning_queue(), size, settings)
            .poll()
            .serve()
    }

    #[test]
    fn the_first_start_shows_five_keys_the_poll_interval_and_what_happens_after_done() {
        let text = first_start((120, 36)).screen_text();
        for shown in [
            "Sample data: nothing",
            "e   mark the signal done, for the whole team",
            "Enter   open it",
            "z   undo",
            "f  /   filter",
            "?   every key",
            "the cursor goes to the next signal",
            "refreshed every 15 s",
        ] {
            assert!(text.contains(shown), "{shown}\n{text}");
        }
    }

    #[test]
    fn the_card_leaves_out_the_keys_that_a_key_that_may_only_read_does_not_have() {
        let mut console = first_start((120, 36));
        console.context_mut().session.set_read_only();
        let text = console.send(Msg::Resized(120, 35)).screen_text();
        assert!(text.contains("Enter   open it"), "{text}");
        for hidden in ["mark the signal done", "undo the last", "After done"] {
            assert!(!text.contains(hidden), "{hidden}\n{text}");
        }
    }

    #[test]
    fn the_card_is_shown_once_for_each_service() {
        let saved = Effect::SavePreference("first_run.acme-west".to_owned(), "shown".to_owned());
        for key in ["Enter", "Esc", "j"] {
            let console = first_start((120, 36)).press(key);
            assert!(console.effects.contains(&saved), "{key}");
            assert!(!console.screen_text().contains("Welcome"), "{key}");
        }
        let preferences = [("first_run.acme-west".to_owned(), "shown".to_owned())].into();
        let settings = AppSettings {
            has_first_run_card: true,
            preferences,
            ..AppSettings::default()
        };
        let again = TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve();
        assert!(!again.screen_text().contains("Welcome"));
    }

    #[test]
    fn a_key_of_the_card_works_at_once_and_enter_only_closes_it() {
        assert_eq!(first_start((120, 36)).press("e").triage_calls().len(), 1);
        let console = first_start((120, 36)).press("Enter");
        assert_eq!(console.context().ui.screen(), crate::app::Screen::Queue);
        assert_eq!(
            first_start((120, 36)).press("Esc j").cursor_id(),
            crate::app::testing::signal_id(2)
        );
    }

    #[test]
    fn the_dashboard_and_a_window_without_room_show_no_card() {
        let session = ConsoleSession {
            label: "acme".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: true,
        };
        let settings = AppSettings {
            has_first_run_card: true,
            ..AppSettings::default()
        };
        let console = TestConsole::with_session(session, morning_queue(), (120, 36), settings)
            .poll()
            .serve();
        assert!(!console.screen_text().contains("Welcome"));
        for size in [(49, 20), (60, 17), (30, 8)] {
            let console = first_start(size);
            assert!(!console.screen_text().contains("Welcome"), "{size:?}");
            assert_eq!(console.press("e").triage_calls().len(), 1, "{size:?}");
        }
        let console = first_start((30, 8)).send(Msg::Resized(80, 24));
        assert!(
            !console.screen_text().contains("Welcome"),
            "it does not appear later, over something else"
        );
    }

    #[test]
    fn golden_screens_of_the_first_start() {
        golden!("first_run_200x60", first_start((200, 60)));
        golden!("first_run_120x36", first_start((120, 36)));
        golden!("first_run_80x24", first_start((80, 24)));
        golden!("first_run_60x20", first_start((60, 20)));
    }
}
