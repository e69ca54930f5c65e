//! Tests of record pages and jumps, as their users see them.

use chrono::Duration;

use crate::app::Screen;
use crate::app::command::Scope;
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};

fn page() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve().press("j Enter").serve()
}

fn record_reads(console: &TestConsole) -> usize {
    console.calls.iter().filter(|call| matches!(call, ServiceCall::Record { .. })).count()
}

#[test]
fn going_back_to_the_previous_screen_reopens_no_closed_page() {
    let console = TestConsole::at_scope(Scope::Record).press("1 Enter").serve().press("g p").serve().press("Esc `");
    assert_eq!(console.context().screen(), Screen::Queue);
}

#[test]
fn a_page_is_one_get_and_revisiting_it_is_free() {
    let console = page();
    assert_eq!(record_reads(&console), 1);
    assert!(
        console.screen_text().contains("Calder Residential") && console.screen_text().contains("met at the fair"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc Enter").serve();
    assert_eq!(record_reads(&console), 1);
}

#[test]
fn a_page_takes_newer_values_from_a_row_read_after_it() {
    let written = |mut console: TestConsole| {
        let id = console.context().displayed_list().unwrap().current_record().unwrap().id;
        console.service.book.get_mut(&id).unwrap().insert("workspace_status".to_owned(), "quoted".into());
        console
    };
    let console = written(page().press("Esc")).advance_time(Duration::minutes(5)).press("R").serve().press("j Enter").serve();
    assert!(console.screen_text().contains("quoted"), "the page\n{}", console.screen_text());
    assert_eq!(record_reads(&console), 1);
    let console = written(TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve().press("j"));
    let console = console.advance_time(Duration::minutes(5)).press("Enter").serve().press("Esc");
    assert!(console.screen_text().contains("quoted"), "the row\n{}", console.screen_text());
}

#[test]
fn from_an_account_to_its_project_and_back() {
    let console = page().press("Tab Enter").serve();
    assert!(console.screen_text().contains("Book › Calder Residential › Harbor Yard Lofts"), "{}", console.screen_text());
    assert_eq!(record_reads(&console), 2);
    let console = console.press("Esc");
    assert!(console.screen_text().contains("Book › Calder Residential"));
    let console = console.press("Esc");
    assert!(console.screen_text().contains("Brightline GC"), "the list keeps its cursor: {}", console.screen_text());
}

#[test]
fn from_a_signal_to_its_project_page_without_paying_again() {
    let console = TestConsole::with_rows(morning_queue()).press("Enter").serve().press("g p").serve();
    assert!(console.screen_text().contains("Signal › Harbor Yard Lofts"), "{}", console.screen_text());
    assert_eq!(record_reads(&console), 1, "the project was paid for when the signal was opened");
    assert!(console.press("q").screen_text().contains("Overview"));
}

#[test]
fn a_page_is_read_again_only_by_the_refresh_key() {
    assert_eq!(record_reads(&page().press("r").serve()), 2);
}

#[test]
fn the_source_of_a_record_never_overlaps_the_tabs() {
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
