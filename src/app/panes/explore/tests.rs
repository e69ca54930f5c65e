//! Tests of Explore, as its users see it.

use serde_json::json;

use crate::app::Effect;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{ConnectedService, Msg, Push, Reply};
use crate::app::testing::fake_service::FakeService;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::Dataset;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::search::{RecordSource, Search, SortOrder};

fn explore() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("5").serve()
}

/// The builder over accounts, with conditions typed as text.
fn accounts(conditions: &str) -> TestConsole {
    explore()
        .press("k Left Left E")
        .type_text(conditions)
        .press("Enter")
        .serve()
}

fn filters(console: &TestConsole) -> serde_json::Value {
    console.app.panes().explore.draft().filters.to_json()
}

/// The search shown in the golden files, built key by key.
fn filled_builder() -> TestConsole {
    let console = explore()
        .press("+")
        .type_text("primary")
        .press("Enter")
        .type_text("multi")
        .press("Enter");
    let console = console
        .press("+")
        .type_text("city")
        .press("Enter")
        .type_text("Austin")
        .press("Enter");
    let console = console
        .press("+")
        .type_text("cost")
        .press("Enter")
        .type_text("20M..")
        .press("Enter");
    let console = console
        .press("+")
        .type_text("has signal")
        .press("Enter")
        .type_text("type")
        .press("Enter")
        .type_text("issued")
        .press("Enter");
    let console = console
        .press("+")
        .type_text("filed")
        .press("Enter")
        .type_text("2026-07-01..")
        .press("Enter");
    console
        .press("< +")
        .type_text("without account")
        .press("Enter")
        .type_text("role")
        .press("Enter")
        .type_text("gc")
        .press("Enter")
}

#[test]
fn opening_explore_reads_the_vocabulary_once_and_spends_nothing() {
    let console = explore()
        .press("1")
        .press("5")
        .serve()
        .press("k Left Right")
        .serve();
    let read: Vec<_> = console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Fields(_)))
        .collect();
    assert_eq!(
        (read.len(), console.service.spent),
        (2, 0),
        "once per dataset: {read:?}"
    );
}

#[test]
fn help_lists_no_key_that_an_inner_scope_overrides() {
    let keys = |sentence: &str| {
        let help = accounts("city=Austin")
            .press("Enter")
            .serve()
            .press("?")
            .type_text(sentence)
            .screen_text();
        // The first line with it is the query.
        help.lines()
            .filter(|line| line.contains(sentence))
            .nth(1)
            .map(|line| line.contains(" f "))
    };
    assert_eq!(
        (keys("go to the builder"), keys("filter by words")),
        (Some(true), Some(false))
    );
}

#[test]
fn conditions_are_built_key_by_key_and_nothing_is_sent() {
    let console = filled_builder();
    let expected = json!({
        "primary_use": {"value": "multifamily"}, "city": {"value": "Austin"}, "cost_of_construction_usd": {"min": 20_000_000},
        "has_signal": {"signal_type": {"value": "permit_issued"}, "filed_at": {"min": "2026-07-01"}},
        "without_account": {"role": {"value": "gc"}},
    });
    assert_eq!((filters(&console), console.count_searches()), (expected, 0));
    let screen = console
        .screen_text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(screen.contains("up to 50 rows, at most 50 cr"), "{screen}");
}

#[test]
fn escape_at_the_first_value_of_a_new_condition_takes_the_condition_away() {
    for field in ["cost", "stage", "city"] {
        let added = explore().press("+").type_text(field).press("Enter Esc");
        assert_eq!(filters(&added), json!({}), "{field}");
    }
    let console = explore()
        .press("+")
        .type_text("city")
        .press("Enter")
        .type_text("Austin")
        .press("Enter Space Esc");
    assert_eq!(
        filters(&console),
        json!({"city": {"value": "Austin"}}),
        "a condition that has a value stays"
    );
    let inner = explore()
        .press("+")
        .type_text("has signal")
        .press("Enter")
        .type_text("type")
        .press("Enter Esc");
    assert_eq!(filters(&inner), json!({"has_signal": {}}));
}

#[test]
fn several_enum_values_are_marked_and_excluded_with_one_key() {
    let console = explore()
        .press("+")
        .type_text("stage")
        .press("Enter")
        .press("Space Down Space Enter")
        .press("!");
    assert_eq!(
        filters(&console),
        json!({"stage": {"value": ["approved", "permitted"], "exclude": true}})
    );
    assert!(
        console
            .screen_text()
            .contains("Projects that are not approved or permitted."),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_relation_is_flipped_into_its_opposite_and_says_so() {
    let console = explore()
        .press("+")
        .type_text("has account")
        .press("Enter Esc");
    assert!(
        console
            .screen_text()
            .contains("Projects with at least one account.")
    );
    let console = console.press("!");
    assert!(
        console.screen_text().contains("Projects with no accounts."),
        "{}",
        console.screen_text()
    );
    assert_eq!(filters(&console), json!({"without_account": {}}));
}

#[test]
fn an_invalid_condition_is_reported_beside_it_and_not_sent() {
    let console = explore()
        .press("E")
        .type_text("stories=2026-01-01 stage=built town=x")
        .press("Enter")
        .press("j Enter");
    let screen = console.screen_text();
    for words in [
        "needs a number like 14, not 2026-01-01",
        "has no value built; use approved",
        "is not a field",
        "3 errors to fix first",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert_eq!(console.count_searches(), 0);
    assert!(
        console.notice_text().contains("needs a number"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn an_invalid_bound_is_asked_for_again_with_the_typed_text() {
    let console = explore()
        .press("+")
        .type_text("stories")
        .press("Down Enter")
        .type_text("many")
        .press("Enter");
    assert!(
        console
            .notice_text()
            .contains("stories needs a number like 14, not many"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-u").type_text("5..9").press("Enter");
    assert_eq!(filters(&console), json!({"stories": {"min": 5, "max": 9}}));
}

#[test]
fn running_reads_a_page_for_its_price_and_running_it_again_costs_nothing() {
    let console = accounts("city=Austin").press("Enter").serve();
    assert_eq!(console.service.spent, 6);
    let console = console.press("Tab");
    assert!(
        console
            .screen_text()
            .contains("shows the 6 rows from 09:20, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    let console = console
        .press("1")
        .send(Msg::Resized(80, 24))
        .press("5")
        .send(Msg::Resized(120, 36))
        .serve();
    assert_eq!((console.service.spent, console.count_searches()), (6, 1));
}

#[test]
fn a_count_costs_one_credit_and_makes_the_price_exact() {
    let console = accounts("city=Austin").press("c").serve();
    assert_eq!(console.service.spent, 1);
    let screen = console.screen_text();
    assert!(screen.contains("all 6 rows, 6 cr"), "{screen}");
    assert!(
        screen.contains("reads all 6 rows for 6 credits"),
        "{screen}"
    );
    assert_eq!(console.press("Enter").serve().service.spent, 7);
}

#[test]
fn a_search_without_conditions_needs_confirmation() {
    let console = explore().press("k Enter");
    assert!(
        console
            .screen_text()
            .contains("Read projects without a condition?")
            && console.count_searches() == 0
    );
    assert_eq!(console.press("y Enter").serve().count_searches(), 1);
}

#[test]
fn older_runs_come_back_with_rows_and_conditions_for_free() {
    let console = accounts("city=Austin")
        .press("Enter")
        .serve()
        .press("Tab E Ctrl-u")
        .type_text("city=Dallas")
        .press("Enter Enter")
        .serve();
    assert_eq!(console.service.spent, 9);
    let console = console.press("[");
    assert_eq!(filters(&console), json!({"city": {"value": "Austin"}}));
    assert!(
        console.screen_text().contains("Calder Residential"),
        "{}",
        console.screen_text()
    );
    let console = console.press("]");
    assert_eq!(
        (filters(&console), console.service.spent),
        (json!({"city": {"value": "Dallas"}}), 9)
    );
}

#[test]
fn an_unsent_search_waits_at_the_end_of_the_history() {
    let console = accounts("city=Austin")
        .press("Enter")
        .serve()
        .press("Tab E Ctrl-u")
        .type_text("city=Houston")
        .press("Enter");
    let console = console.press("[");
    assert_eq!(filters(&console), json!({"city": {"value": "Austin"}}));
    assert_eq!(
        filters(&console.press("]")),
        json!({"city": {"value": "Houston"}})
    );
}

#[test]
fn a_question_fills_the_builder_reports_what_was_not_understood_and_runs_nothing() {
    let console = explore()
        .press(";")
        .type_text("pretty things in Austin without gc")
        .press("Enter")
        .serve();
    assert_eq!(
        filters(&console),
        json!({"city": {"value": "Austin"}, "without_account": {"role": {"value": "gc"}}})
    );
    assert!(
        console
            .notice_text()
            .contains("ignored: pretty; nothing was run"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.count_searches(), 0);
}

#[test]
fn an_answer_over_another_list_fills_explore_and_leaves_that_list_filter_alone() {
    let console = explore()
        .press("E")
        .type_text("stories>=5")
        .press("Enter")
        .press(";")
        .type_text("Austin")
        .press("Enter");
    let (token, call) = console.pending_calls.back().cloned().unwrap();
    assert!(matches!(call, ServiceCall::AskQuestion { .. }));
    let mut console = console.press("3 Enter");
    console.pending_calls.retain(|(asked, _)| *asked != token);
    let console = console
        .serve()
        .press("f")
        .serve()
        .press("+")
        .type_text("name")
        .press("Enter")
        .type_text("Calder")
        .press("Enter");
    let understood = Reply::QuestionTranslated(
        crate::app::testing::fake_service::translate_question("Austin"),
    );
    let console = console.send(Msg::Replied(token, Ok(understood)));
    assert_eq!(filters(&console), json!({"name": {"value": "Calder"}}));
    assert!(
        !console.screen_text().contains("Enter runs it"),
        "Enter would apply the filter built here: {}",
        console.screen_text()
    );
    let console = console.press("Esc 5").serve();
    assert_eq!(filters(&console)["city"], json!({"value": "Austin"}));
    assert_eq!(
        filters(&console.press("]")),
        json!({"stories": {"min": 5}}),
        "the previous search is in the history"
    );
}

#[test]
fn the_top_20_accounts_are_20_rows_of_accounts_in_that_order_whatever_was_searched_before() {
    let console = explore()
        .press(";")
        .type_text("top 20 accounts by projects")
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    assert!(screen.contains("most projects first"), "{screen}");
    assert!(screen.contains("up to 20 rows, at most 20 cr"), "{screen}");
    let console = console.press("Enter y Enter").serve();
    let Some(ServiceCall::Search { source, limit, .. }) = console.calls.last() else {
        panic!("expected a search: {}", console.screen_text())
    };
    assert_eq!(*source, RecordSource::Index(Dataset::Accounts));
    assert_eq!(*limit, 20);
}

fn ask(console: TestConsole, question: &str) -> TestConsole {
    console
        .press("; Ctrl-u")
        .type_text(question)
        .press("Enter")
        .serve()
}

#[test]
fn after_a_question_about_accounts_the_next_one_is_about_what_the_user_chose() {
    let dataset = |console: &TestConsole| console.app.panes().explore.dataset().clone();
    let console = ask(explore(), "top 20 accounts by projects");
    assert_eq!(dataset(&console), Dataset::Accounts);
    let console = ask(ask(console, "top 5 accounts by projects"), "Austin");
    assert_eq!(dataset(&console), Dataset::Projects);
    let chosen = ask(accounts("city=Dallas"), "Austin");
    assert_eq!(dataset(&chosen), Dataset::Accounts, "chosen by hand");
}

#[test]
fn a_question_that_is_not_understood_leaves_the_one_before_above_its_conditions() {
    let console = ask(ask(explore(), "towers in Austin"), "pretty");
    assert_eq!(
        console.notice_text(),
        "not understood; try: hotels over $5M"
    );
    let prompt = console.context().ui.prompt.as_ref();
    assert_eq!(
        prompt.map(|prompt| prompt.field.text()),
        Some("pretty"),
        "it can be mended, and Enter does not run the conditions from before"
    );
    let asked = console.app.panes().explore.question.as_ref();
    assert_eq!(
        asked.map(|asked| asked.text.as_str()),
        Some("towers in Austin")
    );
    let ordered = ask(console, "top 20 by cost");
    assert!(
        ordered
            .notice_text()
            .contains("The index sorts projects newest signal first"),
        "{}",
        ordered.notice_text()
    );
}

#[test]
fn a_question_is_announced_at_the_price_that_the_service_states() {
    let question = |console: TestConsole| console.press("; Ctrl-u").type_text("Austin");
    let asked = question(explore());
    let screen = asked.screen_text();
    assert!(screen.contains("? cr"), "nothing is known yet: {screen}");
    let mut answer = crate::app::testing::fake_service::translate_question("Austin");
    answer.credits = Some(0);
    let console = asked.press("Enter");
    let (token, _) = console.pending_calls.back().cloned().expect("a question");
    let console = console.send(Msg::Replied(token, Ok(Reply::QuestionTranslated(answer))));
    let screen = question(console).screen_text();
    assert!(!screen.contains("? cr"), "{screen}");

    let service = ConnectedService {
        is_local: true,
        ..ConnectedService::default()
    };
    let local = explore()
        .send(Msg::Pushed(Push::Connected(service)))
        .press(";");
    assert!(
        local.screen_text().contains("free here"),
        "{}",
        local.screen_text()
    );
    let local = local.type_text("Austin").press("Enter");
    assert!(
        local.context().ui.overlay.is_none(),
        "{}",
        local.screen_text()
    );
    assert!(matches!(
        local.calls.last(),
        Some(ServiceCall::AskQuestion { .. })
    ));
}

#[test]
fn the_limit_of_a_question_is_kept_with_a_saved_search_and_after_a_restart() {
    let console = explore()
        .press(";")
        .type_text("top 20 accounts by projects")
        .press("Enter")
        .serve()
        .press("S")
        .type_text("top twenty")
        .press("Enter");
    let limit = |console: &TestConsole| console.app.panes().explore.draft().limit;
    assert_eq!(limit(&console), Some(20));
    let restarted = console.restart().press("5").serve();
    assert_eq!(limit(&restarted), Some(20), "{}", restarted.screen_text());
    let opened = restarted.press("X g s Enter").serve();
    assert_eq!(limit(&opened), Some(20), "{}", opened.screen_text());
}

#[test]
fn a_question_can_be_cancelled_like_any_other_read() {
    let console = explore()
        .press(";")
        .type_text("Austin")
        .press("Enter Ctrl-c");
    assert!(console.effects.contains(&Effect::Cancel(Slot::Question)));
    let console = console.fail_next(RequestError {
        kind: RequestErrorKind::Cancelled,
        message: "cancelled".into(),
    });
    assert_eq!(console.notice_text(), "question canceled");
}

#[test]
fn a_search_cannot_be_counted_while_its_rows_are_being_read() {
    let console = accounts("city=Austin").press("Enter").press("Tab c");
    assert_eq!(console.notice_text(), "count: a page is still loading");
    assert!(console.serve().screen_text().contains("Calder Residential"));
}

#[test]
fn a_sort_whose_read_failed_is_not_offered_as_free() {
    let mut console = explore();
    console.service = FakeService::with_firms(300);
    let console = console
        .press("k Left Left E")
        .type_text("city=Austin")
        .press("Enter")
        .serve()
        .press("Enter")
        .serve()
        .press("s")
        .type_text("service name")
        .press("Enter")
        .fail_next(RequestError::new_not_sent("connection refused"));
    assert!(
        console
            .app
            .panes()
            .explore
            .run_price(&console.context().records.lists)
            .is_some(),
        "{}",
        console.screen_text()
    );
    let console = console.press("Tab Enter").serve();
    assert_eq!(console.service.spent, 100);
}

#[test]
fn a_service_without_questions_is_not_asked_twice() {
    let refusal = ServiceError {
        status: 404,
        code: "not_found".into(),
        ..ServiceError::default()
    };
    let refused = RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "rejected (not_found): no such route".into(),
    };
    let console = explore()
        .press(";")
        .type_text("towers")
        .press("Enter")
        .fail_next(refused)
        .press(";");
    assert!(
        console.notice_text().contains("no such route"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::AskQuestion { .. }))
            .count(),
        1
    );
}

#[test]
fn without_a_vocabulary_conditions_are_typed_and_marked_unchecked() {
    let console = TestConsole::with_rows(morning_queue())
        .press("5")
        .serve_next()
        .serve_next();
    let console = console.fail_next(RequestError::new_ambiguous("the service failed (502)"));
    assert!(
        console
            .screen_text()
            .contains("not checked: the service failed"),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("E")
        .type_text("city=Austin")
        .press("Enter Enter")
        .serve();
    assert_eq!(console.count_searches(), 1);
}

#[test]
fn the_filters_are_copied_as_json_and_as_a_command() {
    let console = accounts("city=\"San Antonio\" name!=O'Neil").press("y y f Enter y y Enter");
    let copied: Vec<&str> = console
        .effects
        .iter()
        .filter_map(|effect| {
            if let Effect::CopyToClipboard { text, .. } = effect {
                Some(text.0.as_str())
            } else {
                None
            }
        })
        .collect();
    assert!(copied[0].contains("\"exclude\": true"), "{copied:?}");
    assert_eq!(
        copied[1],
        r"gantry data search accounts 'city=San Antonio' 'name!=O'\''Neil'"
    );
}

#[test]
fn rows_of_the_index_are_saved_to_the_book_and_added_to_a_view() {
    let console = accounts("city=Austin")
        .press("Enter")
        .serve()
        .press("b")
        .serve();
    assert!(
        console
            .service
            .book
            .contains_key(&crate::app::testing::fake_service::account_id(0))
    );
    let console = console.press("Space Space +");
    assert!(
        console.screen_text().contains("Add 2 accounts to a View"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_click_does_not_disturb_a_prompt_or_a_picker() {
    let words = TestConsole::with_book()
        .press("f")
        .serve()
        .press("/")
        .type_text("calder")
        .click_on("2 Saved")
        .press("Enter");
    assert_eq!(
        words
            .app
            .panes()
            .explore
            .list_filter
            .as_ref()
            .map(|narrow| narrow.query.as_str()),
        Some("calder"),
        "{}",
        words.screen_text()
    );
    let picked = explore()
        .press("+")
        .type_text("city")
        .click_on("2 Saved")
        .press("Enter")
        .type_text("Austin")
        .press("Enter");
    assert_eq!(filters(&picked), json!({"city": {"value": "Austin"}}));
    let help = explore().press("?").click_on("2 Saved");
    assert!(
        help.context().ui.overlay.is_none(),
        "a click anywhere closes help"
    );
    let help = explore().press("?").type_text("co").click_on("2 Saved");
    assert!(
        help.context().ui.overlay.is_some(),
        "unless something was typed into it"
    );
}

#[test]
fn golden_screens_of_explore() {
    golden!("explore_empty_120x36", explore());
    golden!("explore_filled_120x36", filled_builder());
    golden!(
        "explore_filled_80x24",
        filled_builder().send(Msg::Resized(80, 24))
    );
    golden!(
        "explore_filled_60x20",
        filled_builder().send(Msg::Resized(60, 20))
    );
    golden!(
        "explore_fields_80x24",
        explore().send(Msg::Resized(80, 24)).press("f Down")
    );
    let run = || accounts("city=Austin").press("Enter").serve().press("j");
    golden!("explore_results_120x36", run());
    golden!("explore_results_80x24", run().send(Msg::Resized(80, 24)));
    let refusal = ServiceError {
        status: 429,
        code: "credit_limit_exceeded".into(),
        ..ServiceError::default()
    };
    let refused = RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "rejected (credit_limit_exceeded): try in 40 minutes".into(),
    };
    golden!(
        "explore_failed_120x36",
        accounts("city=Austin").press("Enter").fail_next(refused)
    );
    golden!(
        "explore_wrong_80x24",
        explore()
            .send(Msg::Resized(80, 24))
            .press("E")
            .type_text("stories=2026-01-01 stage=built")
            .press("Enter")
    );
    golden!("explore_json_120x36", filled_builder().press("p"));
}

#[test]
fn the_builder_is_restored_after_any_exit() {
    let before = filled_builder()
        .press("k E")
        .type_text(" name=")
        .press("Left Right");
    let built = filters(&before);
    let order: Vec<String> = before.app.panes().explore.draft().filters.to_terms();
    let console = before.restart().press("5").serve();
    assert_eq!(
        (
            filters(&console),
            console.app.panes().explore.draft().filters.to_terms()
        ),
        (built, order)
    );
    assert_eq!(console.count_searches(), 0, "nothing runs by itself");
    // A condition without a value is restored as well.
    let console = console
        .press("F")
        .press("+")
        .type_text("city")
        .press("Enter Enter")
        .restart()
        .press("5")
        .serve();
    assert_eq!(filters(&console), json!({"city": {"value": []}}));
    assert!(
        filters(&console.press("F").restart().press("5").serve())
            .as_object()
            .is_some_and(|none| none.is_empty())
    );
}

#[test]
fn a_half_typed_question_is_restored_in_its_prompt_until_it_is_sent() {
    let console = explore()
        .press(";")
        .type_text("multifamily in Austin without")
        .restart()
        .press("5")
        .serve()
        .press(";");
    assert!(
        console
            .screen_text()
            .contains("multifamily in Austin without"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert!(
        !console
            .saved_state
            .drafts
            .iter()
            .any(|draft| draft.name.starts_with("ask")),
        "{:?}",
        console.saved_state.drafts
    );
    // Esc keeps it too.
    let console = explore().press(";").type_text("hotels").press("Esc ;");
    assert!(
        console.screen_text().contains("hotels"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn half_typed_words_conditions_names_and_addresses_are_restored_in_their_prompts() {
    for (screen, prompt, text) in [
        ("3", "f /", "calder"),
        ("3", "f E", "name=calder"),
        ("2", "A", "Towers of the quarter"),
        ("6", "i", "ann@example.com"),
    ] {
        let open = |console: TestConsole| {
            prompt
                .split(' ')
                .fold(console, |console, key| console.press(key).serve())
        };
        let before = open(
            TestConsole::with_rows(morning_queue())
                .press(screen)
                .serve(),
        )
        .type_text(text);
        let console = open(before.restart().press(screen).serve());
        assert!(
            console.screen_text().contains(text),
            "{prompt}: {}",
            console.screen_text()
        );
    }
}

#[test]
fn runs_survive_a_restart_with_their_rows_and_running_them_again_is_free() {
    let before = accounts("city=Austin")
        .press("Enter")
        .serve()
        .press("Tab E Ctrl-u")
        .type_text("city=Dallas")
        .press("Enter c")
        .serve();
    assert_eq!(before.service.spent, 7);
    let console = before.restart().press("5").serve();
    assert!(
        console.screen_text().contains("kept on this machine")
            && console.screen_text().contains("3 counted"),
        "{}",
        console.screen_text()
    );
    let console = console.press("[ [").serve();
    assert_eq!(filters(&console), json!({"city": {"value": "Austin"}}));
    assert!(
        console.screen_text().contains("Calder Residential"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .screen_text()
            .contains("shows the 6 rows from 09:20, 0 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(console.service.spent, 7);
    // A counted search still has to be paid for, at the known price.
    let console = console.press("]").press("Tab").serve();
    assert!(
        console.screen_text().contains("all 3 rows, 3 cr"),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.press("Enter").serve().service.spent, 10);
}

#[test]
fn the_next_page_of_a_run_continues_after_the_last_even_after_a_restart() {
    let mut console = explore();
    console.service = FakeService::with_firms(120);
    let console = console
        .press("k Left Left Enter y Enter")
        .serve()
        .press(">")
        .serve();
    assert_eq!(
        (
            console.context().displayed_list().map(|list| list.len()),
            console.service.spent
        ),
        (Some(100), 100)
    );
    let console = console.restart().press("5").serve().press("[ Tab").serve();
    assert_eq!(
        console.context().displayed_list().map(|list| list.len()),
        Some(100),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    assert_eq!(
        (
            console.context().displayed_list().map(|list| list.len()),
            console.service.spent
        ),
        (Some(120), 120)
    );
}

/// The last search that was sent.
fn last_search(console: &TestConsole) -> &Search {
    let Some(ServiceCall::Search { search, .. }) = console.calls.last() else {
        panic!("{:?}", console.calls.last())
    };
    search
}

#[test]
fn the_book_is_filtered_by_condition_and_nothing_is_spent_before_enter() {
    let console = TestConsole::with_book().press("f").serve();
    let spent = console.service.spent;
    let console = console
        .press("+")
        .type_text("tier")
        .press("Enter")
        .type_text("tier 1")
        .press("Enter");
    let console = console
        .press("+")
        .type_text("tags")
        .press("Enter")
        .type_text("q3, austin")
        .press("Enter");
    let console = console.press("/").type_text("calder").press("Enter");
    let screen = console
        .screen_text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        screen.contains("Tier 1 accounts tagged q3 or austin")
            && screen.contains("reads up to 50 rows, at most 50 cr"),
        "{screen}"
    );
    assert_eq!(
        (console.service.spent, console.count_searches()),
        (spent, 1)
    );
    let console = console.press("Enter");
    assert_eq!(last_search(&console).query, "calder");
    assert_eq!(
        last_search(&console).filters.to_json(),
        json!({"icp_tier": {"value": "tier_1"}, "tags": {"value": ["q3", "austin"]}})
    );
}

#[test]
fn a_book_list_offers_no_key_that_its_route_rejects() {
    let console = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("] ] Enter")
        .serve()
        .press("f")
        .serve()
        .press("f");
    let screen = console.screen_text();
    assert!(
        screen.contains("status") && screen.contains("stage"),
        "{screen}"
    );
    assert!(
        !screen.contains("without") && !screen.contains("stories known"),
        "{screen}"
    );
    let console = console
        .press("Esc E")
        .type_text("without_account.role=gc")
        .press("Enter Enter");
    assert!(
        console.notice_text().contains("is not a field"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.count_searches(), 1);
}

#[test]
fn a_view_is_filtered_for_one_call_and_an_abandoned_filter_comes_back() {
    let view = || {
        TestConsole::with_rows(morning_queue())
            .press("2")
            .serve()
            .press("j Enter")
            .serve()
    };
    let left = view()
        .press("f")
        .serve()
        .press("+")
        .type_text("city")
        .press("Enter")
        .type_text("Austin")
        .press("Enter Esc");
    assert!(
        left.notice_text().contains("filter not applied") && left.count_searches() == 1,
        "{}",
        left.notice_text()
    );
    let console = left.press("f");
    assert!(
        console.screen_text().contains("Austin"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        last_search(&console).filters.to_json(),
        json!({"city": {"value": "Austin"}})
    );
    // Applying the unchanged filter again is free.
    let spent = console.service.spent;
    let console = console.press("f Enter").serve();
    assert!(
        console.notice_text().contains("filter unchanged") && console.service.spent == spent,
        "{}",
        console.notice_text()
    );
    assert!(
        view()
            .press("f F")
            .notice_text()
            .contains("nothing to clear")
    );
}

#[test]
fn the_sort_order_is_chosen_with_the_conditions_and_read_once() {
    let console = TestConsole::with_large_book()
        .press("f")
        .serve()
        .press("s")
        .press("j j j j Enter")
        .serve();
    assert_eq!(console.count_searches(), 1);
    let console = console.press("Enter").serve();
    assert_eq!(
        last_search(&console).sort,
        Some(SortOrder {
            field: "name".to_owned(),
            ascending: true
        })
    );
}

#[test]
fn without_the_service_vocabulary_the_fields_of_the_book_are_offered() {
    let console = TestConsole::with_book()
        .press("f")
        .fail_next(RequestError::new_ambiguous("the service failed (502)"))
        .press("+");
    assert!(
        console.screen_text().contains("tier") && console.screen_text().contains("score"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn leaving_for_another_screen_or_tab_keeps_the_conditions_of_explore() {
    let console = accounts("city=Austin")
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("f")
        .serve();
    let console = console
        .press("+")
        .type_text("name")
        .press("Enter")
        .type_text("Calder")
        .press("Enter")
        .press("5")
        .serve();
    assert_eq!(filters(&console), json!({"city": {"value": "Austin"}}));
    let console = console.press("3 f ]");
    assert!(
        console.app.panes().explore.list_filter.is_none()
            && console.screen_text().contains("Book › contacts"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn golden_screens_of_the_list_filter() {
    let filled = || {
        let console = TestConsole::with_book()
            .press("f")
            .serve()
            .press("+")
            .type_text("tier")
            .press("Enter")
            .type_text("tier 1")
            .press("Enter");
        let console = console
            .press("+")
            .type_text("tags")
            .press("Enter")
            .type_text("q3")
            .press("Enter");
        console.press("/").type_text("calder").press("Enter")
    };
    golden!("narrow_120x36", filled());
    golden!("narrow_80x24", filled().send(Msg::Resized(80, 24)));
    golden!("narrow_60x20", filled().send(Msg::Resized(60, 20)));
}

fn saved_view(console: &TestConsole, name: &str) -> crate::domain::views::View {
    let view = console
        .service
        .views
        .iter()
        .find(|view| view.title() == name);
    view.unwrap_or_else(|| panic!("no View {name}: {}", console.screen_text()))
        .clone()
}

#[test]
fn the_conditions_of_a_search_become_a_dynamic_view_after_it_was_shown() {
    let console = accounts("city==Austin account_type=gc").press("A");
    assert!(
        console
            .screen_text()
            .contains("General contractors whose city is exactly Austin"),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("Enter")
        .type_text("Austin GCs")
        .press("Enter");
    let screen = console.screen_text();
    assert!(
        screen.contains("Create the Dynamic View Austin GCs for everyone?"),
        "{screen}"
    );
    assert!(
        screen.contains("General contractors whose city is exactly Austin")
            && screen.contains("fewer"),
        "{screen}"
    );
    assert!(
        console
            .service
            .views
            .iter()
            .all(|view| view.title() != "Austin GCs"),
        "nothing is created before the answer"
    );
    let console = console.press("y Enter").serve();
    let view = saved_view(&console, "Austin GCs");
    assert_eq!(
        (
            view.kind.as_ref().map(|kind| kind.as_str()),
            view.dataset.as_deref()
        ),
        (Some("dynamic"), Some("account"))
    );
    let conditions = json!([
        { "field": "city", "op": "is", "value": ["Austin"] },
        { "field": "account_type", "op": "is", "value": ["gc"] },
    ]);
    assert_eq!(
        view.definition,
        Some(json!({ "match": "all", "conditions": conditions }))
    );
    assert_eq!(console.service.spent, 0);
}

#[test]
fn the_loaded_or_marked_rows_of_a_search_become_a_static_view() {
    let results = || accounts("city=Austin").press("Enter").serve();
    let rows = results().context().displayed_list().unwrap().len();
    let console = results()
        .press("A Down Enter")
        .type_text("All of them")
        .press("Enter")
        .serve();
    let members = |console: &TestConsole, name: &str| {
        console.service.members[&saved_view(console, name).id].len()
    };
    assert_eq!(
        members(&console, "All of them"),
        rows,
        "{}",
        console.notice_text()
    );
    let console = results()
        .press("Space A Down Enter")
        .type_text("One")
        .press("Enter")
        .serve();
    assert_eq!(members(&console, "One"), 1, "{}", console.notice_text());
}

#[test]
fn a_view_that_cannot_be_made_says_why_and_keeps_its_name() {
    let console = explore().press("A Enter");
    assert!(
        console
            .notice_text()
            .contains("no Dynamic View: there are no conditions"),
        "{}",
        console.notice_text()
    );
    let console = accounts("city=Austin").press("A Down Enter");
    assert!(
        console
            .notice_text()
            .contains("no Static View: no rows here"),
        "{}",
        console.notice_text()
    );
    let console = explore().press("k Right A");
    assert!(
        console.notice_text().contains("not signals"),
        "{}",
        console.notice_text()
    );
    let console = accounts("city=Austin")
        .press("A Enter")
        .type_text("Austin")
        .press("Enter y Enter");
    let refusal = ServiceError {
        status: 400,
        code: "validation".into(),
        ..ServiceError::default()
    };
    let message = "rejected (validation): conditions.0.field must be one of name".to_owned();
    let console = console.fail_next(RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message,
    });
    assert!(
        console.notice_text().contains("must be one of name"),
        "{}",
        console.notice_text()
    );
    let console = console.press("A Enter");
    assert_eq!(
        console
            .context()
            .ui
            .prompt
            .as_ref()
            .map(|prompt| prompt.text())
            .as_deref(),
        Some("Austin")
    );
}
