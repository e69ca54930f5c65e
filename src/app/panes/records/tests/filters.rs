//! Filters of a list: what they send, and what they cost.

use super::{book, large};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::testing::TestConsole;
use crate::app::testing::fake_service::{account_id, accounts_list};
use crate::domain::request_error::RequestError;
use crate::domain::search::Search;

#[test]
fn a_filter_of_text_and_criteria_is_sent_to_the_service() {
    let console = book()
        .press("f E")
        .type_text("calder icp_tier=tier_1 city=\"San Antonio\"")
        .press("Enter")
        .serve();
    assert_eq!(
        console.count_searches(),
        1,
        "nothing is requested before it is applied"
    );
    let console = console.press("Enter");
    let Some(ServiceCall::Search { search, .. }) = console.calls.last() else {
        panic!("expected a search")
    };
    assert_eq!(search.query, "calder");
    let filters = serde_json::json!({ "icp_tier": { "value": "tier_1" }, "city": { "value": "San Antonio" } });
    assert_eq!(search.filters.to_json(), filters);
    let console = console.serve().press("f E");
    assert!(
        console
            .screen_text()
            .contains("calder icp_tier=tier_1 city=\"San Antonio\""),
        "the typed text is restored"
    );
}

fn filtered(console: TestConsole, words: &str) -> TestConsole {
    console
        .press("f")
        .serve()
        .press("E Ctrl-u")
        .type_text(words)
        .press("Enter Enter")
        .serve()
}

#[test]
fn clearing_a_filter_is_free_when_the_rows_are_loaded() {
    let console = filtered(large(300).press("Enter").serve().press("j j j"), "calder");
    let spent = console.service.spent;
    assert!(
        spent > 50 && !console.screen_text().contains("50 of 200"),
        "{}",
        console.screen_text()
    );
    let console = console.press("F");
    assert_eq!(
        (console.pending_calls.len(), console.service.spent),
        (0, spent)
    );
    let screen = console.screen_text();
    assert!(
        screen.contains("50 of 200") && screen.contains("next 50 cr"),
        "{screen}"
    );
    assert!(
        console
            .notice_text()
            .contains("50 rows, read 09:20, 0 credits"),
        "{}",
        console.notice_text()
    );
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
        3,
        "the cursor has not moved"
    );
    let console = console
        .press("f")
        .serve()
        .press("E Ctrl-u")
        .type_text("calder")
        .press("Enter");
    assert!(
        console
            .screen_text()
            .contains("shows the rows from 09:20, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        console.service.spent, spent,
        "applying the same filter again is free too"
    );
    let console = console.press("F >").serve();
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
        (spent + 50, 100),
        "the next page continues"
    );
}

#[test]
fn restoring_the_sort_and_dropping_a_filter_spend_nothing() {
    let console = large(300)
        .press("Enter")
        .serve()
        .press("s")
        .type_text("service score")
        .press("Enter")
        .serve();
    assert_eq!(console.service.spent, 100);
    let console = console.press("s");
    assert!(
        console.screen_text().contains("0 cr, read 09:20"),
        "{}",
        console.screen_text()
    );
    let console = console.type_text("service updated").press("Enter").serve();
    assert_eq!(
        (console.service.spent, console.count_searches()),
        (100, 2),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("f")
        .serve()
        .press("E Ctrl-u")
        .type_text("calder")
        .press("Enter Enter");
    let console = console.press("F");
    assert!(
        console
            .effects
            .contains(&Effect::Cancel(Slot::Records(accounts_list())))
    );
    assert!(
        console.screen_text().contains("50 of 200"),
        "{}",
        console.screen_text()
    );
    assert!(
        !console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .is_reading()
    );
}

#[test]
fn an_unread_whole_list_waits_and_shows_its_price() {
    let console = filtered(large(300), "calder");
    let (spent, read) = (console.service.spent, console.count_searches());
    let console = console.press("F");
    assert_eq!(
        (console.count_searches(), console.service.spent),
        (read, spent)
    );
    assert!(
        console
            .screen_text()
            .contains("Enter reads the first 50 rows for at most 50 credits"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert!(
        console.screen_text().contains("50 of 200"),
        "{}",
        console.screen_text()
    );
    let spent = console.service.spent;
    assert_eq!(
        filtered(console, "calder").service.spent,
        spent,
        "and the filtered rows are still cached"
    );
}

#[test]
fn a_write_under_a_filter_also_shows_in_the_whole_list() {
    let console = filtered(book(), "calder")
        .press("a s")
        .type_text("quoted")
        .press("Ctrl-s Ctrl-s")
        .serve()
        .press("F");
    assert!(
        console.screen_text().contains("quoted"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_invalid_filter_is_not_sent_and_not_lost() {
    let console = book()
        .press("f E")
        .type_text("stories>many")
        .press("Enter")
        .serve();
    assert_eq!(console.count_searches(), 1);
    assert!(
        console.screen_text().contains("conditions stories>many")
            && console.screen_text().contains("stories needs a number"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn after_a_failed_reload_the_rows_keep_the_filter_they_were_read_with() {
    let read = || large(300).press("Enter").serve().press("j j");
    let narrowed = read()
        .press("f")
        .serve()
        .press("E")
        .type_text("Calder")
        .press("Enter Enter");
    for (keys, console) in [
        ("f", narrowed),
        (
            "s",
            read().press("s").type_text("service score").press("Enter"),
        ),
        ("R", read().press("R Down Enter")),
    ] {
        let console = console.fail_next(RequestError::new_not_sent("connection refused"));
        let list = console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap();
        assert_eq!(
            (&list.search, list.lines.scroll.cursor),
            (&Search::default(), 2),
            "{keys}"
        );
        assert!(
            console.screen_text().contains("50 of 200")
                && console.screen_text().contains("next 50 cr"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            console
                .press(">")
                .serve()
                .context()
                .records
                .lists
                .get(&accounts_list())
                .unwrap()
                .len(),
            100,
            "{keys}"
        );
    }
}

#[test]
fn conditions_that_failed_to_apply_are_back_in_the_builder() {
    let built = book()
        .press("f")
        .serve()
        .press("E")
        .type_text("calder")
        .press("Enter");
    let console = built
        .press("Enter")
        .fail_next(RequestError::new_not_sent("connection refused"));
    let console = console.press("f");
    assert_eq!(
        console
            .app
            .panes()
            .explore
            .list_filter
            .as_ref()
            .map(|narrow| narrow.query.as_str()),
        Some("calder")
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .search
            .query,
        "calder",
        "the same search is sent again"
    );
    // Once the filter is applied, the builder shows the filter of the list.
    let console = console.press("F").serve().press("f");
    assert_eq!(
        console
            .app
            .panes()
            .explore
            .list_filter
            .as_ref()
            .map(|narrow| narrow.query.as_str()),
        Some("")
    );
}

#[test]
fn find_searches_only_loaded_rows() {
    let console = book().press("/").type_text("westmark").press("Enter");
    assert_eq!(console.service.spent, 8);
    let row = console
        .context()
        .displayed_list()
        .unwrap()
        .current_record()
        .unwrap()
        .id;
    assert_eq!(row, account_id(11));
    assert!(console.notice_text().contains("1 of 8 loaded rows match"));
}
