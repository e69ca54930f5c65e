//! Tests of the import of a list, as its users see it.

use crate::app::drafts::DraftName;
use crate::app::effect::{Effect, ServiceCall, WriteRequest};
use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};

const LIST: &str = "Company,Website,State\n\
    Brightline GC,,TX\n\
    No Such Firm,nosuch.example,TX\n\
    al,,\n\
    Moss & Vale,,\n\
    Studio,,TX\n";

fn columns() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .poll()
        .serve()
        .import_list(LIST)
}

/// All lines are searched.
fn review() -> TestConsole {
    columns().press("Enter").serve()
}

fn last_write(console: &TestConsole) -> &WriteRequest {
    let write = console.calls.iter().rev().find_map(|call| match call {
        ServiceCall::Write(write) => Some(write),
        _ => None,
    });
    write.expect("a write")
}

fn has_written(console: &TestConsole) -> bool {
    console
        .calls
        .iter()
        .any(|call| matches!(call, ServiceCall::Write(_)))
}

#[test]
fn the_columns_and_the_highest_price_are_shown_before_anything_is_searched() {
    let console = columns();
    let screen = console.screen_text();
    for text in [
        "Company",
        "Website",
        "name",
        "domain",
        "Brightline GC · No Such Firm",
        "5 accounts",
        "at most 25 cr",
        "UTF-8",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert_eq!(console.count_searches(), 0);
    let changed = console.press("Space Space");
    assert!(
        changed.screen_text().contains("no column to look for"),
        "{}",
        changed.screen_text()
    );
    let people = changed.press("Space Space Space Space Space ]");
    assert!(
        people.screen_text().contains("matches 5 contacts"),
        "{}",
        people.screen_text()
    );
    assert_eq!(people.count_searches(), 0);
}

#[test]
fn every_line_is_reviewed_and_nothing_is_written_before_it_is_saved() {
    let console = review();
    let screen = console.screen_text();
    assert!(
        console
            .notice_text()
            .starts_with("2 found, 1 similar, 1 several, 1 none"),
        "{} {screen}",
        console.notice_text()
    );
    assert!(
        screen.contains("2 candidates") || screen.contains("candidates"),
        "{screen}"
    );
    let similar = review().press("G").screen_text();
    assert!(similar.contains("similar name"), "{similar}");
    assert!(!has_written(&console));
    let asked = console.press("b");
    assert!(
        asked
            .screen_text()
            .contains("Save 2 accounts to the book for everyone?"),
        "{}",
        asked.screen_text()
    );
    assert!(
        asked
            .screen_text()
            .contains("Saving is free. Undo cannot remove them."),
        "{}",
        asked.screen_text()
    );
    assert!(!has_written(&asked));
    let saved = asked.press("y Enter").serve();
    let WriteRequest::Annotate { items, .. } = last_write(&saved) else {
        panic!("{:?}", last_write(&saved))
    };
    assert_eq!(items.len(), 2);
    assert!(
        saved.screen_text().contains("2 saved"),
        "{}",
        saved.screen_text()
    );
}

#[test]
fn a_line_with_several_candidates_is_chosen_and_one_without_is_searched_by_other_words() {
    let console = review();
    let at =
        |console: TestConsole, words: &str| console.press("g g /").type_text(words).press("Enter");
    let several = at(console, "several").press("Enter");
    assert!(
        several.screen_text().contains("What is “"),
        "{}",
        several.screen_text()
    );
    let chosen = several.press("Down Enter");
    assert!(
        chosen.screen_text().contains("3 found"),
        "{}",
        chosen.screen_text()
    );
    let before = chosen.count_searches();
    let none = at(chosen.press("Esc"), "none").press("Enter");
    assert!(
        none.notice_text().contains("at most 3 cr"),
        "{}",
        none.notice_text()
    );
    let found = none
        .press("Ctrl-u")
        .type_text("Westmark Partners")
        .press("Enter")
        .serve();
    assert!(found.screen_text().contains("no row matches"));
    let found = found.press("Esc");
    assert_eq!(found.count_searches(), before + 1);
    assert!(
        found.screen_text().contains("similar   Westmark Partners"),
        "another city is not chosen by itself: {}",
        found.screen_text()
    );
    let found = found.press("g g j Space");
    assert!(
        found.screen_text().contains("4 found"),
        "{}",
        found.screen_text()
    );
    let skipped = found.press("g g Space b");
    assert!(
        skipped.screen_text().contains("Save 3 accounts"),
        "{}",
        skipped.screen_text()
    );
}

#[test]
fn other_words_for_a_line_are_shown_beside_what_the_file_says() {
    let console = review().press("g g /").type_text("none").press("Enter");
    let input = console
        .app
        .panes()
        .import
        .current_line()
        .unwrap()
        .terms
        .clone();
    let console = console
        .press("E Ctrl-u")
        .type_text("xyzzy")
        .press("Enter")
        .serve()
        .press("Esc");
    let line = console.app.panes().import.current_line().unwrap();
    assert_eq!(line.terms, input);
    let screen = console.screen_text();
    assert!(screen.contains("searched as “xyzzy”"), "{screen}");
    let again = console.press("E").screen_text();
    assert!(again.contains("words xyzzy"), "{again}");
}

#[test]
fn the_records_are_added_to_a_view_or_a_new_one() {
    let console = review().press("+");
    assert!(
        console.screen_text().contains("new View...")
            && console.screen_text().contains("Austin GC watchlist"),
        "{}",
        console.screen_text()
    );
    let added = console.press("Enter").serve();
    let WriteRequest::Add { ids, .. } = last_write(&added) else {
        panic!("{:?}", last_write(&added))
    };
    assert_eq!(ids.len(), 2);
    let undone = added.press("z").serve();
    assert!(
        matches!(last_write(&undone), WriteRequest::Remove { ids, .. } if ids.len() == 2),
        "{:?}",
        last_write(&undone)
    );
    let new = review()
        .press("+ Down Enter")
        .type_text("Trade fair")
        .press("Enter y Enter")
        .serve();
    assert!(
        matches!(last_write(&new), WriteRequest::Add { ids, .. } if ids.len() == 2),
        "{:?}",
        last_write(&new)
    );
}

#[test]
fn an_interrupted_import_keeps_what_was_paid_for() {
    let stopped = columns().press("Enter").serve_next().press("Esc");
    assert!(
        stopped.notice_text().starts_with("stopped; "),
        "{}",
        stopped.notice_text()
    );
    let spent = stopped.service.spent;
    assert!(
        spent > 0 && stopped.screen_text().contains("waiting"),
        "{}",
        stopped.screen_text()
    );
    let draft = stopped
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::SaveDraft { name, content } if *name == DraftName::ListImport.to_string() => {
                content.clone()
            }
            _ => None,
        });
    assert!(draft.is_some_and(|draft| draft.to_string().contains("Brightline GC")));
    let resumed = stopped.press("Enter").serve();
    assert!(
        resumed
            .notice_text()
            .starts_with("2 found, 1 similar, 1 several, 1 none"),
        "{}",
        resumed.notice_text()
    );
    let left = resumed.press("Esc I");
    assert!(
        left.screen_text().contains("2 found"),
        "the book opens it again: {}",
        left.screen_text()
    );
    let gone = left.press("D Enter").press("I");
    assert!(
        gone.screen_text().contains("file"),
        "{}",
        gone.screen_text()
    );
}

#[test]
fn a_file_that_cannot_be_read_is_reported_and_asked_for_again() {
    let console = TestConsole::with_rows(morning_queue())
        .poll()
        .serve()
        .press("3")
        .serve()
        .press("I");
    let console = console.type_text("/nowhere.csv").press("Enter").serve();
    assert!(
        console
            .notice_text()
            .contains("cannot read /nowhere.csv: there is no such file"),
        "{}",
        console.notice_text()
    );
    assert!(console.press("I").screen_text().contains("file"));
}

#[test]
fn golden_screens_of_the_import() {
    golden!("import_columns_120x36", columns());
    golden!("import_120x36", review().press("j j"));
    golden!(
        "import_80x24",
        review().press("j j").send(Msg::Resized(80, 24))
    );
    golden!(
        "import_60x20",
        review().press("j j").send(Msg::Resized(60, 20))
    );
}

#[test]
fn without_a_file_what_is_typed_next_is_no_command_of_an_empty_screen() {
    let console = TestConsole::with_rows(morning_queue()).press("3").serve();
    let console = console.press("I Esc");
    assert_eq!(console.context().ui.screen(), crate::app::Screen::Book);
}
