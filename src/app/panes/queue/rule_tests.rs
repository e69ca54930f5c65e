//! Tests of the user's rules: what is proposed, what happens after Enter, and what does not.

use chrono::Duration;
use serde_json::json;

use crate::app::testing::{TestConsole, golden, many_rows, morning_queue};
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::patch::Patch;
use crate::domain::queue::{QueueFilter, QueueSignal, TriageStatus};
use crate::domain::queue_tabs::{ListSettings, ListSettingsText, SavedTab};
use crate::domain::rules::RuleActionText;
use crate::domain::writes::WriteOp;

fn rule(name: &str, conditions: &str, then: &str, until: &str) -> SavedTab {
    let [then, until] = [then, until].map(str::to_owned);
    parse_tab(
        name,
        conditions,
        RuleActionText {
            then,
            until,
            ..RuleActionText::default()
        },
    )
}

fn parse_tab(name: &str, conditions: &str, action: RuleActionText) -> SavedTab {
    let list = ListSettingsText {
        conditions: conditions.to_owned(),
        ..ListSettingsText::default()
    };
    SavedTab::parse(name, &list, &action).expect("a tab")
}

/// Gives the project, or with `account` its account, a status, a tag and a line of its note.
fn annotate(conditions: &str, on: &str) -> SavedTab {
    let [then, on, status, note] = ["annotate", on, "to check", "small job"].map(str::to_owned);
    parse_tab(
        "check",
        conditions,
        RuleActionText {
            then,
            on,
            status,
            note,
            tags: vec!["rule".to_owned()],
            ..RuleActionText::default()
        },
    )
}

/// Three rows are proposed: 12 and 16 as done, 14 to be snoozed. The third rule matches none that
/// the others leave.
fn settings() -> AppSettings {
    let rules = vec![
        rule("small jobs", "cost<5M", "done", ""),
        rule("team news", "type=team_update", "snooze", "3d"),
        rule("Pier 9 later", "\"pier 9\"", "snooze", "monday"),
    ];
    with_tabs(rules)
}

fn with_tabs(queue_tabs: Vec<SavedTab>) -> AppSettings {
    AppSettings {
        queue_tabs,
        ..AppSettings::default()
    }
}

fn start() -> TestConsole {
    start_with(morning_queue(), settings())
}

fn start_with(rows: Vec<QueueSignal>, settings: AppSettings) -> TestConsole {
    TestConsole::with_size(rows, (120, 36), settings)
        .poll()
        .serve()
}

/// The signals of the current tab, as its lines show them.
fn shown(console: &TestConsole) -> Vec<usize> {
    let tab = console.context().queue.current_tab();
    let number = |at: usize| {
        tab.row_at(at)
            .map(|row| row.signal.id.0.as_u128() as usize - 0x1000)
    };
    (0..tab.len()).filter_map(number).collect()
}

fn without(console: &TestConsole, gone: &[usize]) -> Vec<usize> {
    shown(console)
        .into_iter()
        .filter(|n| !gone.contains(n))
        .collect()
}

#[test]
fn the_first_rule_that_matches_is_proposed_row_by_row_and_nothing_happens() {
    let console = start();
    let (before, calls) = (shown(&console), console.calls.len());
    let mut console = console.press("@");
    let screen = console.screen_text();
    for text in [
        "Rules: 3 rows",
        "3 of 3 marked",
        "2 done for everyone, 1 snoozed on this machine only.",
        "[x] done       demolition permit  1200 Alder St",
        "[x] snooze 3d  team update  Oak Hollow Apts",
        "[x] done       withdrawal  Pier 9 Annex",
        "$300k  small jobs",
    ] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(!screen.contains("loaded"), "{screen}");
    golden!("queue_rules_120x36", console);
    console = console.press("Esc").serve();
    assert_eq!(
        (
            shown(&console),
            console.calls.len(),
            console.saved_state.snoozes.len()
        ),
        (before, calls, 0)
    );
}

#[test]
fn enter_does_what_is_proposed_and_one_undo_takes_it_back() {
    let console = start();
    let (before, after) = (shown(&console), without(&console, &[12, 14, 16]));
    let console = console.press("@ Enter");
    assert_eq!(
        console.notice_text(),
        "rules: 2 done for everyone, 1 snoozed on this machine only"
    );
    let console = console.serve();
    let notice = console.notice_text();
    assert!(
        notice.starts_with("done: 2 signals") && notice.ends_with(" snoozed, on this machine only"),
        "{notice}"
    );
    assert_eq!(
        (shown(&console), console.triage_calls()),
        (after, vec![(2, TriageStatus::Done)])
    );
    assert_eq!(
        (
            console.service_new_count(),
            console.saved_state.snoozes.len()
        ),
        (before.len() - 2, 1)
    );
    let (console, again) = (console.restart().serve().press("z").serve(), before.clone());
    assert_eq!(
        (shown(&console), console.service_new_count()),
        (again, before.len()),
        "also after a restart"
    );
    assert_eq!(console.saved_state.snoozes, []);
    let notice = console.notice_text();
    assert!(
        notice.starts_with("undone: 2 signals") && notice.contains(", snooze of "),
        "{notice}"
    );
    let console = console.press("Z").serve();
    assert_eq!(
        (
            console.service_new_count(),
            console.saved_state.snoozes.len()
        ),
        (before.len() - 2, 1)
    );
}

#[test]
fn an_unmarked_row_stays() {
    let console = start();
    let after = without(&console, &[14, 16]);
    let console = console.press("@ Space");
    assert!(
        console.screen_text().contains("2 of 3 marked"),
        "{}",
        console.screen_text()
    );
    assert_eq!(shown(&console.press("Enter").serve()), after);
}

#[test]
fn without_marks_nothing_changes() {
    let console = start();
    let before = shown(&console);
    let console = console.press("@ Ctrl-a");
    assert!(
        console.screen_text().contains("0 of 3 marked"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        (shown(&console), console.notice_text().as_str()),
        (before, "rules: nothing changed")
    );
    assert_eq!(
        (
            console.triage_calls().len(),
            console.saved_state.snoozes.len()
        ),
        (0, 0)
    );
}

#[test]
fn a_row_that_a_colleague_marks_done_meanwhile_stays_theirs() {
    let console = start()
        .press("@")
        .ben_marks_done(&[12])
        .poll()
        .serve()
        .press("Enter")
        .serve();
    assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)]);
    assert!(!shown(&console).contains(&16));
    let console = console.press("z").serve();
    assert!(shown(&console).contains(&16) && !shown(&console).contains(&12));
}

#[test]
fn a_proposal_says_which_rows_it_does_not_cover() {
    let rules = vec![rule("all permits", "type=permit_filed", "done", "")];
    let console = start_with(many_rows(1_300), with_tabs(rules));
    let screen = console.press("@").screen_text();
    assert!(
        screen.contains("of 1,300 rows loaded; L in the queue loads the rest."),
        "{screen}"
    );
}

#[test]
fn a_long_proposal_is_done_without_a_second_question_and_in_parts() {
    let rules = vec![rule("all permits", "type=permit_filed", "done", "")];
    let console = start_with(many_rows(700), with_tabs(rules))
        .press("L")
        .serve()
        .press("@");
    let screen = console.screen_text();
    assert!(
        screen.contains("500 of 500 marked")
            && screen.contains("More rows match; apply these first."),
        "{screen}"
    );
    let console = console.press("Enter").serve();
    assert_eq!(console.service_new_count(), 200);
    assert_eq!(console.press("z").serve().service_new_count(), 700);
}

#[test]
fn rows_that_a_filter_hides_are_not_proposed() {
    let console = start()
        .press("& &")
        .type_text("team")
        .press("Enter")
        .serve()
        .press("@");
    assert!(
        console.screen_text().contains("Rules: 1 row "),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_snooze_until_a_time_that_has_passed_is_left_out() {
    let rules = vec![
        rule("old", "cost<5M", "snooze", "2020-01-01"),
        rule("team news", "type=team_update", "done", ""),
    ];
    let screen = start_with(morning_queue(), with_tabs(rules))
        .press("@")
        .screen_text();
    assert!(
        screen.contains(
            "1 done for everyone. The rule old is left out: \"2020-01-01\" is in the past."
        ),
        "{screen}"
    );
}

#[test]
fn rules_say_why_there_is_no_proposal() {
    let why = |console: TestConsole| console.press("@").notice_text();
    assert!(
        why(start_with(morning_queue(), AppSettings::default()))
            .contains("gives it one in the settings")
    );
    assert!(why(start().press("]").serve()).contains("rules are for new signals"));
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: false,
    };
    let console = TestConsole::with_session(session, morning_queue(), (120, 36), settings())
        .poll()
        .serve();
    assert!(why(console).contains("read-only"));
    let none = with_tabs(vec![rule("cranes", "crane", "done", "")]);
    assert_eq!(
        why(start_with(morning_queue(), none)),
        "No rule matches a loaded row of this list."
    );
}

/// What is written on records, and in how many requests.
fn annotations(console: &TestConsole) -> Vec<WriteOp> {
    let steps = console.context().outbox.history.done.iter();
    steps
        .flat_map(|step| step.changes())
        .map(|change| change.forward.clone())
        .collect()
}

fn start_annotating(rules: Vec<SavedTab>) -> TestConsole {
    let mut console = start_with(morning_queue(), with_tabs(rules));
    let project =
        |row: &QueueSignal| json!({ "id": row.signal.project_id, "name": row.signal.project_name });
    let projects = morning_queue()
        .iter()
        .filter_map(|row| project(row).as_object().cloned())
        .collect();
    console.service.records.insert("projects", projects);
    console
}

#[test]
fn a_rule_annotates_projects_and_marks_others_done_and_one_undo_takes_back_both() {
    let console = start_annotating(vec![
        rule("small jobs", "cost<5M", "done", ""),
        annotate("type=team_update", ""),
    ]);
    let before = console.service_new_count();
    let console = console.press("@");
    let screen = console.screen_text();
    assert!(
        screen.contains("2 done for everyone, 1 annotated"),
        "{screen}"
    );
    let console = console.press("Down");
    let screen = console.screen_text();
    assert!(
        screen.contains("project Oak Hollow Apts: status \"to check\", tags +rule, note +"),
        "{screen}"
    );
    let console = console.press("Enter").serve();
    let [WriteOp::Annotate(_, _, to)] = &annotations(&console)[..] else {
        panic!("{:?}", annotations(&console))
    };
    assert_eq!(
        (&to.workspace_status, &to.notes),
        (
            &Patch::Set("to check".to_owned()),
            &Patch::Set("small job".to_owned())
        )
    );
    assert_eq!(
        (to.tags.clone(), console.service_new_count()),
        (Some(vec!["rule".to_owned()]), before - 2)
    );
    let console = console.press("@");
    assert_eq!(
        console.notice_text(),
        "No rule matches a loaded row of this list.",
        "what is annotated is not proposed again"
    );
    let console = console
        .restart()
        .serve()
        .press("z")
        .serve()
        .advance_time(Duration::seconds(1))
        .press("Enter")
        .serve();
    assert_eq!(
        (annotations(&console).len(), console.service_new_count()),
        (0, before),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_account_is_annotated_where_it_is_known() {
    let console = start_annotating(vec![annotate("cost>0", "account")]);
    let console = console.press("@");
    assert_eq!(
        console.notice_text(),
        "No rule matches a loaded row of this list."
    );
    let console = console.press("j j Enter").serve().press("Esc @");
    let screen = console.screen_text();
    assert!(
        screen.contains("Rules: 1 row") && screen.contains("account Calder Residential: status"),
        "{screen}"
    );
}

#[test]
fn a_tab_with_an_action_lists_its_rows_and_proposes_for_them_alone() {
    let austin = SavedTab {
        settings: ListSettings {
            filter: QueueFilter {
                city: "Austin".to_owned(),
                ..QueueFilter::default()
            },
            ..ListSettings::default()
        },
        ..rule("Austin", "cost<5M", "done", "")
    };
    let rules = vec![austin, rule("small jobs", "cost<5M", "snooze", "3d")];
    let console = start_with(morning_queue(), with_tabs(rules))
        .press("] ] ]")
        .serve();
    assert_eq!(shown(&console), [12, 16]);
    let screen = console.press("@").screen_text();
    assert!(
        screen.contains("2 snoozed on this machine only.") && !screen.contains("done for everyone"),
        "{screen}"
    );
}

#[test]
fn a_rule_is_not_saved_without_conditions_because_it_would_match_every_row() {
    let rules = vec![rule("small jobs", "cost<5M", "done", "")];
    let console = start_with(morning_queue(), with_tabs(rules))
        .press("] ]")
        .serve()
        .press("& & Ctrl-u")
        .type_text("crane")
        .press("Enter")
        .serve();
    let console = console.press("S Enter");
    assert!(
        console.notice_text().starts_with("tab saved"),
        "{}",
        console.notice_text()
    );
    let console = console
        .press("& & Ctrl-u Enter")
        .serve()
        .press("s")
        .type_text("cost")
        .press("Enter")
        .press("S Enter");
    assert!(
        console.notice_text().contains("needs conditions"),
        "{}",
        console.screen_text()
    );
    let saved = console.context().queue.saved_tabs();
    assert_eq!(
        saved[0].settings.conditions.to_string(),
        "crane",
        "{}",
        console.screen_text()
    );
}
