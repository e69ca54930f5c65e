//! Random presses over a service that answers late, in any order, in part or not at all, with kills
//! in between.
//!
//! `GANTRY_SEQUENCES` sets the number of sequences, `GANTRY_SEED` the first seed.

use std::collections::{BTreeMap, HashSet};

use chrono::Duration;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::app::context::outbox::undo;
use crate::app::effect::ServiceCall;
use crate::app::msg::{Msg, Reply, Token};
use crate::app::outbox::undo_history::{StepItems, UndoStep};
use crate::app::requests::Request;
use crate::app::testing::{BEN, TestConsole, many_rows, signal_id};
use crate::domain::queue::{QueueTab, TriageStatus};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::{SignalId, UserId};

const ROWS: usize = 320;
/// These are Done at the start, by Ben.
const DONE_ROWS: std::ops::RangeInclusive<usize> = 201..=240;
/// The service rejects every triage of these.
const BAD_ROWS: [usize; 4] = [3, 8, 30, 222];

/// What may happen besides presses and late replies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    None,
    /// Replies and requests are lost, signals are rejected, and a colleague works on the same
    /// queue.
    Failures,
    /// Also, the program is killed and started again.
    Kills,
}

struct World {
    console: Option<TestConsole>,
    rng: ChaCha8Rng,
    trouble: Trouble,
    /// Replies on their way.
    held: Vec<(Token, Result<Reply, RequestError>)>,
    /// Without trouble: the acts that were pressed and not undone, in order.
    pressed: Vec<(QueueTab, Vec<SignalId>)>,
    undone: Vec<(QueueTab, Vec<SignalId>)>,
    /// Signals of acts that are being undone: triaged once more meanwhile, they are a conflict.
    undoing: HashSet<SignalId>,
    /// Rows that Ben has marked done: nobody can say whose a change is whose reply was lost.
    bens: HashSet<usize>,
    trail: Vec<String>,
}

impl World {
    fn new(seed: u64) -> World {
        let trouble = [Trouble::None, Trouble::Failures, Trouble::Kills][(seed % 3) as usize];
        let console = TestConsole::with_rows(many_rows(ROWS))
            .user_marks_done(BEN, &DONE_ROWS.collect::<Vec<_>>());
        let console = Some(console.poll().serve());
        let rng = ChaCha8Rng::seed_from_u64(seed);
        World {
            console,
            rng,
            trouble,
            held: Vec::new(),
            pressed: Vec::new(),
            undone: Vec::new(),
            undoing: HashSet::new(),
            bens: HashSet::new(),
            trail: Vec::new(),
        }
    }

    fn console(&self) -> &TestConsole {
        self.console.as_ref().unwrap()
    }

    fn change(&mut self, what: impl Into<String>, change: impl FnOnce(TestConsole) -> TestConsole) {
        self.trail.push(what.into());
        self.console = self
            .console
            .take()
            .map(|console| change(console.advance_time(Duration::milliseconds(70))));
        self.check_lists();
    }

    fn press(&mut self, keys: &str) {
        self.change(keys, |console| console.press(keys));
    }

    fn is_busy(&self) -> bool {
        self.console().context().is_busy()
            || !self.console().pending_calls.is_empty()
            || !self.held.is_empty()
    }

    /// A key that triages: the model takes what it is about.
    fn press_triage(&mut self) {
        if !self.console().context().is_busy() {
            self.undoing.clear();
        }
        let cx = self.console().context();
        let (tab, outbox) = (cx.queue.tab, &cx.outbox);
        let ids = cx
            .queue
            .current_tab()
            .selection()
            .into_iter()
            .filter(|id| !outbox.is_signal_pending(*id));
        let ids: Vec<SignalId> = ids.collect();
        // After a kill the model does not know which signals are being undone.
        let is_undoing = !outbox.deferred_commands.is_empty()
            || cx
                .work
                .requests()
                .is_open(|request| matches!(request, Request::Undo(_)));
        let is_conflict = self.trouble == Trouble::Kills && is_undoing
            || ids.iter().any(|id| self.undoing.contains(id));
        if ids.is_empty() || ids.len() >= 20 || is_conflict {
            return self.press("* n");
        }
        self.pressed.push((tab, ids));
        // An undo that had to wait comes after what is pressed meanwhile: it can be redone.
        let undone: Vec<_> = self
            .console()
            .context()
            .outbox
            .history
            .undone
            .iter()
            .map(signals_of)
            .collect();
        self.undone.retain(|act| !undone.contains(act));
        self.press(if tab == QueueTab::New { "e" } else { "U" });
    }

    fn press_undo(&mut self) {
        if self.console().context().outbox.deferred_commands.len() < 8 {
            let act = self.pressed.pop();
            self.undoing.extend(act.iter().flat_map(|(_, ids)| ids));
            self.undone.extend(act);
            self.press("z");
        }
    }

    /// The service handles a call; its reply is on its way.
    fn perform(&mut self, nth: usize) {
        let (failures, fate) = (
            self.trouble >= Trouble::Failures,
            self.rng.random_range(0..100),
        );
        let console = self.console.as_mut().unwrap();
        let Some((token, call)) = console.pending_calls.remove(nth) else {
            return;
        };
        let is_bad = |id: &SignalId| failures && BAD_ROWS.iter().any(|bad| signal_id(*bad) == *id);
        let lost = || Err(RequestError::new_ambiguous("the connection broke"));
        let result = match &call {
            ServiceCall::Triage { ids, .. } if ids.iter().any(is_bad) => Err(bad_signal()),
            ServiceCall::Triage { .. } if failures && fate < 10 => {
                Err(RequestError::new_not_sent("no network"))
            }
            ServiceCall::Triage { .. } if failures && fate < 15 => lost(),
            ServiceCall::Triage { .. } if failures && fate < 25 => {
                console.reply_to(&call).and_then(|_| lost())
            }
            ServiceCall::Queue { .. } if failures && fate < 4 => {
                Err(RequestError::new_not_sent("no network"))
            }
            _ => console.reply_to(&call),
        };
        if let ServiceCall::Triage { ids, .. } = &call {
            assert!((1..=100).contains(&ids.len()));
            self.trail.push(format!(
                "<{} {}>",
                ids.len(),
                if result.is_ok() { "done" } else { "failed" }
            ));
        }
        self.held.push((token, result));
    }

    fn deliver(&mut self, nth: usize) {
        if nth < self.held.len() {
            let (token, result) = self.held.remove(nth);
            self.change("<reply>", |console| {
                console.send(Msg::Replied(token, result))
            });
        }
    }

    fn random_step(&mut self) {
        let failures = self.trouble >= Trouble::Failures;
        let calls = self.console().pending_calls.len().max(1);
        match self.rng.random_range(0..100) {
            0..34 => self.press_triage(),
            34..38 => self.press("j"),
            38..40 => self.press("k"),
            40..42 => self.press(["g g", "G", "PgDn", "PgUp"][self.rng.clone().random_range(0..4)]),
            42..45 => self.press("Space"),
            45..48 => self.press(if self.console().context().queue.tab == QueueTab::New {
                "]"
            } else {
                "["
            }),
            48..55 => self.press_undo(),
            // Redo is a new write: it is not before what is pressed during its check.
            55..58 if !self.is_busy() => {
                self.pressed.extend(self.undone.pop());
                self.press("Z");
                self.settle();
            }
            58..76 => {
                let nth = self.rng.random_range(0..calls);
                self.perform(nth);
            }
            76..92 => {
                let nth = self.rng.random_range(0..self.held.len().max(1));
                self.deliver(nth);
            }
            92..94 => self.change("<poll>", TestConsole::poll),
            94 if failures => self.press("Ctrl-c"),
            95..97 if failures => {
                let n = self.rng.random_range(1..ROWS);
                self.bens.insert(n);
                self.change(format!("<Ben {n}>"), |console| console.ben_marks_done(&[n]));
            }
            97 if self.trouble == Trouble::Kills => {
                self.held.clear();
                // Half of the starts are soon enough to send again what was in flight.
                let after = if self.rng.clone().random_bool(0.5) {
                    Duration::seconds(20)
                } else {
                    Duration::hours(1)
                };
                self.change(format!("<killed for {after}>"), |console| {
                    console.restart_after(after)
                });
            }
            _ => {}
        }
        if self.console().app.has_open_question() {
            assert!(
                failures,
                "nothing is a conflict: {}",
                self.console().screen_text()
            );
            self.press(if self.rng.clone().random_bool(0.5) {
                "Enter"
            } else {
                "Esc"
            });
        }
    }

    /// Everything is answered and looked up.
    fn settle(&mut self) {
        for _ in 0..400 {
            if self.held.is_empty() && self.console().pending_calls.is_empty() {
                return;
            }
            self.perform(0);
            self.deliver(0);
        }
        panic!("it never stops asking");
    }

    /// What left a list does not come back before it failed, and no row is in a list twice.
    fn check_lists(&self) {
        let cx = self.console().context();
        for tab in [QueueTab::New, QueueTab::Done] {
            let list = &cx.queue.tab_state(tab).list;
            let mut seen = HashSet::new();
            assert!(
                list.ids_in(0..usize::MAX).all(|(_, id)| seen.insert(id)),
                "{tab:?} has a row twice"
            );
            // A signal that was triaged again while its undo was checked is in two writes.
            let leaving: Vec<SignalId> = cx.outbox.signals_leaving(tab).collect();
            let is_once = |id: &SignalId| leaving.iter().filter(|other| *other == id).count() == 1;
            let back: Vec<SignalId> = leaving
                .iter()
                .copied()
                .filter(|id| is_once(id) && seen.contains(id))
                .collect();
            assert!(
                back.is_empty(),
                "{back:?} are in {tab:?} again before they were answered"
            );
        }
    }

    /// At the end, the service has what the undo steps say, and each step is one press. After a
    /// kill, steps may be missing, and nobody knows who did what was interrupted.
    fn check_end(&mut self) {
        let (failures, kills) = (
            self.trouble >= Trouble::Failures,
            self.trouble == Trouble::Kills,
        );
        // Also what is lost at the very end is looked up.
        for round in 0..30 {
            if round >= 3 && !self.console().context().outbox.reconciliation.is_due() {
                break;
            }
            self.settle();
            if self.console().app.has_open_question() {
                self.press("Esc");
            }
            self.change("<end>", TestConsole::poll);
        }
        self.settle();
        let (console, cx) = (self.console(), self.console().context());
        assert!(
            !undo::is_writing(&cx.outbox) && cx.outbox.waiting_act_count() == 0,
            "something waits forever"
        );
        if !failures {
            let steps: Vec<(QueueTab, Vec<SignalId>)> =
                cx.outbox.history.done.iter().map(signals_of).collect();
            assert_eq!(
                steps, self.pressed,
                "an undo step for each press, in their order"
            );
            assert_eq!(console.differences_from_service(), Vec::<String>::new());
        }
        let mut last: BTreeMap<SignalId, QueueTab> = BTreeMap::new();
        for (from, ids) in cx.outbox.history.done.iter().map(signals_of) {
            last.extend(ids.into_iter().map(|id| (id, from.other())));
        }
        let ben = Some(UserId(uuid::Uuid::from_u128(BEN)).into());
        for (n, row) in (1..)
            .zip(&console.rows)
            .filter(|(n, _)| !self.bens.contains(n))
        {
            let step = last.get(&row.signal.id);
            let left = step.copied().unwrap_or(if DONE_ROWS.contains(&n) {
                QueueTab::Done
            } else {
                QueueTab::New
            });
            let is_as_left = row.triage_status == Some(left.status());
            let is_bens = row.triage_status == Some(TriageStatus::Done) && row.triaged_by == ben;
            assert!(
                if is_bens {
                    kills || step != Some(&QueueTab::Done)
                } else {
                    is_as_left || kills && step.is_none()
                },
                "signal {n} is {:?}, done by Ben: {is_bens}; the undo steps say {step:?}",
                row.triage_status
            );
        }
    }
}

fn signals_of(step: &UndoStep) -> (QueueTab, Vec<SignalId>) {
    let StepItems::Signals(signals) = &step.items else {
        panic!("{step:?}")
    };
    (
        signals.from,
        signals.rows.iter().map(|row| row.id).collect(),
    )
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

/// Runs the sequences that the environment asks for, and shows the trail of each that failed.
pub fn run_sequences<World>(
    new: impl Fn(u64) -> World,
    run: impl Fn(&mut World),
    trail: impl Fn(&World) -> &[String],
) {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("GANTRY_SEED", 1), number("GANTRY_SEQUENCES", 24));
    let mut failed = Vec::new();
    for seed in first..first + count {
        let mut world = new(seed);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&mut world))).is_err() {
            failed.push(format!("seed {seed}: {}", trail(&world).join(" ")));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {count} sequences failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn random_sequences_of_acts_leave_what_their_undo_steps_say() {
    let run = |world: &mut World| {
        for _ in 0..world.rng.random_range(20..150) {
            world.random_step();
        }
        world.check_end();
    };
    run_sequences(World::new, run, |world| &world.trail);
}
