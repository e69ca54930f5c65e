//! Triage in the queue: done and back, in bulk, undone, interrupted.

use super::{rejected, signals};
use crate::app::effect::{Effect, ServiceCall};
use crate::app::msg::{Msg, Reply};
use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};
use crate::app::{AfterTriage, AppSettings, ConsoleSession};
use crate::domain::queue::TriageStatus;
use crate::domain::request_error::RequestError;

#[test]
fn done_removes_the_row_at_once_and_moves_on() {
    let console = TestConsole::with_rows(morning_queue()).press("e");
    assert_eq!(console.cursor_id(), signal_id(2));
    assert!(!console.screen_text().contains("83 days left"));
    assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)]);
    let console = console.serve();
    assert_eq!(
        console.notice_text(),
        "done: permit issued on Harbor Yard Lofts, for everyone"
    );
    assert_eq!(console.service_new_count(), 15);
}

#[test]
fn a_rejected_row_comes_back_marked_with_the_reason() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e")
        .fail_next(rejected(403, "this key may not write"));
    assert_eq!(console.context().queue.new.list.len(), 16);
    assert_eq!(
        console.context().queue.new.list.id_at(0),
        Some(signal_id(1)),
        "it is back in its place"
    );
    assert_eq!(console.cursor_id(), signal_id(1), "and the cursor is on it");
    assert_eq!(
        console.notice_text(),
        "1 rejected, still marked: this key may not write"
    );
    assert_eq!(console.context().queue.new.marks, [signal_id(1)].into());
}

#[test]
fn one_bad_id_does_not_fail_the_others() {
    let mut console = TestConsole::with_rows(morning_queue()).press("Space Space Space Space e");
    // The service rejects any call that contains signal 3.
    while let Some((token, call)) = console.pending_calls.pop_front() {
        let bad = matches!(&call, ServiceCall::Triage { ids, .. } if ids.contains(&signal_id(3)));
        console.pending_calls.push_front((token, call));
        console = if bad {
            console.fail_next(rejected(400, "unknown signal"))
        } else {
            console.serve_next()
        };
    }
    assert_eq!(console.context().queue.new.marks, [signal_id(3)].into());
    assert_eq!(
        console.notice_text(),
        "done: 3 signals, 1 rejected, still marked: unknown signal"
    );
}

#[test]
fn two_hundred_and_fifty_signals_are_three_concurrent_calls() {
    let mut console = TestConsole::with_rows(many_rows(400))
        .press("G")
        .serve()
        .press("g g")
        .serve();
    console.context_mut().queue.new.marks = (1..=250).map(signal_id).collect();
    let console = console.press("e Down Enter");
    assert_eq!(
        console
            .triage_calls()
            .iter()
            .map(|(n, _)| *n)
            .collect::<Vec<_>>(),
        [100, 100, 50]
    );
}

#[test]
fn undo_names_what_it_reverts_and_redo_applies_it_again() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e")
        .serve()
        .press("z")
        .serve();
    assert_eq!(
        console.notice_text(),
        "undone: permit issued on Harbor Yard Lofts, for everyone"
    );
    assert_eq!(
        console.context().queue.new.list.id_at(0),
        Some(signal_id(1))
    );
    assert_eq!(console.service_new_count(), 16);
    let console = console.press("Z").serve();
    assert_eq!(
        console.notice_text(),
        "redone: permit issued on Harbor Yard Lofts, for everyone"
    );
    assert_eq!(console.service_new_count(), 15);
}

#[test]
fn a_bulk_triage_is_one_undo_step() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Space Space e")
        .serve();
    assert_eq!(
        console.notice_text(),
        "done: 2 signals on 2 projects, for everyone"
    );
    let console = console.press("z").serve();
    assert_eq!(console.service_new_count(), 16);
    assert_eq!(
        console.context().queue.new.list.id_at(0),
        Some(signal_id(1))
    );
    assert_eq!(
        console.context().queue.new.list.id_at(1),
        Some(signal_id(2))
    );
}

#[test]
fn dismissing_the_last_signal_leaves_the_cursor_on_the_new_last() {
    let console = TestConsole::with_rows(morning_queue()).press("G e").serve();
    assert_eq!(console.cursor_id(), signal_id(15));
}

#[test]
fn advance_back_goes_up_after_a_triage() {
    let settings = AppSettings {
        after_triage: AfterTriage::Back,
        ..AppSettings::default()
    };
    let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("j j e");
    assert_eq!(console.cursor_id(), signal_id(2));
}

#[test]
fn repeat_acts_only_on_visible_signals() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e . y Enter . y Enter")
        .serve();
    assert_eq!(console.service_new_count(), 13);
    for keys in ["2", "3", "3 f", "5"] {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press(keys)
            .serve()
            .press(".")
            .serve();
        assert_eq!(
            (console.triage_calls().len(), console.service_new_count()),
            (1, 15),
            "{keys}"
        );
        assert!(
            console.notice_text().contains("no signals here"),
            "{keys}: {}",
            console.notice_text()
        );
    }
}

#[test]
fn repeat_after_a_snooze_snoozes_the_next_signal_on_this_machine_only() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e")
        .serve()
        .press("H")
        .type_text("3d, the lender");
    let console = console.press("Enter . .").serve();
    let until = |n| {
        console
            .context()
            .queue
            .snoozes
            .get(signal_id(n))
            .map(|snooze| (snooze.until, snooze.reason.clone()))
    };
    assert!(until(2).is_some_and(|(_, reason)| reason.as_deref() == Some("the lender")));
    assert_eq!((until(3), until(4)), (until(2), until(2)));
    assert_eq!(
        (console.triage_calls().len(), console.service_new_count()),
        (1, 15),
        "{}",
        console.notice_text()
    );
    let console = console.press("z z z").serve();
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 0);
}

#[test]
fn repeat_says_first_what_it_does_for_everyone() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e")
        .serve()
        .press(".");
    let screen = console.screen_text();
    assert!(
        screen.contains("Done?")
            && screen.contains("Mark done for everyone and move on: entitlement"),
        "{screen}"
    );
    assert!(screen.contains("on Union Depot Tower."), "{screen}");
    let console = console.press("Enter").serve();
    assert_eq!(
        console.service_new_count(),
        15,
        "the preselected answer changes nothing"
    );
    assert_eq!(console.press(". y Enter").serve().service_new_count(), 14);
}

#[test]
fn repeat_of_an_ended_snooze_ends_only_snoozes() {
    let console = TestConsole::with_rows(morning_queue())
        .press("H Enter H Enter")
        .press("' G")
        .serve()
        .press("U");
    assert_eq!(console.context().queue.snoozes.sleeping_count(), 1);
    let console = console.press("] .").serve();
    assert_eq!(
        console.notice_text(),
        "repeat: these signals are not snoozed"
    );
    let console = console.press("] ] .").serve();
    assert_eq!(
        (
            console.context().queue.snoozes.sleeping_count(),
            console.triage_calls().len()
        ),
        (0, 0)
    );
}

#[test]
fn repeat_of_a_snooze_works_without_permission_to_write() {
    let session = ConsoleSession {
        label: "acme".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: false,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
            .poll()
            .serve();
    let console = console.press("H Enter .");
    assert_eq!(
        console.context().queue.snoozes.sleeping_count(),
        2,
        "{}",
        console.notice_text()
    );
}

#[test]
fn triage_of_more_than_ten_shows_its_count_and_one_key_undoes_it() {
    let console = TestConsole::with_rows(morning_queue())
        .press("* a e")
        .serve();
    assert_eq!(console.service_new_count(), 0);
    assert!(
        console.notice_text().starts_with("done: 16 signals"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("z undo"),
        "{}",
        console.screen_text()
    );
    let console = console.press("z").serve();
    assert_eq!(console.service_new_count(), 16);
    assert!(
        console.notice_text().contains("16 signals"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_signal_triaged_by_a_colleague_names_them() {
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[5])
        .poll()
        .serve();
    assert_eq!(
        console.notice_text(),
        "permit issued on Eastgate Hotel: done by Ben K. at 09:20"
    );
    assert_eq!(console.context().queue.new.list.len(), 15);
}

#[test]
fn a_signal_marked_done_is_in_done_with_name_and_time() {
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[1])
        .poll()
        .serve()
        .press("]")
        .serve();
    let screen = console.screen_text();
    assert!(screen.contains("Ben K."), "{screen}");
    assert!(screen.contains("09:20"), "{screen}");
}

#[test]
fn marking_a_signal_a_colleague_triaged_meanwhile_is_reported_but_no_error() {
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[1])
        .press("Space Space e")
        .serve();
    assert_eq!(
        console.notice_text(),
        "done: entitlement approval on Union Depot Tower, 1 was already done by Ben K. at 09:20, for everyone"
    );
}

#[test]
fn the_outcome_of_a_batch_that_was_sent_twice_is_read_back() {
    let mut console = TestConsole::with_rows(morning_queue()).press("Space Space e");
    let (token, _) = console.pending_calls.pop_front().unwrap();
    let console = console.user_marks_done(crate::app::testing::ANA, &[1, 2]);
    let console = console
        .send(Msg::Replied(token, Ok(Reply::Triaged(None))))
        .serve();
    assert_eq!(
        console.notice_text(),
        "done: 2 signals on 2 projects, for everyone"
    );
}

#[test]
fn an_interrupted_triage_is_checked_when_the_service_answers_again() {
    let console = TestConsole::with_rows(many_rows(250))
        .press("g g")
        .serve()
        .press("PgDn PgDn PgDn PgDn PgDn PgDn PgDn PgDn")
        .serve();
    let mut console = console;
    console.context_mut().queue.new.marks = (1..=250).map(signal_id).collect();
    let mut console = console.press("e Down Enter");
    // The first hundred are applied and answered; the second are applied but the reply is lost; the
    // third never arrive.
    console = console.serve_next();
    let (token, call) = console.pending_calls.pop_front().unwrap();
    let ServiceCall::Triage { ids, .. } = &call else {
        panic!("{call:?}")
    };
    let lost = ids.clone();
    console = console.send(Msg::Replied(
        token,
        Err(RequestError::new_ambiguous("the connection broke")),
    ));
    console = console.edit_rows(|rows| {
        for row in rows.iter_mut().filter(|row| lost.contains(&row.signal.id)) {
            row.triage_status = Some(TriageStatus::Done);
        }
    });
    console = console.fail_next(RequestError::new_not_sent("connection refused"));
    let notice = console.notice_text();
    assert!(
        notice.starts_with(
            "done: 100 signals, 100 unknown, will be checked, queued until the service is back"
        ),
        "{notice}"
    );
    assert_eq!(
        (
            console.context().queue.new.marks.len(),
            console
                .context()
                .outbox
                .outbox_len(&console.context().queue)
        ),
        (100, 50)
    );
    let console = console.poll().serve();
    assert_eq!(
        (
            console.context().queue.new.marks.len(),
            console
                .context()
                .outbox
                .outbox_len(&console.context().queue)
        ),
        (0, 0)
    );
    assert_eq!(
        (
            console.service_new_count(),
            console.context().queue.new.list.len()
        ),
        (0, 0),
        "what waited was sent"
    );
}

#[test]
fn ctrl_c_cancels_what_was_not_sent_and_twice_quits() {
    let console = TestConsole::with_rows(morning_queue()).press("e Ctrl-c");
    assert!(
        console
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Cancel(_)))
    );
    assert!(!console.effects.contains(&Effect::Quit));
    let console = console.press("Ctrl-c");
    assert!(console.effects.contains(&Effect::Quit));
    assert_eq!(
        console.context().exit_state.exit_status(),
        130,
        "interrupted"
    );
}

#[test]
fn q_does_not_quit_while_writes_are_in_flight() {
    let console = TestConsole::with_rows(morning_queue()).press("e q");
    assert!(!console.effects.contains(&Effect::Quit));
    assert!(console.serve().press("q").effects.contains(&Effect::Quit));
}

#[test]
fn interrupted_triage_of_one_tab_is_not_lost_to_that_of_the_other() {
    let broke = || RequestError::new_ambiguous("the connection broke");
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[1])
        .poll()
        .serve()
        .press("e")
        .fail_next(broke());
    let console = console.press("]").serve().press("U").fail_next(broke());
    assert_eq!(
        (
            console.context().queue.new.unconfirmed.len(),
            console.context().queue.done.unconfirmed.len()
        ),
        (1, 1)
    );
    let console = console.poll().serve().poll().serve();
    assert_eq!(
        (
            console.context().queue.new.unconfirmed.len(),
            console.context().queue.done.unconfirmed.len()
        ),
        (0, 0)
    );
    assert_eq!(
        (
            &console.context().queue.new.marks,
            &console.context().queue.done.marks
        ),
        (&[signal_id(2)].into(), &[signal_id(1)].into())
    );
}

#[test]
fn triage_interrupted_during_the_check_restarts_the_check() {
    let broke = || RequestError::new_ambiguous("the connection broke");
    let console = TestConsole::with_rows(many_rows(250))
        .press("e")
        .fail_next(broke())
        .ben_marks_done(&[1])
        .poll();
    let at = console
        .pending_calls
        .iter()
        .position(|(_, call)| matches!(call, ServiceCall::Queue { limit: 200, .. }))
        .unwrap();
    let mut console = console;
    console.pending_calls.swap(0, at);
    let mut console = console.serve_next().press("* n j e");
    console.pending_calls.rotate_right(1);
    let console = console.fail_next(broke()).serve().poll().serve();
    assert_eq!(
        console.notice_text(),
        "checked: 1 done, 1 not changed, still marked"
    );
    assert_eq!(console.context().queue.new.marks, [signal_id(2)].into());
}

#[test]
fn twenty_or_more_signals_are_marked_done_only_after_a_confirmation_with_counts() {
    let console = signals(325).press("* a e");
    assert_eq!(
        console.triage_calls(),
        [],
        "nothing is sent before the confirmation"
    );
    let screen = console.screen_text();
    assert!(
        screen.contains("Mark 100 signals done?") && screen.contains("100 of 325 rows"),
        "{screen}"
    );
    assert_eq!(
        console.press("Enter").triage_calls(),
        [],
        "the preselected answer changes nothing"
    );
    let console = signals(325).press("* a e Down Enter").serve();
    assert_eq!(
        console.service_new_count(),
        225,
        "{}",
        console.notice_text()
    );
    let back = console.press("]").serve().press("* a U");
    assert!(
        back.screen_text().contains("Move 100 signals back to New?"),
        "{}",
        back.screen_text()
    );
    assert_eq!(back.press("Esc").serve().service_new_count(), 225);
    assert_eq!(
        signals(19).press("* a e").triage_calls().len(),
        1,
        "nineteen are not a bulk change"
    );
    assert_eq!(
        signals(20).press("v G e").triage_calls(),
        [],
        "a range needs confirmation too"
    );
}

#[test]
fn marking_all_loaded_rows_says_which_rows_those_are() {
    let console = signals(325).press("G").serve().press("* a");
    let notice = console.notice_text();
    assert!(
        notice.contains("rows 1–100 and 2") && notice.contains("of 325 rows"),
        "{notice}"
    );
    let marked = console.context().queue.new.marks.len();
    let console = console.press("e");
    let asked = format!("{marked} of 325 rows");
    assert!(
        console.screen_text().contains(&asked) && console.screen_text().contains("are not loaded"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        TestConsole::with_rows(morning_queue())
            .press("* a")
            .notice_text(),
        "16 marked"
    );
    assert!(
        signals(325)
            .press("* =")
            .type_text("invert")
            .press("Enter")
            .notice_text()
            .contains("rows 1–100"),
        "inverting reports it too"
    );
}

#[test]
fn a_range_over_unloaded_rows_always_needs_confirmation() {
    let mut console = signals(325);
    console.context_mut().queue.new.scroll.cursor = 95;
    // Only five rows of the range are loaded: fewer than make a bulk change.
    let console = console.press("v G e");
    assert_eq!(console.triage_calls(), []);
    assert!(
        console.screen_text().contains("are not loaded"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_click_on_a_hint_writes_only_after_a_confirmation() {
    let console = TestConsole::with_rows(morning_queue()).click_on("e done");
    assert_eq!(console.triage_calls(), [], "{}", console.screen_text());
    assert_eq!(console.press("Down Enter").triage_calls().len(), 1);
}
