//! Saved searches as their users see them.

use chrono::Duration;

use crate::app::Effect;
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};

fn explore() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("5").serve()
}

/// The results of accounts in Austin, saved under this name.
fn saved(name: &str) -> TestConsole {
    let console = explore()
        .press("k Left Left E")
        .type_text("city=Austin")
        .press("Enter Enter")
        .serve();
    console.press("S").type_text(name).press("Enter")
}

fn searches(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Search { .. }))
        .count()
}

#[test]
fn a_saved_search_is_reopened_the_next_day_for_free_and_a_count_shows_what_is_new() {
    let console = saved("Austin firms");
    assert!(
        console
            .notice_text()
            .contains("saved as Austin firms, on this machine"),
        "{}",
        console.notice_text()
    );
    // Two keys besides the name; the next day two to see the list, one to count.
    let mut console = console.advance_time(Duration::hours(24)).restart();
    let accounts = console
        .service
        .records
        .get_mut("accounts")
        .expect("accounts");
    let mut firm = accounts
        .iter()
        .find(|firm| firm["city"] == "Austin")
        .expect("a firm in Austin")
        .clone();
    firm.insert(
        "id".to_owned(),
        uuid::Uuid::from_u128(0xABCD).to_string().into(),
    );
    accounts.push(firm);
    let before = console.service.spent;
    let console = console.press("g s").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("Saved searches 1") && screen.contains("Accounts in Austin"),
        "{screen}"
    );
    assert!(
        screen.contains("counts it now, 1 cr") && screen.contains("shows the 6 rows, 0 cr"),
        "{screen}"
    );
    assert_eq!(console.service.spent, before, "listing is free");
    let console = console.press("c").serve();
    assert_eq!(console.service.spent, before + 1);
    assert!(
        console.notice_text().contains("+1 since 09:20 yesterday"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("+1 since 09:20 yesterday"),
        "{}",
        console.screen_text()
    );
    let spent = console.service.spent;
    let console = console.press("Enter").serve();
    assert!(
        console.screen_text().contains("Calder Residential") && console.service.spent == spent,
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_saved_search_is_renamed_replaced_and_deleted_only_after_a_question() {
    let console = saved("Austin")
        .press("g s r Ctrl-u")
        .type_text("Austin firms")
        .press("Enter");
    assert!(
        console.screen_text().contains("Austin firms"),
        "{}",
        console.screen_text()
    );
    let names = |console: &TestConsole| -> Vec<String> {
        console
            .saved_state
            .named_searches
            .iter()
            .map(|search| search.name.clone())
            .collect()
    };
    assert_eq!(names(&console), ["Austin firms"]);
    // Another search of the same name asks before it replaces it.
    let console = console
        .press("Esc Tab E Ctrl-u")
        .type_text("city=Dallas")
        .press("Enter S")
        .type_text("Austin firms")
        .press("Enter");
    assert!(
        console
            .screen_text()
            .contains("Replace the saved search Austin firms?"),
        "{}",
        console.screen_text()
    );
    let console = console.press("y Enter g s D");
    assert!(
        console
            .screen_text()
            .contains("Delete the saved search Austin firms?"),
        "{}",
        console.screen_text()
    );
    assert_eq!(names(&console.press("Esc")), ["Austin firms"]);
    let console = saved("Austin").press("g s D y Enter");
    assert_eq!(names(&console), Vec::<String>::new());
    assert!(
        console
            .press("Esc g s")
            .notice_text()
            .contains("there are no saved searches yet")
    );
}

#[test]
fn a_saved_search_that_read_nothing_opens_in_the_builder_and_sends_nothing() {
    let console = explore()
        .press("E")
        .type_text("city=Austin")
        .press("Enter S")
        .type_text("Austin projects")
        .press("Enter");
    let console = console.restart().press("g s Enter").serve();
    assert_eq!(
        console.app.panes().explore.draft().filters.to_line(""),
        "city=Austin"
    );
    assert!(
        console.notice_text().contains("nothing was read yet") && searches(&console) == 0,
        "{}",
        console.notice_text()
    );
}

#[test]
fn one_key_makes_a_view_of_a_saved_search() {
    let console = saved("Austin firms")
        .restart()
        .press("g s")
        .serve()
        .press("A");
    let screen = console.screen_text();
    assert!(
        screen.contains("Accounts in Austin.") && screen.contains("these 6 accounts"),
        "{screen}"
    );
    let console = console
        .press("Enter")
        .type_text("Austin")
        .press("Enter y Enter")
        .serve();
    assert!(
        console
            .service
            .views
            .iter()
            .any(|view| view.title() == "Austin"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn the_first_ten_loaded_rows_become_a_new_view_in_few_keys() {
    let console = saved("Austin firms");
    let console = console
        .type_keys("3 Space")
        .press("A Down Enter")
        .type_text("Three")
        .press("Enter y Enter")
        .serve();
    let view = console
        .service
        .views
        .iter()
        .find(|view| view.title() == "Three")
        .expect("the new View");
    assert_eq!(console.service.members[&view.id].len(), 3);
}

#[test]
fn a_view_without_a_name_is_asked_for_one_again() {
    let console = saved("Austin firms").press("A Down Enter Enter");
    assert_eq!(console.notice_text(), "a View needs a name");
    let console = console.type_text("Calls").press("Enter");
    assert!(
        console.screen_text().contains("Static View Calls"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn saving_needs_conditions_and_a_name() {
    assert!(
        explore()
            .press("S")
            .notice_text()
            .contains("there are no conditions to save")
    );
    let console = saved("");
    assert!(
        !console
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::SaveNamedSearch(..)))
    );
}

#[test]
fn golden_screens_of_saved_searches() {
    let console = || {
        let console = saved("Austin firms")
            .press("Tab E Ctrl-u")
            .type_text("city=Dallas account_type=gc")
            .press("Enter S");
        console
            .type_text("Dallas GCs")
            .press("Enter")
            .advance_time(Duration::hours(24))
            .restart()
            .press("g s")
            .serve()
            .press("c")
            .serve()
    };
    golden!("saved_searches_120x36", console());
    golden!("saved_searches_80x24", console().send(Msg::Resized(80, 24)));
    golden!("saved_searches_60x20", console().send(Msg::Resized(60, 20)));
}
