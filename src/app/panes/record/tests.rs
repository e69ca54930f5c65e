//! Tests of record pages and jumps, as their users see them.

use chrono::Duration;
use uuid::Uuid;

use crate::app::Screen;
use crate::app::command::Scope;
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::overlay::Overlay;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::description::Description;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

fn page() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("j Enter")
        .serve()
}

fn record_reads(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Record { .. }))
        .count()
}

#[test]
fn going_back_to_the_previous_screen_reopens_no_closed_page() {
    let console = TestConsole::at_scope(Scope::Record)
        .press("1 Enter")
        .serve()
        .press("g p")
        .serve()
        .press("Esc `");
    assert_eq!(console.context().ui.screen(), Screen::Queue);
}

#[test]
fn phone_and_email_of_a_contact_in_the_book_are_read_from_the_index_at_a_price_that_is_shown() {
    let mut console = TestConsole::with_rows(morning_queue()).serve();
    let contact = &mut console
        .service
        .records
        .get_mut("contacts")
        .expect("contacts")[0];
    contact.insert("phone".to_owned(), "512-555-0199".into());
    let id = Uuid::from_u128(0x4000);
    let annotation = serde_json::json!({"workspace_status": "contacted", "tags": []});
    let annotation = annotation.as_object().expect("an object").clone();
    console.service.book.insert(id, annotation);
    let console = console.press("3 ]").serve().press("Enter").serve();
    let form = console.press("a c");
    let screen = form.screen_text();
    assert!(screen.contains("Ctrl-r read the index 1 cr"), "{screen}");
    let console = form.press("Esc Enter").serve();
    let screen = console.screen_text();
    assert!(screen.contains("i looks in the index, 1 cr"), "{screen}");
    let reads = record_reads(&console);
    let console = console.press("i").serve();
    let screen = console.screen_text();
    assert_eq!(record_reads(&console), reads + 1);
    assert!(screen.contains("512-555-0199"), "{screen}");
    assert!(screen.contains("the index has none"), "{screen}");
    let console = console.press("y p");
    assert_eq!(
        console.notice_text(),
        "copying phone of D. Okafor: 512-555-0199"
    );
}

#[test]
fn a_contact_that_the_index_does_not_have_is_not_looked_up_twice() {
    let mut console = TestConsole::with_rows(morning_queue()).serve();
    let annotation = serde_json::json!({"workspace_status": "contacted", "tags": []});
    let annotation = annotation.as_object().expect("an object").clone();
    console
        .service
        .book
        .insert(Uuid::from_u128(0x4000), annotation);
    let missing = ServiceError {
        status: 404,
        code: "not_found".to_owned(),
        ..ServiceError::default()
    };
    let console = console.press("3 ]").serve().press("Enter").serve();
    let console = console.press("Enter").serve().press("i");
    let console = console.fail_next(RequestError {
        kind: RequestErrorKind::Rejected(missing),
        message: "no such contact".to_owned(),
    });
    let screen = console.screen_text();
    assert!(
        screen.contains("not in the book or the index") && !screen.contains("looks in"),
        "{screen}"
    );
    let screen = console.press("a c").screen_text();
    assert!(!screen.contains("read the index"), "{screen}");
}

#[test]
fn a_page_is_one_get_and_revisiting_it_is_free() {
    let console = page();
    assert_eq!(record_reads(&console), 1);
    assert!(
        console.screen_text().contains("Calder Residential")
            && console.screen_text().contains("met at the fair"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc Enter").serve();
    assert_eq!(record_reads(&console), 1);
}

#[test]
fn a_page_takes_newer_values_from_a_row_read_after_it() {
    let written = |mut console: TestConsole| {
        let id = console
            .context()
            .displayed_list()
            .unwrap()
            .current_record()
            .unwrap()
            .id;
        console
            .service
            .book
            .get_mut(&id)
            .unwrap()
            .insert("workspace_status".to_owned(), "quoted".into());
        console
    };
    let console = written(page().press("Esc"))
        .advance_time(Duration::minutes(5))
        .press("R")
        .serve()
        .press("j Enter")
        .serve();
    assert!(
        console.screen_text().contains("quoted"),
        "the page\n{}",
        console.screen_text()
    );
    assert_eq!(record_reads(&console), 1);
    let console = written(
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .press("j"),
    );
    let console = console
        .advance_time(Duration::minutes(5))
        .press("Enter")
        .serve()
        .press("Esc");
    assert!(
        console.screen_text().contains("quoted"),
        "the row\n{}",
        console.screen_text()
    );
}

#[test]
fn from_an_account_to_its_project_and_back() {
    let console = page().press("Enter").serve();
    assert!(
        console
            .screen_text()
            .contains("Book › Calder Residential › Harbor Yard Lofts"),
        "{}",
        console.screen_text()
    );
    assert_eq!(record_reads(&console), 2);
    let console = console.press("Esc");
    assert!(console.screen_text().contains("Book › Calder Residential"));
    let console = console.press("Esc");
    assert!(
        console.screen_text().contains("Brightline GC"),
        "the list keeps its cursor: {}",
        console.screen_text()
    );
}

#[test]
fn a_page_begins_on_its_first_list_with_rows_and_enter_on_the_facts_goes_there() {
    let console = page();
    let screen = console.screen_text();
    assert!(screen.contains("Enter opens it, 1 cr"), "{screen}");
    let reads = record_reads(&console);
    let facts = console.press("Tab");
    let screen = facts.screen_text();
    assert!(
        screen.contains("Enter lists") && !screen.contains("opens it"),
        "{screen}"
    );
    let lists = facts.press("Enter");
    assert!(
        lists.screen_text().contains("Enter opens it, 1 cr"),
        "{}",
        lists.screen_text()
    );
    assert_eq!(record_reads(&lists), reads, "nothing is paid for it");

    let narrow = page().press("Tab").send(Msg::Resized(80, 24)).press("[");
    let screen = narrow.press("[").press("Enter").screen_text();
    assert!(screen.contains("opens it, 1 cr"), "{screen}");
}

#[test]
fn from_a_signal_to_its_project_page_without_paying_again() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("g p")
        .serve();
    assert!(
        console.screen_text().contains("Signal › Harbor Yard Lofts"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        record_reads(&console),
        1,
        "the project was paid for when the signal was opened"
    );
    assert!(console.press("q").screen_text().contains("Overview"));
}

#[test]
fn a_projects_page_shows_the_phones_of_its_firms_and_what_each_filing_is_about() {
    let mut console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("g p")
        .serve();
    let firms = console.screen_text();
    for text in ["developer", "512-555-0142"] {
        assert!(firms.contains(text), "{text}: {firms}");
    }

    let signal = console.cursor_id();
    let payload = serde_json::json!({"description": "New 6-story hotel"});
    let said = Description::from_payload(&payload);
    let facts = &mut console.context_mut().queue.facts;
    facts.describe_signal(signal, None, said);
    let screen = console.press("] ]").screen_text();
    assert!(
        ["WHAT", "New 6-story hotel", "COST"]
            .iter()
            .all(|text| screen.contains(text)),
        "{screen}"
    );
    assert!(!screen.contains("PROJECT"), "the title names it: {screen}");
}

#[test]
fn a_page_is_read_again_by_the_refresh_key_and_not_twice_within_a_minute() {
    let console = page().press("r").serve();
    assert_eq!(record_reads(&console), 1);
    assert!(
        console
            .notice_text()
            .contains("read less than a minute ago"),
        "{}",
        console.notice_text()
    );
    let console = console
        .advance_time(Duration::seconds(61))
        .press("r")
        .serve();
    assert_eq!(record_reads(&console), 2);
    assert_eq!(console.notice_text(), "read again: nothing changed");
}

#[test]
fn the_source_of_a_record_never_overlaps_the_tabs() {
    for width in [60, 64, 68] {
        let screen = page()
            .send(Msg::Resized(width, 20))
            .press("[")
            .screen_text();
        assert!(
            ["signals", "in the book, read"]
                .iter()
                .all(|words| screen.contains(words)),
            "{width}: {screen}"
        );
    }
}

#[test]
fn golden_screens_of_a_record() {
    golden!("record_120x36", page());
    golden!("record_raw_120x36", page().press("["));
    golden!("record_80x24", page().send(Msg::Resized(80, 24)));
    golden!("record_60x20", page().press("]").send(Msg::Resized(60, 20)));
}

fn breadcrumb(console: &TestConsole) -> String {
    console
        .screen_text()
        .lines()
        .find(|line| line.contains(" › ") && !line.contains("gantry"))
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[test]
fn next_and_previous_go_through_the_list_with_the_price_and_move_its_cursor() {
    let console = page();
    assert!(
        console.screen_text().contains("J next "),
        "{}",
        console.screen_text()
    );
    let console = console.press("J").serve();
    assert_eq!(
        (breadcrumb(&console).as_str(), record_reads(&console)),
        ("Book › Juniper Capital", 2)
    );
    let console = console.press("K");
    assert_eq!(
        (breadcrumb(&console).as_str(), record_reads(&console)),
        ("Book › Calder Residential", 2)
    );
    assert!(
        console.screen_text().contains("J next, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("K").serve().press("K");
    assert!(
        console
            .notice_text()
            .contains("this is the first record of its list"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Esc");
    let current = console
        .context()
        .displayed_list()
        .unwrap()
        .current_record()
        .unwrap()
        .fields();
    assert_eq!(
        current.text("name"),
        Some("Brightline GC"),
        "the cursor of the list moved with the page"
    );
}

#[test]
fn back_and_forward_go_through_everything_visited_for_free() {
    let console = page().press("Enter").serve();
    assert_eq!(
        breadcrumb(&console),
        "Book › Calder Residential › Harbor Yard Lofts"
    );
    let (reads, console) = (record_reads(&console), console.press("2").serve());
    let console = console.press("`");
    assert!(
        breadcrumb(&console).ends_with("Harbor Yard Lofts"),
        "{}",
        console.screen_text()
    );
    let console = console.press("`");
    assert!(
        breadcrumb(&console).ends_with("Calder Residential"),
        "{}",
        console.screen_text()
    );
    let console = console.press("` `");
    assert_eq!(console.context().ui.screen(), Screen::Queue);
    assert!(
        console
            .press("`")
            .notice_text()
            .contains("you are at the first place")
    );
    let console = page()
        .press("Enter")
        .serve()
        .press("2")
        .serve()
        .press("` ` ~ ~");
    assert_eq!(console.context().ui.screen(), Screen::Views);
    assert_eq!(
        record_reads(&console.press("`")),
        reads,
        "nothing is read again"
    );
}

#[test]
fn a_visited_place_is_chosen_from_a_list() {
    let console = page().press("2").serve().press("g v");
    let screen = console.screen_text();
    assert!(
        ["Visited places", "Calder Residential", "Book", "Queue"]
            .iter()
            .all(|place| screen.contains(place)),
        "{screen}"
    );
    let again = page().press("1").serve().press("3").serve().press("1 g v");
    let Some(Overlay::Choice(choice)) = &again.context().ui.overlay else {
        panic!("{}", again.screen_text())
    };
    let labels: Vec<&str> = choice
        .options
        .iter()
        .map(|option| option.label.as_str())
        .collect();
    assert_eq!(labels, ["Queue", "Book", "Calder Residential"]);
    let console = console.press("Down Enter");
    assert!(
        breadcrumb(&console).ends_with("Calder Residential"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn the_history_shows_what_was_written_here_and_what_changed_between_reads() {
    let history = page().press("[ [").serve();
    assert!(
        history
            .screen_text()
            .contains("This machine wrote nothing on this record"),
        "{}",
        history.screen_text()
    );
    let mut console = history
        .press("a s")
        .type_text("quoted")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert!(
        console.screen_text().contains("status: cold → quoted"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("written here, saved"),
        "{}",
        console.screen_text()
    );
    let id = match console.context().ui.subject() {
        crate::app::selection::Subject::Record(key, _) => key.id,
        other => panic!("{other:?}"),
    };
    console
        .service
        .book
        .get_mut(&id)
        .unwrap()
        .insert("tags".to_owned(), serde_json::json!(["austin", "hotel"]));
    let console = console
        .advance_time(Duration::minutes(7))
        .press("r")
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("tags: austin → austin, hotel")
            && screen.contains("changed between 09:20 and 09:27"),
        "{screen}"
    );
    golden!("record_history_120x36", console);
}

#[test]
fn related_records_are_sorted_and_searched_like_any_list() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("g p")
        .serve();
    let names = |console: &TestConsole| {
        let (cx, mut lines) = (console.context(), Vec::new());
        if let Some(list) = console.app.panes().list(cx) {
            list.visit_lines(&mut |_, text| lines.push(text.trim().to_owned()));
        }
        lines
    };
    let usual = names(&console);
    assert!(usual.len() > 1, "{usual:?}");
    let console = console.press("s Enter");
    let mut sorted = usual.clone();
    sorted.sort();
    assert_eq!(names(&console), sorted, "by name");
    assert_eq!(
        names(&console.press("s Enter")),
        sorted.iter().rev().cloned().collect::<Vec<_>>()
    );
}
