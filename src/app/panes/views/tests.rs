//! Tests of Views, as their users see them.

use crate::app::effect::{Effect, ListId, ServiceCall, Slot, WriteRequest};
use crate::app::msg::Msg;
use crate::app::overlay::Overlay;
use crate::app::testing::fake_service::{account_id, view_id};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::views::View;

fn views() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("2").serve()
}

#[test]
fn the_list_is_free_and_favorites_come_first() {
    let console = views();
    assert_eq!(console.service.spent, 0);
    let screen = console.screen_text();
    assert!(
        screen.find("New architects") < screen.find("Austin GC watchlist"),
        "{screen}"
    );
}

#[test]
fn a_refresh_keeps_the_cursor_on_its_view() {
    let console = views().press("j k R").serve();
    let current = console
        .app
        .panes()
        .views
        .current_view(console.context())
        .map(|view| view.id);
    assert_eq!(current, Some(view_id(2)), "{}", console.screen_text());
}

#[test]
fn a_view_of_known_size_is_run_at_the_price_in_the_footer() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.views[0].records_count = Some(6);
    let console = console.press("2").serve().press("j");
    let screen = console.screen_text();
    assert!(
        screen.contains("Enter reads 6 rows, 6 cr") && screen.contains("Enter run 6 cr"),
        "{screen}"
    );
    let console = console.press("Enter").serve();
    assert_eq!(console.service.spent, 6, "{}", console.screen_text());
}

#[test]
fn running_a_view_reads_its_records_and_running_it_again_costs_nothing() {
    let console = views().press("j Enter").serve();
    assert_eq!(console.service.spent, 6);
    let console = console
        .press("h k Enter")
        .serve()
        .press("h j Enter")
        .serve();
    assert_eq!(console.service.spent, 6 + 12);
    assert!(console.screen_text().contains("Austin GC watchlist"));
}

#[test]
fn a_record_outside_the_book_looks_different_from_an_empty_field() {
    let screen = views().press("j Enter").serve().screen_text();
    let line = |name: &str| {
        screen
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(line("Arbor Civil").contains("not in book"), "{screen}");
    assert!(line("Brightline GC").contains("contacted"), "{screen}");
}

#[test]
fn saving_a_row_adds_it_to_the_book_and_undo_removes_it() {
    let console = views().press("j Enter").serve().press("b").serve();
    assert!(console.service.book.contains_key(&account_id(0)));
    assert!(
        !console
            .screen_text()
            .lines()
            .any(|line| line.contains("Arbor Civil") && line.contains("not in book"))
    );
    let console = console.press("z Down Enter").serve();
    assert!(!console.service.book.contains_key(&account_id(0)));
}

#[test]
fn a_record_leaves_a_static_view_and_comes_back_but_not_a_dynamic_one() {
    let console = views().press("j Enter").serve().press("j -").serve();
    assert_eq!(console.service.members[&view_id(1)].len(), 5);
    assert_eq!(
        console.press("z").serve().service.members[&view_id(1)].len(),
        6
    );
    let dynamic = views().press("Enter").serve().press("-").serve();
    assert!(
        dynamic
            .notice_text()
            .contains("its filter decides what is in it")
    );
}

#[test]
fn records_are_added_to_the_chosen_view() {
    let console = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("* a +");
    assert!(
        console.screen_text().contains("Add 8 accounts to a View")
            && !console.screen_text().contains("New architects")
    );
    let console = console.press("Enter").serve();
    assert_eq!(console.service.members[&view_id(1)].len(), 10);
}

const DEFINITION: &str = "Accounts whose account type is developer, and in Austin";

#[test]
fn a_definition_is_shown_in_words_and_its_json_behind_a_key() {
    let console = views();
    let screen = console.screen_text();
    assert!(
        screen.contains(DEFINITION) && !screen.contains("conditions\""),
        "{screen}"
    );
    let console = console.press("p");
    let json = console.screen_text();
    assert!(
        json.contains("\"conditions\": [") && !json.contains(DEFINITION),
        "{json}"
    );
    let run = console.press("p Enter").serve().press("h");
    assert!(
        !run.screen_text().contains(DEFINITION),
        "the rows are beside the list: {}",
        run.screen_text()
    );
    let run = run.press("p");
    assert!(
        run.screen_text().contains(DEFINITION),
        "{}",
        run.screen_text()
    );
    let other = run.press("j").screen_text();
    assert!(
        other.contains("Static View of accounts: those that somebody"),
        "the side panel follows the cursor: {other}"
    );
    let narrow = views().send(Msg::Resized(80, 24));
    assert!(
        narrow
            .press("p")
            .screen_text()
            .contains("Accounts whose account type is developer")
    );
}

#[test]
fn a_definition_without_words_is_shown_as_json_with_the_reason() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.views[1].definition = Some(serde_json::json!({ "query": "hotel" }));
    let screen = console.press("2").serve().screen_text();
    assert!(
        screen.contains("as JSON")
            && screen.contains("because the key query is not known here")
            && screen.contains("\"query\": \"hotel\""),
        "{screen}"
    );
}

#[test]
fn types_and_datasets_of_views_are_spelled_out() {
    let screen = views().send(Msg::Resized(200, 60)).screen_text();
    let line = screen
        .lines()
        .find(|line| line.contains("Austin GC watchlist"))
        .unwrap_or_default();
    assert!(
        line.contains("static") && line.contains("accounts"),
        "{screen}"
    );
}

/// The book with three accounts marked, and the name of a new View typed.
fn new_view_for_three() -> TestConsole {
    let book = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    book.press("Space Space Space + Up")
        .press("Enter")
        .type_text("Call list")
        .press("Enter")
        .serve()
}

#[test]
fn the_projects_of_marked_signals_go_into_a_new_view_after_it_is_named() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Space Space +")
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("Add 2 projects to a View")
            && screen.contains("The projects of 2 signals."),
        "{screen}"
    );
    let console = console.press("Enter Enter");
    assert_eq!(console.notice_text(), "a View needs a name");
    let console = console.type_text("Calls");
    let screen = console.screen_text();
    assert!(
        screen.contains("name of the new View, for everyone"),
        "{screen}"
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        (
            console.service.members[&view_id(3)].len(),
            console.service.spent
        ),
        (2, 0),
        "{}",
        console.notice_text()
    );
}

#[test]
fn undo_of_adding_to_a_view_leaves_the_records_that_it_had_before() {
    let view = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .press("j Enter")
        .serve();
    let before = view.service.members[&view_id(1)].clone();
    let console = view.press("* a + Enter").serve().press("z Enter").serve();
    assert_eq!(console.service.members[&view_id(1)], before);
}

#[test]
fn the_view_that_records_were_added_to_last_is_offered_first() {
    let mut console = TestConsole::with_rows(morning_queue());
    let mut view = console.service.views[0].clone();
    (view.id, view.name) = (view_id(9), Some("Zoning".to_owned()));
    console.service.views.push(view);
    let book = console.press("3").serve().press("Enter").serve();
    let first = |console: &TestConsole| match &console.context().ui.overlay {
        Some(Overlay::Choice(choice)) => choice.options[0].label.clone(),
        _ => panic!("no choice: {}", console.screen_text()),
    };
    let book = book.press("+");
    assert_eq!(first(&book), "Austin GC watchlist");
    let book = book.press("Down Enter").serve().press("+");
    assert_eq!(first(&book), "Zoning");
}

#[test]
fn views_that_cannot_be_read_say_so_when_records_are_added() {
    let console = TestConsole::with_rows(morning_queue())
        .press("+")
        .fail_next(RequestError::new_not_sent("connection refused"));
    let screen = console.screen_text();
    assert!(
        screen.contains("could not load the Views") && screen.contains("+ retries"),
        "{screen}"
    );
}

#[test]
fn marked_records_go_into_a_new_view_and_the_cursor_is_on_it() {
    let console = new_view_for_three();
    assert!(
        console
            .screen_text()
            .contains("done: 3 accounts added to the new View Call list   z deletes the View")
    );
    assert_eq!(console.service.members[&view_id(3)].len(), 3);
    let last = |is: fn(&ServiceCall) -> bool| console.calls.iter().rposition(is);
    let added = last(|call| matches!(call, ServiceCall::Write(WriteRequest::Add { .. })));
    assert!(
        last(|call| matches!(call, ServiceCall::Views)) > added,
        "the View's count is read again: {:?}",
        console.calls
    );
    let console = console.press("2").serve();
    let current = console
        .app
        .panes()
        .views
        .current_view(console.context())
        .map(View::title);
    assert_eq!(
        current.as_deref(),
        Some("Call list"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn undo_of_a_new_view_says_that_it_deletes_it_and_redo_fills_it_again() {
    let console = new_view_for_three().press("z");
    let screen = console.screen_text();
    assert!(
        screen.contains("This deletes the View Call list for everyone. Its records"),
        "{screen}"
    );
    assert_eq!(console.press("Esc").serve().service.views.len(), 3);
    let console = new_view_for_three().press("z y Enter").serve();
    assert_eq!(console.service.views.len(), 2, "{}", console.notice_text());
    let console = console.press("Z").serve();
    assert_eq!(
        (
            console.service.views.len(),
            console.service.members[&view_id(3)].len()
        ),
        (3, 3),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_new_view_is_proposed_for_the_records_that_the_user_came_from() {
    let console = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("] Enter")
        .serve()
        .press("2")
        .serve();
    let console = console
        .press("A")
        .type_text("Hot")
        .press("Enter Enter")
        .serve();
    let created = console
        .service
        .views
        .iter()
        .find(|view| view.title() == "Hot")
        .expect("a View");
    assert_eq!(
        created.dataset.as_deref(),
        Some("contact"),
        "{}",
        console.screen_text()
    );
    let current = console
        .app
        .panes()
        .views
        .current_view(console.context())
        .map(View::title);
    assert_eq!(current.as_deref(), Some("Hot"));
}

#[test]
fn a_view_is_renamed_and_undo_gives_it_its_name_back() {
    let console = views()
        .press("j F2 Ctrl-u")
        .type_text("Austin GCs")
        .press("Enter")
        .serve();
    assert!(
        console
            .service
            .views
            .iter()
            .any(|view| view.title() == "Austin GCs" && view.is_static()),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        console.notice_text(),
        "done: View Austin GC watchlist renamed to Austin GCs"
    );
    let mut console = console.press("z").serve();
    assert!(
        console
            .service
            .views
            .iter()
            .any(|view| view.title() == "Austin GC watchlist"),
        "{}",
        console.notice_text()
    );
    console = console.press("Z").serve();
    console
        .service
        .views
        .iter_mut()
        .filter(|view| view.id == view_id(1))
        .for_each(|view| view.name = Some("Theirs".to_owned()));
    let console = console.press("R").serve().press("z");
    assert!(
        console
            .screen_text()
            .contains("The View Theirs was renamed"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_view_that_somebody_deleted_says_so_and_leaves_the_list() {
    let gone = || RequestError {
        kind: RequestErrorKind::Rejected(ServiceError {
            status: 404,
            code: "view_not_found".into(),
            ..ServiceError::default()
        }),
        message: "rejected (view_not_found): no such View".to_owned(),
    };
    let deleted = |keys: &str| {
        let mut console = views();
        console.service.views.retain(|view| view.id != view_id(1));
        console.press("j").press(keys).fail_next(gone()).serve()
    };
    for keys in ["Enter", "b", "F2 x Enter"] {
        let console = deleted(keys);
        assert!(
            console
                .notice_text()
                .contains("The View Austin GC watchlist was deleted by somebody else"),
            "{keys}: {}",
            console.notice_text()
        );
        let screen = console.screen_text();
        assert!(
            screen
                .lines()
                .filter(|line| line.contains("Austin GC watchlist"))
                .count()
                == 1,
            "only the notice: {keys}\n{screen}"
        );
        assert!(
            console
                .press("k Enter")
                .serve()
                .screen_text()
                .contains("12 of 12"),
            "the list has the keys"
        );
    }
}

#[test]
fn a_view_is_created_by_name_and_kind_and_deleted_only_after_a_warning() {
    let console = views()
        .press("A")
        .type_text("Call list")
        .press("Enter")
        .press("j Enter")
        .serve();
    assert!(
        console
            .service
            .views
            .iter()
            .any(|view| view.title() == "Call list" && view.dataset.as_deref() == Some("contact"))
    );
    let console = console.press("/").press("Esc");
    let console = console.press("G D");
    assert!(
        console.screen_text().contains("cannot be undone"),
        "{}",
        console.screen_text()
    );
    let before = console.service.views.len();
    let console = console.press("Down Enter").serve();
    assert_eq!(console.service.views.len(), before - 1);
}

#[test]
fn deleting_several_views_reloads_the_list_once() {
    let console = views();
    let reads = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Views))
            .count()
    };
    let before = reads(&console);
    let console = console.press("g g Space Space D 2 Enter").serve();
    assert_eq!(
        (console.service.views.len(), reads(&console)),
        (0, before + 1),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_favorite_is_added_and_removed() {
    let console = views().press("j b").serve();
    assert!(console.service.favorites.contains(&view_id(1)));
    assert!(
        !console
            .press("z")
            .serve()
            .service
            .favorites
            .contains(&view_id(1))
    );
}

#[test]
fn under_an_api_key_favorites_are_greyed_with_the_reason() {
    let console = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve_next();
    let refusal = ServiceError {
        status: 403,
        code: "forbidden".into(),
        ..ServiceError::default()
    };
    let refused = RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "rejected (forbidden): favorites need a user token".into(),
    };
    let console = console.fail_next(refused).press("b");
    assert!(
        console
            .notice_text()
            .contains("favorites need a user token"),
        "{}",
        console.notice_text()
    );
    assert!(
        !console
            .calls
            .iter()
            .any(|call| matches!(call, ServiceCall::Write(WriteRequest::Favorite { .. })))
    );
    assert!(console.screen_text().contains("Austin GC watchlist"));
}

#[test]
fn two_views_are_compared_on_their_loaded_rows() {
    let console = views().press("Space Space =");
    assert!(console.notice_text().contains("run first"));
    let console = console
        .press("Esc g g Enter")
        .serve()
        .press("h j Enter")
        .serve()
        .press("h g g Space Space =");
    assert!(
        console.notice_text().contains("6 in both"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.service.spent, 18);
}

#[test]
fn a_filter_does_not_change_the_record_count_of_a_view() {
    let all = views().press("j Enter").serve();
    let narrowed = all
        .press("f E")
        .type_text("arbor")
        .press("Enter Enter")
        .serve();
    assert_eq!(
        narrowed.context().displayed_list().unwrap().total,
        Some(1),
        "{}",
        narrowed.screen_text()
    );
    let view = narrowed.context().views.get(view_id(1)).unwrap();
    assert_eq!(
        narrowed
            .context()
            .records
            .lists
            .count_of_view(view)
            .map(|count| count.total),
        Some(6),
        "{}",
        narrowed.screen_text()
    );
    let nothing = narrowed
        .press("f E Ctrl-u")
        .type_text("zzzzzz")
        .press("Enter Enter")
        .serve();
    assert!(
        nothing.screen_text().contains("zzzzzz") && nothing.screen_text().contains("F clears it"),
        "{}",
        nothing.screen_text()
    );
}

#[test]
fn a_failed_read_is_reported_once_in_the_empty_place_with_a_working_key() {
    let occurrences =
        |console: &TestConsole, what: &str| console.screen_text().matches(what).count();
    let refused = || RequestError::new_not_sent("connection refused");
    let list = TestConsole::with_rows(morning_queue())
        .press("2")
        .fail_next(refused());
    assert_eq!(
        occurrences(&list, "connection refused"),
        1,
        "{}",
        list.screen_text()
    );
    let records = views().press("Enter").fail_next(refused());
    assert_eq!(
        occurrences(&records, "connection refused"),
        1,
        "{}",
        records.screen_text()
    );
    assert!(
        records.screen_text().contains("Enter retries")
            && records.screen_text().contains("Enter read "),
        "{}",
        records.screen_text()
    );
    let elsewhere = views().press("Enter 1").fail_next(refused());
    assert!(
        elsewhere.notice_text().contains("connection refused"),
        "{}",
        elsewhere.screen_text()
    );
    let page = views()
        .press("Enter")
        .serve()
        .press("Enter")
        .fail_next(refused());
    assert_eq!(
        occurrences(&page, "connection refused"),
        1,
        "{}",
        page.screen_text()
    );
    assert!(
        page.screen_text().contains("r retries"),
        "{}",
        page.screen_text()
    );
}

#[test]
fn golden_screens_of_the_views() {
    golden!("views_120x36", views().press("j Enter").serve());
    golden!("views_list_80x24", views().send(Msg::Resized(80, 24)));
    golden!(
        "views_records_80x24",
        views().press("j Enter").serve().send(Msg::Resized(80, 24))
    );
    golden!(
        "views_records_60x20",
        views().press("j Enter").serve().send(Msg::Resized(60, 20))
    );
}

#[test]
fn the_cursor_stays_on_its_view_when_the_favorites_arrive_late() {
    let late = || {
        TestConsole::with_rows(morning_queue())
            .press("2")
            .serve_next()
    };
    let title = |console: &TestConsole| {
        console
            .app
            .panes()
            .views
            .current_view(console.context())
            .map(View::title)
    };
    let untouched = late().serve();
    assert_eq!(
        title(&untouched).as_deref(),
        Some("New architects"),
        "untouched list: the first favorite"
    );
    let console = late().press("Space k").serve();
    assert_eq!(
        title(&console).as_deref(),
        Some("Austin GC watchlist"),
        "{}",
        console.screen_text()
    );
    let console = late().press("c").serve();
    assert_eq!(title(&console).as_deref(), Some("Austin GC watchlist"));
}

#[test]
fn a_view_left_during_its_read_has_its_rows_on_return() {
    let console = views().press("Enter").press("h j Enter").serve();
    assert_eq!(console.service.spent, 12 + 6);
    assert!(
        console.screen_text().contains("1,302"),
        "both were charged: {}",
        console.screen_text()
    );
    let console = console.press("h k Enter");
    assert!(
        console.screen_text().contains("12 of 12"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.pending_calls.is_empty(),
        "paid rows are not read again"
    );
}

#[test]
fn cancelling_a_view_cancels_no_other() {
    let console = views().press("Enter").press("h j Enter").press("Ctrl-c");
    for n in [1, 2] {
        let slot = Slot::Records(ListId::View(view_id(n)));
        assert_eq!(
            console
                .effects
                .iter()
                .filter(|effect| **effect == Effect::Cancel(slot.clone()))
                .count(),
            1
        );
    }
}

#[test]
fn a_view_cannot_be_counted_while_it_is_being_read() {
    let console = views().press("Enter").press("h c");
    assert_eq!(console.notice_text(), "count: a page is still loading");
    assert!(
        console
            .serve()
            .press("Enter")
            .screen_text()
            .contains("12 of 12")
    );
}

#[test]
fn views_marked_for_a_comparison_are_not_deleted_by_the_next_d() {
    let both = views()
        .press("Enter")
        .serve()
        .press("h j Enter")
        .serve()
        .press("h g g Space Space =");
    assert!(
        both.notice_text().contains("6 in both"),
        "{}",
        both.notice_text()
    );
    let console = both.press("D");
    assert!(
        console.screen_text().contains("Delete the View")
            && !console.screen_text().contains("Delete 2 Views"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn deleting_two_views_takes_their_number_and_enter_by_itself_deletes_nothing() {
    let console = views().press("g g Space Space D");
    assert!(
        console
            .notice_text()
            .starts_with("type 2 to delete 2 Views for everyone: "),
        "{}",
        console.notice_text()
    );
    let kept = console.press("Enter").serve();
    assert_eq!(kept.service.views.len(), 2);
    let kept = kept.press("D 3 Enter").serve();
    assert_eq!(
        (kept.service.views.len(), kept.notice_text().as_str()),
        (2, "\"3\" is not 2: nothing was deleted")
    );
    let kept = kept.press("D Esc Enter").serve();
    assert_eq!(kept.service.views.len(), 2);
    let console = views().press("g g Space Space D 2 Enter").serve();
    assert_eq!(console.service.views.len(), 0, "{}", console.notice_text());
}

#[test]
fn rows_marked_by_a_comparison_leave_the_view_only_after_confirmation() {
    // The static View shares six rows with the other one; without them it is the first of the two.
    let mut console = views();
    console
        .service
        .members
        .get_mut(&view_id(1))
        .unwrap()
        .insert(crate::app::testing::fake_service::account_id(99));
    let mut console = console.press("Enter").serve().press("h j Enter").serve();
    let list = console
        .context_mut()
        .records
        .lists
        .get_mut(&ListId::View(view_id(1)))
        .unwrap();
    let (id, other) = (list.rows()[0].id, list.rows()[1].id);
    list.marked_by_comparison = [id].into();
    list.marks = [id].into();
    let console = console.press("-");
    assert!(
        console.screen_text().contains("comparison"),
        "{}",
        console.screen_text()
    );
    assert!(
        !console
            .calls
            .iter()
            .any(|call| matches!(call, ServiceCall::Write(_)))
    );
    let mut console = console.press("Esc");
    console
        .context_mut()
        .records
        .lists
        .get_mut(&ListId::View(view_id(1)))
        .unwrap()
        .marks = [other].into();
    assert!(
        console
            .press("-")
            .calls
            .iter()
            .any(|call| matches!(call, ServiceCall::Write(_)))
    );
}

#[test]
fn a_definition_is_edited_in_the_builder_and_saved_after_before_and_after_were_shown() {
    let edit = || views().press("E").serve();
    let console = edit();
    let screen = console.screen_text();
    assert!(
        screen.contains("New architects  its definition") && screen.contains("developer"),
        "{screen}"
    );
    assert!(
        console
            .press("Ctrl-s")
            .notice_text()
            .contains("its definition is unchanged")
    );
    let console = edit().press("x Ctrl-s");
    let screen = console.screen_text();
    assert!(
        screen.contains("Before: Accounts whose account type is developer")
            && screen.contains("After: Accounts in Austin"),
        "{screen}"
    );
    let old = console
        .service
        .views
        .iter()
        .find(|view| view.id == view_id(2))
        .unwrap()
        .definition
        .clone();
    let console = console.press("Down Enter").serve();
    let definition = |console: &TestConsole| {
        console
            .service
            .views
            .iter()
            .find(|view| view.id == view_id(2))
            .unwrap()
            .definition
            .clone()
    };
    assert_ne!(definition(&console), old, "{}", console.notice_text());
    assert_eq!(
        console.context().ui.screen(),
        crate::app::Screen::Views,
        "{}",
        console.screen_text()
    );
    assert_eq!(definition(&console.press("z").serve()), old);
    let console = edit().press("x Esc");
    assert_eq!(
        console.notice_text(),
        "The View New architects was not changed."
    );
    assert!(!console.press("5").screen_text().contains("its definition"));
    assert!(
        views()
            .press("j E")
            .notice_text()
            .contains("this View has no definition")
    );
}
