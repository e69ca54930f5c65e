//! What was done and can be taken back: one stack for every kind of act, in the order in which they were done. A step that did not
//! arrive where it was meant to go stays where it was.

pub mod changed;
pub mod earlier;
mod overridden;
pub mod queued;

use std::collections::HashSet;

use uuid::Uuid;

use crate::app::format::{count, plural};
use crate::app::intent::Intent;
use crate::app::notice::Notice;
use crate::app::panes::queue::Tab;
use crate::app::writes::ReversibleWrite;
use crate::app::{App, acts, writes};
use crate::domain::SignalId;
use crate::domain::journal::{self, AUTO_RESEND_WINDOW, EntryCause, JournalEntry, SavedState};
use crate::domain::queue::TriageStatus;
use crate::domain::writes::invert_writes;

/// A step that can be taken back, or done again.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Signals changed sides.
    Triage(acts::Step),
    /// Records, Views or favorites were written.
    Write(writes::Step),
}

impl Step {
    /// A step as the journal of this machine holds it: of what an undo wrote, the way there again. None of what has no way back.
    fn of(act: JournalEntry) -> Option<Step> {
        let is_undo = act.cause == EntryCause::Undo;
        match act.change {
            journal::JournalChange::Triage { .. } => {
                acts::Step::of(act).map(|step| Step::Triage(if is_undo { step.turned() } else { step }))
            }
            journal::JournalChange::Write { changes, .. } => {
                let changes = if is_undo { invert_writes(changes) } else { changes };
                let has_way_back = changes.iter().any(|change| change.back.is_some());
                has_way_back.then_some(Step::Write(writes::Step { words: act.description, changes, since: act.at }))
            }
        }
    }

    /// What it was, in words.
    pub fn words(&self) -> &str {
        match self {
            Step::Triage(step) => step.words(),
            Step::Write(step) => &step.words,
        }
    }
}

/// The steps that were done, and those that were taken back.
pub type Journal = journal::UndoHistory<Step>;

impl Journal {
    /// What undo would take back, in words.
    pub fn undo_words(&self) -> Option<&str> {
        self.done.last().map(Step::words)
    }

    /// What redo would do again, in words.
    pub fn redo_words(&self) -> Option<&str> {
        self.undone.last().map(Step::words)
    }
}

impl App {
    /// Takes over what this machine did before: steps that can be taken back, and triage of which nobody knows what became of it.
    pub(in crate::app) fn restore(&mut self, past: SavedState) {
        if past.writes_in_other_process > 0 {
            let records = format!(
                "{} {}",
                count(past.writes_in_other_process),
                if past.writes_in_other_process == 1 { "change" } else { "changes" }
            );
            let text = format!("another gantry on this machine is sending {records} and has no answer yet");
            self.notice = Some(Notice::warn(text).with("gantry log shows them"));
        }
        self.restore_drafts(past.drafts, past.is_persistent);
        self.restore_runs(past.search_runs);
        let mut before = self.recall(past.entries, past.unconfirmed_writes);
        // What was done since the start is newer.
        if self.journal.done.is_empty() && self.journal.undone.is_empty() {
            self.journal.undone = before.undone;
        }
        before.done.append(&mut self.journal.done);
        self.journal.done = before.done;
        // One list is looked through at a time; what is of the other stays in the journal until the next start.
        let Some(first) = past.interrupted_triage.first().map(|broken| broken.status.clone()) else { return };
        let broken: Vec<_> = past.interrupted_triage.into_iter().filter(|broken| broken.status == first).collect();
        let from = if first == TriageStatus::New { Tab::Done } else { Tab::New };
        let ids: Vec<SignalId> = broken.iter().flat_map(|broken| broken.ids.iter().copied()).collect();
        let again = broken.iter().map(|broken| broken.at + AUTO_RESEND_WINDOW).min().filter(|until| *until > self.now);
        let tab = self.queue.tab_mut(from);
        tab.marks.extend(&ids);
        tab.unknown.extend(&ids);
        self.verify.begin(from, &ids, 0).again = again;
        let text = format!("{} broke off when gantry ended: looking what became of them", plural(ids.len(), "signal"));
        self.notice = Some(Notice::warn(text));
        self.verify_if_due();
    }

    /// The steps of the time before this start. What of them broke off is sent again at once, or told.
    fn recall(&mut self, acts: Vec<JournalEntry>, mut cut: Vec<JournalEntry>) -> Journal {
        // What must not be done twice is only in the log.
        let is_once = |changes: &[ReversibleWrite]| changes.iter().any(|change| change.forward.is_non_idempotent());
        cut.retain(|act| matches!(&act.change, journal::JournalChange::Write { changes, .. } if !is_once(changes)));
        let is_fresh = |act: &JournalEntry| self.now < act.at + AUTO_RESEND_WINDOW && !self.session.read_only;
        let again: HashSet<Uuid> = cut.iter().filter(|act| is_fresh(act)).map(|act| act.op).collect();
        let known: HashSet<Uuid> = acts.iter().map(|act| act.op).filter(|op| !again.contains(op)).collect();
        let acts = acts.into_iter().filter(|act| known.contains(&act.op)).map(|act| (act, true));
        let mut all: Vec<(JournalEntry, bool)> = acts.chain(cut.into_iter().map(|act| (act, false))).collect();
        all.sort_by_key(|(act, _)| act.at);
        let mut journal = Journal::default();
        for (act, arrived) in all {
            let (op, wish) = (act.op, act.cause.clone());
            if again.contains(&op) {
                journal.pop_step(&wish);
                let journal::JournalChange::Write { changes, .. } = act.change else { continue };
                self.resend(op, wish.into(), writes::Step { words: act.description, changes, since: act.at });
                continue;
            }
            if arrived && act.change.is_empty() {
                // It changed nothing; an undo of this kind still took its step off.
                if wish != EntryCause::New {
                    journal.pop_step(&wish);
                }
                continue;
            }
            let Some(step) = Step::of(act) else { continue };
            // What arrived of an act that broke off in its midst was told before.
            if arrived || !known.contains(&op) {
                journal.pop_step(&wish);
            }
            if !arrived {
                let (what, hint) = if wish == EntryCause::Undo {
                    ("taking back ", "{undo} takes it back")
                } else {
                    ("", "{redo} writes it again")
                };
                let text = format!("{what}{} broke off when gantry ended, and may or may not be written", step.words());
                self.notice = Some(Notice::warn(text).with(hint));
            }
            journal.push_step(&wish, arrived, step);
        }
        journal
    }

    /// Takes the last step back, once it is known that nobody changed it since; asks when somebody did.
    pub fn undo(&mut self) {
        if let Some(step) = self.journal.done.last().cloned() {
            self.turn_step(Intent::Undo(Box::new(step)));
        }
    }

    /// Does the step that was taken back last again, with the same look first.
    pub fn redo(&mut self) {
        if let Some(step) = self.journal.undone.last().cloned() {
            self.turn_step(Intent::Redo(Box::new(step)));
        }
    }

    /// Takes a step back.
    pub(in crate::app) fn undo_step(&mut self, step: &Step) {
        match take(&mut self.journal.done, step) {
            Some(Step::Triage(step)) => self.undo_triage(step),
            Some(Step::Write(step)) => self.undo_write(step),
            None => self.notice = Some(Notice::warn("Nothing was undone: this step was undone meanwhile.")),
        }
    }

    /// Does a step that was taken back again.
    pub(in crate::app) fn redo_step(&mut self, step: &Step) {
        // An act that was done while this step was looked at has emptied the stack; redo was meant before it.
        match take(&mut self.journal.undone, step).unwrap_or_else(|| step.clone()) {
            Step::Triage(step) => self.redo_triage(step),
            Step::Write(step) => self.redo_write(step),
        }
    }

    /// Whether an act is still on its way.
    pub fn is_writing(&self) -> bool {
        !self.acts.open.is_empty() || self.writes.is_open()
    }
}

/// Takes a step out of its stack. It need not be the last one any more: something may have been done while it was looked at.
fn take(steps: &mut Vec<Step>, step: &Step) -> Option<Step> {
    steps.iter().rposition(|other| other == step).map(|at| steps.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::Effect;
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{ANA, Console, many, moment, morning, signal_id};
    use crate::app::{Session, Settings};
    use crate::domain::failure::{RequestError, RequestErrorKind, ServiceError};
    use crate::domain::health::Health;
    use crate::domain::journal::{InterruptedTriage, JournalChange, TriageMove};

    /// An act that marked a signal done.
    fn act(wish: EntryCause, n: usize, words: &str) -> JournalEntry {
        let (before, after) = match wish {
            EntryCause::Undo => (TriageStatus::Done, TriageStatus::New),
            _ => (TriageStatus::New, TriageStatus::Done),
        };
        let row = morning().into_iter().find(|row| row.signal.id == signal_id(n)).and_then(|row| serde_json::to_value(row).ok());
        let signals = vec![TriageMove { id: signal_id(n).0, row }];
        JournalEntry {
            op: Uuid::from_u128(n as u128),
            at: moment("2026-07-09T08:00:00Z"),
            cause: wish,
            original_op: None,
            reason: "queue.done".to_owned(),
            description: words.to_owned(),
            change: JournalChange::Triage { before, after, signals },
        }
    }

    /// A console that has just started on a machine where this was done before; in the service some are done.
    fn started(acts: Vec<JournalEntry>, broken: Vec<InterruptedTriage>, done: &[usize]) -> Console {
        let session = Session { label: "demo".to_owned(), connected: true, read_only: false, watches: false };
        let mut console = Console::with(session, morning(), (120, 36), Settings::default()).somebody_does(ANA, done);
        console.past = SavedState { entries: acts, interrupted_triage: broken, ..SavedState::default() };
        console.poll().serve()
    }

    fn broken(at: &str, ids: &[usize]) -> Vec<InterruptedTriage> {
        vec![InterruptedTriage { at: moment(at), ids: ids.iter().map(|n| signal_id(*n)).collect(), status: TriageStatus::Done }]
    }

    #[test]
    fn what_another_gantry_is_sending_is_said_at_the_start() {
        let mut console = Console::over(morning());
        console.past = SavedState { writes_in_other_process: 12, ..SavedState::default() };
        let screen = console.again(chrono::Duration::seconds(2)).screen();
        assert!(screen.contains("another gantry on this machine is sending 12 changes and has no answer yet"), "{screen}");
    }

    #[test]
    fn what_was_done_before_a_restart_can_be_taken_back_and_done_again() {
        let console = started(vec![act(EntryCause::New, 1, "permit issued on Harbor Yard Lofts")], vec![], &[1]);
        assert_eq!(console.new_in_service(), 15);
        let console = console.press("z").serve();
        assert_eq!((console.new_in_service(), console.triages().last()), (16, Some(&(1, TriageStatus::New))));
        assert!(console.notice().contains("permit issued on Harbor Yard Lofts"), "{}", console.notice());
        assert_eq!(console.press("Z").serve().new_in_service(), 15);
    }

    #[test]
    fn an_undo_that_did_not_arrive_is_the_next_to_be_undone() {
        let lost = || RequestError::new_not_sent("no network");
        let console = Console::over(morning()).press("e").serve().press("e").serve().press("z").serve_one().fail(lost());
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len()), (2, 0));
        let console = console.press("z").serve();
        assert!(console.notice().contains("entitlement approval on Union Depot Tower"), "{}", console.notice());
        let console = console.press("Z").serve_one().fail(lost());
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len()), (1, 1));
        assert_eq!(console.press("Z").serve().new_in_service(), 14);
    }

    #[test]
    fn of_an_undo_that_arrived_in_part_the_rest_is_the_next_to_be_undone() {
        let mut console = Console::over(many(150)).press("G").serve();
        console.app.queue.new.marks = (1..=150).map(signal_id).collect();
        let console = console
            .press("e Down Enter")
            .serve()
            .press("z")
            .serve_one()
            .serve_one()
            .fail(RequestError::new_not_sent("no network"));
        assert_eq!(
            (console.app.journal.undo_words(), console.app.journal.redo_words()),
            (Some("50 signals"), Some("100 signals"))
        );
        assert_eq!(console.press("z").serve().new_in_service(), 150);
    }

    #[test]
    fn what_the_service_will_not_take_back_is_not_in_the_way_of_what_was_done_before() {
        let gone = ServiceError { status: 404, ..ServiceError::default() };
        let gone = RequestError { kind: RequestErrorKind::Rejected(gone), message: "no such signal".to_owned() };
        let console = Console::over(morning()).press("e").serve().press("e").serve().press("z").serve_one().fail(gone);
        assert!(console.app.journal.undo_words().is_some_and(|words| words.contains("Harbor Yard Lofts")));
    }

    #[test]
    fn an_undo_that_waits_for_its_look_takes_back_its_own_step_and_not_what_was_done_meanwhile() {
        let mut console = started(vec![act(EntryCause::New, 1, "one")], vec![], &[1]).press("z e");
        console.waiting.swap(0, 1);
        let console = console.serve();
        assert_eq!(
            (console.new_in_service(), console.app.journal.undo_words()),
            (15, Some("entitlement approval on Union Depot Tower"))
        );
    }

    #[test]
    fn an_undo_that_is_asked_about_is_about_the_same_step_when_something_else_was_done_meanwhile() {
        let health = |health| Msg::Pushed(Push::Health(health));
        let offline = Health::Offline { since: chrono::DateTime::UNIX_EPOCH, reason: "no network".to_owned() };
        let console = started(vec![act(EntryCause::New, 1, "one")], vec![], &[1]);
        let console = console.press("e").fail(RequestError::new_not_sent("no network")).send(health(offline));
        let console = console.colleague(|rows| rows[0].triage_status = Some(TriageStatus::New)).press("z").serve();
        assert!(console.screen().contains("undo all the same"), "{}", console.screen());
        let console = console.send(health(Health::Online)).serve();
        assert_eq!(console.new_in_service(), 15, "what waited was sent");
        let console = console.press("Enter").serve();
        assert_eq!((console.new_in_service(), console.app.journal.undo_words().is_some()), (15, true));
        assert_ne!(console.app.journal.undo_words(), Some("one"));
    }

    #[test]
    fn undo_after_a_colleague_was_first_with_some_puts_back_only_what_changed() {
        let console = Console::over(morning()).ben_does(&[1, 2]).press("Space Space Space e").serve();
        let text = "done: permit issued on Mill & 4th Mixed Use, 2 were already done, the last by Ben K. at 09:20, for everyone";
        assert_eq!((console.notice().as_str(), console.new_in_service()), (text, 13));
        let console = console.press("z").serve();
        assert_eq!((console.new_in_service(), console.triages().last()), (14, Some(&(1, TriageStatus::New))));
        assert_eq!(console.restarted().app.journal.redo_words(), Some("permit issued on Mill & 4th Mixed Use"));
    }

    #[test]
    fn an_act_that_changed_nothing_is_no_step_and_says_who_was_first() {
        let console = Console::over(morning()).press("e").serve().ben_does(&[2]).press("e").serve();
        assert_eq!(console.notice(), "Already done by Ben K. at 09:20. Nothing changed.");
        assert!(console.app.journal.undo_words().is_some_and(|words| words.contains("Harbor Yard Lofts")));
        let console = console.restarted();
        assert!(console.app.journal.undo_words().is_some_and(|words| words.contains("Harbor Yard Lofts")));
    }

    #[test]
    fn undo_in_the_same_session_asks_before_it_overwrites_what_a_colleague_did_since() {
        let console = Console::over(morning()).press("e").serve();
        let console = console.colleague(|rows| rows[0].triage_status = Some(TriageStatus::New)).ben_does(&[1]).press("z").serve();
        assert!(console.screen().contains("Harbor Yard Lofts: done by Ben K. at"), "{}", console.screen());
        assert_eq!(console.triages().len(), 1, "nothing was sent");
        assert_eq!(console.press("Enter").serve().new_in_service(), 16);
    }

    #[test]
    fn redo_asks_as_undo_does() {
        let console = Console::over(morning()).press("e").serve().press("z").serve().ben_does(&[1]).press("Z").serve();
        assert!(console.screen().contains("1 signal no longer where you left it"), "{}", console.screen());
        assert_eq!(console.triages().len(), 2);
    }

    #[test]
    fn undo_of_what_was_put_back_in_part_asks_because_nobody_tells_which() {
        let console = Console::over(morning()).ben_does(&[1, 2]).poll().serve().press("]").serve();
        let console = console.press("Space Space").colleague(|rows| rows[0].triage_status = Some(TriageStatus::New));
        let console = console.press("U").serve();
        assert_eq!(console.notice(), "back to New: 2 signals on 2 projects, 1 of them already, for everyone");
        let console = console.press("z").serve();
        assert!(console.screen().contains("1 of these 2 signals"), "{}", console.screen());
    }

    #[test]
    fn when_it_cannot_be_read_who_was_first_all_of_it_is_a_step_and_undo_asks() {
        let console = Console::over(morning())
            .ben_does(&[1])
            .press("Space Space e")
            .serve_one()
            .fail(RequestError::new_not_sent("no network"));
        assert_eq!(console.notice(), "done: 2 signals on 2 projects, 1 of them already, for everyone");
        let console = console.serve().press("z").serve();
        assert!(console.screen().contains("Harbor Yard Lofts: done by Ben K."), "{}", console.screen());
    }

    #[test]
    fn undo_right_after_an_act_follows_once_the_act_is_done() {
        let console = Console::over(morning()).press("e z");
        assert_eq!(console.notice(), "undo follows once the write is done");
        let console = console.serve();
        assert_eq!((console.new_in_service(), console.triages().len()), (16, 2));
        let console = console.press("Z e").serve();
        assert_eq!(console.new_in_service(), 14, "and redo, with an act beside it");
        assert_eq!(console.press("z z").serve().new_in_service(), 16, "and two of them");
    }

    #[test]
    fn undo_that_waits_is_dropped_and_said_when_the_act_fails_or_changes_nothing() {
        let console = Console::over(morning()).press("e").serve().press("e z").fail(RequestError::new_not_sent("no network"));
        assert!(console.notice().ends_with("; undo was dropped"), "{}", console.notice());
        assert_eq!((console.serve().new_in_service(), "the step before it stays"), (15, "the step before it stays"));
        let console = Console::over(morning()).press("e").serve().ben_does(&[2]).press("e z").serve();
        assert_eq!(console.notice(), "Already done by Ben K. at 09:20. Nothing changed; undo was dropped.");
        assert_eq!(console.new_in_service(), 14);
    }

    #[test]
    fn commands_that_wait_are_bounded_and_cancelled_together() {
        let console = Console::over(morning()).press("e").press(&["z"; 9].join(" "));
        assert!(console.notice().contains("8 commands wait already"), "{}", console.notice());
        let console = console.press("Ctrl-c");
        assert!(console.notice().contains("8 commands that waited were dropped"), "{}", console.notice());
        assert_eq!(console.serve().triages().len(), 1);
    }

    #[test]
    fn a_note_can_be_begun_while_an_act_is_on_its_way() {
        let console = Console::over(morning()).press("e a n");
        assert!(console.screen().contains("Annotate"), "{}", console.screen());
        assert_eq!(console.type_in("z").serve().triages().len(), 1);
    }

    #[test]
    fn what_was_taken_back_before_a_restart_can_be_done_again() {
        let acts = vec![act(EntryCause::New, 1, "one"), act(EntryCause::New, 2, "two"), act(EntryCause::Undo, 2, "two")];
        let console = started(acts, vec![], &[1]);
        assert_eq!((console.app.journal.undo_words(), console.app.journal.redo_words()), (Some("one"), Some("two")));
        assert_eq!(console.press("Z").serve().new_in_service(), 14);
    }

    #[test]
    fn reading_everything_again_puts_no_step_on_the_stack_twice() {
        let console =
            started(vec![act(EntryCause::New, 1, "one"), act(EntryCause::New, 2, "two")], vec![], &[1, 2]).press("R").serve();
        assert_eq!(console.app.journal.done.len(), 2);
    }

    #[test]
    fn a_triage_that_broke_off_long_ago_is_looked_up_and_never_sent_again_by_itself() {
        let console = started(vec![], broken("2026-07-09T07:00:00Z", &[1, 2]), &[2]);
        assert!(console.triages().is_empty());
        assert!(console.notice().contains("1 done, 1 not and still marked"), "{}", console.notice());
        let not_gone = vec![signal_id(1)];
        let verified = Effect::Verified { status: TriageStatus::Done, gone: vec![signal_id(2)], not_gone };
        assert!(console.effects.contains(&verified), "{:?}", console.effects);
        assert_eq!(console.press("e").serve().new_in_service(), 14, "e sends what is marked");
    }

    #[test]
    fn a_triage_that_broke_off_just_now_and_did_not_arrive_is_sent_again() {
        let console = started(vec![], broken("2026-07-09T09:19:30Z", &[1, 2]), &[2]);
        assert_eq!((console.new_in_service(), console.triages().last()), (14, Some(&(1, TriageStatus::Done))));
    }

    #[test]
    fn the_first_time_is_not_settled_before_the_second_is() {
        let console = started(vec![], broken("2026-07-09T09:19:30Z", &[1]), &[]);
        let settled = |console: &Console| {
            let of_one = |effect: &&Effect| matches!(effect, Effect::Verified { not_gone, .. } if *not_gone == [signal_id(1)]);
            console.effects.iter().position(|effect| of_one(&effect))
        };
        let begun = console.effects.iter().position(|effect| matches!(effect, Effect::Journal { .. }));
        assert!(begun.is_some() && begun < settled(&console), "{:?}", console.effects);
    }

    #[test]
    fn an_act_is_written_down_before_it_is_sent() {
        let console = Console::over(morning()).press("e");
        let Some(Effect::Journal { words, change, .. }) = console.effects.last() else { panic!("{:?}", console.effects) };
        assert!(words.contains("Harbor Yard Lofts") && change.record_count() == 1, "{words}");
        assert!(console.triages().len() == 1, "its call comes after");
    }
}
