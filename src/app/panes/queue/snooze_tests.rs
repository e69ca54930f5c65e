//! Snoozing from the queue: what leaves New, what comes back, and what stays on this machine.

use chrono::Duration;

use crate::app::msg::{Msg, Push};
use crate::app::testing::{
    TestConsole, golden, many_rows, morning_queue, parse_time, queue_row, signal_id,
};
use crate::app::{AppSettings, ConsoleSession, Screen};
use crate::domain::queue::QueueTab;

fn start() -> TestConsole {
    TestConsole::with_rows(morning_queue()).serve()
}

/// The signals of the current tab, as its lines show them.
fn shown(console: &TestConsole) -> Vec<usize> {
    let tab = console.context().queue.current_tab();
    let number = |at: usize| {
        tab.row_at(at)
            .map(|row| row.signal.id.0.as_u128() as usize - 0x1000)
    };
    (0..tab.len()).filter_map(number).collect()
}

fn labels(console: &TestConsole) -> String {
    console
        .screen_text()
        .lines()
        .find(|line| line.contains("Done"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn three_signals_snoozed_until_monday_return_marked_and_on_top() {
    let console = start();
    let before = shown(&console);
    let console = console.press("j x x x H").type_text("mon").press("Enter");
    assert!(
        console
            .notice_text()
            .starts_with("Snoozed 3 signals until Mon 13 Jul, on this machine only"),
        "{}",
        console.notice_text()
    );
    assert_eq!(shown(&console), [&before[..1], &before[4..]].concat());
    assert!(
        labels(&console).contains(&format!("New {}", before.len() - 3)),
        "{}",
        labels(&console)
    );
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 3);
    assert_eq!(
        (console.service_new_count(), console.triage_calls().len()),
        (before.len(), 0),
        "nothing is sent"
    );

    let console = console
        .press("k k")
        .advance_time(Duration::days(3))
        .poll()
        .serve();
    assert_eq!(shown(&console).len(), before.len() - 3, "it is Sunday");
    let console = console.advance_time(Duration::days(1)).poll().serve();
    assert_eq!(
        &shown(&console)[..4],
        [before[1], before[2], before[3], before[0]]
    );
    assert!(
        console
            .notice_text()
            .starts_with("Back from snooze, on top of New: "),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains('↩'),
        "{}",
        console.screen_text()
    );
    assert!(labels(&console).contains("Today 3"), "{}", labels(&console));
}

#[test]
fn header_and_tab_show_the_same_number_of_new_signals_at_every_width() {
    let console = start().poll().serve().press("H Enter");
    let new = shown(&console).len();
    let mut console = console;
    for size in [(200, 60), (120, 36), (80, 24), (60, 20)] {
        console = console.send(Msg::Resized(size.0, size.1));
        let screen = console.screen_text();
        let header = screen.lines().next().unwrap_or_default();
        assert!(header.contains(&format!("NEW {new}")), "{size:?}: {header}");
        assert!(labels(&console).contains(&format!("New {new}")), "{screen}");
    }
}

#[test]
fn today_shows_why_a_signal_was_snoozed() {
    let console = start()
        .press("H")
        .type_text("mon, waiting for the lender")
        .press("Enter ' G");
    let screen = console.screen_text();
    assert!(
        screen.contains("Mon           waiting for the lender   Harbor Yard Lofts"),
        "the list has the whole reason: {screen}"
    );
    assert!(
        screen.contains("waiting for the lender; snoozed until"),
        "the preview begins with it: {screen}"
    );
    assert!(!screen.contains("triage"), "it is not new here: {screen}");
}

#[test]
fn a_snooze_is_undone_and_redone_without_a_request() {
    let console = start();
    let before = shown(&console);
    let console = console.press("H Enter");
    let calls = console.calls.len();
    let console = console.press("z");
    assert_eq!(
        (
            shown(&console),
            console.notice_text().starts_with("undone: snooze of ")
        ),
        (before.clone(), true)
    );
    let console = console.press("Z");
    assert_eq!(shown(&console), before[1..]);
    assert_eq!(console.calls.len(), calls);
    assert_eq!(console.saved_state.snoozes.len(), 1);
    assert_eq!(console.press("z").saved_state.snoozes.len(), 0);
}

#[test]
fn undo_takes_snoozes_and_triage_in_their_order() {
    let console = start();
    let before = shown(&console);
    let console = console.press("H Enter").press("e").serve();
    assert_eq!(shown(&console), before[2..]);
    let console = console.press("z").serve();
    assert_eq!(
        (shown(&console), console.service_new_count()),
        (before[1..].to_vec(), before.len())
    );
    assert_eq!(shown(&console.press("z")), before);
}

#[test]
fn today_lists_what_is_put_aside_at_its_end_and_ends_it() {
    let console = start();
    let before = shown(&console);
    let console = console
        .press("H")
        .type_text("2w lender")
        .press("Enter H")
        .type_text("next")
        .press("Enter ' G")
        .serve();
    assert_eq!(console.context().queue.tab, QueueTab::Today);
    assert!(shown(&console).ends_with(&before[..2]));
    let screen = console.screen_text();
    assert!(
        screen.contains("07-23         lender   Harbor Yard Lofts")
            && screen.contains("next filing   Union Depot Tower"),
        "{screen}"
    );
    golden!("queue_today_120x36", console);
    let console = console.press("U");
    assert!(shown(&console).ends_with(&before[..1]));
    assert!(
        console.notice_text().starts_with("back to New: "),
        "{}",
        console.notice_text()
    );
    let console = console.press("H");
    assert!(
        console.screen_text().contains("Snooze 1 signal until"),
        "the same key as in New: {}",
        console.screen_text()
    );
    let console = console.type_text("banana");
    assert!(
        console.screen_text().contains("no match; try 3d,"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-u").type_text("now");
    assert!(
        console.screen_text().contains("back to New"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter ]").serve();
    assert_eq!(shown(&console), before);
}

#[test]
fn snoozes_survive_a_restart_and_marking_done_ends_them() {
    let console = start();
    let before = shown(&console);
    let console = console
        .press("x x H Enter")
        .restart()
        .serve()
        .poll()
        .serve();
    assert_eq!(shown(&console), before[2..]);
    let console = console.press("' G").serve();
    assert_eq!(console.context().queue.tab, QueueTab::Today);
    let console = console.press("e").serve();
    assert_eq!(
        (
            console.service_new_count(),
            console.saved_state.snoozes.len()
        ),
        (before.len() - 1, 1)
    );
    let console = console.press("z").serve();
    assert_eq!(
        (
            console.service_new_count(),
            console.saved_state.snoozes.len()
        ),
        (before.len(), 2),
        "undone, it sleeps on"
    );
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 2);
    let console = console.press("Z").serve();
    assert_eq!(
        (
            console.service_new_count(),
            console.saved_state.snoozes.len()
        ),
        (before.len() - 1, 1),
        "and both are redone"
    );
}

#[test]
fn a_snoozed_signal_that_a_colleague_marks_done_is_no_longer_snoozed() {
    let console = start();
    let id = shown(&console)[2];
    let console = console
        .press("j j H Enter")
        .ben_marks_done(&[id])
        .poll()
        .serve();
    assert_eq!(console.saved_state.snoozes, []);
    assert!(
        console
            .notice_text()
            .contains("Mill & 4th Mixed Use: done by Ben K."),
        "{}",
        console.notice_text()
    );
}

#[test]
fn the_next_filing_of_the_project_ends_the_snooze() {
    let console = start();
    let row = console
        .context()
        .queue
        .new
        .current_row()
        .expect("a row")
        .clone();
    let console = console
        .press("H")
        .type_text("next filing")
        .press("Enter")
        .advance_time(Duration::hours(1));
    assert_ne!(shown(&console)[0], 1);
    let console = console
        .edit_rows(|rows| {
            let mut filing = queue_row(
                900,
                "low",
                "permit_filed",
                "2026-07-09",
                (1, "Harbor Yard Lofts"),
                None,
            );
            filing.signal.discovered_at = Some("2026-07-09T10:00:00Z".into());
            rows.push(filing);
        })
        .poll()
        .serve();
    assert_eq!(
        console
            .context()
            .queue
            .new
            .row_at(0)
            .map(|first| first.signal.id),
        Some(row.signal.id)
    );
    assert!(
        console.notice_text().contains("Back from snooze"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_returned_signal_below_the_loaded_rows_is_read_and_on_top() {
    let console = TestConsole::with_rows(many_rows(450))
        .serve()
        .press("G")
        .serve()
        .press("H")
        .type_text("2h")
        .press("Enter");
    let console = console.restart().serve().poll().serve();
    let console = console.advance_time(Duration::hours(3)).poll().serve();
    assert_eq!(
        console
            .context()
            .queue
            .new
            .row_at(0)
            .map(|first| first.signal.id),
        Some(signal_id(450))
    );
}

#[test]
fn a_time_that_cannot_be_is_not_offered() {
    let console = start().press("H").type_text("someday");
    assert!(!console.screen_text().contains("tomorrow"));
    let console = console.press("Enter");
    assert_eq!(console.saved_state.snoozes, []);
}

#[test]
fn snoozing_a_range_ends_it() {
    let console = start().press("v j j H Enter");
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 3);
    assert_eq!(console.context().queue.new.range_anchor, None);
}

#[test]
fn a_typed_command_snoozes_the_marked_signals() {
    let console = start();
    let before = shown(&console);
    let console = console.press("x x :").type_text("snooze 3d").press("Enter");
    assert!(
        console
            .notice_text()
            .starts_with("Snoozed 2 signals until Sun 12 Jul"),
        "{}",
        console.notice_text()
    );
    assert_eq!(shown(&console), before[2..]);
    let console = console.press("8 :").type_text("snooze 3d").press("Enter");
    assert!(
        console
            .notice_text()
            .starts_with("snooze: only in the queue"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn the_open_signal_is_snoozed_and_the_list_is_back() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("H");
    let screen = console.screen_text();
    assert!(
        screen.contains("Snooze 1 signal until") && !screen.contains("find"),
        "{screen}"
    );
    let console = console.type_text("3d").press("Enter");
    assert_eq!(
        (
            console.saved_state.snoozes.len(),
            console.context().ui.screen()
        ),
        (1, Screen::Queue)
    );
    assert!(!shown(&console).contains(&1), "{}", console.screen_text());
}

#[test]
fn a_read_only_console_snoozes_and_undoes_it() {
    let session = ConsoleSession {
        label: "demo".into(),
        connected: true,
        read_only: true,
        is_dashboard_only: false,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
            .poll()
            .serve();
    let console = console.press("H").type_text("3d").press("Enter");
    assert_eq!(
        console.saved_state.snoozes.len(),
        1,
        "{}",
        console.screen_text()
    );
    let console = console.press("z");
    assert_eq!(
        console.saved_state.snoozes.len(),
        0,
        "{}",
        console.screen_text()
    );
    assert_eq!(console.press("Z").saved_state.snoozes.len(), 1);
}

#[test]
fn snoozes_that_a_command_makes_or_ends_show_after_a_poll() {
    let console = TestConsole::with_rows(morning_queue())
        .press("H")
        .type_text("3d")
        .press("Enter");
    let snoozes = console.saved_state.snoozes.clone();
    let all = shown(&console).len();
    let push = |console: TestConsole, seconds: i64, snoozes| {
        let read_at = parse_time("2026-07-09T09:20:14Z") + Duration::seconds(seconds);
        console.send(Msg::Pushed(Push::Snoozes { read_at, snoozes }))
    };
    let console = push(console, -1, Vec::new());
    assert_eq!(
        shown(&console).len(),
        all,
        "what was read before says nothing"
    );
    let console = push(console, 1, Vec::new());
    assert_eq!(shown(&console).len(), all + 1, "a command ended it");
    let console = push(console, 2, snoozes);
    assert_eq!(shown(&console).len(), all);
}
