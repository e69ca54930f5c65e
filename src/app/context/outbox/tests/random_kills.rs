//! Random kills around triage, undo and redo: two consoles on one machine, and a colleague who
//! changes the signals in between.
//!
//! A model says after every event what can be undone and redone, what every signal is, and what was
//! sent: nothing else may be. `GANTRY_SEQUENCES` sets the number of sequences, `GANTRY_SEED` the
//! first seed.

use std::collections::BTreeMap;

use chrono::Duration;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random_acts::run_sequences;
use crate::app::effect::ServiceCall;
use crate::app::outbox::undo_history::{StepCause, UndoStep};
use crate::app::testing::{ANA, BEN, TestConsole, many_rows, signal_id};
use crate::domain::UserId;
use crate::domain::queue::{QueueTab, TriageStatus};
use crate::domain::request_error::RequestError;

const ROWS: usize = 10;

/// The list that signals leave, and which.
type Step = (QueueTab, Vec<usize>);

/// The list that a signal is in, and who marked it done last.
type Place = (QueueTab, Option<u128>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Stacks {
    done: Vec<Step>,
    undone: Vec<Step>,
}

impl Stacks {
    fn of(console: &TestConsole) -> Stacks {
        let history = &console.context().outbox.history;
        let step = |step: &UndoStep| {
            let mut ids: Vec<usize> = (1..=ROWS)
                .filter(|n| step.signal_ids().any(|id| id == signal_id(*n)))
                .collect();
            ids.sort_unstable();
            (step.tab_left().unwrap(), ids)
        };
        Stacks {
            done: history.done.iter().map(step).collect(),
            undone: history.undone.iter().map(step).collect(),
        }
    }

    fn apply(&mut self, cause: StepCause, (from, ids): &Step) {
        let (taken, added) = match cause {
            StepCause::New => {
                self.undone.clear();
                return self.done.push((*from, ids.clone()));
            }
            StepCause::Undo => (&mut self.done, &mut self.undone),
            StepCause::Redo => (&mut self.undone, &mut self.done),
        };
        let covers = |(other, all): &Step| other == from && ids.iter().all(|n| all.contains(n));
        if let Some(at) = taken.iter().rposition(covers) {
            taken[at].1.retain(|n| !ids.contains(n));
            if taken[at].1.is_empty() {
                taken.remove(at);
            }
        } else if added.iter().any(covers) {
            return;
        }
        added.push((*from, ids.clone()));
    }
}

/// A console, and what it can undo and redo. Only the one that acts has the machine.
struct Desk {
    console: TestConsole,
    stacks: Stacks,
}

/// A write that was in flight when its console died.
#[derive(Clone, Debug)]
struct Interrupted {
    cause: StepCause,
    /// In the direction in which it was first done.
    step: Step,
    /// Of an act: what an earlier check has found applied.
    settled: Vec<usize>,
    at: chrono::DateTime<chrono::Utc>,
}

impl Interrupted {
    fn from(&self) -> QueueTab {
        if self.cause == StepCause::Undo {
            self.step.0.other()
        } else {
            self.step.0
        }
    }
}

struct World {
    rng: ChaCha8Rng,
    desks: Vec<Desk>,
    places: BTreeMap<usize, Place>,
    /// When Ben marked a signal done.
    marked_at: BTreeMap<usize, chrono::DateTime<chrono::Utc>>,
    /// What the journal says can be undone and redone.
    journal: Stacks,
    trail: Vec<String>,
}

impl World {
    fn new(seed: u64) -> World {
        let console = TestConsole::with_rows(many_rows(ROWS));
        let places = (1..=ROWS).map(|n| (n, (QueueTab::New, None))).collect();
        World {
            rng: ChaCha8Rng::seed_from_u64(seed),
            desks: vec![Desk {
                console,
                stacks: Stacks::default(),
            }],
            places,
            marked_at: BTreeMap::new(),
            journal: Stacks::default(),
            trail: Vec::new(),
        }
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// The first desk acts from now on.
    fn change_desks(&mut self) {
        if let [one, other] = self.desks.as_mut_slice() {
            one.console.share_machine(&mut other.console);
            self.desks.swap(0, 1);
            self.trail.push("<other console>".to_owned());
        }
    }

    fn change(&mut self, change: impl FnOnce(TestConsole) -> TestConsole) {
        let Desk { console, stacks } = self.desks.remove(0);
        let console = change(console.advance_time(Duration::seconds(1)));
        self.desks.insert(0, Desk { console, stacks });
    }

    fn console(&self) -> &TestConsole {
        &self.desks[0].console
    }

    fn press(&mut self, keys: &str) {
        self.trail.push(keys.to_owned());
        self.change(|console| console.press(keys));
    }

    fn settle(&mut self) {
        for _ in 0..3 {
            self.change(|console| console.serve().poll().serve());
        }
    }

    /// Moves signals in the model.
    fn move_to(&mut self, tab: QueueTab, ids: &[usize]) {
        for n in ids
            .iter()
            .filter(|n| self.places[n].0 != tab)
            .copied()
            .collect::<Vec<_>>()
        {
            self.places
                .insert(n, (tab, (tab == QueueTab::Done).then_some(ANA)));
            self.marked_at.remove(&n);
        }
    }

    /// Ben marks a signal done, or moves it back to New.
    fn let_ben_act(&mut self) {
        let n = self.rng.random_range(1..=ROWS);
        if self.places[&n].0 == QueueTab::Done {
            self.trail.push(format!("<Ben reopens {n}>"));
            self.places.insert(n, (QueueTab::New, None));
            self.marked_at.remove(&n);
            self.change(|console| {
                console.edit_rows(|rows| {
                    let row = rows
                        .iter_mut()
                        .find(|row| row.signal.id == signal_id(n))
                        .unwrap();
                    (row.triage_status, row.triaged_by, row.triaged_at) =
                        (Some(TriageStatus::New), None, None);
                })
            });
        } else {
            self.trail.push(format!("<Ben marks {n}>"));
            self.places.insert(n, (QueueTab::Done, Some(BEN)));
            self.change(|console| console.ben_marks_done(&[n]));
            let at = self.console().now();
            self.marked_at.insert(n, at);
        }
    }

    /// Whether undo or redo asks first, and whether it would find everything as it was left.
    fn is_conflict(&self, from: QueueTab, ids: &[usize]) -> (bool, bool) {
        let is_as_left = ids.iter().all(|n| self.places[n].0 == from);
        let is_bens = ids
            .iter()
            .any(|n| self.places[n] == (QueueTab::Done, Some(BEN)));
        (!is_as_left || from == QueueTab::Done && is_bens, is_as_left)
    }

    /// Answers the question that must be open; returns whether to go on.
    fn answer(&mut self, may_go_on: bool) -> bool {
        assert!(
            self.console().app.has_open_question(),
            "a colleague is overwritten: {}",
            self.console().screen_text()
        );
        let goes_on = may_go_on && self.happens(50);
        self.press(if goes_on { "y Enter" } else { "Esc" });
        self.settle();
        goes_on
    }

    /// The next command: why, and the step in its first direction.
    fn choose(&mut self) -> Option<(StepCause, Step)> {
        let stacks = &self.desks[0].stacks;
        let (undo, redo) = (stacks.done.last().cloned(), stacks.undone.last().cloned());
        match self.rng.random_range(0..10) {
            0..4 => Some((StepCause::Undo, undo?)),
            4..6 => Some((StepCause::Redo, redo?)),
            _ => {
                let from = if self.happens(70) {
                    QueueTab::New
                } else {
                    QueueTab::Done
                };
                let mut there: Vec<usize> =
                    (1..=ROWS).filter(|n| self.places[n].0 == from).collect();
                let most = self.rng.random_range(1..=3);
                while there.len() > most {
                    let at = self.rng.random_range(0..there.len());
                    there.remove(at);
                }
                (!there.is_empty()).then_some((StepCause::New, (from, there)))
            }
        }
    }

    /// Presses the key of a command.
    fn press_key_of(&mut self, cause: StepCause, (from, ids): &Step) {
        match cause {
            StepCause::Undo => self.press("z"),
            StepCause::Redo => self.press("Z"),
            StepCause::New => {
                if self.console().context().queue.tab != *from {
                    self.press(if *from == QueueTab::Done { "]" } else { "[" });
                }
                self.press("R");
                self.settle();
                let marks = ids.iter().map(|n| signal_id(*n)).collect();
                let queue = &mut self.desks[0].console.context_mut().queue;
                if *from == QueueTab::New {
                    queue.new.marks = marks
                } else {
                    queue.done.marks = marks
                }
                self.trail.push(format!("{ids:?}"));
                self.press(if *from == QueueTab::New { "e" } else { "U" });
            }
        }
    }

    /// The triages that this console has sent since it had made this many calls.
    fn sent_since(&self, calls: usize) -> Vec<Step> {
        let sent = self.console().calls[calls..]
            .iter()
            .filter_map(|call| match call {
                ServiceCall::Triage { ids, status, .. } => {
                    let mut ids: Vec<usize> = ids
                        .iter()
                        .map(|id| (1..=ROWS).find(|n| signal_id(*n) == *id).unwrap())
                        .collect();
                    ids.sort_unstable();
                    Some((
                        if *status == TriageStatus::Done {
                            QueueTab::New
                        } else {
                            QueueTab::Done
                        },
                        ids,
                    ))
                }
                _ => None,
            });
        sent.collect()
    }

    fn record(&mut self, cause: StepCause, step: &Step) {
        self.desks[0].stacks.apply(cause, step);
        self.journal.apply(cause, step);
        let from = if cause == StepCause::Undo {
            step.0.other()
        } else {
            step.0
        };
        self.move_to(from.other(), &step.1);
    }

    fn check(&self) {
        let console = self.console();
        assert_eq!(
            Stacks::of(console),
            self.desks[0].stacks,
            "what can be undone and redone"
        );
        for (n, row) in (1..).zip(&console.rows) {
            let by = row.triaged_by.clone();
            let (tab, who) = self.places[&n];
            let who = who.map(|who| UserId(uuid::Uuid::from_u128(who)).into());
            assert_eq!(
                (row.triage_status.clone(), by),
                (Some(tab.status()), who),
                "signal {n}"
            );
        }
        assert!(!console.context().is_busy(), "something waits forever");
    }

    /// A command that is answered.
    fn run_command(&mut self, cause: StepCause, step: &Step) {
        let from = if cause == StepCause::Undo {
            step.0.other()
        } else {
            step.0
        };
        let (is_conflict, is_as_left) = self.is_conflict(from, &step.1);
        self.press_key_of(cause, step);
        let calls = self.console().calls.len() - usize::from(cause == StepCause::New);
        self.settle();
        let is_sent = cause == StepCause::New || !is_conflict || self.answer(is_as_left);
        assert_eq!(
            self.sent_since(calls),
            if is_sent {
                vec![(from, step.1.clone())]
            } else {
                vec![]
            }
        );
        if is_sent {
            self.record(cause, step);
        }
    }

    /// A command that is in flight when the program dies.
    fn run_killed_command(&mut self, cause: StepCause, step: &Step) {
        let from = if cause == StepCause::Undo {
            step.0.other()
        } else {
            step.0
        };
        if cause != StepCause::New && self.is_conflict(from, &step.1).0 {
            return;
        }
        // The other console may have undone or redone it too, or have ended what could be redone:
        // then nothing is sent again.
        let stack = if cause == StepCause::Undo {
            &self.journal.done
        } else {
            &self.journal.undone
        };
        if cause != StepCause::New && !stack.contains(step) {
            return;
        }
        self.press_key_of(cause, step);
        if cause != StepCause::New && self.happens(15) {
            self.trail.push("<killed during the check>".to_owned());
            return self.start_again(None, 30);
        }
        if cause != StepCause::New {
            self.change(TestConsole::serve_next);
        }
        let interrupted = Interrupted {
            cause,
            step: step.clone(),
            settled: Vec::new(),
            at: self.console().now(),
        };
        self.kill(interrupted);
    }

    /// The request of a write is under way: it arrives or not, and the console dies. What follows
    /// is one start or several.
    fn kill(&mut self, interrupted: Interrupted) {
        let (from, ids) = (interrupted.from(), interrupted.step.1.clone());
        if self.happens(40) {
            self.trail.push("<arrives>".to_owned());
            let call = self
                .console()
                .pending_calls
                .iter()
                .find(|(_, call)| matches!(call, ServiceCall::Triage { .. }));
            let call = call
                .unwrap_or_else(|| panic!("{:?}", self.console().pending_calls))
                .1
                .clone();
            drop(self.desks[0].console.reply_to(&call));
            self.move_to(from.other(), &ids);
        }
        if self.happens(25) {
            self.trail.push("<no reply>".to_owned());
            let at = self
                .console()
                .pending_calls
                .iter()
                .position(|(_, call)| matches!(call, ServiceCall::Triage { .. }));
            self.desks[0].console.pending_calls.swap(0, at.unwrap());
            self.change(|console| {
                console.fail_next(RequestError::new_ambiguous("the connection broke"))
            });
        }
        self.trail.push("<killed>".to_owned());
        while self.happens(30) {
            self.let_ben_act();
        }
        let seconds = if self.happens(80) {
            self.rng.random_range(1..60)
        } else {
            200
        };
        // Clearly within the two minutes or after them.
        let late = (self.console().now() - interrupted.at).num_seconds() + seconds;
        let seconds = if (100..130).contains(&late) {
            seconds + 60
        } else {
            seconds
        };
        self.start_again(Some(interrupted), seconds);
    }

    /// The console that died is started again.
    fn start_again(&mut self, interrupted: Option<Interrupted>, seconds: i64) {
        self.trail.push(format!("<started {seconds} s later>"));
        self.change(|console| console.kill_and_start(Duration::seconds(seconds)).poll());
        self.desks[0].stacks = self.journal.clone();
        let Some(Interrupted {
            cause,
            step,
            settled,
            at,
        }) = interrupted
        else {
            self.settle();
            assert_eq!(self.sent_since(0), []);
            return;
        };
        let from = if cause == StepCause::Undo {
            step.0.other()
        } else {
            step.0
        };
        let is_recent = self.console().now() < at + Duration::seconds(110);
        if cause == StepCause::New {
            self.desks[0].stacks.undone.clear();
        }
        let (open, applied): (Vec<usize>, Vec<usize>) =
            step.1.iter().partition(|n| self.places[n].0 == from);
        let is_later = |n: &usize| {
            cause == StepCause::New && self.marked_at.get(n).is_some_and(|marked| *marked > at)
        };
        let again: Vec<usize> = open
            .into_iter()
            .filter(|n| is_recent && !is_later(n))
            .collect();
        let is_asked = cause != StepCause::New && self.is_conflict(from, &again).0;
        while !self.console().context().outbox.reconciliation.is_due()
            && !self.console().pending_calls.is_empty()
        {
            self.change(TestConsole::serve_next);
        }
        // Another console that starts now has nothing to do with it.
        if settled.is_empty() && self.happens(20) {
            self.start_another();
            self.change_desks();
        }
        let mut is_undone_next = false;
        let is_whole = cause != StepCause::Redo || applied.is_empty();
        if is_recent
            && !is_asked
            && is_whole
            && self.happens(30)
            && self.console().context().outbox.reconciliation.is_due()
        {
            self.press("z");
            is_undone_next = true;
        }
        if !is_undone_next && !again.is_empty() && !is_asked && self.happens(25) {
            // It dies again while it sends it again. What it has found applied is settled.
            let is_sending = |world: &World| world.sent_since(0).len() == 1;
            while !is_sending(self) {
                self.change(TestConsole::serve_next);
            }
            assert_eq!(self.sent_since(0), [(from, again.clone())]);
            if cause == StepCause::New {
                return self.kill(Interrupted {
                    cause,
                    step: (step.0, again),
                    settled: [settled, applied].concat(),
                    at,
                });
            }
            if !applied.is_empty() {
                self.record(cause, &(step.0, applied));
            }
            let at = self.console().now();
            return self.kill(Interrupted {
                cause,
                step: (step.0, again),
                settled,
                at,
            });
        }
        self.settle();
        let is_sent = !again.is_empty() && (!is_asked || self.answer(true));
        let mut expected = if is_sent {
            vec![(from, again.clone())]
        } else {
            vec![]
        };
        match cause {
            StepCause::New => {
                let mut all = [settled, applied, again.clone()].concat();
                all.sort_unstable();
                if !all.is_empty() {
                    self.desks[0].stacks.apply(cause, &(step.0, all.clone()));
                    self.journal.apply(cause, &(step.0, all));
                    self.move_to(from.other(), &again);
                }
            }
            StepCause::Undo | StepCause::Redo => {
                if !applied.is_empty() {
                    self.record(cause, &(step.0, applied));
                }
                if is_sent {
                    self.record(cause, &(step.0, again));
                }
            }
        }
        if is_undone_next && let Some((from, ids)) = self.desks[0].stacks.done.last().cloned() {
            let (is_conflict, is_as_left) = self.is_conflict(from.other(), &ids);
            if !is_conflict || self.answer(is_as_left) {
                expected.push((from.other(), ids.clone()));
                self.record(StepCause::Undo, &(from, ids));
            }
        }
        assert_eq!(self.sent_since(0), expected, "what is sent after the start");
    }

    /// Another console is started, in place of the one that does not act.
    fn start_another(&mut self) {
        self.trail.push("<another console starts>".to_owned());
        self.desks.truncate(1);
        let mut console = self.desks[0].console.start_another().poll();
        console = console.serve();
        self.desks.insert(
            0,
            Desk {
                console,
                stacks: self.journal.clone(),
            },
        );
        assert_eq!(self.sent_since(0), []);
        self.check();
    }

    fn random_event(&mut self) {
        match self.rng.random_range(0..100) {
            0..15 => self.let_ben_act(),
            15..25 => self.change_desks(),
            25..30 => self.start_another(),
            n => {
                if let Some((cause, step)) = self.choose() {
                    if n < 65 {
                        self.run_command(cause, &step)
                    } else {
                        self.run_killed_command(cause, &step)
                    }
                }
            }
        }
        self.settle();
        self.check();
    }
}

#[test]
fn random_sequences_of_kills_leave_every_undo_what_it_was() {
    let run = |world: &mut World| {
        for _ in 0..world.rng.random_range(5..25) {
            world.random_event();
        }
    };
    run_sequences(World::new, run, |world| &world.trail);
}
