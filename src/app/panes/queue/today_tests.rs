//! The Today tab: what it lists, in which order, what its keys act on, and how a day ends.

use chrono::Duration;
use serde_json::json;

use crate::app::command::Scope;
use crate::app::model::line_order::Line;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::SignalId;
use crate::domain::book::Dataset;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::records::Record;

fn loaded() -> TestConsole {
    TestConsole::with_rows(morning_queue()).poll().serve()
}

fn today() -> TestConsole {
    loaded().press("'").serve()
}

fn is_on_row(console: &TestConsole) -> bool {
    let tab = console.context().queue.current_tab();
    matches!(tab.line_at(tab.scroll.cursor), Some(Line::Row(_)))
}

fn row_under_cursor(console: &TestConsole) -> Option<SignalId> {
    let row = console.context().queue.current_tab().current_row();
    row.map(|row| row.signal.id)
}

fn shown(console: &TestConsole) -> Vec<SignalId> {
    console.context().queue.current_tab().shown_ids().collect()
}

#[test]
fn today_lists_what_leaves_soon_and_the_ten_best() {
    let console = today();
    golden!("queue_today_start_120x36", console);
    let screen = console.screen_text();
    let places = [
        "leaves the queue within 7 days   1",
        "best new signals   10",
    ];
    let places = places.map(|part| {
        screen
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {screen}"))
    });
    assert!(places.is_sorted(), "{screen}");
}

#[test]
fn a_day_ends_with_what_was_done_and_what_is_left_for_tomorrow() {
    let mut console = today();
    for _ in 0..11 {
        assert!(is_on_row(&console), "{}", console.screen_text());
        console = console.press("e").serve();
    }
    let screen = console.screen_text();
    assert!(
        screen.contains("You are through: 11 done, 5 left for tomorrow."),
        "{screen}"
    );
    let undone = console.press("z").serve().poll().serve();
    let screen = undone.screen_text();
    assert!(!screen.contains("You are through"), "{screen}");
    assert!(
        is_on_row(&undone),
        "what came back has the cursor: {screen}"
    );
}

#[test]
fn what_is_put_off_is_not_what_the_next_key_acts_on() {
    let console = today().press("j j");
    let first = row_under_cursor(&console);
    let console = console.press("H Enter");
    let second = row_under_cursor(&console);
    assert!(
        is_on_row(&console) && second != first,
        "{}",
        console.screen_text()
    );
    let console = console.press("e").serve();
    let left = console.context().queue.snoozes.sleeping_count();
    assert_eq!(left, 1, "the snoozed signal sleeps on");
    let done = second.map(|id| console.context().queue.new.list.row(id).is_none());
    assert_eq!(done, Some(true));
}

#[test]
fn after_an_undo_the_cursor_is_on_what_came_back() {
    let console = today().press("j j");
    let put_off = row_under_cursor(&console);
    let console = console.press("H Enter z");
    assert_eq!(
        row_under_cursor(&console),
        put_off,
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_heading_acts_on_nothing_and_folds() {
    let console = today().press("k");
    assert!(!is_on_row(&console), "{}", console.screen_text());
    let before = console.service_new_count();
    let console = console.press("e H").serve();
    assert_eq!(console.service_new_count(), before);
    let lines = |console: &TestConsole| console.context().queue.current_tab().len();
    let open = lines(&console);
    let folded = console.press("Enter");
    assert!(lines(&folded) < open, "{}", folded.screen_text());
    assert_eq!(lines(&folded.press("Enter")), open);
}

#[test]
fn marks_of_what_was_put_off_are_gone() {
    let console = today().press("j j Space Space H Enter");
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 2);
    assert!(console.context().queue.today.marks.is_empty());
    let before = console.service_new_count();
    let console = console.press("e").serve();
    assert_eq!(console.service_new_count(), before - 1);
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 2);
}

#[test]
fn marked_signals_are_meant_also_where_the_cursor_is_on_a_promise() {
    let console = TestConsole::at_scope(Scope::Promise);
    let console = console.press("j j Space g g j");
    let before = console.service_new_count();
    let console = console.press("e").serve();
    assert_eq!(
        console.service_new_count(),
        before - 1,
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_promise_can_be_called_and_annotated_where_it_is_listed() {
    let console = TestConsole::at_scope(Scope::Promise);
    let form = console.press("a c");
    let screen = form.screen_text();
    assert!(screen.contains("Call: Juniper Capital"), "{screen}");
    let screen = form.press("Esc Esc a n").screen_text();
    assert!(screen.contains("Juniper Capital"), "{screen}");
}

#[test]
fn a_signal_opened_from_today_is_marked_done_and_the_next_of_today_opens() {
    let console = today().press("Enter").serve();
    let before = console.service_new_count();
    let console = console.press("e").serve();
    assert_eq!(
        console.service_new_count(),
        before - 1,
        "{}",
        console.screen_text()
    );
    let opened = console.context().current_signal().map(|row| row.signal.id);
    assert_eq!(opened, row_under_cursor(&console.press("q")));
}

#[test]
fn one_can_step_through_all_of_today_in_the_detail() {
    let all = shown(&today());
    let mut console = today().press("Enter").serve();
    let mut seen = Vec::new();
    for _ in 0..all.len() {
        seen.extend(console.context().current_signal().map(|row| row.signal.id));
        console = console.press("J").serve();
    }
    assert_eq!(seen.len(), all.len());
    assert!(
        seen.iter().all(|id| all.contains(id)),
        "{}",
        console.screen_text()
    );
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all.len(), "none opens twice");
}

#[test]
fn new_keeps_its_filter_and_today_shows_what_matches() {
    let console = loaded().press("!").serve();
    let high = shown(&console);
    let console = console.press("'").serve();
    let of_today = shown(&console);
    assert!(!of_today.is_empty() && of_today.iter().all(|id| high.contains(id)));
    assert_eq!(shown(&console.press("]").serve()), high);
}

#[test]
fn nothing_is_said_about_a_day_before_the_queue_is_read() {
    let screen = TestConsole::with_rows(morning_queue())
        .poll()
        .press("'")
        .screen_text();
    assert!(!screen.contains("You are through"), "{screen}");
}

#[test]
fn another_day_begins_with_ten_others_and_nothing_done() {
    let mut console = today();
    for _ in 0..11 {
        console = console.press("e").serve();
    }
    let console = console.advance_time(Duration::days(1)).poll().serve();
    let screen = console.screen_text();
    assert!(screen.contains("best new signals   5"), "{screen}");
}

/// A console that knows whose account the project of a row is; and the row.
fn with_owner(tag: &str, slot: usize) -> (TestConsole, QueueSignal) {
    let mut console = loaded();
    let queue = &mut console.context_mut().queue;
    let row = queue.new.list.row_at(slot).expect("a loaded row").clone();
    let account: Record = serde_json::from_value(json!({
        "id": uuid::Uuid::from_u128(77),
        "name": "Juniper Capital",
        "tags": [tag],
        "projects": [{"id": row.signal.project_id}],
    }))
    .expect("an account");
    queue
        .facts
        .learn_record(&Dataset::Accounts, &account, Some(true));
    (console, row)
}

#[test]
fn a_colleagues_signal_is_marked_done_only_after_a_question_once_for_each_colleague() {
    let (console, _) = with_owner("owner:Ben", 0);
    let before = console.service_new_count();
    let console = console.press("e").serve();
    let screen = console.screen_text();
    assert!(screen.contains("owner:Ben"), "{screen}");
    let declined = console.press("Esc");
    assert_eq!(declined.service_new_count(), before);
    let asked = declined.press("e").serve();
    assert!(asked.screen_text().contains("owner:Ben"), "it was declined");
    let console = asked.press("y Enter").serve();
    assert_eq!(console.service_new_count(), before - 1);
    let undone = console.press("z").serve();
    let console = undone.press("e").serve();
    assert_eq!(console.service_new_count(), before - 1, "it was asked once");
}

#[test]
fn my_signals_are_listed_by_a_command_and_marked_done_without_a_question() {
    let (console, row) = with_owner("owner:Ana R.", 9);
    let console = console.press(":").type_text("mine").press("Enter").serve();
    let shown = console.context().queue.current_tab().shown_rows();
    let projects: Vec<_> = shown.map(|row| row.signal.project_id).collect();
    let is_mine = |project| project == row.signal.project_id;
    assert!(
        projects.into_iter().all(is_mine),
        "{}",
        console.screen_text()
    );
    let before = console.service_new_count();
    assert_eq!(console.press("e").serve().service_new_count(), before - 1);
}

#[test]
fn signals_on_accounts_that_are_mine_come_before_the_best() {
    let (console, row) = with_owner("owner:ana r.", 9);
    let console = console.press("'");
    let screen = console.screen_text();
    let (mine, best) = (
        screen.find("on your accounts"),
        screen.find("best new signals"),
    );
    assert!(mine.is_some() && mine < best, "{screen}");
    let first = console.context().queue.today.current_row().expect("a row");
    assert_eq!(first.signal.project_id, row.signal.project_id);
    assert_eq!(console.context().queue.tab, QueueTab::Today);
}

#[test]
fn a_search_finds_promises_and_signals_of_today() {
    let console = today().press("/").type_text("riverbend").press("Enter");
    let shown = console.context().queue.current_tab().shown_rows();
    let names: Vec<&str> = shown
        .filter_map(|row| row.signal.project_name.as_deref())
        .collect();
    assert_eq!(names, ["Riverbend Medical"]);
    let console = TestConsole::at_scope(Scope::Promise);
    let console = console.press("/").type_text("send plans").press("Enter");
    let found = console.context().queue.current_tab().current_promise();
    assert!(found.is_some(), "{}", console.screen_text());
}
