//! A write in progress: what is sent in which request, and what became of it.
//!
//! A triage that waits for the one before it takes in those that follow: they share its requests,
//! and each remains an act of its own, with its journal entry and its undo step.
//!
//! A triage and a write of anything else share this life cycle. They differ in what a rejected
//! request means for its items, and in that the outcome of a triage, when it is unknown, is looked
//! up ([`reconciliation`](super::reconciliation)).

use std::collections::{BTreeMap, HashSet, VecDeque};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::effect::{ServiceCall, Slot};
use crate::app::model::signal_list::RemovedRow;
use crate::app::outbox::undo_history::{StepCause, StepItems, TriagedSignals, UndoStep};
use crate::domain::SignalId;
use crate::domain::queue::MAX_TRIAGE_SIGNALS;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No reply yet.
    Pending,
    Applied,
    /// It already had the new value.
    Unchanged,
    Rejected {
        reason: String,
        /// It would be rejected every time.
        is_permanent: bool,
    },
    NotSent {
        reason: String,
        /// It would have been sent if the service responded.
        is_deferred: bool,
    },
    /// Somebody else changed the record meanwhile, so it was not written.
    Conflicted(String),
    /// It was not sent, because its write was canceled or the request before it failed.
    Dropped(String),
    /// It may have been applied.
    Unknown(String),
}

impl Outcome {
    /// Why it was not applied.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Outcome::Pending | Outcome::Applied | Outcome::Unchanged => None,
            Outcome::Rejected { reason, .. }
            | Outcome::NotSent { reason, .. }
            | Outcome::Conflicted(reason)
            | Outcome::Dropped(reason)
            | Outcome::Unknown(reason) => Some(reason),
        }
    }

    /// Whether it was not applied and can be sent again.
    pub fn is_retriable(&self) -> bool {
        self.reason().is_some() && !self.is_hopeless()
    }

    fn is_hopeless(&self) -> bool {
        matches!(
            self,
            Outcome::Rejected {
                is_permanent: true,
                ..
            }
        )
    }
}

/// A request that was not sent yet, and its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBatch {
    pub call: ServiceCall,
    pub items: Vec<usize>,
}

/// A request of a write: the number of the write, and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePart {
    pub number: u64,
    part: usize,
}

/// A part of a write that the user made as one, and undoes as one.
#[derive(Clone, Debug)]
struct Act {
    number: u64,
    description: String,
    group: Option<Uuid>,
    /// Its items end before this one; they begin where those of the act before end.
    end: usize,
}

#[derive(Clone, Debug)]
pub struct PendingWrite {
    cause: StepCause,
    /// In the direction in which it is sent. With several acts, all of them.
    step: UndoStep,
    /// In the order of their items. Only triages have more than one.
    acts: Vec<Act>,
    /// The number of the step that it undoes or redoes.
    original: u64,
    /// On the service's clock.
    started_at: DateTime<Utc>,
    /// Of each item.
    outcomes: Vec<Outcome>,
    queued: VecDeque<WriteBatch>,
    is_canceled: bool,
    /// An earlier run began it, so that what it wants may have been applied already.
    is_resent: bool,
    /// The items of each request without a reply.
    unanswered: BTreeMap<usize, Vec<usize>>,
    parts: usize,
    /// The items of each triage request that succeeded, and how many of them changed; `None` when
    /// it was sent more than once.
    answered: Vec<(Vec<usize>, Option<u64>)>,
}

impl PendingWrite {
    pub(super) fn new(
        number: u64,
        cause: StepCause,
        step: UndoStep,
        started_at: DateTime<Utc>,
    ) -> PendingWrite {
        PendingWrite {
            cause,
            original: step.number,
            started_at,
            outcomes: vec![Outcome::Pending; step.len()],
            acts: vec![Act {
                number,
                description: step.description.clone(),
                group: step.group,
                end: step.len(),
            }],
            step: UndoStep { number, ..step },
            queued: VecDeque::new(),
            is_canceled: false,
            is_resent: false,
            unanswered: BTreeMap::new(),
            parts: 0,
            answered: Vec::new(),
        }
    }

    /// A triage of an earlier run of which these signals may have arrived.
    pub fn interrupted(
        cause: StepCause,
        step: UndoStep,
        unknown: &HashSet<SignalId>,
    ) -> PendingWrite {
        let outcome = |id| {
            if unknown.contains(&id) {
                Outcome::Unknown(String::new())
            } else {
                Outcome::Applied
            }
        };
        let (number, started_at, outcomes) = (
            step.number,
            step.done_at,
            step.signal_ids().map(outcome).collect(),
        );
        PendingWrite {
            outcomes,
            ..PendingWrite::new(number, cause, step, started_at)
        }
    }

    pub fn number(&self) -> u64 {
        self.step.number
    }

    pub fn slot(&self) -> Slot {
        Slot::Write(self.number())
    }

    pub fn cause(&self) -> StepCause {
        self.cause
    }

    pub fn step(&self) -> &UndoStep {
        &self.step
    }

    pub fn started_at(&self) -> DateTime<Utc> {
        self.started_at
    }

    /// Records that an earlier run began it.
    pub fn mark_resent(&mut self) {
        self.is_resent = true;
    }

    pub fn is_resent(&self) -> bool {
        self.is_resent
    }

    /// What is triaged, if it is a triage.
    pub fn signals(&self) -> Option<&TriagedSignals> {
        match &self.step.items {
            StepItems::Signals(signals) => Some(signals),
            StepItems::Changes(_) | StepItems::Snoozes(_) => None,
        }
    }

    pub fn changes_subscriptions(&self) -> bool {
        self.step
            .changes()
            .iter()
            .any(|change| matches!(change.forward, WriteOp::Subscription(..)))
    }

    /// Whether nothing of it was sent yet, and will be.
    pub fn is_waiting(&self) -> bool {
        self.parts == 0 && !self.queued.is_empty()
    }

    /// Whether a triage can share the requests of this one.
    pub fn can_join(&self, other: &PendingWrite) -> bool {
        let list = |write: &PendingWrite| write.signals().map(|signals| signals.from);
        let is_new = self.cause == StepCause::New && other.cause == StepCause::New;
        let fits = self.step.len() + other.step.len() <= MAX_TRIAGE_SIGNALS;
        self.is_waiting() && is_new && fits && list(self).is_some() && list(self) == list(other)
    }

    /// Takes in another triage; `description` describes both.
    pub fn join(&mut self, other: PendingWrite, description: String) {
        let first = self.step.len();
        if let (StepItems::Signals(all), StepItems::Signals(new)) =
            (&mut self.step.items, other.step.items)
        {
            all.rows.extend(new.rows);
        }
        self.step.description = description;
        self.acts.extend(other.acts.into_iter().map(|act| Act {
            end: first + act.end,
            ..act
        }));
        self.outcomes.extend(other.outcomes);
        self.queued = self.triage_batches().into();
    }

    pub fn act_count(&self) -> usize {
        self.acts.len()
    }

    /// The steps that it consists of, each to be undone on its own.
    pub fn acts(&self) -> impl DoubleEndedIterator<Item = UndoStep> {
        self.acts.iter().enumerate().map(|(nth, act)| {
            let first = nth.checked_sub(1).map_or(0, |before| self.acts[before].end);
            let items = match &self.step.items {
                StepItems::Signals(all) => StepItems::Signals(TriagedSignals {
                    from: all.from,
                    rows: all.rows[first..act.end].to_vec(),
                    uncertain_count: all.uncertain_count,
                }),
                changes => changes.clone(),
            };
            UndoStep {
                number: act.number,
                description: act.description.clone(),
                done_at: self.step.done_at,
                group: act.group,
                items,
            }
        })
    }

    /// The requests of a triage.
    pub fn triage_batches(&self) -> Vec<WriteBatch> {
        let all: Vec<usize> = (0..self.step.len()).collect();
        all.chunks(MAX_TRIAGE_SIGNALS)
            .filter_map(|items| self.triage_batch(items))
            .collect()
    }

    fn triage_batch(&self, items: &[usize]) -> Option<WriteBatch> {
        let signals = self.signals()?;
        let mut acts: Vec<(Slot, usize)> = Vec::new();
        for item in items {
            let slot =
                Slot::Write(self.acts[self.acts.partition_point(|act| act.end <= *item)].number);
            match acts.last_mut() {
                Some((last, count)) if *last == slot => *count += 1,
                _ => acts.push((slot, 1)),
            }
        }
        let ids = items.iter().map(|item| signals.rows[*item].id).collect();
        let call = ServiceCall::Triage {
            ids,
            status: signals.from.other().status(),
            acts,
        };
        Some(WriteBatch {
            call,
            items: items.to_vec(),
        })
    }

    /// Adds all requests of the write. An item that is in none already has the new value.
    pub fn enqueue(&mut self, batches: impl IntoIterator<Item = WriteBatch>) {
        self.queued.extend(batches);
        let sent: HashSet<usize> = self
            .queued
            .iter()
            .flat_map(|batch| batch.items.iter().copied())
            .collect();
        let unsent = (0..self.outcomes.len()).filter(|item| !sent.contains(item));
        unsent.for_each(|item| self.outcomes[item] = Outcome::Unchanged);
    }

    /// The requests that can be sent now. Each reply to a change of subscriptions is the whole
    /// list: these are sent one after the other, so that the last reply is the newest.
    pub fn take_sendable(&mut self) -> Vec<(WritePart, ServiceCall)> {
        let most = match self.changes_subscriptions() {
            true if self.unanswered.is_empty() => 1,
            true => 0,
            false => self.queued.len(),
        };
        let mut sendable = Vec::new();
        for WriteBatch { call, items } in self.queued.drain(..most.min(self.queued.len())) {
            self.parts += 1;
            self.unanswered.insert(self.parts, items);
            sendable.push((
                WritePart {
                    number: self.step.number,
                    part: self.parts,
                },
                call,
            ));
        }
        sendable
    }

    /// The items of a request whose reply is here.
    pub fn take_answered(&mut self, part: WritePart) -> Vec<usize> {
        self.unanswered.remove(&part.part).unwrap_or_default()
    }

    pub fn settle(&mut self, item: usize, outcome: Outcome) {
        self.outcomes[item] = outcome;
    }

    /// Settles a change that was applied, as it was written.
    pub fn settle_applied(&mut self, item: usize, written: ReversibleWrite) {
        self.outcomes[item] = Outcome::Applied;
        if let StepItems::Changes(changes) = &mut self.step.items {
            changes[item] = written;
        }
    }

    /// Settles signals, of which `changed` had another status before.
    pub fn settle_signals(&mut self, items: Vec<usize>, changed: Option<u64>) {
        items
            .iter()
            .for_each(|item| self.outcomes[*item] = Outcome::Applied);
        self.answered.push((items, changed));
    }

    /// Settles the items of a failed request. One bad ID can make the service reject a whole
    /// triage: such a request is sent again in halves, down to that ID.
    pub fn settle_failure(&mut self, items: &[usize], failure: &RequestError) {
        let may_be_one = matches!(failure.status(), Some(400 | 404 | 422)) && items.len() > 1;
        if may_be_one && self.signals().is_some() {
            let (left, right) = items.split_at(items.len() / 2);
            let halves = [left, right].map(|half| self.triage_batch(half));
            self.queued.extend(halves.into_iter().flatten());
            if self.is_canceled {
                self.drop_queued("");
            }
            return;
        }
        for item in items {
            self.outcomes[*item] = failure_outcome(failure, self.step.changes().get(*item));
        }
        if !failure.is_permanent() {
            self.drop_queued("not sent, because the previous request failed");
        }
    }

    /// The same with nothing of it sent, where nothing may be written.
    pub fn refused(mut self, reason: &str) -> PendingWrite {
        self.queued.clear();
        let failure = RequestError {
            kind: RequestErrorKind::ReadOnly,
            message: format!("not sent: {reason}"),
        };
        for (item, outcome) in self.outcomes.iter_mut().enumerate() {
            *outcome = failure_outcome(&failure, self.step.changes().get(item));
        }
        self
    }

    /// Sends no more requests.
    pub fn cancel(&mut self) {
        self.is_canceled = true;
        self.drop_queued("not sent: canceled");
    }

    /// Drops the requests that were not sent.
    fn drop_queued(&mut self, reason: &str) {
        for item in self.queued.drain(..).flat_map(|batch| batch.items) {
            self.outcomes[item] = Outcome::Dropped(reason.to_owned());
        }
    }

    pub fn is_finished(&self) -> bool {
        self.unanswered.is_empty() && self.queued.is_empty()
    }

    /// What the items that match would do.
    pub fn items_where(&self, matches: impl Fn(&Outcome) -> bool) -> UndoStep {
        self.step.subset(|item| matches(&self.outcomes[item]))
    }

    pub fn applied_step(&self) -> UndoStep {
        self.items_where(|outcome| *outcome == Outcome::Applied)
    }

    /// What was not applied of an undo or redo and can be sent again, as a step in its old place.
    pub fn unapplied_step(&self) -> UndoStep {
        UndoStep {
            number: self.original,
            ..self.items_where(Outcome::is_retriable)
        }
    }

    /// The changes that match, with their reasons.
    pub fn failed_changes(
        &self,
        matches: impl Fn(&Outcome) -> bool,
    ) -> Vec<(ReversibleWrite, String)> {
        let all = self.step.changes().iter().zip(&self.outcomes);
        all.filter(|(_, outcome)| matches(outcome))
            .filter_map(|(change, outcome)| Some((change.clone(), outcome.reason()?.to_owned())))
            .collect()
    }

    /// The signals with what became of each.
    pub fn signal_outcomes(&self) -> impl Iterator<Item = (&RemovedRow, &Outcome)> {
        let rows = self
            .signals()
            .map(|signals| signals.rows.as_slice())
            .unwrap_or_default();
        rows.iter().zip(&self.outcomes)
    }

    pub fn count(&self, matches: impl Fn(&Outcome) -> bool) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| matches(outcome))
            .count()
    }

    /// Whether an item with this outcome waits until the service responds. An undo or redo does
    /// not: its step is where it was.
    pub fn waits(&self, outcome: &Outcome) -> bool {
        let is_new_triage = self.cause == StepCause::New && self.signals().is_some();
        is_new_triage
            && matches!(
                outcome,
                Outcome::NotSent {
                    is_deferred: true,
                    ..
                }
            )
    }

    pub fn waiting_count(&self) -> usize {
        self.count(|outcome| self.waits(outcome))
    }

    pub fn pending_count(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Pending)
    }

    /// How many items were rejected, not sent, and are of unknown outcome. What waits for the
    /// service has not failed.
    pub fn failed_counts(&self) -> [usize; 3] {
        [
            self.count(|outcome| matches!(outcome, Outcome::Rejected { .. })),
            self.count(|outcome| {
                matches!(outcome, Outcome::NotSent { .. } | Outcome::Dropped(_))
                    && !self.waits(outcome)
            }),
            self.count(|outcome| matches!(outcome, Outcome::Unknown(_))),
        ]
    }

    /// Why the last of the items that failed did.
    pub fn last_reason(&self) -> Option<&str> {
        self.outcomes
            .iter()
            .rev()
            .filter_map(Outcome::reason)
            .find(|reason| !reason.is_empty())
    }

    pub fn signals_where(&self, matches: impl Fn(&Outcome) -> bool) -> Vec<SignalId> {
        let all = self.step.signal_ids().zip(&self.outcomes);
        all.filter(|(_, outcome)| matches(outcome))
            .map(|(id, _)| id)
            .collect()
    }

    /// The signals of each request that succeeded, and how many of them changed.
    pub fn answered_requests(&self) -> impl Iterator<Item = (Vec<SignalId>, Option<u64>)> {
        let ids: Vec<SignalId> = self.step.signal_ids().collect();
        self.answered
            .iter()
            .map(move |(items, changed)| (items.iter().map(|item| ids[*item]).collect(), *changed))
    }

    /// How many signals changed; a request of which nobody knows counts in full.
    pub fn changed_count(&self) -> u64 {
        self.answered
            .iter()
            .map(|(items, changed)| changed.unwrap_or(items.len() as u64))
            .sum()
    }

    /// Whether a change that matches has no reply yet.
    pub fn any_pending(&self, matches: impl Fn(&WriteOp) -> bool) -> bool {
        let mut all = self.step.changes().iter().zip(&self.outcomes);
        all.any(|(change, outcome)| *outcome == Outcome::Pending && matches(&change.forward))
    }
}

/// What a failed request means for one of its items; `change` is `None` for a signal.
fn failure_outcome(failure: &RequestError, change: Option<&ReversibleWrite>) -> Outcome {
    let message = failure.message.clone();
    let not_sent = |reason: &str| {
        if change.is_some() {
            format!("not sent: {reason}")
        } else {
            reason.to_owned()
        }
    };
    match (&failure.kind, change) {
        (RequestErrorKind::Rejected(_), _) => Outcome::Rejected {
            reason: message,
            is_permanent: failure.is_permanent(),
        },
        (RequestErrorKind::Cancelled, _) => Outcome::NotSent {
            reason: change.map_or_else(String::new, |_| not_sent("canceled")),
            is_deferred: false,
        },
        (
            RequestErrorKind::NotSent
            | RequestErrorKind::OverBudget
            | RequestErrorKind::ReadOnly
            | RequestErrorKind::NotJournaled,
            _,
        ) => Outcome::NotSent {
            reason: if change.is_some() {
                not_sent(message.trim_start_matches("not sent: "))
            } else {
                message
            },
            is_deferred: failure.kind == RequestErrorKind::NotSent,
        },
        (RequestErrorKind::Ambiguous, None) => Outcome::Unknown(message),
        (RequestErrorKind::Ambiguous, Some(change)) if change.forward.is_non_idempotent() => {
            Outcome::Unknown(format!("check before you repeat it: {message}"))
        }
        (RequestErrorKind::Ambiguous, Some(_)) => {
            Outcome::Unknown(format!("repeating it is safe: {message}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use uuid::Uuid;

    use super::*;
    use crate::app::model::signal_list::RemovedRow;
    use crate::domain::queue::QueueTab;
    use crate::domain::request_error::ServiceError;

    fn triage(signals: u128) -> PendingWrite {
        triage_of(1, 1..=signals)
    }

    fn triage_of(number: u64, signals: RangeInclusive<u128>) -> PendingWrite {
        let row = |n| RemovedRow {
            slot: None,
            id: SignalId(Uuid::from_u128(n)),
            row: None,
        };
        let rows = signals.map(row).collect();
        let items = StepItems::Signals(TriagedSignals {
            from: QueueTab::New,
            rows,
            uncertain_count: 0,
        });
        let step = UndoStep {
            number: 0,
            description: "words".to_owned(),
            done_at: DateTime::UNIX_EPOCH,
            group: None,
            items,
        };
        let mut write = PendingWrite::new(number, StepCause::New, step, DateTime::UNIX_EPOCH);
        let batches = write.triage_batches();
        write.enqueue(batches);
        write
    }

    #[test]
    fn acts_share_a_request_until_it_is_full() {
        let mut write = triage_of(1, 1..=1);
        for number in 2..=100 {
            let next = triage_of(number, u128::from(number)..=u128::from(number));
            assert!(write.can_join(&next));
            write.join(next, format!("{number} signals"));
        }
        assert!(!write.can_join(&triage_of(101, 101..=101)));
        let sendable = write.take_sendable();
        let [(_, ServiceCall::Triage { ids, acts, .. })] = sendable.as_slice() else {
            panic!("{sendable:?}")
        };
        assert_eq!((ids.len(), acts.len()), (100, 100));
        assert!(!write.can_join(&triage_of(101, 101..=101)), "it was sent");
    }

    #[test]
    fn a_request_says_which_signals_are_of_which_act() {
        let mut write = triage_of(4, 1..=3);
        write.join(triage_of(5, 4..=4), "4 signals".to_owned());
        write.join(triage_of(7, 5..=9), "9 signals".to_owned());
        let acts_of = |write: &PendingWrite, items: &[usize]| match write
            .triage_batch(items)
            .map(|batch| batch.call)
        {
            Some(ServiceCall::Triage { acts, .. }) => acts,
            call => panic!("{call:?}"),
        };
        let slots = |all: &[(u64, usize)]| {
            all.iter()
                .map(|(number, n)| (Slot::Write(*number), *n))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            acts_of(&write, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            slots(&[(4, 3), (5, 1), (7, 5)])
        );
        assert_eq!(
            acts_of(&write, &[2, 3, 4, 5]),
            slots(&[(4, 1), (5, 1), (7, 2)]),
            "also a half of it"
        );
        let acts: Vec<_> = write
            .acts()
            .map(|act| {
                (
                    act.number,
                    act.signal_ids().map(|id| id.0.as_u128()).collect(),
                )
            })
            .collect();
        assert_eq!(
            acts,
            [(4, vec![1, 2, 3]), (5, vec![4]), (7, vec![5, 6, 7, 8, 9])]
        );
    }

    fn rejection(status: u16) -> RequestError {
        let kind = RequestErrorKind::Rejected(ServiceError {
            status,
            ..ServiceError::default()
        });
        RequestError {
            kind,
            message: "no".to_owned(),
        }
    }

    /// Fails every request that contains a bad signal, and counts all requests.
    fn send_all(
        write: &mut PendingWrite,
        failure: &RequestError,
        is_bad: impl Fn(&SignalId) -> bool,
    ) -> usize {
        let mut requests = 0;
        loop {
            let sendable = write.take_sendable();
            if sendable.is_empty() {
                return requests;
            }
            requests += sendable.len();
            for (part, call) in sendable {
                let ServiceCall::Triage { ids, .. } = call else {
                    panic!("{call:?}")
                };
                let items = write.take_answered(part);
                if ids.iter().any(&is_bad) {
                    write.settle_failure(&items, failure)
                } else {
                    write.settle_signals(items, None)
                }
            }
        }
    }

    #[test]
    fn one_bad_signal_does_not_keep_the_others_from_being_triaged() {
        let mut write = triage(250);
        let requests = send_all(&mut write, &rejection(422), |id| id.0.as_u128() == 120);
        assert!(write.is_finished() && requests < 20, "{requests}");
        assert_eq!(
            (write.applied_step().len(), write.failed_counts()),
            (249, [1, 0, 0])
        );
        assert!(
            write.unapplied_step().is_empty(),
            "it would be rejected every time"
        );
    }

    #[test]
    fn what_may_not_have_arrived_can_be_sent_again() {
        let not_journaled = RequestError {
            kind: RequestErrorKind::NotJournaled,
            message: "no folder".to_owned(),
        };
        for (failure, counts, waiting) in [
            (rejection(403), [2, 0, 0], 0),
            (not_journaled, [0, 2, 0], 0),
            (RequestError::new_not_sent("no network"), [0, 0, 0], 2),
            (RequestError::new_ambiguous("cut off"), [0, 0, 2], 0),
        ] {
            let mut write = triage(2);
            send_all(&mut write, &failure, |_| true);
            assert_eq!(
                (
                    write.failed_counts(),
                    write.waiting_count(),
                    write.pending_count()
                ),
                (counts, waiting, 0)
            );
            assert_eq!(write.unapplied_step().len(), 2);
        }
    }

    #[test]
    fn a_part_of_a_triage_is_described_by_its_number_of_signals() {
        let mut write = triage(150);
        send_all(&mut write, &RequestError::new_ambiguous("cut off"), |id| {
            id.0.as_u128() > 100
        });
        assert_eq!(
            (
                write.applied_step().description.as_str(),
                write.step().description.as_str()
            ),
            ("100 signals", "words")
        );
    }

    #[test]
    fn a_canceled_triage_is_not_sent_again_in_halves() {
        let mut write = triage(2);
        let (part, _) = write.take_sendable().remove(0);
        write.cancel();
        let items = write.take_answered(part);
        write.settle_failure(&items, &rejection(422));
        assert!(write.is_finished());
        assert_eq!(write.failed_counts(), [0, 2, 0]);
    }

    #[test]
    fn what_is_in_no_request_already_holds() {
        let mut write = triage(2);
        write.queued.clear();
        let batch = write.triage_batch(&[0]);
        write.enqueue(batch);
        assert_eq!(write.pending_count(), 1);
    }
}
