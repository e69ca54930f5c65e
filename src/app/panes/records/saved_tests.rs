//! Lists of earlier sessions, as users see them the next day.

use chrono::Duration;
use serde_json::json;
use uuid::Uuid;

use crate::app::model::record_list::RecordList;
use crate::app::msg::Msg;
use crate::app::testing::fake_service::{FakeService, account_id, accounts_list, view_id};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::runs::SavedSearchRun;

/// The book was read, on a machine that saves what was read.
fn yesterday() -> TestConsole {
    yesterday_with(FakeService::new())
}

fn yesterday_with(service: FakeService) -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue()).restart();
    console.service = service;
    console.press("3").serve().press("Enter").serve()
}

/// The next day, before anything is pressed; nothing is spent yet.
fn next_day(console: TestConsole) -> TestConsole {
    let mut console = console.restart_after(Duration::days(1));
    console.service.spent = 0;
    console
}

#[test]
fn opening_the_book_the_next_day_costs_nothing() {
    let console = next_day(yesterday()).press("3").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("Calder Residential") && screen.contains("8 of 8"),
        "{screen}"
    );
    assert!(
        screen.contains("read 10:20 yesterday · R refresh costs 8 credits"),
        "{screen}"
    );
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
    assert_eq!(
        console.notice_text(),
        "8 rows, read 10:20 yesterday, 0 credits"
    );
    let console = console.press("1 3 ] [ 2 3").serve();
    assert_eq!(console.service.spent, 0);
}

#[test]
fn a_refresh_states_its_price_first_and_reads_again() {
    let console = next_day(yesterday()).press("3").serve();
    assert!(
        console.screen_text().contains("R refresh costs 8 credits"),
        "{}",
        console.screen_text()
    );
    let console = console.press("R").serve();
    assert_eq!(console.service.spent, 8);
    let screen = console.screen_text();
    assert!(
        screen.contains("8 cr · read 10:20") && !screen.contains("yesterday"),
        "{screen}"
    );
}

#[test]
fn a_view_shows_the_rows_of_yesterday_and_says_so_before_enter() {
    let mut console = TestConsole::with_rows(morning_queue()).restart();
    console = console.press("2").serve().press("j Enter").serve();
    let console = next_day(console).press("2").serve().press("j");
    assert!(
        console
            .screen_text()
            .contains("shows the rows from 07-09 10:20, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert!(
        console.screen_text().contains("6 of 6"),
        "{}",
        console.screen_text()
    );
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
}

#[test]
fn a_filter_and_its_absence_cost_nothing_the_next_day() {
    let narrowed = |console: TestConsole| console.press("f E").type_text("calder").press("Enter");
    let console = narrowed(yesterday()).press("Enter").serve();
    let console = narrowed(next_day(console).press("3").serve());
    assert!(
        console
            .screen_text()
            .contains("shows the rows from 07-09 10:20, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert!(
        console.screen_text().contains("1 of 1"),
        "{}",
        console.screen_text()
    );
    let console = console.press("F").serve();
    assert!(
        console.screen_text().contains("8 of 8"),
        "{}",
        console.screen_text()
    );
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
}

#[test]
fn an_annotation_shows_in_the_saved_row_after_a_restart() {
    let console = yesterday()
        .press("a s")
        .type_text("on hold")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert!(
        console.service.book[&account_id(1)]["workspace_status"] == "on hold",
        "{}",
        console.screen_text()
    );
    let console = next_day(console).press("3").serve();
    assert!(
        console.screen_text().contains("on hold"),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.service.spent, 0);
}

#[test]
fn a_record_removed_from_the_book_is_gone_from_the_saved_rows() {
    let console = next_day(yesterday().press("D y Enter").serve())
        .press("3")
        .serve();
    assert!(
        !console.screen_text().contains("Brightline GC"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("7 of 7"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn the_next_page_continues_after_the_rows_of_yesterday() {
    let console = next_day(yesterday_with(FakeService::with_firms(300)))
        .press("3")
        .serve();
    assert!(
        console.screen_text().contains("50 of 200")
            && console.screen_text().contains("R refresh costs 50 credits")
    );
    let console = console.press(">").serve();
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .map(RecordList::len),
        Some(100)
    );
    assert_eq!(console.service.spent, 50);
    let console = next_day(console).press("3").serve();
    assert!(
        console.screen_text().contains("100 of 200"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_place_that_the_service_no_longer_accepts_is_reported_and_the_rows_stay() {
    let console = next_day(yesterday_with(FakeService::with_firms(300)))
        .press("3")
        .serve()
        .press(">");
    let rejected = RequestErrorKind::Rejected(ServiceError {
        status: 400,
        code: "bad_request".into(),
        ..Default::default()
    });
    let console = console.fail_next(RequestError {
        kind: rejected,
        message: "rejected (bad_request): search_after".into(),
    });
    let screen = console.screen_text();
    assert!(
        screen.contains("the service no longer continues the list of 10:20 yesterday"),
        "{screen}"
    );
    assert!(
        screen.contains("refreshes for at most 50 credits") && screen.contains("50 of 200"),
        "{screen}"
    );
}

#[test]
fn rows_that_are_no_longer_saved_are_not_read_unasked() {
    let mut console = next_day(yesterday());
    console.saved_lists.clear();
    let console = console.press("3").serve();
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
    assert!(
        console
            .screen_text()
            .contains("reads the first 50 rows for at most 50 credits"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.notice_text().contains("no longer saved"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn enter_while_the_saved_rows_are_looked_up_spends_nothing() {
    let console = next_day(yesterday()).press("3 Enter Enter").serve();
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
}

#[test]
fn a_list_is_saved_with_its_price_and_without_the_rows_of_other_filters() {
    let console = yesterday()
        .press("f E")
        .type_text("calder")
        .press("Enter Enter")
        .serve();
    let cost = |run: &SavedSearchRun| (run.rows.len(), run.credits_spent);
    assert_eq!(
        console.saved_lists.iter().map(cost).collect::<Vec<_>>(),
        [(8, 8), (1, 1)]
    );
}

#[test]
fn a_deleted_view_leaves_no_rows_behind() {
    let console = TestConsole::with_rows(morning_queue())
        .restart()
        .press("2")
        .serve()
        .press("j Enter")
        .serve();
    assert_eq!(console.saved_lists.len(), 1);
    let console = console.press("Tab D y Enter").serve();
    assert!(
        console
            .service
            .views
            .iter()
            .all(|view| view.id != view_id(1)),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.saved_lists.len(), 0);
}

#[test]
fn records_added_to_a_view_are_in_its_saved_rows() {
    let console = TestConsole::with_rows(morning_queue())
        .restart()
        .press("2")
        .serve()
        .press("j Enter")
        .serve();
    // Some accounts of the book are in the View already.
    let console = console
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("* a + Enter")
        .serve();
    let members = console.service.members[&view_id(1)].len();
    let console = next_day(console.press("2 j Enter").serve())
        .press("2")
        .serve()
        .press("j Enter")
        .serve();
    let label = format!("{members} of {members}");
    assert!(
        members > 6 && console.screen_text().contains(&label),
        "{label}\n{}",
        console.screen_text()
    );
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
}

/// Saves all records of the first View to the book.
fn save_view_to_book(console: TestConsole) -> TestConsole {
    console
        .press("2")
        .serve()
        .press("j Enter")
        .serve()
        .press("* a b")
        .serve()
}

#[test]
fn records_saved_to_the_book_are_in_its_saved_rows() {
    let console = save_view_to_book(yesterday());
    let saved = console.service.book.len();
    let console = next_day(console).press("3").serve();
    assert!(
        saved > 8
            && console
                .screen_text()
                .contains(&format!("{saved} of {saved}")),
        "{saved}\n{}",
        console.screen_text()
    );
    assert_eq!((console.service.spent, console.count_searches()), (0, 0));
    let console = console
        .press("z")
        .serve()
        .advance_time(Duration::minutes(1))
        .press("Enter")
        .serve();
    assert_eq!(console.service.book.len(), 8, "{}", console.screen_text());
    let console = next_day(console).press("3").serve();
    assert!(
        console.screen_text().contains("8 of 8"),
        "an undo takes them out again: {}",
        console.screen_text()
    );
}

#[test]
fn records_that_join_while_a_filter_is_shown_are_in_the_whole_list() {
    let console = yesterday()
        .press("f")
        .serve()
        .press("E")
        .type_text("icp_tier=tier_1")
        .press("Enter Enter")
        .serve();
    let console = save_view_to_book(console).press("3 F").serve();
    let saved = console.service.book.len();
    assert!(
        console
            .screen_text()
            .contains(&format!("{saved} of {saved}")),
        "{saved}\n{}",
        console.screen_text()
    );
}

#[test]
fn golden_screens_of_saved_lists() {
    let console = || next_day(yesterday()).press("3").serve();
    golden!("saved_120x36", console());
    golden!("saved_80x24", console().send(Msg::Resized(80, 24)));
    golden!("saved_60x20", console().send(Msg::Resized(60, 20)));
}

#[test]
fn signals_that_involve_an_account_of_a_long_saved_list_are_starred_whichever_was_read_first() {
    let with_long_book = || {
        let mut console = yesterday();
        let other = |n: u128| json!({ "id": Uuid::from_u128(0x9_0000 + n), "name": "Other", "icp_tier": null });
        console.saved_lists[0].rows.splice(
            0..0,
            (0..6_000).map(|n| Record::try_from(&other(n)).expect("a record")),
        );
        next_day(console)
    };
    let stars = |console: &TestConsole| console.screen_text().matches("★ Harbor Yard").count();
    let list_first = with_long_book().press("3").serve().press("1");
    assert_eq!(stars(&list_first), 0, "who is on the project is not known");
    assert_eq!(
        stars(&list_first.press("Enter").serve().press("Esc").serve()),
        2,
        "both signals of the project"
    );
    let project_first = with_long_book()
        .press("1 Enter")
        .serve()
        .press("Esc")
        .serve();
    assert_eq!(stars(&project_first), 0, "the book was not opened");
    assert_eq!(stars(&project_first.press("3").serve().press("1")), 2);
}
