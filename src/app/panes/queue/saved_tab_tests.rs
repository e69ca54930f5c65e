//! Tests of filters by a row, conditions on loaded rows, and saved tabs.

use crate::app::AppSettings;
use crate::app::effect::{Effect, ServiceCall};
use crate::app::testing::{TestConsole, morning_queue, queue_row};
use crate::domain::description::Description;
use crate::domain::queue::QueueSignal;
use crate::domain::queue_tabs::SavedTab;

fn rows() -> Vec<QueueSignal> {
    let row = |n: usize, kind: &str, name: &str, cost: Option<i64>| {
        queue_row(n, "medium", kind, "2026-07-01", (n as u128, name), cost)
    };
    vec![
        row(1, "permit_issued", "Juniper", Some(12_000_000)),
        row(2, "permit_filed", "Calder", Some(900_000)),
        row(3, "permit_issued", "Harbor", None),
        row(4, "permit_issued", "Ardent", Some(6_000_000)),
    ]
}

fn shown_names(console: &TestConsole) -> Vec<String> {
    console
        .context()
        .queue
        .current_tab()
        .shown_rows()
        .filter_map(|row| row.signal.project_name.clone())
        .collect()
}

fn saved_tabs(console: &TestConsole) -> Vec<SavedTab> {
    let saved = console
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::SaveQueueTabs(tabs) => Some(tabs.clone()),
            _ => None,
        });
    saved.unwrap_or_default()
}

/// The next session, with what this one saved.
fn restart(console: &TestConsole) -> TestConsole {
    let preferences = console.effects.iter().filter_map(|effect| match effect {
        Effect::SavePreference(name, value) => Some((name.clone(), value.clone())),
        _ => None,
    });
    let settings = AppSettings {
        preferences: preferences.collect(),
        queue_tabs: saved_tabs(console),
        ..AppSettings::default()
    };
    TestConsole::with_size(rows(), (120, 36), settings)
        .poll()
        .serve()
}

#[test]
fn conditions_on_loaded_rows_cost_no_request() {
    let console = TestConsole::with_rows(rows());
    let calls = console.calls.len();
    let console = console
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter")
        .serve();
    assert_eq!(
        (shown_names(&console), console.calls.len()),
        (vec!["Juniper".to_owned(), "Ardent".to_owned()], calls)
    );
    assert!(
        console.screen_text().contains("New 1 of 2 matching (4)"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("cost>=5M  F all"),
        "{}",
        console.screen_text()
    );
    let console = console.press("& =").type_text("project:").press("Enter");
    assert_eq!(shown_names(&console), ["Juniper"]);
    assert_eq!(shown_names(&console.press("F")).len(), 4);
}

#[test]
fn the_rows_type_is_filtered_by_the_service() {
    let console = TestConsole::with_rows(rows())
        .press("& =")
        .type_text("type:")
        .press("Enter")
        .serve();
    assert!(
        matches!(console.calls.last(), Some(ServiceCall::Queue { filter, .. }) if filter.signal_type.len() == 1)
    );
}

#[test]
fn a_city_among_the_conditions_is_filtered_by_the_service_which_knows_every_row_s_city() {
    let console = TestConsole::with_rows(rows())
        .press("& &")
        .type_text("city=Austin cost>=5M")
        .press("Enter")
        .serve();
    assert!(
        matches!(console.calls.last(), Some(ServiceCall::Queue { filter, .. }) if filter.city == "Austin")
    );
    assert_eq!(
        console
            .context()
            .queue
            .list_settings()
            .conditions
            .to_string(),
        "cost>=5M"
    );
}

#[test]
fn a_proposed_name_is_replaced_by_typing_and_accepted_by_enter() {
    let name = |console: TestConsole| saved_tabs(&console.press("Enter"))[0].name.clone();
    let prompt = || {
        TestConsole::with_rows(rows())
            .press("& & Ctrl-u")
            .type_text("cost>=5m")
            .press("Enter S")
    };
    assert_eq!(name(prompt().type_text("Large")), "Large");
    assert_eq!(name(prompt()), "cost>=5M");
}

#[test]
fn rows_that_conditions_cannot_test_yet_are_counted_and_described() {
    let console = TestConsole::with_rows(rows())
        .press("& &")
        .type_text("description~roof")
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("nothing matches so far; not described: 4 rows"),
        "{screen}"
    );
    let screen = console.press("i").screen_text();
    assert!(screen.contains("read 4 signals"), "{screen}");
}

#[test]
fn a_wrong_condition_stays_in_the_prompt_with_the_reason() {
    let console = TestConsole::with_rows(rows())
        .press("& &")
        .type_text("size>5")
        .press("Enter");
    assert!(
        console
            .notice_text()
            .starts_with("size is not a field; the fields are days, cost"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-u").type_text("cost<1M").press("Enter");
    assert_eq!(shown_names(&console), ["Calder"]);
    let console = console
        .press("& & End")
        .type_text("days<=200")
        .press("Enter");
    assert_eq!(
        console
            .context()
            .queue
            .list_settings()
            .conditions
            .to_string(),
        "cost<1M days<=200",
        "they are kept apart"
    );

    let narrow = TestConsole::with_size(rows(), (60, 20), AppSettings::default())
        .poll()
        .serve();
    let screen = narrow
        .press("& &")
        .type_text("cost>1M foo=1")
        .press("Enter")
        .screen_text();
    let lines: Vec<&str> = screen.lines().collect();
    let prompt = lines
        .iter()
        .position(|line| line.contains("conditions"))
        .expect("it is shown");
    let reason = lines
        .iter()
        .position(|line| line.contains("foo is not a field"))
        .expect("it is shown");
    assert!(
        reason < prompt && lines[reason - 1].starts_with('╰'),
        "the frame stays whole:\n{screen}"
    );
}

#[test]
fn a_filter_becomes_a_tab_beside_new_and_done_and_is_there_after_a_restart() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S Enter")
        .serve();
    assert_eq!(console.notice_text(), "tab saved: cost>=5M");
    let names: Vec<String> = saved_tabs(&console)
        .into_iter()
        .map(|tab| tab.name)
        .collect();
    assert_eq!(names, ["cost>=5M"]);
    assert!(
        console
            .screen_text()
            .contains("New 4   Done 0   cost>=5M 2"),
        "{}",
        console.screen_text()
    );
    let console = console.press("] ]").serve();
    assert_eq!(
        (
            console.context().queue.tab_index(),
            shown_names(&console).len()
        ),
        (1, 4),
        "New is unfiltered again"
    );
    let console = restart(&console).press("[ [").serve();
    assert_eq!(
        (
            console.context().queue.tab_index(),
            shown_names(&console).len()
        ),
        (3, 2)
    );
    let console = console.press("e").serve().poll().serve();
    assert!(
        console
            .screen_text()
            .contains("New 3   Done 1   cost>=5M 1"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn new_counts_the_rows_that_a_condition_leaves() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter")
        .serve();
    assert!(
        console.screen_text().contains("New 2 "),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("& & Ctrl-u")
        .type_text("cost>=90m")
        .press("Enter")
        .serve()
        .poll()
        .serve();
    assert!(
        console.screen_text().contains("New 0 "),
        "{}",
        console.screen_text()
    );
    let console = console.press("F").serve();
    assert!(
        console.screen_text().contains("New 4 "),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_changed_tab_can_be_restored_or_saved_again() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S Enter")
        .serve();
    let console = console
        .press("& & Ctrl-u")
        .type_text("cost>=10m")
        .press("Enter")
        .serve();
    assert!(
        console.screen_text().contains("cost>=10M  F as saved"),
        "{}",
        console.screen_text()
    );
    let console = console.press("F").serve();
    assert_eq!(shown_names(&console).len(), 2);
    let console = console
        .press("& & Ctrl-u")
        .type_text("cost>=10m")
        .press("Enter S Enter")
        .serve();
    assert_eq!(
        saved_tabs(&console)
            .iter()
            .map(|tab| tab.settings.conditions.to_string())
            .collect::<Vec<_>>(),
        ["cost>=10M"]
    );
}

#[test]
fn tabs_can_be_moved_and_deleted() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S Enter ] ]")
        .serve();
    let console = console
        .press("& &")
        .type_text("!cost")
        .press("Enter S Enter")
        .serve();
    let names = |console: &TestConsole| {
        saved_tabs(console)
            .into_iter()
            .map(|tab| tab.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&console), ["cost>=5M", "!cost"]);
    let console = console.press("{");
    assert_eq!(names(&console), ["!cost", "cost>=5M"]);
    let console = console.press("D Enter");
    assert_eq!(
        names(&console).len(),
        2,
        "the preselected answer deletes nothing"
    );
    let console = console.press("D Down Enter").serve();
    assert_eq!(
        (names(&console), console.context().queue.tab_index()),
        (vec!["cost>=5M".to_owned()], 1)
    );
}

#[test]
fn the_last_filter_survives_a_restart_and_is_shown() {
    let console = restart(
        &TestConsole::with_rows(rows())
            .press("& =")
            .type_text("type:")
            .press("Enter")
            .serve()
            .press("s Enter")
            .serve(),
    );
    assert!(
        matches!(console.calls.first(), Some(ServiceCall::Queue { filter, .. }) if filter.signal_type.len() == 1)
    );
    assert!(
        console.screen_text().contains("permit issued  F all"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("soonest first"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn everything_of_a_city_above_a_cost_is_a_tab() {
    let mut console = TestConsole::with_rows(rows());
    for row in rows() {
        let austin = Description {
            city: Some("Austin".to_owned()),
            ..Description::default()
        };
        console
            .context_mut()
            .queue
            .facts
            .describe_signal(row.signal.id, None, austin);
    }
    let console = console
        .press("& =")
        .type_text("city:")
        .press("Enter")
        .serve()
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S Enter")
        .serve();
    let tab = saved_tabs(&console).remove(0);
    assert_eq!(
        (tab.name.as_str(), tab.settings.filter.city.as_str()),
        ("Austin, cost>=5M", "Austin")
    );
}

#[test]
fn only_values_that_are_known_can_be_filtered_by() {
    let console = TestConsole::with_rows(morning_queue()).press("& =");
    let screen = console.screen_text();
    assert!(screen.contains("type: permit issued"), "{screen}");
    assert!(!screen.contains("account:"), "{screen}");
}

#[test]
fn a_type_among_the_conditions_replaces_the_one_before() {
    let types = |console: &TestConsole| console.context().queue.list_settings().filter.signal_type;
    let set = |console: TestConsole, text: &str| {
        console
            .press("& & Ctrl-u")
            .type_text(text)
            .press("Enter")
            .serve()
    };
    let console = set(TestConsole::with_rows(rows()), "type=permit_issued");
    assert_eq!(types(&console), ["permit_issued"].map(Into::into).into());
    let console = set(console, "type=Withdrawal");
    assert_eq!(types(&console), ["withdrawal"].map(Into::into).into());
}

#[test]
fn only_what_the_service_filters_is_said_to_be_of_all_rows() {
    let filter = |console: TestConsole| {
        console
            .press("& =")
            .type_text("type:")
            .press("Enter")
            .serve()
    };
    let console = filter(TestConsole::with_rows(rows()));
    assert!(console.notice_text().starts_with("of all rows: type"));
    let narrowed = TestConsole::with_rows(rows())
        .press("& &")
        .type_text("type=permit_issued,withdrawal")
        .press("Enter")
        .serve();
    let console = filter(narrowed);
    let notice = console.notice_text();
    assert!(notice.contains("loaded rows: type"), "{notice}");
}

#[test]
fn a_city_that_is_misspelled_in_the_form_is_replaced_by_the_nearest() {
    let mut rows = rows();
    rows[0].signal.project_primary_address = Some("1 Elm St, Austin, TX".to_owned());
    let console = TestConsole::with_rows(rows)
        .press("f")
        .type_text("Austn")
        .press("Enter");
    assert_eq!(
        console.notice_text(),
        "Austn is not in the list; showing Austin"
    );
    assert_eq!(console.context().queue.filter.city, "Austin");
    let elsewhere = console.press("F f").type_text("Boston").press("Enter");
    assert_eq!(elsewhere.context().queue.filter.city, "Boston", "a city");
}

#[test]
fn a_filter_is_only_questioned_while_rows_are_not_read() {
    let mut rows = crate::app::testing::many_rows(500);
    rows[0].signal.project_primary_address = Some("1 Elm St, Austin, TX".to_owned());
    let filtered = |text: &str| {
        TestConsole::with_rows(rows.clone())
            .press("f")
            .type_text(text)
            .press("Enter")
    };
    let city = filtered("Austn");
    assert_eq!(city.notice_text(), "showing Austn; did you mean Austin?");
    assert_eq!(city.context().queue.filter.city, "Austn");
    let kind = filtered("permitissued");
    assert_eq!(
        kind.notice_text(),
        "showing permitissued; did you mean permit issued?"
    );
}

#[test]
fn another_tab_of_the_same_name_is_replaced_only_after_a_question() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S")
        .type_text("Big fish")
        .press("Enter ] ] & & Ctrl-u")
        .type_text("cost>=10m")
        .press("Enter S")
        .type_text("Big fish")
        .press("Enter");
    assert!(
        console.screen_text().contains("Replace the tab Big fish?"),
        "{}",
        console.screen_text()
    );
    let conditions = |console: &TestConsole| saved_tabs(console)[0].settings.conditions.to_string();
    let kept = console.press("Enter");
    assert_eq!(
        conditions(&kept),
        "cost>=5M",
        "the preselected answer keeps it"
    );
    let kept = kept.press("S").type_text("Big fish").press("Enter y Enter");
    assert_eq!(conditions(&kept), "cost>=10M");
}

#[test]
fn a_name_typed_where_there_is_no_tab_to_save_runs_no_commands() {
    for on_done in [false, true] {
        let console = TestConsole::with_rows(rows());
        let console = if on_done {
            console.press("]").serve()
        } else {
            console
        };
        let console = console.type_keys("S T h i r d e").serve();
        assert!(
            !console
                .calls
                .iter()
                .any(|call| matches!(call, ServiceCall::Write(_) | ServiceCall::Triage { .. })),
            "{:?}",
            console.calls
        );
        let told = console.notice_text();
        assert!(told.starts_with("save tab: "), "{told}");
    }
}

#[test]
fn undo_after_a_saved_tab_says_what_it_would_undo_and_asks_for_another_press() {
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter e")
        .serve()
        .press("S")
        .type_text("Big fish")
        .press("Enter");
    let console = console.press("z").serve();
    let told = console.notice_text();
    assert!(
        told.contains("does not undo “tab saved: Big fish”. Before it: ")
            && told.contains("Juniper"),
        "{told}"
    );
    let console = console.press("z").serve();
    assert!(
        console.notice_text().starts_with("undone: "),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_name_that_is_too_long_for_a_tab_is_refused_and_kept() {
    let name = "everything that is high priority in all of Texas";
    let console = TestConsole::with_rows(rows())
        .press("& & Ctrl-u")
        .type_text("cost>=5m")
        .press("Enter S")
        .type_text(name)
        .press("Enter");
    assert!(
        console.notice_text().contains("at most 40 letters"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains(name),
        "{}",
        console.screen_text()
    );
}
