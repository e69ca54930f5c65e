//! Bookmarks as their users see them.

use crate::app::testing::{TestConsole, morning_queue, signal_id};
use crate::app::{Effect, Screen};

fn queue() -> TestConsole {
    TestConsole::with_rows(morning_queue()).serve()
}

fn reads(console: &TestConsole) -> usize {
    console.calls.len()
}

#[test]
fn a_bookmarked_signal_is_listed_and_opened_from_anywhere_after_a_restart() {
    let console = queue().press("j j b");
    assert_eq!(
        console.notice_text().split(';').next(),
        Some("bookmarked, on this machine only")
    );
    let id = console.cursor_id();
    let console = console.restart().press("6").serve().press("'");
    let screen = console.screen_text();
    assert!(
        screen.contains("1 bookmark") && screen.contains("in New, 1 cr"),
        "{screen}"
    );
    let before = reads(&console);
    let console = console.press("Enter");
    assert_eq!(
        (console.context().ui.screen(), console.cursor_id()),
        (Screen::Detail, id)
    );
    assert!(
        console.screen_text().contains("since 2026-07-09"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        reads(&console.serve()),
        before + 1,
        "its project, for the price that was shown"
    );
}

#[test]
fn bookmarking_reads_and_sends_nothing_and_the_same_key_deletes_it() {
    let console = queue();
    let before = reads(&console);
    let console = console.press("b");
    assert!(
        console
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::SaveBookmark(_, Some(_))))
    );
    let console = console.press("b '");
    assert_eq!(
        console.notice_text().split(';').next(),
        Some("there are no bookmarks yet: bookmark a signal in the queue first"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        (reads(&console), console.saved_state.bookmarks.len()),
        (before, 0)
    );
}

#[test]
fn a_bookmarked_signal_that_has_left_the_queue_is_shown_as_it_was() {
    let mut console = queue().press("b");
    let id = console.cursor_id();
    assert_eq!(id, signal_id(1));
    console.rows.retain(|row| row.signal.id != id);
    let console = console
        .restart()
        .advance_time(chrono::Duration::days(90))
        .poll()
        .serve();
    let console = console.press("'");
    assert!(
        console.screen_text().contains("left the queue, 1 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    assert!(
        console
            .notice_text()
            .starts_with("shown as of 2026-07-09: the signal is not among"),
        "{}",
        console.notice_text()
    );
    let console = console.press("e");
    assert!(
        console.notice_text().contains("not among the loaded rows"),
        "{}",
        console.notice_text()
    );
    assert!(console.triage_calls().is_empty());
}
