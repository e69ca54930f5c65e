//! Tests of held keys: acts that share a request, over a service that takes its time.

use chrono::Duration;

use crate::app::effect::ServiceCall;
use crate::app::msg::{Msg, Reply, Token};
use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};
use crate::domain::queue::TriageStatus;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

/// A console and its service in virtual time: a call arrives after half of the latency, and its
/// reply after the other half.
struct SlowService {
    console: Option<TestConsole>,
    latency: u64,
    now: u64,
    running: Vec<RunningCall>,
}

struct RunningCall {
    token: Token,
    call: ServiceCall,
    reply: Option<Result<Reply, RequestError>>,
    started: u64,
}

impl SlowService {
    fn new(rows: usize, latency: u64) -> SlowService {
        SlowService {
            console: Some(TestConsole::with_rows(many_rows(rows))),
            latency,
            now: 0,
            running: Vec::new(),
        }
    }

    fn console(&self) -> &TestConsole {
        self.console.as_ref().unwrap()
    }

    fn change(&mut self, change: impl FnOnce(TestConsole) -> TestConsole) {
        self.console = self.console.take().map(change);
        self.start_calls();
    }

    /// At most four calls run at a time, writes first.
    fn start_calls(&mut self) {
        let pending = &mut self.console.as_mut().unwrap().pending_calls;
        while self.running.len() < 4 && !pending.is_empty() {
            let first = pending
                .iter()
                .position(|(_, call)| matches!(call, ServiceCall::Triage { .. }))
                .unwrap_or(0);
            let (token, call) = pending.remove(first).unwrap();
            self.running.push(RunningCall {
                token,
                call,
                reply: None,
                started: self.now,
            });
        }
    }

    /// Lets a millisecond pass.
    fn tick(&mut self) {
        self.now += 1;
        self.change(|console| console.advance_time(Duration::milliseconds(1)));
        for running in &mut self.running {
            if running.reply.is_none() && self.now - running.started >= self.latency / 2 {
                running.reply = Some(self.console.as_mut().unwrap().reply_to(&running.call));
            }
        }
        while let Some(at) = self
            .running
            .iter()
            .position(|running| self.now - running.started >= self.latency)
        {
            let RunningCall { token, reply, .. } = self.running.remove(at);
            self.change(|console| console.send(Msg::Replied(token, reply.unwrap())));
        }
    }

    fn wait(&mut self, milliseconds: u64) {
        (0..milliseconds).for_each(|_| self.tick());
    }

    /// Holds a key down: thirty presses a second.
    fn hold(&mut self, key: &str, presses: u64) {
        for n in 0..presses {
            self.change(|console| console.press(key));
            let notice = self.console().notice_text();
            assert!(
                !notice.contains("no signals here"),
                "after {} presses: {notice}",
                n + 1
            );
            self.wait((n + 1) * 1_000 / 30 - n * 1_000 / 30);
        }
    }

    fn wait_until_idle(&mut self) {
        for _ in 0..1_000_000 {
            if self.running.is_empty() {
                return;
            }
            self.tick();
        }
        panic!("it never stops asking");
    }
}

fn largest_request(console: &TestConsole) -> usize {
    console
        .triage_calls()
        .iter()
        .map(|(ids, _)| *ids)
        .max()
        .unwrap_or_default()
}

#[test]
fn a_key_held_down_never_runs_out_of_rows() {
    // With 200 ms for each reply, 6.7 seconds are 34 replies.
    for (latency, requests) in [(20, 200), (200, 35), (1_000, 8), (2_000, 5)] {
        let mut slow = SlowService::new(3_000, latency);
        slow.hold("e", 200);
        assert_eq!(
            slow.console().context().queue.new.list.len(),
            2_800,
            "every press took a row at once"
        );
        slow.wait_until_idle();
        let console = slow.console();
        assert_eq!(console.service_new_count(), 2_800, "{latency} ms");
        assert!(
            console.triage_calls().len() <= requests,
            "{latency} ms: {}",
            console.triage_calls().len()
        );
        assert!(largest_request(console) <= 100, "{latency} ms");
        assert_eq!(
            console.context().outbox.history.done.len(),
            200,
            "{latency} ms: each press can be undone"
        );
        assert_eq!(
            console.differences_from_service(),
            Vec::<String>::new(),
            "{latency} ms"
        );
        let first = (0..100)
            .map(|slot| console.context().queue.new.list.id_at(slot))
            .collect::<Vec<_>>();
        assert_eq!(
            first,
            (201..=300).map(|n| Some(signal_id(n))).collect::<Vec<_>>(),
            "{latency} ms"
        );
        slow.change(|console| console.poll().serve().press("z").serve());
        let console = slow.console();
        assert_eq!(console.service_new_count(), 2_801, "{latency} ms");
        assert!(
            console.rows[199].triage_status == Some(TriageStatus::New),
            "{latency} ms: the last press"
        );
    }
}

#[test]
fn a_key_held_down_at_the_end_of_the_list_reads_the_rows_above() {
    let mut slow = SlowService::new(3_000, 200);
    slow.change(|console| console.press("G").serve());
    slow.hold("e", 200);
    slow.wait_until_idle();
    assert_eq!(slow.console().service_new_count(), 2_800);
    assert_eq!(slow.console().cursor_id(), signal_id(2_800));
    assert_eq!(
        slow.console().differences_from_service(),
        Vec::<String>::new()
    );
}

#[test]
fn a_key_held_down_in_the_middle_of_the_list_takes_the_rows_below() {
    let mut slow = SlowService::new(3_000, 300);
    slow.change(|console| console.press("> > > > >").serve());
    let from = slow.console().context().queue.new.scroll.cursor;
    slow.hold("e", 300);
    slow.wait_until_idle();
    let console = slow.console();
    let done = |n: usize| console.rows[n].triage_status == Some(TriageStatus::Done);
    assert!(
        (0..3_000).all(|n| done(n) == (from..from + 300).contains(&n)),
        "from {from}"
    );
    assert_eq!(console.differences_from_service(), Vec::<String>::new());
}

#[test]
fn a_key_held_down_until_the_list_is_empty_leaves_it_empty() {
    let mut slow = SlowService::new(150, 400);
    slow.hold("e", 150);
    slow.wait_until_idle();
    slow.change(|console| console.poll().serve());
    assert_eq!(
        (
            slow.console().service_new_count(),
            slow.console().context().queue.new.list.len()
        ),
        (0, 0)
    );
}

#[test]
fn what_a_colleague_does_meanwhile_is_seen_once_the_key_is_released() {
    let mut slow = SlowService::new(3_000, 200);
    for n in 0..10 {
        slow.hold("e", 20);
        slow.change(|console| console.ben_marks_done(&[500 + n, 900 + n, 150 + n]));
    }
    slow.wait_until_idle();
    slow.change(|console| console.poll().serve());
    let console = slow.console();
    assert_eq!(console.differences_from_service(), Vec::<String>::new());
    let shown: Vec<_> = console
        .context()
        .queue
        .new
        .list
        .loaded_rows()
        .map(|(_, row)| row.signal.id)
        .collect();
    let is_new = |n: &usize| console.rows[*n - 1].triage_status == Some(TriageStatus::New);
    assert_eq!(
        shown[..50],
        (1..=3_000)
            .filter(is_new)
            .take(50)
            .map(signal_id)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_signal_that_was_confirmed_while_a_page_was_read_does_not_come_back() {
    let mut console = TestConsole::with_rows(many_rows(300)).press("G").serve();
    console.context_mut().queue.new.marks = [signal_id(300)].into();
    let mut console = console.press("e PgUp PgUp PgUp");
    console.context_mut().queue.new.marks = [signal_id(201)].into();
    let mut console = console.press("e");
    let is_page = |(_, call): &(Token, ServiceCall)| matches!(call, ServiceCall::Queue { .. });
    let at = console
        .pending_calls
        .iter()
        .position(is_page)
        .expect("the rows above are read");
    let (token, call) = console.pending_calls.remove(at).unwrap();
    let page = console.reply_to(&call);
    let Ok(Reply::Queue(rows)) = &page else {
        panic!("{page:?}")
    };
    assert!(
        rows.rows.iter().any(|row| row.signal.id == signal_id(201)),
        "it was still New"
    );
    let console = console
        .serve_next()
        .serve_next()
        .send(Msg::Replied(token, page));
    assert_eq!(console.service_new_count(), 298);
    assert_eq!(
        console.context().queue.new.list.slot_of(signal_id(201)),
        None
    );
    assert_eq!(
        console.serve().poll().serve().differences_from_service(),
        Vec::<String>::new()
    );
}

#[test]
fn the_first_press_leaves_at_once_and_the_others_together_after_its_reply() {
    let console = TestConsole::with_rows(morning_queue()).press("e e e e");
    assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)]);
    assert_eq!(
        console.context().queue.new.list.len(),
        12,
        "but all rows are gone from the screen"
    );
    let console = console.serve_next();
    assert_eq!(
        console.triage_calls(),
        [(1, TriageStatus::Done), (3, TriageStatus::Done)]
    );
    let console = console.serve();
    assert_eq!(
        console.notice_text(),
        "done: 3 signals on 2 projects, for everyone"
    );
    assert_eq!(console.context().outbox.history.done.len(), 4);
}

#[test]
fn marking_done_and_moving_back_do_not_wait_for_each_other() {
    let console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[9])
        .poll()
        .serve()
        .press("]")
        .serve()
        .press("[");
    let console = console.press("e ] U [ e e");
    assert_eq!(
        console.triage_calls(),
        [(1, TriageStatus::Done), (1, TriageStatus::New)]
    );
    let console = console.serve();
    assert_eq!(console.triage_calls()[2..], [(2, TriageStatus::Done)]);
    assert_eq!(console.service_new_count(), 13);
}

#[test]
fn each_press_of_a_batch_is_undone_on_its_own() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e")
        .serve();
    let console = console.press("z").serve();
    assert_eq!(
        console.notice_text(),
        "undone: permit issued on Mill & 4th Mixed Use, for everyone"
    );
    assert_eq!(
        (console.service_new_count(), console.cursor_id()),
        (14, signal_id(3))
    );
    let console = console.press("z z").serve();
    assert_eq!(console.service_new_count(), 16);
    let order: Vec<_> = (0..16)
        .filter_map(|slot| console.context().queue.new.list.id_at(slot))
        .collect();
    assert_eq!(order, (1..=16).map(signal_id).collect::<Vec<_>>());
    assert_eq!(console.press("Z Z").serve().service_new_count(), 14);
}

#[test]
fn undo_leaves_what_was_done_after_its_key() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e z e")
        .serve();
    let is_new = |n: usize| console.rows[n - 1].triage_status == Some(TriageStatus::New);
    assert_eq!(
        (is_new(1), is_new(2), console.service_new_count()),
        (true, false, 15)
    );
    let console = TestConsole::with_rows(morning_queue())
        .press("e e z e z e")
        .serve();
    let new: Vec<usize> = (1..=16)
        .filter(|n| console.rows[n - 1].triage_status == Some(TriageStatus::New))
        .collect();
    assert_eq!(new[..3], [2, 3, 5]);
}

#[test]
fn a_signal_of_a_batch_that_a_colleague_has_done_leaves_no_step() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e e")
        .ben_marks_done(&[3])
        .serve();
    let notice = console.notice_text();
    assert_eq!(
        notice,
        "done: 2 signals on 2 projects, 1 was already done by Ben K. at 09:20, for everyone"
    );
    assert_eq!(console.context().outbox.history.done.len(), 3);
    let console = console.press("z z z").serve();
    assert_eq!(console.service_new_count(), 15, "his stays done");
}

fn bad_signal() -> RequestError {
    let refusal = ServiceError {
        status: 422,
        ..ServiceError::default()
    };
    RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "unknown signal".to_owned(),
    }
}

#[test]
fn a_rejected_signal_of_a_batch_comes_back_and_the_others_are_done() {
    let mut console = TestConsole::with_rows(morning_queue()).press("e e e e e");
    while let Some((_, call)) = console.pending_calls.front() {
        let is_bad = matches!(call, ServiceCall::Triage { ids, .. } if ids.contains(&signal_id(4)));
        console = if is_bad {
            console.fail_next(bad_signal())
        } else {
            console.serve_next()
        };
    }
    assert_eq!(
        console.notice_text(),
        "done: 3 signals, 1 rejected, still marked: unknown signal"
    );
    assert_eq!(
        (console.cursor_id(), console.context().queue.new.list.len()),
        (signal_id(4), 12)
    );
    assert_eq!(console.context().queue.new.marks, [signal_id(4)].into());
    let console = console.press("* n z").serve();
    assert_eq!(
        console.rows[4].triage_status,
        Some(TriageStatus::New),
        "undo concerns what succeeded"
    );
    assert_eq!(console.rows[3].triage_status, Some(TriageStatus::New));
}

#[test]
fn a_lost_connection_keeps_all_acts_that_wait() {
    let lost = || RequestError::new_not_sent("connection refused");
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e")
        .fail_next(lost())
        .fail_next(lost());
    assert_eq!(
        console
            .context()
            .outbox
            .outbox_len(&console.context().queue),
        3
    );
    assert_eq!(
        (
            console.context().queue.new.list.len(),
            console.context().outbox.history.done.len()
        ),
        (16, 0)
    );
}

#[test]
fn the_rows_of_a_failed_batch_come_back_to_their_places() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e j e e")
        .serve_next();
    let console = console.fail_next(RequestError::new_not_sent("connection refused"));
    let order: Vec<_> = (0..15)
        .filter_map(|slot| console.context().queue.new.list.id_at(slot))
        .collect();
    assert_eq!(order, (2..=16).map(signal_id).collect::<Vec<_>>());
}

#[test]
fn a_batch_whose_reply_was_lost_is_looked_up_and_undone_press_by_press() {
    let mut console = TestConsole::with_rows(morning_queue())
        .press("e")
        .serve_next()
        .press("e e e")
        .serve_next();
    let (token, call) = console.pending_calls.pop_front().unwrap();
    let _ = console.reply_to(&call);
    let console = console.send(Msg::Replied(
        token,
        Err(RequestError::new_ambiguous("the connection broke")),
    ));
    let console = console.poll().serve();
    assert_eq!(console.context().outbox.history.done.len(), 4);
    assert_eq!(console.press("z").serve().service_new_count(), 13);
}

#[test]
fn ctrl_c_puts_back_what_waits() {
    let console = TestConsole::with_rows(morning_queue()).press("e e e Ctrl-c");
    assert_eq!(
        console.context().queue.new.marks,
        [2, 3].map(signal_id).into()
    );
    let console = console.serve();
    assert_eq!(
        (console.service_new_count(), console.triage_calls().len()),
        (15, 1)
    );
    assert_eq!(console.context().outbox.history.done.len(), 1);
}

#[test]
fn acts_that_wait_keep_the_program_from_quitting() {
    let console = TestConsole::with_rows(morning_queue()).press("e e e q");
    assert!(
        console.notice_text().contains("3 writes still in progress"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.app.waiting_write_count(), 2);
}

#[test]
fn after_a_kill_only_confirmed_acts_can_be_undone_and_no_other_is_reported_as_done() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e")
        .serve_next()
        .press("e e")
        .restart();
    let history = &console.context().outbox.history;
    assert_eq!(
        (history.done.len(), console.service_new_count()),
        (1, 15),
        "{}",
        console.notice_text()
    );
    assert!(
        console
            .notice_text()
            .contains("0 done, 2 not changed, still marked"),
        "{}",
        console.notice_text()
    );
}
