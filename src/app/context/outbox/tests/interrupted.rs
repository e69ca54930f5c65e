//! Triage, undo and redo that are in flight when the program dies: the next start within two
//! minutes ends them as what they were.

use chrono::Duration;

use crate::app::testing::{ANA, TestConsole, many_rows, morning_queue, signal_id};
use crate::domain::queue::TriageStatus;

/// `e` on two signals, A and B.
fn with_two_done() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("e")
        .serve()
        .press("e")
        .serve()
}

/// The undo of B is held by the service when the program dies.
fn killed_during_undo() -> TestConsole {
    let console = with_two_done().press("z").serve_next();
    assert_eq!(console.triage_calls().last(), Some(&(1, TriageStatus::New)));
    console
}

fn restart_soon(console: TestConsole) -> TestConsole {
    console.restart_after(Duration::seconds(30))
}

/// What can be undone and redone: the signals of each step.
fn steps(console: &TestConsole) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let history = &console.context().outbox.history;
    let number = |id| (1..=400).find(|n| signal_id(*n) == id).unwrap_or_default();
    let of = |steps: &[crate::app::outbox::undo_history::UndoStep]| {
        steps
            .iter()
            .map(|step| step.signal_ids().map(number).collect())
            .collect()
    };
    (of(&history.done), of(&history.undone))
}

fn set_status(console: TestConsole, row: usize, status: TriageStatus) -> TestConsole {
    console.edit_rows(|rows| rows[row].triage_status = Some(status))
}

#[test]
fn an_undo_that_was_in_flight_is_sent_again_as_the_undo_that_it_was() {
    let console = restart_soon(killed_during_undo());
    assert_eq!(
        (console.triage_calls(), steps(&console)),
        (vec![(1, TriageStatus::New)], (vec![vec![1]], vec![vec![2]]))
    );
    let console = console.press("z").serve();
    assert_eq!(
        (console.service_new_count(), steps(&console)),
        (16, (vec![], vec![vec![2], vec![1]])),
        "the next undo means A"
    );
    let console = console.press("Z").serve().press("Z").serve();
    assert_eq!(
        (console.service_new_count(), steps(&console)),
        (14, (vec![vec![1], vec![2]], vec![]))
    );
    let console = console.restart();
    assert_eq!(
        (steps(&console), console.triage_calls().len()),
        ((vec![vec![1], vec![2]], vec![]), 0)
    );
}

#[test]
fn an_undo_that_was_in_flight_and_had_arrived_is_not_sent_again() {
    let console = restart_soon(set_status(killed_during_undo(), 1, TriageStatus::New));
    assert_eq!(
        (console.triage_calls(), steps(&console)),
        (vec![], (vec![vec![1]], vec![vec![2]]))
    );
    let console = restart_soon(console);
    assert_eq!(
        (console.triage_calls(), steps(&console)),
        (vec![], (vec![vec![1]], vec![vec![2]]))
    );
    assert_eq!(console.press("z").serve().service_new_count(), 16);
}

#[test]
fn a_redo_that_was_in_flight_is_sent_again_as_the_redo_that_it_was() {
    let before = || {
        with_two_done()
            .press("z")
            .serve()
            .press("z")
            .serve()
            .press("Z")
            .serve_next()
    };
    let again = restart_soon(before());
    assert_eq!(
        (again.triage_calls(), steps(&again)),
        (
            vec![(1, TriageStatus::Done)],
            (vec![vec![1]], vec![vec![2]])
        )
    );
    assert_eq!(
        steps(&again.press("Z").serve()),
        (vec![vec![1], vec![2]], vec![]),
        "the rest can still be redone"
    );
    let arrived = restart_soon(set_status(before(), 0, TriageStatus::Done));
    assert_eq!(
        (arrived.triage_calls(), steps(&arrived)),
        (vec![], (vec![vec![1]], vec![vec![2]]))
    );
}

#[test]
fn an_undo_that_was_in_flight_asks_before_it_overwrites_a_colleague() {
    // It arrived, and Ben marked the signal done himself before the next start.
    let killed = set_status(killed_during_undo(), 1, TriageStatus::New);
    let console = restart_soon(
        killed
            .advance_time(Duration::seconds(10))
            .ben_marks_done(&[2]),
    );
    assert!(
        console
            .screen_text()
            .contains("Union Depot Tower: done by Ben K. at"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        (console.triage_calls(), console.service_new_count()),
        (vec![], 14)
    );
    let declined = console.press("Esc").serve();
    assert_eq!(
        (declined.triage_calls(), steps(&declined)),
        (vec![], (vec![vec![1], vec![2]], vec![]))
    );
}

#[test]
fn undo_that_is_pressed_during_the_check_waits_and_means_the_step_before() {
    let mut console = killed_during_undo()
        .kill_and_start(Duration::seconds(30))
        .poll();
    while !console.context().outbox.reconciliation.is_due() {
        console = console.serve_next();
    }
    let console = console.press("z");
    assert_eq!(console.notice_text(), "undo waits until the check is done");
    let console = console.serve();
    assert_eq!(
        (console.service_new_count(), steps(&console)),
        (16, (vec![], vec![vec![2], vec![1]]))
    );
}

#[test]
fn acts_that_shared_a_request_in_flight_are_sent_again_one_by_one() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e")
        .serve_next();
    let console = restart_soon(console);
    assert_eq!(
        (console.service_new_count(), steps(&console)),
        (13, (vec![vec![1], vec![2], vec![3]], vec![]))
    );
    assert_eq!(console.press("z").serve().service_new_count(), 14);
}

#[test]
fn an_act_that_was_in_flight_stays_before_what_was_done_after_it() {
    let console = TestConsole::with_rows(morning_queue())
        .user_marks_done(ANA, &[9])
        .poll()
        .serve()
        .press("]")
        .serve();
    // The first is held, the second answered.
    let mut console = console.press("[").serve().press("e").press("]").press("U");
    console.pending_calls.swap(0, 1);
    let console = restart_soon(console.serve_next());
    assert_eq!(steps(&console), (vec![vec![1], vec![9]], vec![]));
    assert_eq!(
        steps(&restart_soon(console)),
        (vec![vec![1], vec![9]], vec![])
    );
}

#[test]
fn the_rest_of_an_undo_that_was_in_flight_joins_it() {
    let mut console = TestConsole::with_rows(many_rows(150)).press("G").serve();
    console.context_mut().queue.new.marks = (1..=150).map(signal_id).collect();
    let console = console
        .press("e Down Enter")
        .serve()
        .press("z")
        .serve_next()
        .serve_next();
    let lengths = |console: &TestConsole| {
        let (done, undone) = steps(console);
        (
            done.iter().map(Vec::len).collect::<Vec<_>>(),
            undone.iter().map(Vec::len).collect::<Vec<_>>(),
        )
    };
    let arrived = console.edit_rows(|rows| {
        rows.iter_mut()
            .for_each(|row| row.triage_status = Some(TriageStatus::New))
    });
    let arrived = restart_soon(arrived);
    assert_eq!(
        (arrived.triage_calls(), lengths(&arrived)),
        (vec![], (vec![], vec![150]))
    );
    assert_eq!(lengths(&arrived.restart()), (vec![], vec![150]));
}

#[test]
fn what_was_in_flight_is_not_sent_again_over_a_later_act_on_the_same_signal() {
    // The undo of B is lost, B is moved back to New and marked done again; then the program dies.
    let console = with_two_done().press("z").serve_next();
    let lost = crate::domain::request_error::RequestError::new_ambiguous("the connection broke");
    let console = console
        .fail_next(lost)
        .press("]")
        .serve()
        .press("U")
        .serve()
        .press("[")
        .serve()
        .press("g g")
        .press("e")
        .serve();
    let before = console.service_new_count();
    let console = restart_soon(console);
    assert_eq!(
        (console.triage_calls(), console.service_new_count()),
        (vec![], before)
    );
}

#[test]
fn a_move_back_to_new_is_not_sent_again_after_a_colleague_marked_the_signal_done() {
    let console = TestConsole::with_rows(morning_queue())
        .user_marks_done(ANA, &[1])
        .poll()
        .serve()
        .press("]")
        .serve();
    let arrived =
        set_status(console.press("U"), 0, TriageStatus::New).advance_time(Duration::seconds(10));
    let console = restart_soon(arrived.ben_marks_done(&[1]));
    assert_eq!(
        (console.triage_calls(), console.service_new_count()),
        (vec![], 15)
    );
}
