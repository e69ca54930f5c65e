//! The Today tab: what it lists, in which order, and how a day ends.

use serde_json::json;

use crate::app::model::line_order::Line;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::Dataset;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::records::Record;

fn today() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .poll()
        .serve()
        .press("'")
}

fn is_on_row(console: &TestConsole) -> bool {
    let tab = console.context().queue.current_tab();
    matches!(tab.line_at(tab.scroll.cursor), Some(Line::Row(_)))
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
    let console = console.press("z").serve().poll().serve();
    let screen = console.screen_text();
    assert!(!screen.contains("You are through"), "{screen}");
}

/// A console that knows whose account the project of a row is; and the row.
fn with_owner(tag: &str, slot: usize) -> (TestConsole, QueueSignal) {
    let mut console = TestConsole::with_rows(morning_queue()).poll().serve();
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
    assert_eq!(console.service_new_count(), before);
    let console = console.press("Esc e").serve();
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
}

#[test]
fn today_is_put_together_whatever_the_filter_and_new_keeps_it() {
    let console = TestConsole::with_rows(morning_queue()).poll().serve();
    let console = console.press("!").serve();
    let shown = |console: &TestConsole| console.context().queue.current_tab().shown_count();
    let high = shown(&console);
    let console = console.press("'").serve();
    assert_eq!(shown(&console), 11);
    let console = console.press("!");
    assert!(
        console.notice_text().contains("its own choice and order"),
        "{}",
        console.notice_text()
    );
    let console = console.press("]").serve();
    assert_eq!(console.context().queue.tab, QueueTab::New);
    assert_eq!(shown(&console), high);
}

#[test]
fn a_search_finds_promises_and_signals_of_today() {
    let console = today().press("/").type_text("riverbend").press("Enter");
    let shown = console.context().queue.current_tab().shown_rows();
    let names: Vec<&str> = shown
        .filter_map(|row| row.signal.project_name.as_deref())
        .collect();
    assert_eq!(names, ["Riverbend Medical"]);
}
