//! Record pages and jumps, in the words of their users.

use chrono::Duration;

use crate::app::Screen;
use crate::app::command::Scope;
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};

fn page() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve().press("j Enter").serve()
}

fn gets(console: &TestConsole) -> usize {
    console.calls.iter().filter(|call| matches!(call, ServiceCall::Record { .. })).count()
}

#[test]
fn going_back_to_the_screen_before_opens_no_page_that_was_left() {
    let console = TestConsole::at_scope(Scope::Record).press("1 Enter").serve().press("g p").serve().press("Esc `");
    assert_eq!(console.app.screen, Screen::Queue);
}

#[test]
fn a_page_is_one_get_and_going_back_and_again_costs_nothing() {
    let console = page();
    assert_eq!(gets(&console), 1);
    assert!(
        console.screen_text().contains("Calder Residential") && console.screen_text().contains("met at the fair"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc Enter").serve();
    assert_eq!(gets(&console), 1);
}

#[test]
fn a_page_is_as_new_as_the_row_that_was_paid_for_after_it() {
    let written = |mut console: TestConsole| {
        let id = console.app.records().unwrap().current().unwrap().id;
        console.service.book.get_mut(&id).unwrap().insert("workspace_status".to_owned(), "quoted".into());
        console
    };
    let console = written(page().press("Esc")).advance_time(Duration::minutes(5)).press("R").serve().press("j Enter").serve();
    assert!(console.screen_text().contains("quoted"), "the page\n{}", console.screen_text());
    assert_eq!(gets(&console), 1);
    let console = written(TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve().press("j"));
    let console = console.advance_time(Duration::minutes(5)).press("Enter").serve().press("Esc");
    assert!(console.screen_text().contains("quoted"), "the row\n{}", console.screen_text());
}

#[test]
fn from_an_account_to_its_project_and_back_over_the_trail() {
    let console = page().press("Tab Enter").serve();
    assert!(console.screen_text().contains("Book › Calder Residential › Harbor Yard Lofts"), "{}", console.screen_text());
    assert_eq!(gets(&console), 2);
    let console = console.press("Esc");
    assert!(console.screen_text().contains("Book › Calder Residential"));
    let console = console.press("Esc");
    assert!(console.screen_text().contains("Brightline GC"), "the list with its cursor: {}", console.screen_text());
}

#[test]
fn from_a_signal_to_the_page_of_its_project_for_what_was_paid_already() {
    let console = TestConsole::with_rows(morning_queue()).press("Enter").serve().press("g p").serve();
    assert!(console.screen_text().contains("Signal › Harbor Yard Lofts"), "{}", console.screen_text());
    assert_eq!(gets(&console), 1, "the project was paid for when the signal was opened");
    assert!(console.press("q").screen_text().contains("Overview"));
}

#[test]
fn a_page_is_read_again_only_by_its_key() {
    assert_eq!(gets(&page().press("r").serve()), 2);
}

#[test]
fn where_a_record_comes_from_never_stands_over_the_tabs() {
    for width in [60, 64, 68] {
        let screen = page().send(Msg::Resized(width, 20)).press("[").screen_text();
        assert!(["signals 0", "in the book, read"].iter().all(|words| screen.contains(words)), "{width}: {screen}");
    }
}

#[test]
fn golden_screens_of_a_record() {
    golden!("record_120x36", page());
    golden!("record_raw_120x36", page().press("["));
    golden!("record_80x24", page().send(Msg::Resized(80, 24)));
    golden!("record_60x20", page().press("]").send(Msg::Resized(60, 20)));
}
