//! Tests of marks that are not shown: no act is about them.

use crate::app::effect::Effect;
use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};
use crate::domain::queue::TriageStatus;

/// The first signal is marked, and hidden by a search that shows the second.
fn with_hidden_mark() -> TestConsole {
    let console = TestConsole::with_rows(morning_queue())
        .press("Space /")
        .type_text("union depot approval")
        .press("Enter");
    assert_eq!(console.cursor_id(), signal_id(2));
    console
}

/// The list of accounts of the book, of which the first is marked, and hidden by a search for
/// another.
fn accounts_with_hidden_mark() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3 Enter")
        .serve()
        .press("g g Space /")
        .type_text("westmark")
        .press("Enter")
}

#[test]
fn done_leaves_a_signal_that_is_marked_and_hidden() {
    let console = with_hidden_mark();
    assert!(
        console.screen_text().contains("1 marked, 1 hidden"),
        "{}",
        console.screen_text()
    );
    let console = console.press("e").serve();
    assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)]);
    let is_new = |n: usize| console.rows[n - 1].triage_status == Some(TriageStatus::New);
    assert_eq!((is_new(1), is_new(2)), (true, false));
    assert_eq!(
        console.context().queue.new.marks,
        [signal_id(1)].into(),
        "the mark is kept"
    );
    let console = console.press("Esc e").serve();
    assert_eq!(
        console.rows[0].triage_status,
        Some(TriageStatus::Done),
        "until it is shown again"
    );
}

#[test]
fn of_several_marked_signals_only_the_shown_ones_are_done() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Space Space Space /")
        .type_text("mill")
        .press("Enter e")
        .serve();
    assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)]);
    assert_eq!(console.rows[2].triage_status, Some(TriageStatus::Done));
    assert_eq!(
        console.context().queue.new.marks,
        [1, 2].map(signal_id).into()
    );
}

#[test]
fn the_question_counts_what_is_marked_and_hidden() {
    let console = TestConsole::with_rows(many_rows(60))
        .press("* a")
        .press("/");
    let console = console
        .type_text("/BP-2026-1180(0|1|2[0-4])/")
        .press("Enter e");
    let screen = console.screen_text();
    assert!(screen.contains("Mark 24 signals done?"), "{screen}");
    assert!(
        screen.contains("36         marked and hidden: they stay as they are"),
        "{screen}"
    );
    let console = console.press("y Enter").serve();
    assert_eq!(
        (
            console.service_new_count(),
            console.context().queue.new.marks.len()
        ),
        (36, 36)
    );
}

#[test]
fn a_mark_outside_the_filter_of_the_service_is_left() {
    let console = TestConsole::with_rows(morning_queue())
        .press("G Space !")
        .serve();
    assert_eq!(console.context().queue.new.marks, [signal_id(16)].into());
    assert!(
        console.screen_text().contains("1 marked, 1 hidden"),
        "{}",
        console.screen_text()
    );
    let console = console.press("g g e").serve();
    assert_eq!(console.rows[15].triage_status, Some(TriageStatus::New));
    assert_eq!(console.rows[0].triage_status, Some(TriageStatus::Done));
}

#[test]
fn a_snooze_a_copy_a_note_and_a_call_leave_a_signal_that_is_marked_and_hidden() {
    let console = with_hidden_mark().press("H Enter");
    assert!(console.context().queue.snoozes.get(signal_id(1)).is_none());
    assert!(
        console.context().queue.snoozes.get(signal_id(2)).is_some(),
        "{}",
        console.screen_text()
    );
    let console = with_hidden_mark().press("y i");
    assert_eq!(
        console.copied_text(),
        Some(signal_id(2).to_string().as_str())
    );
    let form = with_hidden_mark().press("a s").screen_text();
    assert!(form.contains("Annotate Union Depot Tower"), "{form}");
}

#[test]
fn an_undone_act_covers_only_the_shown_signals_of_done() {
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[1, 2])
        .poll()
        .serve()
        .press("]")
        .serve();
    let console = console
        .press("Space /")
        .type_text("union")
        .press("Enter U")
        .serve();
    let new: Vec<bool> = (0..2)
        .map(|n| console.rows[n].triage_status == Some(TriageStatus::New))
        .collect();
    assert_eq!(new.iter().filter(|is_new| **is_new).count(), 1, "{new:?}");
    assert_eq!(console.context().queue.done.marks.len(), 1);
}

#[test]
fn removing_from_the_book_leaves_a_record_that_is_marked_and_hidden() {
    let console = accounts_with_hidden_mark();
    assert!(
        console.screen_text().contains("1 marked, 1 hidden"),
        "{}",
        console.screen_text()
    );
    let console = console.press("D");
    let screen = console.screen_text();
    assert!(
        screen.contains("Remove 1 account from the book") && screen.contains("Westmark"),
        "{screen}"
    );
    let console = console.press("y Enter").serve();
    let forgotten = |effect: &Effect| match effect {
        Effect::JournalWrite { change, .. } => Some(change.record_count()),
        _ => None,
    };
    assert_eq!(
        console.effects.iter().filter_map(forgotten).sum::<usize>(),
        1
    );
    assert_eq!(
        console
            .context()
            .displayed_list()
            .map(|list| list.marks.len()),
        Some(1),
        "its mark is kept"
    );
}

#[test]
fn an_annotation_and_an_export_of_the_book_leave_a_record_that_is_marked_and_hidden() {
    let form = accounts_with_hidden_mark().press("a s").screen_text();
    assert!(
        form.contains("Westmark") && !form.contains("2 accounts"),
        "{form}"
    );
    let export = accounts_with_hidden_mark().press("X").screen_text();
    assert!(
        export.contains("8 rows loaded") && !export.contains("1 row marked"),
        "{export}"
    );
    let console = accounts_with_hidden_mark().press("y i");
    assert_eq!(
        console.copied_text().map(|text| text.lines().count()),
        Some(1)
    );
}

#[test]
fn a_view_that_is_marked_and_hidden_is_not_deleted() {
    let console = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .press("g g Space /")
        .type_text("watchlist");
    let screen = console.press("Enter D").screen_text();
    assert!(
        screen.contains("Delete the View Austin GC watchlist for everyone?"),
        "{screen}"
    );
    assert!(screen.contains("1 marked, 1 hidden"), "{screen}");
}

#[test]
fn a_skill_that_is_marked_and_hidden_is_not_written() {
    let console = TestConsole::with_rows(morning_queue())
        .press("7")
        .serve()
        .press("g g Space");
    let first = console.context().ui.notice.clone();
    let console = console
        .press("/")
        .type_text("permit-call-script")
        .press("Enter m D");
    let screen = console.screen_text();
    assert!(
        first.is_none() && screen.contains("1 marked, 1 hidden"),
        "{screen}"
    );
}
