//! Filters and orders that loaded rows answer, as users see them.

use chrono::Duration;

use crate::app::model::record_list::RecordList;
use crate::app::testing::fake_service::accounts_list;
use crate::app::testing::{TestConsole, morning_queue};
use crate::domain::request_error::RequestError;

/// The filter is built but not applied.
fn build(console: TestConsole, terms: &str) -> TestConsole {
    console
        .press("f")
        .serve()
        .press("E Ctrl-u")
        .type_text(terms)
        .press("Enter")
}

fn sort_by(console: TestConsole, column: &str) -> TestConsole {
    console.press("s").type_text(column).press("Enter")
}

fn list(console: &TestConsole) -> &RecordList {
    console.context().displayed_list().expect("a list")
}

/// A field of the rows on the lines.
fn values(console: &TestConsole, field: &str) -> Vec<String> {
    list(console)
        .shown_rows()
        .map(|row| row.field_json(field).unwrap_or("none").to_owned())
        .collect()
}

#[test]
fn a_complete_list_answers_narrower_filters_and_says_so() {
    let console = build(TestConsole::with_book(), "icp_tier=tier_2");
    let screen = console.screen_text();
    assert!(
        screen.contains("shows 4 of the 8 loaded rows, 0 cr"),
        "{screen}"
    );
    let console = console.press("Enter");
    assert_eq!(
        console.notice_text(),
        "4 of the 8 loaded rows match, read 09:20, 0 credits"
    );
    let screen = console.screen_text();
    assert!(
        screen.contains("4 of 4") && screen.contains("from 8 loaded rows, 0 cr"),
        "{screen}"
    );
    assert_eq!(values(&console, "icp_tier"), ["\"tier_2\""; 4]);
    let console = build(console, "icp_tier=tier_2 workspace_status=contacted").press("Enter");
    assert!(
        console.notice_text().contains("of the 8 loaded rows"),
        "also from one filter to the next: {}",
        console.notice_text()
    );
    let console = console.press("F");
    assert!(
        console.screen_text().contains("8 of 8"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        (
            console.pending_calls.len(),
            console.count_searches(),
            console.service.spent
        ),
        (0, 1, 8)
    );
}

#[test]
fn what_only_the_service_can_test_is_asked_of_it_at_its_price() {
    for terms in ["name=calder", "city=Austin", "calder"] {
        let console = build(TestConsole::with_book(), terms);
        assert!(
            console
                .screen_text()
                .contains("reads up to 50 rows, at most 50 cr"),
            "{terms}: {}",
            console.screen_text()
        );
        assert_eq!(console.press("Enter").count_searches(), 2, "{terms}");
    }
    let console = build(TestConsole::with_large_book(), "icp_tier=tier_2");
    assert!(
        console.screen_text().contains("at most 50 cr"),
        "rows are missing: {}",
        console.screen_text()
    );
}

#[test]
fn a_refresh_of_what_loaded_rows_answered_asks_the_service() {
    let console = build(TestConsole::with_book(), "city==Austin").press("Enter");
    let found = list(&console).len() as u64;
    let console = console.press("R").serve();
    assert_eq!(
        (console.count_searches(), console.service.spent),
        (2, 8 + found)
    );
    assert!(
        !console.screen_text().contains("loaded rows, 0 cr"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn own_writes_count_in_the_next_local_answer() {
    let find = |console: TestConsole| build(console, "workspace_status=quoted").press("Enter");
    let console = find(TestConsole::with_book());
    assert!(
        console.notice_text().starts_with("0 of the 8 loaded rows"),
        "{}",
        console.notice_text()
    );
    let console = console
        .press("F a s")
        .type_text("quoted")
        .press("Ctrl-s Ctrl-s")
        .serve();
    let console = find(console);
    assert!(
        console
            .notice_text()
            .starts_with("1 of the 8 loaded rows matches"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn loaded_rows_are_sorted_for_free_and_the_service_sorts_at_its_price() {
    let console = TestConsole::with_large_book();
    let usual = values(&console, "name");
    let console = console.press("s");
    let screen = console.screen_text();
    assert!(screen.contains("50 of 200 rows loaded, 0 cr"), "{screen}");
    assert!(
        screen.contains("A to Z") && screen.contains("all 200 rows, at most 50 cr"),
        "{screen}"
    );
    let console = sort_by(console.press("Esc"), "score");
    assert_eq!(
        console.notice_text(),
        "sorted by score, largest first: only the 50 rows loaded"
    );
    let scores = |console: &TestConsole| -> Vec<u32> {
        values(console, "atlas_score")
            .iter()
            .map(|score| score.parse().expect("a number"))
            .collect()
    };
    let sorted = scores(&console);
    assert!(sorted.is_sorted_by(|one, next| one >= next), "{sorted:?}");
    let console = console.press(">").serve();
    assert_eq!(scores(&console).len(), 100);
    assert!(
        scores(&console).is_sorted_by(|one, next| one >= next),
        "the next page is sorted in"
    );
    assert_eq!(console.service.spent, 100);
    let console = sort_by(console, "were read");
    assert_eq!(values(&console, "name")[..50], usual);
    let console = sort_by(console, "service score").serve();
    assert_eq!((console.service.spent, console.count_searches()), (150, 3));
}

#[test]
fn the_cursor_stays_on_its_record_and_starts_at_the_top_of_new_rows() {
    let console = TestConsole::with_book().press("j j");
    let current = list(&console).current_record().map(|row| row.id);
    let console = sort_by(console, "score");
    assert_eq!(list(&console).current_record().map(|row| row.id), current);
    let console = console.press("R Down Enter").serve();
    assert_eq!(list(&console).lines.scroll.cursor, 0);
}

#[test]
fn the_order_of_the_book_is_there_the_next_day() {
    let console = TestConsole::with_rows(morning_queue())
        .restart()
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    let as_read = values(&console, "atlas_score");
    let mut console = sort_by(console, "score");
    let sorted = values(&console, "atlas_score");
    assert_ne!(sorted, as_read);
    console.service.spent = 0;
    let console = console.restart_after(Duration::days(1)).press("3").serve();
    assert_eq!(
        (values(&console, "atlas_score"), console.service.spent),
        (sorted, 0)
    );
    assert!(
        console.screen_text().contains("by score, largest first"),
        "{}",
        console.screen_text()
    );
    let console = console.press("F");
    assert_eq!(
        values(&console, "atlas_score"),
        as_read,
        "the filter key clears the order too"
    );
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .and_then(RecordList::sort),
        None
    );
}

#[test]
fn explore_answers_a_narrower_search_from_a_run_that_was_read_completely() {
    let run = |console: TestConsole, terms: &str| {
        console
            .press("E Ctrl-u")
            .type_text(terms)
            .press("Enter")
            .serve()
    };
    let start = TestConsole::with_rows(morning_queue())
        .press("5")
        .serve()
        .press("k Left Left");
    let console = run(start, "city=Austin").press("Enter").serve();
    let (spent, found) = (console.service.spent, list(&console).len());
    let console = run(console.press("Tab"), "city=Austin account_type=gc");
    let screen = console.screen_text();
    assert!(
        screen.contains(&format!("of the {found} loaded rows, 0 cr")),
        "{screen}"
    );
    let console = console.press("Enter");
    assert_eq!(
        (console.pending_calls.len(), console.service.spent),
        (0, spent)
    );
    assert!(
        !list(&console).is_empty() && list(&console).len() < found,
        "{}",
        console.screen_text()
    );
    assert!(
        values(&console, "account_types")
            .iter()
            .all(|types| types.contains("\"gc\""))
    );
}

/// A book of 200 rows of which 150 are loaded, an hour later.
fn three_pages() -> TestConsole {
    let mut console = TestConsole::with_large_book()
        .press(">")
        .serve()
        .press(">")
        .serve()
        .advance_time(Duration::hours(1));
    console.service.spent = 0;
    console
}

#[test]
fn a_refresh_of_several_pages_shows_its_price_and_reads_as_many_rows_as_were_loaded() {
    let console = three_pages().press("R");
    let screen = console.screen_text();
    assert!(
        screen.contains("the 150 loaded rows") && screen.contains("at most 150 cr"),
        "{screen}"
    );
    assert!(
        screen.contains("the first 50; the others stay as read 09:20"),
        "{screen}"
    );
    assert_eq!(console.service.spent, 0);
    let console = console.press("j Enter").serve();
    assert_eq!((list(&console).len(), console.service.spent), (150, 150));
    assert!(
        console.screen_text().contains("150 of 200")
            && console.screen_text().contains("read 10:20"),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    assert_eq!(list(&console).len(), 200, "the next page continues");
}

#[test]
fn a_refresh_of_the_first_page_keeps_the_later_pages_with_their_age() {
    let console = three_pages().press("R Enter").serve();
    assert_eq!((list(&console).len(), console.service.spent), (150, 50));
    assert!(
        console
            .screen_text()
            .contains("50 rows read 10:20, the others 09:20"),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    assert_eq!(
        (list(&console).len(), console.service.spent),
        (200, 100),
        "the next page continues after the later ones"
    );
}

#[test]
fn a_refresh_that_fails_loses_no_rows() {
    let console = three_pages().press("R j Enter").serve_next();
    let console = console.fail_next(RequestError::new_not_sent("connection refused"));
    assert_eq!(list(&console).len(), 150);
    assert!(
        console
            .screen_text()
            .contains("50 rows read 10:20, the others 09:20"),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    assert_eq!(list(&console).len(), 200);
}
