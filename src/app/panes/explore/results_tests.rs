//! Explore's results and the search that they are of, as their users see them.

use crate::app::testing::{TestConsole, morning_queue};

fn explore() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("5").serve()
}

/// The results of a search of a dataset, `keys` away from projects.
fn results(keys: &str, conditions: &str) -> TestConsole {
    explore()
        .press(&format!("k {keys} E"))
        .type_text(conditions)
        .press("Enter Enter")
        .serve()
}

/// The headings of the columns that have room.
fn headings(console: &TestConsole) -> Vec<String> {
    let screen = console.screen_text();
    let heading = screen
        .lines()
        .find_map(|line| line.find("NAME").map(|at| &line[at..]))
        .unwrap_or_else(|| panic!("{screen}"));
    let words = heading
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn results_have_the_screen_while_they_have_the_focus() {
    let console = results("Left Left", "city=Austin");
    assert!(headings(&console).len() >= 5, "{}", console.screen_text());
    assert!(
        console.screen_text().contains("Accounts in Austin."),
        "{}",
        console.screen_text()
    );
    let console = console.press("Tab");
    assert!(
        console.screen_text().contains("add condition") && headings(&console).len() < 5,
        "{}",
        console.screen_text()
    );
    assert!(headings(&console.press("Tab")).len() >= 5);
}

#[test]
fn the_columns_that_a_search_names_follow_the_name_unless_all_rows_are_the_same() {
    let console = results(
        "Right Left",
        "cost_of_construction_usd>=1 stage=permitted,approved",
    );
    assert_eq!(
        headings(&console)[..3],
        ["NAME", "COST", "STAGE"],
        "{}",
        console.screen_text()
    );
    let console = results("Left Left", "state=TX");
    assert_eq!(headings(&console)[..2], ["NAME", "TYPE"]);
    let console = results("Left Left", "state=TX,OK");
    assert_eq!(
        headings(&console)[..2],
        ["NAME", "ST"],
        "{}",
        console.screen_text()
    );
    assert_eq!(
        headings(&console)
            .iter()
            .filter(|title| *title == "ST")
            .count(),
        1
    );
}

#[test]
fn results_of_an_earlier_search_are_labelled_while_the_builder_changes() {
    let console = results("Left Left", "city=Austin")
        .press("Tab E Ctrl-u")
        .type_text("city=Dallas")
        .press("Enter");
    let screen = console.screen_text();
    assert!(
        screen.contains("previous results") && screen.contains("runs the new search"),
        "{screen}"
    );
    let console = console.press("Enter").serve();
    assert!(
        !console.screen_text().contains("previous results"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn enter_on_the_last_line_adds_a_condition_in_the_builder_and_in_a_filter() {
    let console = explore().press("Enter");
    assert!(
        console.screen_text().contains("Fields of projects"),
        "{}",
        console.screen_text()
    );
    let console = console
        .type_text("city")
        .press("Enter")
        .type_text("Austin")
        .press("Enter Down Enter");
    assert!(
        console.screen_text().contains("Fields of projects") && console.count_searches() == 0,
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc Up Enter").serve();
    assert_eq!(console.count_searches(), 1, "on a condition it runs");
    let filter = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("f")
        .serve();
    let before = filter.count_searches();
    let filter = filter
        .press("Enter")
        .type_text("tier")
        .press("Enter")
        .type_text("tier 1")
        .press("Enter");
    assert!(
        filter.screen_text().contains("tier") && filter.count_searches() == before,
        "{}",
        filter.screen_text()
    );
    let filter = filter.press("Enter");
    assert!(
        filter.notice_text().contains("of the 8 loaded rows match"),
        "on a condition it applies: {}",
        filter.notice_text()
    );
}

#[test]
fn while_a_value_is_typed_the_footer_shows_the_keys_of_the_field() {
    let console = explore().press("+").type_text("city").press("Enter");
    let footer = console
        .screen_text()
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned();
    assert!(
        footer.contains("Enter ok  Esc cancel") && !footer.contains("count"),
        "{footer}"
    );
}

#[test]
fn rows_and_pages_of_the_index_show_what_the_team_wrote_as_far_as_it_was_read() {
    let console = results("Left Left", "city=Austin");
    assert!(
        !headings(&console).contains(&"TEAM".to_owned()),
        "nothing of the book was read"
    );
    let spent = console.service.spent;
    let book = console.press("3").serve().press("Enter").serve();
    let paid = book.service.spent;
    let console = book.press("5 Tab").serve();
    assert_eq!(headings(&console)[1], "TEAM", "{}", console.screen_text());
    assert!(
        console.screen_text().contains("in book"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.service.spent == paid && paid > spent,
        "showing it is free"
    );
}

#[test]
fn the_words_that_a_question_ignored_come_before_its_conditions() {
    let console = explore()
        .press(";")
        .type_text("pretty hotels in Austin")
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    let place = |words: &str| {
        screen
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {screen}"))
    };
    assert!(
        place("ignored   pretty") < place("asked     pretty hotels in Austin"),
        "{screen}"
    );
}

#[test]
fn after_another_question_the_old_results_are_marked_and_enter_runs_the_new_search() {
    let console = results("Left Right", "city=Dallas");
    let before = console.count_searches();
    let console = console
        .press(";")
        .type_text("lofts in Austin")
        .press("Enter");
    let waiting = console.press("Enter");
    assert_eq!(
        waiting.count_searches(),
        before,
        "the question is not answered yet: {}",
        waiting.notice_text()
    );
    let console = waiting.serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("previous results") && screen.contains("add condition"),
        "{screen}"
    );
    assert_eq!(
        console.count_searches(),
        before,
        "nothing was run: {screen}"
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        console.count_searches(),
        before + 1,
        "{}",
        console.screen_text()
    );
    let screen = console.screen_text();
    assert!(
        !screen.contains("previous results") && screen.contains("in Austin"),
        "{screen}"
    );
}
