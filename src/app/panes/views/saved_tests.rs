//! Tests of saved searches and queue tabs in the list of what is saved, as their users see them.

use chrono::Duration;

use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::app::{Effect, Screen};

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

/// A tab of the queue with these conditions, under this name.
fn with_tab(name: &str, conditions: &str) -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("& & Ctrl-u")
        .type_text(conditions)
        .press("Enter S")
        .type_text(name)
        .press("Enter")
        .serve()
}

fn search_names(console: &TestConsole) -> Vec<String> {
    let searches = &console.saved_state.named_searches;
    searches.iter().map(|search| search.name.clone()).collect()
}

fn tab_names(console: &TestConsole) -> Vec<String> {
    let written = console.effects.iter().rev();
    let mut written = written.filter_map(|effect| match effect {
        Effect::SaveQueueTabs(tabs) => Some(tabs),
        _ => None,
    });
    let tabs = written.next().map(Vec::as_slice).unwrap_or_default();
    tabs.iter().map(|tab| tab.name.clone()).collect()
}

/// The line of the list that names this.
fn line_of(console: &TestConsole, name: &str) -> String {
    let screen = console.screen_text();
    let mut rows = screen.lines().filter(|line| line.starts_with('│'));
    let line = rows.find(|line| line.contains(name));
    line.unwrap_or_else(|| panic!("no {name}: {screen}"))
        .to_owned()
}

#[test]
fn views_searches_and_queue_tabs_are_one_list_with_a_kind_and_whose_they_are() {
    let console = with_tab("Big ones", "cost>=5m")
        .press("5")
        .serve()
        .press("k Left Left E")
        .type_text("city=Austin")
        .press("Enter S")
        .type_text("Austin firms")
        .press("Enter 2")
        .serve()
        .send(Msg::Resized(160, 40));
    for (name, kind, whose) in [
        ("New architects", "dynamic", "team"),
        ("Austin GC watchlist", "static", "team"),
        ("Austin firms", "search", "mine"),
        ("Big ones", "queue tab", "mine"),
    ] {
        let line = line_of(&console, name);
        assert!(line.contains(kind) && line.contains(whose), "{line}");
    }
    let screen = console.screen_text();
    let place = |name| screen.find(name);
    assert!(screen.contains("Saved 4"), "{screen}");
    assert!(
        place("Austin GC watchlist") < place("Austin firms")
            && place("Austin firms") < place("Big ones"),
        "the team's come first: {screen}"
    );
    let found = console.press("/").type_text("firms").press("Enter");
    let screen = found.screen_text();
    assert!(
        screen.contains("Austin firms") && !screen.contains("Big ones"),
        "{screen}"
    );
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
        screen.contains("Saved 3") && screen.contains("Accounts in Austin"),
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
    let screen = console.screen_text();
    assert_eq!(
        screen.matches("+1 since 09:20 yesterday").count(),
        2,
        "in the notice and beside the list: {screen}"
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
        .press("g s")
        .serve()
        .press("r Ctrl-u")
        .type_text("Austin firms")
        .press("Enter");
    assert!(
        console
            .notice_text()
            .contains("renamed to Austin firms, on this machine"),
        "{}",
        console.notice_text()
    );
    assert!(
        line_of(&console, "Austin firms").contains("search"),
        "{}",
        console.screen_text()
    );
    assert_eq!(search_names(&console), ["Austin firms"]);
    // Another search of the same name asks before it replaces it.
    let console = console
        .press("5")
        .serve()
        .press("Tab E Ctrl-u")
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
    assert_eq!(search_names(&console.press("Esc")), ["Austin firms"]);
    let console = saved("Austin").press("g s D y Enter");
    assert_eq!(search_names(&console), Vec::<String>::new());
    assert!(
        console
            .press("Esc g s")
            .notice_text()
            .contains("there are no saved searches or queue tabs yet")
    );
}

#[test]
fn a_search_cannot_get_the_name_of_another() {
    let console = saved("Austin")
        .press("S")
        .type_text("Boston")
        .press("Enter g s r Ctrl-u")
        .type_text("Boston")
        .press("Enter");
    assert!(
        console
            .notice_text()
            .contains("there is already a saved search Boston"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-u").type_text("Texas").press("Enter");
    assert_eq!(search_names(&console), ["Boston", "Texas"]);
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
        console.notice_text().contains("nothing was read yet") && console.count_searches() == 0,
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
        .press("A")
        .serve();
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
fn a_dynamic_view_becomes_a_saved_search_in_the_builder() {
    let console = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .press("E")
        .serve()
        .press("S")
        .type_text("Architects")
        .press("Enter g s")
        .serve();
    let screen = console.screen_text();
    assert!(
        line_of(&console, "Architects").contains("search")
            && screen.contains("Developers in Austin"),
        "{screen}"
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
fn a_queue_tab_opens_in_the_queue_and_its_count_is_free() {
    let console = with_tab("Big ones", "cost>=5m").press("]").press("g s");
    let screen = console.screen_text();
    assert!(
        screen.contains("New signals of the queue: cost>=5M.")
            && screen.contains("shows it in the queue, 0 cr"),
        "{screen}"
    );
    let told = console.press("c");
    assert!(
        told.notice_text().contains("by the loaded rows"),
        "{}",
        told.notice_text()
    );
    let console = told.press("Enter").serve();
    let shown = console.context().queue.shown_saved_tab();
    assert_eq!(shown.map(|tab| tab.name.as_str()), Some("Big ones"));
    assert_eq!(console.context().ui.screen(), Screen::Queue);
}

#[test]
fn a_queue_tab_is_renamed_and_deleted_from_the_list() {
    let console = with_tab("Big ones", "cost>=5m")
        .press("g s F2 Ctrl-u")
        .type_text("everything that is high priority in all of Texas")
        .press("Enter");
    assert!(
        console.notice_text().contains("at most 40 letters"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-u").type_text("Whales").press("Enter");
    assert_eq!(tab_names(&console), ["Whales"]);
    let console = console.press("D");
    assert!(
        console
            .screen_text()
            .contains("The tab Whales is deleted from your configuration."),
        "{}",
        console.screen_text()
    );
    let console = console.press("y Enter");
    assert_eq!(tab_names(&console), Vec::<String>::new());
    assert_eq!(console.context().queue.tab_index(), 1, "New is shown");
}

#[test]
fn a_queue_tab_opens_in_explore_as_far_as_the_index_knows_its_conditions() {
    let console = with_tab("Permits", "type=permit_issued cost>=5m").press("g s E");
    let console = console.serve();
    assert_eq!(
        console.app.panes().explore.draft().filters.to_line(""),
        "signal_type=permit_issued"
    );
    assert!(
        console
            .notice_text()
            .contains("not only your queue; left out: cost>=5M"),
        "{}",
        console.notice_text()
    );
    let console = with_tab("Big ones", "cost>=5m").press("g s E");
    assert!(
        console.notice_text().contains("a tab lists the queue"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_marked_set_of_several_kinds_is_deleted_once_its_number_is_typed() {
    let console = saved("Austin")
        .press("2")
        .serve()
        .press("g g j Space Space D");
    assert!(
        console.notice_text().starts_with(
            "type 2 to delete 1 View for everyone and 1 of yours on this machine: Austin GC"
        ),
        "{}",
        console.notice_text()
    );
    let console = console.press("2 Enter").serve();
    assert_eq!(
        (search_names(&console).len(), console.service.views.len()),
        (0, 1),
        "{}",
        console.notice_text()
    );
}

#[test]
fn what_is_on_this_machine_stays_in_the_list_when_the_views_cannot_be_read() {
    let refused = crate::domain::request_error::RequestError::new_not_sent("connection refused");
    let console = saved("Austin").press("Ctrl-l").restart();
    let console = console.press("2").fail_next(refused);
    let screen = console.screen_text();
    assert!(
        line_of(&console, "Austin").contains("search") && screen.contains("the Views are missing"),
        "{screen}"
    );
}

#[test]
fn golden_screens_of_what_is_saved() {
    let console = || {
        let console = with_tab("Big ones", "cost>=5m").press("5").serve();
        console
            .press("k Left Left E")
            .type_text("city=Austin")
            .press("Enter Enter")
            .serve()
            .press("S")
            .type_text("Austin firms")
            .press("Enter Tab E Ctrl-u")
            .type_text("city=Dallas account_type=gc")
            .press("Enter S")
            .type_text("Dallas GCs")
            .press("Enter")
            .advance_time(Duration::hours(24))
            .press("g s")
            .serve()
            .press("c")
            .serve()
    };
    golden!("saved_searches_120x36", console());
    golden!("saved_searches_80x24", console().send(Msg::Resized(80, 24)));
    golden!("saved_searches_60x20", console().send(Msg::Resized(60, 20)));
    let about = console().send(Msg::Resized(60, 20)).press("p");
    golden!("saved_searches_about_60x20", about);
}
