//! Tests of lists of records, as their users see them.

mod columns;
mod exports;
mod filters;
mod map;

use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::model::record_list::PAGE_SIZE;
use crate::app::msg::{Msg, Reply};
use crate::app::testing::fake_service::{FakeService, account_id, accounts_list};
use crate::app::testing::{TestConsole, morning_queue};
use crate::domain::export::ExportRequest;
use crate::domain::request_error::RequestError;
use crate::domain::search::SearchPage;

fn book() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
}

fn large(firms: usize) -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(firms);
    console.press("3").serve()
}

#[test]
fn opening_a_list_reads_nothing_and_shows_its_price() {
    let console = TestConsole::with_rows(morning_queue()).press("3").serve();
    assert_eq!(console.count_searches(), 0);
    assert!(
        console
            .screen_text()
            .contains("Enter reads the first 50 rows for at most 50 credits"),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.service.spent, 0);
}

#[test]
fn a_page_is_read_by_its_key_and_the_meter_counts_it() {
    let console = book();
    assert_eq!(console.service.spent, 8);
    assert!(
        console.screen_text().contains("Calder Residential")
            && console.screen_text().contains("8 of 8")
    );
    assert!(
        console.screen_text().contains("1,292"),
        "1,284 and the eight rows: {}",
        console.screen_text()
    );
}

#[test]
fn leaving_a_list_and_returning_spends_nothing() {
    let console = book()
        .press("1 3 2 3 ] [")
        .send(Msg::Resized(80, 24))
        .send(Msg::Resized(120, 36))
        .serve();
    assert_eq!((console.service.spent, console.count_searches()), (8, 1));
    assert!(console.screen_text().contains("Calder Residential"));
}

#[test]
fn the_next_page_is_appended_and_the_cursor_goes_to_its_first_row() {
    let console = large(300).press("Enter").serve();
    assert!(
        console.screen_text().contains("50 of 200") && console.screen_text().contains("next 50 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    let list = console
        .context()
        .records
        .lists
        .get(&accounts_list())
        .unwrap();
    assert_eq!(
        (list.len(), list.lines.scroll.cursor),
        (100, PAGE_SIZE as usize)
    );
    assert_eq!(console.service.spent, 100);
}

#[test]
fn all_rows_are_read_only_after_the_price_was_confirmed() {
    let console = large(300)
        .press("Enter")
        .serve()
        .press(":")
        .type_text("all rows")
        .press("Down Enter");
    assert!(
        console
            .screen_text()
            .contains("150 rows are left: 150 credits"),
        "{}",
        console.screen_text()
    );
    let left = console.press("Esc").serve();
    assert_eq!(left.service.spent, 50);
    let console = left
        .press(":")
        .type_text("all rows")
        .press("Down Enter y Enter")
        .serve();
    assert_eq!(
        (
            console.service.spent,
            console
                .context()
                .records
                .lists
                .get(&accounts_list())
                .unwrap()
                .len()
        ),
        (200, 200)
    );
    assert_eq!(
        console.press(">").notice_text(),
        "next page: all rows are loaded"
    );
}

#[test]
fn the_ledger_records_the_spending_command_for_every_page_and_confirmation() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(300);
    let console = console
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press(":")
        .type_text("all rows")
        .press("Down Enter");
    assert!(
        console.screen_text().contains("Read all rows?"),
        "{}",
        console.screen_text()
    );
    let console = console.poll().press("y Enter");
    assert_eq!(
        (
            console.pending_calls.len(),
            console.context().work.request_reason()
        ),
        (1, "records.rest")
    );
    let console = console.serve_next();
    assert_eq!(
        (
            console.pending_calls.len(),
            console.context().work.request_reason()
        ),
        (1, "records.rest"),
        "every further page has the same reason"
    );
    assert_eq!(
        console.press("j").context().work.request_reason(),
        "go.down"
    );
}

#[test]
fn ctrl_c_stops_reading_all_rows_on_any_screen() {
    let console = large(600)
        .press("Enter")
        .serve()
        .press(":")
        .type_text("all rows")
        .press("Down Enter y Enter")
        .serve_next();
    let reading = console
        .context()
        .records
        .lists
        .get(&accounts_list())
        .unwrap()
        .len();
    let console = console.press("] Ctrl-c");
    assert!(
        console
            .effects
            .contains(&Effect::Cancel(Slot::Records(accounts_list()))),
        "{}",
        console.notice_text()
    );
    // A page that was already on its way is kept, and no other is requested.
    let console = console.serve();
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .len(),
        reading + 100
    );
}

#[test]
fn a_page_over_the_budget_stops_reading_without_a_question_while_typing() {
    let mut console = large(600).press("Enter").serve();
    console.context_mut().settings_mut().budgets.soft_session = Some(170);
    let console = console
        .press(":")
        .type_text("all rows")
        .press("Down Enter y Enter")
        .press("/")
        .type_text("fi")
        .serve();
    assert!(
        console.context().ui.overlay.is_none()
            && console.notice_text().contains("budget of 170 credits"),
        "{}",
        console.notice_text()
    );
    let list = console
        .context()
        .records
        .lists
        .get(&accounts_list())
        .unwrap();
    assert_eq!((list.len(), list.is_reading()), (150, false));
    let console = console.press("Esc >").serve();
    assert_eq!(
        (
            console.service.spent,
            console.context().ui.overlay.is_some()
        ),
        (150, true),
        "a key asks: {}",
        console.screen_text()
    );
}

#[test]
fn a_count_costs_one_credit_and_reads_no_list() {
    let console = large(300).press("c").serve();
    assert_eq!(
        (console.service.spent, console.notice_text()),
        (1, "200 match, 1 credit".to_owned())
    );
    assert!(console.screen_text().contains("200 rows, none read yet"));
}

#[test]
fn sort_keys_are_those_of_the_route() {
    let console = large(300).press("Enter").serve().press("s");
    assert!(
        console.screen_text().contains("highest score first"),
        "{}",
        console.screen_text()
    );
    let console = console.type_text("service name").press("Enter");
    let Some(ServiceCall::Search { search, .. }) = console.calls.last() else {
        panic!("expected a search")
    };
    let sort = search.sort.clone().unwrap();
    assert_eq!((sort.field.as_str(), sort.ascending), ("name", true));
    let views = large(300)
        .press("2")
        .serve()
        .press("j Enter")
        .serve()
        .press("s");
    assert!(
        !views.screen_text().contains("highest score first")
            && views.screen_text().contains("most projects first"),
        "{}",
        views.screen_text()
    );
}

#[test]
fn marks_belong_to_records_and_survive_a_refresh() {
    let console = book().press("j Space Space R Down Enter").serve();
    let marks = &console
        .context()
        .records
        .lists
        .get(&accounts_list())
        .unwrap()
        .marks;
    assert_eq!(marks.len(), 2);
    assert!(console.screen_text().contains("2 marked"));
    assert!(
        console
            .press("Esc")
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .marks
            .is_empty()
    );
}

#[test]
fn a_failed_read_keeps_the_rows_and_says_why() {
    let console = book()
        .press("R Down Enter")
        .fail_next(RequestError::new_ambiguous(
            "the answer took longer than 15 s",
        ));
    assert!(
        console.screen_text().contains("Calder Residential")
            && console.notice_text().contains("longer than 15 s")
    );
    let empty = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .fail_next(RequestError::new_not_sent("connection refused"));
    assert!(
        empty.screen_text().contains("Enter retries"),
        "{}",
        empty.screen_text()
    );
}

#[test]
fn a_list_cannot_be_counted_while_its_rows_are_being_read() {
    let console = large(300).press("Enter c");
    assert_eq!(console.notice_text(), "count: a page is still loading");
    assert!(console.serve().screen_text().contains("50 of 200"));
}

#[test]
fn removing_a_record_asks_first_and_undo_restores_its_annotation() {
    let console = book().press("D");
    assert!(
        console
            .screen_text()
            .contains("Remove 1 account from the book for everyone?")
            && console.service.book.len() == 8
    );
    let console = console.press("Down Enter").serve();
    assert_eq!(console.service.book.len(), 7);
    assert!(!console.service.book.contains_key(&account_id(1)));
    let console = console.press("z Enter").serve();
    assert_eq!(
        console.service.book[&account_id(1)]["workspace_status"],
        "contacted"
    );
    assert_eq!(
        console.service.book[&account_id(1)]["tags"],
        serde_json::json!(["austin"])
    );
}

#[test]
fn inverting_keeps_the_marks_of_records_that_are_not_in_the_list() {
    let elsewhere = uuid::Uuid::from_u128(1);
    let mut console = book();
    let cx = console.context_mut();
    cx.records
        .lists
        .shown_list_mut(cx.ui.focused_list())
        .unwrap()
        .marks
        .insert(elsewhere);
    let console = console.press("* =").type_text("invert").press("Enter");
    assert!(
        console
            .context()
            .displayed_list()
            .unwrap()
            .marks
            .contains(&elsewhere)
    );
    assert_eq!(
        console
            .press("* =")
            .type_text("invert")
            .press("Enter")
            .context()
            .displayed_list()
            .unwrap()
            .marks,
        [elsewhere].into()
    );
}

#[test]
fn a_rejected_record_stays_marked_with_its_reason() {
    let mut console = book();
    console.service.rejecting_records.insert(account_id(2));
    let console = console.press("* a D Down Enter").serve();
    assert_eq!(console.service.book.len(), 1);
    assert!(
        console.notice_text().contains("7 of 8 done")
            && console.notice_text().contains("it is being merged"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("1 marked")
            && console.screen_text().contains("it is being merged")
    );
}

#[test]
fn a_hundred_thousand_rows_scroll_like_fifty() {
    let mut console = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter");
    let (token, _) = console.pending_calls.pop_front().unwrap();
    let row = |n: usize| {
        serde_json::from_value(
            serde_json::json!({ "id": account_id(n), "name": format!("Firm {n}") }),
        )
        .unwrap()
    };
    let found = SearchPage {
        rows: (0..100_000).map(row).collect(),
        total: Some(1_000),
        total_is_capped: true,
        ..SearchPage::default()
    };
    let console = console
        .send(Msg::Replied(token, Ok(Reply::SearchPage(found))))
        .press("G");
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .lines
            .scroll
            .cursor,
        99_999
    );
    assert!(
        console.screen_text().contains("Firm 99999")
            && console.screen_text().contains("100,000 of 1,000+"),
        "{}",
        console.screen_text()
    );
}

fn export(console: &TestConsole) -> &ExportRequest {
    let Some(ServiceCall::Export(export)) = console.calls.last() else {
        panic!("expected an export: {:?}", console.calls.last())
    };
    export
}

#[test]
fn no_click_spends_credits_without_confirmation() {
    let click_read = |console: TestConsole| {
        let area = console
            .context()
            .frame
            .layout()
            .hint_targets()
            .find(|(_, command)| command.id == "records.open")
            .unwrap()
            .0;
        console.click(area.x, area.y)
    };
    let console = click_read(TestConsole::with_rows(morning_queue()).press("3").serve()).serve();
    assert_eq!(console.service.spent, 0);
    assert!(
        console
            .screen_text()
            .contains("This costs up to 50 credits"),
        "{}",
        console.screen_text()
    );
    let left = console.press("Esc").serve();
    assert_eq!(
        (left.service.spent, left.notice_text().as_str()),
        (0, "nothing was sent and nothing was spent")
    );
    let read = click_read(left.press("k")).press("y Enter").serve();
    assert_eq!(read.service.spent, 8, "{}", read.screen_text());
    // A second click on a row opens it, for a credit.
    let (name, calls) = (
        read.context().displayed_list().unwrap().rows()[1]
            .fields()
            .text("name")
            .unwrap()
            .to_owned(),
        read.calls.len(),
    );
    let opened = read.click_on(&name).click_on(&name);
    assert!(
        opened.screen_text().contains("This costs up to 1 credit"),
        "{}",
        opened.screen_text()
    );
    assert_eq!(opened.calls.len(), calls);
}

#[test]
fn twenty_or_more_records_are_written_only_after_confirmation() {
    let writes = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Write(_)))
            .count()
    };
    let book = large(300).press("Enter").serve();
    let console = book.press("* a +").serve();
    let console = console.press("Enter");
    assert_eq!(writes(&console), 0, "{}", console.screen_text());
    assert!(
        console.screen_text().contains("Add 50 accounts to")
            && console.screen_text().contains("50 of"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        writes(&console.press("Enter")),
        0,
        "the selected answer changes nothing"
    );
    let console = large(300).press("Enter").serve().press("* a D");
    assert!(
        console
            .screen_text()
            .contains("Remove 50 accounts from the book for everyone?"),
        "{}",
        console.screen_text()
    );
    assert_eq!(writes(&console.press("Enter")), 0);
    let console = large(300).press("Enter").serve().press("D Down Enter");
    assert_eq!(
        writes(&console),
        1,
        "even a single record is removed only after a confirmation"
    );
}
